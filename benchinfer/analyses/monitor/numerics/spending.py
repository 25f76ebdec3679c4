"""Alpha spending functions.

A test statistic Z_k at information t_k is normal with mean ``drift * sqrt(t_k)`` and covariances
``sqrt(t_j / t_k)`` for j < k. What is left between the boundaries of a look is carried to the next
by numerical integration (Armitage, McPherson & Rowe 1969, https://doi.org/10.2307/2343787).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from benchinfer.numerics.types import Array

type Spending = Literal["obrien-fleming", "pocock"]
_FAR = 9.0  # standard deviations beyond which nothing is left
_NODES = 96


@dataclass(frozen=True, slots=True)
class Crossing:
    """Probabilities of a group sequential test, by look.

    Attributes
    ----------
    upper, lower
        (T,) probabilities to be the first to cross the boundary above or below.
    inside
        Probability to cross none.
    """

    upper: Array
    lower: Array
    inside: float


@dataclass(frozen=True, slots=True)
class _Inside:
    """The part of the distribution that has crossed nothing: nodes, and their weights."""

    nodes: Array
    weights: Array
    information: float


def spent(spending: Spending, fraction: "Array | Sequence[float]", alpha: float) -> Array:
    """Return the level that is spent at fractions of the information (Lan & DeMets 1983).

    ``"obrien-fleming"``: ``2 - 2 Phi(z_{1 - alpha / 2} / sqrt(t))``; ``"pocock"``:
    ``alpha ln(1 + (e - 1) t)`` (https://doi.org/10.1093/biomet/70.3.659). `alpha` is the level of
    one side: a two-sided test spends twice what half its level does.
    """
    t = np.minimum(np.asarray(fraction, dtype=np.float64), 1.0)
    if spending == "pocock":
        return alpha * np.log1p((np.e - 1) * t)
    return 2 * ndtr(ndtri(alpha / 2) / np.sqrt(t))


def boundaries(information: Sequence[float], levels: Sequence[float], *, sides: int) -> Array:
    """Return the boundaries of |Z| (of Z if one-sided) at which looks spend given levels.

    `information` (T,) of the looks increases, in any unit, and so does the level (T,) spent up to
    each, over both sides if `sides` is 2.

    Examples
    --------
    >>> boundaries([1, 2], 2 * spent("obrien-fleming", [0.5, 1.0], 0.025), sides=2).round(4)
    array([2.9626, 1.9686])
    """
    increments = np.diff(np.asarray(levels, dtype=np.float64), prepend=0.0) / sides
    found = np.empty(len(increments))
    inside: _Inside | None = None
    for k, (now, level) in enumerate(zip(information, increments, strict=True)):
        found[k] = _boundary(inside, now, level)
        inside = _carried(inside, now, -found[k] if sides == 2 else -_FAR, found[k], 0.0)
    return found


def crossing(information: Sequence[float], lower: Array, upper: Array, drift: float) -> Crossing:
    """Return the probabilities to cross boundaries first at each look.

    `information` (T,) of the looks increases; boundaries of Z (T,) are infinite where there is
    none; `drift` is the mean of Z at information 1.
    """
    above, below = np.empty(len(upper)), np.empty(len(upper))
    inside: _Inside | None = None
    for k, now in enumerate(information):
        above[k] = _beyond(inside, now, upper[k], drift)
        below[k] = _beyond(_mirrored(inside), now, -lower[k], -drift)
        inside = _carried(inside, now, lower[k], upper[k], drift)
    return Crossing(above, below, 1.0 - float(above.sum() + below.sum()))


def conditional_level(
    information: Sequence[float], upper: Array, look: int, statistic: float
) -> float:
    """Return the conditional probability under no effect to cross a boundary at a later look.

    It is the level at which the rest of a one-sided experiment may be designed anew after a look,
    whatever was seen (Mueller & Schaefer 2001, https://doi.org/10.1111/j.0006-341X.2001.00886.x).

    `information` and `upper` (T,) are the design, with boundaries above only; `statistic` is Z at
    the last of the `look` looks that have passed.
    """
    inside = _Inside(np.array([statistic]), np.ones(1), information[look - 1])
    total = 0.0
    for now, bound in zip(information[look:], upper[look:], strict=True):
        total += _beyond(inside, now, bound, 0.0)
        inside = _carried(inside, now, -_FAR - abs(statistic), bound, 0.0)
    return total


def _step(inside: _Inside, now: float, drift: float) -> tuple[Array, float]:
    """Return the conditional means (n,) of Z at the next look, and its standard deviation."""
    gain = now - inside.information
    means = inside.nodes * np.sqrt(inside.information / now) + drift * gain / np.sqrt(now)
    return means, float(np.sqrt(gain / now))


def _beyond(inside: _Inside | None, now: float, bound: float, drift: float) -> float:
    """Return the probability to be above a bound now, having crossed nothing before."""
    if inside is None:
        return float(ndtr(drift * np.sqrt(now) - bound))
    means, sd = _step(inside, now, drift)
    return float(inside.weights @ ndtr((means - bound) / sd))


def _carried(
    inside: _Inside | None, now: float, lower: float, upper: float, drift: float
) -> _Inside:
    """Return what is left between the boundaries, at Gauss-Legendre nodes."""
    centre = drift * np.sqrt(now)
    low, high = max(lower, centre - _FAR), min(upper, centre + _FAR)
    sd = 1.0 if inside is None else _step(inside, now, drift)[1]
    # Narrow steps between looks need nodes close to them.
    x, w = _rule(_NODES * (1 + int(4 * max(high - low, 0.0) / sd) // _NODES))
    nodes = (high + low) / 2 + max(high - low, 0.0) / 2 * x
    if inside is None:
        density = np.exp(-0.5 * (nodes - centre) ** 2)
    else:
        means, sd = _step(inside, now, drift)
        density = np.exp(-0.5 * ((nodes[:, None] - means) / sd) ** 2) @ inside.weights / sd
    weights = density * w * max(high - low, 0.0) / 2 / np.sqrt(2 * np.pi)
    return _Inside(nodes, weights, now)


@lru_cache(maxsize=32)
def _rule(n: int) -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(n)


def _mirrored(inside: _Inside | None) -> _Inside | None:
    return None if inside is None else _Inside(-inside.nodes, inside.weights, inside.information)


def _boundary(inside: _Inside | None, now: float, level: float) -> float:
    """Return the bound above which the level lies; infinite where next to none is to be spent."""
    if level <= _beyond(inside, now, _FAR, 0.0):
        return np.inf
    if level >= _beyond(inside, now, -_FAR, 0.0):
        return -_FAR  # all that is left
    return _root(lambda bound: level - _beyond(inside, now, bound, 0.0), -_FAR, _FAR)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    return float(brentq(function, low, high, xtol=1e-11, rtol=1e-12))
