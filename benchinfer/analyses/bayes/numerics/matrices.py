"""Products, factors and solves of small matrices, compiled.

Loops over contiguous rows: expressions of arrays, slices and functions of NumPy take long to
compile, once in each function that has them.
"""

from math import sqrt

import numpy as np

from benchinfer.analyses.bayes.numerics.chains import part
from benchinfer.numerics.types import Array

TINY = 2.3e-308  # smaller numbers have fewer digits


@part
def product(left: Array, right: Array) -> Array:
    """Return (n, p) ``left @ right`` of (n, k) and (k, p)."""
    return np.dot(left, right)


@part
def apply(matrix: Array, x: Array) -> Array:
    """Return (n,) ``matrix @ x`` of (n, k) and (k,)."""
    found = np.zeros(matrix.shape[0])
    for i in range(matrix.shape[0]):
        for k in range(matrix.shape[1]):
            found[i] += matrix[i, k] * x[k]
    return found


@part
def transposed(matrix: Array) -> Array:
    """Return the transpose, contiguous in memory."""
    found = np.empty((matrix.shape[1], matrix.shape[0]))
    for i in range(matrix.shape[0]):
        for k in range(matrix.shape[1]):
            found[k, i] = matrix[i, k]
    return found


@part
def scaled(matrix: Array, factors: Array) -> Array:
    """Return (n, k) ``matrix @ diag(factors)``."""
    found = np.empty(matrix.shape)
    for i in range(matrix.shape[0]):
        for k in range(matrix.shape[1]):
            found[i, k] = matrix[i, k] * factors[k]
    return found


@part
def composed(vectors: Array, values: Array) -> Array:
    """Return the (n, n) matrix of eigenvectors and -values."""
    return product(scaled(vectors, values), transposed(vectors))


@part
def block(matrix: Array, first: int, n: int) -> Array:
    """Return a copy of the (n, n) block on the diagonal from a first row."""
    found = np.empty((n, n))
    for i in range(n):
        for k in range(n):
            found[i, k] = matrix[first + i, first + k]
    return found


@part
def add(target: Array, first: int, factor: float, x: Array) -> None:
    """Add numbers times a factor in place, from a first one on."""
    for i in range(min(len(x), len(target) - first)):
        target[first + i] += factor * x[i]


@part
def add_block(target: Array, row: int, column: int, factor: float, matrix: Array) -> None:
    """Add a matrix times a factor in place, from a first row and column on."""
    for i in range(matrix.shape[0]):
        for k in range(matrix.shape[1]):
            target[row + i, column + k] += factor * matrix[i, k]


@part
def copy(target: Array, source: Array) -> None:
    """Copy the numbers of a matrix."""
    for i in range(source.shape[0]):
        for k in range(source.shape[1]):
            target[i, k] = source[i, k]


@part
def factorise(matrix: Array) -> None:
    """Put the Cholesky factor L of a matrix in its place, below the diagonal, and L' above.

    So both solves go along rows. Raises a ``LinAlgError`` where the matrix is not positive
    definite.
    """
    n = len(matrix)
    for k in range(n):
        if not matrix[k, k] > 0:
            raise np.linalg.LinAlgError("Matrix is not positive definite.")
        root = sqrt(matrix[k, k])
        for j in range(k, n):
            matrix[k, j] /= root
        for i in range(k + 1, n):
            factor = matrix[k, i]
            for j in range(i, n):
                matrix[i, j] -= factor * matrix[k, j]
            matrix[i, k] = factor


@part
def solve_lower(factor: Array, x: Array) -> None:
    """Solve ``L @ new = x`` in place, of (n, n) `factorise` and (n,)."""
    for i in range(len(x)):
        x[i] /= factor[i, i]
        for k in range(i + 1, len(x)):
            x[k] -= factor[i, k] * x[i]


@part
def solve_upper(factor: Array, x: Array) -> None:
    """Solve ``L.T @ new = x`` in place, of (n, n) `factorise` and (n,)."""
    for i in range(len(x) - 1, -1, -1):
        x[i] /= factor[i, i]
        for k in range(i):
            x[k] -= factor[i, k] * x[i]


@part
def solve(matrix: Array, rows: Array) -> None:
    """Solve ``matrix @ new = row`` in place for each of (p, n) rows; the matrix is overwritten."""
    factorise(matrix)
    for i in range(len(rows)):
        solve_lower(matrix, rows[i])
        solve_upper(matrix, rows[i])


@part
def eigen(matrix: Array) -> tuple[Array, Array]:
    """Return (n,) eigenvalues and (n, n) eigenvectors of a symmetric matrix."""
    values, vectors = np.linalg.eigh(matrix)
    return values, np.ascontiguousarray(vectors)


@part
def tridiagonal(matrix: Array) -> tuple[Array, Array]:
    """Return a tridiagonal matrix with the eigenvalues of a symmetric one, which is overwritten.

    Returns
    -------
    diagonal, squares
        (n,) diagonal, and squares of the numbers to the left of it, the first of them 0.

    References
    ----------
    Householder, A. S. (1958). Unitary triangularization of a nonsymmetric matrix. Journal of the
    ACM 5, 339-342. https://doi.org/10.1145/320941.320947
    """
    n = len(matrix)
    squares, v, along = np.zeros(n), np.empty(n), np.empty(n)
    for k in range(n - 1):
        # The reflection x - v v'x / half takes row k right of the diagonal to its first place.
        squares[k + 1] = _squared_length(matrix[k], k + 1, v)
        if squares[k + 1] < TINY or k == n - 2:
            continue
        length = sqrt(squares[k + 1])
        v[k + 1] += length if v[k + 1] > 0 else -length
        half, inner = length * abs(v[k + 1]), 0.0
        along[:] = 0.0
        for i in range(k + 1, n):
            factor = v[i] / half
            for j in range(k + 1, n):
                along[j] += factor * matrix[i, j]
        for i in range(k + 1, n):
            inner += along[i] * v[i] / half / 2
        for i in range(k + 1, n):
            along[i] -= inner * v[i]
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                matrix[i, j] -= v[i] * along[j] + along[i] * v[j]
    for k in range(n):
        along[k] = matrix[k, k]
    return along, squares


@part
def _squared_length(row: Array, first: int, v: Array) -> float:
    """Copy the numbers of a row from a first one on; return the sum of their squares."""
    found = 0.0
    for i in range(first, len(row)):
        v[i] = row[i]
        found += row[i] ** 2
    return found
