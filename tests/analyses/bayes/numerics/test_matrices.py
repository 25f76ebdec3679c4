import numpy as np
import pytest
from numba import njit

from benchinfer.analyses.bayes.numerics import matrices


def symmetric(n, rank, seed=1):
    half = np.random.default_rng(seed).standard_normal((n, rank))
    return half @ half.T


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (2, 2), (3, 1), (7, 9), (20, 5)])
def test_a_tridiagonal_matrix_has_the_same_eigenvalues(n, rank):
    matrix = symmetric(n, rank)
    diagonal, squares = matrices.tridiagonal(matrix.copy())
    beside = np.sqrt(squares[1:])
    found = np.linalg.eigvalsh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
    np.testing.assert_allclose(found, np.linalg.eigvalsh(matrix), atol=1e-13 * n**2)


def test_compiled_code_and_python_call_the_same_part():
    @njit
    def compiled(matrix, x):
        return matrices.apply(matrix, x)

    matrix, x = symmetric(3, 4), np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(compiled(matrix, x), matrices.apply(matrix, x), rtol=1e-14)


def test_rows_are_solved():
    matrix, rows = symmetric(5, 8), np.random.default_rng(2).standard_normal((3, 5))
    found = rows.copy()
    matrices.solve(matrix.copy(), found)
    np.testing.assert_allclose(found @ matrix, rows, atol=1e-12)


def test_a_singular_matrix_has_no_factor():
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        matrices.factorise(np.zeros((2, 2)))
