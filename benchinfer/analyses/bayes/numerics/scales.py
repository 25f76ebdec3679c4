"""Conditional draws of scales and degrees of freedom.

With ``x = log sigma - log_sd`` of a data set, n its numbers (degrees of freedom and contrasts) and
R the sum of their squares in units of the pooled variance, the conditional density of x is
``exp(-n x - R exp(-2 x) / 2) N(x | centre, spread^2)``. Where few scores leave the scales open,
centre and spread are drawn twice, given the scales and given their standardised values
(interweaving).

``w_m ~ N(0, lam_m Sigma)`` with ``lam_m ~ IG(nu / 2, nu / 2)`` is a multivariate t. The degrees of
freedom are drawn with the mixing scales integrated out, and these right after, which keeps chains
from creeping along the ridge between the two.

Contrasts of the average effects are ``N(0, t^2 I)``, where t is fixed, or ``t / s`` half-t with s
the scale of the interactions. It is drawn with the average effects integrated out.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.slices import Quantity, rows, slice_step

type Array = NDArray[np.float64]


_WIDTH = 1.5
# With so many numbers on the middle data set a scale is known well enough without interweaving.
_MANY = 50.0


@dataclass(frozen=True, slots=True)
class ResidualScales:
    """Residual scales of M data sets in C chains.

    Attributes
    ----------
    log
        (C, M) logs of the scales over the pooled one.
    centre, spread
        (C,) mean and standard deviation of the logs between data sets.
    """

    log: Array
    centre: Array
    spread: Array


def scale_prior(effect_sd: Array, priors: Priors) -> Array:
    """Return (C, 3) numbers of the prior of the interactions' scale, given (C,) effects' ones.

    The log density of its log u is ``a u - 2 log(1 + exp(2 u) / b + c exp(-2 u) + c / b)``.
    """
    far = 3 * priors.interaction_scale**2
    if priors.effect_sd is not None:
        return np.tile([1.0, far, 0.0], (len(effect_sd), 1))
    return rows(0.0, far, (effect_sd / priors.effect_scale) ** 2 / 3)


def draw_effect_sd(
    now: Array,
    scale: Array,
    precision: Array,
    shift: Array,
    priors: Priors,
    rng: np.random.Generator,
) -> Array:
    """Draw the standard deviation of the average effects with these integrated out.

    Parameters
    ----------
    now
        (C,) current values.
    scale
        (C,) scales of the interactions.
    precision
        (C, J), or (C, J, J) where it is not diagonal.
    shift
        (C, J): the scores' likelihood of the average effects is
        ``exp(-x' precision x / 2 + shift' x)``.
    priors, rng
        Priors and random numbers.
    """
    if priors.effect_sd is not None:
        return now
    if precision.ndim == 3:
        precision, vectors = np.linalg.eigh(precision)
        shift = (shift[:, None, :] @ vectors)[:, 0]
    near = 1 / (3 * (priors.effect_scale * scale) ** 2)
    given = rows(near, _in_turn(precision, shift**2))
    return np.exp(slice_step(Quantity.EFFECT_SD, np.log(now), given, _WIDTH, rng))


def _in_turn(one: Array, other: Array) -> Array:
    """Return (C, 2 n) values of two (C, n) arrays in turn."""
    return np.stack([one, other], axis=2).reshape(len(one), -1)


def draw_scales(
    now: ResidualScales, n: Array, square: Array, priors: Priors, rng: np.random.Generator
) -> ResidualScales:
    """Draw the residual scales, their centre and spread.

    Parameters
    ----------
    now
        Current values.
    n
        (M,) how many squares there are.
    square
        (C, M) their sums, over the pooled variance.
    priors
        Priors.
    rng
        Random numbers.

    References
    ----------
    Yu, Y. & Meng, X.-L. (2011). To center or not to center: that is not the question. Journal of
    Computational and Graphical Statistics 20, 531-570. https://doi.org/10.1198/jcgs.2011.203main
    """
    centre, spread = now.centre[:, None], now.spread[:, None]
    given = np.stack(np.broadcast_arrays(n, square, centre, spread), axis=2).reshape(-1, 4)
    width = 3 / np.sqrt(np.where(square > 0, 2 * n, 0.0) + spread**-2)
    log = slice_step(Quantity.RESIDUAL, now.log.ravel(), given, width.ravel(), rng)
    log = log.reshape(square.shape)
    drawn = _given_scales(log, now, priors, rng)
    if np.median(n) > _MANY:
        return drawn
    return _given_standardised(drawn, n, square, priors, rng)


def _given_scales(
    log: Array, now: ResidualScales, priors: Priors, rng: np.random.Generator
) -> ResidualScales:
    """Draw the spread with the centre integrated out, then the centre."""
    m, mean = log.shape[1], log.mean(axis=1)
    squares = ((log - mean[:, None]) ** 2).sum(axis=1)
    prior = priors.residual_sd**2
    given, width = rows(m, squares, mean, prior, priors.residual_spread), 3 / np.sqrt(2.0 * m)
    spread = np.exp(slice_step(Quantity.RESIDUAL_SPREAD, np.log(now.spread), given, width, rng))
    precision = m / spread**2 + 1 / prior
    centre = m * mean / spread**2 / precision
    centre = centre + rng.standard_normal(centre.shape) / np.sqrt(precision)
    return ResidualScales(log, centre, spread)


def _given_standardised(
    now: ResidualScales, n: Array, square: Array, priors: Priors, rng: np.random.Generator
) -> ResidualScales:
    """Move centre and spread with the standardised logs held."""
    unit = (now.log - now.centre[:, None]) / now.spread[:, None]
    held = (square * np.exp(-2 * now.spread[:, None] * unit)).sum(axis=1)
    width = 3 / np.sqrt(2 * n.sum() + priors.residual_sd**-2)
    given = rows(n.sum(), held, priors.residual_sd)
    centre = slice_step(Quantity.RESIDUAL_CENTRE, now.centre, given, width, rng)
    moved = square * np.exp(-2 * centre)[:, None]
    given = rows(unit @ n, priors.residual_spread, _in_turn(moved, unit))
    log = slice_step(Quantity.STANDARDISED_SPREAD, np.log(now.spread), given, width, rng)
    spread = np.exp(log)
    return ResidualScales(centre[:, None] + spread[:, None] * unit, centre, spread)


def draw_df(nu: Array, square: Array, j: int, priors: Priors, rng: np.random.Generator) -> Array:
    """Draw (C,) degrees of freedom given (C, M) squared lengths in the metric of Sigma."""
    given = rows(j, priors.tail_shape, priors.tail_rate, square)
    return 1 + np.exp(slice_step(Quantity.DF, np.log(nu - 1), given, _WIDTH, rng))


def draw_mixing(nu: Array, square: Array, j: int, rng: np.random.Generator) -> Array:
    """Draw (C, M) mixing scales given (C, M) squared lengths in the metric of Sigma."""
    shape = np.broadcast_to(((nu + j) / 2)[:, None], square.shape)
    return (nu[:, None] + square) / 2 / rng.standard_gamma(shape)
