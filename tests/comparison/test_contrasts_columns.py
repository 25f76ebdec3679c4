"""Columns of contrasts: those that people read, and all."""

import pytest

import benchinfer as bi
from benchinfer.core.frames import READ
from tests.core.test_result import MADE, local, scores

PAIR = ["first", "second", "estimate"]
TESTED = [*PAIR, "conf_low", "conf_high", "p_value", "verdict", "winner"]
LIKELY = [*PAIR, "conf_low", "conf_high", "prob_first", "prob_equivalent", "verdict"]
COLUMNS = {
    "PointsComparison": [*PAIR, "verdict", "winner"],
    "MixedComparison": TESTED,
    "PermutationComparison": TESTED,
    "BootstrapComparison": TESTED,
    "WinsComparison": TESTED,
    "MetaComparison": TESTED,
    "PairComparison": TESTED,
    "BayesComparison": LIKELY,
    "BayesPairsComparison": LIKELY,
    "MonitorComparison": [*PAIR, "p_value", "state", "verdict", "winner"],
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_contrasts_show_the_columns_that_people_read(kind):
    result = MADE[kind](2)
    shown, full = result.contrasts(), result.contrasts(all=True)
    assert list(shown.columns) == COLUMNS[kind]
    assert len(shown.columns) <= 8
    assert set(shown.columns) <= set(READ)
    assert full[list(shown.columns)].equals(shown)
    assert {"measure", "winner"} <= set(full.columns)
    turned = result.contrasts(order="result", all=True)
    assert turned[list(shown.columns)].equals(result.contrasts(order="result"))


def test_without_a_tolerance_both_directions_have_their_probability():
    found = bi.compare_bayes(scores(2, tolerance=0), draws=100, chains=4, seed=1)
    shown = found.contrasts()
    assert {"prob_first", "prob_second"} <= set(shown.columns)
    assert (shown["prob_first"] + shown["prob_second"]).round(9).eq(1).all()


def test_groups_have_their_name_beside_the_columns():
    shown, full = local(2).contrasts(), local(2).contrasts(all=True)
    assert list(shown.columns) == ["dataset", *COLUMNS["PointsComparison"]]
    assert full.shape[1] > shown.shape[1]


def test_named_contrasts_have_their_names():
    names = scores(6).algorithms
    found = bi.compare_mixed(scores(6), contrasts={"all": {names[0]: 1, names[1]: -1}})
    assert list(found.contrasts().columns) == ["contrast", *TESTED[:-1]]
