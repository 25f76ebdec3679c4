"""Covariates that vary from run to run: the slow path, score by score, through statsmodels."""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array
from benchinfer.errors import DesignError, FitError, message
from benchinfer.numerics import degrees
from benchinfer.numerics.reml import COMPONENTS
from benchinfer.numerics.score_model import OptimizerRecord
from benchinfer.saving import savable

if TYPE_CHECKING:
    from benchinfer.scores.observations import Observations

# Variances below this share of the largest are zero up to what the optimiser resolves.
_ZERO = 1e-7


@savable
@dataclass(frozen=True, slots=True)
class ObservedFit:
    """A model fitted score by score; p fixed effects.

    Attributes
    ----------
    terms, variances, beta, cov, criterion, reml, n, singular, optimizer
        As in `benchinfer.numerics.score_model.ScoreModelFit`; of the optimiser's record only that
        it converged is known.
    """

    terms: tuple[str, ...]
    variances: Array
    beta: Array
    cov: Array
    criterion: float
    reml: bool
    n: int
    singular: tuple[str, ...]
    optimizer: OptimizerRecord

    def errors(self, rows: Array, df: str) -> degrees.Adjusted:
        """Return the covariance of the fixed effects and infinite degrees of freedom.

        Raises
        ------
        DesignError
            Degrees of freedom are asked for.
        """
        if df != "asymptotic":
            raise DesignError(
                message(
                    f"df={df!r} is not known for covariates that vary within data sets.",
                    hint='df="asymptotic" is normal theory, which needs many data sets.',
                )
            )
        return degrees.Adjusted(self.cov, np.full(len(rows), np.inf))

    def spread(self, rows: Array) -> None:
        """Return nothing: the scores are not kept."""


def fit_observed(found: "Observations", z: Array, terms: tuple[str, ...]) -> ObservedFit:
    """Fit ``value ~ algorithm + algorithm:z`` with random terms by restricted likelihood.

    Parameters
    ----------
    found
        The scores, one by one.
    z
        (N, q) covariates.
    terms
        Random terms as the engine names them; of one data set its replications are the groups.

    Returns
    -------
    ObservedFit
        The K levels come first, then K slopes per covariate.

    Raises
    ------
    DesignError
        The fixed effects cannot be told apart.
    FitError
        The optimum is not reached.
    """
    own = np.eye(len(found.algorithms))[found.algorithm]
    x = np.concatenate([own, *(own * column[:, None] for column in z.T)], axis=1)
    if np.linalg.matrix_rank(x) < x.shape[1]:
        raise DesignError(
            message(
                "the algorithms' slopes cannot be told apart in this table.",
                hint="an algorithm needs runs with different values of each covariate.",
            )
        )
    scale = float(found.value.std()) or 1.0
    result = _mixed_lm(found, x, terms, found.value / scale)
    if not result.converged:
        raise FitError(
            message(
                "the fit by statsmodels, score by score, did not converge.",
                hint="fewer covariates, or covariates of data sets alone, whose fit is exact.",
            )
        )
    variances = _variances(result, terms) * scale**2
    p = x.shape[1]
    return ObservedFit(
        terms=(*terms, "residual"),
        variances=variances,
        beta=np.asarray(result.fe_params) * scale,
        cov=np.asarray(result.cov_params())[:p, :p] * scale**2,
        criterion=-2 * float(result.llf) + 2 * (len(x) - p) * float(np.log(scale)),
        reml=True,
        n=len(x),
        singular=tuple(
            name for name in terms if variances[COMPONENTS.index(name)] <= _ZERO * variances.max()
        ),
        optimizer=OptimizerRecord(0, 0, 0.0, converged=True),
    )


def _mixed_lm(found: "Observations", x: Array, terms: tuple[str, ...], y: Array) -> Any:
    from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec

    groups = found.dataset if len(found.datasets) > 1 else found.replication
    inner = {"dataset:algorithm": found.algorithm, "dataset:replication": found.replication}
    names = [name for name in inner if name in terms]
    mats = [[_indicators(inner[name][groups == g]) for g in np.unique(groups)] for name in names]
    columns = [[[str(i) for i in range(m.shape[1])] for m in each] for each in mats]
    model = MixedLM(
        y,
        x,
        groups,
        exog_re=np.ones((len(y), 1)) if "dataset" in terms else None,
        exog_vc=VCSpec(names, columns, mats) if names else None,
    )
    with warnings.catch_warnings():
        # What it warns of, variances at zero and failed convergence, is told from the result.
        warnings.simplefilter("ignore")
        return cast("Any", model).fit(reml=True, method=["lbfgs", "bfgs", "cg"])


def _indicators(codes: NDArray[np.int64]) -> Array:
    found, index = np.unique(codes, return_inverse=True)
    return np.eye(len(found))[index]


def _variances(result: Any, terms: tuple[str, ...]) -> Array:
    """Return (4,) variances in the order of `COMPONENTS`."""
    held = dict(zip([t for t in COMPONENTS[1:3] if t in terms], result.vcomp, strict=True))
    if "dataset" in terms:
        held["dataset"] = float(np.asarray(result.cov_re).ravel()[0])
    held["residual"] = float(result.scale)
    return np.array([held.get(name, 0.0) for name in COMPONENTS])
