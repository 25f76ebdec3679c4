"""Rows of a table: what each kind of them answers."""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import narwhals as nw
import numpy as np

from benchinfer.core.measure import Measure
from benchinfer.numerics.types import Array
from benchinfer.scores.columns.engines import Frame
from benchinfer.scores.columns.roles import slots
from benchinfer.scores.rows.features import Feature
from benchinfer.scores.rows.reductions import (
    Blocks,
    Cells,
    reduce_blocks,
    require_scale,
)
from benchinfer.scores.rows.summary import (
    ScoreRows,
    Summary,
    collect,
    labels_of,
    summary_of_frame,
)

type Names = tuple[tuple[str, ...], tuple[str, ...]]  # data sets and algorithms

QUARTILES = (0.25, 0.5, 0.75)


class Rows(ABC):
    """Rows of a table, with their canonical columns and reductions.

    Measures are given by name; summaries are of one measure.
    """

    __slots__ = ()
    reduced: ClassVar[bool] = False

    @abstractmethod
    def frame(self, domains: Mapping[str, str] | None = None) -> Frame:
        """Return canonical columns; `domains`, by data set, are added to rows that lack them."""

    @property
    @abstractmethod
    def in_cluster(self) -> bool:
        """Whether rows are, or may be, on other machines."""

    @property
    def unit_size(self) -> float | None:
        """Number of items in each nested unit, NaN where it differs, None where none are nested."""
        return None

    @property
    def has_unequal_units(self) -> bool:
        """Whether the outermost units hold different numbers of items."""
        return self.unit_size is not None and math.isnan(self.unit_size)

    def summary(self) -> Summary:
        """Reduce to counts and moments."""
        return summary_of_frame(self.frame())

    def replications(self) -> Sequence[str]:
        """Return the labels of replications, sorted."""
        return sorted(labels_of(self.frame(), "replication"))

    def distinct(self, measure: str) -> int:
        """Count the different scores of a measure."""
        rows = self.frame().filter(nw.col("measure").cast(nw.String) == measure)
        table: Any = rows.select(nw.col("value").n_unique().alias("n")).collect().to_arrow()
        return int(table.column("n")[0].as_py())

    def scores(self, measure: str, names: Names, covariates: Sequence[str] = ()) -> ScoreRows:
        """Return the scores of a measure as codes and values, in the user's unit."""
        return collect(self.frame(), measure, *names, covariates)

    def quartiles(self, summary: Summary) -> Array:
        """Return (D, K, 3) quartiles, interpolated linearly; NaN where there is no score."""
        n = summary.n[0]
        rows = self.scores(summary.measures[0], (summary.datasets, summary.algorithms))
        ordered = rows.value[np.lexsort((rows.value, rows.algorithm, rows.dataset))]
        counts = n[n > 0]
        start = np.cumsum(counts) - counts
        quartiles = np.full((*n.shape, 3), np.nan)
        for p, probability in enumerate(QUARTILES):
            position = (counts - 1) * probability
            below = np.floor(position).astype(np.int64)
            low, high = ordered[start + below], ordered[start + np.minimum(below + 1, counts - 1)]
            quartiles[n > 0, p] = low + (high - low) * (position - below)
        return quartiles

    def content(
        self, measure: str, names: Names, covariates: Sequence[str]
    ) -> tuple[tuple[str, ...], Iterator[bytes]]:
        """Return replications, and places, scores and covariates in the order of places."""
        rows = self.scores(measure, names, slots(covariates))
        place = (rows.dataset * len(rows.labels) + rows.replication) * len(names[1])
        place += rows.algorithm
        by_name = sorted(range(len(covariates)), key=lambda i: covariates[i])
        # -0.0 has other bytes than 0.0
        numbers = [c + 0.0 for c in (rows.value, *rows.covariate.T[by_name])]
        order = np.lexsort((*reversed(numbers), place))
        parts = [place[order].astype("<i8"), *(x[order].astype("<f8") for x in numbers)]
        return rows.labels, (part.tobytes() for part in parts)

    @abstractmethod
    def cells(self, measure: Measure, summary: Summary) -> Cells:
        """Reduce to moments of cells, oriented, on the measure's scale."""

    def blocks(self, measure: Measure, names: Names, *, paired: bool) -> Blocks:
        """Reduce to blocks, oriented, on the measure's scale."""
        if measure.scale != "identity":
            require_scale(self.frame(), measure)
        rows = self.scores(measure.name, names)
        rows = replace(rows, value=measure.orient(rows.value))
        return reduce_blocks(rows, measure, *names, paired=paired)

    def block_parts(self, measure: Measure, names: Names) -> Iterator[Blocks]:
        """Yield blocks of shared replications, in parts where this saves memory."""
        yield self.blocks(measure, names, paired=True)

    @abstractmethod
    def weighted_blocks(self, measure: Measure, names: Names, *, paired: bool) -> Blocks:
        """Reduce to blocks, or to weighted ones with the same first two moments."""


def fingerprint(
    rows: Rows,
    summary: Summary,
    domains: Mapping[str, str] | None,
    covariates: Sequence[str],
    features: Mapping[str, Feature],
) -> str:
    """Return the fingerprint of a table.

    SHA-256 over the names and, per measure, the sorted codes, scores and covariates, and over the
    features: independent of the order of rows, of covariates and features, and of the engine.
    """
    names = summary.datasets, summary.algorithms
    domain_of = sorted((domains or {}).items())
    sha = hashlib.sha256(repr(((summary.measures, *names), domain_of)).encode())
    if covariates:
        sha.update(repr(sorted(covariates)).encode())
    for name, feature in sorted(features.items()):
        sha.update(repr((name, *feature.content)).encode())
    for measure in summary.measures:
        labels, content = rows.content(measure, names, covariates)
        sha.update(repr(labels).encode())
        for part in content:
            sha.update(part)
    return sha.hexdigest()[:16]
