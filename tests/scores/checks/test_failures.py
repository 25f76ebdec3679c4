"""Failures: rows without a score, their reasons, and what they are worth."""

import math

import pandas as pd
import pytest

from benchinfer import Measure, ScoreTableError, read_scores

RUNS = """\
dataset,fold,algorithm,score,info
a,1,svm,0.9,
a,2,svm,timeout,
a,1,knn,0.7,
a,2,knn,,out of memory
b,1,svm,0.6,
b,2,svm,0.5,
b,1,knn,0.4,
b,2,knn,NaN,
"""


@pytest.fixture
def runs(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text(RUNS)
    return path


def test_failures_are_kept_with_their_reasons(runs):
    scores = read_scores(runs, measures={"acc": "higher"})
    assert scores.n_rows == 5
    assert scores.failures().to_dict("list") == {
        "dataset": ["a", "a", "b"],
        "replication": ["2", "2", "2"],
        "algorithm": ["knn", "svm", "knn"],
        "measure": ["acc"] * 3,
        "reason": ["out of memory", "timeout", ""],
    }
    (finding,) = [f for f in scores.finding_records if f.rule == "failures"]
    assert (finding.severity, finding.count) == ("warning", 3)


@pytest.mark.parametrize(
    ("failed", "better", "worth"),
    [
        ("worst", "higher", (0.7, 0.7, 0.4)),
        ("worst", "lower", (0.9, 0.9, 0.6)),
        (0, "higher", (0, 0, 0)),
    ],
)
def test_failures_are_worth_what_is_asked_for(runs, failed, better, worth):
    scores = read_scores(runs, measures=Measure("acc", better), failed=failed)
    table = scores.to_frame().set_index(["dataset", "replication", "algorithm"])["value"]
    places = [("a", "2", "svm"), ("a", "2", "knn"), ("b", "2", "knn")]
    assert tuple(table[place] for place in places) == worth
    assert len(scores.failures()) == 3
    (finding,) = [f for f in scores.finding_records if f.rule == "failures filled"]
    assert (finding.severity, finding.count) == ("warning", 3)


def test_a_failure_where_nobody_has_a_score_stays_one(runs):
    frame = pd.concat([pd.read_csv(runs), pd.DataFrame({"dataset": ["c"], "algorithm": ["svm"]})])
    frame["score"] = pd.to_numeric(frame["score"], errors="coerce")
    scores = read_scores(frame.fillna({"fold": 1}), measures={"acc": "higher"}, failed="worst")
    assert scores.datasets == ("a", "b")
    assert scores.n_rows == 8


def test_a_refusal_of_failures(runs):
    with pytest.raises(ScoreTableError, match="3 rows have no score"):
        read_scores(runs, measures={"acc": "higher"}, failed="error")


def test_other_text_is_no_failure_and_is_not_filled(runs):
    runs.write_text(RUNS.replace("timeout", "0.8o"))
    with pytest.raises(ScoreTableError, match="1 score is not a number"):
        read_scores(runs, measures={"acc": "higher"}, failed="worst")


def test_failures_follow_selections(runs):
    scores = read_scores(runs, measures={"acc": "higher"})
    assert scores.subset(algorithms=["knn"]).failures()["reason"].tolist() == ["out of memory", ""]
    assert scores.by_dataset()["b"].failures()["algorithm"].tolist() == ["knn"]
    whole = read_scores(runs, measures={"acc": "higher"}, where="fold == 1")
    assert whole.failures().empty
    assert whole.by_dataset()["b"].failures().empty


def test_infinite_scores_are_faults():
    frame = pd.DataFrame({"dataset": ["d"] * 2, "algorithm": ["a", "b"], "score": [0.1, math.inf]})
    with pytest.raises(ScoreTableError, match="infinite"):
        read_scores(frame, measures={"acc": "higher"}, failed="worst")


def test_imputed_scores_are_named_and_can_be_left_out(runs):
    frame = pd.read_csv(runs).iloc[[0, 2, 4, 6]].drop(columns="info")
    frame["score"] = frame["score"].astype(float)
    frame["imputed"] = [False, True, False, False]
    (finding,) = [
        f
        for f in read_scores(frame, measures={"acc": "higher"}).finding_records
        if f.rule == "imputed scores"
    ]
    assert finding.count == 1
    assert 'where="not imputed"' in finding.hint
    assert read_scores(frame, measures={"acc": "higher"}, where="not imputed").n_rows == 3
