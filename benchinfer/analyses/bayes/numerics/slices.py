"""Slice sampling of scales and degrees of freedom, compiled.

A log density is a compiled function of the quantity's log and of a tuple, that on which it depends.
"""

from collections.abc import Callable
from math import exp, inf, lgamma, log, log1p
from typing import Any

import numpy as np

from benchinfer.analyses.bayes.numerics.chains import CompiledPriors, part
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
    >>> from benchinfer.analyses.bayes.numerics.slices import log_half_t, slice_sampler
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
