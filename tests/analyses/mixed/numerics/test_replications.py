"""Errors of pairs from replications: scipy's tests, exact levels, sums over data sets."""

import numpy as np
import pytest
from scipy import integrate, stats

from benchinfer.analyses.mixed.numerics.replications import (
    ReplicationMeans,
    independent_means,
    paired_means,
)
from benchinfer.core.errors import DesignError
from benchinfer.numerics.covariance import all_pairs
from benchinfer.numerics.shifts import freedom_of_units

PAIRS, TUKEY = all_pairs(4)


def samples(rng, sizes):
    """Return samples of unequal spread and the rows of their moments."""
    parts = [rng.normal(scale=2.0**j, size=n) for j, n in enumerate(sizes)]
    squares = [((x - x.mean()) ** 2).sum() for x in parts]
    return parts, (np.array(sizes), np.array([x.mean() for x in parts]), np.array(squares))


def gappy(rng, share=0.3, shape=(9, 4)):
    """Return scores of shared replications, and which there are."""
    value = rng.normal(size=shape) * [1, 1, 3, 0.2] + rng.normal(size=(shape[0], 1))
    present = rng.random(shape) >= share
    present[:2] = True
    return value, present


def test_independent_samples_are_compared_by_welch():
    rng = np.random.default_rng(1)
    parts, moments = samples(rng, (4, 5, 8, 30))
    found = ReplicationMeans.of([independent_means(*moments, 0.0)]).estimates(TUKEY)
    for p, (i, j) in enumerate(PAIRS):
        expected = stats.ttest_ind(parts[i], parts[j], equal_var=False)
        assert found.estimate[p] / found.std_error[p] == pytest.approx(
            expected.statistic, rel=1e-12
        )
        assert found.df[p] == pytest.approx(expected.df, rel=1e-12)
    np.testing.assert_allclose(found.std_error[6:], [stats.sem(x) for x in parts], rtol=1e-12)
    assert found.df[6:].tolist() == [3, 4, 7, 29]


@pytest.mark.parametrize(
    ("sizes", "df"),
    [((3, 7), 2), ((7, 3), 2), ((2, 5), 1), ((2, 3), None), ((3, 6), None), ((4, 30), None)],
)
def test_few_beside_many_have_the_smaller_number_less_one(sizes, df):
    parts, moments = samples(np.random.default_rng(2), sizes)
    found = independent_means(*moments, 0.0)[3, 2]
    welch = stats.ttest_ind(*parts, equal_var=False).df
    assert found == pytest.approx(welch if df is None else df, rel=1e-12)


def rejected(n, ratio, critical):
    """Return how often |t| exceeds (share of the first variance -> critical value), exactly.

    By quadrature over the share u of the first sample in the sum of squares: given u, the square of
    t is a ratio of chi-squared variables with 1 and n_1 + n_2 - 2 degrees of freedom.
    """
    v = np.array([1.0 / n[0], ratio / n[1]])
    free = np.array(n) - 1

    def given(u):
        parts = v * np.array([u, 1 - u]) / free  # variances of the means per unit of the sum
        t = critical(parts[0] / parts.sum())
        scale = t**2 * parts.sum() / v.sum() * free.sum()
        return stats.beta.pdf(u, *(free / 2)) * stats.f.sf(scale, 1, free.sum())

    return integrate.quad(given, 0, 1, limit=200)[0]


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.05, 0.005, 0.0005])
def test_the_smaller_number_less_one_keeps_every_level(alpha):
    n = (3, 10)
    ratios = 10.0 ** np.arange(-3, 3.1, 0.5)
    fixed = stats.t.isf(alpha / 2, 2)
    assert max(rejected(n, r, lambda _: fixed) for r in ratios) <= alpha * (1 + 1e-6)

    def welch(share):
        df = 1 / (share**2 / 2 + (1 - share) ** 2 / 9)
        return stats.t.isf(alpha / 2, df)

    # What the rule is for: Welch's own degrees of freedom err at equal variances.
    assert rejected(n, 1.0, welch) > 1.25 * alpha


def test_shared_replications_are_compared_by_the_paired_test_on_those_of_the_pair():
    value, present = gappy(np.random.default_rng(3))
    found = ReplicationMeans.of([paired_means(value, present, 0.0)])
    estimates = found.estimates(TUKEY)
    for p, (i, j) in enumerate(PAIRS):
        both = present[:, i] & present[:, j]
        expected = stats.ttest_rel(value[both, i], value[both, j])
        assert estimates.df[p] == expected.df == found.n[0, 4 + p] - 1
        assert estimates.estimate[p] / estimates.std_error[p] == pytest.approx(
            expected.statistic, rel=1e-12
        )


def test_overlap_raises_variances_and_not_degrees_of_freedom():
    value, present = gappy(np.random.default_rng(4))
    plain, raised = (paired_means(value, present, ratio) for ratio in (0.0, 0.25))
    np.testing.assert_allclose(raised[2] / plain[2], 1 + 0.25 * plain[0], rtol=1e-12)
    np.testing.assert_array_equal(raised[3], plain[3])
    _, (n, mean, squares) = samples(np.random.default_rng(4), (4, 9))
    both = independent_means(n, mean, squares, 0.25)
    parts = squares / (n - 1) * (1 / n + 0.25)
    assert both[2, 2] == pytest.approx(parts.sum(), rel=1e-12)
    assert both[3, 2] == pytest.approx(parts.sum() ** 2 / (parts**2 / (n - 1)).sum(), rel=1e-12)


def test_pairs_that_share_fewer_than_two_are_independent_samples():
    value, _ = gappy(np.random.default_rng(5))
    present = np.ones_like(value, dtype=bool)
    present[:5, 0], present[4:, 1], present[6:, 2] = (
        False,
        False,
        False,
    )  # 0 and 1: none, 0 and 2: one
    found = paired_means(value, present, 0.0)
    assert found[0, 4:].tolist() == [0, 0, 4, 4, 4, 6]
    for p, (i, j) in enumerate(((0, 1), (0, 2))):
        welch = stats.ttest_ind(value[present[:, i], i], value[present[:, j], j], equal_var=False)
        assert found[1, 4 + p] / np.sqrt(found[2, 4 + p]) == pytest.approx(welch.statistic)
        assert found[3, 4 + p] == pytest.approx(welch.df)


def test_averages_have_the_variance_of_their_differences():
    rng = np.random.default_rng(6)
    value = gappy(rng)[0]
    weights = np.array([[0.5, 0.5, -1, 0], [1, -1 / 3, -1 / 3, -1 / 3]])
    found = ReplicationMeans.of([paired_means(value, np.isfinite(value), 0.0)]).estimates(weights)
    d = value @ weights.T
    np.testing.assert_allclose(found.estimate[:2], d.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.std_error[:2], stats.sem(d), rtol=1e-10)
    assert found.df[:2].tolist() == [8, 8]
    _, moments = samples(rng, (4, 5, 8, 30))
    means = ReplicationMeans.of([independent_means(*moments, 0.0)])
    terms = weights[0] ** 2 * moments[2] / (moments[0] - 1) / moments[0]
    one = means.estimates(weights[:1])
    assert one.std_error[0] == pytest.approx(np.sqrt(terms.sum()), rel=1e-12)
    df = terms.sum() ** 2 / (terms[:3] ** 2 / (moments[0][:3] - 1)).sum()
    assert one.df[0] == pytest.approx(df, rel=1e-12)


def test_averages_of_other_replications_are_refused():
    value, present = gappy(np.random.default_rng(7))
    means = ReplicationMeans.of([paired_means(value, present, 0.0)])
    with pytest.raises(DesignError, match="some algorithms lack replications that others have"):
        means.estimates(np.array([[0.5, 0.5, -1, 0]]))


def test_data_sets_are_averaged_with_the_degrees_of_freedom_of_satterthwaite():
    rng = np.random.default_rng(8)
    _, moments = samples(rng, (4, 5, 8, 30))
    value, present = gappy(rng)
    parts = [independent_means(*moments, 0.0), paired_means(value, present, 0.1)]
    found, each = ReplicationMeans.of(parts).estimates(TUKEY), np.stack(parts)
    v = each[:, 2, 4:] / 4
    np.testing.assert_allclose(found.estimate[:6], each[:, 1, 4:].mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.std_error[:6], np.sqrt(v.sum(axis=0)), rtol=1e-12)
    expected = v.sum(axis=0) ** 2 / (v**2 / each[:, 3, 4:]).sum(axis=0)
    np.testing.assert_allclose(found.df[:6], expected, rtol=1e-12)
    turned = ReplicationMeans.of(parts).estimates(-TUKEY)
    np.testing.assert_array_equal(turned.estimate[:6], -found.estimate[:6])
    infinite = ReplicationMeans.of(parts).estimates(TUKEY, asymptotic=True)
    assert np.isinf(infinite.df).all()
    np.testing.assert_array_equal(infinite.std_error, found.std_error)


def test_rounding_is_no_spread():
    value = np.array([0.1, 0.2, 0.3])[:, None] + np.array([0.0, 1e6, 1e6 + 0.1])
    found = paired_means(value, np.isfinite(value), 0.0)
    assert found[2, :3].min() > 0
    assert found[2, 3:].tolist() == [0, 0, 0]
    same = independent_means(np.array([3, 3]), np.array([0.3, 0.4]), np.array([1e-33, 0.5]), 0.0)
    assert same[2].tolist() == pytest.approx([0, 0.5 / 6, 0.5 / 6])


def test_units_of_unequal_size_have_the_degrees_of_freedom_of_their_sizes():
    rng = np.random.default_rng(9)
    items = np.array([1, 2, 4, 7, 3, 13.0])
    size = np.tile((items / items.mean())[:, None], (1, 3))
    found = paired_means(rng.normal(size=(6, 3)), np.ones((6, 3), bool), 0.0, size)
    np.testing.assert_allclose(found[3], freedom_of_units(items / items.sum()))
    even = paired_means(rng.normal(size=(6, 3)), np.ones((6, 3), bool), 0.0, np.ones((6, 3)))
    assert (even[3] == 5).all()
