"""Scores of 0 and 1 on one data set are not for a model of normal errors."""

import numpy as np
import pytest

import benchinfer as bi
from tests.comparison.checks.test_tables_doubts import items
from tests.scores.tables import table

WRONG = "scores of 0 and 1 in a model of normal errors"
RATES = "scores of 0 and 1, compared by the rates of data sets"
WITHHELD = "pairs without a verdict, as an algorithm is right or wrong on all items"


def test_twenty_of_twenty_is_no_certainty():
    scores = items([20, 12])
    result = bi.compare_mixed(scores)
    rows = result.diagnostics().set_index("check")
    row = result.contrasts(all=True).iloc[0]
    assert row["verdict"] == "undecided"
    assert (row[["p_value", "p_raw", "p_equivalence"]] == 1).all()
    assert (row["conf_low"], row["conf_high"]) == (-np.inf, np.inf)
    assert not rows.loc[[WRONG, WITHHELD], "ok"].any()
    assert "compare_pair" in rows.loc[WRONG, "remedy"]
    assert "a0 and a1" in rows.loc[WITHHELD, "sentence"]


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_intervals_of_rates_are_wilsons(better):
    frame = items([20, 12, 15]).to_frame().drop(columns="measure")
    scores = bi.read_scores(frame, measures=f"acc:{better}", resampling="items")
    summary = bi.compare_mixed(scores).summary().set_index("algorithm")
    known = scores.describe(interval="wilson").set_index("algorithm")
    names = known.index
    assert np.allclose(summary.loc[names, "conf_low"], known["conf_low"])
    assert np.allclose(summary.loc[names, "conf_high"], known["conf_high"])


def test_pairs_that_vary_keep_their_verdicts():
    rng = np.random.default_rng(1)
    right = [rng.random(200) < p for p in (0.9, 0.5)] + [np.ones(200)]
    scores = bi.read_scores(
        table(np.array([right], float)), measures="acc:higher", resampling="items"
    )
    table_ = bi.compare_mixed(scores).contrasts(all=True)
    assert table_["verdict"].tolist() == ["first", "undecided", "undecided"]
    assert (table_["p_value"] <= 0.05).tolist() == [True, False, False]
    assert np.isfinite(table_["conf_low"]).tolist() == [True, False, False]


def test_each_data_set_by_itself_says_so_too():
    rng = np.random.default_rng(2)
    scores = bi.read_scores(
        table((rng.random((3, 2, 40)) < 0.6).astype(float)),
        measures="acc:higher",
        resampling="items",
    )
    both = bi.compare_mixed(scores, target="datasets"), bi.compare_mixed(scores)
    said = [WRONG in set(result.diagnostics()["check"]) for result in both]
    assert said == [True, False]  # across data sets rates are means of many items
    row = both[1].diagnostics().set_index("check").loc[RATES]
    assert row["ok"]
    assert 'compare_bayes(..., likelihood="binomial")' in row["remedy"]


def test_other_scores_have_no_such_row():
    scores = bi.load_example("simulated/balanced").subset(datasets=["d01"])
    rows = set(bi.compare_mixed(scores).diagnostics()["check"])
    assert not rows & {WRONG, RATES}
