"""Covariance of the interactions: priors and conditional draws, in one chain.

Common: ``Sigma = s^2 I`` on orthonormal contrasts, the same whatever the algorithms' labels.
Unstructured: ``Sigma | s, kappa ~ IW(J + 2 + kappa, (1 + kappa) s^2 I)`` with mean ``s^2 I``, to
which Sigma shrinks as kappa grows. Both s and kappa are drawn with Sigma integrated out: given
Sigma they are tied to it the tighter, the larger kappa, and chains would stand still where the data
speak for the common covariance.

Sigma is held by its eigenvectors V and eigenvalues: ``Sigma = V diag(values) V'``.
"""

from math import exp, lgamma, log, log1p, sqrt

import numpy as np

from benchinfer.analyses.bayes.numerics.chains import (
    CompiledPriors,
    entry,
    inlined,
    part,
)
from benchinfer.analyses.bayes.numerics.matrices import (
    TINY,
    composed,
    copy,
    eigen,
    factorise,
    product,
    solve_lower,
    solve_upper,
    transposed,
    tridiagonal,
)
from benchinfer.analyses.bayes.numerics.scales import WIDTH
from benchinfer.analyses.bayes.numerics.slices import log_scale_prior, log_t, slice_sampler
from benchinfer.numerics.types import Array

type Tridiagonal = tuple[Array, Array]


@part
def draw_normal(precision: Array, shift: Array, rng: np.random.Generator) -> Array:
    """Draw (n,) normal variables of a precision matrix; the shift is precision times mean."""
    factor, found = precision.copy(), shift.copy()
    factorise(factor)
    solve_lower(factor, found)
    for i in range(len(found)):
        found[i] += rng.standard_normal()
    solve_upper(factor, found)
    return found


@part
def _log_common(u: float, given: tuple[Array, int, float, float, CompiledPriors]) -> float:
    squares, j, nu, effect_sd, prior = given
    core = log_t(squares, exp(-2 * u), nu, j) - len(squares) * j * u
    return core + log_scale_prior(u, effect_sd, prior)


_move_common = slice_sampler(_log_common)


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
    given = (squares, j, nu, effect_sd, prior)
    return exp(_move_common(log(scale), given, 4 / sqrt(m), rng))


@part
def _log_unstructured(
    u: float, given: tuple[Tridiagonal, int, float, float, CompiledPriors]
) -> float:
    scatter, m, log_kappa, effect_sd, prior = given
    return log_marginal(scatter, m, u, log_kappa) + log_scale_prior(u, effect_sd, prior)


_move_unstructured = slice_sampler(_log_unstructured)


@part
def _log_shrinkage(u: float, given: tuple[Tridiagonal, int, float, CompiledPriors]) -> float:
    scatter, m, log_scale, prior = given
    j, kappa, constant = len(scatter[0]), exp(u), 0.0
    for i in range(j):
        half = (j + 2 + kappa - i) / 2
        constant += lgamma(half + m / 2) - lgamma(half)
    gap = (u - log(prior.shrinkage_median)) / prior.shrinkage_sd
    return constant + log_marginal(scatter, m, log_scale, u) - gap**2 / 2


_move_shrinkage = slice_sampler(_log_shrinkage)


@inlined
def draw_unstructured(
    scale: float,
    kappa: float,
    w: Array,
    mixing: Array,
    effect_sd: float,
    prior: CompiledPriors,
    rng: np.random.Generator,
) -> tuple[float, float, Array, Array]:
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

    Returns
    -------
    tuple
        s, kappa, (J, J) eigenvectors and (J,) eigenvalues of Sigma.

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
    held = (reduced, m, log_scale, prior)
    log_kappa = _move_shrinkage(log(kappa), held, WIDTH, rng)
    given = (reduced, m, log_kappa, effect_sd, prior)
    log_scale = _move_unstructured(log_scale, given, 4 / sqrt(m), rng)
    scale, kappa = exp(log_scale), exp(log_kappa)
    vectors, values = _draw_wishart(scatter, (1 + kappa) * scale**2, j + 2 + kappa + m, rng)
    return scale, kappa, vectors, values


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
def _draw_wishart(
    scatter: Array, psi: float, df: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Draw Sigma ~ IW(df, psi I + scatter); return eigenvectors and -values."""
    j = len(scatter)
    factor, rows = scatter.copy(), np.zeros((j, j))
    for i in range(j):
        factor[i, i] += psi
    factorise(factor)
    # Bartlett: a triangle of chi and normal variables is a root of a Wishart matrix.
    for i in range(j):
        for k in range(i):
            rows[k, i] = rng.standard_normal()
        rows[i, i] = sqrt(2 * rng.standard_gamma((df - i) / 2))
    for i in range(j):
        solve_upper(factor, rows[i])
    values, vectors = eigen(product(transposed(rows), rows))
    for i in range(j):
        values[i] = 1 / values[i]
    return vectors, values


@entry
def draw_covariances(psi: Array, df: Array, j: int, rng: np.random.Generator) -> Array:
    """Draw (N, J, J) matrices Sigma ~ IW(df, psi I)."""
    found, nothing = np.empty((len(psi), j, j)), np.zeros((j, j))
    for i in range(len(psi)):
        vectors, values = _draw_wishart(nothing, psi[i], df[i], rng)
        copy(found[i], composed(vectors, values))
    return found


@part
def _log_exchange(u: float, given: tuple[int, float, float, float, float, CompiledPriors]) -> float:
    m, inverse, nu, log_scale, effect_sd, prior = given
    core = -nu / 2 * (m * u + inverse * exp(-u))
    return core + log_scale_prior(log_scale - u / 2, effect_sd, prior)


_move_exchange = slice_sampler(_log_exchange)


@part
def draw_exchange(
    scale: float,
    values: Array,
    mixing: Array,
    nu: float,
    effect_sd: float,
    prior: CompiledPriors,
    rng: np.random.Generator,
) -> float:
    """Move scale between Sigma and the mixing scales, of which data only see the product.

    The (J,) eigenvalues and (M,) mixing scales change in place; returns the new s.
    """
    inverse = 0.0
    for x in mixing:
        inverse += 1 / x
    given = (len(mixing), inverse, nu, log(scale), effect_sd, prior)
    u = _move_exchange(0.0, given, 4 / sqrt(len(mixing)), rng)
    for k in range(len(values)):
        values[k] *= exp(-u)
    for m in range(len(mixing)):
        mixing[m] *= exp(u)
    return scale * exp(-u / 2)
