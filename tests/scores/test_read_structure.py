"""Tables of the kinds that are published, read by structure: right values, or the right first call.

Names and numbers are invented.
"""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.scores.roles.names import suggested_roles
from benchinfer.scores.roles.readings import readings

METHODS = ("knn", "gbm", "mlp")
TASKS = ("rain", "fog", "hail", "snow")
RNG = np.random.default_rng(7)
BOARD = np.round(60 + 8 * np.arange(3)[:, None] + RNG.normal(0, 4, (3, 4)), 1)


def board(**more):
    frame = pd.DataFrame(BOARD, columns=pd.Index(TASKS))
    frame.insert(0, "Model", METHODS)
    return frame.assign(**more)


def levels(scores, measure):
    frame = bi.compare_points(scores, measure).summary().set_index("algorithm")
    return pytest.approx({name: float(frame.estimate[name]) for name in scores.algorithms})


def means_of_board():
    return {name: float(row.mean()) for name, row in zip(METHODS, BOARD, strict=True)}


def first_call(source, **options):
    """Return the table as the first proposal reads it, and the columns that it names."""
    with pytest.raises(bi.ScoreTableError) as error:
        bi.read_scores(source, **options)
    proposal = error.value.proposals[0]
    measures = {name: way or "higher" for name, way in proposal.directions.items()}
    given = {**options, **proposal.options} | ({"measures": measures} if measures else {})
    return bi.read_scores(source, **given), proposal


def test_ranks_of_a_board_are_no_data_set():
    order = (-BOARD.mean(axis=1)).argsort().argsort() + 1
    scores = bi.read_scores(board(Rank=order), measures="accuracy:higher")
    assert scores.datasets == tuple(sorted(TASKS))
    assert levels(scores, "accuracy") == means_of_board()
    found = scores.findings().set_index("rule").loc["aggregates left out", "where"]
    assert "Rank (rank by the others)" in str(found)


def test_a_mean_named_as_such_is_left_out_by_the_first_proposal():
    frame = board(Overall=np.round(BOARD.mean(axis=1), 1))
    for options in ({}, {"measures": "accuracy:higher"}):
        scores, proposal = first_call(frame, **options)
        assert proposal.options["columns"]["Overall"] == "ignore"
        assert scores.datasets == tuple(sorted(TASKS))
        assert levels(scores, scores.measures[0].name) == means_of_board()


def test_percent_signs_are_read(tmp_path):
    frame = board()
    frame[[*TASKS]] = frame[[*TASKS]].map("{:.1f}%".format)
    frame.to_csv(tmp_path / "board.csv", index=False)
    scores, proposal = first_call(tmp_path / "board.csv")
    assert proposal.undirected == ("value",)
    assert levels(scores, "value") == means_of_board()


def test_a_common_ending_of_algorithms_is_no_part_of_their_names():
    columns = [f"{name} vectors" for name in METHODS]
    values = np.round(np.tile(BOARD.T / 100, (3, 1)) + RNG.normal(0, 0.02, (12, 3)), 4)
    values = pd.DataFrame(values, columns=pd.Index(columns))
    values.insert(0, "assay_id", [f"assay{i}" for i in range(12)])
    scores, proposal = first_call(values)
    assert proposal.options["layout"] == "{algorithm} vectors"
    assert scores.algorithms == tuple(sorted(METHODS))
    expected = values[columns].mean()
    assert levels(scores, "value") == {n: expected[f"{n} vectors"] for n in METHODS}


def test_sizes_beside_wide_scores_are_no_scores():
    values = np.round(np.tile(BOARD.T / 100, (4, 1)) + RNG.normal(0, 0.02, (16, 3)), 4)
    values = pd.DataFrame(values, columns=pd.Index(METHODS))
    values.insert(0, "assay id", [f"assay{i}" for i in range(16)])
    values["n rows"] = np.arange(16) * 117 + 900
    options = {"columns": {"assay id": "dataset"}, "layout": "wide-algorithms"}
    scores = bi.read_scores(values, measures="rho:higher", **options)
    assert scores.algorithms == tuple(sorted(METHODS))
    assert "columns of sizes" in set(scores.findings()["rule"])


def test_spreads_in_cells_and_in_columns_of_a_page(tmp_path):
    cells = pd.DataFrame(
        [
            [
                task,
                *(
                    f"{v:.4f}+{w:.4f}"
                    for v, w in zip(BOARD[:, d] / 100, (0.01, 0.02, 0.01), strict=True)
                ),
            ]
            for d, task in enumerate(TASKS)
        ],
        columns=["data", *METHODS],
    )
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in [cells.columns, *cells.to_numpy()]]
    lines.insert(1, "|---" * 4 + "|")
    (tmp_path / "page.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    scores, _ = first_call(tmp_path / "page.md")
    assert levels(scores, "value") == {n: m / 100 for n, m in means_of_board().items()}
    rows = [
        f"| {a} | {t} | {v} | {v / 9:.1f} | {s} |"
        for (a, t), v, s in zip(product(METHODS, TASKS), BOARD.ravel(), (10, 20) * 6, strict=True)
    ]
    head = ["| algo | env_id | mean_reward | std_reward | eval_episodes |", "|---" * 5 + "|"]
    (tmp_path / "runs.md").write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
    scores = bi.read_scores(tmp_path / "runs.md")
    assert [m.name for m in scores.measures] == ["mean_reward"]
    assert levels(scores, "mean_reward") == means_of_board()


def test_lists_of_numbers_named_as_a_total_are_the_scores(tmp_path):
    g = np.random.default_rng(3)
    records = [
        {"framework": a, "benchmark": t, "values": {"total": [*g.normal(20, 2, 3).round(2)]}}
        for a, t in product(METHODS, TASKS)
    ]
    (tmp_path / "values.json").write_text(json.dumps(records), encoding="utf-8")
    scores, proposal = first_call(tmp_path / "values.json")
    assert proposal.undirected == ("total",)
    assert proposal.gives == "3 algorithms x 4 data sets x 3 replications, total"
    expected = {
        n: np.mean([r["values"]["total"] for r in records if r["framework"] == n]) for n in METHODS
    }
    assert levels(scores, "total") == expected


def test_a_total_beside_other_scores_is_none_of_them():
    frame = pd.DataFrame([*product(METHODS, TASKS)], columns=["framework", "benchmark"])
    frame = frame.assign(speed=BOARD.ravel(), total=RNG.normal(900, 50, 12).round(1))
    scores, proposal = first_call(frame)
    assert [m.name for m in scores.measures] == ["speed"]
    assert proposal.undirected == ("speed",)


@pytest.mark.parametrize("name", ["result", "outcome"])
def test_a_column_of_words_beside_times_is_offered_as_their_states(name):
    g = np.random.default_rng(5)
    rows = [(f"p{i:02d}", a, min(900.0, round(g.exponential(900), 2)))
            for i, a in product(range(14), METHODS)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["instance", "solver", "cpu_time"])
    frame.insert(2, name, np.where(frame.cpu_time == 900, "timeout", "sat"))
    n = int((frame.cpu_time == 900).sum())
    assert n > 5
    scores = bi.read_scores(frame)
    assert levels(scores, "cpu_time") == {
        a: frame.cpu_time[frame.solver == a].mean() for a in METHODS
    }
    found = scores.findings().set_index("rule")
    assert f"columns={ {name: 'status'}!r}" in found.loc["read by structure", "hint"]
    assert f"{name} says timeout" in found.loc["scores at a limit", "where"]
    assert (
        f"columns={ {name: 'status'}!r} as their states" in found.loc["scores at a limit", "hint"]
    )
    limited = bi.read_scores(
        frame,
        measures="cpu_time:lower:limit=900",
        columns={name: "status", "solver": "algorithm"},
    )
    assert int((~limited.failures()["scored"]).sum() if len(limited.failures()) else 0) == 0
    assert f"{n} of 42 runs" in " ".join(map(str, limited.findings()["where"]))


@pytest.mark.parametrize("name", ["params", "size", "version", "n_train", "num_layers"])
def test_sizes_that_differ_within_a_place_are_factors(name):
    rows = [(t, a, k) for t in TASKS for a in METHODS for k in (16, 64, 256)]
    frame = pd.DataFrame(rows, columns=["task", "model", name])
    frame["accuracy"] = np.round(RNG.uniform(0.5, 0.9, len(rows)), 4)
    scores, proposal = first_call(frame)
    assert proposal.options["columns"][name] == "factor"
    assert proposal.gives.endswith(f"model and {name} as factors")
    assert len(scores.algorithms) == 9
    assert len(scores.datasets) == len(TASKS)
    assert [m.name for m in scores.measures] == ["accuracy"]


def test_sizes_of_data_sets_stay_their_attributes():
    rows = [(t, a, s, 100 * len(t)) for t in TASKS for a in METHODS for s in (1, 2)]
    frame = pd.DataFrame(rows, columns=["task", "model", "seed", "n_train"])
    frame["accuracy"] = np.round(RNG.uniform(0.5, 0.9, len(rows)), 4)
    scores = bi.read_scores(frame)
    assert scores.algorithms == tuple(sorted(METHODS))


@pytest.mark.parametrize("name", ["cifar10", "citeseer", "cinic10"])
def test_a_data_set_whose_name_begins_as_an_interval_is_one(name):
    frame = board().rename(columns={"fog": name})
    scores = bi.read_scores(frame, measures="accuracy:higher")
    assert name in scores.datasets
    roles = readings(frame)[0].roles
    assert roles[name] == "score"
    assert suggested_roles("ci_low") == suggested_roles("ci95") == {"companion": 3.0}
