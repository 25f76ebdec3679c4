"""Layouts of tools, read without options.

Each case names repository and file of the writer after which its sample was written. Made by the
tools themselves: `timing/pytest_benchmark.json` (pytest-benchmark 5.2.3, four rounds of each test),
`tuning/optuna.db` (Optuna 5.0.0), `tuning/mlruns` (MLflow 3.17.2, other names of user and folder),
`evaluations/inspect_*` (Inspect 0.3.285, the documents without messages).
"""

import json
from typing import NamedTuple

import numpy as np
import pytest

import benchinfer as bi
from benchinfer import ScoreTableError, read_scores
from tests.scores.formats.test_tables import SAMPLES


class Case(NamedTuple):
    """A sample, what is read of it, one of its scores, and its writer."""

    path: str
    tool: str
    sizes: tuple[int, int, int, int]  # data sets, algorithms, scores, failures
    measures: str
    cell: tuple[str, str, str, str]  # data set, algorithm, replication, measure
    value: float
    writer: str
    said: str | None = None  # the direction, which the tool does not define


CASES = [
    Case(
        "timing/pytest_benchmark.json",
        "pytest-benchmark",
        (2, 2, 16, 0),
        "time:l",
        ("n=1000", "sorted", "2", "time"),
        6.28900011179212e-06,
        "ionelmc/pytest-benchmark src/pytest_benchmark/fixture.py",
    ),
    Case(
        "timing/hyperfine.json",
        "hyperfine",
        (1, 2, 10, 0),
        "time:l",
        ("hyperfine", "rg -c needle", "3", "time"),
        0.01953,
        "sharkdp/hyperfine src/benchmark/benchmark_result.rs",
    ),
    Case(
        "timing/hyperfine.csv",
        "hyperfine; means of runs",
        (1, 2, 2, 0),
        "time:l",
        ("hyperfine", "grep -c needle", "1", "time"),
        0.0521,
        "sharkdp/hyperfine src/export/csv.rs",
    ),
    Case(
        "timing/jmh.json",
        "JMH",
        (2, 2, 8, 0),
        "time:l",
        ("Sorting/size=1000", "quick", "1", "time"),
        119.331,
        "openjdk/jmh jmh-core/src/main/java/org/openjdk/jmh/results/format/JSONResultFormat.java",
    ),
    Case(
        "timing/google_benchmark.json",
        "Google Benchmark",
        (2, 2, 36, 3),
        "real_time:l cpu_time:l items_per_second:h",
        ("1024", "BM_vector", "2", "real_time"),
        2031.8035293141454,
        "google/benchmark src/json_reporter.cc",
    ),
    Case(
        "tuning/pycaret.csv",
        "PyCaret",
        (1, 3, 24, 0),
        "Accuracy:h AUC:h Recall:h F1:h Kappa:h MCC:h Prec.:h TT (Sec):l",
        ("pycaret", "Decision Tree Classifier", "1", "Prec."),
        0.945,
        "pycaret/pycaret pycaret/internal/pycaret_experiment/supervised_experiment.py",
    ),
    Case(
        "tuning/autogluon.csv",
        "AutoGluon",
        (1, 3, 15, 0),
        "score_test:h score_val:h pred_time_test:l pred_time_val:l fit_time:l",
        ("autogluon", "CatBoost", "1", "score_test"),
        0.9301,
        "autogluon/autogluon tabular/src/autogluon/tabular/predictor/predictor.py",
    ),
    Case(
        "tuning/automl.log",
        "FLAML, log",
        (1, 3, 5, 0),
        "validation_loss:l",
        ("automl", "rf", "3", "validation_loss"),
        0.22,
        "microsoft/FLAML flaml/training_log.py",
    ),
    Case(
        "tuning/optuna.db",
        "Optuna, storage",
        (1, 2, 7, 1),
        "value:h",
        ("iris", "svm", "4", "value"),
        0.9049543508709195,
        "optuna/optuna optuna/storages/_rdb/models.py",
    ),
    Case(
        "optuna.csv",
        "Optuna, trials_dataframe()",
        (1, 2, 7, 1),
        "acc:h",
        ("optuna", "cart", "1", "acc"),
        0.9533333333333334,
        "optuna/optuna optuna/study/_dataframe.py",
        said="acc:higher",
    ),
    Case(
        "tuning/mlflow_page.csv",
        "MLflow, CSV of its page",
        (1, 2, 3, 1),
        "test_acc:h",
        ("mlflow_page", "cnn", "2", "test_acc"),
        0.92,
        "mlflow/mlflow mlflow/server/js/src/common/utils/Utils.tsx",
        said="test_acc:higher",
    ),
    Case(
        "tuning/mlruns",
        "MLflow, folder of runs",
        (1, 2, 4, 0),
        "acc:h",
        ("digits", "mlp", "2", "acc"),
        0.9072301208123746,
        "mlflow/mlflow mlflow/store/tracking/file_store.py",
        said="acc:higher",
    ),
    Case(
        "timing/asv",
        "asv",
        (3, 2, 6, 0),
        "time:l peakmem:l",
        ("suite.time_sort(200)", "2f0c3aa2", "host", "time"),
        0.00018720325,
        "airspeed-velocity/asv asv/results.py",
    ),
    Case(
        "timing/criterion",
        "Criterion",
        (2, 2, 24, 0),
        "time:l",
        ("Sort/64", "quick", "2", "time"),
        104.54685373598652,
        "bheisler/criterion.rs src/analysis/mod.rs",
    ),
    Case(
        "evaluations/helm",
        "HELM",
        (2, 2, 16, 0),
        "exact_match:h",
        ("mmlu:subject=law,method=multiple_choice_joint", "org/small", "id2", "exact_match"),
        0.0,
        "stanford-crfm/helm src/helm/benchmark/runner.py",
    ),
    Case(
        "evaluations/inspect_json",
        "Inspect",
        (1, 2, 8, 0),
        "match:h",
        ("sums", "mockllm/large", "3", "match"),
        1.0,
        "UKGovernmentBEIS/inspect_ai src/inspect_ai/log/_log.py",
    ),
    Case(
        "evaluations/inspect_eval",
        "Inspect",
        (1, 2, 8, 0),
        "match:h",
        ("sums", "mockllm/small", "3", "match"),
        0.0,
        "UKGovernmentBEIS/inspect_ai src/inspect_ai/log/_recorders/eval.py",
    ),
    Case(
        "evaluations/opencompass/summary_20260102_030405.csv",
        "OpenCompass",
        (3, 2, 5, 1),
        "accuracy:h humaneval_pass@1:h",
        ("openai_humaneval", "large", "1", "humaneval_pass@1"),
        42.68,
        "open-compass/opencompass opencompass/summarizers/default.py",
    ),
    Case(
        "evaluations/lighteval",
        "LightEval",
        (2, 1, 3, 0),
        "acc:h acc_norm:h extractive_match:h",
        ("lighteval|gsm8k|0", "org/small", "1", "extractive_match"),
        0.41,
        "huggingface/lighteval src/lighteval/logging/evaluation_tracker.py",
    ),
    Case(
        "evaluations/lm_eval.md",
        "lm-evaluation-harness, printed tables",
        (3, 2, 8, 0),
        "acc:h acc_norm:h exact_match,flexible-extract:h word_perplexity:l",
        ("arc_easy", "org/large", "1", "acc_norm"),
        0.5518,
        "EleutherAI/lm-evaluation-harness lm_eval/utils.py",
    ),
    Case(
        "evaluations/trec/*.txt",
        "trec_eval",
        (1, 2, 18, 0),
        "map:h P_10:h ndcg_cut_10:h",
        ("trec", "dense", "302", "ndcg_cut_10"),
        0.5,
        "usnistgov/trec_eval trec_eval.c",
    ),
    Case(
        "evaluations/eee",
        "Every Eval Ever, aggregates",
        (2, 2, 4, 0),
        "score:h score (lower is better):l",
        ("code", "org/large", "1", "score"),
        0.47,
        "evaleval/every_eval_ever eval.schema.json",
    ),
    Case(
        "evaluations/eee_answers",
        "Every Eval Ever, answers",
        (1, 2, 8, 0),
        "score:h",
        ("code", "org/small", "q2", "score"),
        0.0,
        "evaleval/every_eval_ever instance_level_eval.schema.json",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.path for case in CASES])
def test_layouts_are_read_without_options(case):
    scores = read_scores(f"{SAMPLES}/{case.path}", measures=case.said)
    (known,) = [f for f in scores.finding_records if f.rule == "tool recognised"]
    assert known.what.startswith(f"taken for results of {case.tool}")
    failures = len(scores.failures())
    sizes = (len(scores.datasets), len(scores.algorithms), scores.n_rows, failures)
    assert sizes == case.sizes
    assert " ".join(f"{m.name}:{m.better[0]}" for m in scores.measures) == case.measures
    table = scores.to_frame().set_index(["dataset", "algorithm", "replication", "measure"])
    assert table.loc[case.cell, "value"] == pytest.approx(case.value, rel=1e-9)


def test_names_of_runs_are_no_columns(tmp_path):
    for model in ("a", "b"):
        for place in (f"mmlu:subject=law,model={model}", f"seed={model}"):
            folder = tmp_path / place.partition("=")[0].partition(":")[0] / place
            folder.mkdir(parents=True)
            (folder / "s.csv").write_text(f"task,model,acc\nx,{model},0.5\n")
    scores = read_scores(tmp_path / "mmlu", measures="acc:higher")
    assert scores.algorithms == ("a", "b")
    seeds = read_scores(tmp_path / "seed", measures="acc:higher").to_frame()
    assert seeds["replication"].tolist() == ["a", "b"]


def test_battles_are_wins():
    path = SAMPLES / "evaluations" / "battles.csv"
    with pytest.raises(ScoreTableError, match=r"battles of two models each[^$]*read_wins"):
        read_scores(path)
    wins = bi.read_wins(path).to_frame().set_index(["first", "second"])
    assert wins.loc[("atlas", "birch")].tolist() == [2, 0, 1]
    assert wins["ties"].tolist() == [0, 1, 1]


def test_scores_are_written_and_read_again(tmp_path):
    items = read_scores(SAMPLES / "evaluations" / "inspect_eval")
    files = items.to_every_eval_ever(tmp_path, "sums")
    assert [file.suffix for file in files] == [".jsonl", ".json"] * 2
    again = read_scores(f"{tmp_path}/sums/**/*.jsonl").to_frame()
    columns = ["dataset", "algorithm", "replication", "value"]
    assert again[columns].equals(items.to_frame()[columns])
    means = read_scores(f"{tmp_path}/sums/**/*.json").to_frame().set_index("algorithm")["value"]
    assert means.to_dict() == {"mockllm/large": 0.75, "mockllm/small": 0.5}
    times = read_scores(SAMPLES / "timing" / "criterion")
    times.to_every_eval_ever(tmp_path / "times")
    again = read_scores(tmp_path / "times")
    assert [(m.name, m.better, m.bounds) for m in again.measures] == [("time", "lower", None)]
    groups = times.to_frame().groupby(["dataset", "algorithm"])["value"].mean()
    assert again.to_frame()["value"].tolist() == pytest.approx(groups.tolist())


def test_lines_flatten_as_documents_do(tmp_path):
    lines = [
        {
            "page": page,
            "results": [{"model": {"name": m}, "task": f"t{page}", "acc": 0.5 + page / 10}],
        }
        for page in (1, 2)
        for m in ("svm", "knn")
    ]
    (tmp_path / "x.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (tmp_path / "x.json").write_text(json.dumps(lines))
    options = {"measures": "acc:higher", "columns": {"name": "algorithm", "acc": "value"}}
    one, other = (read_scores(tmp_path / f"x.{end}", **options) for end in ("json", "jsonl"))
    assert one.digest == other.digest
    assert (one.datasets, one.algorithms, one.n_rows) == (("t1", "t2"), ("knn", "svm"), 4)


def test_lines_and_documents_of_google_benchmark_agree(tmp_path):
    """The lines have six digits; a run that failed has its message."""
    lines = read_scores(SAMPLES / "timing" / "google_benchmark.csv")
    document = read_scores(SAMPLES / "timing" / "google_benchmark.json")
    keys = ["dataset", "algorithm", "replication", "measure"]
    both = lines.to_frame().merge(document.to_frame(), on=keys, validate="1:1")
    assert len(both) == lines.n_rows == document.n_rows
    assert both["value_x"].tolist() == pytest.approx(both["value_y"].tolist(), rel=1e-5)
    assert lines.failures()["reason"].tolist() == document.failures()["reason"].tolist()
    head, *rows = (SAMPLES / "timing" / "google_benchmark.csv").read_text().splitlines()
    path = tmp_path / "means.csv"
    path.write_text("\n".join([head, *(row for row in rows if "_mean" in row)]))
    means = read_scores(path)
    assert (means.n_rows, means.algorithms) == (12, ("BM_deque", "BM_vector"))


def test_lines_of_google_benchmark_with_an_open_quotation_are_refused(tmp_path):
    text = (SAMPLES / "timing" / "google_benchmark.csv").read_text()
    (tmp_path / "x.csv").write_text(text + '"BM_vector')
    with pytest.raises(ScoreTableError):
        read_scores(tmp_path / "x.csv")


def test_differences_of_dvc(tmp_path):
    diff = {"m.json": {"acc": {"old": 0.8, "new": 0.9, "diff": 0.1}, "n": {"new": 3}}}
    (tmp_path / "diff.json").write_text(json.dumps(diff))
    scores = read_scores(tmp_path / "diff.json", measures={"acc": "higher", "n": "lower"})
    assert scores.algorithms == ("new", "old")
    assert scores.n_rows == 3
    assert scores.failures()[["algorithm", "measure"]].to_numpy().tolist() == [["old", "n"]]


def experiment(rev, params, metrics, **more):
    """Return the state of a revision as ``exp show --json`` has it."""
    files = {"params": {"params.yaml": {"data": params}}, "metrics": {"m.json": {"data": metrics}}}
    return {"rev": rev, "name": None, "data": files, "error": None, "experiments": None, **more}


def test_workspace_of_dvc_is_left_out_where_it_repeats_a_commit(tmp_path):
    """One that is queued has no scores yet."""
    one, two = ({"model": name, "lr": [0.1]} for name in ("rf", "svm"))
    spans = [
        {"revs": [experiment("b" * 40, two, {"acc": 0.8, "best": {"rmse": 2}})], "executor": None},
        {"revs": [experiment("c" * 40, {"model": "mlp"}, {})], "executor": {"state": "queued"}},
    ]
    head = {"acc": 0.9, "best": {"rmse": 1}, "note": "first"}
    states = [experiment("workspace", one, head), experiment("a" * 40, one, head)]
    states[1]["experiments"] = spans
    path = tmp_path / "exps.json"
    path.write_text(json.dumps(states))
    options = {"measures": {"acc": "higher", "best.rmse": "lower"}}
    scores = read_scores(path, **options)
    assert scores.to_frame()["value"].tolist() == [0.9, 1.0, 0.8, 2.0]
    assert scores.failures()["reason"].tolist() == ["Queued"] * 2
    note = scores.findings().set_index("rule").loc["tool recognised", "where"]
    assert "workspace is left out" in note
    assert "without numbers: note" in note
    states[0] = experiment("workspace", {"model": "new"}, head)
    path.write_text(json.dumps(states))
    scores = read_scores(path, **options)
    assert scores.algorithms == ("new", "rf", "svm")


@pytest.mark.parametrize(
    "broken",
    [
        {"data": 3},
        {"data": {"metrics": [1]}},
        {"data": {"metrics": {"m.json": 1}}},
        {"experiments": [{"executor": None}]},
        {"experiments": [1]},
        {"error": "no"},
    ],
)
def test_damaged_experiments_of_dvc_are_refused(tmp_path, broken):
    path = tmp_path / "exps.json"
    path.write_text(json.dumps([experiment("a", {}, {"acc": 1}, **broken)]))
    with pytest.raises(ScoreTableError, match="results of DVC, exp show"):
        read_scores(path)


DETAILS = "details_lighteval|gsm8k|0_2026-01-02T03-04-05.000000.parquet"


def test_details_of_lighteval_as_one_file():
    """What is no number of an item is named; null is a failure."""
    path = next((SAMPLES / "evaluations" / "lighteval_details").rglob(f"large/*/{DETAILS}"))
    scores = read_scores(path)
    assert (scores.algorithms, scores.datasets) == (("org/large",), ("lighteval|gsm8k|0",))
    assert scores.to_frame()["value"].tolist() == [1.0, 0.0, 1.0]
    assert "left out: bleu" in scores.findings().set_index("rule").loc["tool recognised", "where"]


@pytest.mark.parametrize(
    ("folder", "model"),
    [
        ("details/org/m", "org/m"),
        ("details/m/2026-01-02T03-04-05.000000", "m"),
        ("details_org__m_private/2026-01-02T03-04-05.000000", "org/m"),
    ],
)
def test_details_of_lighteval_have_the_model_of_their_folder(tmp_path, folder, model):
    import pandas as pd

    (tmp_path / folder).mkdir(parents=True)
    metrics = [{"em": True, "f1": 0.5}, {"em": False, "f1": None}]
    table = pd.DataFrame({"metrics": metrics, "full_prompt": ["a", "b"]})
    table.to_parquet(tmp_path / folder / DETAILS)
    scores = read_scores(tmp_path / folder / DETAILS)
    assert scores.algorithms == (model,)
    assert scores.to_frame()["value"].tolist() == [1.0, 0.5, 0.0]
    assert len(scores.failures()) == 1


def test_other_parquet_files_are_read_as_tables(tmp_path):
    """The name of details without their columns, and columns of details under another name."""
    import pandas as pd

    plain = pd.DataFrame({"model": ["a", "b"], "acc": [0.9, 0.8]})
    plain.to_parquet(tmp_path / DETAILS)
    assert read_scores(tmp_path / DETAILS, measures="acc:higher").algorithms == ("a", "b")
    plain.assign(metrics=[{"em": 1}] * 2, full_prompt="x").to_parquet(tmp_path / "x.parquet")
    assert read_scores(tmp_path / "x.parquet", measures="acc:higher").algorithms == ("a", "b")


def inspect_logs(folder, epochs):
    """Write logs of Inspect of two models, with so many epochs of each."""
    for model, n in epochs.items():
        samples = [
            {"id": i, "epoch": e, "scores": {"match": {"value": "CI"[(i * e) % 2]}}}
            for i in range(6)
            for e in range(1, n + 1)
        ]
        evaluation = {"task": "sums", "model": model}
        log = {"version": 2, "status": "success", "eval": evaluation, "samples": samples}
        (folder / f"{model}.json").write_text(json.dumps(log))


@pytest.mark.parametrize("epochs", [{"large": 3, "small": 3}, {"large": 3, "small": 1}])
def test_epochs_of_inspect_are_answers_to_items(tmp_path, epochs):
    inspect_logs(tmp_path, epochs)
    scores = read_scores(tmp_path)
    assert scores.units.levels == ("item", "epoch")
    assert scores.units.answers
    assert scores.units.nodes.tolist() == [[[6, 18]]]
    for k, n in enumerate(epochs.values()):
        right = np.mean([[(i * e) % 2 == 0 for e in range(1, n + 1)] for i in range(6)], axis=1)
        assert scores.blocks().scores[:, k] == pytest.approx(right)
    first = read_scores(tmp_path, units=("item",), where="epoch == '1'")
    assert first.units is None  # what is declared goes before what the tool says


def test_one_epoch_of_inspect_is_no_level(tmp_path):
    inspect_logs(tmp_path, {"large": 1, "small": 1})
    scores = read_scores(tmp_path)
    assert scores.units is None
    assert "unused columns" not in set(scores.findings()["rule"])
