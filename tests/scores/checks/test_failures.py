"""Failures: rows without a score, their reasons, and what they are worth."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest

from benchinfer import Measure, ScoreTableError, read_scores
from benchinfer.analyses.gate.missing import filled, missing
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError

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
        # Two algorithms: a failure would tie with its only rival, and counts as the worst of all.
        ("worst", "higher", (0.4, 0.4, 0.4)),
        ("worst", "lower", (0.9, 0.9, 0.9)),
        (0, "higher", (0, 0, 0)),
        # Of the same replication where it has a score, else its mean on the data set.
        ("svm", "higher", (0.9, 0.9, 0.5)),
        ("KNN", "higher", (0.7, 0.7, 0.4)),
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


def test_a_failure_where_nobody_has_a_score_counts_as_the_worst_of_the_table(runs):
    frame = pd.concat([pd.read_csv(runs), pd.DataFrame({"dataset": ["c"], "algorithm": ["svm"]})])
    frame["score"] = pd.to_numeric(frame["score"], errors="coerce")
    scores = read_scores(frame.fillna({"fold": 1}), measures={"acc": "higher"}, failed="worst")
    assert scores.datasets == ("a", "b", "c")
    assert scores.to_frame().query("dataset == 'c'")["value"].tolist() == [0.4]


def drawn(seed):
    """Draw runs of which some failed, of one or two algorithms on some data sets."""
    rng = np.random.default_rng(seed)
    d, k, r = (int(rng.integers(low, high)) for low, high in ((2, 7), (2, 6), (1, 4)))
    unit = np.exp(rng.normal(0, 3, size=(d, 1, 1)))
    score = unit * rng.normal(size=(d, k, r))
    lost = rng.random((d, k, r)) < 0.3
    lost[0, 0, 0], lost[rng.integers(d), rng.integers(k)] = False, True
    i, j, n = np.indices(score.shape).reshape(3, -1)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{x}" for x in i],
            "algorithm": [f"a{x}" for x in j],
            "fold": [f"r{x}" for x in n],
            "score": np.where(lost, np.nan, score).ravel(),
        }
    )
    return frame.sample(frac=1, random_state=seed), bool(rng.integers(2))


TABLES = range(60)


@pytest.mark.parametrize("seed", TABLES)
def test_no_failure_is_better_than_another_algorithm_on_its_data_set(seed):
    frame, higher = drawn(seed)
    better = "higher" if higher else "lower"
    scores = read_scores(frame, measures=Measure("m", better), failed="worst")
    sign, worst = (1, "min") if higher else (-1, "max")
    read = scores.to_frame().set_index(["dataset", "algorithm", "replication"])["value"]
    failed = frame[frame["score"].isna()]
    assert len(read) == len(frame)
    for row in failed.itertuples():
        value = read[row.dataset, row.algorithm, row.fold]
        there = frame[frame["dataset"] == row.dataset].dropna()
        others = there.loc[there["algorithm"] != row.algorithm]
        assert (sign * value <= sign * others["score"]).all()
        table = others["algorithm"].nunique() < 2
        assert value == (frame if table else there)["score"].agg(worst)
    kept = frame.dropna().set_index(["dataset", "algorithm", "fold"])["score"]
    pd.testing.assert_series_equal(
        read[kept.index], kept, check_names=False, check_index_type=False
    )


@pytest.mark.parametrize("seed", TABLES)
def test_the_worst_score_turns_with_the_direction(seed):
    frame, _ = drawn(seed)
    once = read_scores(frame, measures="m:higher", failed="worst").to_frame()
    turned = frame.assign(score=-frame["score"])
    again = read_scores(turned, measures="m:lower", failed="worst").to_frame()
    np.testing.assert_array_equal(once["value"], -again["value"])


@pytest.mark.parametrize("seed", TABLES)
def test_missing_scores_count_as_failures_do(seed):
    """A row without a score and a row that is not there are worth the same at worst."""
    frame, _ = drawn(seed)
    there = frame.dropna()
    known = frame["dataset"].isin(there["dataset"]) & frame["algorithm"].isin(there["algorithm"])
    if there["algorithm"].nunique() < 2:
        return
    frame = frame[known]
    as_failed = read_scores(frame, measures="m:higher", paired=True, failed="worst").to_frame()
    at_worst = read_scores(frame, measures="m:higher", paired=True).at_worst()
    pd.testing.assert_frame_equal(at_worst.to_frame(), as_failed)
    assert at_worst.coverage().gaps.counted == "the worst score"
    cells = frame.groupby(["dataset", "algorithm"])["score"].transform("count")
    folds = frame.dropna().groupby("dataset")["fold"].agg(set)
    full = frame[[one.fold in folds[one.dataset] for one in frame.itertuples()]]
    if len(full) == len(frame):
        absent = read_scores(frame[cells > 0], measures="m:higher", paired=True).at_worst()
        pd.testing.assert_frame_equal(absent.to_frame(), as_failed)


@pytest.mark.parametrize("failed", ["worst", "a0", 0.5])
@pytest.mark.parametrize("seed", TABLES)
def test_gates_count_failures_as_tables_of_two_algorithms_do(seed, failed):
    frame, _ = drawn(seed)
    frame = frame[frame["algorithm"].isin(["a0", "a1"])]
    scores = read_scores(frame, measures="m:higher", paired=True)
    known = frame.groupby("dataset")["score"].transform("count") > 0
    stand_in = frame[frame["algorithm"] == "a0"].dropna()["dataset"]
    without = not frame.loc[known, "dataset"].isin(stand_in).all()
    if len(scores.algorithms) < 2 or (failed == "a0" and without):
        return
    keys = ["dataset", "algorithm", "replication"]
    read = read_scores(frame[known], measures="m:higher", paired=True, failed=failed)
    if not missing(scores, "m", "a0", "a1").any:
        return
    gated, _ = filled(scores, scores.measure("m"), ("a0", "a1"), failed)
    both = gated.to_frame().merge(read.to_frame(), on=keys)
    assert len(both) == gated.n_rows
    np.testing.assert_array_equal(both["value_x"], both["value_y"])


def test_the_score_of_an_algorithm_stands_for_failures(runs):
    def read(failed, **options):
        return read_scores(runs, measures={"acc": "higher"}, failed=failed, **options)

    (finding,) = [f for f in read("svm").finding_records if f.rule == "failures filled"]
    assert finding.what == "3 failures count as those of svm."
    assert read("SVM").failed == "svm"
    for name in ("SVM machine", "svm"):  # by its new name and by the old one
        renamed = read(name, names={"svm": "SVM machine"})
        assert renamed.failed == "SVM machine"
        assert renamed.n_rows == 8
    with pytest.raises(ArgumentError, match='failed="smv" is no word that is known, no number'):
        read("smv")


def test_capitals_that_tell_algorithms_apart_count(runs):
    runs.write_text(RUNS + "a,1,KNN,0.1,\na,2,KNN,0.2,\nb,1,KNN,0.3,\nb,2,KNN,0.4,\n")
    with pytest.raises(ArgumentError, match='failed="Knn" is no word that is known, no number'):
        read_scores(runs, measures={"acc": "higher"}, failed="Knn")
    scores = read_scores(runs, measures={"acc": "higher"}, failed="KNN")
    table = scores.to_frame().set_index(["dataset", "replication", "algorithm"])["value"]
    assert [table["a", "2", "svm"], table["b", "2", "knn"]] == [0.2, 0.4]


def test_an_algorithm_without_scores_there_stands_for_nothing(runs):
    runs.write_text(RUNS.replace("b,1,svm,0.6", "b,1,svm,").replace("b,2,svm,0.5", "b,2,svm,"))
    with pytest.raises(DesignError, match=r"'svm' has no scores to stand for .* 1 data set: b"):
        read_scores(runs, measures={"acc": "higher"}, failed="svm")


def test_an_algorithm_stands_for_failures_of_each_measure(runs):
    frame = pd.read_csv(runs)
    frame["score"] = pd.to_numeric(frame["score"], errors="coerce")
    both = pd.concat(
        [frame.assign(measure="acc"), frame.assign(measure="loss", score=1 - frame["score"])]
    )
    measures = {"acc": "higher", "loss": "lower"}
    scores = read_scores(both.drop(columns="info"), measures=measures, failed="svm").to_frame()
    wide = scores.pivot_table("value", ["dataset", "replication", "algorithm"], "measure")
    np.testing.assert_allclose(wide["acc"] + wide["loss"], 1)


def test_filled_failures_are_no_scores_of_failures(runs):
    runs.write_text(RUNS.replace("NaN,", ",crashed"))
    scores = read_scores(runs, measures={"acc": "higher"}, failed="worst")
    assert "scores of failures" not in {f.rule for f in scores.finding_records}


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


@pytest.mark.parametrize("column", ["imputed", "was imputed"])
def test_imputed_scores_are_named_and_can_be_left_out(runs, column):
    frame = pd.read_csv(runs).iloc[[0, 2, 4, 6]].drop(columns="info")
    frame["score"] = frame["score"].astype(float)
    frame[column] = [False, True, None, False]
    how = {"measures": {"acc": "higher"}, "columns": {column: "imputed"}}
    (finding,) = [
        f for f in read_scores(frame, **how).finding_records if f.rule == "imputed scores"
    ]
    assert finding.count == 1
    where = json.loads(re.match('where=("(?:[^"\\\\]|\\\\.)*")', finding.hint)[1])
    assert read_scores(frame, **how, where=where).n_rows == 3
