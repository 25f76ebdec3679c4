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
    tridiagonal,
)
from benchinfer.analyses.bayes.numerics.scales import draw_mixing


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
    values = np.empty(5000)
    draw_mixing(values, 4.0, np.full(5000, 2.5), 3, np.random.default_rng(1))
    assert stats.kstest(values, stats.invgamma(3.5, scale=3.25).cdf).pvalue > 1e-3


def symmetric(n, rank, seed=1):
    half = np.random.default_rng(seed).standard_normal((n, rank))
    return half @ half.T


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (2, 2), (3, 1), (7, 9), (20, 5)])
def test_a_tridiagonal_matrix_has_the_same_eigenvalues(n, rank):
    matrix = symmetric(n, rank)
    diagonal, squares = tridiagonal(matrix.copy())
    beside = np.sqrt(squares[1:])
    roots = np.linalg.eigvalsh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
    np.testing.assert_allclose(roots, np.linalg.eigvalsh(matrix), atol=1e-13 * n**2)


def test_compiled_code_and_python_call_the_same_part():
    @njit
    def compiled(matrix, x):
        return apply(matrix, x)

    matrix, x = symmetric(3, 4), np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(compiled(matrix, x), apply(matrix, x), rtol=1e-14)


def test_rows_are_solved():
    matrix, rows = symmetric(5, 8), np.random.default_rng(2).standard_normal((3, 5))
    values = rows.copy()
    solve(matrix.copy(), values)
    np.testing.assert_allclose(values @ matrix, rows, atol=1e-12)


def test_a_singular_matrix_has_no_factor():
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        factorise(np.zeros((2, 2)))
