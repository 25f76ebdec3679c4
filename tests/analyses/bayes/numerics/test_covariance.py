"""Small matrices and draws of the covariance."""

import numpy as np
import pytest
from numba import njit
from scipy import stats

from benchinfer.analyses.bayes.numerics.covariance import (
    apply,
    draw_covariances,
    draw_normal,
    factorise,
    solve,
)
from benchinfer.analyses.bayes.numerics.gibbs import compiled_priors
from benchinfer.analyses.bayes.numerics.lapack import eigen, eigenvalues, product
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.scales import draw_tails


def test_normal_from_precision():
    rng = np.random.default_rng(1)
    precision = np.array([[2.0, 0.7], [0.7, 1.0]])
    shift = np.array([1.0, -2.0])
    values = np.array([draw_normal(precision, shift, rng) for _ in range(40_000)])
    covariance = np.linalg.inv(precision)
    np.testing.assert_allclose(np.cov(values.T), covariance, atol=0.05)
    np.testing.assert_allclose(values.mean(axis=0), covariance @ [1.0, -2.0], atol=0.03)


def test_covariances_are_inverse_wishart():
    """One over a diagonal element of the inverse, and a diagonal element, are inverse gamma."""
    n, psi, df = 5000, 1.7, 8.0
    drawn = draw_covariances(np.full(n, psi), np.full(n, df), 3, np.random.default_rng(2))
    np.testing.assert_allclose(drawn, drawn.swapaxes(1, 2), atol=1e-12)
    precision = np.linalg.inv(drawn)[:, 1, 1] * psi
    assert stats.kstest(precision, stats.chi2(df).cdf).pvalue > 1e-3
    assert stats.kstest(psi / drawn[:, 0, 0], stats.chi2(df - 2).cdf).pvalue > 1e-3
    assert abs(np.mean(drawn[:, 0, 1])) < 0.02


def test_mixing_scales_are_inverse_gamma():
    values, prior = np.empty(5000), compiled_priors(Priors(), 3)
    nu = draw_tails(4.0, values, np.full(5000, 2.5), 3, prior, np.random.default_rng(1))
    drawn = stats.invgamma((nu + 3) / 2, scale=(nu + 2.5) / 2)
    assert stats.kstest(values, drawn.cdf).pvalue > 1e-3


def symmetric(n, rank, seed=1):
    half = np.random.default_rng(seed).standard_normal((n, rank))
    return half @ half.T


@pytest.fixture(scope="module")
def compiled():
    """Return one compiled function of all operations: their results, given matrix and vector."""

    @njit
    def operations(matrix, wide, x):
        values, vectors = eigen(matrix)
        return apply(matrix, x), product(matrix, wide), values, vectors, eigenvalues(matrix)

    return operations


@pytest.mark.slow
@pytest.mark.parametrize(("n", "rank"), [(1, 1), (2, 2), (3, 1), (7, 9), (20, 5)])
def test_compiled_code_and_python_call_the_same_part(compiled, n, rank):
    matrix, x = symmetric(n, rank), np.linspace(-1, 2, n)
    wide = np.random.default_rng(3).standard_normal((n, n + 3))
    before = matrix.copy()
    applied, multiplied, values, vectors, roots = compiled(matrix, wide, x)
    np.testing.assert_array_equal(matrix, before)
    np.testing.assert_allclose(applied, apply(matrix, x), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(multiplied, product(matrix, wide), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(values, eigen(matrix)[0], atol=1e-13 * n**2)
    np.testing.assert_allclose(roots, eigenvalues(matrix), atol=1e-13 * n**2)
    np.testing.assert_allclose((vectors * values) @ vectors.T, matrix, atol=1e-12 * n)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n), atol=1e-12)


def test_rows_are_solved():
    matrix, rows = symmetric(5, 8), np.random.default_rng(2).standard_normal((3, 5))
    values = rows.copy()
    solve(matrix.copy(), values)
    np.testing.assert_allclose(values @ matrix, rows, atol=1e-12)


def test_a_singular_matrix_has_no_factor():
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        factorise(np.zeros((2, 2)))
