"""What a mixed model is fitted to: the reduced scores, the terms and the fixed effects."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array
from benchinfer.errors import DesignError, FitError, message
from benchinfer.numerics import degrees
from benchinfer.numerics.robust import of_fit, of_structured
from benchinfer.numerics.score_model import ScoreModelFit, fit
from benchinfer.numerics.structured.blocks import Residual
from benchinfer.numerics.structured.covariances import Between
from benchinfer.numerics.structured.fitting import fit_structured
from benchinfer.numerics.structured.optimum import StructuredFit
from benchinfer.numerics.structured.patterns import Patterns
from benchinfer.numerics.sufficient import Statistics
from benchinfer.saving import savable

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

    def solve(self) -> "Solved":
        """Fit the model.

        Raises
        ------
        DesignError
            The scores do not vary beyond the fixed effects, or there are too few of them.
        """
        try:
            return Solved(self, self._fit())
        except FitError as error:
            raise _refusal(error) from None

    def _fit(self) -> Fit:
        if isinstance(self.statistics, Statistics):
            return fit(self.statistics, self.terms, self.x)
        found = fit_structured(
            self.statistics,
            between=self.between,
            residual=self.residual,
            terms=self.terms,
            domain=self.domain,
            x=self.x,
        )
        if any(name.startswith("residual") for name in found.singular):
            raise FitError("a residual variance goes to zero: some scores repeat each other.")
        return found


@savable
@dataclass(frozen=True, slots=True)
class Solved:
    """A problem with its fit.

    Attributes
    ----------
    problem, model
        What was fitted, and the fit.
    """

    problem: Problem
    model: Fit

    def errors(self, rows: Array, df: str) -> degrees.Adjusted:
        """Return the covariance of the fixed effects and the df of contrasts under the model.

        Parameters
        ----------
        rows
            (J, p) contrasts of the fixed effects.
        df
            Name of the method.
        """
        found = degrees.METHODS[df](self.model, rows)
        if not self.problem.overlap:
            return found
        extra = self.problem.overlap * float(self.model.variances[3])
        return degrees.Adjusted(found.cov + extra * np.eye(len(found.cov)), found.df)

    def spread(self, rows: Array) -> degrees.Adjusted | None:
        """Return the same from the spread between data sets; None where it tells nothing.

        See `errors` for the parameters; the fit sets the weights of the data sets.
        """
        model, stats, x = self.model, self.problem.statistics, self.problem.x
        if not self.problem.robust:
            return None
        if isinstance(stats, Statistics):
            try:
                return of_fit(stats, model.variances, rows, x)
            except FitError as error:
                # With hardly a data set in common the data set variance may run away.
                raise _refusal(error) from None
        if not isinstance(model, StructuredFit):
            return None
        return of_structured(stats, model, rows, x, self.problem.domain, self.problem.residual)


def _refusal(error: FitError) -> DesignError:
    return DesignError(
        message(
            str(error),
            hint="a test needs scores that vary and data sets in common: scores.findings() names"
            " constant and identical algorithms; of identical replications keep one, with"
            " scores.subset(replications=[...]); compare_points describes such a table.",
        )
    )
