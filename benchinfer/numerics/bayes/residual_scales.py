"""Residual scales of the data sets: log-normal about a common one, drawn by slices.

With ``x = log sigma - log_sd`` of a data set, n its numbers (degrees of freedom and contrasts) and
R the sum of their squares in units of the pooled variance, the conditional density of x is
``exp(-n x - R exp(-2 x) / 2) N(x | centre, spread^2)``. Where few scores leave the scales open,
centre and spread are drawn twice, given the scales and given their standardised values
(interweaving).

References
----------
Yu, Y. & Meng, X.-L. (2011). To center or not to center: that is not the question. Journal of
Computational and Graphical Statistics 20, 531-570. https://doi.org/10.1198/jcgs.2011.203main
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.bayes.priors import Priors
from benchinfer.numerics.bayes.slices import slice_step

type Array = NDArray[np.float64]

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


def log_half_t(log_scale: Array, scale: float) -> Array:
    """Return the log density of the log of a half-t variable with 3 degrees of freedom."""
    return log_scale - 2 * np.log1p((np.exp(log_scale) / scale) ** 2 / 3)


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
    """
    centre, spread = now.centre[:, None], now.spread[:, None]

    def density(x: Array) -> Array:
        return -n * x - square * np.exp(-2 * x) / 2 - ((x - centre) / spread) ** 2 / 2

    precision = np.where(square > 0, 2 * n, 0.0) + spread**-2
    log = slice_step(now.log, density, 3 / np.sqrt(precision), rng)
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

    def density(u: Array) -> Array:
        variance = np.exp(2 * u)
        of_mean = prior + variance / m
        return (
            -(m - 1) * u
            - squares / variance / 2
            - np.log(of_mean) / 2
            - mean**2 / of_mean / 2
            + log_half_t(u, priors.residual_spread)
        )

    spread = np.exp(slice_step(np.log(now.spread), density, 3 / np.sqrt(2.0 * m), rng))
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

    def of_centre(x: Array) -> Array:
        return -n.sum() * x - held * np.exp(-2 * x) / 2 - (x / priors.residual_sd) ** 2 / 2

    width = 3 / np.sqrt(2 * n.sum() + priors.residual_sd**-2)
    centre = slice_step(now.centre, of_centre, width, rng)
    moved, at = square * np.exp(-2 * centre)[:, None], unit @ n

    def of_spread(u: Array) -> Array:
        s = np.exp(u)
        with np.errstate(over="ignore"):  # an infinite sum is a density of 0
            sums = (moved * np.exp(-2 * s[:, None] * unit)).sum(axis=1)
        return -at * s - sums / 2 + log_half_t(u, priors.residual_spread)

    spread = np.exp(slice_step(np.log(now.spread), of_spread, width, rng))
    return ResidualScales(centre[:, None] + spread[:, None] * unit, centre, spread)
