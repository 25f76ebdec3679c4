"""Decision boundaries of recursive combination tests, for arrays of conditional levels at once.

At a stage with conditional level a*, a p-value up to the rejection boundary a1 rejects, one above
the acceptance boundary a0 stops for futility, and one between them goes on to a stage with the
conditional level c / p. The critical value c of Fisher's product spends what is left of a*
(Brannath, Posch & Bauer 2002, https://doi.org/10.1198/016214502753479374).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import lambertw

type Array = NDArray[np.float64]
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
_WIDER = 1.2  # the acceptance boundary beside the conditional level


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


def last(level: Array) -> Boundaries:
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
