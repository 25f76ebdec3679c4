import pandas as pd
import pytest

from benchinfer.core.errors import ScoreTableError
from benchinfer.scores.columns.roles import assign
from benchinfer.scores.read import read_scores


def errors(roles):
    return [f.what for f in roles.findings if f.severity == "error"]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        *[(n, "dataset") for n in ("dataset", "task", "problem", "Data Set", "task_id")],
        *[(n, "algorithm") for n in ("model", "method", "learner", "Classifier", "model-name")],
        *[(n, "replication") for n in ("fold", "seed", "rep", "run", "Seed")],
        *[(n, "value") for n in ("score", "result", "VALUE")],
        ("metric", "measure"),
        ("domain", "domain"),
    ],
)
def test_common_names(name, role):
    assert assign([name], None, "long", []).of[role] == (name,)


def test_our_own_name_wins():
    roles = assign(["task", "dataset", "model", "value", "score"], None, "long", [])
    assert roles.of == {"dataset": ("dataset",), "algorithm": ("model",), "value": ("value",)}
    assert errors(roles) == []
    assert [f.what for f in roles.findings if f.rule == "unused columns"] == [
        "2 columns not used: task, score."
    ]


def test_two_candidates_are_an_error():
    roles = assign(["fold", "seed", "model", "score"], None, "long", [])
    assert errors(roles) == ["2 columns could be the replication: fold, seed."]
    (finding,) = [f for f in roles.findings if f.severity == "error"]
    assert "joins them" in finding.hint


def test_labels_may_be_joined_scores_not():
    columns = {"fold": "replication", "seed": "replication"}
    roles = assign(["fold", "seed", "model", "score"], columns, "long", [])
    assert roles.of["replication"] == ("fold", "seed")
    assert errors(roles) == []
    columns = {"a": "value", "b": "value"}
    roles = assign(["a", "b", "model"], columns, "long", [])
    assert errors(roles) == ["2 columns could be the value: a, b."]


def test_columns_that_are_not_there():
    roles = assign(["tusk", "score"], {"task": "dataset", "m": "algorithm"}, "long", [])
    assert errors(roles) == [
        "there is no column 'task' to be the dataset.",
        "there is no column 'm' to be the algorithm.",
    ]
    assert roles.findings[0].hint == "did you mean 'tusk'? The table has: tusk, score."
    assert [finding.near for finding in roles.findings[:2]] == ["tusk", ""]


def test_unknown_role():
    with pytest.raises(ScoreTableError, match="there is no role 'problem'"):
        assign(["x"], {"x": "problem"}, "long", [])


def test_nothing_recognised():
    roles = assign(["x", "y"], None, "long", [])
    assert errors(roles) == [
        "which column holds the algorithm?",
        "which column holds the score?",
    ]
    assert 'layout="wide-algorithms"' in roles.findings[0].hint


def test_a_declared_measure_names_its_column():
    roles = assign(["model", "accuracy"], None, "long", ["accuracy"])
    assert roles.of["value"] == ("accuracy",)


def test_wide_layouts():
    names = ["task", "fold", "svm", "knn", "rf"]
    roles = assign(names, None, "wide-algorithms", [])
    assert roles.wide == {name: {"algorithm": name} for name in ("svm", "knn", "rf")}
    assert roles.spread == ("algorithm",)
    assert roles.has("algorithm")
    assert not roles.has("measure")
    roles = assign(["task", "model", "acc", "f1", "note"], None, "wide-measures", ["acc", "f1"])
    assert tuple(roles.wide) == ("acc", "f1")
    assert roles.labels == ["task", "model"]
    assert [f.rule for f in roles.findings] == ["recognised columns", "unused columns"]


def test_wide_without_scores():
    roles = assign(["task", "fold"], None, "wide-algorithms", [])
    assert errors(roles) == ["there is no column of scores to read with layout='wide-algorithms'."]
    assert not roles.has("algorithm")


def test_declared_measures_need_their_columns_in_a_wide_table():
    names = ["task", "model", "acc", "sec"]
    roles = assign(names, None, "wide-measures", ["accu", "sec"])
    assert errors(roles) == ["there is no column of scores for the measure 'accu'."]
    (finding,) = [f for f in roles.findings if f.severity == "error"]
    assert finding.hint == "did you mean 'acc'? The table has: task, model, acc, sec."
    roles = assign(names, None, "wide-measures", ["task", "zzz"])
    assert errors(roles) == [
        "there is no column of scores for the measure 'task'.",
        "there is no column of scores for the measure 'zzz'.",
    ]
    assert "it is read as the dataset" in [f.hint for f in roles.findings][1]
    frame = pd.DataFrame({"task": ["d"], "model": ["a"], "acc": [0.1], "sec": [0.2]})
    with pytest.raises(ScoreTableError, match="did you mean 'acc'"):
        read_scores(frame, layout="wide-measures", measures={"accu": "higher", "sec": "lower"})


def test_declared_measures_without_scores_are_a_warning_in_a_long_table():
    frame = pd.DataFrame({"task": ["d"], "model": ["a"], "metric": ["acc"], "score": [0.1]})
    scores = read_scores(frame, measures={"acc": "higher", "sec": "lower"})
    severity = {f.rule: f.severity for f in scores.finding_records}
    assert severity["measure without scores"] == "warning"


@pytest.mark.parametrize("measures", [["acc"], ["score"], ["acc", "f1"], ["score", "acc"]])
def test_a_named_measure_is_its_own_column_beside_one_of_scores(measures):
    """A column `score` is none of another measure's."""
    rows = [(a, d, i + j, i - j, i * j) for i, a in enumerate("xyz") for j, d in enumerate("abcd")]
    table = pd.DataFrame(rows, columns=["model", "dataset", "score", "acc", "f1"])
    scores = read_scores(table, measures=dict.fromkeys(measures, "higher"))
    values = scores.to_frame().groupby("measure")["value"].sum()
    assert values.to_dict() == {name: table[name].sum() for name in measures}
