"""Adjustment of permutation p-values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.comparison import adjustment
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.hints import literal
from benchinfer.numerics import closed_testing, multiplicity, rotations
from benchinfer.numerics.types import Array, Codes

if TYPE_CHECKING:
    from benchinfer.analyses.permutation.blocks import Exchangeable
    from benchinfer.analyses.permutation.options import PermutationProcedure
    from benchinfer.analyses.permutation.pairs import PairTests
    from benchinfer.analyses.permutation.pooled import PooledTests
    from benchinfer.comparison.contrasts import ContrastFamily, Contrasts


type Pairs = Literal["pairwise", "pooled"]
type Procedure = Literal[
    "single-step",
    "step-down",
    "closed",
    "shaffer",
    "bergmann-hommel",
    "bonferroni",
    "holm",
    "hochberg",
    "hommel",
    "bh",
    "by",
    "none",
]
type Adjust = Literal["auto"] | Procedure
# Sums of sign flips, and terms of these, that step-down tests of many contrasts make do with.
_MOST_SUMS, _MOST_TERMS = 100_000_000, 10_000_000_000
# Places on a line are whole numbers up to this.
_FINE = 2.0**40
# Closed testing of k algorithms by all sets of them, and on a line.
_CLOSED = {
    "shaffer": (closed_testing.shaffer, closed_testing.shaffer_on_line),
    "bergmann-hommel": (closed_testing.bergmann_hommel, closed_testing.bergmann_hommel_on_line),
}


def resolve(adjust: Adjust, pairs: Pairs, contrasts: Contrasts, alternative: str, null: str) -> str:
    """Return the adjustment, checked; ``"auto"`` of pairwise tests depends on the blocks."""
    if adjust == "auto":
        return "single-step" if pairs == "pooled" else "auto"
    needs = adjustment.ADJUSTMENTS[adjust].needs
    if adjust == "single-step" and pairs == "pairwise":
        raise ArgumentError(
            f"{adjust=} needs the joint distribution of statistics on pooled scores.",
            hint='adjust="step-down" goes with tests of each pair alone;'
            ' pairs="pooled" lets all algorithms share their scores, and'
            " controls errors only if all are alike.",
        )
    if needs == ("all pairs",) and pairs == "pairwise":
        raise ArgumentError(
            f"{adjust=} bounds what the joint distribution of single pairs tells.",
            hint='adjust="closed" goes through the same hypotheses by sign flips.',
        )
    if adjust == "closed" and pairs == "pooled":
        raise ArgumentError(
            "adjust='closed' goes with tests of each pair alone.",
            hint='pairs="pooled" takes adjust="bergmann-hommel".',
        )
    if "all pairs" in needs:
        adjustment.check_all_pairs(adjust, contrasts, alternative)
    if adjust in multiplicity.FALSE_DISCOVERY and pairs == "pooled":
        raise ArgumentError(
            f"{adjust=} needs a valid p-value of each pair alone.",
            hint='pairs="pairwise": pooled scores have such p-values only if all'
            " algorithms are alike.",
        )
    if "flips" in needs and null == "asymptotic":
        other = "holm" if pairs == "pairwise" else "single-step"
        raise ArgumentError(
            f"adjust={literal(adjust)} has no asymptotic form here.",
            hint=f'null="monte-carlo", or adjust={literal(other)}.',
        )
    return adjust


def resolve_in_blocks(
    procedure: PermutationProcedure, data: Exchangeable, family: ContrastFamily
) -> str:
    """Return the adjustment of pairwise tests that ``"auto"`` means, or check the one requested.

    The family is that of the options: pairs that share no block say nothing in a closed test.
    """
    adjust, k, n_pairs = procedure.adjust, data.n_labels, len(family.matrix)
    exact = procedure.null != "exact" or rotations.all_flips(len(data.layout.sizes))
    few = k <= rotations.MOST_ALGORITHMS
    if adjust == "auto":
        flips = not data.repeated and procedure.null != "asymptotic" and exact
        # Claims of one-sided tests at a tolerance, by Holm's steps, must not lag behind these.
        if not flips or procedure.side or n_pairs == 1:
            return "holm"
        return "closed" if few and n_pairs == k * (k - 1) // 2 else "step-down"
    misfits = {
        "flips the signs of blocks, which hold each algorithm once": data.repeated,
        "draws sign flips of so many blocks at random": not exact,
        f"goes with up to {rotations.MOST_ALGORITHMS} algorithms, not {k}": adjust == "closed"
        and not few,
    }
    if adjustment.needs(adjust, "flips") and any(misfits.values()):
        why = next(words for words, holds in misfits.items() if holds)
        raise DesignError(
            f"{adjust=} {why}.",
            hint='adjust="holm" goes with any design.',
        )
    return adjust


def adjusted_pairwise(
    procedure: PermutationProcedure, tests: PairTests, pairs: Codes, k: int
) -> tuple[Array, Array]:
    """Return adjusted p-values of single pairs, and the errors of evaluation."""
    adjust, terms, spent = procedure.adjust, tests.terms, procedure.spent(len(tests.p))
    if not adjustment.needs(adjust, "flips") or terms is None:
        p = adjustment.adjusted(adjust, tests.p, spent)
        return p, adjustment.adjusted_errors(tests.error, p, tests.p)
    if adjust == "step-down":
        many = min(_MOST_SUMS // len(tests.p), _MOST_TERMS // max(terms.size, 1))
        p, error = rotations.step_down_flips(
            terms,
            two_sided=procedure.side == 0,
            alpha=procedure.alpha,
            directions=min(procedure.resamples, rotations.DIRECTIONS),
            most=min(procedure.resamples, max(rotations.DIRECTIONS, many)),
            seed=procedure.seed,
            spent=spent,
        )
        return np.maximum(p, tests.p), np.where(p >= tests.p, error, tests.error)
    at, n_all = _numbers(pairs, k), k * (k - 1) // 2
    all_terms, raw, silent = np.zeros((len(terms), n_all)), np.ones(n_all), np.ones(n_all, np.bool_)
    all_terms[:, at], raw[at], silent[at] = terms, tests.p, False
    closed = rotations.closed_flips(
        all_terms,
        raw,
        k,
        procedure.alpha,
        silent=silent,
        directions=min(procedure.resamples, rotations.DIRECTIONS),
        seed=procedure.seed,
        spent=spent,
    )
    error = np.where(closed.directions[at] > 0, closed.error[at], tests.error)
    return closed.p_value[at], error


def adjusted_pooled(
    adjust: str, tests: PooledTests, pairs: Codes, k: int, *, complete: bool
) -> tuple[Array, Array]:
    """Return adjusted p-values of pooled tests of k algorithms, and the errors of evaluation."""
    if adjustment.needs(adjust, "joint"):
        p, error = tests.single_step if adjust == "single-step" else tests.step_down
        return p, error
    raw, error = tests.raw
    if adjustment.needs(adjust, "all pairs"):
        p = closed_p_values(adjust, raw, tests.statistic, pairs, k, complete=complete)
    else:
        p = adjustment.adjusted(adjust, raw)
    return p, adjustment.adjusted_errors(error, p, raw)


def closed_p_values(
    adjust: str, p_values: Array, statistic: Array, pairs: Codes, k: int, *, complete: bool
) -> Array:
    """Adjust p-values of pooled tests by Shaffer's or Bergmann and Hommel's procedure.

    Of many algorithms in complete blocks all pairs have one standard error, so that p-values fall
    with the distance of the sums: they lie on a line. Else Shaffer's first variant, which needs no
    more than the number of algorithms, is never below the others.
    """
    by_sets, on_line = _CLOSED[adjust]
    many = k > closed_testing.MOST_ALGORITHMS
    if many and complete:
        # Pairs with the first algorithm come first; their statistics are distances from it.
        distance = np.append(0.0, statistic[: k - 1])
        largest = float(np.abs(distance).max()) or 1.0
        places = np.rint(distance * (_FINE / largest)).astype(np.int64)
        return on_line(closed_testing.falling(p_values, places), places)
    at = _numbers(pairs, k)
    # Pairs that were not tested can be equal whatever the others are.
    of_all_pairs = np.ones(k * (k - 1) // 2)
    of_all_pairs[at] = p_values
    return (closed_testing.shaffer_static if many else by_sets)(of_all_pairs, k)[at]


def _numbers(pairs: Codes, k: int) -> Codes:
    """Return the numbers of pairs among all pairs of k algorithms."""
    number = np.zeros((k, k), np.int64)
    number[np.triu_indices(k, 1)] = np.arange(k * (k - 1) // 2)
    return number[pairs.min(axis=1), pairs.max(axis=1)]


def words(procedure: PermutationProcedure, family: ContrastFamily, data: Exchangeable) -> str:
    """Return the adjustment for a family in words, with a note where p-values are upper bounds."""
    adjust, pooled = procedure.adjust, procedure.pairs == "pooled"
    most = closed_testing.MOST_ALGORITHMS
    closed = pooled and adjustment.needs(adjust, "all pairs")
    bounded = closed and data.n_labels > most and not data.layout.complete
    by = ""
    if adjustment.needs(adjust, "joint") or adjustment.needs(adjust, "flips"):
        by = ", from pooled scores" if pooled else ", by sign flips of whole blocks"
    if bounded:
        by += f" (upper bounds: Shaffer's first variant, for over {most} algorithms in partial"
        by += " blocks)"
    return adjustment.words(
        adjust, family, directed=procedure.side != 0, interval=procedure.statement, by=by
    )
