"""Adjustment of permutation p-values."""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.comparison.adjustment import check_all_pairs
from benchinfer.comparison.evidence import Array
from benchinfer.comparison.stepwise import (
    CLOSED,
    FLIPPED,
    FLIPPED_STEP_DOWN,
    JOINT,
    ONE,
    WORDS,
    Adjust,
    adjusted,
    grown,
)
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.hints import Given, Option
from benchinfer.numerics import closed_testing, rotations

if TYPE_CHECKING:
    from benchinfer.analyses.permutation.blocks import Exchangeable
    from benchinfer.analyses.permutation.options import PermutationProcedure
    from benchinfer.analyses.permutation.pairs import Alone
    from benchinfer.analyses.permutation.pooled import PooledTests
    from benchinfer.comparison.contrasts import ContrastFamily, Contrasts


type Pairs = Literal["pairwise", "pooled"]
type Way = Literal["sets", "line", "bound"]
# Sums of sign flips, and terms of these, that step-down tests of many contrasts make do with.
_MOST_SUMS, _MOST_TERMS = 100_000_000, 10_000_000_000
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
    at = _numbers(pairs, k)
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
    """Check the adjustment requested; of pairwise tests ``"auto"`` is for the blocks to say."""
    if adjust == "auto":
        return "single-step" if pairs == "pooled" else "auto"
    if adjust == "single-step" and pairs == "pairwise":
        raise ArgumentError(
            f"{Given('adjust', adjust)} needs the joint distribution of statistics on"
            " pooled scores.",
            hint=f"{Option('adjust', 'step-down')} goes with tests of each pair alone;"
            f" {Option('pairs', 'pooled')} lets all algorithms share their scores, and"
            " controls errors only if all are alike.",
        )
    if adjust in CLOSED and pairs == "pairwise":
        raise ArgumentError(
            f"{Given('adjust', adjust)} bounds what the joint distribution of single pairs tells.",
            hint=f"{Option('adjust', 'closed')} goes through the same hypotheses by sign flips.",
        )
    if adjust == "closed" and pairs == "pooled":
        raise ArgumentError(
            f"{Given('adjust', 'closed')} goes with tests of each pair alone.",
            hint=f"{Option('pairs', 'pooled')} takes {Option('adjust', 'bergmann-hommel')}.",
        )
    if adjust in (*CLOSED, "closed"):
        check_all_pairs(adjust, contrasts, alternative)
    if adjust in FLIPPED and null == "asymptotic":
        other = "holm" if pairs == "pairwise" else "single-step"
        raise ArgumentError(
            f"{Option('adjust', adjust)} has no asymptotic form here.",
            hint=f"{Option('null', 'monte-carlo')}, or {Option('adjust', other)}.",
        )
    return adjust


def of_blocks(
    adjust: str, data: "Exchangeable", family: "ContrastFamily", alternative: str, null: str
) -> str:
    """Return the adjustment of pairwise tests that ``"auto"`` means, or check the one requested."""
    k = data.n_labels
    exact = null != "exact" or rotations.all_flips(len(data.layout.sizes))
    flips = not data.repeated and null != "asymptotic" and exact
    closed = k <= rotations.MOST_ALGORITHMS
    if adjust == "auto":
        # Claims of one-sided tests at a tolerance, by Holm's steps, must not lag behind these.
        if not flips or alternative != "two-sided" or len(family.matrix) == 1:
            return "holm"
        pairs = len(family.matrix) == k * (k - 1) // 2 and data.layout.complete
        return "closed" if closed and pairs else "step-down"
    why = "flips the signs of blocks, which hold each algorithm once" if data.repeated else ""
    why = why or ("" if exact else "draws sign flips of so many blocks at random")
    why = why or f"goes with up to {rotations.MOST_ALGORITHMS} algorithms, not {k}" * (
        adjust == "closed" and not closed
    )
    if adjust in FLIPPED and why:
        raise DesignError(
            f"{Given('adjust', adjust)} {why}.",
            hint=f"{Option('adjust', 'holm')} goes with any design.",
        )
    return adjust


def of_pairwise(
    asked: "PermutationProcedure", own: "Alone", pairs: NDArray[np.int64], k: int
) -> tuple[Array, Array]:
    """Return adjusted p-values of single pairs, and the errors of evaluation."""
    method = asked.adjust
    if method not in FLIPPED or own.terms is None:
        p = adjusted(method, own.p)
        return p, grown(own.error, p, own.p)
    if method == "step-down":
        many = min(_MOST_SUMS // len(own.p), _MOST_TERMS // max(own.terms.size, 1))
        p, error = rotations.step_down_flips(
            own.terms,
            two_sided=asked.side == 0,
            directions=min(asked.resamples, max(rotations.DIRECTIONS, many)),
            seed=asked.seed,
        )
        return np.maximum(p, own.p), np.where(p >= own.p, error, own.error)
    at = _numbers(pairs, k)
    many = k * (k - 1) // 2
    terms, alone, silent = np.zeros((len(own.terms), many)), np.ones(many), np.ones(many, np.bool_)
    terms[:, at], alone[at], silent[at] = own.terms, own.p, False
    found = rotations.closed_flips(
        terms,
        alone,
        k,
        asked.alpha,
        silent=silent,
        directions=min(asked.resamples, rotations.DIRECTIONS),
        seed=asked.seed,
    )
    error = np.where(found.directions[at] > 0, found.error[at], own.error)
    return found.p_value[at], error


def _numbers(pairs: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return the numbers of pairs among all pairs of k algorithms."""
    number = np.zeros((k, k), np.int64)
    number[np.triu_indices(k, 1)] = np.arange(k * (k - 1) // 2)
    return number[pairs.min(axis=1), pairs.max(axis=1)]


def adjustment_words(
    asked: "PermutationProcedure", family: "ContrastFamily", bound: str = ""
) -> str:
    """Say how p-values and intervals are adjusted for a family."""
    if len(family.matrix) == 1:
        return ONE
    if asked.adjust == "none":
        return WORDS["none"].format(family=family.words)
    intervals = "Bonferroni's" if asked.side else "Sidak's"
    flipped = asked.adjust == "step-down" and asked.pairs == "pairwise"
    words = FLIPPED_STEP_DOWN if flipped else WORDS[asked.adjust]
    return f"{words.format(family=family.words)}{bound}; intervals are {intervals}"


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
