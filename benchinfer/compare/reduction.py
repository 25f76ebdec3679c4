"""From a table to the moments that a mixed model is fitted to."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array
from benchinfer.numerics import sufficient
from benchinfer.numerics.leave_out import blocks_without_algorithm, cells_without_algorithm
from benchinfer.numerics.residuals import Residuals, of_blocks, of_cells
from benchinfer.numerics.score_model import ScoreModelFit
from benchinfer.numerics.structured import patterns
from benchinfer.numerics.structured.patterns import Patterns
from benchinfer.numerics.sufficient import Statistics

if TYPE_CHECKING:
    from benchinfer.compare.designs import Design
    from benchinfer.scores import ScoreTable


@dataclass(frozen=True, slots=True)
class Reduction:
    """What a table is reduced to: cells where replications are not modelled, else blocks.

    Attributes
    ----------
    count, mean, within
        (R, K) number of scores and their mean, and (D, K) sums of squares about the means.
    dataset
        (R,) data set of each block, None for cells, of which there is one per data set.
    """

    count: NDArray[np.int64]
    mean: Array
    within: Array
    dataset: NDArray[np.int64] | None

    @staticmethod
    def of(scores: "ScoreTable", name: str, design: "Design") -> "Reduction":
        """Reduce the scores of a measure."""
        if "dataset:replication" not in design.components:
            cells = scores.cells(name)
            within = np.where(cells.n > 1, (cells.n - 1) * np.nan_to_num(cells.sd) ** 2, 0.0)
            return Reduction(cells.n, cells.mean, within, None)
        blocks = scores.blocks(name)
        return Reduction(blocks.count, blocks.mean, blocks.within, blocks.dataset)

    def statistics(self, *, one: bool, plain: bool) -> Statistics | Patterns:
        """Return the moments that a model needs.

        Parameters
        ----------
        one
            Whether there is one data set.
        plain
            Whether each source has one variance, so that the simpler moments suffice.
        """
        if self.dataset is None:
            engine = sufficient if plain else patterns
            return engine.from_cells(self.count, self.mean, self.within)
        if one:
            return one_dataset(self.count, self.mean, self.within)
        if plain:
            within = self.within.sum(axis=1)
            return sufficient.from_blocks(self.dataset, self.count, self.mean, within)
        return patterns.from_blocks(self.dataset, self.count, self.mean, self.within)

    def without(self, k: int) -> Statistics:
        """Return the moments of several data sets without algorithm k."""
        if self.dataset is None:
            return cells_without_algorithm(self.count, self.mean, self.within, k)
        return blocks_without_algorithm(self.dataset, self.count, self.mean, self.within, k)

    def residuals(self, stats: Statistics, model: ScoreModelFit) -> Residuals:
        """Diagnose a fit to several data sets."""
        if self.dataset is None:
            return of_cells(stats, model, self.count, self.mean, self.within)
        return of_blocks(stats, model, self.dataset, self.count, self.mean)


def one_dataset(count: NDArray[np.int64], mean: Array, within: Array) -> Statistics:
    """Return the statistics of one data set, whose replications play the part of data sets.

    Parameters
    ----------
    count, mean
        (B, K) number of scores and their mean.
    within
        Sums of squares of repeats about their means; only their total enters the likelihood.
    """
    stats = sufficient.from_cells(count, np.where(count > 0, mean, np.nan), np.zeros_like(mean))
    repeats = float(within.sum()) / stats.scale**2 / len(count)
    return replace(stats, square=stats.square + repeats)
