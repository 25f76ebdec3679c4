"""Columns that bound, rank, repeat or sum up others."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np

from benchinfer.numerics.types import Array, Codes, Flags
from benchinfer.scores.roles.directions import plain
from benchinfer.scores.roles.names import AGGREGATE
from benchinfer.scores.roles.profile import ColumnProfile

_MEANS = ("mean", "avg", "average")
_FURTHER = frozenset(("median", "min", "max", "minimum", "maximum", "best", "worst"))
_SPREADS = ("std", "sd", "stddev", "std_dev", "stderr", "sem", "se", "var", "count", "n")
_ROWS = 3000  # rows that are looked at
_FEW = 50  # rows that are looked at first
_MOST = 14  # columns that are compared in pairs
_MOST_DIFFERENCES = 40  # columns among which differences are sought
_ON_LINE = 0.05  # of the median deviation, within which numbers are on a line
_LEAST = 5  # rows in which a difference is none by chance
_EXACT = 1e-6  # unit of numbers that were not rounded


def companions(scores: Sequence[ColumnProfile], blocks: Codes) -> dict[str, str]:
    """Return the columns that rank, repeat or bound another one, each with the reason.

    `blocks` are codes of the data sets, within which scores are ranked.
    """
    columns = scores[:_MOST]
    values = {c.name: c.values[:_ROWS] for c in columns}
    results: dict[str, str] = {}
    for other, column in itertools.permutations(columns, 2):
        if {column.name, other.name} & results.keys():
            continue
        x, y = values[column.name], values[other.name]
        finite = ~(np.isnan(x) | np.isnan(y))
        if finite.sum() < 4 or np.ptp(x[finite]) == 0 or np.ptp(y[finite]) == 0:
            continue
        if column.integral and not other.integral and _ranks(x, y, finite, blocks[:_ROWS]):
            results[column.name] = f"rank of {other.name}"
            continue
        later = other.named("score") or columns.index(column) > columns.index(other)
        copies = _copies(x[finite], y[finite])
        if copies and later and not column.named("score"):
            results[column.name] = f"the same numbers as {other.name}"
    return results | _bounds(columns, values, results)


def further_statistics(names: Sequence[str]) -> list[str]:
    """Return the columns of other statistics of the scores whose means are columns, too.

    A mean of one name alone, without its spread, may be an algorithm, as ``mean_pool`` is.

    Examples
    --------
    >>> further_statistics(["svm_mean", "svm_median", "svm_std", "mean_pool", "max_pool"])
    ['svm_median']
    >>> further_statistics(["Best Fitness", "Mean Fitness", "Best Time", "Mean Time"])
    ['Best Fitness', 'Best Time']
    """
    known = {plain(name) for name in names}
    stems = dict[str, list[str]]()
    for name in names:
        words = plain(name).split("_")
        for i in (i for i, word in enumerate(words) if word in _FURTHER):
            head, tail = words[:i], words[i + 1 :]
            if any("_".join([*head, mean, *tail]) in known for mean in _MEANS) and (head or tail):
                stems.setdefault("_".join([*head, "*", *tail]), []).append(name)
    leading = Counter(stem.startswith("*") for stem in stems)
    return [
        name
        for stem, columns in stems.items()
        if leading[stem.startswith("*")] > 1
        or any(stem.replace("*", spread) in known for spread in _SPREADS)
        for name in columns
    ]


def differences(columns: Sequence[ColumnProfile]) -> dict[str, str]:
    """Return the columns that are the difference of two ahead of them, each with the reason."""
    columns = [c for c in columns if c.numeric and not c.integral and not c.sums]
    if not 3 <= len(columns) <= _MOST_DIFFERENCES:
        return {}
    table = np.column_stack([c.values[:_FEW] for c in columns])
    table = table[~np.isnan(table).any(axis=1)]
    if len(table) < _LEAST:
        return {}
    results: dict[str, str] = {}
    for i, column in enumerate(columns):
        x, ahead, unit = table[:, i, None, None], table[:, :i], _unit(table[:, i])
        tolerance = 1.5 * unit if unit > _EXACT else 1e-9
        near = np.abs(ahead[:, :, None] - ahead[:, None, :] - x) <= tolerance
        pairs = np.argwhere(near.all(axis=0))
        if len(pairs) and np.ptp(x) > 10 * tolerance:
            first, second = (columns[k].name for k in pairs[0])
            results[column.name] = f"difference of {first} and {second}"
    return results


def _ranks(x: Array, y: Array, finite: Flags, blocks: Codes) -> bool:
    """Return whether whole numbers are the ranks of others within blocks."""
    if x[finite].min() < 1 or x[finite].max() <= 1 or len(np.unique(x[finite])) > 200:
        return False
    ranks, scores, blocks = x[finite], y[finite], blocks[finite]
    return any(np.mean(ranks == _ranked(sign * scores, blocks)) > 0.95 for sign in (1, -1))


def _ranked(scores: Array, blocks: Codes) -> Codes:
    """Return the ranks of scores within blocks, the least one of equal scores.

    Examples
    --------
    >>> _ranked(np.array([3.0, 1.0, 1.0, 2.0, 5.0]), np.array([0, 0, 0, 1, 1])).tolist()
    [3, 1, 1, 1, 2]
    """
    order = np.lexsort((scores, blocks))
    ordered, of_block = scores[order], blocks[order]
    place = np.arange(len(order))
    new_block = np.append(True, of_block[1:] != of_block[:-1])
    new_score = new_block | np.append(True, ordered[1:] != ordered[:-1])
    first, begin = (
        np.maximum.accumulate(np.where(new, place, 0)) for new in (new_score, new_block)
    )
    ranks = np.empty(len(order), np.int64)
    ranks[order] = first - begin + 1
    return ranks


def _bounds(
    columns: Sequence[ColumnProfile], values: dict[str, Array], results: dict[str, str]
) -> dict[str, str]:
    """Return the columns that lie evenly around another one: three scores in a row do not."""
    bounds: dict[str, str] = {}
    for middle in columns:
        others = [c for c in columns if c is not middle and not c.named("score")]
        for low, high in itertools.permutations(others, 2):
            if {low.name, middle.name, high.name} & (results.keys() | bounds.keys()):
                continue
            a, x, b = values[low.name], values[middle.name], values[high.name]
            if np.any(a[:_FEW] > x[:_FEW]) or np.any(x[:_FEW] > b[:_FEW]):
                continue
            finite = ~(np.isnan(a) | np.isnan(x) | np.isnan(b))
            a, x, b = a[finite], x[finite], b[finite]
            if len(x) < 5 or not np.all((a <= x) & (x <= b)) or np.mean((a < x) & (x < b)) <= 0.7:
                continue
            even = np.mean(np.abs((a + b) / 2 - x) <= 0.04 * (b - a)) > 0.8
            if even and _correlated(a, x) and _correlated(b, x):
                bounds[low.name] = f"lower bound of {middle.name}"
                bounds[high.name] = f"upper bound of {middle.name}"
    return bounds


def _correlation(x: Array, y: Array) -> float:
    """Return the correlation of two columns that vary; their squares need not be floats."""
    return float(np.corrcoef(x / np.abs(x).max(), y / np.abs(y).max())[0, 1])


def _copies(x: Array, y: Array) -> bool:
    """Return whether columns are on a line; a few large numbers alone do not make one."""
    if abs(_correlation(x, y)) <= 1 - _EXACT:
        return False
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    slope = float(np.cov(x, y)[0, 1] / np.var(x, ddof=1))
    off = np.abs(y - y.mean() - slope * (x - x.mean()))
    return bool(np.median(off) <= _ON_LINE * np.median(np.abs(y - np.median(y))) + 1e-12)


def _correlated(x: Array, y: Array) -> bool:
    varies = bool(np.ptp(x) > 0 and np.ptp(y) > 0)
    return varies and _correlation(x, y) > 0.6


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def aggregates(block: Sequence[ColumnProfile]) -> dict[str, str]:
    """Return the columns that are the mean, sum or rank of the others, each with the reason."""
    results: dict[str, str] = {}
    if len(block) < 3:
        return results
    table = np.column_stack([c.values for c in block])[:_ROWS]
    by_name = sorted(
        range(len(block)), key=lambda i: AGGREGATE.fullmatch(plain(block[i].name)) is None
    )
    for i in by_name:
        column = block[i]
        others = [
            j
            for j, b in enumerate(block)
            if j != i and b.name not in results and (column.integral or not b.integral)
        ]
        if len(others) < 2:
            continue
        rest, x = table[:, others], table[:, i]
        finite = ~np.isnan(rest).all(axis=1) & ~np.isnan(x)
        if finite.sum() < 3 or np.ptp(x[finite]) == 0:
            continue
        ranked = "rank" in plain(column.name).split("_") or not all(b.integral for b in block)
        if reason := _aggregate(x[finite], rest[finite], integral=column.integral and ranked):
            results[column.name] = reason
    return results


def _aggregate(x: Array, rest: Array, *, integral: bool) -> str:
    """Return how numbers sum up the others beside them; empty if they do not."""
    from scipy.stats import rankdata

    tolerance = 0.55 * _unit(x) + 0.3 * _unit(rest) + 1e-9
    if np.nanmax(rest) - np.nanmin(rest) <= 4 * tolerance:
        return ""
    means = np.nanmean(rest, axis=1)
    if np.all(np.abs(means - x) <= tolerance):
        return "mean of the others"
    if np.all(np.abs(np.nansum(rest, axis=1) - x) <= tolerance * rest.shape[1]):
        return "sum of the others"
    if integral and x.min() >= 1 and x.max() <= len(x):
        agreement = [np.mean(rankdata(sign * means, "min") == x) for sign in (1, -1)]
        if max(agreement) > 0.99:
            return "rank by the others"
    return ""


def _unit(values: Array) -> float:
    """Return the unit in the last place to which numbers were rounded, at least 1e-6."""
    finite = values[~np.isnan(values)]
    units = [10.0**-d for d in range(6)]
    rounded = (u for u in units if np.all(np.abs(finite / u - np.round(finite / u)) < 1e-6))
    return next(rounded, _EXACT)
