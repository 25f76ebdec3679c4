"""Sequential tests: recursive combination tests and group sequential boundaries.

At a stage with conditional level a*, a p-value up to the rejection boundary a1 rejects, one above
the acceptance boundary a0 stops for futility, and one between them goes on to a stage with the
conditional level c / p. The critical value c of Fisher's product spends what is left of a*
(Brannath, Posch & Bauer 2002, https://doi.org/10.1198/016214502753479374).

In a group sequential test the statistic Z_k at information t_k is normal with mean
``drift * sqrt(t_k)`` and covariances ``sqrt(t_j / t_k)`` for j < k. What is left between the
boundaries of a look is carried to the next by numerical integration (Armitage, McPherson & Rowe
1969, https://doi.org/10.2307/2343787).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import lambertw, ndtr, ndtri

from benchinfer.numerics.types import Array, Codes, Flags, States

type Rule = Literal[
    "constant",
    "application",
    "scenario2",
    "application-power",
    "scenario2-power",
    "literal",
    "literal-scenario2",
]
FIRST_REJECT = 0.2  # of the level: .01 of .05
FIRST_ACCEPT = 0.9
_WIDER = 1.2  # the acceptance boundary and the conditional level


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Boundaries of one stage; every field has the shape of the conditional levels."""

    level: Array  # conditional level a*
    # reject, accept: boundaries a1 and a0: reject at p <= a1, stop for futility at p > a0
    reject: Array
    accept: Array
    # Critical value c of the product; NaN where the stage cannot be followed by another
    critical: Array


def least_reject(level: Array, accept: Array) -> Array:
    """Return the smallest rejection boundary at which c <= a1: below it p <= c rejects for certain.

    It is the root of ``c (1 + ln a0 - ln c) = a*``, ``c = a0 exp(1 + W_{-1}(-a* / (e a0)))`` with
    Lambert's W, and a0 itself where ``a* >= a0``.
    """
    inside = np.minimum(level / accept, 1.0)
    root = accept * np.exp(1.0 + lambertw(-inside / np.e, k=-1).real)
    return np.where(inside < 1.0, root, accept)


def critical_value(level: Array, reject: Array, accept: Array) -> Array:
    """Return c with ``a1 + int_{a1}^{a0} min(1, c / p) dp = a*``.

    Examples
    --------
    >>> import numpy as np
    >>> critical_value(np.array(0.05), np.array(0.01), np.array(0.9)).round(12)
    np.float64(0.008889264865)
    """
    level, reject, accept = np.broadcast_arrays(level, reject, accept)
    least = least_reject(level, accept)
    apart = (reject >= least) & (reject < accept)
    safe = np.where(apart, reject, accept / np.e)  # a log ratio of 1 where it is not used
    return np.where(apart, (level - reject) / (np.log(accept) - np.log(safe)), least)


def first_boundaries(rule: Rule, level: float, shape: tuple[int, ...]) -> Boundaries:
    """Return the boundaries of the first stage: a fifth of the level, and .9."""
    levels = np.full(shape, level)
    reject = np.full(shape, FIRST_REJECT * level)
    accept = np.full(shape, FIRST_ACCEPT)
    if rule.startswith("literal"):
        return Boundaries(levels, reject, accept, _printed(levels, reject, accept))
    return _guarded(levels, reject, accept)


def following(rule: Rule, alpha: float, before: Boundaries, p_values: Array) -> Boundaries:
    """Return the boundaries after a stage that ended between its own, with these p-values.

    The rule ``"constant"`` keeps those of the first stage, at the whole level `alpha`.
    """
    level = before.critical / p_values
    if rule.startswith("literal"):
        # As printed, which can leave the range of levels.
        accept, reject = level / _WIDER, before.reject
        if rule == "literal":
            reject = reject - np.abs(reject - level) / 10
        return Boundaries(level, reject, accept, _printed(level, reject, accept))
    if rule == "constant":
        return _guarded(level, FIRST_REJECT * alpha, FIRST_ACCEPT)
    # The printed a0 = a* / 1.2 is below a*, which no valid boundary is: read the other way round.
    accept = level ** (1 / _WIDER) if rule.endswith("power") else _WIDER * level
    reject = before.reject
    if rule.startswith("application"):
        reject = 0.9 * reject + 0.1 * level
    return _guarded(level, reject, accept)


def last_boundaries(level: Array) -> Boundaries:
    """Return the boundaries of a stage declared last in advance, which uses all of the level."""
    return Boundaries(level, level, level, np.full_like(level, np.nan))


def _guarded(level: Array, reject: Array | float, accept: Array | float) -> Boundaries:
    """Move boundaries to where they are valid and the critical value is exact."""
    accept = np.minimum(1.0, np.maximum(accept, level))
    reject = np.where((reject >= level) | (reject <= 0), FIRST_REJECT * level, reject)
    reject = np.maximum(reject, least_reject(level, accept))
    return Boundaries(level, reject, accept, critical_value(level, reject, accept))


def _printed(level: Array, reject: Array, accept: Array) -> Array:
    """Return the printed critical value, NaN where its logarithm does not exist."""
    fits = (reject > 0) & (accept > reject)
    ratio = np.log(np.where(fits, accept, np.e)) - np.log(np.where(fits, reject, 1.0))
    return np.where(fits, (level - reject) / ratio, np.nan)


class Decision(IntEnum):
    """State of a recursion after the stages so far."""

    UNDECIDABLE = 0
    REJECT = 1
    ACCEPT = 2
    NOT_REJECTED = 3


@dataclass(frozen=True, slots=True)
class Recursion:
    """N recursions after up to T stages.

    Attributes
    ----------
    decisions
        (N,) `Decision` codes. ``ACCEPT`` is futility, no evidence of equality; ``UNDECIDABLE`` can
        go on to another stage; ``NOT_REJECTED`` ended at a stage declared last.
    stages
        (N,) the stage of the decision, from 1; T where there is none.
    p_values
        (N,) overall p-values. Those of undecidable recursions are provisional: a part of the level
        is kept for later stages.
    bounds
        Boundaries of each stage, with arrays (N,); NaN where a recursion had ended before.
    """

    decisions: States
    stages: Codes
    p_values: Array
    bounds: tuple[Boundaries, ...]


def recursion(p_values: Array, rule: Rule, alpha: float, *, final: bool) -> Recursion:
    """Decide recursions from the p-values of their stages.

    `p_values` (N, T) are one-sided, each from the data of its stage alone; `rule` says how
    boundaries follow from the stages before, and `final` whether stage T was declared last before
    its p-values were seen.

    Notes
    -----
    A decided recursion does not look at later p-values. The rules are guarded: their boundaries are
    moved to where they are valid, ``a1 < a* <= a0 <= 1`` and ``c <= a1``. ``"literal"`` and
    ``"literal-scenario2"`` are not.

    References
    ----------
    Brannath, W., Posch, M. & Bauer, P. (2002). Recursive combination tests. Journal of the American
    Statistical Association 97, 236-244. https://doi.org/10.1198/016214502753479374

    Examples
    --------
    >>> import numpy as np
    >>> found = recursion(np.array([[0.3, 0.2, 0.1, 0.02]]), "constant", 0.05, final=True)
    >>> Decision(found.decisions[0]).name, int(found.stages[0]), round(float(found.p_values[0]), 6)
    ('REJECT', 4, 0.046582)
    """
    n, last = p_values.shape
    if last == 0 or not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError("stages need p-values between 0 and 1.")
    decisions = np.full(n, Decision.UNDECIDABLE, dtype=np.int8)
    stages = np.full(n, last, dtype=np.int64)
    going = np.arange(n)
    bounds: list[Boundaries] = []
    now = first_boundaries(rule, alpha, (n,))
    for t in range(last):
        p = p_values[going, t]
        declared = final and t == last - 1
        now = last_boundaries(now.level) if declared else now
        wide = np.full((4, n), np.nan)
        wide[:, going] = (now.level, now.reject, now.accept, now.critical)
        bounds.append(Boundaries(*wide))
        rejected, futile = p <= now.reject, p > now.accept
        decisions[going[rejected]] = Decision.REJECT
        decisions[going[futile]] = Decision.NOT_REJECTED if declared else Decision.ACCEPT
        # The printed rules can break down: what has no critical value cannot go on.
        open_ = ~rejected & ~futile & ~np.isnan(now.critical)
        stages[going[~open_]] = t + 1
        if t + 1 == last or not open_.any():
            break
        going = going[open_]
        now = following(rule, alpha, _taken(now, open_), p[open_])
    overall = p_values[np.arange(len(stages)), stages - 1]
    for t in range(len(bounds) - 2, -1, -1):
        inner = stages - 1 > t
        now = _taken(bounds[t], inner)
        overall[inner] = combine(p_values[inner, t], overall[inner], now.reject, now.accept)
    return Recursion(decisions, stages, overall, tuple(bounds))


def combine(first: Array, second: Array, reject: Array, accept: Array) -> Array:
    """Return the p-value function q of two stages, uniform if both p-values are.

    ``q = p1`` outside the boundaries; between them, with ``x = p1 p2``, ``a1 + x ln(a0 / a1)`` for
    ``x <= a1`` and ``x + x ln(a0 / x)`` above.
    """
    x = first * second
    between = (first > reject) & (first <= accept)
    low = between & (x <= reject)
    some = np.where(between & (x > 0), x, 1.0)
    log_low = np.log(np.where(low, accept, 1.0)) - np.log(np.where(low, reject, 1.0))
    high = some + some * (np.log(np.where(between, accept, 1.0)) - np.log(some))
    return np.where(low, reject + x * log_low, np.where(between, high, first))


def _taken(bounds: Boundaries, which: Flags) -> Boundaries:
    return Boundaries(
        bounds.level[which], bounds.reject[which], bounds.accept[which], bounds.critical[which]
    )


type Spending = Literal["obrien-fleming", "pocock"]
_FAR = 9.0  # standard deviations, beyond which probabilities are negligible
_NODES = 96


@dataclass(frozen=True, slots=True)
class _Inside:
    """The part of the distribution that has crossed nothing: nodes, and their weights."""

    nodes: Array
    weights: Array
    information: float


def spent(spending: Spending, fraction: Array | Sequence[float], alpha: float) -> Array:
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
    bounds = np.empty(len(increments))
    inside: _Inside | None = None
    for k, (now, level) in enumerate(zip(information, increments, strict=True)):
        bounds[k] = _boundary(inside, now, level)
        inside = _carried(inside, now, -bounds[k] if sides == 2 else -_FAR, bounds[k], 0.0)
    return bounds


def crossing(
    information: Sequence[float], lower: Array, upper: Array, drift: float
) -> tuple[Array, Array]:
    """Return (T,) probabilities to be the first to cross the upper and the lower boundary.

    `information` (T,) of the looks increases; boundaries of Z (T,) are infinite where there is
    none; `drift` is the mean of Z at information 1.
    """
    above, below = np.empty(len(upper)), np.empty(len(upper))
    inside: _Inside | None = None
    for k, now in enumerate(information):
        above[k] = _beyond(inside, now, upper[k], drift)
        mirrored = inside
        if inside is not None:
            mirrored = _Inside(-inside.nodes, inside.weights, inside.information)
        below[k] = _beyond(mirrored, now, -lower[k], -drift)
        inside = _carried(inside, now, lower[k], upper[k], drift)
    return above, below


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
    """Return the distribution between the boundaries, at Gauss-Legendre nodes."""
    centre = drift * np.sqrt(now)
    low, high = max(lower, centre - _FAR), min(upper, centre + _FAR)
    sd = 1.0 if inside is None else _step(inside, now, drift)[1]
    # Narrow steps between looks need nodes close to them.
    x, w = _legendre(_NODES * (1 + int(4 * max(high - low, 0.0) / sd) // _NODES))
    nodes = (high + low) / 2 + max(high - low, 0.0) / 2 * x
    if inside is None:
        density = np.exp(-0.5 * (nodes - centre) ** 2)
    else:
        means, sd = _step(inside, now, drift)
        density = np.exp(-0.5 * ((nodes[:, None] - means) / sd) ** 2) @ inside.weights / sd
    weights = density * w * max(high - low, 0.0) / 2 / np.sqrt(2 * np.pi)
    return _Inside(nodes, weights, now)


_legendre = lru_cache(maxsize=32)(np.polynomial.legendre.leggauss)


def _boundary(inside: _Inside | None, now: float, level: float) -> float:
    """Return the bound above which the level lies; infinite where next to none is to be spent."""
    if level <= _beyond(inside, now, _FAR, 0.0):
        return np.inf
    if level >= _beyond(inside, now, -_FAR, 0.0):
        return -_FAR  # all of the remaining probability
    root = brentq(
        lambda bound: level - _beyond(inside, now, bound, 0.0),
        -_FAR,
        _FAR,
        xtol=1e-11,
        rtol=1e-12,
    )
    return float(root)
