"""Recursive combination tests: decisions of a test that looks at its data stage by stage.

References
----------
Brannath, W., Posch, M. & Bauer, P. (2002). Recursive combination tests. Journal of the American
Statistical Association 97, 236-244. https://doi.org/10.1198/016214502753479374
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics import boundaries
from benchinfer.numerics.boundaries import Array, Boundaries, Rule


class Decision(IntEnum):
    """How a recursion stands after the stages so far."""

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

    Parameters
    ----------
    p_values
        (N, T) one-sided p-values; each from the data of its stage alone.
    rule
        How boundaries follow from the stages before.
    alpha
        Overall level.
    final
        Whether stage T was declared last before its p-values were seen.

    Raises
    ------
    ValueError
        A p-value is not between 0 and 1, or there is no stage.

    Notes
    -----
    A decided recursion does not look at later p-values. The rules are guarded: their boundaries are
    moved to where they are valid, ``a1 < a* <= a0 <= 1`` and ``c <= a1``. ``"literal"`` and
    ``"literal-scenario2"`` are not.

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
    now = boundaries.first(rule, alpha, (n,))
    for t in range(last):
        p = p_values[going, t]
        declared = final and t == last - 1
        now = boundaries.last(now.level) if declared else now
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
        now = boundaries.following(rule, alpha, _taken(now, open_), p[open_])
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
