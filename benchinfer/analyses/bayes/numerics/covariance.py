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

from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.scales import scale_prior
from benchinfer.analyses.bayes.numerics.slices import Quantity, rows, slice_step

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
    given = rows(scale_prior(effect_sd, priors), np.inf if nu is None else nu, j, squares)
    step = slice_step(Quantity.COMMON, np.log(now.scale), given, 4 / np.sqrt(m), rng)
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
    log_scale, median = np.log(now.scale), np.log(priors.shrinkage_median or j)
    given = rows(m, log_scale, median, priors.shrinkage_sd, roots)
    log_kappa = slice_step(Quantity.SHRINKAGE, np.log(now.shrinkage), given, _WIDTH, rng)
    given = rows(scale_prior(effect_sd, priors), m, log_kappa, roots)
    log_scale = slice_step(Quantity.UNSTRUCTURED, log_scale, given, 4 / np.sqrt(m), rng)
    scale, kappa = np.exp(log_scale), np.exp(log_kappa)
    psi = (1 + kappa) * scale**2
    vectors, values = draw_wishart(scatter, psi, j + 2 + kappa + m, rng)
    return Covariance(vectors, values, scale, kappa)


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
    given = rows(scale_prior(effect_sd, priors), nu, m, inverse, np.log(now.scale))
    u = slice_step(Quantity.EXCHANGE, np.zeros(len(mixing)), given, 4 / np.sqrt(m), rng)
    moved = Covariance(
        now.vectors, now.values * np.exp(-u)[:, None], now.scale * np.exp(-u / 2), now.shrinkage
    )
    return moved, mixing * np.exp(u)[:, None]
