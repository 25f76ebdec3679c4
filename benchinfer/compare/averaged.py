"""The algorithms on these data sets and no others: each fitted by itself, then averaged."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.evidence import Array
from benchinfer.compare.problem import Problem, one_dataset
from benchinfer.errors import DesignError
from benchinfer.numerics import degrees
from benchinfer.numerics.score_model import OptimizerRecord, ScoreModelFit
from benchinfer.saving import savable

if TYPE_CHECKING:
    from benchinfer.scores import ScoreTable


@savable
@dataclass(frozen=True, slots=True)
class AveragedFit:
    """Fits of each data set by itself.

    Attributes
    ----------
    fits
        One fit per data set.
    """

    fits: tuple[ScoreModelFit, ...]

    @property
    def beta(self) -> Array:
        """(K,) levels, averaged over data sets with equal weight."""
        return np.mean([fit.beta for fit in self.fits], axis=0)

    @property
    def terms(self) -> tuple[str, ...]:
        """The components in the model."""
        shared = self.fits[0].terms[:-1]
        return ("dataset:replication", "residual") if shared else ("residual",)

    @property
    def variances(self) -> Array:
        """(4,) variances averaged over data sets, in the order of `reml.COMPONENTS`."""
        mean = np.mean([fit.variances for fit in self.fits], axis=0)
        return np.array([0.0, 0.0, mean[0], mean[3]])

    @property
    def singular(self) -> tuple[str, ...]:
        """Components that are zero on every data set."""
        zero = all("dataset" in fit.singular for fit in self.fits)
        return ("dataset:replication",) if zero else ()

    @property
    def optimizer(self) -> OptimizerRecord:
        """The record of the data set whose optimum is least certain."""
        return max((fit.optimizer for fit in self.fits), key=lambda r: (not r.converged, r.steps))


@savable
@dataclass(frozen=True, slots=True)
class EachDataset:
    """Reduced scores of each data set, with the model that each is fitted by.

    Attributes
    ----------
    datasets
        Names of the data sets.
    parts
        One problem per data set, whose replications play the part of data sets.
    """

    datasets: tuple[str, ...]
    parts: tuple[Problem, ...]

    def fit(self) -> AveragedFit:
        """Fit each data set.

        Raises
        ------
        DesignError
            The scores of a data set do not vary; the message names it.
        """
        fits: list[ScoreModelFit] = []
        for name, part in zip(self.datasets, self.parts, strict=True):
            try:
                fits.append(part.fit())
            except DesignError as error:
                raise DesignError(f"data set {name}: {error}") from None
        return AveragedFit(tuple(fits))

    def spread(self, model: AveragedFit, rows: Array) -> None:
        """Return nothing: data sets that are the subject itself have no sampling error."""

    def errors(self, model: AveragedFit, rows: Array, df: str) -> degrees.Adjusted:
        """Return the covariance of the averaged levels, and the contrasts' degrees of freedom.

        The variance of a contrast is the mean of its variances on the data sets, divided by their
        number; its degrees of freedom follow Satterthwaite: ``(sum v)^2 / sum(v^2 / df)``.
        """
        d, k = len(model.fits), rows.shape[1]
        cov, spread, weight = np.zeros((k, k)), np.zeros(len(rows)), np.zeros(len(rows))
        for part, fit in zip(self.parts, model.fits, strict=True):
            own = part.errors(fit, rows, df)
            v = np.einsum("jp,pq,jq->j", rows, own.cov, rows)
            cov += own.cov / d**2
            spread += v
            weight += v**2 / own.df
        with np.errstate(divide="ignore"):
            return degrees.Adjusted(cov, spread**2 / weight)


def each_dataset(
    scores: "ScoreTable",
    name: str,
    datasets: tuple[str, ...],
    terms: tuple[str, ...],
    overlap: float,
) -> EachDataset:
    """Reduce the scores of a measure on each data set.

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
    """
    blocks = scores.blocks(name)
    start = np.searchsorted(blocks.dataset, np.arange(len(datasets) + 1))
    parts: list[Problem] = []
    for m in range(len(datasets)):
        rows = slice(start[m], start[m + 1])
        stats = one_dataset(blocks.count[rows], blocks.mean[rows], blocks.within[m])
        parts.append(Problem(stats, ("dataset",) if terms else (), robust=False, overlap=overlap))
    return EachDataset(datasets, tuple(parts))
