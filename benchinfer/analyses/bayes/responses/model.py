"""PyMC model of single responses.

Logits are turned into mean responses: on each data set over its items, on
average over all data sets that there could be.

On data set m algorithm k has the logit ``theta_mk = d_m + (H' w_m)_k``, with

    d_m ~ N(level, dataset_scale^2),  w_m ~ N(beta + g_d(m), lam_m Sigma),

beta, g, lam and Sigma as in the model of `pymc_model`. Successes are binomial with log odds
theta or, for items that algorithms share, theta and an effect of the item, ``N(0, item_scale^2)``,
which is integrated out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pymc
from arviz_stats.base.array import array_stats
from pymc import Model as PyMCModel
from pytensor import tensor

from benchinfer.analyses.bayes.fit import converged
from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.numerics.gibbs import GibbsDraws, GibbsModel
from benchinfer.analyses.bayes.numerics.next_dataset import contrast_scales, next_effects
from benchinfer.analyses.bayes.numerics.responses import mean_response, nodes, population_response
from benchinfer.analyses.bayes.pymc_model import (
    CAREFUL,
    TARGET_ACCEPT,
    WARM_UP,
    InformedNormals,
    average_effects,
    compile_model,
    covariance,
    domain_departures,
    mixing_scales,
    nuts_callback,
    sample_nuts,
    sampler_name,
)
from benchinfer.analyses.bayes.responses.scores import Answers, guess_logits
from benchinfer.comparison.posterior import Convergence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchinfer.analyses.bayes.numerics.responses import ItemCounts
    from benchinfer.core.progress import Progress
    from benchinfer.numerics.types import Array


type Values = Mapping[str, Array]


# PyMC and PyTensor are typed in part.
type Variable = Any


_NEXT = 8  # data sets that each draw foresees
_stats: Any = array_stats  # typed in part


@dataclass(frozen=True, slots=True)
class ResponseFit:
    """Draws of a row-level model."""

    values: Values  # (C, T, ...) draws by the names of `response_model`
    draws: GibbsDraws  # what they are in the form of the Gibbs sampler's: contrasts of logits
    statistics: Values  # (C, T) numbers that tell how the sampler fared, by name
    # convergence, extended: whether chains settled, and whether they were drawn once more for that
    convergence: Convergence
    extended: bool
    sampler: str  # name of the sampler


def sample_responses(
    model: GibbsModel,
    responses: Answers,
    size: tuple[int, int],
    rng: np.random.Generator,
    progress: "Progress | None",
) -> ResponseFit:
    """Sample a row-level model; again, longer and with smaller steps, where gates ask for it."""

    def build() -> PyMCModel:
        return response_model(model, responses)

    chains, n = size
    compiled = compile_model(build, progress)
    for task, length, accept in (("draws", n, TARGET_ACCEPT), ("more draws", 2 * n, CAREFUL)):
        callback = nuts_callback(progress, task, chains, length + WARM_UP)
        values, statistics = sample_nuts(compiled, chains, length, rng, callback, accept)
        draws = logit_draws(model, values)
        convergence = response_convergence(draws, values, int(statistics["diverging"].sum()))
        if convergence.passed:
            break
    sampler = sampler_name(compiled)
    return ResponseFit(values, draws, statistics, convergence, task != "draws", sampler)


def logit_draws(model: GibbsModel, values: Values) -> GibbsDraws:
    """Return draws of logits in the form of the Gibbs sampler's."""
    h, (c, t) = helmert(model.data.n_algorithms), values["scale"].shape
    theta = values["logit"] @ h.T
    halves = theta.reshape(c, 2, t // 2, *theta.shape[2:])
    mean = halves.mean(axis=2)
    domain = None
    if model.domain is not None:
        domain = values["domain_scale"][..., None, None] * values["domain_unit"]
    return GibbsDraws(
        average=values["contrasts"],
        these=theta.mean(axis=2),
        covariance=values.get("covariance"),
        scale=values["scale"],
        effect_scale=values.get("effect_scale"),
        shrinkage=values.get("shrinkage"),
        df=1 + values["tail"] if "tail" in values else None,
        residual_centre=None,
        residual_spread=None,
        domain=domain,
        domain_scale=values.get("domain_scale"),
        log_likelihood=np.empty((c, t, 0)),
        mean=mean.swapaxes(0, 1),
        square=((halves - mean[:, :, None]) ** 2).sum(axis=2).swapaxes(0, 1),
    )


def response_convergence(draws: GibbsDraws, values: Values, divergences: int) -> Convergence:
    """Return the convergence diagnostics of contrasts, scales and levels."""
    convergence = replace(converged(draws), divergences=divergences)
    names = ("level", "dataset_scale", "item_scale")
    levels = [values[name] for name in names if name in values]
    axes = {"chain_axis": 0, "draw_axis": 1}
    tails = {"method": "tail", "prob": (0.05, 0.95)}
    return replace(
        convergence,
        r_hat=max(convergence.r_hat, *(float(_stats.rhat(x, **axes)) for x in levels)),
        bulk=min(convergence.bulk, *(float(_stats.ess(x, **axes, method="bulk")) for x in levels)),
        tail=min(convergence.tail, *(float(_stats.ess(x, **axes, **tails)) for x in levels)),
    )


@dataclass(frozen=True, slots=True)
class MeanResponses:
    """Mean responses of K algorithms, in the user's unit."""

    datasets: "Array"  # (C, T, M, K) on each data set
    average: "Array"  # (C, T, K) on average over the data sets that there could be
    following: "Array"  # (C, 8 T, K) on next data sets, eight for each draw
    # domains, new_domain: (C, T, G, K) and (C, T, K) on average in each domain, and in a new one;
    # None without them
    domains: "Array | None"
    new_domain: "Array | None"


def mean_responses(
    model: GibbsModel, fitted: ResponseFit, rng: np.random.Generator
) -> MeanResponses:
    """Return the mean responses of draws of logits."""
    values, draws, k = fitted.values, fitted.draws, model.data.n_algorithms
    h, level = helmert(k), values["level"][..., None]
    shared = values.get("item_scale", np.zeros_like(values["level"])) ** 2
    between = contrast_scales(draws, np.eye(k) - 1 / k) ** 2
    spread = (values["dataset_scale"] ** 2 + shared)[..., None]

    def over(contrasts: "Array", extra: "Array | float" = 0.0) -> "Array":
        return population_response(level + contrasts @ h, spread + extra, between, draws.df)

    domains = new_domain = None
    beyond: Array | float = 0.0
    if draws.domain is not None and draws.domain_scale is not None:
        g = range(draws.domain.shape[2])
        domains = np.stack([over(draws.average + draws.domain[:, :, i]) for i in g], axis=2)
        departure = rng.standard_normal(draws.average.shape)
        new_domain = over(draws.average + draws.domain_scale[..., None] * departure)
        beyond = (1 - 1 / k) * draws.domain_scale[..., None] ** 2
    return MeanResponses(
        datasets=mean_response(values["logit"], shared[..., None, None]),
        average=over(draws.average, beyond),
        following=_following(fitted, shared, rng),
        domains=domains,
        new_domain=new_domain,
    )


def _following(fitted: ResponseFit, variance: "Array", rng: np.random.Generator) -> "Array":
    """Draw mean responses on next data sets."""
    values, draws = fitted.values, fitted.draws
    parts: list[Array] = []
    for _ in range(_NEXT):
        centre = draws.average
        if draws.domain_scale is not None:
            departure = rng.standard_normal(centre.shape)
            centre = centre + draws.domain_scale[..., None] * departure
        effects = next_effects(draws, rng, centre)
        normal = rng.standard_normal(values["level"].shape)
        level = values["level"] + values["dataset_scale"] * normal
        parts.append(mean_response(level[..., None] + effects, variance[..., None]))
    together = np.stack(parts, axis=2)
    return together.reshape(len(together), -1, together.shape[-1])


pm: Any = pymc
pt: Any = tensor


def response_model(
    model: "GibbsModel",
    responses: Answers,
    names: "Mapping[str, Sequence[str]] | None" = None,
) -> PyMCModel:
    """Return the model of the posterior."""
    priors, (m, j) = model.priors, model.data.z.shape
    logits, weight = guess_logits(responses)
    known = (j + 1) / (1 / weight).mean(axis=1)
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
            transform=InformedNormals(logits.mean(axis=1), known),
        )
        contrasts = _contrasts(model, logits, weight)
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


def _contrasts(model: "GibbsModel", logits: "Array", weight: "Array") -> Variable:
    """Return (M, J) contrasts of the effects on the data sets."""
    m, j = model.data.z.shape
    h = helmert(j + 1)
    z = logits @ h.T
    scale = pm.HalfStudentT("scale", nu=3, sigma=model.priors.interaction_scale)
    beta = average_effects(model.priors, scale, z.mean(axis=0), m / z.var(axis=0).clip(1e-6))
    centre = pt.broadcast_to(beta[None, :] + domain_departures(model), (m, j))
    mixing = mixing_scales(model)
    known = 1 / np.einsum("jk,mk->mj", h**2, 1 / weight)
    transform = InformedNormals(z, known)
    name, dims = "dataset_contrasts", ("dataset", "contrast")
    if model.structure == "common":
        sd = pt.sqrt(mixing) * scale
        return pm.Normal(name, centre, sd[:, None], dims=dims, transform=transform)
    cov = mixing[:, None, None] * covariance(model, scale)[None]
    return pm.MvNormal(name, mu=centre, cov=cov, dims=dims, transform=transform)


def item_density(items: "ItemCounts", theta: Variable, spread: Variable) -> Variable:
    """Return the log density of all answers, the effects of items integrated out."""
    z, log_weights = nodes(int(items.trials.sum(axis=1).max()))
    u = spread * z
    at = theta[items.dataset]
    refused = (items.trials[:, :, None] * pt.softplus(at[:, :, None] + u)).sum(axis=1)
    inner = items.total[:, None] * u - refused[items.group] + log_weights
    return (items.right * at).sum() + (items.count * pt.logsumexp(inner, axis=1)).sum()
