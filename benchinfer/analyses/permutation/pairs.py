"""Permutation tests of single pairs."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.permutation.blocks import Exchangeable, On, in_units, standardised
from benchinfer.analyses.permutation.numerics import arrangements, nulls
from benchinfer.analyses.permutation.options import PermutationProcedure
from benchinfer.analyses.permutation.pooled import null_of, scores_of
from benchinfer.comparison.evidence import Array
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.hints import Option
from benchinfer.numerics import shifts, signs
from benchinfer.numerics.max_t import critical_t
from benchinfer.numerics.shifts import mean_differences, normal_score_shift, skewness

if TYPE_CHECKING:
    from benchinfer.analyses.permutation.numerics.blocks import BlockLayout


# Of a tolerance that is added, this share is the noise of the sum.
_SUM = 1e-15
# The noise of differences in units of their data set.
_SCALED = 1e-10


@dataclass(frozen=True, slots=True)
class Alone:
    """Unadjusted evidence of P pairs, each from its own scores; (P,) arrays.

    Attributes
    ----------
    estimate, low, high
        First minus second, with simultaneous intervals.
    mean
        Mean difference.
    statistic
        Standardised, positive where first is better.
    p, error
        P-value of the difference, and the standard error of its evaluation.
    equivalence, noninferiority
        P-values of the shifted tests at the tolerance; 1 without a tolerance.
    smallest
        The smallest p-value that so many blocks could give.
    n, zeros
        Blocks that hold both, and how many of these differ by nothing.
    skewness
        Of the differences, over its standard error under symmetry; 0 below eight blocks.
    kinds
        Null distribution of each.
    terms
        (B, P) what the statistics are sums of; None where they are no such sums.
    """

    estimate: Array
    low: Array
    high: Array
    mean: Array
    statistic: Array
    p: Array
    error: Array
    equivalence: Array
    noninferiority: Array
    smallest: Array
    n: NDArray[np.int64]
    zeros: NDArray[np.int64]
    skewness: Array
    kinds: tuple[str, ...]
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
        own = table[:, row != 0]
        whole = np.isfinite(own).all(axis=1)
        for d in np.unique(home[whole]):
            part = whole & (home == d)
            distance = np.abs(own[part] - np.median(own[part]))
            target[part] = -distance @ row[row != 0]
    return result


def paired_tests(data: Exchangeable, matrix: Array, asked: PermutationProcedure) -> Alone:
    """Test and estimate each contrast from its own differences.

    Notes
    -----
    Equivalence is shown by two one-sided tests of the differences plus and minus the tolerance:
    the larger of their p-values.
    """
    d = differences(data, matrix, asked.on)
    noise = np.maximum(data.rounded[data.homes()], _SUM * asked.margin)
    d = np.where(np.abs(d) <= noise[:, None], 0.0, d)
    tests, p = len(matrix), asked.margin
    side = asked.side or 1
    columns = [side * d, *([d + p, p - d] if p > 0 else [])]
    terms = np.concatenate([_terms(data, part, asked, noise) for part in columns], axis=1)
    two_sided = (np.arange(terms.shape[1]) < tests) & (asked.side == 0)
    found = signs.sign_tests(
        terms,
        two_sided=two_sided,
        null=asked.null,
        resamples=asked.resamples,
        seed=asked.seed,
        n_jobs=asked.n_jobs,
        progress=asked.told("pairs", asked.resamples),
    )
    above, below = found.p_value[tests : 2 * tests], found.p_value[2 * tests :]
    none = np.ones(tests)
    low, high, estimate, mean = _shifts(d, asked)
    return Alone(
        estimate=estimate,
        low=low,
        high=high,
        mean=mean,
        statistic=side * found.statistic[:tests],
        p=found.p_value[:tests],
        error=found.error[:tests],
        equivalence=np.maximum(above, below) if p > 0 else none,
        noninferiority=(above if side > 0 else below) if p > 0 else none,
        smallest=found.smallest[:tests],
        n=np.isfinite(d).sum(axis=0),
        zeros=(d == 0).sum(axis=0),
        skewness=skewness(d),
        kinds=found.kinds[:tests],
        terms=terms[:, :tests],
    )


def _terms(data: Exchangeable, d: Array, asked: PermutationProcedure, noise: Array) -> Array:
    """Return the terms of the test statistics, 0 where there is none."""
    same = float(noise[0])
    if asked.scale == "dataset":
        d = np.where(np.abs(d) <= noise[:, None], 0.0, d)
        d = in_units(d, data.homes(), noise)
        same = _SCALED * float(np.nanmax(np.abs(d), initial=0.0))
    if asked.on in ("values", "dispersion"):
        return np.nan_to_num(d)
    scores = signs.signed_normal_scores if asked.on == "normal-scores" else signs.signed_ranks
    return scores(d, same)


def _shifts(d: Array, asked: PermutationProcedure) -> tuple[Array, Array, Array, Array]:
    """Return interval, estimate and mean difference of each column."""
    m = d.shape[1]
    each = asked.alone(m)
    # Each column against a column of zeros; the level of the family that gives `each` to one.
    pairs = np.column_stack([np.arange(m), np.full(m, m)])
    means = mean_differences(np.column_stack([d, np.zeros(len(d))]), pairs, each**m)
    low, high, estimate = means.low, means.high, means.estimate
    if asked.on not in ("values", "dispersion"):
        invert = normal_score_shift if asked.on == "normal-scores" else shifts.hodges_lehmann
        found = [invert(column[np.isfinite(column)], each) for column in d.T]
        low = np.array([one.low for one in found])
        high = np.array([one.high for one in found])
        estimate = np.array([one.estimate for one in found])
    if asked.side > 0:
        high = np.full(m, np.inf)
    if asked.side < 0:
        low = np.full(m, -np.inf)
    return low, high, estimate, means.estimate


@dataclass(frozen=True, slots=True)
class _Test:
    statistic: float
    p: float
    error: float
    smallest: float
    kind: str


def unpaired_tests(data: Exchangeable, matrix: Array, asked: PermutationProcedure) -> Alone:
    """Test and estimate each contrast from the scores of its own algorithms."""
    m = len(matrix)
    found = [_pair(data, matrix[i], asked, m, f"pair {i + 1} of {m}") for i in range(m)]
    columns = [np.array(column) for column in zip(*(row[0] for row in found), strict=True)]
    low, high, estimate, mean, statistic, p, error, equal, better, smallest, n = columns
    zero = np.zeros(len(matrix))
    return Alone(
        estimate=estimate,
        low=low if asked.side >= 0 else np.full_like(low, -np.inf),
        high=high if asked.side <= 0 else np.full_like(high, np.inf),
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
        kinds=tuple(kind for _, kind in found),
    )


def _pair(
    data: Exchangeable, row: Array, asked: PermutationProcedure, m: int, task: str
) -> tuple[tuple[float, ...], str]:
    """Return the numbers of one contrast in the order of `alone`, and its null distribution."""
    own = part(data, row)
    level = asked.alone(m)
    low, high, estimate, mean = _shift(own, row, asked, level)
    n = len(np.unique(own.block))
    if (row != 0).sum() > 2:
        return (low, high, estimate, mean, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, n), "asymptotic"
    side = asked.side or 1
    test = _test(own, 0.0, side, asked, task, two_sided=asked.side == 0)
    above = below = 1.0
    if asked.margin > 0:
        above = _test(own, asked.margin, 1, asked, task, two_sided=False).p
        below = _test(own, -asked.margin, -1, asked, task, two_sided=False).p
    numbers = (
        *(low, high, estimate, mean, side * test.statistic, test.p, test.error),
        *(max(above, below), above if side > 0 else below, test.smallest, n),
    )
    return numbers, test.kind


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
        block=data.block[keep],
        label=label[keep],
        dataset=data.dataset[keep],
        n_labels=len(involved),
    )


def _test(
    own: Exchangeable,
    shift: float,
    side: int,
    asked: PermutationProcedure,
    task: str,
    *,
    two_sided: bool,
) -> _Test:
    """Test that the first algorithm's scores plus a shift are better (side 1) or worse (-1)."""
    moved = replace(own, values=own.values + np.where(own.label == 0, shift, 0.0))
    if asked.scale == "dataset":
        moved = standardised(moved)
    layout: BlockLayout = moved.layout
    scores = scores_of(moved, layout, asked.on).values
    question = nulls.ask(scores, layout, side * np.array([[1.0, -1.0]]), two_sided=two_sided)
    try:
        null = null_of(question, scores, replace(asked, pairs="pooled", stop=False), task)
    except FitError as error:
        raise DesignError(
            str(error), hint=f"{Option('null', 'monte-carlo')} goes with any design."
        ) from None
    raw = null.raw if null.raw is not None else null.single_step
    smallest = 1 / arrangements.arrangements(scores, layout)[0]
    if null.kind == "monte-carlo":
        smallest = max(smallest, 1 / (null.n + 1))
    return _Test(
        float(question.observed[0]), float(raw.value[0]), float(raw.error[0]), smallest, null.kind
    )


def _shift(
    own: Exchangeable, row: Array, asked: PermutationProcedure, level: float
) -> tuple[float, ...]:
    """Return interval, estimate and mean difference of a contrast."""
    values = own.values
    if asked.on == "dispersion":
        layout = own.layout
        values = np.empty_like(own.values)
        values[layout.rows] = scores_of(own, layout, asked.on).values
    weights = np.sort(row[row != 0])[::-1]
    samples = [
        tuple(values[(own.block == d) & (own.label == k)] for k in range(own.n_labels))
        for d in np.unique(own.block)
    ]
    mean, error, df = shifts.mean_contrast(samples, weights)
    if asked.on in ("values", "dispersion") or own.n_labels > 2:
        half = float(critical_t(np.array([df]), 1 - level)[0]) * error
        return mean - half, mean + half, mean, mean
    found = shifts.shift_within([(pair[0], pair[1]) for pair in samples], level)
    return found.low, found.high, found.estimate, mean
