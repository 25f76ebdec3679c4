"""Average effects and interactions, drawn together: first the average, without the interactions.

Given scales, ``z_m ~ N(X_m beta, lam_m X_m Sigma X_m' + sigma_m^2 D_m)``. On whole data sets, where
X is the identity and ``D = c I``, the eigenvectors of Sigma turn all data sets into independent
numbers at once; the others take one small system each.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.bayes.covariance import Covariance
from benchinfer.numerics.bayes.reduction import ContrastData

type Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Effects:
    """Effects in C chains.

    Attributes
    ----------
    average
        (C, J) contrasts of the average effects: beta.
    interaction
        (C, M, J) departures of the data sets from them: w.
    """

    average: Array
    interaction: Array


def draw_effects(
    data: ContrastData,
    sigma: Covariance,
    mixing: Array,
    noise: Array,
    effect_sd: float,
    rng: np.random.Generator,
) -> Effects:
    """Draw average effects and interactions.

    Parameters
    ----------
    data
        Contrasts of the data sets.
    sigma
        Covariance of the interactions.
    mixing, noise
        (C, M) mixing scales and residual variances.
    effect_sd
        Standard deviation of the prior of the average effects.
    rng
        Random numbers.
    """
    whole = data.whole
    turned = _Turned.of(data, sigma, mixing[:, whole], noise[:, whole])
    precision = (1 / turned.total).sum(axis=1) + effect_sd**-2
    shift = (turned.z / turned.total).sum(axis=1)
    normal = rng.standard_normal(precision.shape)
    if whole.all():
        average = shift / precision + normal / np.sqrt(precision)
        interaction = turned.interactions(average, rng)
        back = sigma.vectors.swapaxes(1, 2)
        return Effects((average[:, None, :] @ back)[:, 0], interaction @ back)
    part = _Part.of(data, sigma, mixing[:, ~whole], noise[:, ~whole])
    turn = sigma.vectors
    full = (turn * precision[:, None, :]) @ turn.swapaxes(1, 2) + part.precision
    lower = np.linalg.cholesky(full)
    white = np.linalg.solve(lower, (turn @ shift[..., None]) + part.shift[..., None])
    average = np.linalg.solve(lower.swapaxes(1, 2), white + normal[..., None])[..., 0]
    interaction = np.empty((*mixing.shape, data.z.shape[-1]))
    own = (average[:, None, :] @ turn)[:, 0]
    interaction[:, whole] = turned.interactions(own, rng) @ turn.swapaxes(1, 2)
    interaction[:, ~whole] = part.interactions(average, rng)
    return Effects(average, interaction)


@dataclass(frozen=True, slots=True)
class _Turned:
    """Whole data sets along the eigenvectors of Sigma; (C, M, J) arrays."""

    z: Array
    between: Array
    noise: Array
    total: Array

    @staticmethod
    def of(data: ContrastData, sigma: Covariance, mixing: Array, noise: Array) -> "_Turned":
        between = mixing[:, :, None] * sigma.values[:, None, :]
        own = (noise * data.variance[data.whole, 0])[:, :, None]
        return _Turned(data.z[..., data.whole, :] @ sigma.vectors, between, own, between + own)

    def interactions(self, average: Array, rng: np.random.Generator) -> Array:
        share = self.between / self.total
        spread = np.sqrt(share * self.noise)
        return share * (self.z - average[:, None, :]) + spread * rng.standard_normal(share.shape)


@dataclass(frozen=True, slots=True)
class _Part:
    """Data sets with contrasts of their own: systems of (C, M, J, J)."""

    z: Array
    design: Array
    root: Array
    length: Array
    mixed: Array
    solved: Array
    total: Array
    noise_sd: Array
    precision: Array
    shift: Array

    @staticmethod
    def of(data: ContrastData, sigma: Covariance, mixing: Array, noise: Array) -> "_Part":
        rest = ~data.whole
        x, z, j = data.design[rest], data.z[..., rest, :], data.z.shape[-1]
        held = np.arange(j) < data.rank[rest, None]
        root = sigma.vectors * np.sqrt(sigma.values)[:, None, :]
        length = np.sqrt(mixing)[:, :, None]
        mixed = length[..., None] * (x @ root[:, None])
        noise_variance = noise[:, :, None] * data.variance[rest]
        total = mixed @ mixed.swapaxes(2, 3)
        # Contrasts that a data set does not identify get a system of their own, which is unit.
        total[:, :, np.arange(j), np.arange(j)] += np.where(held, noise_variance, 1.0)
        solved = np.linalg.solve(total, np.broadcast_to(x, total.shape))
        return _Part(
            z=z,
            design=x,
            root=root,
            length=length,
            mixed=mixed,
            solved=solved,
            total=total,
            noise_sd=np.sqrt(noise_variance),
            precision=np.einsum("mji,cmjk->cik", x, solved),
            shift=(z[..., None, :] @ solved)[..., 0, :].sum(axis=1),
        )

    def interactions(self, average: Array, rng: np.random.Generator) -> Array:
        """Draw by correcting a draw that has not seen the scores (Matheron's rule)."""
        c, m, j = self.noise_sd.shape
        normal = rng.standard_normal((c, m, j))
        seen = (self.mixed @ normal[..., None])[..., 0]
        seen += self.noise_sd * rng.standard_normal((c, m, j))
        missed = self.z - np.einsum("mij,cj->cmi", self.design, average) - seen
        weight = np.linalg.solve(self.total, missed[..., None])
        correction = (self.mixed.swapaxes(2, 3) @ weight)[..., 0]
        return self.length * ((normal + correction) @ self.root.swapaxes(1, 2))
