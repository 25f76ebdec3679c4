"""Recursive combination tests and group sequential boundaries.

At a stage with conditional level a*, a p-value up to the rejection boundary a1 rejects, one above
the acceptance boundary a0 stops for futility, and one between them goes on to a stage with the
conditional level c / p. The critical value c of Fisher's product spends what is left of a*
(Brannath, Posch & Bauer 2002, https://doi.org/10.1198/016214502753479374).
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import lambertw

from benchinfer.numerics.types import Array

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
    """Boundaries of one stage; every field has the shape of the conditional levels.

    Attributes
    ----------
    level
        Conditional level a*.
    reject, accept
        Boundaries a1 and a0: reject at p <= a1, stop for futility at p > a0.
    critical
        Critical value c of the product; NaN where the stage cannot be followed by another.
    """

    level: Array
    reject: Array
    accept: Array
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


def first(rule: Rule, level: float, shape: tuple[int, ...]) -> Boundaries:
    """Return the boundaries of the first stage: a fifth of the level, and .9."""
    whole = np.full(shape, level)
    reject = np.full(shape, FIRST_REJECT * level)
    accept = np.full(shape, FIRST_ACCEPT)
    if rule.startswith("literal"):
        return Boundaries(whole, reject, accept, _printed(whole, reject, accept))
    return _guarded(whole, reject, accept)


def following(rule: Rule, alpha: float, before: Boundaries, p_values: Array) -> Boundaries:
    """Return the boundaries after a stage that ended between its own, with these p-values.

    The rule ``"constant"`` keeps those of the first stage, at the whole level `alpha`.
    """
    level = before.critical / p_values
    if rule.startswith("literal"):
        return _literal(rule, level, before.reject)
    if rule == "constant":
        return _guarded(level, FIRST_REJECT * alpha, FIRST_ACCEPT)
    # The printed a0 = a* / 1.2 is below a*, which no valid boundary is: read the other way round.
    accept = level ** (1 / _WIDER) if rule.endswith("power") else _WIDER * level
    reject = before.reject
    if rule.startswith("application"):
        reject = 0.9 * reject + 0.1 * level
    return _guarded(level, reject, accept)


def last_boundaries(level: Array) -> Boundaries:
    """Return the boundaries of a stage declared last in advance: it uses the whole level."""
    return Boundaries(level, level, level, np.full_like(level, np.nan))


def _guarded(level: Array, reject: "Array | float", accept: "Array | float") -> Boundaries:
    """Move boundaries to where they are valid and the critical value is exact."""
    accept = np.minimum(1.0, np.maximum(accept, level))
    reject = np.where((reject >= level) | (reject <= 0), FIRST_REJECT * level, reject)
    reject = np.maximum(reject, least_reject(level, accept))
    return Boundaries(level, reject, accept, critical_value(level, reject, accept))


def _literal(rule: Rule, level: Array, before: Array) -> Boundaries:
    """Return the rules as printed, which can leave the range of levels."""
    accept = level / _WIDER
    reject = before - np.abs(before - level) / 10 if rule == "literal" else before
    return Boundaries(level, reject, accept, _printed(level, reject, accept))


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

    decisions: NDArray[np.int8]
    stages: NDArray[np.int64]
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
    now = first(rule, alpha, (n,))
    for t in range(last):
        p = p_values[going, t]
        declared = final and t == last - 1
        now = last_boundaries(now.level) if declared else now
        bounds.append(_spread(now, going, n))
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
    return Recursion(decisions, stages, _overall(p_values, stages, bounds), tuple(bounds))


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


def _overall(p_values: Array, stages: NDArray[np.int64], bounds: list[Boundaries]) -> Array:
    """Nest the p-value function from the last stage of each recursion to its first."""
    found = p_values[np.arange(len(stages)), stages - 1]
    for t in range(len(bounds) - 2, -1, -1):
        inner = stages - 1 > t
        now = _taken(bounds[t], inner)
        found[inner] = combine(p_values[inner, t], found[inner], now.reject, now.accept)
    return found


def _taken(bounds: Boundaries, which: NDArray[np.bool_]) -> Boundaries:
    return Boundaries(
        bounds.level[which], bounds.reject[which], bounds.accept[which], bounds.critical[which]
    )


def _spread(bounds: Boundaries, where: NDArray[np.int64], n: int) -> Boundaries:
    """Put the boundaries of the recursions that go on back to their places among all."""
    fields = (bounds.level, bounds.reject, bounds.accept, bounds.critical)
    wide = np.full((4, n), np.nan)
    wide[:, where] = fields
    return Boundaries(*wide)
