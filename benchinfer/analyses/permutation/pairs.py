"""Permutation tests of single pairs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.permutation.blocks import Exchangeable, On, in_units, standardised
from benchinfer.analyses.permutation.numerics import arrangements
from benchinfer.analyses.permutation.numerics.nulls import PermutationProblem
from benchinfer.analyses.permutation.options import PermutationProcedure
from benchinfer.analyses.permutation.pooled import null_of, scores_of
from benchinfer.core.errors import DesignError, FitError
from benchinfer.numerics import rates, shifts, signs
from benchinfer.numerics.covariance import all_pairs
from benchinfer.numerics.max_t import critical_t
from benchinfer.numerics.shifts import (
    freedom_of_units,
    mean_differences,
    normal_score_shift,
    skewness,
)
from benchinfer.numerics.types import Array, Codes, Flags

if TYPE_CHECKING:
    from benchinfer.analyses.permutation.numerics.blocks import BlockLayout


@dataclass(frozen=True, slots=True)
class PairTests:
    """Unadjusted evidence of P pairs, each from its own scores; (P,) arrays."""

    # estimate, low, high: first minus second, with simultaneous intervals
    estimate: Array
    low: Array
    high: Array
    # Whether the test has no end at the level of the interval, which ends at the least and the
    # largest difference then
    endless: Flags
    mean: Array  # mean difference
    statistic: Array  # standardised, positive where first is better
    # p, error: P-value of the difference, and the standard error of its evaluation
    p: Array
    error: Array
    # equivalence, noninferiority: P-values of the shifted tests at the tolerance; 1 without a
    # tolerance
    equivalence: Array
    noninferiority: Array
    smallest: Array  # the smallest p-value that so many blocks could give
    # n, zeros: blocks that hold both, and how many of these differ by nothing
    n: Codes
    zeros: Codes
    # Of the differences, over its standard error under symmetry; 0 below eight blocks
    skewness: Array
    kinds: tuple[str, ...]  # null distribution of each
    # (B, P) what the statistics are sums of; None where they are no such sums
    terms: Array | None = None


def differences(data: Exchangeable, matrix: Array, on: On) -> Array:
    """Return (B, P) contrasts of the blocks' scores; NaN where an algorithm is absent."""
    table = data.table()
    if on == "dispersion" and data.target == "datasets":
        return _of_distances(data, table, matrix)
    there, involved = np.isfinite(table).astype(np.float64), (matrix != 0).astype(np.float64)
    lacking = there @ involved.T < involved.sum(axis=1)
    return np.where(lacking, np.nan, np.nan_to_num(table) @ matrix.T)


def _of_distances(data: Exchangeable, table: Array, matrix: Array) -> Array:
    """Return contrasts of minus the distances from the median of the pair's scores on a data set.

    The median does not look at the labels, so that flipping them leaves it as it is.
    """
    result = np.full((len(table), len(matrix)), np.nan)
    home = data.homes()
    for row, target in zip(matrix, result.T, strict=True):
        scores = table[:, row != 0]
        complete = np.isfinite(scores).all(axis=1)
        for d in np.unique(home[complete]):
            part = complete & (home == d)
            distance = np.abs(scores[part] - np.median(scores[part]))
            target[part] = -distance @ row[row != 0]
    return result


def cleaned(data: Exchangeable, matrix: Array, on: On) -> tuple[Array, Array]:
    """Return (B, P) contrasts of the blocks' scores, 0 where they are noise, and that noise."""
    d, noise = differences(data, matrix, on), data.noise(matrix)
    return np.where(np.abs(d) <= noise, 0.0, d), noise


def paired_tests(data: Exchangeable, matrix: Array, procedure: PermutationProcedure) -> PairTests:
    """Test and estimate each contrast from its own differences.

    Notes
    -----
    Equivalence is shown by two one-sided tests of the differences plus and minus the tolerance:
    the larger of their p-values.
    """
    d, noise = cleaned(data, matrix, procedure.on)
    n_pairs, margin = len(matrix), procedure.margin
    side = procedure.side or 1
    wide = data.shift(margin)
    columns = [side * d, *([d + wide, wide - d] if margin > 0 else [])]
    terms = np.concatenate([_terms(data, part, procedure, noise) for part in columns], axis=1)
    two_sided = (np.arange(terms.shape[1]) < n_pairs) & (procedure.side == 0)
    tests = signs.sign_tests(
        terms,
        two_sided=two_sided,
        null=procedure.null,
        resamples=procedure.resamples,
        seed=procedure.seed,
        n_jobs=procedure.n_jobs,
        progress=procedure.callback("pairs", procedure.resamples),
    )
    above, below = tests.p_value[n_pairs : 2 * n_pairs], tests.p_value[2 * n_pairs :]
    none = np.ones(n_pairs)
    low, high, estimate, mean, endless = _shifts(data, d, matrix, procedure)
    low, high = procedure.bounds(low, high)
    return PairTests(
        estimate=estimate,
        low=low,
        high=high,
        endless=endless,
        mean=mean,
        statistic=side * tests.statistic[:n_pairs],
        p=tests.p_value[:n_pairs],
        error=tests.error[:n_pairs],
        equivalence=np.maximum(above, below) if margin > 0 else none,
        noninferiority=(above if side > 0 else below) if margin > 0 else none,
        smallest=tests.smallest[:n_pairs],
        n=np.isfinite(d).sum(axis=0),
        zeros=(d == 0).sum(axis=0),
        skewness=skewness(d),
        kinds=tests.kinds[:n_pairs],
        terms=terms[:, :n_pairs],
    )


def ordered_terms(data: Exchangeable, procedure: PermutationProcedure, margin: float) -> Array:
    """Return (B, K, K) terms of the tests that the row is better than the column by a margin."""
    k = data.n_labels
    pairs, matrix = all_pairs(k)
    d, noise = cleaned(data, matrix, procedure.on)
    i, j = pairs.T
    terms = np.zeros((len(d), k, k))
    wide = data.shift(margin)
    terms[:, i, j] = _terms(data, d - wide, procedure, noise)
    terms[:, j, i] = _terms(data, -d - wide, procedure, noise) if margin else -terms[:, i, j]
    return terms


def _terms(data: Exchangeable, d: Array, procedure: PermutationProcedure, noise: Array) -> Array:
    """Return the terms of the test statistics, 0 where there is none."""
    if procedure.scale == "dataset":
        d, noise = in_units(np.where(np.abs(d) <= noise, 0.0, d), data.homes(), noise)
    if procedure.on in ("values", "dispersion"):
        return np.nan_to_num(d)
    scores = signs.signed_normal_scores if procedure.on == "normal-scores" else signs.signed_ranks
    return scores(d, noise)


def _shifts(
    data: Exchangeable,
    d: Array,
    matrix: Array,
    procedure: PermutationProcedure,
    level: float | None = None,
) -> tuple[Array, Array, Array, Array, Flags]:
    """Return interval, estimate and mean difference of each column, and which tests have no end.

    Intervals have the `level`, by default that of the procedure.
    """
    m, df = len(matrix), None
    if data.linear is not None:  # intervals are of the ratio of sums
        size = np.broadcast_to(data.shift(1.0), d.shape) * np.isfinite(d)
        df = np.array([freedom_of_units(column / column.sum()) for column in size.T])
        d = differences(replace(data, values=data.linear), matrix, procedure.on)
    each = procedure.confidence(m) if level is None else level
    # Each column against a column of zeros; the level of the family that gives `each` to one.
    pairs = np.column_stack([np.arange(m), np.full(m, m)])
    means = mean_differences(np.column_stack([d, np.zeros(len(d))]), pairs, each**m, df)
    low, high, estimate = means.low, means.high, means.estimate
    endless = np.zeros(m, np.bool_)
    if procedure.on not in ("values", "dispersion"):
        invert = normal_score_shift if procedure.on == "normal-scores" else shifts.hodges_lehmann
        inverted = [invert(column[np.isfinite(column)], each) for column in d.T]
        estimate = np.array([one.estimate for one in inverted])
        ranges = np.nanmin(d, axis=0), np.nanmax(d, axis=0)
        ends = [shifts.with_ends(*each) for each in zip(inverted, *ranges, strict=True)]
        low, high, endless = (np.array(column) for column in zip(*ends, strict=True))
    return low, high, estimate, means.estimate, endless


def intervals(
    data: Exchangeable, matrix: Array, procedure: PermutationProcedure, tails: Array
) -> tuple[Array, Array]:
    """Return (P,) two-sided intervals of contrasts, which leave out a tail each on either side."""
    ends = [
        _interval(data, row, procedure, tail)
        for row, tail in zip(matrix, tails.tolist(), strict=True)
    ]
    low, high = np.array(ends).T
    return low, high


def _interval(
    data: Exchangeable, row: Array, procedure: PermutationProcedure, tail: float
) -> tuple[float, float]:
    if data.outcomes and procedure.on != "dispersion":
        return _difference(data, row)[1](tail)
    level = 1 - 2 * tail
    if data.repeated:
        low, high, *_ = _shift(part(data, row), row, procedure, level)
        return low, high
    d, _ = cleaned(data, row[None], procedure.on)
    low, high, *_ = _shifts(data, d, row[None], procedure, level)
    return float(low[0]), float(high[0])


def unpaired_tests(data: Exchangeable, matrix: Array, procedure: PermutationProcedure) -> PairTests:
    """Test and estimate each contrast from the scores of its own algorithms."""
    m = len(matrix)
    rows = [_pair(data, matrix[i], procedure, m, f"pair {i + 1} of {m}") for i in range(m)]
    columns = [np.array(column) for column in zip(*(row[0] for row in rows), strict=True)]
    low, high, endless, estimate, mean, statistic, p, error, equal, better, smallest, n = columns
    low, high = procedure.bounds(low, high)
    zero = np.zeros(len(matrix))
    return PairTests(
        estimate=estimate,
        low=low,
        high=high,
        endless=endless.astype(np.bool_),
        mean=mean,
        statistic=statistic,
        p=p,
        error=error,
        equivalence=equal,
        noninferiority=better,
        smallest=smallest,
        n=n.astype(np.int64),
        zeros=zero.astype(np.int64),
        skewness=zero,
        kinds=tuple(kind for _, kind in rows),
    )


def _pair(
    data: Exchangeable, row: Array, procedure: PermutationProcedure, m: int, task: str
) -> tuple[tuple[float, ...], str]:
    """Return the numbers of one contrast in the order of `PairTests`, and its null distribution."""
    scores = part(data, row)
    level = procedure.confidence(m)
    interval = _shift(scores, row, procedure, level)
    n = len(np.unique(scores.block))
    if (row != 0).sum() > 2:
        return (*interval, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, n), "asymptotic"
    side = procedure.side or 1
    statistic, p, error, smallest, kind = _test(
        scores, 0.0, side, procedure, task, two_sided=procedure.side == 0
    )
    above = below = 1.0
    if procedure.margin > 0:
        above = _test(scores, procedure.margin, 1, procedure, task, two_sided=False)[1]
        below = _test(scores, -procedure.margin, -1, procedure, task, two_sided=False)[1]
    numbers = (
        *(*interval, side * statistic, p, error),
        *(max(above, below), above if side > 0 else below, smallest, n),
    )
    return numbers, kind


def part(data: Exchangeable, row: Array) -> Exchangeable:
    """Return the scores of a contrast's algorithms on the data sets that have them all.

    The first algorithm of a pair gets label 0.
    """
    order = np.argsort(-row, kind="stable")
    involved = order[row[order] != 0]
    place = np.full(len(row), -1)
    place[involved] = np.arange(len(involved))
    label = place[data.label]
    there = np.zeros((int(data.block.max()) + 1, len(involved)), np.bool_)
    there[data.block[label >= 0], label[label >= 0]] = True
    keep = (label >= 0) & there.all(axis=1)[data.block]
    return replace(
        data,
        values=data.values[keep],
        rounding=data.rounding[keep],
        block=data.block[keep],
        label=label[keep],
        dataset=data.dataset[keep],
        n_labels=len(involved),
    )


def _test(
    pair: Exchangeable,
    shift: float,
    side: int,
    procedure: PermutationProcedure,
    task: str,
    *,
    two_sided: bool,
) -> tuple[float, float, float, float, str]:
    """Test that the first algorithm's scores plus a shift are better (side 1) or worse (-1).

    Return statistic, p-value, its error, the smallest p-value possible, and the null distribution.
    """
    moved = replace(pair, values=pair.values + np.where(pair.label == 0, shift, 0.0))
    if procedure.scale == "dataset":
        moved = standardised(moved)
    layout: BlockLayout = moved.layout
    scores = scores_of(moved, layout, procedure.on).values
    question = PermutationProblem.of(
        scores, layout, side * np.array([[1.0, -1.0]]), two_sided=two_sided
    )
    try:
        null = null_of(question, scores, replace(procedure, pairs="pooled", stop=False), task)
    except FitError as error:
        raise DesignError(str(error), hint='null="monte-carlo" goes with any design.') from None
    raw = null.raw if null.raw is not None else null.single_step
    smallest = 1 / arrangements.arrangements(scores, layout)[0]
    if null.kind == "monte-carlo":
        smallest = max(smallest, 1 / (null.n + 1))
    statistic = float(question.observed[0])
    return statistic, float(raw.value[0]), float(raw.error[0]), smallest, null.kind


def _shift(
    pair: Exchangeable, row: Array, procedure: PermutationProcedure, level: float
) -> tuple[float, ...]:
    """Return interval, whether it has no end, estimate and mean difference of a contrast."""
    values = pair.values
    if procedure.on == "dispersion":
        layout = pair.layout
        values = np.empty_like(pair.values)
        values[layout.rows] = scores_of(pair, layout, procedure.on).values
    weights = np.sort(row[row != 0])[::-1]
    samples = [
        tuple(values[(pair.block == d) & (pair.label == k)] for k in range(pair.n_labels))
        for d in np.unique(pair.block)
    ]
    mean, error, df = shifts.mean_contrast(samples, weights)
    if procedure.on in ("values", "dispersion") or pair.n_labels > 2:
        half = float(critical_t(np.array([df]), 1 - level)[0]) * error
        return mean - half, mean + half, False, mean, mean
    inverted = shifts.shift_within([(each[0], each[1]) for each in samples], level)
    least = min(first.min() - second.max() for first, second in samples)
    largest = max(first.max() - second.min() for first, second in samples)
    return *shifts.with_ends(inverted, least, largest), inverted.estimate, mean


def of_rates(
    tests: PairTests, data: Exchangeable, matrix: Array, procedure: PermutationProcedure
) -> PairTests:
    """Return the tests of pairs with differences of rates and Newcombe's intervals.

    Of scores that are 0 or 1 the differences of a pair are -1, 0 or 1: their median and their
    Hodges-Lehmann shift are 0 however much the rates differ, and tests of a shift by the tolerance
    are of that median, too. So equivalence and non-inferiority are tested by Newcombe's interval.
    Tests of no difference stay as they are; averages of algorithms keep their mean difference.
    """
    tail = (1 - procedure.confidence(len(matrix))) / 2
    estimate, low, high = tests.estimate.copy(), tests.low.copy(), tests.high.copy()
    endless = tests.endless.copy()
    equivalence, noninferiority = tests.equivalence.copy(), tests.noninferiority.copy()
    for i in np.flatnonzero((matrix != 0).sum(axis=1) == 2):
        estimate[i], interval = _difference(data, matrix[i])
        low[i], high[i] = interval(tail)
        endless[i] = False
        if procedure.margin > 0:
            above, below = rates.beyond_margins(interval, procedure.margin)
            equivalence[i] = max(above, below)
            noninferiority[i] = above if procedure.side >= 0 else below
    low, high = procedure.bounds(low, high)
    return replace(
        tests,
        estimate=estimate,
        low=low,
        high=high,
        endless=endless,
        equivalence=equivalence,
        noninferiority=noninferiority,
    )


def of_one_side(tests: PairTests) -> PairTests:
    """Return tests that decide no pair against its estimate, nor one whose estimate is 0.

    Among the shifts on the far side of equality is the estimate then, which no test rejects: the
    largest p-value of these shifts, that of the pair's claim, is 1.
    """
    shown = np.sign(tests.statistic)
    against = (shown != 0) & (shown != np.sign(tests.estimate))
    return replace(
        tests, p=np.where(against, 1.0, tests.p), error=np.where(against, 0.0, tests.error)
    )


def _difference(
    data: Exchangeable, row: Array
) -> tuple[float, Callable[[float], tuple[float, float]]]:
    """Return the difference of the rates of a pair, and its interval by tail probability."""
    scores = part(data, row)
    right = scores.values == data.values.max()
    if not data.repeated:
        order = np.lexsort((scores.label, scores.block))
        first, second = right[order].reshape(-1, 2).T
        table = rates.Fourfold.of(first, second)
        return (table.first - table.second) / table.n, partial(rates.newcombe_paired, table)
    at = np.unique(scores.block, return_inverse=True)[1] * 2 + scores.label
    size = int(at.max()) + 1
    n = np.bincount(at, minlength=size).reshape(-1, 2).T.astype(np.float64)
    count = np.bincount(at, right, size).reshape(-1, 2).T
    difference = float((count[0] / n[0] - count[1] / n[1]).mean())
    return difference, partial(rates.newcombe, (count[0], n[0]), (count[1], n[1]))
