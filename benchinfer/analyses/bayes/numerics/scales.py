"""Slice sampling of scales and degrees of freedom, in one chain.

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

from math import exp, log, sqrt

import numpy as np

from benchinfer.analyses.bayes.numerics.chains import CompiledPriors
from benchinfer.analyses.bayes.numerics.slices import (
    DF,
    EFFECT_SD,
    FLAT,
    LOG_SD,
    SPREAD,
    STRETCHED_SPREAD,
    WIDTH,
    ScalePrior,
    moved,
)
from benchinfer.numerics.compilation import part
from benchinfer.numerics.types import Array

# With so many numbers on the middle data set a scale is known well enough without interweaving.
_MANY = 50.0


@part
def half_t(scale: float) -> ScalePrior:
    """Return the prior of the log of a half-t variable with 3 degrees of freedom."""
    return 1.0, 0.0, 3 * scale**2


@part
def scale_prior(effect_sd: float, prior: CompiledPriors) -> ScalePrior:
    """Return the prior of the log of the interactions' scale, given the effects' one."""
    if prior.effect_sd:
        return half_t(prior.interaction_scale)
    return 0.0, (effect_sd / prior.effect_scale) ** 2 / 3, 3 * prior.interaction_scale**2


@part
def draw_effect_sd(
    now: float,
    scale: float,
    precision: Array,
    shift: Array,
    prior: CompiledPriors,
    rng: np.random.Generator,
) -> float:
    """Draw the standard deviation of the average effects with these integrated out.

    Parameters
    ----------
    now
        Current value.
    scale
        Scale of the interactions.
    precision, shift
        (J,): along axes on which they are independent, the scores' likelihood of the average
        effects is ``exp(-x' diag(precision) x / 2 + shift' x)``.
    prior, rng
        Prior and random numbers.
    """
    if prior.effect_sd:
        return now
    nothing, typical = (0.0, 0.0, 0.0, 0.0), half_t(prior.effect_scale * scale)
    return exp(moved(EFFECT_SD, log(now), WIDTH, nothing, typical, precision, shift, rng))


@part
def draw_scales(
    log_sd: Array,
    centre: float,
    spread: float,
    n: Array,
    square: Array,
    n_median: float,
    prior: CompiledPriors,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Draw the logs of the residual scales in place; return their new centre and spread.

    Parameters
    ----------
    log_sd, centre, spread
        (M,) current logs, their mean and standard deviation.
    n
        (M,) how many squares there are.
    square
        (M,) their sums, over the pooled variance.
    n_median
        Median of `n`: with a few on most data sets, centre and spread are drawn once more.
    prior, rng
        Prior and random numbers.

    References
    ----------
    Yu, Y. & Meng, X.-L. (2011). To center or not to center: that is not the question. Journal of
    Computational and Graphical Statistics 20, 531-570. https://doi.org/10.1198/jcgs.2011.203main
    """
    m, mean, squares = len(n), 0.0, 0.0
    for i in range(m):
        width = 3 / sqrt((2 * n[i] if square[i] > 0 else 0.0) + spread**-2)
        given = n[i], square[i], centre, spread
        log_sd[i] = moved(LOG_SD, log_sd[i], width, given, FLAT, n, square, rng)
        mean += log_sd[i] / m
    for i in range(m):
        squares += (log_sd[i] - mean) ** 2
    # The spread with the centre integrated out, then the centre.
    variance, typical = prior.residual_sd**2, half_t(prior.residual_spread)
    given = float(m), squares, mean, variance
    spread = exp(moved(SPREAD, log(spread), 3 / sqrt(2 * m), given, typical, n, square, rng))
    precision = m / spread**2 + 1 / variance
    centre = m * mean / spread**2 / precision + rng.standard_normal() / sqrt(precision)
    if n_median <= _MANY:
        centre, spread = _given_standardised(log_sd, centre, spread, n, square, prior, rng)
    return centre, spread


@part
def _given_standardised(
    log_sd: Array,
    centre: float,
    spread: float,
    n: Array,
    square: Array,
    prior: CompiledPriors,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Move centre and spread with the standardised logs held."""
    unit, rest = np.empty(len(n)), np.empty(len(n))
    total, held, logs = 0.0, 0.0, 0.0
    for m in range(len(n)):
        unit[m] = (log_sd[m] - centre) / spread
        total += n[m]
        logs += n[m] * unit[m]
        held += square[m] * exp(-2 * spread * unit[m])
    width = 3 / sqrt(2 * total + prior.residual_sd**-2)
    given = total, held, 0.0, prior.residual_sd
    centre = moved(LOG_SD, centre, width, given, FLAT, rest, unit, rng)
    for m in range(len(n)):
        rest[m] = square[m] * exp(-2 * centre)
    given, typical = (logs, 0.0, 0.0, 0.0), half_t(prior.residual_spread)
    spread = exp(moved(STRETCHED_SPREAD, log(spread), width, given, typical, rest, unit, rng))
    for m in range(len(n)):
        log_sd[m] = centre + spread * unit[m]
    return centre, spread


@part
def draw_tails(
    nu: float,
    mixing: Array,
    squares: Array,
    j: int,
    prior: CompiledPriors,
    rng: np.random.Generator,
) -> float:
    """Draw degrees of freedom and then (M,) mixing scales, in place, of interactions.

    Given (M,) squared lengths in the metric of Sigma.
    """
    given = float(j), prior.tail_shape, prior.tail_rate, 0.0
    nu = 1 + exp(moved(DF, log(nu - 1), WIDTH, given, FLAT, squares, squares, rng))
    for m in range(len(mixing)):
        mixing[m] = (nu + squares[m]) / 2 / rng.standard_gamma((nu + j) / 2)
    return nu
