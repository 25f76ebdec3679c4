import numpy as np
import pytest
from scipy import stats

from benchinfer.analyses.bayes.pairwise.numerics import dirichlet
from benchinfer.analyses.bayes.pairwise.numerics.dirichlet import Walsh


def by_matrices(z, weight, margin):
    """Return the shares by the double sum of the papers, value by value."""
    sums = z[:, None] + z
    above = (sums > 2 * margin) + 0.5 * (sums == 2 * margin)
    below = (sums < -2 * margin) + 0.5 * (sums == -2 * margin)
    w = weight / weight.sum()
    first, second = w @ above @ w, w @ below @ w
    return np.array([first, 1 - first - second, second])


@pytest.mark.parametrize(
    "alpha", [(3.0, 2.0, 5.5), (27.0, 1.0, 14.0), (0.5, 0.5, 4.0), (900, 850, 1)]
)
def test_probability_to_be_largest_is_that_of_gamma_variables(alpha):
    values = dirichlet.largest(np.array(alpha, dtype=float))
    for k in range(3):
        others = [j for j in range(3) if j != k]
        t = np.linspace(-45, np.log(stats.gamma.isf(1e-14, max(alpha))), 20_001)
        x = np.exp(t)
        product = np.prod([stats.gamma.cdf(x, alpha[j]) for j in others], axis=0)
        expected = np.trapezoid(product * stats.gamma.pdf(x, alpha[k]) * x, t)
        assert values[k] == pytest.approx(expected, abs=1e-7)


def test_shares_without_weight_are_never_largest():
    np.testing.assert_array_equal(dirichlet.largest(np.array([0.0, 2.0, 0.0])), [0, 1, 0])
    values = dirichlet.largest(np.array([3.0, 0.0, 2.0]))
    assert values[1] == 0
    assert values[0] == pytest.approx(stats.beta.sf(0.5, 3, 2), abs=1e-12)


@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_walsh_outcomes_are_the_double_sums_ties_and_borders_too(margin):
    rng = np.random.default_rng(3)
    z = np.array([-2.0, -1.0, -1.0, 0.0, 0.5, 1.0, 1.0, 2.0, 3.25, 0.0])
    walsh = Walsh.of(z, margin, 4.0, 0.5, 0.0)
    weight = rng.exponential(size=(5, 11))
    values = walsh.outcomes(weight)
    expected = [by_matrices(walsh.z, w, margin) for w in weight]
    np.testing.assert_allclose(values, expected, atol=1e-12)


def test_borders_are_not_moved_by_rounding():
    z = np.array([0.1 + 0.2, 0.3, -0.3])  # the first is 0.30000000000000004
    exact = Walsh.of(np.array([0.3, 0.3, -0.3]), 0.3, 1.0, 0.5, 0.0)
    values = Walsh.of(z, 0.3, 1.0, 0.5, 0.0)
    weight = np.random.default_rng(1).exponential(size=(3, 4))
    np.testing.assert_allclose(values.outcomes(weight), exact.outcomes(weight), atol=1e-15)


@pytest.mark.parametrize("at", [0.0, np.inf, -np.inf])
def test_expected_shares_are_the_mean_over_the_posterior(at):
    z = np.random.default_rng(2).normal(0.3, 1.0, 12)
    walsh = Walsh.of(z, 0.2, 2.0, 0.7, at)
    rng = np.random.default_rng(1)
    drawn = np.concatenate(
        [walsh.outcomes(w) for w in dirichlet.weights(walsh.concentration, 40_000, rng)]
    )
    error = drawn.std(axis=0) / 200
    assert (np.abs(drawn.mean(axis=0) - walsh.expected()) < 4 * error + 1e-12).all()
    assert walsh.expected().sum() == pytest.approx(1)


def test_pseudo_observation_without_bound_only_helps_its_side():
    z, rng = np.random.default_rng(2).normal(0.0, 1.0, 12), np.random.default_rng(1)
    said = [
        dirichlet.signed_rank_test(z, 0.1, 2.0, (1.0, at), 0.9, 2000, rng)
        for at in (np.inf, 0.0, -np.inf)
    ]
    first = [one.expected[0] for one in said]
    assert first[0] > first[1] > first[2]
    assert all(np.isfinite([one.estimate, one.low, one.high]).all() for one in said)
    assert len({one.estimate for one in said}) == 1


def test_sign_test_is_that_of_dirichlet_draws():
    z = np.array([0.5, 0.4, 0.02, -0.01, -0.5, 0.3, 0.2])
    rng = np.random.default_rng(1)
    values = dirichlet.sign_test(z, 0.1, 1.0, np.array([0.0, 1.0, 0.0]), 0.9, 2000, rng)
    alpha = np.array([4.0, 3.0, 1.0])
    np.testing.assert_allclose(values.expected, alpha / 8)
    drawn = rng.dirichlet(alpha, 200_000).argmax(axis=1)
    shares = np.bincount(drawn, minlength=3) / 200_000
    assert (np.abs(values.votes - shares) < 4 * np.sqrt(0.25 / 200_000)).all()
    assert values.error == 0


def test_without_margin_ties_count_half_to_either_side():
    z = np.array([1.0, 1.0, 0.0, 0.0, -1.0])
    rng = np.random.default_rng(1)
    sign = dirichlet.sign_test(z, 0.0, 1.0, np.array([0.0, 1.0, 0.0]), 0.9, 500, rng)
    np.testing.assert_allclose(sign.expected, [3.5 / 6, 0, 2.5 / 6])
    assert sign.votes[0] == pytest.approx(stats.beta.sf(0.5, 2, 1))
    rank = dirichlet.signed_rank_test(z, 0.0, 1.0, (0.5, 0.0), 0.9, 500, rng)
    assert rank.expected[[0, 2]].sum() == pytest.approx(1)
    assert rank.votes[[0, 2]].sum() == pytest.approx(1)


def test_only_ties_decide_nothing():
    z, rng = np.zeros(6), np.random.default_rng(1)
    sign = dirichlet.sign_test(z, 0.0, 1.0, np.array([0.0, 1.0, 0.0]), 0.9, 100, rng)
    rank = dirichlet.signed_rank_test(z, 0.0, 1.0, (0.5, 0.0), 0.9, 500, rng)
    for one in (sign, rank):
        np.testing.assert_allclose(one.expected, [0.5, 0, 0.5])
        np.testing.assert_allclose(one.votes, [0.5, 0, 0.5], atol=1e-12)
