"""Predictive checks, cross-validation and prior sensitivity of the hierarchical model.

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

Each data set is drawn many times from the model that has not seen it (`left_out`), so that no
score is used twice: the tail probabilities of data sets that are as the model says are uniform.

References
----------
Gelman, A., Meng, X.-L. & Stern, H. (1996). Posterior predictive assessment of model fitness via
realized discrepancies. Statistica Sinica 6, 733-807.

References
----------
Kallioinen, N., Paananen, T., Burkner, P.-C. & Vehtari, A. (2024). Detecting and diagnosing prior
and likelihood sensitivity with power-scaling. Statistics and Computing 34, 57.
https://doi.org/10.1007/s11222-023-10366-5
"""

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from benchinfer.analyses.bayes.fit import PARAMETERS, fit, predictive, shared_prior
from benchinfer.analyses.bayes.numerics.predictive import (
    Replicated,
    Shared,
    Thinned,
    log_marginals,
    log_priors,
    observed,
    present,
    replicate,
)
from benchinfer.comparison.evidence import Array
from benchinfer.core.frames import checks_frame, frame
from benchinfer.core.hints import Either
from benchinfer.core.numbers import count, join
from benchinfer.core.result import Readable
from benchinfer.core.sections import Check

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.bayes.comparison import BayesComparison
    from benchinfer.analyses.bayes.numerics.contrasts import ContrastData
    from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
    from benchinfer.core.progress import Progress


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
class LeaveOneOut(Readable):
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

    def __repr__(self) -> str:
        """Return the predictive density, and how many data sets have much influence."""
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
        """Name the influential data sets, one row per check."""
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
                remedy=f"{names}: the posterior without it differs much from that with it"
                f" ({again}); look at its scores, and compare without it",
            ),
            Check.of(
                "data sets whose left-out prediction is not reliable",
                len(open_),
                remedy="their Pareto k is too large for importance weights: leave refit on",
            ),
        ]


def standard_error(pointwise: Array) -> float:
    """Return the standard error of a sum over data sets."""
    return float(np.sqrt(len(pointwise)) * pointwise.std())


def left_out(
    result: "BayesComparison", *, refit: bool, draws: int, progress: "Progress | None" = None
) -> LeaveOneOut:
    """Leave each data set of a comparison out; see `BayesComparison.loo`."""
    names = [result.setting.coverage.datasets[m] for m in result.data.dataset]
    rng = np.random.default_rng(result.provenance.seed)
    size = draws if refit else 0
    given = (result.measure.name, tuple(names), rng, progress)
    return leave_out(result.sampled, result.draws.thinned, size, *given)


def leave_out(
    model: "GibbsModel",
    thinned: Thinned,
    refits: int,
    measure: str,
    datasets: tuple[str, ...],
    rng: np.random.Generator,
    progress: "Progress | None",
) -> LeaveOneOut:
    """Leave each data set out."""
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
    return LeaveOneOut(measure, datasets, pointwise, contrasts, overfit, k, good, bad, tuple(draws))


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
    model: "GibbsModel", m: int, draws: int, rng: np.random.Generator, progress: "Progress | None"
) -> Shared:
    """Sample the model anew without a data set, on the same scale and with the same priors."""
    kept = np.delete(np.arange(len(model.data.z)), m)
    domain, left_domain = None, None
    if model.domain is not None:
        domain = np.unique(model.domain[kept], return_inverse=True)[1]
        alike = np.flatnonzero(model.domain[kept] == model.domain[m])
        left_domain = np.array([domain[alike[0]] if len(alike) else -1])
    seen, there = (None, None) if model.covariates is None else _split(model.covariates, kept, m)
    less = replace(model, data=rows(model.data, kept), domain=domain, covariates=seen)
    fitted = fit(less, (_CHAINS, draws), rng, progress)
    return Thinned.of(fitted.draws).shared(left_domain, rng, there)


def _split(x: Array, kept: NDArray[np.int64], m: int) -> tuple[Array, Array]:
    return x[kept], x[[m]]


_DRAWS = 10_000
_RARE = 0.05  # a tail probability, divided by the number of data sets, that a row names
STATISTICS = ("spread of the algorithms", "largest difference", "residual standard deviation")


@dataclass(frozen=True, slots=True, eq=False)
class PredictiveChecks(Readable):
    """Data sets as observed and as predicted by the others; S statistics, M data sets.

    Attributes
    ----------
    measure, datasets
        What was compared.
    observed, median, low, high
        (S, M) statistics as observed, and median and 95 % interval of the prediction, on the
        modelling scale; NaN where a data set does not have one.
    tail
        (S, M) probability of something as extreme, on either side.
    winner
        (M,) predicted probability of the algorithm that is best on the data set.
    """

    measure: str
    datasets: tuple[str, ...]
    observed: Array
    median: Array
    low: Array
    high: Array
    tail: Array
    winner: Array

    def __repr__(self) -> str:
        """Return how many data sets are not as the others predict them."""
        beyond = int(self.beyond.any(axis=0).sum())
        many = count(len(self.datasets), "data set")
        return f"<PredictiveChecks: {beyond} of {many} beyond what the others predict>"

    def table(self) -> "pd.DataFrame":
        """One row per data set and statistic.

        Returns
        -------
        pandas.DataFrame
            ``measure dataset statistic_name estimate predicted predicted_low predicted_high
            tail_probability``.
        """
        s, m = self.observed.shape
        return frame(
            {
                "measure": [self.measure] * (s * m),
                "dataset": list(np.repeat(np.array(self.datasets, dtype=object), s)),
                "statistic_name": list(STATISTICS) * m,
                "estimate": self.observed.T.ravel(),
                "predicted": self.median.T.ravel(),
                "predicted_low": self.low.T.ravel(),
                "predicted_high": self.high.T.ravel(),
                "tail_probability": self.tail.T.ravel(),
            }
        )

    @property
    def beyond(self) -> NDArray[np.bool_]:
        """(S, M) whether a statistic is beyond what the model predicts."""
        return self.tail < _RARE / len(self.datasets)

    def diagnostics(self) -> "pd.DataFrame":
        """Name the data sets that are not as the model says, one row per check."""
        return checks_frame(self.checks())

    def checks(self) -> list[Check]:
        """Return the rows of the diagnostics."""
        found: list[Check] = []
        for name, row, value in zip(STATISTICS, self.beyond, self.observed, strict=True):
            if np.isnan(value).all():
                continue
            names = join([self.datasets[i] for i in np.flatnonzero(row)][:5])
            found.append(
                Check.of(
                    f"data sets whose {name} the others do not predict",
                    int(row.sum()),
                    remedy=f"{names}: look at the scores there; another scale"
                    f" {Either('(scale=...)', '(NAME:BETTER:TOLERANCE:SCALE in --measures)')}"
                    f" or {Either('interactions', '--interactions')} may fit better"
                    f"{Either(': compare_models()', '')}",
                )
            )
        return found


def predicted(result: "BayesComparison", draws: "tuple[Weighted, ...]") -> PredictiveChecks:
    """Predict each data set by the others."""
    data, rng = result.data, np.random.default_rng(result.provenance.seed)
    scale, found = data.scale, [_one(data, m, one, rng) for m, one in enumerate(draws)]
    parts = np.array([part for part, _ in found]).transpose(1, 2, 0)
    return PredictiveChecks(
        measure=result.measure.name,
        datasets=tuple(result.setting.coverage.datasets[m] for m in data.dataset),
        observed=scale * parts[0],
        median=scale * parts[1],
        low=scale * parts[2],
        high=scale * parts[3],
        tail=parts[4],
        winner=np.array([winner for _, winner in found]),
    )


def winners(data: "ContrastData", draws: "tuple[Weighted, ...]", rng: np.random.Generator) -> Array:
    """Return (M,) predicted probabilities of the algorithms that are best on the data sets."""
    return np.array([_winner(data, m, _drawn(data, m, one, rng)) for m, one in enumerate(draws)])


def _one(
    data: "ContrastData", m: int, draws: "Weighted", rng: np.random.Generator
) -> tuple[Array, float]:
    """Return (5, S): observed, median, low, high and tail; and the winner's probability."""
    drawn = _drawn(data, m, draws, rng)
    there = present(data, m)
    seen, new = (_statistics(x, there) for x in (observed(data, m), drawn))
    low, median, high = np.quantile(new, [0.025, 0.5, 0.975], axis=1)
    # One more than there are: the data set itself is one of those that there might have been.
    above, below = (new >= seen).sum(axis=1) + 1, (new <= seen).sum(axis=1) + 1
    tail = np.minimum(2 * np.minimum(above, below) / (new.shape[1] + 1), 1.0)
    tail = np.where(np.isnan(seen[:, 0]), np.nan, tail)
    return np.array([seen[:, 0], median, low, high, tail]), _winner(data, m, drawn)


def _drawn(data: "ContrastData", m: int, draws: "Weighted", rng: np.random.Generator) -> Replicated:
    """Draw a data set by the model that has not seen it."""
    n = len(draws.shared)
    weights = np.exp(draws.log_weights)
    picked = rng.choice(n, size=_DRAWS, p=weights / weights.sum())
    return replicate(data, m, draws.shared[picked], rng)


def _statistics(found: Replicated, there: NDArray[np.bool_]) -> Array:
    """Return (S, draws) statistics."""
    effects = found.effects[:, there]
    sd = np.full(len(effects), np.nan) if found.variance is None else np.sqrt(found.variance)
    spread = effects.std(axis=1, ddof=1)
    return np.stack([spread, np.ptp(effects, axis=1), sd])


def _winner(data: "ContrastData", m: int, drawn: Replicated) -> float:
    """Return the probability of the algorithm that is best on the data set, as it is drawn."""
    there = present(data, m)
    best = observed(data, m).effects[0, there]
    won = drawn.effects[:, there].argmax(axis=1)
    # Algorithms that tie share it.
    first = np.isclose(best, best.max(), rtol=0, atol=1e-12)
    shares = np.array([(won == k).mean() for k in np.flatnonzero(first)])
    return (
        float((shares.sum() + 0.5) / (len(won) + 1)) if shares.sum() == 0 else float(shares.sum())
    )


_PRIOR_DRAWS = 2000
_MUCH = 0.05  # sensitivity of which Kallioinen et al. say that it is worth a look
_STEPS = (0.99, 1.01)


def prior_check(result: "BayesComparison") -> "pd.DataFrame":
    """Compare priors with scores; see `BayesComparison.prior_check`."""
    model, data = result.sampled, result.data
    rng = np.random.default_rng(result.provenance.seed)
    new = predictive(model, shared_prior(model, _PRIOR_DRAWS, rng), rng)
    seen = data.scale * np.array([observed(data, m).effects[0] for m in range(len(data.z))])
    there = np.array([present(data, m) for m in range(len(data.z))])
    rows: list[tuple[str, float, Array]] = []
    for name, of in (("spread of the algorithms", _spread), ("largest difference", _range)):
        rows.append((f"{name} on a data set", float(np.median(of(seen, there))), of(new, there)))
    whole = float(np.sqrt((_spread(seen, there) ** 2).mean()))
    every = np.sqrt((_spread(new, there) ** 2).mean(axis=-1))
    rows.append(("spread of the algorithms, all data sets", whole, every))
    prior = result.posterior["prior"]
    for name, x in result.draws.parameters.items():
        rows.append((name, float(np.median(x)), prior[name].to_numpy()))
    low, middle, high = np.array([np.quantile(row[2], [0.05, 0.5, 0.95]) for row in rows]).T
    return frame(
        {
            "measure": [result.measure.name] * len(rows),
            "statistic_name": [row[0] for row in rows],
            "estimate": [row[1] for row in rows],
            "predicted_low": low,
            "predicted": middle,
            "predicted_high": high,
        }
    )


def _spread(effects: "Array", there: "NDArray[np.bool_]") -> "Array":
    """Return (..., M) standard deviations of (..., M, K) effects of algorithms that are there."""
    n = there.sum(axis=1)
    known = np.where(there, effects, 0.0)
    centred = np.where(there, effects - (known.sum(axis=-1) / n)[..., None], 0.0)
    return np.sqrt((centred**2).sum(axis=-1) / (n - 1))


def _range(effects: "Array", there: "NDArray[np.bool_]") -> "Array":
    top = np.where(there, effects, -np.inf).max(axis=-1)
    return top - np.where(there, effects, np.inf).min(axis=-1)


def prior_sensitivity(result: "BayesComparison") -> "pd.DataFrame":
    """Scale priors and likelihood by powers; see `BayesComparison.prior_sensitivity`."""
    from arviz_stats.psense import psense
    from xarray import Dataset, DataTree

    draw, thinned = ("chain", "draw"), result.draws.thinned
    effects = result.draws.effects[:, :: thinned.step]
    names = [f"effect of {name}" for name in result.algorithms]
    values = dict(zip(names, np.moveaxis(effects, 2, 0), strict=True))
    values |= {name: x[:, :: thinned.step] for name, x in result.draws.parameters.items()}
    for along, x in result.draws.slopes.items():
        each = np.moveaxis(x[:, :: thinned.step], 2, 0)
        named = [f"slope of {name} along {along}" for name in result.algorithms]
        values |= dict(zip(named, each, strict=True))
    rng, model = np.random.default_rng(result.provenance.seed), result.sampled
    shared = thinned.shared(result.domain, rng, model.covariates)
    likelihood = log_marginals(result.data, shared)[0].sum(axis=1).reshape(thinned.scale.shape)
    prior = {PARAMETERS[k]: (draw, x) for k, x in log_priors(model, thinned).items()}
    tree = DataTree.from_dict(
        {
            "posterior": Dataset({name: (draw, x) for name, x in values.items()}),
            "log_prior": Dataset(prior),
            "log_likelihood": Dataset({"scores": (draw, likelihood)}),
        }
    )
    found: list[Array] = []
    for group in ("prior", "likelihood"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one: Any = psense(tree, group=group, alphas=_STEPS)
        found.append(np.array([float(one[name]) for name in values]))
    of_prior, of_scores = found
    return frame(
        {
            "measure": [result.measure.name] * len(values),
            "parameter": list(values),
            "prior_sensitivity": of_prior,
            "likelihood_sensitivity": of_scores,
            "diagnosis": [_said(a, b) for a, b in zip(of_prior, of_scores, strict=True)],
        }
    )


def _said(prior: float, scores: float) -> str:
    if prior >= _MUCH and scores >= _MUCH:
        return "priors and scores may disagree"
    if prior >= _MUCH:
        return "the prior decides: scores say little"
    if scores >= _MUCH:
        return "the scores decide"
    return "neither moves it much"
