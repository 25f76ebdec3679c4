"""Order in which the entries of a board came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import join, several
from benchinfer.scores.table import ScoreTable


def order_of(
    scores: ScoreTable, measure: str, sequence: str | Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the algorithms with scores in the order in which they came, and notes on it.

    Raises
    ------
    ArgumentError
        The sequence names no column that the table keeps, or not each algorithm once.
    DesignError
        An algorithm has several values in the column.
    """
    coverage = scores.coverage(measure)
    there = [
        name
        for name, n in zip(coverage.algorithms, coverage.counts.sum(axis=0), strict=True)
        if n > 0
    ]
    if isinstance(sequence, str):
        return _by_column(scores, measure, sequence)
    names = tuple(sequence)
    if twice := [name for name, n in Counter(names).items() if n > 1]:
        raise ArgumentError(f"sequence names {join(twice)} twice.", hint="name each entry once.")
    if strange := [name for name in names if name not in scores.algorithms]:
        raise ArgumentError(unknown("algorithm", strange[0], scores.algorithms))
    if lost := [name for name in there if name not in names]:
        raise ArgumentError(
            f"sequence lacks {several(lost)}.",
            hint="every entry of the table counts, in the order in which it came; where=... leaves"
            " some out.",
        )
    without = [name for name in names if name not in there]
    notes = (f"{join(without)}: no score of {measure}, not judged.",) if without else ()
    return tuple(name for name in names if name in there), notes


def _by_column(
    scores: ScoreTable, measure: str, column: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the order by a column of numbers that is constant for each algorithm."""
    if column not in scores.covariates:
        raise ArgumentError(
            f"sequence={column!r} is no column of numbers that the table keeps.",
            hint=f"read_scores(..., covariates={column!r}) keeps one; or give the names of the"
            " algorithms in their order.",
        )
    seen = scores.observations(measure)
    values = seen.covariate[:, seen.covariates.index(column)]
    of_each = [np.unique(values[seen.algorithm == a]) for a in range(len(seen.algorithms))]
    if mixed := [n for n, v in zip(seen.algorithms, of_each, strict=True) if len(v) > 1]:
        raise DesignError(
            f"{several(mixed)}: several values of {column!r}.",
            hint="an entry comes once; scores that came later are of another entry.",
        )
    dated = {n: float(v[0]) for n, v in zip(seen.algorithms, of_each, strict=True) if len(v)}
    return in_order(dated, column, "in the order of their names")


def in_order[V: (float, str)](
    dated: dict[str, V], column: str, within: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names sorted by their values, with a note on those of one value.

    Examples
    --------
    >>> in_order({"a": 2.0, "b": 1.0, "c": 2.0}, "day", "as they stand")
    (('b', 'a', 'c'), ("a and c: the same 'day', as they stand.",))
    """
    order = sorted(dated, key=dated.__getitem__)
    same: dict[V, list[str]] = {}
    for name in order:
        same.setdefault(dated[name], []).append(name)
    tied = [names for names in same.values() if len(names) > 1]
    notes = (f"{several(tied[0])}: the same {column!r}, {within}.",) if tied else ()
    if len(tied) > 1:
        notes = (f"{len(tied)} values of {column!r} have several entries, {within}.",)
    return tuple(order), notes
