"""Covariance of the interactions: its conditional draws in one chain, by small matrices.

Common: ``Sigma = s^2 I`` on orthonormal contrasts, the same whatever the algorithms' labels.
Unstructured: ``Sigma | s, kappa ~ IW(J + 2 + kappa, (1 + kappa) s^2 I)`` with mean ``s^2 I``, to
which Sigma shrinks as kappa grows. Both s and kappa are drawn with Sigma integrated out: given
Sigma they are tied to it the tighter, the larger kappa, and chains would stand still where the data
speak for the common covariance.

Sigma is held by its eigenvectors V and eigenvalues: ``Sigma = V diag(values) V'``.

Products, factors and solves of small matrices are loops over contiguous rows: expressions of
arrays, slices and functions of NumPy take long to compile, once in each function that has them.
"""

from math import exp, lgamma, log, log1p, sqrt

import numpy as np

from benchinfer.analyses.bayes.numerics.chains import CompiledPriors, part
from benchinfer.analyses.bayes.numerics.scales import (
    AT,
    OPEN,
    WIDTH,
    draw_df,
    draw_mixing,
    log_scale_prior,
    log_t,
    narrow,
    open_slice,
)
from benchinfer.numerics.types import Array

type Tridiagonal = tuple[Array, Array]

TINY = 2.3e-308  # smaller numbers have fewer digits


@part
def product(left: Array, right: Array) -> Array:
    """Return (n, p) ``left @ right`` of (n, k) and (k, p)."""
    return np.dot(left, right)


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
    total = 0.0
    for i in range(first, len(row)):
        v[i] = row[i]
        total += row[i] ** 2
    return total


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
def _log_common(
    u: float, squares: Array, j: int, nu: float, effect_sd: float, prior: CompiledPriors
) -> float:
    core = log_t(squares, exp(-2 * u), nu, j) - len(squares) * j * u
    return core + log_scale_prior(u, effect_sd, prior)


@part
def draw_common(
    scale: float,
    w: Array,
    nu: float,
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
    effect_sd
        Standard deviation of the average effects.
    prior, rng
        Prior and random numbers.
    """
    (m, j), squares = w.shape, np.zeros(len(w))
    for i in range(m):
        for k in range(j):
            squares[i] += w[i, k] ** 2
    x = log(scale)
    interval = open_slice(x, _log_common(x, squares, j, nu, effect_sd, prior), 4 / sqrt(m), rng)
    while interval[OPEN]:
        narrow(interval, _log_common(interval[AT], squares, j, nu, effect_sd, prior), rng)
    return exp(interval[AT])


@part
def _log_unstructured(
    u: float,
    scatter: Tridiagonal,
    m: int,
    log_kappa: float,
    effect_sd: float,
    prior: CompiledPriors,
) -> float:
    return log_marginal(scatter, m, u, log_kappa) + log_scale_prior(u, effect_sd, prior)


@part
def _log_shrinkage(
    u: float, scatter: Tridiagonal, m: int, log_scale: float, prior: CompiledPriors
) -> float:
    j, kappa, constant = len(scatter[0]), exp(u), 0.0
    for i in range(j):
        half = (j + 2 + kappa - i) / 2
        constant += lgamma(half + m / 2) - lgamma(half)
    gap = (u - log(prior.shrinkage_median)) / prior.shrinkage_sd
    return constant + log_marginal(scatter, m, log_scale, u) - gap**2 / 2


@part
def draw_tails(
    df: float,
    mixing: Array,
    w: Array,
    vectors: Array,
    values: Array,
    prior: CompiledPriors,
    rng: np.random.Generator,
) -> float:
    """Draw degrees of freedom of (M, J) interactions, then (M,) mixing scales in place."""
    (m, j), turned, squares = w.shape, product(w, vectors), np.zeros(len(w))
    for i in range(m):
        for k in range(j):
            squares[i] += turned[i, k] ** 2 / values[k]
    df = draw_df(df, squares, j, prior, rng)
    draw_mixing(mixing, df, squares, j, rng)
    return df


@part
def draw_unstructured(
    scale: float,
    kappa: float,
    w: Array,
    mixing: Array,
    effect_sd: float,
    prior: CompiledPriors,
    root: Array,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Draw s and kappa with Sigma integrated out, then Sigma.

    Parameters
    ----------
    scale, kappa
        Current s and kappa.
    w, mixing
        (M, J) interactions and (M,) mixing scales.
    effect_sd
        Standard deviation of the average effects.
    prior, rng
        Prior and random numbers.
    root
        (J, J) matrix to be filled: ``root.T @ root`` is the inverse of the new Sigma.

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
    scatter = product(transposed(even), even)
    reduced, log_scale = tridiagonal(scatter.copy()), log(scale)
    log_kappa = log(kappa)
    interval = open_slice(
        log_kappa, _log_shrinkage(log_kappa, reduced, m, log_scale, prior), WIDTH, rng
    )
    while interval[OPEN]:
        narrow(interval, _log_shrinkage(interval[AT], reduced, m, log_scale, prior), rng)
    log_kappa = interval[AT]
    interval = open_slice(
        log_scale,
        _log_unstructured(log_scale, reduced, m, log_kappa, effect_sd, prior),
        4 / sqrt(m),
        rng,
    )
    while interval[OPEN]:
        narrow(
            interval, _log_unstructured(interval[AT], reduced, m, log_kappa, effect_sd, prior), rng
        )
    scale, kappa = exp(interval[AT]), exp(log_kappa)
    _draw_root(scatter, (1 + kappa) * scale**2, j + 2 + kappa + m, root, rng)
    return scale, kappa


@part
def log_marginal(scatter: Tridiagonal, m: int, log_scale: float, log_kappa: float) -> float:
    """Return the log density of m normal vectors with Sigma integrated out.

    It depends on the determinant of their scatter matrix plus psi I, whose pivots follow from each
    other; what neither s nor kappa enters is left out, and so are the gamma functions, which only
    kappa enters.
    """
    (diagonal, squares), kappa = scatter, exp(log_kappa)
    log_psi = log1p(kappa) + 2 * log_scale
    j, psi = len(diagonal), max(exp(log_psi), TINY)
    shrunk, above = 0.0, 0.0
    for i in range(j):
        # Pivots over psi are at least one, but for rounding: no eigenvalue is negative.
        above = max((diagonal[i] - squares[i] / psi / (1 + above)) / psi, 0.0)
        shrunk += log1p(above)
    return -m * j / 2 * log_psi - (j + 2 + kappa + m) / 2 * shrunk


@part
def _draw_root(
    scatter: Array, psi: float, df: float, root: Array, rng: np.random.Generator
) -> None:
    """Fill a root of the inverse of Sigma ~ IW(df, psi I + scatter), which is overwritten."""
    j, factor = len(scatter), scatter
    for i in range(j):
        factor[i, i] += psi
    factorise(factor)
    # Bartlett: a triangle of chi and normal variables is a root of a Wishart matrix.
    for i in range(j):
        for k in range(i):
            root[k, i] = rng.standard_normal()
            root[i, k] = 0.0
        root[i, i] = sqrt(2 * rng.standard_gamma((df - i) / 2))
    for i in range(j):
        solve_upper(factor, root[i])


def from_roots(roots: Array) -> tuple[Array, Array]:
    """Return (N, J) eigenvalues and (N, J, J) eigenvectors of Sigma from roots of its inverse."""
    inverse, vectors = np.linalg.eigh(roots.swapaxes(1, 2) @ roots)
    return 1 / inverse, vectors


def draw_covariances(psi: Array, df: Array, j: int, rng: np.random.Generator) -> Array:
    """Draw (N, J, J) matrices Sigma ~ IW(df, psi I)."""
    roots = np.zeros((len(psi), j, j))
    for root, n in zip(roots, df, strict=True):
        for i in range(j):
            root[:i, i] = rng.standard_normal(i)
            root[i, i] = sqrt(2 * rng.standard_gamma((n - i) / 2))
    values, vectors = from_roots(roots / np.sqrt(psi)[:, None, None])
    return (vectors * values[:, None, :]) @ vectors.swapaxes(1, 2)


@part
def _log_exchange(
    u: float,
    m: int,
    inverse: float,
    nu: float,
    log_scale: float,
    effect_sd: float,
    prior: CompiledPriors,
) -> float:
    core = -nu / 2 * (m * u + inverse * exp(-u))
    return core + log_scale_prior(log_scale - u / 2, effect_sd, prior)


@part
def draw_exchange(
    scale: float,
    mixing: Array,
    nu: float,
    effect_sd: float,
    prior: CompiledPriors,
    rng: np.random.Generator,
) -> float:
    """Move scale between Sigma and the mixing scales, of which data only see the product.

    The (M,) mixing scales change in place; returns the new s.
    """
    inverse = 0.0
    for x in mixing:
        inverse += 1 / x
    m, log_scale = len(mixing), log(scale)
    interval = open_slice(
        0.0, _log_exchange(0.0, m, inverse, nu, log_scale, effect_sd, prior), 4 / sqrt(m), rng
    )
    while interval[OPEN]:
        narrow(
            interval, _log_exchange(interval[AT], m, inverse, nu, log_scale, effect_sd, prior), rng
        )
    u = interval[AT]
    for i in range(m):
        mixing[i] *= exp(u)
    return scale * exp(-u / 2)
