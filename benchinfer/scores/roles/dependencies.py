"""Dependencies of columns: which decides which, and which keep rows apart."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from benchinfer.numerics.types import Codes
from benchinfer.scores.roles.names import OWN
from benchinfer.scores.roles.profile import ColumnProfile

MOST_KEYS = 7  # columns of labels that together tell rows apart
_DENSE = 4_000_000  # pairs of codes up to which a table of them is laid out


def count_pairs(first: ColumnProfile, second: ColumnProfile) -> int:
    """Return the number of different pairs of values of two columns, without a table of all."""
    codes = first.codes * (second.n + 1) + second.codes
    size = (first.n + 1) * (second.n + 1)
    if size <= _DENSE:
        seen = np.zeros(size, bool)
        seen[codes] = True
        return int(seen.sum())
    return _distinct(codes)[1]


def _distinct(codes: Codes) -> tuple[Codes, int]:
    import pandas as pd

    coded, levels = pd.factorize(codes)
    return cast("Codes", coded.astype(np.int64)), len(levels)


def joint_codes(columns: Sequence[ColumnProfile], rows: int) -> tuple[Codes, int]:
    """Return the codes of the combinations of values of columns, and their number."""
    codes: Codes = np.zeros(rows, np.int64)
    n = 1
    for column in columns:
        codes, n = _distinct(codes * (column.n + 1) + column.codes)
    return codes, n


def crossing_rate(first: ColumnProfile, second: ColumnProfile) -> float:
    """Return the share of all pairs of values of two columns that are there."""
    return count_pairs(first, second) / (first.n * second.n)


def decides(first: ColumnProfile, second: ColumnProfile) -> bool:
    """Return whether a value of the first column implies that of the second, but for 1 in 200."""
    empty = 1 if first.codes.size and first.codes.max() == first.n else 0
    return count_pairs(first, second) <= first.n * 1.005 + empty


@dataclass(frozen=True, slots=True, eq=False)
class Dependencies:
    """Label columns of a table by what decides what.

    Attributes
    ----------
    roots
        Columns that no other column decides.
    parents
        Root to the columns that it decides: its attributes, or coarser labels.
    reasons
        Column to the reason why it is none of the roots.
    """

    roots: tuple[ColumnProfile, ...]
    parents: dict[str, tuple[ColumnProfile, ...]]
    reasons: dict[str, str]


def dependencies(labels: Sequence[ColumnProfile], rows: int) -> Dependencies:
    """Return which label columns decide which; columns with the same labels count once."""

    def rank(column: ColumnProfile) -> float:
        known = column.named("algorithm", "dataset", "replication", "measure")
        return -(known + 0.5 * (column.kind == "text"))

    order = sorted(labels, key=rank)
    decided = {
        (a.name, b.name)
        for a, b in itertools.permutations(order, 2)
        if a.n >= b.n and (rows >= 1.5 * a.n or (a.suggested and b.suggested)) and decides(a, b)
    }
    reasons = _numbers_of_pairs(order, decided, rows)
    order = [column for column in order if column.name not in reasons]
    keep: list[ColumnProfile] = []
    parents: dict[str, list[ColumnProfile]] = {}
    for column in order:
        same = [k for k in keep if {(column.name, k.name), (k.name, column.name)} <= decided]
        if same:
            parents.setdefault(same[0].name, []).append(column)
            reasons[column.name] = f"attribute of {same[0].name}"
        else:
            keep.append(column)
    roots = [c for c in keep if not any((o.name, c.name) in decided for o in keep if o is not c)]
    for column in keep:
        if column in roots:
            continue
        owners = [o for o in roots if (o.name, column.name) in decided]
        if not owners:
            roots.append(column)
            continue
        owner = min(owners, key=lambda o: o.n)
        parents.setdefault(owner.name, []).append(column)
        reasons[column.name] = f"attribute of {owner.name}"
    return Dependencies(tuple(roots), {k: tuple(v) for k, v in parents.items()}, reasons)


def _numbers_of_pairs(
    labels: Sequence[ColumnProfile], decided: set[tuple[str, str]], rows: int
) -> dict[str, str]:
    """Return the columns that only number the combinations of two others, each with a reason."""
    reasons: dict[str, str] = {}
    for column in labels:
        parts = [b for b in labels if (column.name, b.name) in decided and b.n < column.n]
        for a, b in itertools.combinations(parts, 2):
            nested = (a.name, b.name) in decided or (b.name, a.name) in decided
            if not nested and count_pairs(a, b) == column.n < rows:
                reasons[column.name] = f"ignored: number of {a.name} and {b.name}"
    return reasons


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """Label columns that tell rows apart, and the roles of those that do not.

    Attributes
    ----------
    columns
        The columns of the key.
    combinations
        Number of combinations of their values.
    scores
        Columns of numbers that no row needs to be told apart, which may be scores.
    reasons
        Other columns that no row needs, each with its role or the reason why it has none.
    """

    columns: tuple[ColumnProfile, ...]
    combinations: int
    scores: tuple[ColumnProfile, ...]
    reasons: dict[str, str]


def key_of(roots: Sequence[ColumnProfile], rows: int) -> Key:
    """Return the label columns without which rows are not told apart."""

    def looseness(column: ColumnProfile) -> float:
        kinds = {"boolean": 3.0, "real": 2.5, "whole": 1.0 if column.counts() else 1.5}
        known = column.named("algorithm", "dataset", "replication", "measure")
        gaps = 2 * (not column.balanced) + 2 * (column.missing > 0)
        return kinds.get(column.kind, 0.5) + gaps - known

    order = sorted(roots, key=looseness)
    key, further = order[: MOST_KEYS + 4], order[MOST_KEYS + 4 :]
    total = joint_codes(key, rows)[1]
    scores: list[ColumnProfile] = []
    reasons: dict[str, str] = {}
    for column in key[::-1]:
        rest = [k for k in key if k is not column]
        text = column.kind == "text"
        needed = not rest or column.named("algorithm", "dataset") >= OWN
        needed = needed or (text and column.balanced and len(rest) < 2)
        if needed or joint_codes(rest, rows)[1] < 0.995 * total:
            continue
        key = rest
        if not text:
            scores.append(column)
        elif column.n <= 12 or column.missing > 0.3:
            reasons[column.name] = "status"
        else:
            reasons[column.name] = "ignored: text that no row needs"
    reasons |= {c.name: "ignored: too many label columns" for c in (*key[MOST_KEYS:], *further)}
    return Key(tuple(key[:MOST_KEYS]), total, tuple(scores), reasons)
