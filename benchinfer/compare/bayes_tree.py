"""Groups of the posterior's tree beyond the draws: what checks of a model are made of."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.numerics.bayes.integrated import Shared, log_marginals
from benchinfer.numerics.bayes.prior import draw_prior
from benchinfer.numerics.bayes.replicated import replicate
from benchinfer.numerics.bayes.thinned import log_priors

if TYPE_CHECKING:
    from benchinfer.compare.bayes_comparison import BayesComparison
    from benchinfer.compare.evidence import Array
    from benchinfer.compare.kept import Group
    from benchinfer.numerics.bayes.gibbs import Model

_DRAW = ("chain", "draw")
# Names of what has a prior, as users see them.
PARAMETERS = {
    "average": "effect",
    "scale": "interaction_scale",
    "shrinkage": "shrinkage",
    "df": "degrees_of_freedom",
    "residual_centre": "residual_centre",
    "residual_spread": "residual_spread",
    "domain_scale": "domain_scale",
    "slopes": "slope",
}
# Dimensions of a draw of what is not one number.
_DIMS = {"effect": ("algorithm",), "slope": ("covariate", "algorithm")}


def groups(result: "BayesComparison") -> dict[str, "Group"]:
    """Return groups of the posterior's tree: names to dimensions and values."""
    from benchinfer.compare.posterior import prior_draws

    model, thinned = result.sampled, result.draws.thinned
    rng = np.random.default_rng(result.provenance.seed)
    n = result.draws.effects.shape[1]
    prior = prior_draws(model, n, rng, result.along)
    shared = thinned.shared(result.domain, rng, model.covariates)
    shape = (*thinned.scale.shape, len(result.data.z))
    likelihood = log_marginals(result.data, shared)[0].reshape(shape)
    before = shared_prior(model, n, rng)
    new = predictive(model, shared, rng)
    return {
        "prior": {name: ((*_DRAW, *_DIMS.get(name, ())), x) for name, x in prior.items()},
        "log_likelihood": {"scores": ((*_DRAW, "dataset"), likelihood)},
        "log_prior": {
            PARAMETERS[name]: (_DRAW, x) for name, x in log_priors(model, thinned).items()
        },
        "prior_predictive": _effects(predictive(model, before, rng)[None]),
        "posterior_predictive": _effects(new.reshape(*thinned.scale.shape, *new.shape[1:])),
    }


def _effects(found: "Array") -> "Group":
    return {"effect_estimate": ((*_DRAW, "dataset", "algorithm"), found)}


def predictive(model: "Model", shared: Shared, rng: np.random.Generator) -> "Array":
    """Return (N, M, K) least-squares effects of data sets drawn anew, on the modelling scale."""
    from dataclasses import replace

    last = shared.centre.shape[1] - 1
    drawn = [
        replicate(
            model.data, m, replace(shared, centre=shared.centre[:, [min(m, last)]]), rng
        ).effects
        for m in range(len(model.data.z))
    ]
    return model.data.scale * np.stack(drawn, axis=1)


def shared_prior(model: "Model", n: int, rng: np.random.Generator) -> Shared:
    """Draw what data sets share from the priors."""
    found = draw_prior(model, n, rng)
    average, j = found["average"], model.data.n_algorithms - 1
    centre = average[:, None, :]
    if model.domain is not None:
        g = int(model.domain.max()) + 1
        departure = found["domain_scale"][:, None, None] * rng.standard_normal((n, g, j))
        centre = centre + departure[:, model.domain]
    if model.covariates is not None:
        centre = centre + model.covariates @ found["slopes"]
    covariance = found.get("covariance")
    if covariance is None:
        covariance = found["scale"][:, None, None] ** 2 * np.eye(j)
    return Shared(
        centre=centre,
        covariance=covariance,
        df=found.get("df"),
        residual_centre=found.get("residual_centre"),
        residual_spread=found.get("residual_spread"),
    )
