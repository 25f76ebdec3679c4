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

A log density is a part, of the quantity's log and of what it depends on.
"""

from math import exp, inf, lgamma, log, log1p, sqrt

import numpy as np

from benchinfer.analyses.bayes.numerics.chains import CompiledPriors, part
from benchinfer.numerics.types import Array


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
# Numbers of an interval: whether it is `OPEN`; the point `AT` which the log density is wanted, in
# the end the one drawn; the stage; the log density that points of the slice have at least; the ends
# and how many widths they may yet go; the width; and the point to start from.
OPEN, AT, _STAGE, _FLOOR, _LOW, _HIGH, _LEFT, _RIGHT, _WIDTH, _START = range(10)
_UP, _DOWN, _SHRINK = 0.0, 1.0, 2.0


@part
def open_slice(x: float, height: float, width: float, rng: np.random.Generator) -> Array:
    """Begin a step of slice sampling with stepping out and shrinkage.

    The log density is computed by the caller, so that one compiled step serves all densities.

    Parameters
    ----------
    x, height
        Current value, and its log density.
    width
        First guess of the slice's length, which may not depend on the current value.
    rng
        Random numbers.

    Returns
    -------
    Array
        The interval. While its number `OPEN` is not 0, `narrow` wants the log density at its number
        `AT`, which is the new value in the end.

    References
    ----------
    Neal, R. M. (2003). Slice sampling. Annals of Statistics 31, 705-767.
    https://doi.org/10.1214/aos/1056562461

    Examples
    --------
    >>> from benchinfer.analyses.bayes.numerics import scales
    >>> from benchinfer.analyses.bayes.numerics.scales import AT, OPEN, log_half_t
    >>> rng, draws = np.random.default_rng(1), np.zeros(2000)
    >>> for i in range(1, 2000):
    ...     interval = scales.open_slice(draws[i - 1], log_half_t(draws[i - 1], 2.0), 1.5, rng)
    ...     while interval[OPEN]:
    ...         scales.narrow(interval, log_half_t(interval[AT], 2.0), rng)
    ...     draws[i] = interval[AT]
    >>> round(float(np.median(np.exp(draws))) / 2, 1)  # of a half-t variable: 0.76
    0.8
    """
    interval = np.empty(10)
    interval[_FLOOR] = height - rng.standard_exponential()
    interval[_LOW] = x - width * rng.random()
    interval[_HIGH] = interval[_LOW] + width
    left = int(_FURTHEST * rng.random())
    interval[_LEFT], interval[_RIGHT] = left, _FURTHEST - 1 - left
    interval[_STAGE] = _UP if interval[_RIGHT] else _DOWN
    interval[AT] = interval[_HIGH] if interval[_RIGHT] else interval[_LOW]
    interval[OPEN], interval[_WIDTH], interval[_START] = 1.0, width, x
    return interval


@part
def narrow(interval: Array, height: float, rng: np.random.Generator) -> None:
    """Go on with an interval in place, given the log density at its number `AT`."""
    above, stage = height >= interval[_FLOOR], interval[_STAGE]
    if stage == _UP:
        if above:
            interval[_HIGH] += interval[_WIDTH]
            interval[_RIGHT] -= 1
        if above and interval[_RIGHT]:
            interval[AT] = interval[_HIGH]
            return
        if interval[_LEFT]:
            interval[_STAGE], interval[AT] = _DOWN, interval[_LOW]
            return
    elif stage == _DOWN:
        if above:
            interval[_LOW] -= interval[_WIDTH]
            interval[_LEFT] -= 1
        if above and interval[_LEFT]:
            interval[AT] = interval[_LOW]
            return
    elif above:
        interval[OPEN] = 0.0
        return
    else:
        interval[_LOW if interval[AT] < interval[_START] else _HIGH] = interval[AT]
    interval[_STAGE] = _SHRINK
    if interval[_HIGH] > interval[_LOW]:
        interval[AT] = interval[_LOW] + (interval[_HIGH] - interval[_LOW]) * rng.random()
    else:  # A slice shrunk to nothing but its own point is that point.
        interval[OPEN], interval[AT] = 0.0, interval[_START]


WIDTH = 1.5
# With so many numbers on the middle data set a scale is known well enough without interweaving.
_MANY = 50.0


@part
def _log_effect_sd(u: float, near: float, precision: Array, shift: Array) -> float:
    variance, total = exp(2 * u), 0.0
    for i in range(len(precision)):
        growth = variance * precision[i]
        total += shift[i] ** 2 * variance / (1 + growth) - log1p(growth)
    return total / 2 + u - 2 * log1p(variance * near)


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
    near, x = 1 / (3 * (prior.effect_scale * scale) ** 2), log(now)
    interval = open_slice(x, _log_effect_sd(x, near, precision, shift), WIDTH, rng)
    while interval[OPEN]:
        narrow(interval, _log_effect_sd(interval[AT], near, precision, shift), rng)
    return exp(interval[AT])


@part
def _log_residual(x: float, n: float, square: float, centre: float, spread: float) -> float:
    return -n * x - square * exp(-2 * x) / 2 - ((x - centre) / spread) ** 2 / 2


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
    for m in range(len(n)):
        width = 3 / sqrt((2 * n[m] if square[m] > 0 else 0.0) + spread**-2)
        interval = open_slice(
            log_sd[m], _log_residual(log_sd[m], n[m], square[m], centre, spread), width, rng
        )
        while interval[OPEN]:
            narrow(interval, _log_residual(interval[AT], n[m], square[m], centre, spread), rng)
        log_sd[m] = interval[AT]
    centre, spread = _given_scales(log_sd, spread, prior, rng)
    if n_median > _MANY:
        return centre, spread
    return _given_standardised(log_sd, centre, spread, n, square, prior, rng)


@part
def _log_spread(
    u: float, m: int, squares: float, mean: float, of_centre: float, scale: float
) -> float:
    variance = exp(2 * u)
    of_mean = of_centre + variance / m
    core = -(m - 1) * u - squares / variance / 2 - log(of_mean) / 2
    return core - mean**2 / of_mean / 2 + log_half_t(u, scale)


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
    variance, scale, x = prior.residual_sd**2, prior.residual_spread, log(spread)
    interval = open_slice(
        x, _log_spread(x, m, squares, mean, variance, scale), 3 / sqrt(2 * m), rng
    )
    while interval[OPEN]:
        narrow(interval, _log_spread(interval[AT], m, squares, mean, variance, scale), rng)
    spread = exp(interval[AT])
    precision = m / spread**2 + 1 / variance
    centre = m * mean / spread**2 / precision
    return centre + rng.standard_normal() / sqrt(precision), spread


@part
def _log_stretched_spread(u: float, logs: float, scale: float, square: Array, unit: Array) -> float:
    s, total = exp(u), 0.0
    for m in range(len(unit)):
        total += square[m] * exp(-2 * s * unit[m])
    return -logs * s - total / 2 + log_half_t(u, scale)


@part
def _log_centre(x: float, n: float, square: float, sd: float) -> float:
    return -n * x - square * exp(-2 * x) / 2 - (x / sd) ** 2 / 2


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
    sd, scale = prior.residual_sd, prior.residual_spread
    interval = open_slice(centre, _log_centre(centre, total, held, sd), width, rng)
    while interval[OPEN]:
        narrow(interval, _log_centre(interval[AT], total, held, sd), rng)
    centre = interval[AT]
    for m in range(len(n)):
        rest[m] = square[m] * exp(-2 * centre)
    x = log(spread)
    interval = open_slice(x, _log_stretched_spread(x, logs, scale, rest, unit), width, rng)
    while interval[OPEN]:
        narrow(interval, _log_stretched_spread(interval[AT], logs, scale, rest, unit), rng)
    spread = exp(interval[AT])
    for m in range(len(n)):
        log_sd[m] = centre + spread * unit[m]
    return centre, spread


@part
def _log_df(u: float, j: int, square: Array, prior: CompiledPriors) -> float:
    above = exp(u)
    return prior.tail_shape * u - prior.tail_rate * above + log_t(square, 1.0, 1 + above, j)


@part
def draw_df(
    nu: float, square: Array, j: int, prior: CompiledPriors, rng: np.random.Generator
) -> float:
    """Draw degrees of freedom given (M,) squared lengths in the metric of Sigma."""
    x = log(nu - 1)
    interval = open_slice(x, _log_df(x, j, square, prior), WIDTH, rng)
    while interval[OPEN]:
        narrow(interval, _log_df(interval[AT], j, square, prior), rng)
    return 1 + exp(interval[AT])


@part
def draw_mixing(mixing: Array, nu: float, square: Array, j: int, rng: np.random.Generator) -> None:
    """Draw (M,) mixing scales in place given squared lengths in the metric of Sigma."""
    for m in range(len(mixing)):
        mixing[m] = (nu + square[m]) / 2 / rng.standard_gamma((nu + j) / 2)
