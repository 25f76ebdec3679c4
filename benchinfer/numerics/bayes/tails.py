"""Tails of the interactions: mixing scales and degrees of freedom of a multivariate t.

``w_m ~ N(0, lam_m Sigma)`` with ``lam_m ~ IG(nu / 2, nu / 2)`` is a multivariate t. The degrees of
freedom are drawn with the mixing scales integrated out, and these right after, which keeps chains
from creeping along the ridge between the two.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from benchinfer.numerics.bayes.priors import Priors
from benchinfer.numerics.bayes.slices import slice_step

type Array = NDArray[np.float64]

_WIDTH = 1.5


def log_t(square: Array, nu: Array, j: int) -> Array:
    """Return log densities of J-dimensional t vectors of unit scale, without constants.

    Parameters
    ----------
    square
        (C, M) squared lengths.
    nu
        (C,) degrees of freedom.
    j
        Dimension J.

    Returns
    -------
    numpy.ndarray
        (C,) sums over the M vectors.
    """
    m = square.shape[1]
    constant = gammaln((nu + j) / 2) - gammaln(nu / 2) - j / 2 * np.log(nu)
    return m * constant - (nu + j) / 2 * np.log1p(square / nu[:, None]).sum(axis=1)


def draw_df(nu: Array, square: Array, j: int, priors: Priors, rng: np.random.Generator) -> Array:
    """Draw (C,) degrees of freedom given (C, M) squared lengths in the metric of Sigma."""

    def density(u: Array) -> Array:
        above = np.exp(u)
        return priors.tail_shape * u - priors.tail_rate * above + log_t(square, 1 + above, j)

    return 1 + np.exp(slice_step(np.log(nu - 1), density, _WIDTH, rng))


def draw_mixing(nu: Array, square: Array, j: int, rng: np.random.Generator) -> Array:
    """Draw (C, M) mixing scales given (C, M) squared lengths in the metric of Sigma."""
    shape = np.broadcast_to(((nu + j) / 2)[:, None], square.shape)
    return (nu[:, None] + square) / 2 / rng.standard_gamma(shape)
