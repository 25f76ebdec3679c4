import numpy as np
from scipy.stats import invwishart, multivariate_normal

from benchinfer.analyses.bayes.numerics.covariance import (
    Covariance,
    common,
    log_constant,
    log_marginal,
)


def test_marginal_is_likelihood_times_prior_over_posterior():
    rng = np.random.default_rng(1)
    w = rng.standard_normal((6, 3)) * [1.0, 0.3, 2.0]
    scatter = w.T @ w
    at = invwishart(9, np.eye(3)).rvs(random_state=rng)
    gaps = []
    for s, kappa in ((0.5, 0.2), (1.5, 7.0), (0.9, 300.0)):
        df, psi = 5 + kappa, (1 + kappa) * s**2 * np.eye(3)
        direct = multivariate_normal(np.zeros(3), at).logpdf(w).sum()
        direct += invwishart(df, psi).logpdf(at) - invwishart(df + 6, psi + scatter).logpdf(at)
        logs = np.log([s]), np.log([kappa])
        ours = log_marginal(np.linalg.eigvalsh(scatter)[None], 6, *logs)
        gaps.append((ours + log_constant(3, 6, logs[1]))[0] - direct)
    np.testing.assert_allclose(gaps, gaps[0], rtol=1e-10)


def test_marginal_tends_to_that_of_the_common_covariance():
    roots = np.array([[0.5, 2.0, 7.0]])
    logs = np.array([0.3]), np.array([np.log(1e9)])
    found = log_marginal(roots, 6, *logs) + log_constant(3, 6, logs[1])
    total = roots.sum()
    other = np.array([0.7]), logs[1]
    change = log_marginal(roots, 6, *other) + log_constant(3, 6, other[1]) - found
    expected = -18 * 0.4 - total / 2 * (np.exp(-1.4) - np.exp(-0.6))
    np.testing.assert_allclose(change, expected, rtol=1e-5)


def test_squares_are_in_the_metric_of_the_matrix():
    rng = np.random.default_rng(1)
    values, vectors = np.linalg.eigh(np.array([[[2.0, 0.5], [0.5, 1.0]]]))
    sigma = Covariance(vectors, values, np.ones(1), np.ones(1))
    w = rng.standard_normal((1, 4, 2))
    expected = np.einsum("mi,ij,mj->m", w[0], np.linalg.inv(sigma.matrix[0]), w[0])
    np.testing.assert_allclose(sigma.squares(w)[0], expected)
    np.testing.assert_allclose(common(np.array([3.0]), 2).matrix, 9 * np.eye(2)[None])
