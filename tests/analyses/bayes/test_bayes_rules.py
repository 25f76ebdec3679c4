import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.bayes.numerics.regret import Regrets
from benchinfer.analyses.bayes.rules import cap_of, in_unit, verdict_codes
from benchinfer.core.errors import DesignError
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.outcome_probabilities import Outcomes
from tests.analyses.bayes.test_bayes import read, simulated


@pytest.fixture(scope="module")
def result():
    return bi.compare_bayes(read(simulated(), tolerance=0.3), draws=500, seed=1)


def outcomes(first, equivalent, second, dominant):
    nothing = np.zeros(len(first))
    shares = [np.array(share) for share in (first, equivalent, second)]
    return Outcomes(nothing, nothing, nothing, *shares, nothing, np.array(dominant))


def test_four_states_of_expected_regrets():
    first, second = np.array([0.0, 0.3, 0.1, 0.2]), np.array([0.4, 0.1, 0.05, 0.2])
    regret = Regrets(1.0, first, first, first, second, first)
    found = outcomes([0.1] * 4, [0.1] * 4, [0.8] * 4, [0.5] * 4)
    codes = verdict_codes("regret", found, regret, 0.1, 0.95, settled=True)
    assert [Verdict(c).name for c in codes] == ["FIRST", "SECOND", "EQUIVALENT", "UNDECIDED"]


def test_a_vote_is_for_the_most_probable_outcome():
    found = outcomes(
        [0.6, 0.1, 0.2, 0.5], [0.3, 0.7, 0.1, 0.3], [0.1, 0.2, 0.7, 0.2], [1, 1, 1, 0.9]
    )
    nothing = np.zeros(4)
    codes = verdict_codes("vote", found, Regrets(1.0, *[nothing] * 5), 0.1, 0.95, settled=True)
    assert [Verdict(c).name for c in codes] == ["FIRST", "EQUIVALENT", "SECOND", "UNDECIDED"]
    codes = verdict_codes("threshold", found, Regrets(1.0, *[nothing] * 5), 0.1, 0.95, settled=True)
    assert set(codes) == {Verdict.UNDECIDED}


def test_caps():
    means = np.array([[0.1, 0.4, np.nan], [0.2, np.nan, np.nan]])
    assert cap_of(bi.Measure("a", "higher"), means, 0.01) == pytest.approx(0.3)
    assert cap_of(bi.Measure("a", "higher", bounds=(0, 1)), means, 0.01) == 1
    assert cap_of(bi.Measure("a", "higher", bounds=(0, np.inf)), means, 0.5) == 0.5
    assert cap_of(bi.Measure("a", "higher", scale="logit", bounds=(0, 1)), means, 0) < 1
    assert in_unit(bi.Measure("t", "lower", scale="log"), np.log(1.05)) == pytest.approx(0.05)


def test_verdicts_by_regret(result):
    found = result.of("next", rule="regret")
    rows = found.contrasts()
    little = rows["regret_first"] <= 0.3, rows["regret_second"] <= 0.3
    words = np.where(little[0], np.where(little[1], "equivalent", "first"), "undecided")
    words = np.where(~little[0] & little[1], "second", words)
    assert rows["verdict"].tolist() == words.tolist()
    assert "expected to cost on the next data set at most 0.3" in found.rule
    assert result.relation("regret") == result.of(rule="regret").relation()
    assert result.of(rule="regret").of("next").decision == "regret"


def test_regrets_are_those_of_the_draws(result):
    table = result.regrets().set_index(["quantity", "algorithm"])
    for quantity, draws in (("average", result.draws.effects), ("next", result.draws.following)):
        lost = np.minimum(draws.max(axis=2, keepdims=True) - draws, result.regret.cap)
        np.testing.assert_allclose(
            table.loc[quantity, "expected_regret"], lost.mean(axis=(0, 1)), rtol=1e-12
        )
        near = (lost <= 0.3).mean(axis=(0, 1))
        np.testing.assert_allclose(table.loc[quantity, "prob_near_best"], near, atol=1e-12)
    summary = result.summary()
    assert summary["expected_regret"].tolist() == table.loc["average", "expected_regret"].tolist()
    assert summary["expected_regret_next"].tolist() == table.loc["next", "expected_regret"].tolist()


def test_verdicts_by_vote(result):
    with pytest.raises(DesignError, match="certain about averages"):
        result.of(rule="vote")
    found = result.of("next", rule="vote")
    rows = found.contrasts()
    assert ((rows["verdict"] != "undecided") == (rows["p_dominant"] >= 0.95)).all()
    assert "not a probability" in found.rule


def test_what_does_not_go_together(result):
    with pytest.raises(DesignError, match="score has none"):
        bi.compare_bayes(read(simulated()), rule="regret")
    with pytest.raises(DesignError, match="unknown rule 'best'"):
        bi.compare_bayes(read(simulated()), rule="best")
    with pytest.raises(DesignError, match="rule"):
        result.relation("best")
