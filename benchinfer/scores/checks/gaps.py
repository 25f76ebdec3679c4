"""Gaps of a table: blocks of algorithms that share data sets, and where scores are missing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.core.numbers import count, p_value, some
from benchinfer.numerics.types import Array, Counts, Flags
from benchinfer.scores.checks.facts import Facts, Rule, mean_ranks, rows_finding, two_sided
from benchinfer.scores.coverage import Finding

BLOCKS = "blocks"
NOT_AT_RANDOM = "missing where hard"
# Few enough false rows among tables whose scores are missing at random.
_RARE = 0.01
_FEWEST = 6  # data sets: of fewer no arrangement is rare
_SWEEPS = 10


@dataclass(frozen=True, slots=True)
class Analysis:
    """Analysis that suits a table, with the one argument that it needs, if any."""

    name: str
    argument: tuple[str, str] | None = None

    def __str__(self) -> str:
        """Return the call as text."""
        given = "" if self.argument is None else f'(..., {self.argument[0]}="{self.argument[1]}")'
        return f"compare_{self.name}{given}"


def supported(held: Flags) -> Analysis | None:
    """Return the mixed-model analysis that a pattern of scores supports; None if there is none."""
    if groups(held) > 1:
        return None
    few = held.sum(axis=0).min() < 2
    return Analysis("mixed", ("structure", "common") if few else None)


def blocks(facts: Facts) -> Finding | None:
    """Show which algorithms share which data sets, where not all share all."""
    s = facts.summary
    held = s.n.any(axis=0)
    held = held[held.any(axis=1)][:, held.any(axis=0)]
    if held.all() or min(held.shape) < 2:
        return None
    names = np.array(s.algorithms)[s.n.any(axis=(0, 1))]
    patterns, number = np.unique(held, axis=0, return_counts=True)
    order = np.lexsort((-patterns.sum(axis=1), -number))
    rows = [
        (number[i], f"{patterns[i].sum()} of {len(names)}", _named(names, patterns[i]))
        for i in order
    ]
    call = supported(held)
    support = f"; {call} names the pairs that shared data sets do not support" if call else ""
    return rows_finding(
        BLOCKS,
        "note",
        f"not all algorithms share all data sets: {len(rows)} blocks of data sets have the same"
        f" algorithms; {in_common(names.tolist(), held)}.",
        ("data sets", "algorithms", "which"),
        rows,
        f"a model takes what is not shared from other data sets and algorithms{support}.",
    )


def in_common(names: Sequence[str], held: Flags) -> str:
    """Return how many pairs share fewer than all data sets, and which ones share none.

    Examples
    --------
    >>> in_common("abc", np.array([[True, True, False], [False, True, True]]))
    '3 of 3 pairs share fewer than the 2 data sets, and 1 shares none (a and c)'
    """
    shared = shared_datasets(held)
    pairs = np.transpose(np.triu_indices(len(names), 1))[shared == 0].tolist()
    apart = [(names[int(i)], names[int(j)]) for i, j in pairs]
    few = f"{int((shared < len(held)).sum()):,} of {count(len(shared), 'pair')}"
    share = f", and {len(apart)} share{'s' * (len(apart) == 1)} none" if apart else ""
    which = f" ({some(apart)})" if apart else ""
    return f"{few} share fewer than the {count(len(held), 'data set')}{share}{which}"


def shared_datasets(held: Flags) -> Counts:
    """Count the data sets that both algorithms of each pair are on, given (D, K) cells.

    Examples
    --------
    >>> shared_datasets(np.array([[True, True, False], [True, True, True]]))
    array([2, 1, 1])
    """
    # Products of floating-point numbers, exact up to 2^53, take a small part of those of integers.
    counts = (held.T.astype(np.float64) @ held)[np.triu_indices(held.shape[1], 1)]
    return counts.astype(np.int64)


def groups(held: Flags) -> int:
    """Count the groups of algorithms that no chain of data sets connects."""
    left, n = np.ones(held.shape[1], dtype=np.bool_), 0
    while left.any():
        reached = np.zeros(held.shape[1], dtype=np.bool_)
        connected = left & (left.cumsum() == 1)
        while (connected & ~reached).any():
            reached |= connected
            connected = held[(held & reached).any(axis=1)].any(axis=0)
        left &= ~reached
        n += 1
    return n


def fewest_lost(counts: Counts, fixed: Flags) -> tuple[Flags, Flags]:
    """Return the data sets and algorithms to keep, so that the fewest scores are lost.

    Algorithms go in the order of their empty cells, those with as many together; then go the data
    sets on which one of the others has no score. Of equal losses the one of fewer algorithms.
    """
    empty = (counts == 0).sum(axis=0)
    best = -1, np.zeros(len(counts), np.bool_), np.ones(counts.shape[1], np.bool_)
    for most in np.unique(empty)[::-1]:
        algorithms = (empty <= most) | fixed
        if algorithms.sum() < 2:
            break
        datasets = (counts[:, algorithms] > 0).all(axis=1)
        total = int(counts[np.ix_(datasets, algorithms)].sum())
        if total > best[0]:
            best = total, datasets, algorithms
    return best[1:]


def _named(names: NDArray[np.str_], held: Flags) -> str:
    """Return the names of the algorithms of a block, or those that it lacks if these are fewer."""
    few = held.sum() * 2 <= len(held)
    chosen = [str(name) for name in names[held if few else ~held]]
    if not chosen:
        return "all"
    listed = ", ".join(chosen[:4]) + (f" and {len(chosen) - 4} more" if len(chosen) > 4 else "")
    return listed if few else f"all but {listed}"


def dataset_levels(levels: Array) -> tuple[Array, Array]:
    """Fit data sets and algorithms to a two-way table with gaps, by sweeps.

    Levels (D,) of the data sets are free of the algorithms'; the second result (D, K) is the levels
    without the score of each algorithm. NaN where no score is left.
    """
    held = np.isfinite(levels)
    value, n = np.where(held, levels, 0.0), held.sum(axis=1)
    column = value.sum(axis=0) / np.maximum(held.sum(axis=0), 1)
    for _ in range(_SWEEPS):
        row = np.where(held, value - column, 0.0).sum(axis=1) / np.maximum(n, 1)
        column = np.where(held, value - row[:, None], 0.0).sum(axis=0)
        column /= np.maximum(held.sum(axis=0), 1)
    residual = np.where(held, value - column, 0.0)
    rest = n[:, None] - held
    without = (residual.sum(axis=1, keepdims=True) - residual) / np.maximum(rest, 1)
    level = residual.sum(axis=1) / np.maximum(n, 1)
    return np.where(n > 0, level, np.nan), np.where(rest > 0, without, np.nan)


def rank_sum(missing: Flags, level: Array) -> tuple[float, float]:
    """Compare levels of data sets with and without missing scores by a rank-sum test.

    The share is of pairs (missing, there) of which the missing one has the higher level, ties
    counted half. The two-sided p-value is that of the Mann-Whitney test, by its normal
    approximation with continuity correction, which errs on the safe side where data sets are few.
    """
    known = np.isfinite(level)
    n, m = int((missing & known).sum()), int((~missing & known).sum())
    if min(n, m) < 1 or n + m < _FEWEST:
        return 0.5, 1.0
    ranks = mean_ranks(level[None, known])[0]
    u = float(ranks[missing[known]].sum()) - n * (n + 1) / 2
    _, ties = np.unique(level[known], return_counts=True)
    lost = float((ties**3 - ties).sum()) / ((n + m) * (n + m - 1))
    variance = n * m / 12 * (n + m + 1 - lost)
    if variance <= 0:
        return 0.5, 1.0
    return u / (n * m), two_sided(max(abs(u - n * m / 2) - 0.5, 0.0) / variance**0.5)


def _most_missing(held: Flags, level: Array) -> tuple[float, float]:
    """Return the rank correlation of missing scores with levels of data sets, and its p-value.

    By the normal approximation of the rank correlation, cautious where data sets are few.
    """
    number = (~held).sum(axis=1).astype(np.float64)
    if len(number) < _FEWEST or number.min() == number.max() or level.min() == level.max():
        return 0.0, 1.0
    a, b = mean_ranks(np.stack([number, level])) - (len(number) + 1) / 2
    r = float(a @ b) / float((a @ a) * (b @ b)) ** 0.5
    return r, two_sided(r * (len(number) - 1) ** 0.5)


def missing_where_hard(facts: Facts) -> Finding | None:
    """Test whether scores are missing on data sets on which the other algorithms do badly, or well.

    Per algorithm with gaps the levels of the data sets, from the scores of the others, are compared
    between data sets where it is missing and where it is not; and over all algorithms the number
    of missing scores is correlated with the level. P-values are Holm's over these tests.
    """
    rows: list[tuple[str, ...]] = []
    for m, measure in facts.declared:
        levels = facts.levels(m) * measure.sign
        levels = levels[np.isfinite(levels).any(axis=1)]
        rows += [
            (who, measure.name, "worse" if low else "better", p_value(p))
            for who, low, p in _tests(levels, facts.summary.algorithms)
            if p <= _RARE
        ]
    if not rows:
        return None
    where = "worse" if all(row[2] == "worse" for row in rows) else "better"
    where = where if all(row[2] == where for row in rows) else "better or worse"
    return rows_finding(
        NOT_AT_RANDOM,
        "warning",
        f"scores are missing where the other algorithms do {where}: p = {rows[0][3]}.",
        ("algorithm", "measure", "others there", "p"),
        rows,
        "verdicts on scores that are missing because they are bad are biased: complete the runs,"
        " or give failed ones the score that a failure deserves.",
    )


def _tests(levels: Array, algorithms: tuple[str, ...]) -> list[tuple[str, bool, float]]:
    """Return tests of missing scores: name, whether levels are lower there, and Holm's p-value."""
    held = np.isfinite(levels)
    if held.all() or len(held) < _FEWEST or held.shape[1] < 3:
        return []
    level, without = dataset_levels(levels)
    tests: list[tuple[str, bool, float]] = []
    known: set[bytes] = set()
    for k in np.flatnonzero(~held.all(axis=0) & held.any(axis=0)):
        if (pattern := held[:, k].tobytes()) in known:
            continue  # the same data sets are missing for another one
        known.add(pattern)
        share, p = rank_sum(~held[:, k], without[:, k])
        tests.append((algorithms[k], share < 0.5, p))
    if len(known) > 1:
        correlation, p = _most_missing(held, level)
        tests.append(("all together", correlation < 0, p))
    tests.sort(key=lambda row: row[2])
    steps = np.maximum.accumulate([(len(tests) - i) * row[2] for i, row in enumerate(tests)])
    return [(who, low, min(1.0, p)) for (who, low, _), p in zip(tests, steps.tolist(), strict=True)]


RULES: tuple[Rule, ...] = (blocks, missing_where_hard)
