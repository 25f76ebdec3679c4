"""Readings of tables: what is right, and what may be taken without asking."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.scores.roles.readings import only_algorithm, readings
from tests.scores.roles.simulated import mutate, simulate

RIGHT = ("algorithm", "dataset", "replication", "score")


def is_right(reading, table):
    """Return whether a reading has the true roles; a copy of a score may be one."""
    roles = {role: set(reading.of(role)) - set(table.of("copy")) for role in RIGHT}
    return reading.layout == table.layout and roles == {r: set(table.of(r)) for r in RIGHT}


def takes_another(reading, table):
    """Return whether a column is taken as a score that is none."""
    return bool(set(reading.of("score")) - set(table.of("score", "copy")))


@pytest.mark.slow
def test_usual_names_are_read_right():
    right = [is_right(readings(t.frame)[0], t) for t in map(simulate, range(120))]
    assert np.mean(right) >= 0.97


@pytest.mark.slow
def test_what_is_sure_is_never_wrong_after_a_change():
    """A sure reading has no column as a score that is none; names that lie are refused."""
    sure = 0
    for seed in range(500):
        table, change = mutate(simulate(seed), seed)
        (first, *_) = readings(table.frame) or [None]
        if first is None or not first.sure:
            continue
        sure += 1
        lies = change == "swap" and set(first.of("score")) <= set(table.of("score", "other"))
        assert lies or not takes_another(first, table), (seed, change)
    assert sure > 150


@pytest.mark.slow
@given(seed=st.integers(0, 10_000), order=st.randoms(use_true_random=False))
def test_order_of_columns_changes_nothing(seed, order):
    table = simulate(seed)
    names = list(table.frame)
    first = readings(table.frame)[0]
    order.shuffle(names)
    again = readings(table.frame[names])[0]
    assert first.identity == again.identity


@pytest.mark.slow
@given(seed=st.integers(0, 10_000))
def test_other_labels_change_nothing(seed):
    table = simulate(seed)
    if table.layout != "long":
        return
    frame = table.frame.copy()
    for name in table.of("algorithm", "dataset"):
        codes, _ = pd.factorize(frame[name])
        frame[name] = [f"{name[:2]}x{code}" for code in codes]
    assert readings(frame)[0].of("algorithm") == readings(table.frame)[0].of("algorithm")


@pytest.mark.slow
@given(seed=st.integers(0, 10_000))
def test_order_of_rows_changes_nothing(seed):
    table = simulate(seed)
    shuffled = table.frame.sample(frac=1, random_state=seed)
    assert readings(table.frame)[0].identity == readings(shuffled)[0].identity


def grid(*labels, **values):
    rows = pd.MultiIndex.from_product([pd.Index(v, name=n) for n, v in labels]).to_frame(
        index=False
    )
    rng = np.random.default_rng(3)
    effect = sum(
        pd.factorize(rows[n])[0] * w
        for (n, _), w in zip(labels, (0.1, 0.03, 0.0, 0.05), strict=False)
    )
    for name, make in values.items():
        rows[name] = np.round(make(np.asarray(effect) + rng.normal(0, 0.02, len(rows))), 4)
    return rows


SETS, METHODS = [f"d{i}" for i in range(8)], ["a", "b", "c"]


def test_seconds_beside_a_boolean_are_no_correctness():
    table = grid(
        ("question_id", [f"q{i:02d}" for i in range(30)]),
        ("model", METHODS),
        latency_s=np.exp,
    )
    table["correct"] = np.random.default_rng(1).random(len(table)) < 0.6
    first = readings(table)[0]
    assert first.directions == {"latency_s": "lower", "correct": "higher"}
    assert first.of("algorithm") == ("model",)


def test_a_system_is_the_algorithm_and_a_query_is_an_item():
    table = grid(
        ("query", ["Q1", "Q2", "Q3", "Q4"]),
        ("system", ["duck", "hyp"]),
        ("run", [1, 2, 3]),
        seconds=np.exp,
    )
    first = readings(table)[0]
    assert (first.of("algorithm"), first.of("dataset"), first.of("replication")) == (
        ("system",),
        ("query",),
        ("run",),
    )
    assert first.sure
    assert not any(r.of("algorithm") == ("query",) for r in readings(table))


def test_a_factor_is_never_a_repeated_answer():
    table = grid(
        ("task", SETS),
        ("model", METHODS),
        ("shots", [0, 5]),
        ("seed", [1, 2, 3]),
        accuracy=lambda x: x,
    )
    first = readings(table)[0]
    assert (first.of("factor"), first.of("replication")) == (("shots",), ("seed",))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("accuracy", lambda t: t["task"].str[1:].astype(float)),  # the data set decides it
        ("accuracy", lambda t: -1.0 - np.arange(len(t)) / 7),
        ("rmse", lambda t: -np.random.default_rng(1).random(len(t))),
        ("accuracy", lambda t: np.arange(len(t)) % 5),
    ],
)
def test_a_measure_that_its_numbers_contradict_is_not_read(name, values):
    table = grid(("task", SETS), ("model", METHODS), ("seed", [1, 2, 3]), auc=lambda x: x)
    table[name] = values(table)
    first = readings(table)[0]
    assert not first.sure or name not in first.of("score")


def test_a_seed_with_fractions_is_a_contradiction():
    table = grid(("task", SETS), ("model", METHODS), ("seed", [0.25, 0.5, 0.75]), auc=lambda x: x)
    assert dict(readings(table)[0].contradictions)["seed"] == "seeds, folds or runs with fractions"


def test_columns_that_nothing_names_are_never_sure():
    table = grid(("x1", SETS), ("x2", METHODS), ("x3", [1, 2, 3]), y=lambda x: x)
    assert not any(reading.sure for reading in readings(table))


def test_both_sides_of_a_symmetric_table_are_among_the_first_three():
    table = grid(("x1", SETS), ("x2", METHODS), y=lambda x: x)
    pairs = [(r.of("algorithm"), r.of("dataset")) for r in readings(table)[:3]]
    assert {(("x1",), ("x2",)), (("x2",), ("x1",))} <= set(pairs)


def test_one_algorithm_is_nothing_to_compare():
    table = grid(("dataset", SETS), ("model", ["naive"]), mse=np.exp)
    assert readings(table) == []
    assert only_algorithm(table, {}) == ("model", "naive")
    two = grid(("dataset", SETS), ("model", METHODS), mse=np.exp)
    assert only_algorithm(two, {}) is None


def test_tables_without_rows_or_labels_have_no_reading():
    assert readings(pd.DataFrame()) == []
    assert readings(pd.DataFrame({"x": [1.5, 2.5], "y": [0.5, 0.25]})) == []


def test_a_number_of_the_row_is_no_score_of_a_small_wide_table():
    frame = pd.DataFrame(
        {
            "env_id": ["ant", "walker", "hopper"],
            "ppo": [0.68, 0.6, 0.93],
            "sac": [0.79, 0.64, 0.88],
            "dqn": [0.74, 0.68, 0.94],
            "row": [1, 2, 3],
        }
    )
    first = readings(frame)[0]
    assert first.of("score") == ("ppo", "sac", "dqn")
    assert first.roles["row"] == "ignored: number of the row"


def summaries(*names):
    """Write the mean, spread and median of algorithms, and the difference of the means."""
    g = np.random.default_rng(4)
    rows = grid(("dataset", ["s", "t", "u"]), ("metric", ["auc", "f1"]))
    for name in names:
        rows[f"{name}_mean"] = np.round(g.random(6), 6)
        rows[f"{name}_std"] = np.round(0.01 * g.random(6), 6)
        rows[f"{name}_median"] = np.round(g.random(6), 6)
    return rows.assign(delta=rows[f"{names[0]}_mean"] - rows[f"{names[1]}_mean"])


def test_further_statistics_and_differences_are_no_algorithms():
    first = readings(summaries("forest", "boosting"))[0]
    assert first.of("score") == ("forest_mean", "boosting_mean")
    assert first.of("measure") == ("metric",)
    assert first.roles["delta"] == "ignored: difference of forest_mean and boosting_mean"


def test_counts_named_as_numbers_of_something_tell_rows_apart():
    rows = grid(("task", ["s", "t"]), ("model", ["a", "b", "c"]), ("num_obs", [*range(1, 6)]))
    rows = pd.concat([rows.assign(num_sims=size) for size in ("10\u00b3", "10\u2074")])
    rows = rows.assign(folder=[f"f{i:03}" for i in range(len(rows))], quality=_noise(len(rows)))
    first = readings(rows)[0]
    assert {*first.of("algorithm"), *first.of("factor")} >= {"model", "num_sims"}
    assert first.roles["num_obs"] in ("dataset", "factor", "replication")


def test_more_combinations_than_algorithms_can_be_are_not_proposed():
    sizes = [(name, [f"{name}{i}" for i in range(7)]) for name in ("solver", "part", "piece")]
    rows = grid(("task", ["s", "t"]), *sizes)
    for reading in readings(rows.assign(quality=_noise(len(rows)))):
        names = [*reading.of("algorithm"), *reading.of("factor")]
        assert len(rows[names].drop_duplicates()) <= 200


def test_a_setting_of_the_items_is_no_score():
    rows = grid(("model", ["a", "b", "c"]), ("side", ["left", "right"]), ("top", [True, False]))
    rows["answer"] = np.where(rows["top"] == (rows["side"] == "left"), "red", "blue")
    assert all("top" not in reading.of("score") for reading in readings(rows))


def test_items_of_a_named_data_set_are_replications_unless_answers_repeat():
    labels = [("model", ["a", "b", "c"]), ("question_id", [f"q{i}" for i in range(12)])]
    rows = grid(*labels)
    rows = rows.assign(task="mmlu", solved=(_noise(len(rows)) > 0.5).astype(int))
    first = readings(rows)[0]
    assert (first.of("dataset"), first.of("replication")) == (("task",), ("question_id",))
    assert first.sure
    first = readings(rows.drop(columns="task"))[0]
    assert (first.of("dataset"), first.of("replication")) == (("question_id",), ())
    rows = grid(*labels, ("seed", [1, 2, 3]))
    rows = rows.assign(task="mmlu", solved=(_noise(len(rows)) > 0.5).astype(int))
    assert "question_id" in readings(rows)[0].of("dataset")


def _noise(n):
    return np.round(np.random.default_rng(7).random(n), 4)
