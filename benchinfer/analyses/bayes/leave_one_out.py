"""Data sets left out, and models compared by their predictions of these.

The log predictive density of a data set by all others comes from the draws given all data sets by
importance sampling, with weights smoothed by a Pareto distribution (PSIS-LOO). Its shape k says
whether that works; where it does not the model is sampled anew without the data set.

References
----------
Vehtari, A., Gelman, A. & Gabry, J. (2017). Practical Bayesian model evaluation using leave-one-out
cross-validation and WAIC. Statistics and Computing 27, 1413-1432.
https://doi.org/10.1007/s11222-016-9696-4

Vehtari, A., Simpson, D., Gelman, A., Yao, Y. & Gabry, J. (2024). Pareto smoothed importance
sampling. Journal of Machine Learning Research 25(72), 1-58.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from benchinfer.analyses.bayes.fit import fit
from benchinfer.analyses.bayes.numerics.predictive import Shared, Thinned, log_marginals
from benchinfer.core.frames import checks_frame, frame
from benchinfer.core.numbers import count, join, subject
from benchinfer.core.result import Readable
from benchinfer.core.sections import Check
from benchinfer.numerics.types import Array, Flags

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.bayes.numerics.contrasts import ContrastData
    from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
    from benchinfer.core.progress import Progress


_CHAINS = 4


@dataclass(frozen=True, slots=True)
class Weighted:
    """Draws of the model without one data set: draws of another posterior with their weights."""

    shared: Shared  # N draws of what data sets share
    log_weights: Array  # (N,) logs of their weights, which sum to 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LeaveOneOut(Readable):
    """Leave-one-out predictions of M data sets, each by the model without it.

    Attributes
    ----------
    measure, datasets
        What was compared.
    pointwise
        (M,) expected log predictive densities (elpd) of contrasts and residuals.
    contrasts
        (M,) those of the contrasts given the residuals.
    overfit
        (M,) how much more likely a data set is where the model has seen it: effective numbers of
        parameters.
    pareto_k
        (M,) shapes of the weights' tail.
    good_k
        What k may be at most.
    refitted
        (M,) whether the model was sampled anew without the data set.
    draws
        Draws of the models without each data set.
    """

    measure: str
    datasets: tuple[str, ...]
    pointwise: Array
    contrasts: Array
    overfit: Array
    pareto_k: Array
    good_k: float
    refitted: Flags
    draws: tuple[Weighted, ...]

    def description(self) -> str:
        """Return the predictive density and the number of influential data sets, as text."""
        above = int((self.pareto_k > self.good_k).sum())
        return (
            f"<LeaveOneOut: elpd {self.elpd:.1f} (standard error {self.se:.1f}) of"
            f" {count(len(self.datasets), 'data set')}, {above} with Pareto k above"
            f" {self.good_k:.2f}>"
        )

    @property
    def elpd(self) -> float:
        """Expected log predictive density: the sum over data sets."""
        return float(self.pointwise.sum())

    @property
    def se(self) -> float:
        """Standard error of `elpd`, as data sets are a sample."""
        return standard_error(self.pointwise)

    @property
    def p_loo(self) -> float:
        """Effective number of parameters."""
        return float(self.overfit.sum())

    def table(self) -> pd.DataFrame:
        """One row per data set.

        Returns
        -------
        pandas.DataFrame
            ``measure dataset elpd p_loo pareto_k refitted``.
        """
        return frame(
            {
                "measure": [self.measure] * len(self.datasets),
                "dataset": list(self.datasets),
                "elpd": self.pointwise,
                "p_loo": self.overfit,
                "pareto_k": self.pareto_k,
                "refitted": self.refitted,
            }
        )

    def diagnostics(self) -> pd.DataFrame:
        """Return a table of the checks on influential data sets, one row each."""
        return checks_frame(self.checks())

    def checks(self) -> list[Check]:
        """Return the rows of the diagnostics."""
        above = np.flatnonzero(self.pareto_k > self.good_k)
        open_ = above[~self.refitted[above]]
        names = join([self.datasets[i] for i in above[np.argsort(-self.pareto_k[above])]][:5])
        again = count(int(self.refitted.sum()), "refit")
        return [
            Check.of(
                "influential data sets",
                len(above),
                concerns="verdict",
                sentence=f"The posterior rests on single data sets: {names}.",
                remedy=f"Without one of them it differs much ({again}): look at the scores there,"
                " and compare without it.",
            ),
            Check.of(
                "data sets whose left-out prediction is not reliable",
                len(open_),
                sentence=f"{subject(len(open_), 'left-out prediction', 'is')} not reliable, as"
                " Pareto k is too large for importance weights.",
                remedy="Leave refit on.",
            ),
        ]


def standard_error(pointwise: Array) -> float:
    """Return the standard error of a sum over data sets."""
    return float(np.sqrt(len(pointwise)) * pointwise.std())


def leave_out(
    model: GibbsModel,
    thinned: Thinned,
    refits: int,
    measure: str,
    datasets: tuple[str, ...],
    rng: np.random.Generator,
    progress: Progress | None,
) -> LeaveOneOut:
    """Return the leave-one-out predictions by importance sampling, or by refits where it fails.

    A refit has `refits` draws of each chain; with 0 no model is refitted.
    """
    shared = thinned.shared(model.domain, rng, model.covariates)
    both, residuals = log_marginals(model.data, shared)
    psis, log_weights = _psis(thinned, both)
    pointwise, k = (np.array(x, dtype=np.float64) for x in (psis.elpd_i, psis.pareto_k))
    contrasts = pointwise - logsumexp(log_weights + residuals, axis=0)
    seen = logsumexp(both, axis=0) - np.log(len(both))
    last = shared.centre.shape[1] - 1
    draws = [
        Weighted(replace(shared, centre=shared.centre[:, [min(m, last)]]), log_weights[:, m])
        for m in range(len(k))
    ]
    bad = (k > psis.good_k) & (refits > 0)
    for m in np.flatnonzero(bad).tolist():
        other = sample_without(model, m, refits, rng, progress)
        densities = log_marginals(select_datasets(model.data, np.array([m])), other)
        both_m, residuals_m = (float(logsumexp(x)) - np.log(len(other)) for x in densities)
        pointwise[m], contrasts[m] = both_m, both_m - residuals_m
        draws[m] = Weighted(other, np.full(len(other), -np.log(len(other))))
    overfit, good = seen - pointwise, float(psis.good_k)
    return LeaveOneOut(measure, datasets, pointwise, contrasts, overfit, k, good, bad, tuple(draws))


def _psis(thinned: Thinned, log_likelihood: Array) -> tuple[Any, Array]:
    """Return ArviZ's PSIS-LOO result of (N, M) log densities, and (N, M) normalised log weights."""
    from arviz_stats.loo import loo
    from xarray import Dataset, DataTree

    chains = len(thinned.scale)
    likelihood = log_likelihood.reshape(chains, -1, log_likelihood.shape[1])
    posterior: dict[str, tuple[tuple[str, ...], Array]] = {
        "average": (("chain", "draw", "contrast"), thinned.average),
        "scale": (("chain", "draw"), thinned.scale),
    }
    tree = DataTree.from_dict(
        {
            "posterior": Dataset(posterior),
            "log_likelihood": Dataset({"scores": (("chain", "draw", "dataset"), likelihood)}),
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # large k are refitted, or said in the diagnostics
        psis: Any = loo(tree, pointwise=True)
    weights = psis.log_weights.transpose("chain", "draw", "dataset").to_numpy()
    weights = weights.reshape(log_likelihood.shape)
    return psis, weights - logsumexp(weights, axis=0)


def select_datasets(data: ContrastData, rows: NDArray[np.integer[Any]]) -> ContrastData:
    """Return some of the data sets, on the same scale."""
    names = ("z", "design", "variance", "rank", "rss", "df", "balanced", "dataset", "silent")
    return replace(data, **{name: getattr(data, name)[rows] for name in names})


def sample_without(
    model: GibbsModel, m: int, draws: int, rng: np.random.Generator, progress: Progress | None
) -> Shared:
    """Sample the model without a data set, on the same scale and with the same priors."""
    rest = np.delete(np.arange(len(model.data.z)), m)
    domain = domain_of_m = covariates = covariates_of_m = None
    if model.domain is not None:
        domain = np.unique(model.domain[rest], return_inverse=True)[1]
        same = np.flatnonzero(model.domain[rest] == model.domain[m])
        domain_of_m = np.array([domain[same[0]] if len(same) else -1])
    if model.covariates is not None:
        covariates, covariates_of_m = model.covariates[rest], model.covariates[[m]]
    data = select_datasets(model.data, rest)
    less = replace(model, data=data, domain=domain, covariates=covariates)
    fitted = fit(less, (_CHAINS, draws), rng, progress)
    return Thinned.of(fitted.draws).shared(domain_of_m, rng, covariates_of_m)
