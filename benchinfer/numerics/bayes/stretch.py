"""Interactions and their scale, drawn once more together.

Given interactions next to nothing a scale is drawn next to nothing, and given that scale so are the
interactions: where data sets hardly differ, chains would stay there for long. Interactions over
their scale know nothing of it, so that both can be moved by one factor, which scores and the prior
of the scale judge (interweaving).

References
----------
Yu, Y. & Meng, X.-L. (2011). To center or not to center: that is not the question. Journal of
Computational and Graphical Statistics 20, 531-570. https://doi.org/10.1198/jcgs.2011.203main
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.bayes.residual_scales import log_half_t
from benchinfer.numerics.bayes.slices import slice_step

if TYPE_CHECKING:
    from benchinfer.numerics.bayes.covariance import Covariance
    from benchinfer.numerics.bayes.effects import Effects
    from benchinfer.numerics.bayes.priors import Priors
    from benchinfer.numerics.bayes.reduction import ContrastData

type Array = NDArray[np.float64]

_WIDTH = 1.5


def draw_stretch(
    data: "ContrastData",
    noise: Array,
    effects: "Effects",
    sigma: "Covariance",
    priors: "Priors",
    rng: np.random.Generator,
) -> tuple["Effects", "Covariance"]:
    """Multiply interactions and the root of their covariance by a factor that is drawn.

    Parameters
    ----------
    data
        Contrasts of the data sets.
    noise
        (C, M) residual variances, above 0.
    effects, sigma
        Current effects and covariance.
    priors, rng
        Priors and random numbers.
    """
    w = effects.interaction
    missed = np.broadcast_to(effects.centre, w.shape)
    if not data.whole.all():
        w, missed = (np.einsum("mij,cmj->cmi", data.design, x) for x in (w, missed))
    missed = data.z - missed
    held = data.variance > 0
    weight = np.divide(1.0, data.variance, out=np.zeros_like(data.variance), where=held)
    weight = weight / noise[:, :, None]
    square, product = (weight * w**2).sum(axis=(1, 2)), (weight * w * missed).sum(axis=(1, 2))
    log_scale = np.log(sigma.scale)

    def density(u: Array) -> Array:
        fit = product * np.exp(u) - square * np.exp(2 * u) / 2
        return fit + log_half_t(log_scale + u, priors.interaction_scale)

    factor = np.exp(slice_step(np.zeros_like(log_scale), density, _WIDTH, rng))
    return (
        replace(effects, interaction=effects.interaction * factor[:, None, None]),
        replace(sigma, values=sigma.values * factor[:, None] ** 2, scale=sigma.scale * factor),
    )
