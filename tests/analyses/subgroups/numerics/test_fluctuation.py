"""The null distribution of the largest score statistic, and tests of stability."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chi2

from benchinfer.analyses.subgroups.numerics.fluctuation import (
    Breaks,
    Categories,
    adjusted,
    fluctuation,
    p_largest,
    permuted,
    standardised,
)

MIDDLE = (0.85 / 0.15) ** 2


@pytest.mark.parametrize(
    ("parameters", "level", "critical"),
    [(1, 0.10, 7.17), (1, 0.05, 8.85), (1, 0.01, 12.35), (2, 0.10, 10.01), (2, 0.05, 11.79),
     (2, 0.01, 15.51), (5, 0.10, 16.45), (5, 0.05, 18.35), (5, 0.01, 22.60)],
)  # fmt: skip
def test_critical_values_are_those_of_andrews(parameters, level, critical):
    """His table (1993, middle 70 %) is simulated on a grid, which misses some of the largest."""
    assert 0.98 * level <= p_largest(critical, parameters, MIDDLE) <= 1.15 * level


@pytest.mark.parametrize("parameters", [1, 4, 11])
def test_p_values_are_shares_of_simulated_processes(parameters):
    """On a grid so fine that the largest value is missed by little; its places are given."""
    rng = np.random.default_rng(parameters)
    steps, tables = 2000, 2000
    times = np.linspace(np.log(1 / 5), np.log(5), steps)  # log odds of shares 1/6 to 5/6
    keep = np.exp(-np.diff(times)[0] / 2)
    state = rng.normal(size=(tables, parameters))
    largest = (state**2).sum(axis=1)
    for _ in range(steps - 1):
        state = keep * state + np.sqrt(1 - keep**2) * rng.normal(size=state.shape)
        largest = np.maximum(largest, (state**2).sum(axis=1))
    for share in (0.5, 0.1, 0.02):
        critical = float(np.quantile(largest, 1 - share))
        found = p_largest(critical, parameters, 25.0)
        error = np.sqrt(share * (1 - share) / tables)
        assert share - 3 * error <= found <= 1.12 * share + 3 * error


def test_expansion_of_small_p_values_continues_the_exact_ones():
    for parameters in (1, 5, 30, 90):
        x = float(chi2.isf(1e-12, parameters))
        around = [p_largest(x - step, parameters, 25.0) for step in np.arange(-3, 30, 0.25)]
        ratios = np.diff(np.log(around))
        assert (ratios > 0).all()
        assert abs(np.diff(ratios)).max() < 0.05


def test_one_place_is_a_chi_squared_test():
    assert p_largest(6.0, 2, 1.0, 1) == pytest.approx(chi2.sf(6.0, 2))
    assert p_largest(6.0, 2, 2.0, 2) <= 2 * chi2.sf(6.0, 2)


def test_the_statistic_is_the_largest_over_all_places_by_brute_force():
    rng = np.random.default_rng(3)
    scores, values = rng.normal(size=(40, 3)), rng.integers(0, 9, size=40).astype(float)
    centred = scores - scores.mean(axis=0)
    inverse = np.linalg.inv(centred.T @ centred / 40)
    found = []
    for cut in np.unique(values)[:-1]:
        side = values <= cut
        if min(side.sum(), (~side).sum()) >= 6:
            total = centred[side].sum(axis=0) / np.sqrt(40)
            found.append(total @ inverse @ total / (side.mean() * (1 - side.mean())))
    statistic, _ = fluctuation(standardised(scores), Breaks.of(values, 6))
    assert statistic == pytest.approx(max(found))


@pytest.mark.slow
def test_of_two_categories_both_tests_have_one_statistic():
    rng = np.random.default_rng(4)
    process, side = standardised(rng.normal(size=(30, 2))), np.arange(30.0) % 2
    one = fluctuation(process, Categories.of(side))
    two = fluctuation(process, Breaks.of(side, 5))
    assert one == pytest.approx(two)


def test_directions_in_which_nothing_varies_are_left_out():
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(25, 2)) @ np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0]])
    assert standardised(scores).shape == (25, 2)
    assert standardised(np.zeros((25, 3))).shape == (25, 0)


def test_adjusted_p_values_never_fall_and_keep_missing_ones():
    p = np.array([1e-12, 0.02, np.nan, 1.0])
    assert adjusted(p)[:2] == pytest.approx([3e-12, 1 - 0.98**3])
    assert np.isnan(adjusted(p)[2])
    assert adjusted(p)[3] == 1


def test_permutation_p_values_are_shares_of_all_orders():
    """Six data sets: all 720 orders by brute force, the smallest limiting p-value in each."""
    rng = np.random.default_rng(6)
    scores, values, codes = rng.normal(size=(6, 2)), np.arange(6.0), np.arange(6.0) % 2
    scores[:3] += 1.0
    along = [Breaks.of(values, 2), Categories.of(codes)]
    process = standardised(scores)
    smallest = np.array(
        [
            min(fluctuation(drawn, one)[1] for one in along)
            for drawn in (process[list(order)] for order in permutations(range(6)))
        ]
    )
    own = [fluctuation(process, one)[1] for one in along]
    exact = [(smallest <= p * (1 + 1e-9)).mean() for p in own]
    found = permuted(process, along, 9999, 1)
    np.testing.assert_allclose(found, exact, atol=4 * np.sqrt(0.25 / 9999))


def test_permutation_leaves_out_what_cannot_be_tested():
    process = standardised(np.random.default_rng(7).normal(size=(12, 2)))
    along = [Breaks.of(np.ones(12), 2), Breaks.of(np.arange(12.0), 2)]
    alone = permuted(process, along[1:], 199, 3)
    np.testing.assert_allclose(permuted(process, along, 199, 3), [np.nan, *alone])
    assert np.isnan(permuted(process, along[:1], 199, 3)).all()


def test_data_sets_without_a_value_have_no_part_in_a_test():
    """Means and places are those of the others, the covariance is that of all."""
    rng = np.random.default_rng(8)
    process = standardised(rng.normal(size=(40, 3)) + 0.3)
    values = rng.permutation(np.arange(40.0))
    values[rng.permutation(40)[:12]] = np.nan
    known = ~np.isnan(values)
    rest = process[known] - process[known].mean(axis=0)
    walk = np.cumsum(rest[np.argsort(values[known])], axis=0)[5:-6]
    share = np.arange(6, 23) / 28
    expected = ((walk**2).sum(axis=1) / (share * (1 - share))).max() * 40 / 28
    assert fluctuation(process, Breaks.of(values, 6))[0] == pytest.approx(expected)
    codes = np.where(known, np.arange(40) % 3, np.nan)
    means = [rest[codes[known] == code].mean(axis=0) for code in range(3)]
    size = [(codes == code).sum() for code in range(3)]
    expected = 40 * sum(n * (mean @ mean) for n, mean in zip(size, means, strict=True))
    found = fluctuation(process, Categories.of(codes))
    assert found == pytest.approx((expected, chi2.sf(expected, 6)))
