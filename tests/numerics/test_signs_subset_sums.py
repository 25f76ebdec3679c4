from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.numerics import signs


def exactly(weights, observed):
    """Return P(sum >= observed) as a fraction, by whole numbers."""
    counts = [1] + [0] * sum(weights)
    for weight in weights:
        for total in range(len(counts) - 1, weight - 1, -1):
            counts[total] += counts[total - weight]
    return Fraction(sum(counts[max(observed, 0) :]), 2 ** len(weights))


@given(st.lists(st.integers(1, 30), max_size=14), st.integers(-2, 400))
def test_integers_by_whole_numbers(weights, observed):
    ours = signs.upper_tails(np.array(weights, dtype=np.int64), [observed])[0]
    assert ours == pytest.approx(float(exactly(weights, observed)), rel=1e-14)


@pytest.mark.parametrize(("n", "below"), [(60, 100), (150, 2000), (1000, 60)])
def test_far_tails_keep_their_relative_accuracy(n, below):
    # Down to 1e-300: by whole numbers up to the sum `below` alone.
    counts = [1] + [0] * below
    for weight in range(1, n + 1):
        for total in range(below, weight - 1, -1):
            counts[total] += counts[total - weight]
    expected = Fraction(sum(counts), 2**n)
    weights = np.arange(1, n + 1)
    ours = signs.upper_tails(weights, [int(weights.sum()) - below])[0]
    assert abs(float(Fraction(ours) / expected - 1)) < 1e-13


def test_more_steps_than_doubles_have_exponents():
    # 1,500 weights of one are a binomial distribution.
    ours = signs.upper_tails(np.ones(1500, dtype=np.int64), [800])[0]
    counts = exactly([1] * 1500, 800)
    assert ours == pytest.approx(float(counts), rel=1e-12)


@given(st.lists(st.floats(0.01, 5), min_size=1, max_size=12), st.floats(-1, 40))
def test_reals_by_all_subsets(weights, observed):
    sums = np.array(list(product((0, 1), repeat=len(weights)))) @ np.array(weights)
    if np.abs(sums - observed).min() < 1e-9:
        return
    ours = signs.upper_tail_of_reals(np.array(weights), observed, 1e-12)
    assert ours == (sums >= observed).mean()


def test_reals_as_integers():
    weights = np.random.default_rng(2).integers(1, 1000, size=36)
    observed = int(weights.sum() * 0.7)
    assert signs.upper_tail_of_reals(weights / 1000, observed / 1000, 1e-9) == pytest.approx(
        signs.upper_tails(weights, [observed])[0], rel=1e-13
    )


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=20), st.sampled_from([0.01, 1 / 47, 3]))
def test_multiples_are_found_through_noise(integers, unit):
    whole = np.array(integers)
    # Differences of scores about 1, as they come.
    noisy = (1 + whole * unit) - 1
    found = signs.on_lattice(noisy, 1e-10 * noisy.max())
    np.testing.assert_array_equal(found, whole // np.gcd.reduce(whole))


def test_values_without_a_unit():
    values = np.random.default_rng(3).normal(size=50) ** 2
    assert signs.on_lattice(values, 1e-10 * values.max()) is None
    assert signs.on_lattice(np.array([1.0, np.sqrt(2)]), 1e-10) is None
    assert signs.on_lattice(np.empty(0), 1e-10).tolist() == []


def test_a_value_below_the_finest_unit_has_no_lattice():
    assert signs.on_lattice(np.array([1e-9, 0.5, 1.0]), 1e-10) is None


def test_a_sum_of_nothing_has_a_tail_of_1():
    assert signs.rank_sum_tails(np.array([9]), np.array([0])).tolist() == [1.0]


def test_tails_of_rank_sums_are_those_of_the_weights():
    rng = np.random.default_rng(4)
    n = np.array([1, 2, 3, 8, 8, 30, 200, 700])
    observed = np.array([rng.integers(0, m * (m + 1) // 2 + 1) for m in n])
    every = zip(n, observed, strict=True)
    expected = [signs.upper_tails(np.arange(1, m + 1), [int(x)])[0] for m, x in every]
    tails = signs.rank_sum_tails(n, observed)
    np.testing.assert_allclose(tails, expected, rtol=1e-12)
    for i in range(len(n)):  # however large the others are
        assert signs.rank_sum_tails(n[[i]], observed[[i]])[0] == tails[i]
    assert signs.rank_sum_tails(np.array([5, 5]), np.array([0, 15])).tolist() == [1.0, 2.0**-5]


def test_a_column_is_tested_as_if_it_were_alone_or_among_columns_with_gaps():
    rng = np.random.default_rng(2)
    terms = signs.signed_ranks(rng.normal(size=(1400, 3)) + 0.03, 0.0)
    gappy = terms.copy()
    gappy[5, 2] = np.nan
    gappy[:, [2]] = signs.signed_ranks(gappy[:, [2]], 0.0)
    two_sided = np.ones(3, np.bool_)
    one, other = (signs.sign_tests(t, two_sided=two_sided) for t in (terms, gappy))
    assert set(one.kinds + other.kinds) == {"exact"}
    assert one.p_value[:2].tolist() == other.p_value[:2].tolist()
    few = signs.sign_tests(terms[:, :1], two_sided=two_sided[:1])
    assert few.p_value[0] == one.p_value[0]
