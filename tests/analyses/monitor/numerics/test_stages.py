"""Recursive combination tests: sizes, the overall p-value, and runs followed by hand."""

import numpy as np
import pytest
from scipy.stats import kstest

from benchinfer.analyses.monitor.numerics import stages
from benchinfer.analyses.monitor.numerics.stages import Decision

RULES = ["constant", "application", "scenario2", "application-power", "scenario2-power"]
N = 100_000
ERROR = np.sqrt(0.05 * 0.95 / N)


def decide(p_values, rule, *, final):
    return stages.recursion(np.array([p_values]), rule, 0.05, final=final)


@pytest.mark.parametrize("rule", RULES)
def test_the_level_is_used_and_the_overall_p_value_is_uniform(rule):
    """Rejection is the same as an overall p-value up to the level, which has that probability."""
    found = stages.recursion(np.random.default_rng(3).uniform(size=(N, 5)), rule, 0.05, final=True)
    rejected = found.decisions == Decision.REJECT
    assert ((found.p_values <= 0.05) == rejected).all()
    assert abs(rejected.mean() - 0.05) < 4 * ERROR
    assert kstest(found.p_values, "uniform").pvalue > 1e-4


def test_printed_rules_waste_level():
    """The printed acceptance boundary is below the conditional level, which cannot be used up."""
    p_values = np.random.default_rng(4).uniform(size=(N, 5))
    for rule, size in {"literal": 0.0169, "literal-scenario2": 0.0194}.items():
        found = stages.recursion(p_values, rule, 0.05, final=False)
        rejected = (found.decisions == Decision.REJECT).mean()
        assert abs(rejected - size) < 4 * np.sqrt(size / N)


def test_testing_every_stage_at_the_level_rejects_too_often():
    """What the recursion is for: five looks without correction have a size of .226."""
    p_values = np.random.default_rng(5).uniform(size=(N, 5))
    assert (p_values <= 0.05).any(axis=1).mean() == pytest.approx(1 - 0.95**5, abs=4e-3)


def test_a_stage_rejects_ends_or_goes_on():
    """One run of each kind, followed by hand from the boundaries (.01, .9) and c = .00889."""
    assert decide([0.004], "constant", final=False).decisions[0] == Decision.REJECT
    assert decide([0.95], "constant", final=False).decisions[0] == Decision.ACCEPT
    assert decide([0.3], "constant", final=False).decisions[0] == Decision.UNDECIDABLE
    # c / .3 = .02963 is the level of the second stage.
    for second, decision in {0.029: Decision.REJECT, 0.03: Decision.NOT_REJECTED}.items():
        assert decide([0.3, second], "constant", final=True).decisions[0] == decision


def test_a_last_stage_must_be_declared():
    """An open run can have an overall p-value below the level; that is not a rejection."""
    found = decide([0.895, 0.0099], "scenario2", final=False)
    assert found.decisions[0] == Decision.UNDECIDABLE
    assert found.p_values[0] < 0.05


def test_later_stages_do_not_change_a_decision():
    first = decide([0.2, 0.01], "constant", final=False)
    longer = decide([0.2, 0.01, 0.9, 0.9], "constant", final=False)
    assert longer.decisions[0] == first.decisions[0] == Decision.REJECT
    assert longer.stages[0] == first.stages[0] == 2
    assert longer.p_values[0] == first.p_values[0]


def test_the_p_value_function_is_continuous():
    """At the acceptance boundary it is a0, at the product a1 both pieces are the same."""
    a1, a0 = np.array(0.01), np.array(0.9)
    assert stages.combine(a0, np.array(1.0), a1, a0) == pytest.approx(0.9, abs=1e-15)
    low, high = (stages.combine(np.array(0.1), np.array(0.1 + e), a1, a0) for e in (-1e-12, 1e-12))
    assert low == pytest.approx(high, abs=1e-10)


@pytest.mark.parametrize("p_values", [np.zeros((1, 0)), np.array([[1.2]]), np.array([[np.nan]])])
def test_strange_p_values_are_refused(p_values):
    with pytest.raises(ValueError, match="between 0 and 1"):
        stages.recursion(p_values, "constant", 0.05, final=True)
