"""NUTS for row-level models, and what its draws say in the measure's own unit.

Logits are turned into mean responses: on each data set over its items (or replications, and
residuals), on average over all data sets that there could be.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from arviz_stats.base.array import array_stats

from benchinfer.compare.convergence import Convergence, converged
from benchinfer.compare.nuts import CAREFUL, TARGET_ACCEPT, WARM_UP, compiled, nuts_told, sampled
from benchinfer.numerics.bayes.gibbs import Draws, Model
from benchinfer.numerics.bayes.mean_response import mean_response, population_response
from benchinfer.numerics.bayes.outcomes import contrast_scales, next_effects
from benchinfer.numerics.bayes.reduction import helmert

if TYPE_CHECKING:
    from benchinfer.compare.evidence import Array
    from benchinfer.compare.pymc_model import PyMCModel
    from benchinfer.compare.responses import Responses
    from benchinfer.progress import Progress

type Values = Mapping[str, Array]

_NEXT = 8  # data sets that each draw foresees
_stats: Any = array_stats  # typed in part


@dataclass(frozen=True, slots=True)
class Sampled:
    """Draws of a row-level model.

    Attributes
    ----------
    values
        (C, T, ...) draws by the names of `response_model`.
    draws
        What they are in the form of the Gibbs sampler's: contrasts of logits.
    convergence, extended
        Whether chains settled, and whether they were drawn once more for that.
    """

    values: Values
    draws: Draws
    convergence: Convergence
    extended: bool


def sample_responses(
    model: Model,
    responses: "Responses",
    likelihood: str,
    size: tuple[int, int],
    rng: np.random.Generator,
    progress: "Progress | None",
) -> Sampled:
    """Sample a row-level model; once more, longer and with smaller steps, where gates ask for it.

    Parameters
    ----------
    model, responses, likelihood
        As in `response_model`.
    size
        Chains, and draws of each.
    rng
        Random numbers.
    progress
        Told of compiling and of draws.
    """

    def built() -> "PyMCModel":
        from benchinfer.compare.response_model import response_model

        return response_model(model, responses, likelihood)

    chains, n = size
    nuts = compiled(built, progress)
    for task, length, accept in (("draws", n, TARGET_ACCEPT), ("more draws", 2 * n, CAREFUL)):
        told = nuts_told(progress, task, chains, length + WARM_UP)
        values, statistics = sampled(nuts, chains, length, rng, told, accept)
        draws = replace(logit_draws(model, values), statistics=statistics)
        found = response_convergence(draws, values)
        if found.passed:
            break
    return Sampled(values, draws, found, extended=task != "draws")


def logit_draws(model: Model, values: Values) -> Draws:
    """Return draws of logits in the form of the Gibbs sampler's.

    Parameters
    ----------
    model, values
        What was sampled, and draws by the names of `response_model`.
    """
    h, (c, t) = helmert(model.data.n_algorithms), values["scale"].shape
    theta = values["logit"] @ h.T
    halves = theta.reshape(c, 2, t // 2, *theta.shape[2:])
    mean = halves.mean(axis=2)
    domain = None
    if model.domain is not None:
        domain = values["domain_scale"][..., None, None] * values["domain_unit"]
    return Draws(
        average=values["contrasts"],
        these=theta.mean(axis=2),
        covariance=values.get("covariance"),
        scale=values["scale"],
        shrinkage=values.get("shrinkage"),
        df=1 + values["tail"] if "tail" in values else None,
        residual_centre=values.get("residual_centre"),
        residual_spread=values.get("residual_spread"),
        domain=domain,
        domain_scale=values.get("domain_scale"),
        log_likelihood=np.empty((c, t, 0)),
        mean=mean.swapaxes(0, 1),
        square=((halves - mean[:, :, None]) ** 2).sum(axis=2).swapaxes(0, 1),
    )


def response_convergence(draws: Draws, values: Values) -> Convergence:
    """Look at draws: those of contrasts and scales, and those of levels."""
    found = converged(draws)
    names = ("level", "dataset_scale", "item_scale", "residual_centre")
    levels = [values[name] for name in names if name in values]
    axes = {"chain_axis": 0, "draw_axis": 1}
    tails = {"method": "tail", "prob": (0.05, 0.95)}
    return replace(
        found,
        r_hat=max(found.r_hat, *(float(_stats.rhat(x, **axes)) for x in levels)),
        bulk=min(found.bulk, *(float(_stats.ess(x, **axes, method="bulk")) for x in levels)),
        tail=min(found.tail, *(float(_stats.ess(x, **axes, **tails)) for x in levels)),
    )


@dataclass(frozen=True, slots=True)
class MeanResponses:
    """Mean responses of K algorithms, in the user's unit.

    Attributes
    ----------
    datasets
        (C, T, M, K) on each data set.
    average
        (C, T, K) on average over the data sets that there could be.
    following
        (C, 8 T, K) on next data sets, eight for each draw.
    domains, new_domain
        (C, T, G, K) and (C, T, K) on average in each domain, and in a new one; None without them.
    """

    datasets: "Array"
    average: "Array"
    following: "Array"
    domains: "Array | None"
    new_domain: "Array | None"


def mean_responses(
    model: Model, found: Sampled, log_sd: float, likelihood: str, rng: np.random.Generator
) -> MeanResponses:
    """Turn logits into mean responses.

    Parameters
    ----------
    model, found
        What was sampled, and its draws.
    log_sd
        What residual scales are relative to: `response_guesses.Guess.log_sd`.
    likelihood
        How scores come about.
    rng
        Random numbers, for next data sets.
    """
    values, draws, k = found.values, found.draws, model.data.n_algorithms
    h, level = helmert(k), values["level"][..., None]
    shared = values.get("item_scale", np.zeros_like(values["level"])) ** 2
    own, new = shared[..., None], shared
    if likelihood == "logit-normal":
        own = own + np.exp(2 * (values["log_sigma"] + log_sd))
        # Residuals of data sets that there could be are those of the middle one.
        new = shared + np.exp(2 * (values["residual_centre"] + log_sd))
    between = contrast_scales(draws, np.eye(k) - 1 / k) ** 2
    spread = (values["dataset_scale"] ** 2 + new)[..., None]

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
        datasets=mean_response(values["logit"], own[..., None]),
        average=over(draws.average, beyond),
        following=_following(found, new, rng),
        domains=domains,
        new_domain=new_domain,
    )


def _following(found: Sampled, variance: "Array", rng: np.random.Generator) -> "Array":
    """Draw mean responses on next data sets."""
    values, draws = found.values, found.draws
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
