"""P-values of dominance among algorithms on several measures.

An algorithm dominates another one that it is shown to be worse than on no measure by more than the
tolerance, and better than on one. Each of these is a one-sided hypothesis of a pair on a measure;
they are tested together, by steps down from the largest statistic, along directions that all
measures share. A pair needs all of its hypotheses of being worse, and one of being no better.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import stdtr

from benchinfer.numerics import rotations
from benchinfer.numerics.directions.rank_sets import (
    DifferenceDraws,
    RowReference,
    StepDown,
    n_draws,
)
from benchinfer.numerics.types import Array, Flags

# Draws that are gone through at a time.
_STEP = 2_000
# Of a share of variance.
_LEAST = 1e-300


def dominance(
    tables: Array,
    margins: Array,
    reference: rotations.Reference = "rotation",
    seed: int = rotations.SEED,
) -> tuple[Array, Array]:
    """Test dominance of all ordered pairs.

    Parameters
    ----------
    tables
        (M, D, K) levels of K algorithms on D data sets by M measures, larger is better.
    margins
        (M,) tolerances on the scales of the measures, 0 for none.
    reference, seed
        As in `rotations.closed_pairs`: rotations are exact for independent normal rows of one
        covariance over all algorithms and measures, sign flips for symmetric ones.

    Returns
    -------
    tuple of ndarray
        (K, K) p-values that the row is dominated by the column, adjusted for all ordered pairs, and
        (K,) p-values that the algorithm is dominated by some other one, each by itself.

    Notes
    -----
    That a row is not dominated by a column is a union of hypotheses: it is better by the margin or
    more on some measure, or nowhere worse. Whichever it is of each pair, the one that is true has
    a statistic beyond the limit with a probability of at most

    - that of the largest statistic of all hypotheses of all pairs, which knows their dependence;
    - by rotations, the sum over pairs of that of one statistic, which does not add up measures.

    The limit is the smaller one of both. Steps go down over hypotheses, so that measures on which a
    pair is clear leave it first.

    A column is better on one measure if it is shown to be so and its estimate is beyond the margin,
    as of a verdict: no two algorithms dominate each other. Where a margin is 0, not to be worse by
    it is shown as being better is.

    References
    ----------
    Berger, R. L. (1982). Multiparameter hypothesis testing and acceptance sampling. Technometrics
    24, 295-300. https://doi.org/10.1080/00401706.1982.10487790

    Romano & Wolf (2005), https://doi.org/10.1198/016214504000000539
    """
    tables, margins = _in_units(tables, margins)
    m, d, k = tables.shape
    # Worse by the margin on each measure; where all have one, no better on each of them.
    tests = [*zip(range(m), margins.tolist(), strict=True)]
    tests += [(measure, 0.0) for measure in range(m)] if (margins > 0).all() else []
    references = [RowReference(table, reference, seed) for table in tables]
    against = -np.stack([references[measure].observed(margin) for measure, margin in tests])
    per_length = [references[measure].per_length(margin) for measure, margin in tests]
    ahead = against > 0
    pairs = StepDown(against[ahead])
    rows = [StepDown(against[:, i][ahead[:, i]]) for i in range(k)]
    for levels, shifts in _drawn(tables, margins, reference, seed):
        draws = [
            DifferenceDraws(levels[measure], lengths, shifts[measure] if margin else 0.0)
            for (measure, margin), lengths in zip(tests, per_length, strict=True)
        ]
        _count(draws, ahead, pairs, rows)
    one = np.ones_like(against)
    if reference == "rotation":
        size = np.minimum(against, 1.0)
        one = np.asarray(stdtr(d - 1, -size * ((d - 1) / np.maximum(1 - size**2, _LEAST)) ** 0.5))
    adjusted, alone = np.ones_like(against), np.ones_like(against)
    adjusted[ahead] = pairs.p_values((one * _weights(against, m, k * (k - 1)))[ahead])
    for i, family in enumerate(rows):
        part, of_row = ahead[:, i], np.ones_like(against[:, i])
        of_row[part] = family.p_values((one[:, i] * _weights(against[:, i], m, k - 1))[part])
        alone[:, i] = of_row
    levels = tables.mean(axis=1)
    beyond = levels[:, None, :] - levels[:, :, None] > margins[:, None, None]
    p_value, each = (
        np.maximum(p[:m].max(axis=0), np.where(beyond, p[-m:], 1.0).min(axis=0))
        for p in (adjusted, alone)
    )
    return p_value, each.min(axis=1)


def _count(
    draws: list[DifferenceDraws], ahead: Flags, pairs: StepDown, rows: list[StepDown]
) -> None:
    """Count draws of (T, K, K) tests, of all pairs together and of each row."""
    where: list[tuple[int, int, int]] = [
        *zip(*(axis.tolist() for axis in np.nonzero(ahead)), strict=True)
    ]
    largest = np.full(draws[0].n, -np.inf)
    for i, family in enumerate(rows):
        row = -np.stack([each.row(i) for each in draws])
        behind = row[~ahead[:, i]].max(axis=0)
        np.maximum(largest, behind, out=largest)
        family.count(row[ahead[:, i]].__getitem__, behind)
    pairs.count(lambda n: -draws[where[n][0]].pair(*where[n][1:]), largest)


def _weights(against: Array, m: int, pairs: int) -> Array:
    """Return the (T, ...) numbers of hypotheses that can be true at each step down.

    Of each pair it is one, or one for each of m measures while it is open on which the column is
    better. A pair that has left for good has none.
    """
    tests = len(against)
    order = np.argsort(-against, axis=None, kind="stable")
    turn = np.empty(against.size, np.int64)
    turn[order] = np.arange(against.size)
    turn = np.where(against > 0, turn.reshape(against.shape), against.size)
    worse, better = turn[:m].max(axis=0), turn[m:].min(axis=0) if tests > m else np.int64(-1)
    left = np.zeros(against.size + 1)
    np.add.at(left, np.maximum(worse, better), -1.0)
    if tests > m:
        np.add.at(left, better, 1.0 - m)
    # What leaves at a turn counts until then.
    weight = pairs * (m if tests > m else 1) + np.cumsum(left) - left
    return weight[turn]


def dominated(shown: Flags) -> Flags:
    """Return a (K,) mask of dominated algorithms from (K, K) dominance by the column.

    With tolerances dominance can go round in a circle of three or more, whose members stay.

    Examples
    --------
    >>> dominated(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], bool)).tolist()
    [False, True, True]
    >>> dominated(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], bool)).tolist()
    [False, False, False]
    """
    linked = shown.copy()
    for through in range(len(shown)):
        linked |= np.logical_and.outer(linked[:, through], linked[through])
    return (shown & ~linked.T).any(axis=1)


def _in_units(tables: Array, margins: Array) -> tuple[Array, Array]:
    """Return tables centred by row, and margins, both in standard deviations of each table."""
    centred = tables - tables.mean(axis=2, keepdims=True)
    unit = centred.std(axis=(1, 2))
    unit = np.where(unit > 0, unit, 1.0)
    return centred / unit[:, None, None], margins / unit


def _drawn(
    tables: Array, margins: Array, reference: rotations.Reference, seed: int
) -> Iterator[tuple[Array, Array]]:
    """Yield (M, K, n) levels and (M, n) shifts by the margins along directions of all measures."""
    m, d, k = tables.shape
    order = rotations.canonical_order(tables.reshape(m * d, k))
    columns = [np.hstack([table[:, order], np.zeros((d, 1))]) for table in tables]
    columns += [np.tile(margins, (d, 1))]
    drawn = rotations.drawn_levels(np.hstack(columns), reference, n_draws(k), seed)
    levels = drawn[:, : m * (k + 1)].T.reshape(m, k + 1, -1)
    # Constants turn with the rows: a shift is the difference from a column of zeros.
    shifts = drawn[:, m * (k + 1) :].T - levels[:, k]
    levels = levels[:, np.argsort(order)]
    for start in range(0, levels.shape[2], _STEP):
        part = slice(start, start + _STEP)
        yield np.ascontiguousarray(levels[:, :, part]), shifts[:, part]
