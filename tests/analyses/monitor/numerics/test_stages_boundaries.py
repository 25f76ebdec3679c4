"""Boundaries against the integral that defines them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from benchinfer.analyses.monitor.numerics import stages


def spent(level_free, reject, accept):
    """Return a1 + the integral of min(1, c / p) from a1 to a0: the level that is spent."""
    bends = [level_free] if reject < level_free < accept else None
    inner, _ = quad(lambda p: min(1.0, level_free / p), reject, accept, points=bends)
    return reject + inner


@given(
    level=st.floats(1e-4, 0.9),
    share=st.floats(0.01, 0.99),
    room=st.floats(0.0, 1.0),
)
def test_the_critical_value_spends_the_level(level, share, room):
    """Both branches: rejection boundaries above and below the smallest one at which c <= a1."""
    accept = level + room * (1 - level)
    reject = share * level
    found = stages.critical_value(np.array(level), np.array(reject), np.array(accept))
    assert spent(float(found), reject, accept) == pytest.approx(level, abs=1e-8)
    least = float(stages.least_reject(np.array(level), np.array(accept)))
    assert (found <= reject + 1e-12) == (reject >= least - 1e-12)


def test_the_least_boundary_of_the_whole_interval_is_fishers_product():
    """For a0 = 1 it is exp(-chi2 quantile / 2) with four degrees of freedom."""
    found = stages.least_reject(np.array(0.05), np.array(1.0))
    assert found == pytest.approx(0.008704940696270097, abs=1e-15)


@pytest.mark.parametrize("rule", ["constant", "application", "scenario2", "scenario2-power"])
def test_guarded_boundaries_are_valid(rule):
    """Whatever came before: a1 <= a* <= a0 <= 1 and c <= a1, so that no stage decides for later."""
    now = stages.first_boundaries(rule, 0.05, (2000,))
    p_values = np.random.default_rng(0).uniform(size=(2000, 6))
    for p in p_values.T:
        inside = now.reject + (now.accept - now.reject) * p
        now = stages.following(rule, 0.05, now, np.maximum(inside, now.reject * (1 + 1e-9)))
        assert (now.reject <= now.level).all()
        assert (now.level <= now.accept * (1 + 1e-12)).all()
        assert (now.accept <= 1).all()
        assert (now.critical <= now.reject * (1 + 1e-12)).all()


def test_the_printed_application_rule_breaks_down():
    """A high conditional level moves its rejection boundary below 0: no critical value exists."""
    now = stages.following(
        "literal", 0.05, stages.first_boundaries("literal", 0.05, (1,)), np.array([0.0103])
    )
    assert now.reject[0] == pytest.approx(-0.07530354237507202, abs=1e-15)
    assert np.isnan(now.critical[0])
