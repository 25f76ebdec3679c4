"""The algorithms on these data sets and no others: each fitted by itself, then averaged."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.evidence import Array
from benchinfer.compare.problem import Problem, Solved
from benchinfer.compare.reduction import one_dataset
from benchinfer.errors import DesignError
from benchinfer.numerics import degrees
from benchinfer.numerics.score_model import OptimizerRecord
from benchinfer.saving import savable

if TYPE_CHECKING:
    from benchinfer.scores import ScoreTable


@savable
@dataclass(frozen=True, slots=True)
class AveragedFit:
    """Fits of each data set by itself, whose replications play the part of data sets.

    Attributes
    ----------
    parts
        One fit per data set.
    """

    parts: tuple[Solved, ...]

    @property
    def beta(self) -> Array:
        """(K,) levels, averaged over data sets with equal weight."""
        return np.mean([part.model.beta for part in self.parts], axis=0)

    @property
    def terms(self) -> tuple[str, ...]:
        """The components in the model."""
        shared = any(len(part.model.terms) > 1 for part in self.parts)
        return ("dataset:replication", "residual") if shared else ("residual",)

    @property
    def variances(self) -> Array:
        """(4,) variances averaged over data sets, in the order of `reml.COMPONENTS`."""
        mean = np.mean([part.model.variances for part in self.parts], axis=0)
        return np.array([0.0, 0.0, mean[0], mean[3]])

    @property
    def singular(self) -> tuple[str, ...]:
        """Components that are zero on every data set that has them."""
        zero = all(part.model.variances[0] == 0 for part in self.parts)
        zero &= "dataset:replication" in self.terms
        return ("dataset:replication",) if zero else ()

    @property
    def optimizer(self) -> OptimizerRecord:
        """The record of the data set whose optimum took most steps."""
        return max((part.model.optimizer for part in self.parts), key=lambda record: record.steps)

    def errors(self, rows: Array, df: str) -> degrees.Adjusted:
        """Return the covariance of the averaged levels, and the contrasts' degrees of freedom.

        The variance of a contrast is the mean of its variances on the data sets, divided by their
        number; its degrees of freedom follow Satterthwaite: ``(sum v)^2 / sum(v^2 / df)``.
        """
        d, k = len(self.parts), rows.shape[1]
        cov, spread, weight = np.zeros((k, k)), np.zeros(len(rows)), np.zeros(len(rows))
        for part in self.parts:
            own = part.errors(rows, df)
            v = np.einsum("jp,pq,jq->j", rows, own.cov, rows)
            cov += own.cov / d**2
            spread += v
            weight += v**2 / own.df
        with np.errstate(divide="ignore"):
            return degrees.Adjusted(cov, spread**2 / weight)

    def spread(self, rows: Array) -> None:
        """Return nothing: data sets that are the subject itself have no sampling error."""


def each_dataset(
    scores: "ScoreTable",
    name: str,
    datasets: tuple[str, ...],
    terms: tuple[str, ...],
    overlap: float,
) -> AveragedFit:
    """Fit each data set by itself.

    Parameters
    ----------
    scores, name
        The table and the measure.
    datasets
        Names of the data sets in the order of the reduction.
    terms
        ``("dataset:replication",)`` where replications are shared, else empty.
    overlap
        As in `Problem`.

    Raises
    ------
    DesignError
        The scores of a data set do not vary; the message names it.
    """
    blocks = scores.blocks(name)
    start = np.searchsorted(blocks.dataset, np.arange(len(datasets) + 1))
    parts: list[Solved] = []
    for m, dataset in enumerate(datasets):
        rows = slice(start[m], start[m + 1])
        stats = one_dataset(blocks.count[rows], blocks.mean[rows], blocks.within[m])
        # One replication, of which repeats were kept, has no variance between replications.
        inner = ("dataset",) if terms and start[m + 1] - start[m] > 1 else ()
        try:
            parts.append(Problem(stats, inner, robust=False, overlap=overlap).solve())
        except DesignError as error:
            raise DesignError(f"data set {dataset}: {error}") from None
    return AveragedFit(tuple(parts))
