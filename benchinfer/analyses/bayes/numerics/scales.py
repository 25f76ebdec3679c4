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

A log density is a compiled function of the quantity's log and of a tuple, that on which it depends.
"""

from collections.abc import Callable
from math import exp, inf, lgamma, log, log1p, sqrt
from typing import Any

import numpy as np

from benchinfer.analyses.bayes.numerics.chains import CompiledPriors, inlined, part
from benchinfer.numerics.types import Array

type LogDensity = Callable[[float, Any], float]


@part
def log_half_t(u: float, scale: float) -> float:
    """Return the log density of the log of a half-t variable with 3 degrees of freedom."""
    return u - 2 * log1p((exp(u) / scale) ** 2 / 3)


@part
def log_scale_prior(u: float, effect_sd: float, prior: CompiledPriors) -> float:
    """Return the log prior density of the log of the interactions' scale, given the effects' one.

    Without constants it is ``a u - 2 log(1 + exp(2 u) / b + c exp(-2 u) + c / b)``: the product of
    both half-t densities, of which the factors before the powers cancel.
    """
    far = 3 * prior.interaction_scale**2
    square = exp(2 * u)
    if prior.effect_sd:
        return u - 2 * log1p(square / far)
    near = (effect_sd / prior.effect_scale) ** 2 / 3
    return -2 * log1p(square / far + near / square + near / far)


@part
def log_t(squares: Array, factor: float, nu: float, j: int) -> float:
    """Return the log density of t vectors of unit scale, without constants."""
    total = 0.0
    if nu == inf:
        for square in squares:
            total += square
        return -total * factor / 2
    constant = lgamma((nu + j) / 2) - lgamma(nu / 2) - j / 2 * log(nu)
    for square in squares:
        total += log1p(square * factor / nu)
    return len(squares) * constant - (nu + j) / 2 * total


# A slice is at most so many widths long: from a bad start it would reach to where nothing is.
_FURTHEST = 8


@part
def _slice(
    x: float, height: float, width: float, rng: np.random.Generator
) -> tuple[float, float, int, int]:
    """Return the density that a slice has at least, its first end, and steps to either side."""
    floor = height - rng.standard_exponential()
    low = x - width * rng.random()
    left = int(_FURTHEST * rng.random())
    return floor, low, left, _FURTHEST - 1 - left


def slice_sampler(log_density: LogDensity) -> Callable[..., float]:
    """Return a compiled slice-sampling step with stepping out and shrinkage.

    Parameters
    ----------
    log_density
        Compiled function of a number and of what its density depends on.

    Returns
    -------
    Callable
        From the current value, what the density depends on, a first guess of the slice's length,
        which may not depend on the current value, and random numbers to the new value.

    References
    ----------
    Neal, R. M. (2003). Slice sampling. Annals of Statistics 31, 705-767.
    https://doi.org/10.1214/aos/1056562461

    Examples
    --------
    >>> from numba import njit
    >>> from benchinfer.analyses.bayes.numerics.scales import log_half_t, slice_sampler
    >>> move = slice_sampler(log_half_t)
    >>> @njit
    ... def chain(n, rng):
    ...     found = np.zeros(n)
    ...     for i in range(1, n):
    ...         found[i] = move(found[i - 1], 2.0, 1.5, rng)
    ...     return found
    >>> found = chain(2000, np.random.default_rng(1))
    >>> round(float(np.median(np.exp(found))) / 2, 1)  # of a half-t variable: 0.76
    0.8
    """

    # The density is a constant of the step: compiled code that is given functions has no cache.
    @part
    def step(x: float, given: Any, width: float, rng: np.random.Generator) -> float:
        floor, low, left, right = _slice(x, log_density(x, given), width, rng)
        high = low + width
        while right > 0 and log_density(high, given) >= floor:
            high, right = high + width, right - 1
        while left > 0 and log_density(low, given) >= floor:
            low, left = low - width, left - 1
        # A slice shrunk to nothing but its own point is that point.
        while high > low:
            new = low + (high - low) * rng.random()
            if log_density(new, given) >= floor:
                return new
            if new < x:
                low = new
            else:
                high = new
        return x

    return step


WIDTH = 1.5
# With so many numbers on the middle data set a scale is known well enough without interweaving.
_MANY = 50.0


@part
def _log_effect_sd(u: float, given: tuple[float, Array, Array]) -> float:
    near, precision, shift = given
    variance, total = exp(2 * u), 0.0
    for i in range(len(precision)):
        growth = variance * precision[i]
        total += shift[i] ** 2 * variance / (1 + growth) - log1p(growth)
    return total / 2 + u - 2 * log1p(variance * near)


_move_effect_sd = slice_sampler(_log_effect_sd)


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
    given = (1 / (3 * (prior.effect_scale * scale) ** 2), precision, shift)
    return exp(_move_effect_sd(log(now), given, WIDTH, rng))


@part
def _log_residual(x: float, given: tuple[float, float, float, float]) -> float:
    n, square, centre, spread = given
    return -n * x - square * exp(-2 * x) / 2 - ((x - centre) / spread) ** 2 / 2


_move_residual = slice_sampler(_log_residual)


@inlined
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
    for m in range(len(n)):
        width = 3 / sqrt((2 * n[m] if square[m] > 0 else 0.0) + spread**-2)
        given = (n[m], square[m], centre, spread)
        log_sd[m] = _move_residual(log_sd[m], given, width, rng)
    centre, spread = _given_scales(log_sd, spread, prior, rng)
    if n_median > _MANY:
        return centre, spread
    return _given_standardised(log_sd, centre, spread, n, square, prior, rng)


@part
def _log_spread(u: float, given: tuple[int, float, float, float, float]) -> float:
    m, squares, mean, of_centre, scale = given
    variance = exp(2 * u)
    of_mean = of_centre + variance / m
    core = -(m - 1) * u - squares / variance / 2 - log(of_mean) / 2
    return core - mean**2 / of_mean / 2 + log_half_t(u, scale)


_move_spread = slice_sampler(_log_spread)


@part
def _given_scales(
    log_sd: Array, spread: float, prior: CompiledPriors, rng: np.random.Generator
) -> tuple[float, float]:
    """Draw the spread with the centre integrated out, then the centre."""
    m, mean, squares = len(log_sd), 0.0, 0.0
    for x in log_sd:
        mean += x / m
    for x in log_sd:
        squares += (x - mean) ** 2
    variance = prior.residual_sd**2
    given = (m, squares, mean, variance, prior.residual_spread)
    spread = exp(_move_spread(log(spread), given, 3 / sqrt(2 * m), rng))
    precision = m / spread**2 + 1 / variance
    centre = m * mean / spread**2 / precision
    return centre + rng.standard_normal() / sqrt(precision), spread


@part
def _log_stretched_spread(u: float, given: tuple[float, float, Array, Array]) -> float:
    logs, scale, square, unit = given
    s, total = exp(u), 0.0
    for m in range(len(unit)):
        total += square[m] * exp(-2 * s * unit[m])
    return -logs * s - total / 2 + log_half_t(u, scale)


_move_stretched_spread = slice_sampler(_log_stretched_spread)


@part
def _log_centre(x: float, given: tuple[float, float, float]) -> float:
    n, square, sd = given
    return -n * x - square * exp(-2 * x) / 2 - (x / sd) ** 2 / 2


_move_centre = slice_sampler(_log_centre)


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
    centre = _move_centre(centre, (total, held, prior.residual_sd), width, rng)
    for m in range(len(n)):
        rest[m] = square[m] * exp(-2 * centre)
    moved = logs, prior.residual_spread, rest, unit
    spread = exp(_move_stretched_spread(log(spread), moved, width, rng))
    for m in range(len(n)):
        log_sd[m] = centre + spread * unit[m]
    return centre, spread


@part
def _log_df(u: float, given: tuple[int, Array, CompiledPriors]) -> float:
    j, square, prior = given
    above = exp(u)
    return prior.tail_shape * u - prior.tail_rate * above + log_t(square, 1.0, 1 + above, j)


_move_df = slice_sampler(_log_df)


@part
def draw_df(
    nu: float, square: Array, j: int, prior: CompiledPriors, rng: np.random.Generator
) -> float:
    """Draw degrees of freedom given (M,) squared lengths in the metric of Sigma."""
    given = (j, square, prior)
    return 1 + exp(_move_df(log(nu - 1), given, WIDTH, rng))


@part
def draw_mixing(mixing: Array, nu: float, square: Array, j: int, rng: np.random.Generator) -> None:
    """Draw (M,) mixing scales in place given squared lengths in the metric of Sigma."""
    for m in range(len(mixing)):
        mixing[m] = (nu + square[m]) / 2 / rng.standard_gamma((nu + j) / 2)
