"""Adjustment of permutation p-values."""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.comparison.evidence import Array
from benchinfer.comparison.stepwise import CLOSED, JOINT, WORDS, Adjust, adjusted, grown
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import message
from benchinfer.numerics import closed_testing

if TYPE_CHECKING:
    from benchinfer.analyses.permutation.options import PermutationProcedure
    from benchinfer.analyses.permutation.pooled import PooledTests
    from benchinfer.comparison.contrasts import Contrasts


type Pairs = Literal["pairwise", "pooled"]
type Way = Literal["sets", "line", "bound"]
# Places on a line are whole numbers up to this.
_FINE = 2.0**40
_SETS = {"shaffer": closed_testing.shaffer, "bergmann-hommel": closed_testing.bergmann_hommel}
_LINE = {
    "shaffer": closed_testing.shaffer_on_line,
    "bergmann-hommel": closed_testing.bergmann_hommel_on_line,
}


def way(k: int, *, complete: bool) -> Way:
    """Return how k algorithms are adjusted.

    ``"sets"``: by all sets of algorithms; ``"line"``: in complete blocks all pairs have one
    standard error, so that p-values fall with the distance of the sums; ``"bound"``: Shaffer's
    first variant, which needs no more than the number of algorithms and is never below the others.
    """
    if k <= closed_testing.MOST_ALGORITHMS:
        return "sets"
    return "line" if complete else "bound"


def closed_p_values(
    method: str,
    p: Array,
    statistic: Array,
    pairs: NDArray[np.int64],
    k: int,
    *,
    complete: bool,
) -> Array:
    """Adjust p-values of pooled tests by Shaffer's or Bergmann and Hommel's procedure."""
    how = way(k, complete=complete)
    if how == "line":
        # Pairs with the first algorithm come first; their statistics are distances from it.
        distance = np.append(0.0, statistic[: k - 1])
        largest = float(np.abs(distance).max()) or 1.0
        places = np.rint(distance * (_FINE / largest)).astype(np.int64)
        return _LINE[method](closed_testing.falling(p, places), places)
    number = np.zeros((k, k), np.int64)
    number[np.triu_indices(k, 1)] = np.arange(k * (k - 1) // 2)
    at = number[pairs.min(axis=1), pairs.max(axis=1)]
    # Pairs that were not tested can be equal whatever the others are.
    everything = np.ones(k * (k - 1) // 2)
    everything[at] = p
    step = closed_testing.shaffer_static if how == "bound" else _SETS[method]
    return step(everything, k)[at]


def bound_words(k: int, *, complete: bool) -> str:
    """Say where a bound stands for the procedure; empty where the procedure is exact."""
    if way(k, complete=complete) != "bound":
        return ""
    most = closed_testing.MOST_ALGORITHMS
    return f" (upper bounds: Shaffer's first variant, for over {most} algorithms in partial blocks)"


def resolve_adjustment(
    adjust: Adjust, pairs: Pairs, contrasts: "Contrasts", alternative: str, null: str
) -> str:
    """Return the adjustment that ``"auto"`` means, or check the one requested."""
    if adjust == "auto":
        return "single-step" if pairs == "pooled" else "holm"
    if adjust in JOINT and pairs == "pairwise":
        raise ArgumentError(
            message(
                f"adjust={adjust!r} needs the joint distribution of statistics on pooled scores.",
                hint='adjust="holm" goes with tests of each pair alone; pairs="pooled" lets all'
                " algorithms share their scores, and controls errors only if all are alike.",
            )
        )
    if adjust in CLOSED and pairs == "pairwise":
        raise ArgumentError(
            message(
                f"adjust={adjust!r} needs hypotheses that imply each other, as equal means do;"
                " symmetric differences of one pair and of another do not make those of the third"
                " symmetric.",
                hint='adjust="holm" goes with tests of each pair alone.',
            )
        )
    if adjust in CLOSED and (contrasts, alternative) != ("tukey", "two-sided"):
        raise ArgumentError(
            message(
                f"adjust={adjust!r} uses how the equalities of all pairs hang together.",
                hint='adjust="holm" goes with any family and with one-sided tests.',
            )
        )
    if adjust == "step-down" and null == "asymptotic":
        raise ArgumentError(
            message(
                'adjust="step-down" has no asymptotic form here.',
                hint='null="monte-carlo", or adjust="single-step".',
            )
        )
    return adjust


def adjustment_words(asked: "PermutationProcedure", family: str, bound: str = "") -> str:
    """Say how p-values and intervals are adjusted for a family."""
    if asked.adjust == "none":
        return WORDS["none"].format(family=family)
    intervals = "Bonferroni's" if asked.side else "Sidak's"
    return f"{WORDS[asked.adjust].format(family=family)}{bound}; intervals are {intervals}"


def of_pooled(
    method: str, found: "PooledTests", pairs: NDArray[np.int64], k: int, *, complete: bool
) -> tuple[Array, Array]:
    """Return adjusted p-values of pooled tests of k algorithms, and the errors of evaluation."""
    if method in JOINT:
        p, error = found.single_step if method == "single-step" else found.step_down
        return p, error
    raw, error = found.raw
    if method in CLOSED:
        p = closed_p_values(method, raw, found.statistic, pairs, k, complete=complete)
    else:
        p = adjusted(method, raw)
    return p, grown(error, p, raw)
