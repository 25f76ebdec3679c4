from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, rankdata, wilcoxon

from benchinfer.core.errors import DesignError
from benchinfer.numerics import signs
from tests.numerics.test_multiplicity import VALUES

ALTERNATIVES = ("two-sided", "greater", "less")
GOLDEN = [
    pytest.param(golden, alternative, id=f"{name}-{alternative}")
    for name, golden in VALUES["paired"].items()
    for alternative in ALTERNATIVES
]
# Ties, zeros, and differences that only noise keeps apart.
differences = st.lists(
    st.integers(-9, 9).map(lambda i: (0.7 + i / 100) - 0.7)
    | st.integers(-9999, 9999).map(lambda i: i / 9973),
    max_size=10,
).map(np.array)


def by_enumeration(weights, positive, alternative):
    signs = np.array(list(product((0, 1), repeat=len(weights))))
    sums = signs @ weights if len(weights) else np.zeros(1)
    observed, centre, slack = weights[positive].sum(), weights.sum() / 2, 1e-9
    if alternative == "greater":
        return (sums >= observed - slack).mean()
    if alternative == "less":
        return (sums <= observed + slack).mean()
    return (np.abs(sums - centre) >= abs(observed - centre) - slack).mean()


@given(differences)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_sign_flips_by_enumeration(alternative, differences):
    kept = differences[np.abs(differences) > 1e-10 * np.abs(differences).max(initial=0)]
    found = signs.sign_flip(differences, alternative)
    scale = np.abs(kept).max(initial=1e-300)
    expected = by_enumeration(np.abs(kept) / scale, kept > 0, alternative)
    assert found.p_value == pytest.approx(expected, rel=1e-13)
    assert found.smallest_p <= found.p_value * (1 + 1e-12)
    assert (found.n, found.zeros) == (len(kept), len(differences) - len(kept))


@given(differences)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_signed_ranks_by_enumeration(alternative, differences):
    size = np.round(np.abs(differences) / np.abs(differences).max(initial=1e-300), 9)
    present = size > 0
    ranks, positive = rankdata(size[present]), differences[present] > 0
    found = signs.signed_rank(differences, alternative)
    assert found.statistic == pytest.approx(ranks[positive].sum())
    assert found.p_value == pytest.approx(by_enumeration(ranks, positive, alternative), rel=1e-13)


@pytest.mark.parametrize(("golden", "alternative"), GOLDEN)
def test_agrees_with_coin_and_r(golden, alternative):
    d, key = np.array(golden["d"]), alternative.replace("-", ".")
    found = signs.signed_rank(d, alternative)
    assert found.p_value == pytest.approx(golden["wilcoxon"][key], rel=1e-12)
    found = signs.sign_flip(np.sign(d), alternative)
    assert found.p_value == pytest.approx(golden["sign"][key], rel=1e-12)


def test_agrees_with_scipy():
    d = np.random.default_rng(1).normal(0.3, size=50)
    for alternative in ALTERNATIVES:
        expected = wilcoxon(d, method="exact", alternative=alternative)
        found = signs.signed_rank(d, alternative=alternative)
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)


def test_sign_flips_of_twelve_and_of_many():
    rng = np.random.default_rng(2)
    d = rng.normal(0.2, size=12)
    assert signs.sign_flip(d).p_value == pytest.approx(
        by_enumeration(np.abs(d), d > 0, "two-sided"), rel=1e-13
    )
    # On a lattice the same number comes by the other algorithm.
    whole = rng.integers(-60, 80, size=30)
    moved = whole + np.where(whole == 0, 0, 1e-7 * rng.uniform(size=30))
    assert signs.sign_flip(whole / 100).p_value == pytest.approx(
        signs.sign_flip(moved / 100, tolerance=1e-6).p_value, rel=1e-9
    )


def test_differences_of_one_size_make_the_sign_test():
    d = np.where(np.arange(40) < 28, 0.1, -0.1)
    expected = binomtest(28, 40).pvalue
    assert signs.sign_flip(d).p_value == pytest.approx(expected, rel=1e-13)
    assert signs.signed_rank(d).p_value == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_smallest_p_is_attained(alternative):
    d = np.array([0.3, 0.1, 0.25, 0.7, 0.41]) * (-1 if alternative == "less" else 1)
    for found in (
        signs.sign_flip(d, alternative),
        signs.signed_rank(d, alternative),
    ):
        assert found.p_value == found.smallest_p
    assert signs.sign_flip(d).smallest_p == 2 / 2**5


def test_nothing_but_zeros_says_nothing():
    for d in (np.zeros(3), np.zeros(0)):
        for test in (signs.signed_rank, signs.sign_flip):
            found = test(d)
            assert (found.p_value, found.smallest_p, found.zeros) == (1, 1, len(d))
    assert signs.sign_flip(np.zeros(3)).p_value == 1


def test_too_many_to_count():
    d = np.random.default_rng(3).normal(size=45)
    with pytest.raises(DesignError, match="45 differences without a common unit"):
        signs.sign_flip(d)
    with pytest.raises(DesignError, match="4000 signed ranks takes too long"):
        signs.signed_rank(np.arange(1.0, 4001.0))


def test_two_thousand_signed_ranks():
    d = np.random.default_rng(4).normal(0.02, size=2000)
    found = signs.signed_rank(d)
    normal = wilcoxon(d, method="approx", correction=True).pvalue
    assert found.p_value == pytest.approx(normal, abs=2e-4)
