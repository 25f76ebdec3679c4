"""Mean scores and ranks of the algorithms on each data set, for figures of a table of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.numerics.ties import joined_levels, ranked_rows
from benchinfer.numerics.types import Array, Flags

if TYPE_CHECKING:
    from benchinfer.core.measure import Measure
    from benchinfer.scores.table import ScoreTable


@dataclass(frozen=True, slots=True)
class Standing:
    """How K algorithms stand on D data sets, by the means of their cells.

    Attributes
    ----------
    measure
        The measure; values below are on its modelling scale, larger is better.
    datasets, algorithms
        Those with any score, algorithms by mean rank, best first.
    mean
        (D, K) means, NaN where there is no score.
    rank
        (D, K) ranks on each data set among all algorithms that have a score there, 1 is best.
    of_all
        How many algorithms the table has.
    """

    measure: Measure
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    mean: Array
    rank: Array
    of_all: int

    @property
    def best(self) -> Flags:
        """(D, K) whether an algorithm has the best score of a data set, or shares it."""
        return self.rank == np.nanmin(self.rank, axis=1, keepdims=True)

    @property
    def middle(self) -> Array:
        """(D,) the median of the algorithms' scores on each data set, in the measure's own unit."""
        return np.nanmedian(self.measure.level_of(self.mean), axis=1)

    def of(self, names: Sequence[str]) -> Standing:
        """Return the standing of some algorithms, in the order given; ranks are among all."""
        if strange := [name for name in names if name not in self.algorithms]:
            raise ArgumentError(unknown("algorithm", strange[0], sorted(self.algorithms)))
        at = [self.algorithms.index(name) for name in dict.fromkeys(names)]
        present = ~np.isnan(self.mean[:, at]).all(axis=1)
        return replace(
            self,
            algorithms=tuple(self.algorithms[k] for k in at),
            datasets=tuple(
                name for name, scored in zip(self.datasets, present, strict=True) if scored
            ),
            mean=self.mean[present][:, at],
            rank=self.rank[present][:, at],
        )


def standing(
    scores: ScoreTable,
    algorithms: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
) -> Standing:
    """Return how algorithms stand on each data set: all, or some of them in an order.

    Raises
    ------
    DesignError
        No cell has a score.
    ArgumentError
        There is no such algorithm.
    """
    cells = scores.cells()
    some_d, some_k = (~np.isnan(cells.mean).all(axis=axis) for axis in (1, 0))
    if not some_d.any():
        raise DesignError(f"there is no score of {cells.measure.name!r}.")
    mean = cells.mean[np.ix_(some_d, some_k)]
    rank = ranked_rows(-mean, cells.rounding[np.ix_(some_d, some_k)])
    names = [name for name, scored in zip(cells.algorithms, some_k, strict=True) if scored]
    by_rank = np.argsort(joined_levels(np.nanmean(rank, axis=0)), kind="stable")
    table = Standing(
        measure=cells.measure,
        datasets=tuple(n for n, scored in zip(cells.datasets, some_d, strict=True) if scored),
        algorithms=tuple(names[k] for k in by_rank),
        mean=mean[:, by_rank],
        rank=rank[:, by_rank],
        of_all=len(names),
    )
    shown = table.algorithms
    if order is not None:
        shown = (*order, *(name for name in shown if name not in order))
    if algorithms is not None:
        table.of(algorithms)  # refuses names that are not there
        shown = tuple(name for name in shown if name in algorithms)
    return table if shown == table.algorithms else table.of(shown)
