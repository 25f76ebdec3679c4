"""What a mixed model is fitted to: the reduced scores, the terms and the fixed effects."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array
from benchinfer.errors import DesignError, FitError, message
from benchinfer.numerics import degrees, sufficient
from benchinfer.numerics.leave_out import blocks_without_algorithm, cells_without_algorithm
from benchinfer.numerics.reml import evaluate
from benchinfer.numerics.residuals import Residuals, of_blocks, of_cells
from benchinfer.numerics.robust import cluster_robust
from benchinfer.numerics.score_model import ScoreModelFit, fit
from benchinfer.numerics.structured import patterns
from benchinfer.numerics.structured.blocks import Residual
from benchinfer.numerics.structured.covariances import Between
from benchinfer.numerics.structured.fitting import fit_structured
from benchinfer.numerics.structured.optimum import StructuredFit
from benchinfer.numerics.structured.patterns import Patterns
from benchinfer.numerics.sufficient import Statistics
from benchinfer.saving import savable

if TYPE_CHECKING:
    from benchinfer.compare.designs import Design
    from benchinfer.scores import ScoreTable

type Fit = ScoreModelFit | StructuredFit


@savable
@dataclass(frozen=True, slots=True)
class Problem:
    """Reduced scores with a model for them; from it the model can be fitted again.

    Attributes
    ----------
    statistics
        Moments of the scores, by patterns where the model needs them.
    terms
        Random terms as the engine names them.
    x
        (D, K, p) design of the fixed effects, None for one mean per algorithm.
    between, residual
        Structures of the covariances.
    domain
        (D,) codes of the data sets' domains where these are a random level, else None.
    robust
        Whether data sets (or domains) are independent units whose spread gives errors of its own.
    overlap
        What overlapping resamples add to the variance of an algorithm's mean, in residual
        variances; 0 across data sets.
    """

    statistics: Statistics | Patterns
    terms: tuple[str, ...]
    x: Array | None = None
    between: Between = "common"
    residual: Residual = "constant"
    domain: NDArray[np.int64] | None = None
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
            if isinstance(self.statistics, Statistics):
                return fit(self.statistics, self.terms, self.x, reml=reml)
            return fit_structured(
                self.statistics,
                between=self.between,
                residual=self.residual,
                terms=self.terms,
                domain=self.domain,
                x=self.x,
                reml=reml,
            )
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
        if isinstance(model, StructuredFit):
            units, z = model.unit_information, model.unit_z
        elif isinstance(stats, Statistics):
            work = evaluate(stats, model.variances / stats.scale**2, self.x, reml=True)
            units, z = work.q_matrix, model.derivatives.z
        else:
            return None
        # Of domains the design is that of any of their data sets: algorithm means.
        x = None if self.domain is not None else self.x
        own = cluster_robust(units, z, model.phi, rows, x)
        return degrees.Adjusted(own.cov * model.scale**2, own.df)


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
