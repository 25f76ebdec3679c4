"""Structure of a table: columns of labels that tell rows apart, columns of numbers, attributes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from benchinfer.scores.roles.companions import further_statistics
from benchinfer.scores.roles.dependencies import (
    crossing_rate,
    decides,
    dependencies,
    joint_codes,
    key_of,
)
from benchinfer.scores.roles.directions import plain
from benchinfer.scores.roles.effects import Effect, effects, unexplained
from benchinfer.scores.roles.profile import ColumnProfile
from benchinfer.scores.roles.vetoes import DECLARED, LABEL, NUMBER, first_role, may_be_algorithm

if TYPE_CHECKING:
    from collections.abc import Mapping

_FEW = 12  # values of a column that may be a setting
_LONG_LABEL = 28  # characters from which a label that is unique by row is a digest


@dataclass(frozen=True, eq=False)
class Structure:
    """Columns of a table by what they can be.

    Attributes
    ----------
    rows
        Number of rows.
    columns
        Profiles of all columns.
    fixed
        Column to the role that it has in every reading, or the reason why it has none.
    key
        Label columns that tell rows apart; one alone where it labels the rows of a wide table.
    parents
        Label column to those that it decides.
    numbers
        Columns that may be scores.
    row_label
        The column that labels the rows of a wide table, if there is one.
    """

    rows: int
    columns: tuple[ColumnProfile, ...]
    fixed: Mapping[str, str]
    key: tuple[ColumnProfile, ...]
    parents: Mapping[str, tuple[ColumnProfile, ...]]
    numbers: tuple[ColumnProfile, ...]
    row_label: ColumnProfile | None

    @cached_property
    def effects(self) -> dict[str, Effect]:
        """The effect of each label column."""
        if not self.key or self.row_label is not None:
            return {}
        scores = [c for c in self.numbers if not c.integral or c.named("score")] or self.numbers
        return effects(self.key, scores)

    @cached_property
    def unexplained(self) -> frozenset[str]:
        """The columns of numbers that no label explains, while one explains others."""
        few = len(self.numbers) < 2 or self.rows < 24
        if not self.key or self.row_label is not None or few:
            return frozenset()
        return unexplained(self.key, self.numbers)


def structure(columns: Sequence[ColumnProfile], rows: int) -> Structure:
    """Return the structure of a table."""
    first = {c.name: first_role(c, rows) for c in columns}
    if NUMBER not in first.values():  # a sum of what is not there is a score
        first |= {c.name: NUMBER for c in columns if first[c.name] == "companion" and c.sums}
    first |= dict.fromkeys(_row_numbers(columns, first), "ignored: number of the row")
    numeric = [c.name for c in columns if c.numeric and c.named("score") < DECLARED]
    further = {n for n in further_statistics(numeric) if first[n] == NUMBER}
    first |= dict.fromkeys(further, "companion")
    labels = [c for c in columns if first[c.name] == LABEL]
    single = [c for c in labels if c.unique or (c.kind == "text" and c.n > 0.95 * rows)]
    shared = [c for c in labels if c not in single]
    shared += (settings := _settings(columns, shared, first, rows))
    first |= {c.name: LABEL for c in settings}
    numbers = [c for c in columns if first[c.name] == NUMBER]
    fixed = {name: role for name, role in first.items() if role not in (LABEL, NUMBER)}
    results = dependencies(shared, rows)
    key = key_of(results.roots, rows)
    fixed |= results.reasons | key.reasons
    numbers += key.scores
    row_label = _row_label(single, key.columns, key.combinations, rows) if single else None
    for column in single:
        if column is row_label:
            continue
        if column.kind == "whole" and not column.counts():
            numbers.append(column)
        else:
            fixed[column.name] = "ignored: a label of its own in each row"
    keys = key.columns
    if row_label is not None:
        fixed |= {c.name: f"attribute of {row_label.name}" for c in keys}
        keys = (row_label,)
    else:
        fixed |= (settings_of_keys := _set_by_others(keys, numbers, rows))
        numbers = [c for c in numbers if c.name not in settings_of_keys]
    order = {c.name: i for i, c in enumerate(columns)}
    numbers.sort(key=lambda c: order[c.name])
    return Structure(rows, tuple(columns), fixed, keys, results.parents, tuple(numbers), row_label)


def _row_numbers(columns: Sequence[ColumnProfile], first: Mapping[str, str]) -> list[str]:
    """Return columns without a known name that only count, beside scores that have fractions."""
    numbers = [c for c in columns if first[c.name] == NUMBER]
    counting = [c for c in numbers if c.integral and c.unique and c.counts() and not c.suggested]
    fractions = sum(not c.integral for c in numbers)
    return [c.name for c in counting] if 2 <= fractions == len(numbers) - len(counting) else []


def _settings(
    columns: Sequence[ColumnProfile],
    labels: Sequence[ColumnProfile],
    first: Mapping[str, str],
    rows: int,
) -> list[ColumnProfile]:
    """Return columns of a few sizes or versions, without which rows of the same labels repeat."""
    places = joint_codes(labels, rows)[1]
    if places > 0.995 * rows or not labels:
        return []
    return [
        c
        for c in columns
        if first[c.name] in ("attribute", "companion")
        and c.kind in ("whole", "real")
        and (c.balanced and 2 <= c.n <= 12 and c.missing == 0 and not c.sums)
        and joint_codes([*labels, c], rows)[1] >= 1.5 * places
    ]


def _set_by_others(
    keys: Sequence[ColumnProfile], numbers: Sequence[ColumnProfile], rows: int
) -> dict[str, str]:
    """Return unnamed columns of few values that are the same for all labels that may be algorithms.

    They are settings of the data sets, each with the reason why it is no score.
    """
    few = [c for c in numbers if not c.named("score") and c.n <= _FEW and c.missing == 0]
    results: dict[str, str] = {}
    for key in (k for k in keys if len(keys) > 2 and few and may_be_algorithm(k)):
        others = [k for k in keys if k is not key]
        codes, n = joint_codes(others, rows)
        joint = replace(key, codes=codes, n=n)
        if rows >= 2 * n:
            names = " and ".join(k.name for k in others)
            results |= {c.name: f"attribute of {names}" for c in few if decides(joint, c)}
    return results


def _row_label(
    single: Sequence[ColumnProfile], key: Sequence[ColumnProfile], combinations: int, rows: int
) -> ColumnProfile | None:
    """Return the column that labels the rows of a wide table; None where other labels cross."""

    def like_identifier(column: ColumnProfile) -> bool:
        return len(column.labels[0]) >= _LONG_LABEL or plain(column.name).endswith("id")

    def rank(column: ColumnProfile) -> float:
        known = column.named("algorithm", "dataset") + (column.kind == "text")
        return known - 0.5 * like_identifier(column)

    best = max(single, key=rank)
    rates = [crossing_rate(a, b) for a, b in itertools.combinations(key, 2)]
    crossing = max(rates, default=0.0)
    if len(key) >= 2 and ((combinations >= 0.9 * rows and crossing > 0.35) or crossing > 0.7):
        return None
    named = best.named("algorithm", "dataset") > 0
    identifier = "id" in plain(best.name).split("_") or len(best.labels[0]) >= _LONG_LABEL
    if len(key) == 1 and identifier and not named:
        return None
    if key and best.kind != "text" and not (combinations < 0.9 * rows and named):
        return None
    return best if not key or crossing <= 0.6 or named else None
