"""Critical values against tables of R's qtukey and mvtnorm."""

import math

import pytest

from benchinfer.numerics.max_t import CriticalFamily, critical


def test_all_pairs_are_tukeys_range():
    """``qtukey(0.95, k, 20) / sqrt(2)``."""
    found = [critical(CriticalFamily("tukey", k), "difference", 0.05, 20.0) for k in (2, 3, 5)]
    assert found == pytest.approx([2.085963, 2.529982, 2.992375], abs=2e-6)


def test_with_a_control_is_dunnetts():
    """Dunnett's table for 3 comparisons, 20 degrees of freedom: 2.54 two-sided, 2.19 one-sided."""
    family = CriticalFamily("dunnett", 4)
    assert critical(family, "difference", 0.05, 20.0) == pytest.approx(2.54, abs=0.005)
    assert critical(family, "non-inferiority", 0.05, 20.0) == pytest.approx(2.19, abs=0.005)


@pytest.mark.parametrize("aim", ["difference", "equivalence", "non-inferiority"])
def test_shares_of_the_level_are_never_less_strict(aim):
    for df in (5.0, 40.0, math.inf):
        shares = critical(CriticalFamily("bonferroni", 6), aim, 0.05, df)
        alone = critical(CriticalFamily("bonferroni", 1), aim, 0.05, df)
        joint = critical(CriticalFamily("tukey", 4), aim, 0.05, df)
        assert alone < joint
        # Non-inferiority of all pairs holds in both directions: twice as many tests.
        twice = critical(CriticalFamily("bonferroni", 12), aim, 0.05, df)
        assert joint < (twice if aim == "non-inferiority" else shares)
