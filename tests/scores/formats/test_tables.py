"""Results of tools, read as their tools write them.

Made by the tools themselves: scikit-learn (`cv_results.csv`, `cross_validate.csv`), MLflow 3.17.2
(`mlflow.csv`, tags but the name of the run removed), Weka 3.6.14 (`weka.arff`; `weka.csv`, two runs
below each other, the first 20 columns), tsml-eval 0.7.0 (`tsml`, `tsml_regression`: predictions of
scikit-learn by its `write_classification_results` and `write_regression_results`) and Optuna 5.0.0
(`optuna.csv`, eight trials of two models, one of which fails). All others are written by us after
the documented schema.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchinfer import ScoreTableError, read_scores

SAMPLES = Path(__file__).parent / "samples"

# Path; what is said beside; tool; data sets, algorithms, scores, failures; measure to direction.
CASES = [
    ("cv_results.csv", {}, "scikit-learn, cv_results_", (1, 3, 30, 0), "accuracy:h neg_log_loss:h"),
    ("cross_validate.csv", {}, "scikit-learn, cross_validate", (1, 2, 6, 0), "score:h"),
    ("automl_results.csv", {}, "AutoML Benchmark", (3, 3, 26, 1), "auc:h neg_logloss:h"),
    ("tabrepo.csv", {}, "TabArena", (3, 2, 18, 0), "roc_auc:l rmse:l"),
    (
        "harness/*/*.json",
        {},
        "lm-evaluation-harness, results",
        (4, 2, 12, 0),
        (
            "acc:h acc_norm:h word_perplexity:l exact_match,strict-match:h"
            " exact_match,flexible-extract:h"
        ),
    ),
    ("samples/*/*.jsonl", {}, "lm-evaluation-harness, samples", (1, 2, 48, 0), "acc:h acc_norm:h"),
    ("mteb/*/*/*.json", {}, "MTEB", (3, 2, 6, 0), "main_score:h"),
    ("tidymodels.csv", {}, "tidymodels", (1, 2, 18, 0), "accuracy:h roc_auc:h brier_class:l"),
    ("mlr3.csv", {}, "mlr3", (2, 2, 36, 0), "classif.ce:l classif.auc:h time_train:l"),
    ("mlflow.csv", {"acc": "higher"}, "MLflow", (2, 2, 12, 1), "acc:h"),
    ("wandb.csv", {"test_acc": "higher"}, "Weights & Biases", (1, 2, 3, 1), "test_acc:h"),
    ("testfolds/*.csv", {"accuracy": "higher"}, "aeon or tsml", (3, 2, 18, 0), "accuracy:h"),
    ("tsml", {}, "aeon or tsml, predictions", (2, 2, 8, 0), "accuracy:h"),
    ("tsml_regression/*.csv", {}, "aeon or tsml, predictions", (1, 1, 1, 0), "mse:l"),
    ("weka.csv", {"Percent_correct": "higher"}, "Weka", (2, 2, 24, 0), "Percent_correct:h"),
    ("weka.arff", {"Kappa_statistic": "higher"}, "Weka", (2, 1, 12, 0), "Kappa_statistic:h"),
    ("rliable.json", {"score": "higher"}, "runs by tasks", (3, 2, 12, 0), "score:h"),
]


def read(path, measures=None, **options):
    return read_scores(f"{SAMPLES}/{path}", measures=measures or None, **options)


def rule(scores, name):
    return [f for f in scores.finding_records if f.rule == name]


@pytest.mark.parametrize(("path", "said", "tool", "sizes", "measures"), CASES)
def test_results_are_read_as_their_tool_wrote_them(path, said, tool, sizes, measures):
    scores = read(path, said)
    (known,) = rule(scores, "tool recognised")
    assert known.what.startswith(f"taken for results of {tool}")
    failures = len(scores.failures())
    assert (len(scores.datasets), len(scores.algorithms), scores.n_rows, failures) == sizes
    told = " ".join(f"{m.name}:{m.better[0]}" for m in scores.measures)
    assert told == measures


@pytest.mark.parametrize(
    ("path", "measure", "cell", "raw"),
    [
        ("mlflow.csv", "acc", ("iris", "knn"), ("params.dataset", "params.model", "metrics.acc")),
        ("automl_results.csv", "auc", ("kc2", "RandomForest"), ("task", "framework", "result")),
        ("tabrepo.csv", "rmse", ("houses", None), ("dataset", "framework", "metric_error")),
        ("mlr3.csv", "classif.ce", ("spam", None), ("task_id", "learner_id", "classif.ce")),
        (
            "weka.csv",
            "Percent_correct",
            ("toy", None),
            ("Key_Dataset", "Key_Run", "Percent_correct"),
        ),
    ],
)
def test_means_are_those_of_the_files(path, measure, cell, raw):
    file = pd.read_csv(SAMPLES / path)
    better = {measure: "lower" if measure in ("rmse", "classif.ce") else "higher"}
    table = read(path, better).to_frame(measure).query(f"dataset == {cell[0]!r}")
    rows = file[file[raw[0]] == cell[0]]
    if cell[1] is not None:
        table, rows = table[table["algorithm"] == cell[1]], rows[rows[raw[1]] == cell[1]]
    assert len(table) == len(rows)
    assert table["value"].mean() == pytest.approx(rows[raw[2]].mean(), rel=1e-12)


def test_scikit_learn_means_agree_with_its_own_column():
    raw = pd.read_csv(SAMPLES / "cv_results.csv").set_index("params")
    ours = read("cv_results.csv").to_frame().groupby(["measure", "algorithm"])["value"].mean()
    for name in ("accuracy", "neg_log_loss"):
        for params, mean in raw[f"mean_test_{name}"].items():
            assert ours[name, params] == pytest.approx(mean, abs=2e-6)


def test_failures_have_the_reasons_of_their_tools():
    assert read("automl_results.csv").failures()["reason"].tolist() == [
        "TimeoutError: took longer than 3600s"
    ]
    assert read("mlflow.csv", {"acc": "higher"}).failures()["reason"].tolist() == ["FAILED"]
    assert read("wandb.csv", {"test_acc": "higher"}).failures()["reason"].tolist() == ["crashed"]


def test_scores_of_runs_that_did_not_end_are_named():
    frame = pd.read_csv(SAMPLES / "wandb.csv").fillna({"test_acc": 0.5})
    (finding,) = rule(read_scores(frame, measures={"test_acc": "higher"}), "scores of failures")
    assert (finding.severity, finding.count) == ("warning", 1)


def test_predictions_are_scored():
    """The third lines of the files have the scores that scikit-learn and NumPy give."""
    for pattern, measure in (
        ("tsml/*/*/*/test*.csv", "accuracy"),
        ("tsml_regression/*.csv", "mse"),
    ):
        files = sorted(SAMPLES.glob(pattern))
        said = [float(file.read_text().splitlines()[2].split(",")[0]) for file in files]
        table = read(pattern).to_frame(measure).sort_values(["algorithm", "dataset", "replication"])
        assert table["value"].tolist() == pytest.approx(said, rel=1e-4)
    (left,) = rule(read("tsml"), "measures left out")
    assert left.what.endswith("no direction is given: train accuracy.")


def test_predictions_with_labels_in_words_and_in_two_forms(tmp_path):
    path = tmp_path / "testFold3.csv"
    head = "gait,CART,TEST,3,N/A,a comment, with commas\nno info\n-1,-1,-1,-1,-1,2,,-1,-1\n"
    path.write_text(head + "walk,walk,,1,0\nrun,walk\n2,2.0\n")
    row = read_scores(path).to_frame().loc[0]
    assert row[["dataset", "replication", "algorithm"]].tolist() == ["gait", "3", "CART"]
    assert row["value"] == pytest.approx(2 / 3)


HEADS = "gait,CART,TEST,3\nx\n1,2,3\n1,1\n", "gait,CART,TEST,3\nx\n"


@pytest.mark.parametrize("text", HEADS)
def test_damaged_predictions_are_refused(tmp_path, text):
    (tmp_path / "testFold0.csv").write_text(text)
    with pytest.raises(ScoreTableError, match=r"predictions of aeon or tsml in .* cannot"):
        read_scores(tmp_path / "testFold0.csv", measures="acc:higher")


def test_other_tables_that_are_named_like_predictions(tmp_path):
    path = tmp_path / "testFold0.csv"
    path.write_text("task,model,acc\nt,a,0.5\nt,b,0.7\n")
    assert read_scores(path, measures="acc:higher").algorithms == ("a", "b")
    path.write_text("")
    with pytest.raises(ScoreTableError, match="is empty"):
        read_scores(path)


def test_trials_of_optuna():
    roles = {"user_attrs_model": "algorithm", "number": "replication", "state": "failure"}
    scores = read("optuna.csv", {"acc": "higher"}, columns=roles, dataset="iris")
    assert (scores.n_rows, scores.algorithms) == (7, ("cart", "knn"))
    assert scores.failures()["reason"].tolist() == ["FAIL"]


def test_what_mteb_writes_beside_its_results_is_left_out(tmp_path):
    for file in SAMPLES.glob("mteb/*/*/*.json"):
        place = tmp_path / file.relative_to(SAMPLES / "mteb")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(file.read_text())
        (place.parent / "model_meta.json").write_text('{"name": "org/small", "revision": "main"}')
    for source in (tmp_path, f"{tmp_path}/*/*/*.json"):
        scores = read_scores(source)
        assert scores.digest == read("mteb/*/*/*.json").digest
        assert rule(scores, "files not read")[0].count == 2


def test_imputed_results_of_tab_arena_are_named_and_left_out():
    assert rule(read("tabrepo.csv"), "imputed scores")[0].count == 1
    assert read("tabrepo.csv", where="not imputed").n_rows == 17


def test_means_of_tasks_are_no_tasks():
    scores = read("harness/*/*.json")
    assert scores.datasets == ("arc_easy", "gsm8k", "mmlu_law", "wikitext")
    assert "left out: mmlu" in rule(scores, "tool recognised")[0].what


def test_a_direction_that_is_none_is_asked_for(tmp_path):
    (file,) = SAMPLES.glob("harness/org__small/*.json")
    document = json.loads(file.read_text())
    document["higher_is_better"]["wikitext"] = {"word_perplexity": {}}
    document["higher_is_better"]["mmlu_law"] = {"acc": False}  # against that of another task
    (tmp_path / "results.json").write_text(json.dumps(document))
    scores = read_scores(tmp_path / "results.json")
    assert not {"acc", "word_perplexity"} & {m.name for m in scores.measures}
    (finding,) = rule(scores, "measures left out")
    assert finding.what.endswith("for which no direction is given: acc, word_perplexity.")


def test_what_the_user_says_goes_before_what_the_tool_is_known_for():
    scores = read("tidymodels.csv", columns={"model": "algorithm"}, measures={"accuracy": "higher"})
    assert scores.algorithms == ("decision_tree", "logistic_reg")
    long = read("mlr3.csv", columns={"classif.ce": "value"}, measures="ce:lower", layout="long")
    assert not rule(long, "tool recognised")


def test_dictionaries_of_scikit_learn():
    sklearn = pytest.importorskip("sklearn.model_selection")
    from sklearn.datasets import load_iris
    from sklearn.neighbors import KNeighborsClassifier

    x, y = load_iris(return_X_y=True)
    results = {
        f"{k} neighbours": sklearn.cross_validate(KNeighborsClassifier(k), x, y, cv=3)
        for k in (1, 5)
    }
    scores = read_scores(results, dataset="iris")
    assert (scores.datasets, scores.n_rows, scores.paired) == (("iris",), 6, True)
    table = scores.to_frame().query("algorithm == '5 neighbours'")
    np.testing.assert_array_equal(table["value"], results["5 neighbours"]["test_score"])
    grid = sklearn.GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=3).fit(x, y)
    for source in (grid.cv_results_, pd.DataFrame(grid.cv_results_)):
        assert read_scores(source).n_rows == 6


def test_arrays_of_runs_by_tasks(tmp_path):
    values = {"DQN": np.arange(6.0).reshape(2, 3), "Rainbow": np.ones((2, 3))}
    np.savez(tmp_path / "scores.npz", **values)
    for source in (tmp_path / "scores.npz", values):
        scores = read_scores(source, measures={"score": "higher"})
        assert (scores.n_rows, scores.paired) == (12, False)
        table = scores.to_frame().query("algorithm == 'DQN' and dataset == '2'")
        assert sorted(table["value"]) == [2.0, 5.0]


def test_pickled_objects_are_not_opened(tmp_path):
    np.savez(tmp_path / "scores.npz", a=np.array([{}], dtype=object))
    with pytest.raises(ScoreTableError, match="cannot be read as arrays"):
        read_scores(tmp_path / "scores.npz", measures={"score": "higher"})


def test_nested_records():
    scores = read("nested.json", {"acc": "higher"})
    assert (scores.datasets, scores.algorithms) == (("iris", "wine"), ("knn", "svm"))
    table = scores.to_frame().set_index(["dataset", "algorithm"])["value"]
    assert table["wine", "knn"] == 0.7


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("[" * 100_000 + "]" * 100_000, "nested more than 20 deep"),
        (json.dumps([{"a": 1}, 2]), "is no table"),
        ("3", "is no table"),
        (json.dumps([{"a": [{"b": 1}] * 2, "c": [{"d": 1}] * 2}]), "several lists of records"),
        ('[{"a":' + '{"b":' * 30 + "1" + "}" * 30 + "}]", "nested more than 20 deep"),
    ],
)
def test_documents_that_are_no_tables(tmp_path, document, said):
    path = tmp_path / "scores.json"
    path.write_text(document)
    with pytest.raises(ScoreTableError, match=said):
        read_scores(path, measures={"acc": "higher"})


def test_json_by_columns_and_json_lines(tmp_path):
    path = tmp_path / "scores.json"
    path.write_text('{"model": ["svm", "knn"], "acc": [0.9, 0.8]}')
    assert read_scores(path, measures={"acc": "higher"}).n_rows == 2
    path.write_text('{"model": "svm", "acc": 0.9}\n{"model": "knn", "acc": 0.8}\n')
    assert read_scores(path, measures={"acc": "higher"}).n_rows == 2


def test_rows_of_arff_that_are_too_short(tmp_path):
    text = (SAMPLES / "weka.arff").read_text()
    (tmp_path / "cut.arff").write_text(text[:-100])
    with pytest.raises(ScoreTableError, match="1 of 12 rows do not have 60 values"):
        read_scores(tmp_path / "cut.arff")


def test_a_hint_on_factors_names_the_algorithm_of_a_tool():
    frame = pd.read_csv(SAMPLES / "automl_results.csv")
    longer = frame.assign(constraint="4h8c", result=frame["result"] + 0.001)
    both = pd.concat([frame, longer])
    with pytest.raises(ScoreTableError, match="the column constraint crosses") as error:
        read_scores(both)
    columns = {"framework": "algorithm", "constraint": "factor"}
    assert '{"framework": "algorithm", "constraint": "factor"}' in str(error.value)
    scores = read_scores(both, columns=columns)
    assert [*scores.factors] == ["framework", "constraint"]
    assert len(scores.algorithms) == 2 * frame["framework"].nunique()
