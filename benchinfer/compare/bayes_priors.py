"""What the priors say before any score is seen, and how much they weigh after.

References
----------
Kallioinen, N., Paananen, T., Burkner, P.-C. & Vehtari, A. (2024). Detecting and diagnosing prior
and likelihood sensitivity with power-scaling. Statistics and Computing 34, 57.
https://doi.org/10.1007/s11222-023-10366-5
"""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.compare.bayes_tree import PARAMETERS, predictive, shared_prior
from benchinfer.frames import frame
from benchinfer.numerics.bayes.integrated import log_marginals
from benchinfer.numerics.bayes.replicated import observed, present
from benchinfer.numerics.bayes.thinned import log_priors

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from benchinfer.compare.bayes_comparison import BayesComparison
    from benchinfer.compare.evidence import Array

_DRAWS = 2000
_MUCH = 0.05  # sensitivity of which Kallioinen et al. say that it is worth a look
_STEPS = (0.99, 1.01)


def prior_check(result: "BayesComparison") -> "pd.DataFrame":
    """Put priors beside scores; see `BayesComparison.prior_check`."""
    model, data = result.sampled, result.data
    rng = np.random.default_rng(result.provenance.seed)
    new = predictive(model, shared_prior(model, _DRAWS, rng), rng)
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
