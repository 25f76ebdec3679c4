"""Closed testing on a line: against the general procedures, and many algorithms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from benchinfer.core.errors import DesignError
from benchinfer.numerics import closed_testing


def rank_sums(rng, k, n, spread):
    scores = rng.normal(size=(n, k)) + np.linspace(0, spread, k)
    return 2 * (scores.argsort(axis=1).argsort(axis=1) + 1).sum(axis=0)


def p_of(doubled, n):
    k = len(doubled)
    first, second = np.triu_indices(k, 1)
    gap = np.abs(doubled[first] - doubled[second]) / (2 * n)
    return 2 * ndtr(-gap / np.sqrt(k * (k + 1) / (6 * n)))


@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(2, 30), st.sampled_from([0, 1, 3]))
def test_on_a_line_as_in_general(seed, k, n, spread):
    doubled = rank_sums(np.random.default_rng(seed), k, n, spread)
    p = p_of(doubled, n)
    for name in ("bergmann_hommel", "shaffer"):
        ours = getattr(closed_testing, f"{name}_on_line")(p, doubled)
        np.testing.assert_allclose(ours, getattr(closed_testing, name)(p, k), rtol=1e-12)


def test_forty_algorithms_on_a_line():
    doubled = rank_sums(np.random.default_rng(3), 40, 54, 3)
    p = p_of(doubled, 54)
    exact = closed_testing.bergmann_hommel_on_line(p, doubled)
    step = closed_testing.shaffer_on_line(p, doubled)
    static = closed_testing.shaffer_static(p, 40)
    assert (exact >= p).all()
    assert (exact <= step + 1e-15).all()
    assert (step <= static + 1e-15).all()
    assert (exact < 0.05).sum() > (static < 0.05).sum()


@pytest.mark.parametrize("name", ["bergmann_hommel_on_line", "shaffer_on_line"])
def test_a_line_wants_p_values_that_fall(name):
    with pytest.raises(DesignError, match="do not fall with the distances"):
        getattr(closed_testing, name)(np.array([0.1, 0.2, 0.3]), np.array([0, 2, 4]))


@given(st.integers(0, 10**6), st.integers(2, 7))
def test_raised_p_values_fall_and_are_the_least_that_do(seed, k):
    rng = np.random.default_rng(seed)
    places = rng.integers(0, 9, k)
    first, second = np.triu_indices(k, 1)
    distance = np.abs(places[first] - places[second])
    p = rng.uniform(size=len(first))
    expected = [p[distance >= d].max() for d in distance]
    np.testing.assert_array_equal(closed_testing.falling(p, places), expected)
