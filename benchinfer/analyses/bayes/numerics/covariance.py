"""Covariance of the interactions: priors and conditional draws.

Common: ``Sigma = s^2 I`` on orthonormal contrasts, the same whatever the algorithms' labels.
Unstructured: ``Sigma | s, kappa ~ IW(J + 2 + kappa, (1 + kappa) s^2 I)`` with mean ``s^2 I``, to
which Sigma shrinks as kappa grows. Both s and kappa are drawn with Sigma integrated out: given
Sigma they are tied to it the tighter, the larger kappa, and chains would stand still where the data
speak for the common covariance.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.scales import log_t, scale_prior, slice_step

type Array = NDArray[np.float64]
_WIDTH = 1.5


@dataclass(frozen=True, slots=True)
class Covariance:
    """Sigma in C chains, by its eigenvectors and eigenvalues.

    Attributes
    ----------
    vectors, values
        (C, J, J) and (C, J), with ``Sigma = vectors @ diag(values) @ vectors'``.
    scale
        (C,) s.
    shrinkage
        (C,) kappa; infinite for a common covariance.
    """

    vectors: Array
    values: Array
    scale: Array
    shrinkage: Array

    @property
    def matrix(self) -> Array:
        """(C, J, J) Sigma."""
        return (self.vectors * self.values[:, None, :]) @ self.vectors.swapaxes(1, 2)

    def squares(self, w: Array) -> Array:
        """Return (C, M) squared lengths of (C, M, J) vectors in the metric of Sigma."""
        return (((w @ self.vectors) ** 2) / self.values[:, None, :]).sum(axis=2)


def common(scale: Array, j: int) -> Covariance:
    """Return ``s^2 I`` for (C,) scales."""
    c = len(scale)
    vectors = np.broadcast_to(np.eye(j), (c, j, j))
    values = np.repeat(scale[:, None] ** 2, j, axis=1)
    return Covariance(vectors, values, scale, np.full(c, np.inf))


def draw_common(
    now: Covariance,
    w: Array,
    nu: Array | None,
    effect_sd: Array,
    priors: Priors,
    rng: np.random.Generator,
) -> Covariance:
    """Draw s given (C, M, J) interactions, with the mixing scales integrated out.

    Parameters
    ----------
    now
        Current covariance.
    w
        Interactions.
    nu
        (C,) degrees of freedom, None for normal interactions.
    effect_sd
        (C,) standard deviations of the average effects.
    priors, rng
        Priors and random numbers.
    """
    m, j = w.shape[1:]
    squares = (w**2).sum(axis=2)
    total, prior = squares.sum(axis=1), scale_prior(effect_sd, priors)

    def density(u: Array) -> Array:
        shrunk = np.exp(-2 * u)
        core = -total * shrunk / 2 if nu is None else log_t(squares * shrunk[:, None], nu, j)
        return core - m * j * u + prior(u)

    step = slice_step(np.log(now.scale), density, 4 / np.sqrt(m), rng)
    return common(np.exp(step), j)


def draw_unstructured(
    now: Covariance,
    w: Array,
    mixing: Array,
    effect_sd: Array,
    priors: Priors,
    rng: np.random.Generator,
) -> Covariance:
    """Draw s and kappa with Sigma integrated out, then Sigma.

    Parameters
    ----------
    now
        Current covariance.
    w, mixing
        (C, M, J) interactions and (C, M) mixing scales.
    effect_sd
        (C,) standard deviations of the average effects.
    priors, rng
        Priors and random numbers.

    References
    ----------
    van Dyk, D. A. & Park, T. (2008). Partially collapsed Gibbs samplers: theory and methods.
    Journal of the American Statistical Association 103, 790-796.
    https://doi.org/10.1198/016214508000000409
    """
    m, j = w.shape[1:]
    scatter = (w / mixing[:, :, None]).swapaxes(1, 2) @ w
    scatter = (scatter + scatter.swapaxes(1, 2)) / 2
    roots = np.maximum(np.linalg.eigvalsh(scatter), 0.0)
    median, prior = np.log(priors.shrinkage_median or j), scale_prior(effect_sd, priors)

    def of_kappa(u: Array) -> Array:
        density = log_constant(j, m, u) + log_marginal(roots, m, log_scale, u)
        return density - ((u - median) / priors.shrinkage_sd) ** 2 / 2

    def of_scale(u: Array) -> Array:
        return log_marginal(roots, m, u, log_kappa) + prior(u)

    log_scale = np.log(now.scale)
    log_kappa = slice_step(np.log(now.shrinkage), of_kappa, _WIDTH, rng)
    log_scale = slice_step(log_scale, of_scale, 4 / np.sqrt(m), rng)
    scale, kappa = np.exp(log_scale), np.exp(log_kappa)
    psi = (1 + kappa) * scale**2
    vectors, values = draw_wishart(scatter, psi, j + 2 + kappa + m, rng)
    return Covariance(vectors, values, scale, kappa)


def log_marginal(roots: Array, m: int, log_scale: Array, log_kappa: Array) -> Array:
    """Return (C,) log densities of m normal vectors with Sigma integrated out.

    Parameters
    ----------
    roots
        (C, J) eigenvalues of the scatter matrix of the vectors.
    m
        Number of vectors.
    log_scale, log_kappa
        (C,) logs of s and kappa.

    Returns
    -------
    numpy.ndarray
        Without what depends on neither, and without `log_constant`.
    """
    j, kappa = roots.shape[1], np.exp(log_kappa)
    log_psi = np.log1p(kappa) + 2 * log_scale
    # log(1 + root / psi): of scales that go to zero, 1 / psi is beyond all numbers.
    with np.errstate(divide="ignore"):
        shrunk = np.logaddexp(0.0, np.log(roots) - log_psi[:, None]).sum(axis=1)
    return -m * j / 2 * log_psi - (j + 2 + kappa + m) / 2 * shrunk


def log_constant(j: int, m: int, log_kappa: Array) -> Array:
    """Return (C,) ratios of multivariate gamma functions in that density, which only kappa sees."""
    half = ((j + 2 + np.exp(log_kappa))[:, None] - np.arange(j)) / 2
    return (gammaln(half + m / 2) - gammaln(half)).sum(axis=1)


def draw_wishart(
    scatter: Array, psi: Array, df: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Draw Sigma ~ IW(df, psi I + scatter) in each chain; return eigenvectors and -values."""
    c, j, _ = scatter.shape
    lower = np.linalg.cholesky(scatter + psi[:, None, None] * np.eye(j))
    # Bartlett: a triangle of chi and normal variables is a root of a Wishart matrix.
    triangle = np.tril(rng.standard_normal((c, j, j)), -1)
    chi = np.sqrt(2 * rng.standard_gamma((df[:, None] - np.arange(j)) / 2))
    triangle[:, np.arange(j), np.arange(j)] = chi
    root = np.linalg.solve(lower.swapaxes(1, 2), triangle)
    values, vectors = np.linalg.eigh(root @ root.swapaxes(1, 2))
    return vectors, 1 / values


def draw_exchange(
    now: Covariance,
    mixing: Array,
    nu: Array,
    effect_sd: Array,
    priors: Priors,
    rng: np.random.Generator,
) -> tuple[Covariance, Array]:
    """Move scale between Sigma and the mixing scales, of which data only see the product."""
    m, inverse = mixing.shape[1], (1 / mixing).sum(axis=1)
    log_scale, prior = np.log(now.scale), scale_prior(effect_sd, priors)

    def density(u: Array) -> Array:
        return -nu / 2 * (m * u + inverse * np.exp(-u)) + prior(log_scale - u / 2)

    u = slice_step(np.zeros(len(mixing)), density, 4 / np.sqrt(m), rng)
    moved = Covariance(
        now.vectors, now.values * np.exp(-u)[:, None], now.scale * np.exp(-u / 2), now.shrinkage
    )
    return moved, mixing * np.exp(u)[:, None]
