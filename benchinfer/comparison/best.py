"""Sets of the best algorithm and of ranks of a comparison: columns, ranges and the sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import stdtr

from benchinfer.core.arguments import check_choice
from benchinfer.core.numbers import level_percent, several
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.covariance import Adjusted, Estimates, all_pairs, contrast_variances
from benchinfer.numerics.directions.rank_sets import (
    NormalReference,
    RankSets,
    normal_rank_sets,
    rank_sets_of_p_values,
)
from benchinfer.numerics.types import Array, Codes, Flags, States
from benchinfer.relations.ranks import rank_intervals

if TYPE_CHECKING:
    from benchinfer.comparison.comparison import Comparison, TestedComparison

# Sets that hold for all algorithms together, or for each by itself.
type RankKind = Literal["simultaneous", "marginal"]

# Adjustments by which equalities of pairs follow from each other.
_LOGICAL = ("rotation", "westfall", "closed", "shaffer", "bergmann-hommel")
_NAMED = 6  # algorithms that a sentence names; of more it gives the number


def of_normal(
    levels: Array,
    errors: Adjusted,
    alpha: float,
    margin: float,
    least: Array | float = 0.0,
) -> RankSets:
    """Return confidence sets for the best and for ranks from K levels with normal or t errors.

    Degrees of freedom are those of all pairs, in the order of `all_pairs`, as are the least
    standard errors of these, infinite for pairs without evidence.
    """
    pairs, matrix = all_pairs(len(levels))
    df, error = np.full((2, len(levels), len(levels)), np.inf)
    i, j = pairs.T
    df[i, j] = df[j, i] = errors.df[: len(pairs)]
    spread = np.sqrt(np.maximum(contrast_variances(matrix, errors.cov), 0.0))
    error[i, j] = error[j, i] = np.maximum(spread, least)
    return normal_rank_sets(NormalReference(levels, errors.cov, df, error), alpha, margin)


def of_estimates(
    estimates: Estimates, pairs: Codes, silent: Flags, alpha: float, margin: float
) -> RankSets:
    """Return the sets of all pairs (P, 2) with errors of their own, whatever their dependence.

    Pairs without an error, and (P,) silent ones, say nothing.
    """
    of_pairs, (i, j) = estimates.first(len(pairs)), pairs.T
    flat = (of_pairs.std_error == 0) | silent
    error = np.where(flat, 1.0, of_pairs.std_error)
    k = int(pairs.max()) + 1
    p = np.ones((2, k, k))  # that the row is better, and that it is by more than the tolerance
    for ahead, least in zip(p, (0.0, margin), strict=True):
        for row, column, turn in ((i, j, -1.0), (j, i, 1.0)):
            t = (least + turn * of_pairs.estimate) / error
            ahead[row, column] = np.where(flat, 1.0, stdtr(of_pairs.df, t))
    return rank_sets_of_p_values(p[0], alpha, p[1] if margin > 0 else None)


def of_raw_p_values(result: TestedComparison) -> RankSets | None:
    """Return rank sets from unadjusted p-values of the pairs, valid under any dependence.

    Pairs that were not compared give no evidence; None where contrasts are of averages.
    """
    return None if result.sides else rank_sets_of_p_values(one_sided(result), result.alpha)


def one_sided(result: TestedComparison) -> Array:
    """Return (K, K) unadjusted one-sided p-values that the row is better than the column.

    They are 1 for pairs that were not compared, and for pairs without a standard error.
    """
    evidence, k = result.evidence, len(result.algorithms)
    i, j = result.pairs.T
    side = {"two-sided": 0, "better": 1, "worse": -1}[result.alternative]
    ahead = np.where(evidence.estimate > 0, evidence.p_raw / 2, 1 - evidence.p_raw / 2)
    ahead = evidence.p_raw if side > 0 else 1 - evidence.p_raw if side < 0 else ahead
    p = np.ones((k, k))
    p[i, j], p[j, i] = ahead, 1 - ahead
    silent = evidence.std_error == 0
    p[i[silent], j[silent]] = p[j[silent], i[silent]] = 1.0
    return p


def with_verdicts(sets: RankSets, result: TestedComparison, adjust: str) -> RankSets:
    """Return rank sets with simultaneous ranks from closed tests of all pairs, if there are any.

    Closed tests of all pairs use that equalities follow from each other, as steps down do not: with
    the same error rate they decide more, and ranks agree with verdicts.
    """
    k, e = len(result.algorithms), result.evidence
    every = len(e.p_value) == k * (k - 1) // 2 and not result.sides
    if adjust not in _LOGICAL or not every or result.alternative != "two-sided":
        return sets
    better, (i, j) = np.zeros((k, k), np.bool_), result.pairs.T
    shown = e.p_value <= result.alpha
    better[i, j], better[j, i] = shown & (e.statistic > 0), shown & (e.statistic < 0)
    return replace(sets, low=1 + better.sum(axis=0), high=k - better.sum(axis=1), closed=True)


def with_withheld(sets: RankSets, pairs: Codes, codes: States, withheld: Flags) -> RankSets:
    """Return sets without the verdicts on some pairs.

    Parameters
    ----------
    sets
        With all verdicts.
    pairs
        (P, 2) algorithms.
    codes
        (P,) verdicts before some were withheld.
    withheld
        (P,) the pairs whose verdicts are.
    """
    better = (codes == Verdict.FIRST) | (codes == Verdict.SECOND)
    first = (codes == Verdict.FIRST)[:, None]
    winner, loser = np.where(first, pairs, pairs[:, ::-1]).T
    lost, won, beaten = (np.zeros(len(sets.best), np.int64) for _ in range(3))
    np.add.at(lost, loser[better & withheld], 1)
    np.add.at(won, winner[better & withheld], 1)
    np.add.at(beaten, loser[better & ~withheld], 1)
    again = (lost > 0) & (beaten == 0)
    k = len(sets.best)
    return replace(
        sets,
        best=sets.best | again,
        p_best=None if sets.p_best is None else np.where(again, 1.0, sets.p_best),
        low=np.maximum(sets.low - lost, 1),
        high=np.minimum(sets.high + won, k),
        marginal_low=np.maximum(sets.marginal_low - lost, 1),
        marginal_high=np.minimum(sets.marginal_high + won, k),
        near=None if sets.near is None else sets.near | again,
        p_near=None if sets.p_near is None else np.where(again, 1.0, sets.p_near),
    )


def columns(sets: RankSets | None, kind: RankKind) -> dict[str, object]:
    """Return the columns of rank sets in the summary; none without inference."""
    check_choice("ranks", kind, RankKind)
    if sets is None:
        return {}
    marginal = kind == "marginal"
    return {
        **({} if sets.p_best is None else {"p_best": sets.p_best}),
        "may_be_best": sets.best,
        **({} if sets.p_near is None else {"p_near_best": sets.p_near}),
        **({} if sets.near is None else {"may_be_near_best": sets.near}),
        "rank_low": sets.marginal_low if marginal else sets.low,
        "rank_high": sets.marginal_high if marginal else sets.high,
    }


def ranges(result: Comparison) -> dict[str, tuple[int, int]]:
    """Return the smallest and the largest rank of each algorithm.

    Where there is no inference they are those that the rule of the verdicts leaves.
    """
    sets = result.rank_sets
    if sets is None:
        return rank_intervals(result.relation())
    low, high = sets.low.tolist(), sets.high.tolist()
    return dict(zip(result.algorithms, zip(low, high, strict=True), strict=True))


def reading(result: Comparison) -> str:
    """Return the kind of the ranges of ranks in words: credible, confidence, or from verdicts."""
    if result.rank_sets is None:
        return "those that the verdicts leave open"
    credible = "credible" if result.rank_sets.p_best is None else "confidence"
    return f"{level_percent(result.level)} {credible} sets of all ranks together"


def sentence(result: Comparison) -> str:
    """Return a sentence on the algorithms that may be the best; empty for fewer than three."""
    sets, k = result.rank_sets, len(result.algorithms)
    if sets is None or k < 3:
        return ""
    names = [result.algorithms[i] for i in result.best_first if sets.best[i]]
    level = level_percent(result.level)
    if len(names) == k:
        return f" Any of the {k} algorithms may be the best ({level})."
    who = f"only {names[0]}" if len(names) == 1 else several(names, _NAMED)
    return f" Of the {k} algorithms, {who} may be the best ({level})."
