"""How p-values of permutation tests are adjusted for many pairs."""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare import closed
from benchinfer.compare.evidence import Array
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics import multiplicity, rom

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchinfer.compare.asked import Asked, Pairs
    from benchinfer.compare.contrasts import Contrasts
    from benchinfer.compare.pooled import Pooled

type Adjust = Literal[
    "auto",
    "single-step",
    "step-down",
    "shaffer",
    "bergmann-hommel",
    "bonferroni",
    "holm",
    "hochberg",
    "hommel",
    "rom",
    "finner",
    "li",
    "none",
]


def _alone(p: Array) -> Array:
    return p


STEPS: "dict[str, Callable[[Array], Array]]" = {
    "bonferroni": multiplicity.bonferroni,
    "holm": multiplicity.holm,
    "hochberg": multiplicity.hochberg,
    "hommel": multiplicity.hommel,
    "rom": rom.rom,
    "finner": multiplicity.finner,
    "li": multiplicity.li,
    "none": _alone,
}
CLOSED = ("shaffer", "bergmann-hommel")
JOINT = ("single-step", "step-down")
# The adjustments of which each interval has its p-value; all others go in steps.
_SINGLE = ("single-step", "bonferroni", "none")
# What these ask of the dependence between the p-values, which is not established in general.
CONDITIONS = {
    "hochberg": "the inequality of Simes",
    "hommel": "the inequality of Simes",
    "finner": "positive dependence",
    "rom": "independence",
    "li": "independence",
}
# What controls errors only if no pair differs, under whichever dependence.
WEAK = ("finner",)
# Modules and functions of `benchinfer.numerics` whose docstrings name the sources.
HOMES = {
    "shaffer": "closed_pairs:shaffer",
    "bergmann-hommel": "closed_pairs",
    "holm": "multiplicity",
    "hochberg": "multiplicity:hochberg",
    "hommel": "multiplicity:hommel",
    "finner": "multiplicity:finner",
    "rom": "rom:rom",
    "li": "multiplicity:li",
}
WORDS = {
    "single-step": "P-values are single-step (largest statistic) over {family}, from pooled scores",
    "step-down": "P-values are step-down (Westfall and Young) over {family}, from pooled scores",
    "shaffer": "P-values are Shaffer's over {family}",
    "bergmann-hommel": "P-values are Bergmann and Hommel's over {family}",
    "bonferroni": "P-values are Bonferroni's over {family}",
    "holm": "P-values are Holm's over {family}",
    "hochberg": "P-values are Hochberg's over {family}",
    "hommel": "P-values are Hommel's over {family}",
    "rom": "P-values are Rom's over {family}",
    "finner": "P-values are Finner's over {family}",
    "li": "P-values are Li's over {family}",
    "none": "P-values and intervals are those of each pair alone, not adjusted for {family}",
}


def stepwise(adjust: str, n: int) -> bool:
    """Whether p-values of n contrasts are adjusted in steps, which no interval reflects.

    Examples
    --------
    >>> stepwise("holm", 3), stepwise("holm", 1), stepwise("single-step", 3)
    (True, False, False)
    """
    return n > 1 and adjust not in _SINGLE


def resolve(
    adjust: Adjust, pairs: "Pairs", contrasts: "Contrasts", alternative: str, null: str
) -> str:
    """Return the adjustment that ``"auto"`` means, or check the one asked for.

    Raises
    ------
    DesignError
        The adjustment does not exist or does not fit the tests.
    """
    if pairs not in ("pairwise", "pooled"):
        raise DesignError(unknown("pairs", pairs, ["pairwise", "pooled"]))
    if adjust == "auto":
        return "single-step" if pairs == "pooled" else "holm"
    if adjust not in WORDS:
        raise DesignError(unknown("adjust", adjust, ["auto", *WORDS]))
    if adjust in JOINT and pairs == "pairwise":
        raise DesignError(
            message(
                f"adjust={adjust!r} needs the joint distribution of statistics on pooled scores.",
                hint='adjust="holm" goes with tests of each pair alone; pairs="pooled" lets all'
                " algorithms share their scores, and controls errors only if all are alike.",
            )
        )
    if adjust in CLOSED and pairs == "pairwise":
        raise DesignError(
            message(
                f"adjust={adjust!r} needs hypotheses that imply each other, as equal means do;"
                " symmetric differences of one pair and of another do not make those of the third"
                " symmetric.",
                hint='adjust="holm" goes with tests of each pair alone.',
            )
        )
    if adjust in CLOSED and (contrasts, alternative) != ("tukey", "two-sided"):
        raise DesignError(
            message(
                f"adjust={adjust!r} uses how the equalities of all pairs hang together.",
                hint='adjust="holm" goes with any family and with one-sided tests.',
            )
        )
    if adjust == "step-down" and null == "asymptotic":
        raise DesignError(
            message(
                'adjust="step-down" has no asymptotic form here.',
                hint='null="monte-carlo", or adjust="single-step".',
            )
        )
    return adjust


def words(asked: "Asked", family: str, bound: str = "") -> str:
    """Say how p-values and intervals are adjusted for a family."""
    if asked.adjust == "none":
        return WORDS["none"].format(family=family)
    intervals = "Bonferroni's" if asked.side else "Sidak's"
    return f"{WORDS[asked.adjust].format(family=family)}{bound}; intervals are {intervals}"


def of_pooled(
    method: str, found: "Pooled", pairs: NDArray[np.int64], k: int, *, complete: bool
) -> tuple[Array, Array]:
    """Return adjusted p-values of pooled tests of k algorithms, and the errors of evaluation."""
    if method in JOINT:
        p, error = found.single_step if method == "single-step" else found.step_down
        return p, error
    raw, error = found.raw
    if method in CLOSED:
        p = closed.adjusted(method, raw, found.statistic, pairs, k, complete=complete)
    else:
        p = adjusted(method, raw)
    return p, grown(error, p, raw)


def grown(error: Array, p: Array, raw: Array) -> Array:
    """Return errors of adjusted p-values: they grow by the same factor as these do."""
    return error * np.divide(p, raw, out=np.ones_like(p), where=raw > 0)


def adjusted(method: str, p: Array) -> Array:
    """Adjust p-values one by one; Holm's for procedures that need more than these."""
    return STEPS.get(method, multiplicity.holm)(p)
