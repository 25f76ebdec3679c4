"""Facts of a table from which findings are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, erfc, log2, sqrt
from typing import Any

import numpy as np

from benchinfer.core.measure import Measure
from benchinfer.numerics.multiplicity import SPENT, ends_level, level_share
from benchinfer.numerics.types import Array
from benchinfer.scores.coverage import Finding
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.rows.summary import Summary

type Rule = Callable[[Facts], Finding | None]
_SHOWN = 5
ALPHA = 0.05  # at which a table is said to be able to decide a pair


def least_datasets(tests: float) -> int:
    """Return the least number of data sets for a sign-flip test, one of so many, to reach 5 %."""
    return ceil(log2(2 * tests / ALPHA))


def least_flips(k: int) -> int:
    """Return the data sets from which sign flips decide a pair of k algorithms at 5 %.

    The hypothesis that a pair alone is equal has the least share of the level, beside intervals
    that hold together with the verdicts.

    Examples
    --------
    >>> [least_flips(k) for k in (2, 3, 4, 15)]
    [6, 6, 7, 7]
    """
    return least_datasets(1 / level_share(1.0, k * (k - 1) // 2, SPENT))


def least_ends(k: int) -> int:
    """Return the data sets from which tests of signs or ranks have ends at 5 % for all k.

    Below, intervals run between the least and the largest difference.

    Examples
    --------
    >>> [least_ends(k) for k in (2, 3, 4, 5, 6, 8, 10, 15)]
    [6, 8, 9, 10, 11, 12, 12, 14]
    """
    return least_datasets(ALPHA / ends_level(ALPHA, k * (k - 1) // 2))


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that rules of findings use.

    Attributes
    ----------
    summary
        Counts and moments.
    paired
        Whether algorithms share replications.
    measures
        As declared.
    resampling
        How the replications came about, if declared.
    uneven
        Whether replications are units of unequal size.
    moments
        Whether only counts and moments of the cells are known, and no scores.
    domains
        Data set to domain, None where the table names none.
    """

    summary: Summary
    paired: bool
    measures: tuple[Measure, ...] = ()
    resampling: Resampling | None = None
    uneven: bool = False
    moments: bool = False
    domains: Mapping[str, str] | None = None
    # Statistics that several rules ask for; other facts begin with none.
    memo: dict[Any, Any] = field(default_factory=dict[Any, Any], init=False, compare=False)

    @property
    def declared(self) -> list[tuple[int, Measure]]:
        """The declared measures that have scores, each with its position."""
        names = self.summary.measures
        return [(names.index(m.name), m) for m in self.measures if m.name in names]

    @property
    def as_read(self) -> Facts:
        """Facts of the measures that are not normalised."""
        normalised = {measure.name for measure in self.measures if measure.normalised}
        s = self.summary
        m = [i for i, name in enumerate(s.measures) if name not in normalised]
        if len(m) == len(s.measures):
            return self
        part = s.part(m, range(len(s.datasets)), range(len(s.algorithms)))
        return replace(self, summary=part)

    def levels(self, m: int) -> Array:
        """Return the (D, K) cell means of a measure, on its scale."""
        measures = {one.name: one for one in self.measures}
        measure, mean = measures.get(self.summary.measures[m]), self.summary.mean[m]
        if measure is None or measure.scale == "identity":
            return mean
        with np.errstate(divide="ignore", invalid="ignore"):
            levels = measure.transform(mean)
        return np.where(np.isfinite(levels), levels, np.nan)


def rows_finding(
    rule: str,
    severity: str,
    what: str,
    header: tuple[str, ...],
    rows: Sequence[Sequence[object]],
    hint: str,
) -> Finding | None:
    """Return a finding on rows, with the first of them under a header; None without rows."""
    return Finding(rule, severity, len(rows), what, places(header, rows), hint) if rows else None


def places(
    header: tuple[str, ...], rows: Sequence[Sequence[object]]
) -> tuple[tuple[str, ...], ...]:
    """Return the header and the first rows as text."""
    return (header, *(tuple(str(value) for value in row) for row in rows[:_SHOWN]))


def mean_ranks(values: Array) -> Array:
    """Rank the values of each row from 1, ties by the mean of their ranks.

    Examples
    --------
    >>> mean_ranks(np.array([[0.3, 0.1, 0.3, 0.2]]))
    array([[3.5, 1. , 3.5, 2. ]])
    """
    # Reading a table takes no SciPy. Ties are broken by position from either side.
    first = values.argsort(axis=1, kind="stable").argsort(axis=1)
    last = values[:, ::-1].argsort(axis=1, kind="stable").argsort(axis=1)[:, ::-1]
    return 1 + (first + last) / 2


def two_sided(z: float) -> float:
    """Return the two-sided p-value of a normal statistic."""
    return erfc(abs(z) / sqrt(2))
