"""Verdicts with the worst score against comparisons of the table that has these scores."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.robustness.changes import changes
from benchinfer.analyses.robustness.failures import worst_case
from benchinfer.analyses.robustness.sections import sensitivity
from tests.scores.tables import additive, table

CALLS = {
    "mixed": bi.compare_mixed,
    "mixed with a control": lambda s: bi.compare_mixed(s, control="a01"),
    "mixed with the best": lambda s: bi.compare_mixed(s, control="a02"),
    "permutation": lambda s: bi.compare_permutation(s, resamples=9_999),
    "bootstrap": lambda s: bi.compare_bootstrap(s, resample="datasets", resamples=999, seed=1),
    "wins": bi.compare_wins,
}


def gappy(seed=2, n=4, d=14):
    values = additive(np.random.default_rng(seed), d, 3) + np.array([0.0, 0.03, 0.06])
    at = np.argsort(values[:, 2])[:n]
    frame = table(values).rename(columns={"score": "acc"})
    lost = (frame["algorithm"] == "a02") & frame["dataset"].isin([f"d{i:03}" for i in at])
    return frame.assign(acc=frame["acc"].where(~lost))


@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_the_same_analysis_compares_the_table_with_the_worst_scores(name, dropped):
    frame = gappy()
    scores = bi.read_scores(frame.dropna() if dropped else frame, measures="acc:higher")
    filled = bi.read_scores(frame, measures="acc:higher", failed="worst")
    result, again = CALLS[name](scores), CALLS[name](filled)
    found = worst_case(result, scores)
    np.testing.assert_array_equal(found.of(again.pairs.sides), again.pairs.codes)


def test_the_best_is_compared_with_the_same_algorithms():
    scores = bi.read_scores(gappy(n=3), measures="acc:higher")
    result = bi.compare_mixed(scores, control="best")
    found = worst_case(result, scores)
    assert (found.of(result.pairs.sides) > 0).all()


@pytest.mark.slow
def test_scores_are_filled_before_they_change_scale():
    frame = gappy()
    scores = bi.read_scores(frame, measures="acc:higher:0:log")
    filled = bi.read_scores(frame, measures="acc:higher:0:log", failed="worst")
    plain = bi.read_scores(frame, measures="acc:higher")
    result = bi.compare_mixed(scores)
    codes = bi.compare_mixed(filled).pairs.codes
    for source in (scores, plain):  # as it was compared, and as it was read
        np.testing.assert_array_equal(worst_case(result, source).codes, codes)
    for kind in ("ranks", "z", "min-max"):
        result = bi.compare_mixed(plain.normalise(kind))
        expected = bi.compare_mixed(
            bi.read_scores(frame, measures="acc:higher", failed="worst").normalise(kind)
        )
        np.testing.assert_array_equal(worst_case(result, plain).codes, expected.pairs.codes)


def test_statistics_have_no_rows_to_fill():
    scores = bi.read_scores(gappy(), measures="acc:higher")
    result = bi.compare_mixed(scores.statistics())
    text = worst_case(result, bi.ScoreTable.of_statistics(scores.statistics()))
    assert text == "there are statistics only, and no rows to add missing scores to"


def test_points_are_not_tried():
    scores = bi.read_scores(gappy(), measures="acc:higher")
    assert worst_case(bi.compare_points(scores), scores) == "only verdicts of tests are"


@pytest.mark.parametrize("name", ["mixed", "permutation"])
def test_changes_have_a_row_for_failures(name):
    frame = gappy()
    scores = bi.read_scores(frame, measures="acc:higher")
    result = CALLS[name](scores)
    (row,) = [row for row in changes(result, scores).rows if row.kind == "failures"]
    again = CALLS[name](bi.read_scores(frame, measures="acc:higher", failed="worst"))
    assert row.n_changed == int((again.pairs.codes != result.pairs.codes).sum()) > 0
    assert row.what == "as the worst score"
    section = sensitivity(changes(result, scores))
    shown = section.tables[0].frame
    assert shown[shown["kind"] == "failed and missing runs"]["changed"].tolist() == [
        f"{row.n_changed} of 3"
    ]


def test_complete_tables_have_no_row_for_failures():
    frame = gappy()
    for failed in (frame.assign(acc=frame["acc"].fillna(0)), frame):
        scores = bi.read_scores(failed, measures="acc:higher", failed="worst")
        rows = changes(bi.compare_mixed(scores), scores).rows
        assert "failures" not in {row.kind for row in rows}


def test_failures_that_cannot_be_tried_are_named():
    result = bi.compare_mixed(bi.read_scores(gappy(), measures="acc:higher"))
    found = changes(result)
    assert "failures as the worst score: its table is not at hand" in found.untried
    assert "failures" not in {row.kind for row in found.rows}


def test_pairs_undecided_for_failures_change_with_nothing_else():
    scores = bi.read_scores(gappy(n=5), measures="acc:higher")
    result = bi.compare(scores)["acc"]
    assert result._withheld.any()
    n, rest = len(result.pairs), int((~result._withheld).sum())
    for row in changes(result, scores).rows:
        assert row.n_pairs == n if row.kind == "failures" else row.n_pairs <= rest
        if row.kind in ("level", "tolerance"):
            assert row.n_pairs == rest


def test_wide_data_of_pandas_stay_as_they_are():
    frame = pd.DataFrame({"dataset": list("ab"), "x": [1.0, 2.0], "y": [2.0, None]})
    scores = bi.read_scores(frame, measures="acc:higher", layout="wide-algorithms")
    before = scores.to_frame()
    scores.at_worst()
    pd.testing.assert_frame_equal(scores.to_frame(), before)
