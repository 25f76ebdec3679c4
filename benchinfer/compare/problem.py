"""What a mixed model is fitted to: the reduced scores, the terms and the fixed effects."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array
from benchinfer.errors import DesignError, FitError, message
from benchinfer.numerics import degrees, sufficient
from benchinfer.numerics.reml import evaluate
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


def reduce(
    scores: "ScoreTable", name: str, design: "Design", *, plain: bool
) -> Statistics | Patterns:
    """Reduce the scores of a measure: cells suffice where replications are not modelled.

    Parameters
    ----------
    scores, name
        The table and the measure.
    design
        The terms.
    plain
        Whether each source has one variance, so that the simpler moments suffice.
    """
    if "dataset:replication" not in design.components:
        cells = scores.cells(name)
        within = np.where(cells.n > 1, (cells.n - 1) * np.nan_to_num(cells.sd) ** 2, 0.0)
        return (sufficient if plain else patterns).from_cells(cells.n, cells.mean, within)
    blocks = scores.blocks(name)
    if design.one_dataset:
        return one_dataset(blocks.count, blocks.mean, blocks.within)
    if plain:
        within = blocks.within.sum(axis=1)
        return sufficient.from_blocks(blocks.dataset, blocks.count, blocks.mean, within)
    return patterns.from_blocks(blocks.dataset, blocks.count, blocks.mean, blocks.within)


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
