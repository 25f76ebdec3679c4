"""Proposals of options for tables that are not understood: each one reads the table."""

from itertools import product
from zlib import crc32

import numpy as np
import pandas as pd
import pytest

from benchinfer import ScoreTableError, read_scores, read_traces
from tests.scores.formats.traces import write_coco, write_ioh


def score(*labels):
    """Draw a score that depends on its labels alone."""
    return round(float(np.random.default_rng(crc32(repr(labels).encode())).random()), 3)


def frame(columns, *values, scores=("quality",)):
    rows = [(*key, *(score(*map(str, key), s) for s in scores)) for key in product(*values)]
    return pd.DataFrame(rows, columns=[*columns, *scores])


def proposals(source, **options):
    with pytest.raises(ScoreTableError) as caught:
        read_scores(source, **options)
    return list(caught.value.proposals)


def executed(source, proposal):
    """Read with what is proposed, each direction filled in."""
    options = dict(proposal.options)
    if proposal.directions:
        options["measures"] = {n: way or "higher" for n, way in proposal.directions.items()}
    if (targets := options.pop("targets", None)) is not None:
        return read_traces(source, targets, **options)
    return read_scores(source, **options)


ENVS, AGENTS, SEEDS = ("ant", "hopper", "walker"), ("ppo", "sac"), (1, 2, 3, 4)
TABLES = {
    "names of reinforcement learning": (
        frame(["env_id", "agent", "seed"], ENVS, AGENTS, SEEDS),
        {"env_id": "dataset", "agent": "algorithm"},
        "2 algorithms x 3 data sets x 4 seeds, quality",
    ),
    "columns of measures": (
        frame(["env", "algo", "trial"], ENVS, AGENTS, SEEDS, scores=("fitness", "points")),
        {"env": "dataset", "algo": "algorithm"},
        "2 algorithms x 3 data sets x 4 trials, measures fitness, points",
    ),
    "a setting in a further column": (
        frame(["model", "optimizer", "task", "seed"], AGENTS, ("sgd", "adam"), ENVS, (1, 2)),
        {"optimizer": "factor"},
        "4 algorithms x 3 data sets x 2 seeds, quality; model and optimizer as factors",
    ),
    "names that say nothing": (
        frame(["what", "where", "seed"], AGENTS, ENVS, SEEDS),
        {"what": "algorithm", "where": "dataset"},
        "2 algorithms x 3 data sets x 4 seeds, quality",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_the_first_proposal_is_the_one_meant(name):
    table, columns, gives = TABLES[name]
    first, *_ = proposals(table)
    assert first.options["columns"] == columns
    assert first.gives == gives


@pytest.mark.parametrize("name", TABLES)
def test_every_proposal_reads_the_table_without_losing_a_score(name):
    table, _, _ = TABLES[name]
    for proposal in proposals(table):
        scores = executed(table, proposal)
        assert scores.n_rows == len(table) * len(scores.measures)


def test_directions_are_left_open_and_named_together():
    table, _, _ = TABLES["columns of measures"]
    with pytest.raises(ScoreTableError, match=r"for fitness and points\.$") as e:
        read_scores(table)
    assert "{'fitness': BETTER, 'points': BETTER}" in str(e.value)


def test_what_the_caller_said_is_not_proposed_again():
    table, _, _ = TABLES["names of reinforcement learning"]
    columns = {"agent": "algorithm"}
    first, *_ = proposals(table, columns=columns)
    assert str(first) == (
        "read_scores(scores, columns={'env_id': 'dataset'}, measures={'quality': BETTER})"
    )
    scores = read_scores(
        table, columns=columns | first.options["columns"], measures={"quality": "lower"}
    )
    assert (scores.datasets, scores.algorithms) == (ENVS, AGENTS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "pattern"),
    [
        ("{algorithm}_{replication}.csv", "{algorithm}_{replication}"),
        ("{algorithm}/seed_{replication}/progress.csv", "{algorithm}/seed_{replication}/progress"),
        ("run-{algorithm}-{replication}-tag-x.csv", "run-{algorithm}-{replication}-tag-x"),
    ],
)
def test_names_of_files_become_labels(tmp_path, files, pattern):
    for agent, seed in product(AGENTS, SEEDS):
        path = tmp_path / files.format(algorithm=agent, replication=seed)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "env,quality\n" + "".join(f"{e},{score(e, agent, seed)}\n" for e in ENVS),
            encoding="utf-8",
        )
    first, *_ = proposals(tmp_path)
    assert first.options["name"] == pattern
    scores = executed(tmp_path, first)
    assert (len(scores.algorithms), len(scores.datasets), scores.n_rows) == (2, 3, 24)


def test_a_table_without_labels_has_no_proposal():
    assert proposals(pd.DataFrame({"x": [1.5, 2.5], "y": [0.5, 0.25]})) == []


def nested(**more):
    """Items within passages, with further columns."""
    rows = [
        (
            d,
            m,
            f"p{p}",
            f"q{q}",
            score(d, m, str(p), str(q)),
            *(value(d) for value in more.values()),
        )
        for d, m, p, q in product(("boolq", "race"), AGENTS, range(4), range(2))
    ]
    return pd.DataFrame(rows, columns=["task", "model", "passage", "item", "acc", *more])


def test_nested_units_are_proposed_where_items_repeat_in_passages():
    table = nested()
    (first,) = proposals(table, measures={"acc": "higher"})
    assert first.options == {"units": ("passage", "item")}
    scores = read_scores(table, measures={"acc": "higher"}, **first.options)
    assert scores.summary.replications.max() == 4
    means = table.groupby(["task", "model", "passage"])["acc"].mean()
    ours = scores.to_frame().set_index(["dataset", "algorithm", "replication"])["value"]
    assert ours.to_dict() == pytest.approx(means.to_dict())


def test_columns_beside_the_roles_are_proposed_by_name():
    table = nested(category=lambda d: d[:1], status=lambda _: "ok", n_rows=len, note=lambda _: "x")
    scores = read_scores(table, measures={"acc": "higher"}, units=["passage", "item"])
    (unused,) = [f for f in scores.finding_records if f.rule == "unused columns"]
    assert unused.what == "4 columns not used: category, status, n_rows, note."
    for way in (
        "columns={'category': 'domain'}",
        "columns={'status': 'failure'}",
        'covariates=("n_rows")',
    ):
        assert way in unused.hint
    said = read_scores(
        table,
        measures={"acc": "higher"},
        units=["passage", "item"],
        columns={"category": "domain"},
        covariates=("n_rows",),
    )
    assert set(said.domains.values()) == {"b", "r"}
    assert said.covariates == ("n_rows",)


@pytest.mark.slow
@pytest.mark.parametrize("write", [write_coco, write_ioh])
def test_traces_of_optimisers_are_read_at_their_ends_or_by_targets(write, tmp_path):
    write(tmp_path)
    made = proposals(tmp_path)
    ways = [proposal.options for proposal in made]
    assert ways == [{"take": "last:evaluations"}, {"targets": 51}]
    by_targets = executed(tmp_path, made[1])
    assert [m.name for m in by_targets.measures] == ["evaluations", "targets reached"]


def test_passages_with_items_and_answers_are_proposed_as_levels():
    rows = [
        (p, q, epoch, model, float((p + q + epoch) % 3 == 0) + (model == "a") * p)
        for p in range(5)
        for q in range(3)
        for epoch in range(2)
        for model in "ab"
    ]
    table = pd.DataFrame(rows, columns=["passage", "question", "epoch", "model", "acc"])
    with pytest.raises(ScoreTableError) as error:
        read_scores(table, measures="acc:higher", dataset="quiz")
    assert "units=('passage', 'question', 'epoch')" in str(error.value)
    items = table.query("epoch == 0").drop(columns="epoch")
    with pytest.raises(ScoreTableError, match=r"units=\('passage', 'question'\)"):
        read_scores(items, measures="acc:higher", dataset="quiz")
    answers = table.query("passage == 0").drop(columns="passage").rename(columns={"epoch": "run"})
    with pytest.raises(ScoreTableError, match="question and run tell them apart"):
        read_scores(answers, measures="acc:higher", dataset="quiz")  # run is no replication here


def test_rows_of_measures_with_arrows_have_the_directions_of_the_arrows(tmp_path):
    path = tmp_path / "indices.csv"
    rows = "sil (\u2191),0.9,0.51*,-0.1\nWB (\u2193),0.4,8.2,4556\nWB* (\u2193),0.3,8.1,5*\n"
    path.write_text(f",gt,near,far\n{rows}CH (\u2191),8061.3,733.6,0.7*\n", encoding="utf-8")
    first = proposals(path)[0]
    assert first.directions == {
        **dict.fromkeys(("sil (\u2191)", "CH (\u2191)"), "higher"),
        **dict.fromkeys(("WB (\u2193)", "WB* (\u2193)"), "lower"),
    }
    scores = read_scores(path, **first.options, measures=first.directions)
    assert scores.algorithms == ("far", "gt", "near")
    assert scores.summary.mean[:, 0, 1].tolist() == [8061.3, 0.4, 0.3, 0.9]


def test_measures_at_several_depths_are_no_data_sets(tmp_path):
    for k, name in enumerate(("bm25", "dense")):
        keys = [f"{m}@{n}" for m in ("ndcg", "recall", "map") for n in (1, 5)] + ["index_secs"]
        numbers = ", ".join(f'"{key}": 0.{i + k}1' for i, key in enumerate(keys))
        (tmp_path / f"set__{name}__metrics.json").write_text(f"{{{numbers}}}")
    for proposal in proposals(tmp_path):
        assert executed(tmp_path, proposal).datasets == (tmp_path.name,)
        assert proposal.directions["ndcg@5"] == "higher"


def test_infinite_scores_of_one_measure_do_not_hide_the_others():
    rows = frame(["who", "where", "num_obs"], AGENTS, ENVS, SEEDS, scores=("quality", "richness"))
    rows.loc[3, "richness"] = np.inf
    first = proposals(rows)[0]
    assert [*first.directions] == ["quality"]
    assert "richness left out: infinite scores" in first.gives


def test_measures_in_the_header_are_declared_with_their_known_directions():
    rows = pd.DataFrame({"model": ["a", "b"], "mae": [0.1, 0.2], "acc": [0.6, 0.8]})
    with pytest.raises(ScoreTableError, match=r"measures=\{'mae': 'lower', 'acc': 'higher'\}"):
        read_scores(rows, measures="value:higher")


def ablation(*, named=True, levels=("mixup", "none")):
    """Scores of two networks with and without an augmentation."""
    rows = [
        (f"d{d}", net, aug, run, 0.5 + 0.01 * d + 0.001 * run + 0.02 * (aug == levels[0]))
        for d in range(5)
        for net in ("resnet", "vit")
        for aug in levels
        for run in range(3)
    ]
    return pd.DataFrame(
        rows, columns=["dataset", "model" if named else "net", "aug", "seed", "accuracy"]
    )


@pytest.mark.parametrize("named", [True, False])
def test_columns_that_cross_everything_are_proposed_as_factors(named, tmp_path):
    path = tmp_path / "runs.csv"
    ablation(named=named).to_csv(path, index=False)
    first, *others = proposals(path)
    assert first.options["columns"]["aug"] == "factor"
    assert "factor" in first.gives
    assert "replication" not in {r for p in (first, *others) for r in p.options["columns"].values()}
    read = executed(path, first)
    assert read.factors == {
        "model" if named else "net": ("resnet", "vit"),
        "aug": ("mixup", "none"),
    }


def test_names_with_a_slash_are_joined_to_the_algorithm(tmp_path):
    path = tmp_path / "runs.csv"
    ablation(levels=("google/mixup", "none")).to_csv(path, index=False)
    assert proposals(path)[0].options["columns"]["aug"] == "algorithm"


def test_factors_tell_rows_apart_and_are_no_replications():
    with pytest.raises(ScoreTableError) as error:
        read_scores(ablation(), measures="accuracy:higher")
    assert "the column aug crosses algorithms and data sets" in str(error.value)
    assert 'columns={"aug": "factor"}' in str(error.value)
    unlike = ablation().replace({"aug": {"none": "8", "mixup": "9"}})
    with pytest.raises(ScoreTableError) as error:
        read_scores(unlike, measures="accuracy:higher")
    assert "factor" not in str(error.value)


@pytest.mark.parametrize(
    "levels", [(0.1, 0.5), (8, 16, 64), ("0", "5", "25"), tuple("abcdefghijkl"), (2, 32, 100, 256)]
)
def test_levels_that_cannot_count_replications_are_factors(levels):
    with pytest.raises(ScoreTableError) as error:
        read_scores(ablation(levels=levels), measures="accuracy:higher")
    assert 'columns={"aug": "factor"}' in str(error.value)
    assert "tells them apart" not in str(error.value)


def test_a_table_of_many_settings_is_refused_with_what_tells_its_rows_apart():
    sizes = {name: [f"{name}{i}" for i in range(7)] for name in ("solver", "part", "piece")}
    rows = frame(["task", *sizes], ("s", "t"), *sizes.values(), scores=("points",))
    rows["points"] = [f"{x}?" for x in rows["points"]]
    with pytest.raises(ScoreTableError) as error:
        read_scores(rows)
    assert "Rows are told apart by " in str(error.value)
    assert "solver (7 labels)" in str(error.value)


def test_errors_list_no_more_than_twenty_columns():
    with pytest.raises(ScoreTableError, match=r"x18, and 21 more\."):
        read_scores(pd.DataFrame({"t": [*"aab"]} | {f"x{i}": [*"abc"] for i in range(40)}))


def runs_with_a_limit():
    """Return times of solvers of which some stopped, with a column that says so."""
    rows = [
        (f"i{i}", name, "TIMEOUT" if stopped else "solved", 10.0 if stopped else i + k / 2)
        for i in range(6)
        for k, name in enumerate(["cadical", "kissat", "glucose"])
        for stopped in [i > 3 and k > 0]
    ]
    return pd.DataFrame(rows, columns=["formula", "solver", "outcome_of_run", "time"])


def test_a_limit_is_asked_for_where_runs_were_stopped():
    """A time-out is no time: no call that reads it as one is proposed."""
    rows = runs_with_a_limit().rename(columns={"outcome_of_run": "status", "formula": "thing"})
    rows["memory_mb"] = np.arange(len(rows)) % 5 + 0.5
    with pytest.raises(ScoreTableError, match=r"names 4 time-outs(.|\n)*limit=10") as error:
        read_scores(rows)
    assert error.value.proposals == ()
    assert "columns={'thing': 'dataset', 'solver': 'algorithm'}" in str(error.value)


def test_measures_that_nobody_asked_for_are_not_infinite():
    rows = frame(["who", "where", "num_obs"], AGENTS, ENVS, SEEDS, scores=("quality", "richness"))
    first = proposals(rows, measures={"quality": "higher"})[0]
    assert "left out" not in first.gives


@pytest.mark.parametrize("said", [{}, {"measures": {"time": "lower"}}])
def test_a_column_of_states_is_offered_whether_or_not_the_measure_is_declared(said):
    rows = runs_with_a_limit().rename(columns={"outcome_of_run": "result", "formula": "instance"})
    rows["time"] += np.arange(len(rows)) / 100  # no time repeats, as a limit does
    note = next(
        f for f in read_scores(rows, **said).finding_records if f.rule == "read by structure"
    )
    assert "columns={'result': 'status'}" in note.hint


def test_names_of_folders_within_those_of_files(tmp_path):
    rng = np.random.default_rng(3)
    for model in ("auto_ml", "h2o", "tpot"):
        (tmp_path / model).mkdir()
        for data in ("adult", "bank-marketing", "credit_g", "kc1"):
            scores = pd.DataFrame({"AUC": rng.random(2), "log_loss": rng.random(2)})
            scores.to_csv(tmp_path / model / f"{data}_{model}_metrics.csv", index=False)
    first = proposals(tmp_path)[0]
    assert first.options["name"] == "{algorithm}/{dataset}_{algorithm}_metrics"
    assert first.options["repeats"] == "keep"  # rows of a file, which nothing tells apart
    table = executed(tmp_path, first)
    assert table.algorithms == ("auto_ml", "h2o", "tpot")
    assert table.datasets == ("adult", "bank-marketing", "credit_g", "kc1")
    assert table.n_rows == 48


def test_rates_are_measures_and_no_data_sets():
    rates = ["Hallucination Rate", "Answer Rate", "Consistency Rate"]
    table = pd.DataFrame(
        {"Model": [f"m{i}" for i in range(9)]}
        | {name: [(i * k) % 7 / 7 for i in range(9)] for k, name in enumerate(rates, start=1)}
    )
    assert [[*p.directions] for p in proposals(table)] == [rates]


def of_models(folder, *, judges=("h1", "h2"), repeated=0):
    """Write a folder for each model, whose files name the models that judged."""
    for k, model in enumerate(("ada", "bert", "cleo")):
        rows = [
            (f"q{i:02}", judge, round(0.5 + 0.1 * k + score(model, i, judge) / 10, 3))
            for i in range(20)
            for judge in judges
        ]
        table = pd.DataFrame([*rows, *rows[:repeated]], columns=["scenario_id", "model", "acc"])
        (folder / model).mkdir(parents=True)
        table.to_csv(folder / model / "grading.csv", index=False)


@pytest.mark.parametrize("repeated", [0, 2])
def test_models_that_judge_are_no_algorithms_beside_those_of_folders(tmp_path, repeated):
    of_models(tmp_path / "runs", repeated=repeated)
    first, *_ = proposals(tmp_path / "runs")
    assert first.options["name"] == "{algorithm}/grading"
    assert first.options["columns"] == {"scenario_id": "dataset", "model": "factor"}
    assert first.options.get("repeats") == ("keep" if repeated else None)
    table = executed(tmp_path / "runs", first)
    assert table.factors == {"algorithm": ("ada", "bert", "cleo"), "model": ("h1", "h2")}
    assert len(table.to_frame()) == 3 * (40 + repeated)


def test_many_repeated_rows_are_not_proposed_as_repeats(tmp_path):
    of_models(tmp_path / "runs", repeated=10)
    assert not [p for p in proposals(tmp_path / "runs") if "repeats" in p.options]


@pytest.mark.slow
def test_decimal_numbers_in_names_of_files_are_settings(tmp_path):
    for method, noise in product(("rocket", "weasel", "cif"), ("0.1", "0.25", "0.5")):
        rows = [(d, score(method, noise, d), score(d, noise, method)) for d in ENVS]
        table = pd.DataFrame(rows, columns=["", "plain", "augmented"])
        table.to_csv(tmp_path / f"{method}_noise{noise}.csv", index=False)
    first, *others = proposals(tmp_path)
    assert first.options["name"] == "{algorithm}_noise{noise}"
    assert first.options["columns"] == {"": "dataset", "noise": "factor"}
    assert executed(tmp_path, first).factors["noise"] == ("0.1", "0.25", "0.5")
    for proposal in others:
        assert "{replication}" not in proposal.options.get("name", "")


def test_decimal_numbers_alone_are_algorithms(tmp_path):
    for alpha in ("0.1", "0.2", "0.4"):
        rows = [(d, score(alpha, d)) for d in "abcdef"]
        pd.DataFrame(rows, columns=["task", "acc"]).to_csv(
            tmp_path / f"alpha{alpha}.csv", index=False
        )
    first, *_ = proposals(tmp_path)
    assert executed(tmp_path, first).algorithms == ("0.1", "0.2", "0.4")


def test_columns_of_one_measure_at_several_places_are_data_sets():
    models = [f"m{k}" for k in range(9)]
    places = ("ami", "spgi", "tedlium", "voxpopuli")
    rows = [(m, *(5 + 10 * score(m) + score(m, p) for p in places)) for m in models]
    table = pd.DataFrame(rows, columns=["model", *(f"{p} WER" for p in places)])
    table.insert(1, "Avg. WER", table.iloc[:, 1:].mean(axis=1) + 0.7)  # of some more places
    table.insert(2, "RTFx", [900.5 + 100 * score(m, "speed") for m in models])
    first, *_ = proposals(table)
    assert first.options["layout"] == "{dataset} WER"
    assert first.directions == {"WER": "lower"}
    scores = executed(table, first)
    assert [(m.name, m.better) for m in scores.measures] == [("WER", "lower")]
    assert scores.datasets == places
    values = scores.to_frame().set_index(["algorithm", "dataset"])["value"].to_dict()
    assert values == {(m, p): 5 + 10 * score(m) + score(m, p) for m in models for p in places}


def test_runs_that_dates_alone_tell_apart_are_proposed_as_repeats():
    rows = [
        (s, p, v, f"2026-02-{10 + run}T10:{i:02}:00", 100 * score(s, p, run))
        for i, (s, v) in enumerate((("glop", "1.2"), ("scip", "9.0"), ("highs", "1.8")))
        for p in ("p1", "p2", "p3", "p4")
        for run in (1, 2)
    ]
    columns = ["solver_name", "problem_name", "solver_version", "timestamp", "solve_time"]
    first, *_ = proposals(pd.DataFrame(rows, columns=columns))
    assert first.options["repeats"] == "keep"
    rows = [(s, p, f"{v}.{d[9]}", d, t) for s, p, v, d, t in rows]  # each run of its own version
    made = proposals(pd.DataFrame(rows, columns=columns))
    assert not [p for p in made if "repeats" in p.options]


def test_labels_of_files_that_a_column_contradicts_are_not_proposed(tmp_path):
    for model in ("lab-bolt-base", "lab-t5-base", "lab-t5-tiny", "naive-zero-shot"):
        rows = [(d, f"x/{model}", score(d, model)) for d in "abcdef"]
        table = pd.DataFrame(rows, columns=["dataset", "model", "MASE"])
        table.to_csv(tmp_path / f"{model}.csv", index=False)
    assert len(read_scores(tmp_path).algorithms) == 4
