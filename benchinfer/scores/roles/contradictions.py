"""Contradictions of the names of columns and their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from benchinfer.scores.roles.dependencies import decides
from benchinfer.scores.roles.directions import direction, plain
from benchinfer.scores.roles.labels import like_replications, parts_of_data
from benchinfer.scores.roles.names import OWN
from benchinfer.scores.roles.profile import ColumnProfile
from benchinfer.scores.roles.reading import TableReading
from benchinfer.scores.roles.vetoes import DECLARED

_SHARES = frozenset(
    (
        *("accuracy", "acc", "auc", "auroc", "f1", "precision", "recall", "ndcg", "map", "mrr"),
        *("pass", "correct", "solved"),
    )
)
_SPREADS = frozenset(("std", "stderr", "sem", "sd", "stddev"))
_COUNTS = frozenset(("n", "count", "rank"))


def contradictions(
    reading: TableReading, columns: Mapping[str, ColumnProfile], rows: int
) -> tuple[tuple[str, str], ...]:
    """Return the columns whose numbers are not what their names say, each with what is wrong."""
    labels = [columns[n] for role in ("algorithm", "dataset") for n in reading.of(role)]
    results = {n: _of_column(c, reading, labels, columns, rows) for n, c in columns.items()}
    return tuple((name, what) for name, what in results.items() if what)


def _of_column(
    column: ColumnProfile,
    reading: TableReading,
    labels: Sequence[ColumnProfile],
    columns: Mapping[str, ColumnProfile],
    rows: int,
) -> str:
    """Return what contradicts a column; empty if nothing does."""
    role = reading.roles[column.name]
    if column.named(role) >= DECLARED:
        return ""  # as the user says
    if what := _of_repeats(column, reading, role):
        return what
    return (
        ""
        if role in ("replication", "unit") or column.n < 2 or not column.numeric
        else (_of_numbers(column, reading, labels, columns, rows))
    )


def _of_numbers(
    column: ColumnProfile,
    reading: TableReading,
    labels: Sequence[ColumnProfile],
    columns: Mapping[str, ColumnProfile],
    rows: int,
) -> str:
    """Return what contradicts a column of numbers."""
    role = reading.roles[column.name]
    if role == "score" and reading.layout == "long":
        return _of_score(column, labels, rows)
    if role == "attribute" and labels and rows >= 3 * min(o.n for o in labels):
        decided = any(rows >= 3 * o.n and decides(o, column) for o in labels)
        return "" if decided else "named as an attribute, and differs within algorithm and data set"
    if role == "companion":
        return _of_companion(column, [columns[name] for name in reading.of("score")])
    return ""


def _of_repeats(column: ColumnProfile, reading: TableReading, role: str) -> str:
    """Return what contradicts a column that names replications, or that may be one of them."""
    if parts_of_data(column.labels):
        return "parts of the data, of which where= takes one"
    if column.named("replication") >= OWN and column.kind == "real" and column.n > 1:
        return "seeds, folds or runs with fractions"
    if role in ("replication", "unit"):
        known = column.named("replication", "dataset") >= 1.2
        known = known or like_replications(column.labels) >= 0.5
        return "" if known else "replications by the other columns alone, not by a name"
    few = 1 < column.n <= 12 and reading.shape[2] > 1 and not reading.of("replication")
    if role in ("status", "companion") and not column.named(role) and few:
        return "few values without a known name, while rows repeat"
    return ""


def _of_score(column: ColumnProfile, labels: Sequence[ColumnProfile], rows: int) -> str:
    """Return why numbers cannot be the score that their name says."""
    owner = next((o for o in labels if rows >= 3 * o.n and decides(o, column)), None)
    if owner is not None:
        return f"the same for all rows of a label of {owner.name!r}"
    if column.suggested and not column.named("score") and not column.sums:
        return f"named as {column.leading()}"
    if column.kind == "whole" and column.balanced and column.counts() and column.n > 2:
        return "whole numbers from 0 or 1 on, evenly filled: a count"
    low, high = float(np.nanmin(column.values)), float(np.nanmax(column.values))
    if _SHARES & {*plain(column.name).split("_")} and (low < 0 or high > 100):
        return "beyond 0 to 100"
    if low < 0 and direction(column.name) == "lower" and column.named("score") >= 3:
        return "negative"
    return ""


def _of_companion(column: ColumnProfile, scores: Sequence[ColumnProfile]) -> str:
    """Return why numbers cannot be the spread, count or rank that their name says."""
    words = {*plain(column.name).split("_")}
    low = float(np.nanmin(column.values))
    finite = column.values[~np.isnan(column.values)]
    if "rank" in words and np.any((2 * finite) % 1 != 0):
        return "ranks with fractions"
    counts = plain(column.name).split("_")[0] in _COUNTS and "rank" not in words
    if counts and (not column.integral or low < 0):
        return "a count that is no whole number, or negative"
    if words & _SPREADS and scores:
        sizes = [float(np.nanmedian(np.abs(score.values))) for score in scores]
        if low < 0:
            return "a negative spread"
        if float(np.nanmedian(column.values)) > max(sizes):
            return "a spread that is wider than the scores"
    return ""


def mark_named(reading: TableReading, columns: Mapping[str, ColumnProfile]) -> bool:
    """Return whether algorithm and data set, where there is one, have names of their own role.

    Rows of measures have neither: their columns may be of algorithms or of data sets.
    """
    labels = [(name, role) for role in ("algorithm", "dataset") for name in reading.of(role)]
    if not labels and reading.of("measure"):
        return False
    return all(columns[name].named(role) >= OWN for name, role in labels)
