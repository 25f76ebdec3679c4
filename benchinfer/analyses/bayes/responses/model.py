"""PyMC model of single responses.

Logits are turned into mean responses: on each data set over its items, on
average over all data sets that there could be.

On data set m algorithm k has the logit ``theta_mk = d_m + (H' w_m)_k``, with

    d_m ~ N(level, dataset_scale^2),  w_m ~ N(beta + g_d(m), lam_m Sigma),

beta, g, lam and Sigma as in the model of `pymc_model`. Successes are binomial with log odds
theta or, for items that algorithms share, theta and an effect of the item, ``N(0, item_scale^2)``,
which is integrated out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pymc
from pymc import Model as PyMCModel
from pytensor import tensor

from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.numerics.response_density import Guesses
from benchinfer.analyses.bayes.numerics.responses import nodes
from benchinfer.analyses.bayes.pymc_model import (
    InformedNormals,
    average_effects,
    covariance,
    domain_departures,
    mixing_scales,
)
from benchinfer.analyses.bayes.responses.scores import Answers, guess_logits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
    from benchinfer.analyses.bayes.numerics.responses import ItemCounts


# PyMC and PyTensor are typed in part.
type Variable = Any

pm: Any = pymc
pt: Any = tensor


def response_model(
    model: GibbsModel,
    responses: Answers,
    names: Mapping[str, Sequence[str]] | None = None,
) -> PyMCModel:
    """Return the model of the posterior."""
    priors, (m, j) = model.priors, model.data.z.shape
    guesses = Guesses.of(*guess_logits(responses))
    coords: dict[str, Any] = {
        "dataset": range(m),
        "algorithm": range(j + 1),
        "contrast": range(j),
        **({} if model.domain is None else {"domain": range(int(model.domain.max()) + 1)}),
        **(names or {}),
    }
    with pm.Model(coords=coords) as built:
        level = pm.Normal("level", 0.0, priors.level_sd)
        spread = pm.HalfStudentT("dataset_scale", nu=3, sigma=priors.level_scale)
        at = pm.Normal(
            "dataset_level",
            level,
            spread,
            dims="dataset",
            transform=InformedNormals(*guesses.levels),
        )
        contrasts = _contrasts(model, guesses)
        theta = pm.Deterministic(
            "logit", at[:, None] + contrasts @ helmert(j + 1), dims=("dataset", "algorithm")
        )
        if responses.items is None:
            held = np.nonzero(responses.trials)
            n, right = responses.trials[held], responses.successes[held]
            pm.Binomial("successes", n=n, logit_p=theta[held], observed=right)
        else:
            spread = pm.HalfStudentT("item_scale", nu=3, sigma=priors.item_scale)
            # Items that are alike have no rows of their own that a distribution could be of.
            pm.Potential("items", item_density(responses.items, theta, spread))
    return built


def _contrasts(model: GibbsModel, guesses: Guesses) -> Variable:
    """Return (M, J) contrasts of the effects on the data sets."""
    m, j = model.data.z.shape
    scale = pm.HalfStudentT("scale", nu=3, sigma=model.priors.interaction_scale)
    beta = average_effects(model.priors, scale, *guesses.average)
    centre = pt.broadcast_to(beta[None, :] + domain_departures(model), (m, j))
    mixing = mixing_scales(model)
    transform = InformedNormals(*guesses.effects)
    name, dims = "dataset_contrasts", ("dataset", "contrast")
    if model.structure == "common":
        sd = pt.sqrt(mixing) * scale
        return pm.Normal(name, centre, sd[:, None], dims=dims, transform=transform)
    cov = mixing[:, None, None] * covariance(model, scale)[None]
    return pm.MvNormal(name, mu=centre, cov=cov, dims=dims, transform=transform)


def item_density(items: ItemCounts, theta: Variable, spread: Variable) -> Variable:
    """Return the log density of all answers, the effects of items integrated out."""
    z, log_weights = nodes(int(items.trials.sum(axis=1).max()))
    u = spread * z
    at = theta[items.dataset]
    refused = (items.trials[:, :, None] * pt.softplus(at[:, :, None] + u)).sum(axis=1)
    inner = items.total[:, None] * u - refused[items.group] + log_weights
    return (items.right * at).sum() + (items.count * pt.logsumexp(inner, axis=1)).sum()
