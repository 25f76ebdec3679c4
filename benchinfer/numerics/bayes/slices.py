"""Slice sampling of many independent one-dimensional densities at once.

References
----------
Neal, R. M. (2003). Slice sampling. Annals of Statistics 31, 705-767.
https://doi.org/10.1214/aos/1056562461
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

type Array = NDArray[np.float64]

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
    new, open_ = x, np.ones(x.shape, dtype=np.bool_)
    while open_.any():
        tried = low + (high - low) * rng.random(x.shape)
        inside = log_density(np.where(open_, tried, new)) >= floor
        new = np.where(open_ & inside, tried, new)
        open_ = open_ & ~inside
        low = np.where(open_ & (tried < x), tried, low)
        high = np.where(open_ & (tried >= x), tried, high)
        # A slice shrunk to nothing but its own point is that point.
        open_ = open_ & (high > low)
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
