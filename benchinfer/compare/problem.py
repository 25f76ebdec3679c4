"""What a mixed model is fitted to: the reduced scores, the terms and the fixed effects."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array
from benchinfer.errors import DesignError, FitError, message
from benchinfer.numerics import degrees
from benchinfer.numerics.reml import evaluate
from benchinfer.numerics.robust import cluster_robust
from benchinfer.numerics.score_model import ScoreModelFit, fit
from benchinfer.numerics.sufficient import Statistics, from_blocks, from_cells
from benchinfer.saving import savable

if TYPE_CHECKING:
    from benchinfer.compare.designs import Design
    from benchinfer.scores import ScoreTable

type Fit = ScoreModelFit


@savable
@dataclass(frozen=True, slots=True)
class Problem:
    """Reduced scores with a model for them; from it the model can be fitted again.

    Attributes
    ----------
    statistics
        Moments of the scores.
    terms
        Random terms as the engine names them.
    x
        (D, K, p) design of the fixed effects, None for one mean per algorithm.
    robust
        Whether data sets are independent units whose spread gives errors of its own.
    overlap
        What overlapping resamples add to the variance of an algorithm's mean, in residual
        variances; 0 across data sets.
    """

    statistics: Statistics
    terms: tuple[str, ...]
    x: Array | None = None
    robust: bool = True
    overlap: float = 0.0

    def fit(self, *, reml: bool = True) -> Fit:
        """Fit the model.

        Raises
        ------
        DesignError
            The scores do not vary beyond the fixed effects, or there are too few of them.
        """
        try:
            return fit(self.statistics, self.terms, self.x, reml=reml)
        except FitError as error:
            raise DesignError(
                message(
                    str(error),
                    hint="a test needs scores that vary: scores.findings() names constant and"
                    " identical algorithms; of identical replications keep one, with"
                    " scores.subset(replications=[...]); compare_points describes such a table.",
                )
            ) from None

    def errors(self, model: Fit, rows: Array, df: str) -> degrees.Adjusted:
        """Return the covariance of the fixed effects and the df of contrasts under the model.

        Parameters
        ----------
        model
            The fit.
        rows
            (J, p) contrasts of the fixed effects.
        df
            Name of the method.
        """
        found = degrees.METHODS[df](model, rows)
        if not self.overlap:
            return found
        extra = self.overlap * float(model.variances[3])
        return degrees.Adjusted(found.cov + extra * np.eye(len(found.cov)), found.df)

    def spread(self, model: Fit, rows: Array) -> degrees.Adjusted | None:
        """Return the same from the spread between data sets; None where it tells nothing.

        See `errors` for the parameters; the fit sets the weights of the data sets.
        """
        if not self.robust:
            return None
        stats = self.statistics
        work = evaluate(stats, model.variances / stats.scale**2, self.x, reml=True)
        own = cluster_robust(work.q_matrix, model.derivatives.z, work.phi, rows, self.x)
        return degrees.Adjusted(own.cov * stats.scale**2, own.df)


def reduce(scores: "ScoreTable", name: str, design: "Design") -> Statistics:
    """Reduce the scores of a measure: cells suffice where replications are not modelled."""
    if "dataset:replication" not in design.components:
        cells = scores.cells(name)
        within = np.where(cells.n > 1, (cells.n - 1) * np.nan_to_num(cells.sd) ** 2, 0.0)
        return from_cells(cells.n, cells.mean, within)
    blocks = scores.blocks(name)
    if design.one_dataset:
        return one_dataset(blocks.count, blocks.mean, float(blocks.within.sum()))
    return from_blocks(blocks.dataset, blocks.count, blocks.mean, blocks.within)


def one_dataset(count: NDArray[np.int64], mean: Array, within: float) -> Statistics:
    """Return the statistics of one data set, whose replications play the part of data sets.

    Parameters
    ----------
    count, mean
        (B, K) number of scores and their mean.
    within
        Sum of squares of repeats about their means, of which only the total enters the likelihood.
    """
    stats = from_cells(count, np.where(count > 0, mean, np.nan), np.zeros_like(mean))
    return replace(stats, square=stats.square + within / stats.scale**2 / len(count))
