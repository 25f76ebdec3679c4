"""Axis limits robust to outliers."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from benchinfer.numerics.types import Array
from benchinfer.plots.style import signed

_FAR = 3.0  # interquartile ranges beyond the quartiles
_FEW = 8  # values of which none is far out
_SQUEEZED = 1.5  # times the range of the others that all values take


def reach(
    values: ArrayLike, held: Sequence[float] = (), *, log: bool = False
) -> tuple[float, float]:
    """Return ends of an axis that has all of `held` and all values but those far out inside.

    Examples
    --------
    >>> low, high = reach([1, 2, 3, 4, 5, 6, 7, 100.0])
    >>> round(low, 2), round(high, 2)
    (0.82, 7.18)
    """
    observed, required = _finite(values, log=log), _finite(held, log=log)
    inside = observed
    if len(observed) >= _FEW:
        low, high = np.quantile(observed, [0.25, 0.75])
        far = _FAR * (high - low)
        inside = observed[(observed >= low - far) & (observed <= high + far)]
    most, least = np.r_[observed, required], np.r_[inside, required]
    ends = least if np.ptp(most) > _SQUEEZED * np.ptp(least) > 0 else most
    pad = 0.03 * float(np.ptp(ends)) or 0.1 * abs(float(ends[0])) or 1.0
    low, high = float(ends.min()) - pad, float(ends.max()) + pad
    return (float(np.exp(low)), float(np.exp(high))) if log else (low, high)


def _finite(values: ArrayLike, *, log: bool) -> Array:
    finite = np.asarray(values, dtype=np.float64).ravel()
    finite = finite[np.isfinite(finite) & ((finite > 0) | (not log))]
    return np.log(finite) if log else finite


def outside(values: ArrayLike, limits: tuple[float, float]) -> tuple[str, ...]:
    """Say which values arrows at the ends of an axis stand for.

    Examples
    --------
    >>> outside([1, 2, -100.0], (0.0, 3.0))
    ('arrow: beyond the axis, \N{MINUS SIGN}100',)
    """
    finite = np.asarray(values, dtype=np.float64).ravel()
    beyond = np.sort(finite[(finite < limits[0]) | (finite > limits[1])])
    if not len(beyond):
        return ()
    ends = [signed(float(f"{value:.3g}")) for value in dict.fromkeys((beyond[0], beyond[-1]))]
    return (f"arrow{'s' * (len(beyond) > 1)}: beyond the axis, {' to '.join(ends)}",)


def arrows(
    points: Iterable[tuple[float, float]], limits: tuple[float, float]
) -> list[tuple[float, float, str]]:
    """Return place and mark of an arrow at the end of the axis for each point beyond it."""
    low, high = limits
    return [(low, y, "<") if x < low else (high, y, ">") for x, y in points if x < low or x > high]
