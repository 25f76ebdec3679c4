"""Which hierarchical model predicts data sets best: covariances, tails and scales compared.

Models are compared by what they say of data sets that they have not seen. Densities of contrasts
are comparable between scales once they are in one unit: let g bring scores to a scale, ``m_k`` be
the mean of algorithm k there, brought back, and ``m`` the mean of all, brought back. Given the data
set's level, which has the same flat prior in the measure's own unit on every scale, the density of
the means' contrasts in that unit is the one on the scale times

    prod_k g'(m_k) / g'(m)

References
----------
Yao, Y., Vehtari, A., Simpson, D. & Gelman, A. (2018). Using stacking to average Bayesian predictive
distributions. Bayesian Analysis 13, 917-1007. https://doi.org/10.1214/17-BA1091
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.compare.bayes_fit import domain_level, fit, modelled
from benchinfer.compare.bayes_left_out import LeftOut, leave_out, standard_error
from benchinfer.compare.bayes_predicted import winners
from benchinfer.compare.bayes_sensitivity import WIDER, on_scales, variants
from benchinfer.frames import frame
from benchinfer.numerics.bayes.replicated import present
from benchinfer.numerics.bayes.thinned import Thinned

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.bayes_comparison import BayesComparison
    from benchinfer.compare.evidence import Array
    from benchinfer.measure import Measure
    from benchinfer.numerics.bayes.gibbs import Model
    from benchinfer.numerics.bayes.reduction import ContrastData
    from benchinfer.progress import Progress
    from benchinfer.scores import ScoreTable

_STANDARD = "each data set over its spread"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A model with what it says of data sets that it has not seen.

    Attributes
    ----------
    name
        How it differs from the comparison.
    left
        Data sets left out.
    elpd
        (M,) log densities in the measure's own unit; None where these are not comparable.
    winner
        (M,) log probabilities of the best algorithms.
    """

    name: str
    left: LeftOut
    elpd: "Array | None"
    winner: "Array"


def compare_models(
    result: "BayesComparison",
    scores: "ScoreTable | None",
    draws: int,
    progress: "Progress | None",
) -> "pd.DataFrame":
    """Compare models; see `BayesComparison.compare_models`."""
    found = list(_candidates(result, scores, draws, progress))
    comparable = [one.elpd for one in found if one.elpd is not None]
    top = max(comparable, key=lambda elpd: float(elpd.sum()))
    weights = iter(_stacking(np.array(comparable)))
    rows: list[dict[str, Any]] = []
    for one in found:
        score = {"elpd": np.nan, "elpd_difference": np.nan, "difference_error": np.nan}
        weight = np.nan
        if one.elpd is not None:
            weight = next(weights)
            score = {
                "elpd": float(one.elpd.sum()),
                "elpd_difference": float((one.elpd - top).sum()),
                "difference_error": standard_error(one.elpd - top),
            }
        apart, m = one.winner - found[0].winner, len(one.winner)
        rows.append(
            {
                "measure": result.measure.name,
                "variant": one.name,
                **score,
                "stacking_weight": weight,
                "winner_score": float(one.winner.mean()),
                "winner_difference": float(apart.mean()),
                "winner_error": standard_error(apart) / m,
                "largest_k": float(one.left.pareto_k.max()),
                "n_refitted": int(one.left.refitted.sum()),
            }
        )
    return frame({name: [row[name] for row in rows] for name in rows[0]})


def _candidates(
    result: "BayesComparison",
    scores: "ScoreTable | None",
    draws: int,
    progress: "Progress | None",
) -> Iterator[_Candidate]:
    own = result.measure
    wide = np.zeros(len(result.data.z))
    if scores is not None:
        wide = _slopes(own, scores, result.data)
    given = (wide, draws, progress)
    yield _judged(result, "as compared", result.sampled, result.draws.thinned, *given)
    for name, data, tails, structure, priors in variants(result):
        if name != WIDER:
            covariates = result.sampled.covariates
            model = modelled(data, tails, structure, priors, result.domain, covariates)
            yield _sampled(result, name, model, *given)
    if scores is not None:
        for measure, data, table in on_scales(result, scores):
            domain = None if result.domain is None else domain_level(result.setting, data)
            model = replace(result.sampled, data=data, domain=domain)
            wide = _slopes(measure, table, data)
            yield _sampled(result, f'scale="{measure.scale}"', model, wide, draws, progress)
    model = replace(result.sampled, data=_standardised(result.data))
    yield _sampled(result, _STANDARD, model, None, draws, progress)


def _sampled(
    result: "BayesComparison",
    name: str,
    model: "Model",
    wide: "Array | None",
    draws: int,
    progress: "Progress | None",
) -> _Candidate:
    rng = np.random.default_rng(result.provenance.seed)
    size = len(result.draws.effects), draws
    thinned = Thinned.of(fit(model, size, rng, progress).draws)
    return _judged(result, name, model, thinned, wide, draws, progress)


def _judged(
    result: "BayesComparison",
    name: str,
    model: "Model",
    thinned: Thinned,
    wide: "Array | None",
    draws: int,
    progress: "Progress | None",
) -> _Candidate:
    """Leave each data set out of a model; without `wide` its densities are not comparable."""
    rng = np.random.default_rng(result.provenance.seed)
    data = model.data
    names = tuple(result.setting.coverage.datasets[m] for m in data.dataset)
    left = leave_out(model, thinned, draws, result.measure.name, names, rng, progress)
    elpd = None
    if wide is not None:
        elpd = left.contrasts - data.rank * np.log(data.scale) + wide
    return _Candidate(name, left, elpd, np.log(winners(data, left.draws, rng)))


def _slopes(measure: "Measure", scores: "ScoreTable", data: "ContrastData") -> "Array":
    """Return (M,) logs of how much wider contrasts are on the scale than in the own unit."""
    if measure.scale == "identity":
        return np.zeros(len(data.z))
    means = scores.cells(measure.name).mean[data.dataset]
    there = np.array([present(data, m) for m in range(len(data.z))])
    known = np.where(there, means, 0.0)
    centre = known.sum(axis=1) / there.sum(axis=1)
    each = np.where(there, _log_slope(measure, np.where(there, means, centre[:, None])), 0.0)
    open_ = there.sum(axis=1) - data.rank
    return each.sum(axis=1) - open_ * _log_slope(measure, centre)


def _log_slope(measure: "Measure", level: "Array") -> "Array":
    """Return logs of the derivative of the scale at levels on it."""
    own = measure.level_of(level)
    return -np.log(own) - (np.log1p(-own) if measure.scale == "logit" else 0.0)


def _standardised(data: "ContrastData") -> "ContrastData":
    """Divide each data set by the root mean square of its contrasts."""
    square = (data.z**2).sum(axis=1) / data.rank
    size = np.sqrt(np.maximum(square, 1e-4 * square.mean()))
    rss = data.rss / size**2
    pooled = float(rss.sum() / max(data.df.sum(), 1.0))
    z = data.z / size[:, None]
    return replace(data, z=z, rss=rss, log_sd=np.log(pooled) / 2 if data.noisy else 0.0)


def _stacking(pointwise: "Array") -> "Array":
    """Return (V,) weights of models by (V, M) log densities."""
    from scipy.optimize import Bounds, LinearConstraint, minimize

    density = np.exp(pointwise - pointwise.max(axis=0)).T
    v = len(pointwise)

    def loss(weights: "Array") -> float:
        return -float(np.log(np.maximum(density @ weights, 1e-300)).sum())

    def slope(weights: "Array") -> "Array":
        return -(density / np.maximum(density @ weights, 1e-300)[:, None]).sum(axis=0)

    whole = LinearConstraint(np.ones(v), 1.0, 1.0)
    found: Any = minimize(
        loss, np.full(v, 1 / v), jac=slope, bounds=Bounds(0.0, 1.0), constraints=whole
    )
    return np.clip(found.x, 0.0, 1.0)
