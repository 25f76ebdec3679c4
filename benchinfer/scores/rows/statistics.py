"""Statistics in place of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, override

import numpy as np

from benchinfer.core.measure import Measure
from benchinfer.numerics.types import Array
from benchinfer.scores.columns.engines import Frame
from benchinfer.scores.rows.reductions import Blocks, Cells
from benchinfer.scores.rows.rows import Names, Rows
from benchinfer.scores.rows.sufficient import SufficientStatistics, rows_needed
from benchinfer.scores.rows.summary import Summary


@dataclass(frozen=True, slots=True)
class StatisticsRows(Rows):
    """Statistics in place of rows."""

    reduced: ClassVar[bool] = True
    held: SufficientStatistics

    @property
    @override
    def in_cluster(self) -> bool:
        return False

    @property
    @override
    def unit_size(self) -> float | None:
        return self.held.unit_size

    @override
    def frame(self, domains: Mapping[str, str] | None = None) -> Frame:
        raise rows_needed()

    @override
    def summary(self) -> Summary:
        return self.held.summary

    @override
    def quartiles(self, summary: Summary) -> Array:
        return np.full((*summary.n.shape[1:], 3), np.nan)

    @override
    def cells(self, measure: Measure, summary: Summary) -> Cells:
        return self.held.cells(measure)

    @override
    def weighted_blocks(self, measure: Measure, names: Names, *, paired: bool) -> Blocks:
        return self.held.weighted_blocks(measure)
