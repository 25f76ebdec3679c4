"""Covariance of the interactions: its conditional draws in one chain, by small matrices.

Common: ``Sigma = s^2 I`` on orthonormal contrasts, the same whatever the algorithms' labels.
Unstructured: ``Sigma | s, kappa ~ IW(J + 2 + kappa, (1 + kappa) s^2 I)`` with mean ``s^2 I``, to
which Sigma shrinks as kappa grows. Both s and kappa are drawn with Sigma integrated out: given
Sigma they are tied to it the tighter, the larger kappa, and chains would stand still where the data
speak for the common covariance.

Sigma is held by its eigenvectors V and eigenvalues: ``Sigma = V diag(values) V'``.

Factors and solves of small matrices are loops over contiguous rows: expressions of arrays, slices
and functions of NumPy take long to compile, once in each function that has them.
"""

from math import exp, log, sqrt

import numpy as np

from benchinfer.analyses.bayes.numerics.chains import CompiledPriors
from benchinfer.analyses.bayes.numerics.lapack import eigen, eigenvalues, product
from benchinfer.analyses.bayes.numerics.scales import scale_prior
from benchinfer.analyses.bayes.numerics.slices import (
    COMMON,
    EXCHANGE,
    FLAT,
    SHRINKAGE,
    UNSTRUCTURED,
    WIDTH,
    moved,
)
from benchinfer.numerics.compilation import part
from benchinfer.numerics.types import Array


@part
def apply(matrix: Array, x: Array) -> Array:
    """Return (n,) ``matrix @ x`` of (n, k) and (k,)."""
    result = np.zeros(matrix.shape[0])
    for i in range(matrix.shape[0]):
        for k in range(matrix.shape[1]):
            result[i] += matrix[i, k] * x[k]
    return result


@part
def transposed(matrix: Array) -> Array:
    """Return the transpose, contiguous in memory."""
    result = np.empty((matrix.shape[1], matrix.shape[0]))
    for i in range(matrix.shape[0]):
        for k in range(matrix.shape[1]):
            result[k, i] = matrix[i, k]
    return result


@part
def scaled(matrix: Array, factors: Array) -> Array:
    """Return (n, k) ``matrix @ diag(factors)``."""
    result = np.empty(matrix.shape)
    for i in range(matrix.shape[0]):
        for k in range(matrix.shape[1]):
            result[i, k] = matrix[i, k] * factors[k]
    return result


@part
def composed(vectors: Array, values: Array) -> Array:
    """Return the (n, n) matrix of eigenvectors and -values."""
    return product(scaled(vectors, values), transposed(vectors))


@part
def block(matrix: Array, first: int, n: int) -> Array:
    """Return a copy of the (n, n) block on the diagonal from a first row."""
    result = np.empty((n, n))
    for i in range(n):
        for k in range(n):
            result[i, k] = matrix[first + i, first + k]
    return result


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
    """Replace a matrix by its Cholesky factor: L below the diagonal, and L' above.

    Both solves then go along rows. Raises a ``LinAlgError`` where the matrix is not positive
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
def draw_normal(precision: Array, shift: Array, rng: np.random.Generator) -> Array:
    """Draw (n,) normal variables of a precision matrix; the shift is precision times mean."""
    factor, drawn = precision.copy(), shift.copy()
    factorise(factor)
    solve_lower(factor, drawn)
    for i in range(len(drawn)):
        drawn[i] += rng.standard_normal()
    solve_upper(factor, drawn)
    return drawn


@part
def draw_common(
    scale: float,
    w: Array,
    nu: float,
    values: Array,
    effect_sd: float,
    prior: CompiledPriors,
    rng: np.random.Generator,
) -> float:
    """Draw s given (M, J) interactions, with the mixing scales integrated out.

    Parameters
    ----------
    scale
        Current s.
    w
        Interactions.
    nu
        Degrees of freedom, infinite for normal interactions.
    values
        (J,) eigenvalues of Sigma, which are replaced.
    effect_sd
        Standard deviation of the average effects.
    prior, rng
        Prior and random numbers.
    """
    (m, j), squares = w.shape, np.zeros(len(w))
    for i in range(m):
        for k in range(j):
            squares[i] += w[i, k] ** 2
    given, typical = (float(j), nu, 0.0, 0.0), scale_prior(effect_sd, prior)
    scale = exp(moved(COMMON, log(scale), 4 / sqrt(m), given, typical, squares, squares, rng))
    for k in range(j):
        values[k] = scale**2
    return scale


@part
def lengths(w: Array, vectors: Array, values: Array) -> Array:
    """Return (M,) squared lengths of (M, J) interactions in the metric of Sigma."""
    turned, squares = product(w, vectors), np.zeros(len(w))
    for i in range(w.shape[0]):
        for k in range(w.shape[1]):
            squares[i] += turned[i, k] ** 2 / values[k]
    return squares


@part
def draw_unstructured(
    scale: float,
    kappa: float,
    w: Array,
    mixing: Array,
    vectors: Array,
    values: Array,
    effect_sd: float,
    prior: CompiledPriors,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Draw s and kappa with Sigma integrated out, then Sigma ~ IW(df, psi I + scatter) in place.

    Parameters
    ----------
    scale, kappa
        Current s and kappa.
    w, mixing
        (M, J) interactions and (M,) mixing scales.
    vectors, values
        (J, J) eigenvectors and (J,) eigenvalues of Sigma, which are replaced.
    effect_sd
        Standard deviation of the average effects.
    prior, rng
        Prior and random numbers.

    Returns
    -------
    tuple
        New s and kappa.

    References
    ----------
    van Dyk, D. A. & Park, T. (2008). Partially collapsed Gibbs samplers: theory and methods.
    Journal of the American Statistical Association 103, 790-796.
    https://doi.org/10.1198/016214508000000409
    """
    (m, j), even = w.shape, np.empty(w.shape)
    for i in range(m):
        for k in range(j):
            even[i, k] = w[i, k] / sqrt(mixing[i])
    factor = product(transposed(even), even)
    x, log_scale, log_kappa = eigenvalues(factor), log(scale), log(kappa)
    given = float(m), log_scale, log(prior.shrinkage_median), prior.shrinkage_sd
    log_kappa = moved(SHRINKAGE, log_kappa, WIDTH, given, FLAT, x, x, rng)
    given, typical = (float(m), log_kappa, 0.0, 0.0), scale_prior(effect_sd, prior)
    scale = exp(moved(UNSTRUCTURED, log_scale, 4 / sqrt(m), given, typical, x, x, rng))
    kappa, root = exp(log_kappa), np.zeros((j, j))
    for i in range(j):
        factor[i, i] += (1 + kappa) * scale**2
    factorise(factor)
    # Bartlett: a triangle of chi and normal variables is a root of a Wishart matrix.
    for i in range(j):
        for k in range(i):
            root[k, i] = rng.standard_normal()
        root[i, i] = sqrt(2 * rng.standard_gamma((j + 2 + kappa + m - i) / 2))
    for i in range(j):
        solve_upper(factor, root[i])
    inverse, axes = eigen(product(transposed(root), root))
    copy(vectors, axes)
    for k in range(j):
        values[k] = 1 / inverse[k]
    return scale, kappa


def draw_covariances(psi: Array, df: Array, j: int, rng: np.random.Generator) -> Array:
    """Draw (N, J, J) matrices Sigma ~ IW(df, psi I)."""
    roots = np.zeros((len(psi), j, j))
    for root, n in zip(roots, df, strict=True):
        for i in range(j):
            root[:i, i] = rng.standard_normal(i)
            root[i, i] = sqrt(2 * rng.standard_gamma((n - i) / 2))
    roots /= np.sqrt(psi)[:, None, None]
    inverse, vectors = np.linalg.eigh(roots.swapaxes(1, 2) @ roots)
    return (vectors * (1 / inverse)[:, None, :]) @ vectors.swapaxes(1, 2)


@part
def draw_exchange(
    scale: float,
    mixing: Array,
    nu: float,
    effect_sd: float,
    prior: CompiledPriors,
    rng: np.random.Generator,
) -> float:
    """Move scale between Sigma and the mixing scales; the data depend on the product alone.

    The (M,) mixing scales change in place; returns the new s.
    """
    inverse = 0.0
    for x in mixing:
        inverse += 1 / x
    m, x = len(mixing), mixing
    given, typical = (float(m), inverse, nu, log(scale)), scale_prior(effect_sd, prior)
    u = moved(EXCHANGE, 0.0, 4 / sqrt(m), given, typical, x, x, rng)
    for i in range(m):
        mixing[i] *= exp(u)
    return scale * exp(-u / 2)
