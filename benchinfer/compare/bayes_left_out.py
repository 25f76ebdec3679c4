"""Leave one data set out: what a hierarchical model that has not seen a data set says of it.

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

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from benchinfer.compare.bayes_fit import fit
from benchinfer.compare.evidence import Array, Check, checks_frame
from benchinfer.compare.phrases import count, join
from benchinfer.frames import frame
from benchinfer.numerics.bayes.integrated import Shared, log_marginals
from benchinfer.numerics.bayes.thinned import Thinned

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.bayes_comparison import BayesComparison
    from benchinfer.numerics.bayes.gibbs import Model
    from benchinfer.numerics.bayes.reduction import ContrastData
    from benchinfer.progress import Progress

_CHAINS = 4


@dataclass(frozen=True, slots=True)
class Weighted:
    """Draws of the model without one data set: those of another posterior, and weights for them.

    Attributes
    ----------
    shared
        N draws of what data sets share.
    log_weights
        (N,) logs of their weights, which sum to 1.
    """

    shared: Shared
    log_weights: Array


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """Every data set predicted by a model that has not seen it; M data sets.

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
    refitted: NDArray[np.bool_]
    draws: tuple[Weighted, ...]

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

    def table(self) -> "pd.DataFrame":
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

    def diagnostics(self) -> "pd.DataFrame":
        """Say which data sets are influential, one row per check."""
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
                0.0,
                ok=len(above) == 0,
                remedy=f"{names}: the posterior without it differs much from that with it"
                f" ({again}); look at its scores, and compare without it",
            ),
            Check.of(
                "data sets whose left-out prediction is not reliable",
                len(open_),
                0.0,
                ok=len(open_) == 0,
                remedy="their Pareto k is too large for importance weights: leave refit on",
            ),
        ]


def standard_error(pointwise: Array) -> float:
    """Return the standard error of a sum over data sets."""
    return float(np.sqrt(len(pointwise)) * pointwise.std())


def left_out(
    result: "BayesComparison", *, refit: bool, draws: int, progress: "Progress | None" = None
) -> LeftOut:
    """Leave each data set of a comparison out; see `BayesComparison.loo`."""
    names = [result.setting.coverage.datasets[m] for m in result.data.dataset]
    rng = np.random.default_rng(result.provenance.seed)
    size = draws if refit else 0
    given = (result.measure.name, tuple(names), rng, progress)
    return leave_out(result.sampled, result.draws.thinned, size, *given)


def leave_out(
    model: "Model",
    thinned: Thinned,
    refits: int,
    measure: str,
    datasets: tuple[str, ...],
    rng: np.random.Generator,
    progress: "Progress | None",
) -> LeftOut:
    """Leave each data set out.

    Parameters
    ----------
    model, thinned
        What was sampled, and draws of it.
    refits
        Draws of each chain where the model is sampled anew; 0 for never.
    measure, datasets
        Names.
    rng, progress
        Random numbers, and what is told of sweeps.
    """
    shared = thinned.shared(model.domain, rng, model.covariates)
    both, residuals = log_marginals(model.data, shared)
    found, log_weights = _psis(thinned, both)
    pointwise, k = (np.array(x, dtype=np.float64) for x in (found.elpd_i, found.pareto_k))
    contrasts = pointwise - logsumexp(log_weights + residuals, axis=0)
    seen = logsumexp(both, axis=0) - np.log(len(both))
    draws = [Weighted(_of(shared, m), log_weights[:, m]) for m in range(len(k))]
    bad = (k > found.good_k) & (refits > 0)
    for m in np.flatnonzero(bad).tolist():
        other = _without(model, m, refits, rng, progress)
        one = log_marginals(rows(model.data, np.array([m])), other)
        both_m, residuals_m = (float(logsumexp(x)) - np.log(len(other)) for x in one)
        pointwise[m], contrasts[m] = both_m, both_m - residuals_m
        draws[m] = Weighted(other, np.full(len(other), -np.log(len(other))))
    overfit, good = seen - pointwise, float(found.good_k)
    return LeftOut(measure, datasets, pointwise, contrasts, overfit, k, good, bad, tuple(draws))


def _psis(thinned: Thinned, log_likelihood: Array) -> tuple[Any, Array]:
    """Return what ArviZ makes of (N, M) log densities, and (N, M) normalised log weights."""
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
        found: Any = loo(tree, pointwise=True)
    weights = found.log_weights.transpose("chain", "draw", "dataset").to_numpy()
    weights = weights.reshape(log_likelihood.shape)
    return found, weights - logsumexp(weights, axis=0)


def _of(shared: Shared, m: int) -> Shared:
    """Return the draws with the effects that data set m departs from."""
    at = min(m, shared.centre.shape[1] - 1)
    return replace(shared, centre=shared.centre[:, [at]])


def rows(data: "ContrastData", kept: NDArray[np.integer[Any]]) -> "ContrastData":
    """Return some of the data sets, on the same scale."""
    names = ("z", "design", "variance", "rank", "rss", "df", "whole", "dataset", "silent")
    return replace(data, **{name: getattr(data, name)[kept] for name in names})


def _without(
    model: "Model", m: int, draws: int, rng: np.random.Generator, progress: "Progress | None"
) -> Shared:
    """Sample the model anew without a data set, on the same scale and with the same priors."""
    kept = np.delete(np.arange(len(model.data.z)), m)
    domain, own = None, None
    if model.domain is not None:
        domain = np.unique(model.domain[kept], return_inverse=True)[1]
        alike = np.flatnonzero(model.domain[kept] == model.domain[m])
        own = np.array([domain[alike[0]] if len(alike) else -1])
    seen, there = (None, None) if model.covariates is None else _split(model.covariates, kept, m)
    less = replace(model, data=rows(model.data, kept), domain=domain, covariates=seen)
    fitted = fit(less, (_CHAINS, draws), rng, progress)
    return Thinned.of(fitted.draws).shared(own, rng, there)


def _split(x: Array, kept: NDArray[np.int64], m: int) -> tuple[Array, Array]:
    return x[kept], x[[m]]
