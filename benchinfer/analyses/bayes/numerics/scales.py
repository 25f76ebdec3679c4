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

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from benchinfer.analyses.bayes.numerics.priors import Priors

type Array = NDArray[np.float64]


_WIDTH = 1.5
# A slice is at most so many widths long: from a bad start it would reach to where nothing is.
_FURTHEST = 8


def slice_step(
    x: Array, log_density: Callable[[Array], Array], width: float | Array, rng: np.random.Generator
) -> Array:
    """Move each element of x by one slice-sampling step with stepping out and shrinkage.

    Parameters
    ----------
    x
        (...) current values.
    log_density
        Maps values of that shape to log densities of that shape, element by element.
    width
        First guess of the slices' length; it may not depend on x.
    rng
        Random numbers.

    Returns
    -------
    numpy.ndarray
        (...) new values.

    References
    ----------
    Neal, R. M. (2003). Slice sampling. Annals of Statistics 31, 705-767.
    https://doi.org/10.1214/aos/1056562461

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = np.zeros(2000)
    >>> for _ in range(20):
    ...     x = slice_step(x, lambda v: -(v**2) / 2, 2.0, rng)
    >>> bool(abs(x.std() - 1) < 0.05)
    True
    """
    floor = log_density(x) - rng.standard_exponential(x.shape)
    low = x - width * rng.random(x.shape)
    high = low + width
    left = rng.integers(_FURTHEST, size=x.shape)
    low = _stepped_out(low, -width, left, log_density, floor)
    high = _stepped_out(high, width, _FURTHEST - 1 - left, log_density, floor)
    new = tried = low + (high - low) * rng.random(x.shape)
    open_ = ~(log_density(tried) >= floor)
    while open_.any():
        below = tried < x
        low = np.where(open_ & below, tried, low)
        high = np.where(open_ & ~below, tried, high)
        # A slice shrunk to nothing but its own point is that point.
        new = np.where(open_, x, new)
        open_ &= high > low
        if not open_.any():
            break
        tried = low + (high - low) * rng.random(x.shape)
        new = np.where(open_, tried, new)
        open_ &= ~(log_density(new) >= floor)
    return new


def _stepped_out(
    end: Array,
    step: float | Array,
    steps: NDArray[np.int64],
    log_density: Callable[[Array], Array],
    floor: Array,
) -> Array:
    """Move ends outwards until they are off the slice, each by at most its number of steps."""
    for done in range(_FURTHEST - 1):
        out = (log_density(end) >= floor) & (done < steps)
        if not out.any():
            break
        end = np.where(out, end + step, end)
    return end


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


def scale_prior(effect_sd: Array, priors: Priors) -> Callable[[Array], Array]:
    """Return the log density of the log of the interactions' scale, given (C,) effects' ones."""
    if priors.effect_sd is not None:
        return lambda u: log_half_t(u, priors.interaction_scale)
    far = 3 * priors.interaction_scale**2
    near = (effect_sd / priors.effect_scale) ** 2 / 3

    def density(u: Array) -> Array:
        # The product of both half-t densities, of which the factors before the powers cancel.
        square = np.exp(2 * u)
        return -2 * np.log1p(square / far + near / square + near / far)

    return density


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
    square, near = shift**2, 1 / (3 * (priors.effect_scale * scale) ** 2)

    def density(u: Array) -> Array:
        variance = np.exp(2 * u)
        growth = 1 + variance[:, None] * precision
        core = square * variance[:, None] / growth - np.log(growth)
        return core.sum(axis=1) / 2 + u - 2 * np.log1p(variance * near)

    return np.exp(slice_step(np.log(now), density, _WIDTH, rng))


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
