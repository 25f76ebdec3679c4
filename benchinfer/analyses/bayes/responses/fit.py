"""Fit of the model of single responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.bayes.fit import converged
from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.numerics.gibbs import GibbsDraws, GibbsModel
from benchinfer.analyses.bayes.numerics.next_dataset import contrast_scales, next_effects
from benchinfer.analyses.bayes.numerics.response_density import Guesses, ResponseDensity
from benchinfer.analyses.bayes.numerics.responses import mean_response, population_response
from benchinfer.analyses.bayes.responses.scores import Answers, guess_logits
from benchinfer.comparison.posterior import Convergence, settled
from benchinfer.numerics.posterior import nuts

if TYPE_CHECKING:
    from benchinfer.core.progress import Progress
    from benchinfer.numerics.types import Array


type Values = Mapping[str, Array]


_NEXT = 8  # data sets that each draw foresees


@dataclass(frozen=True, slots=True)
class ResponseFit:
    """Draws of a row-level model."""

    values: Values  # (C, T, ...) draws by the names of `response_model`
    draws: GibbsDraws  # what they are in the form of the Gibbs sampler's: contrasts of logits
    statistics: Values  # (C, T) numbers that tell how the sampler fared, by name
    # convergence, extended: whether chains settled, and whether they were drawn once more for that
    convergence: Convergence
    extended: bool


def sample_responses(
    model: GibbsModel,
    responses: Answers,
    size: tuple[int, int],
    rng: np.random.Generator,
    progress: Progress | None,
) -> ResponseFit:
    """Sample a row-level model; repeat with smaller steps if the convergence checks fail."""
    guesses = Guesses.of(*guess_logits(responses))
    cells = responses.trials, responses.successes
    density = ResponseDensity.of(model, *cells, responses.items, guesses)

    def fit(drawn: nuts.NutsDraws) -> tuple[ResponseFit, bool]:
        values = density.values(drawn.points)
        draws = logit_draws(model, values)
        convergence = response_convergence(draws, values, drawn.divergences)
        fitted = ResponseFit(values, draws, drawn.statistics, convergence, drawn.again)
        return fitted, convergence.passed

    return nuts.until_settled(density, size, rng, progress, fit)


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
    of_levels = settled(levels, 0.0, None)
    return replace(
        convergence,
        r_hat=max(convergence.r_hat, of_levels.r_hat),
        bulk=min(convergence.bulk, of_levels.bulk),
        tail=min(convergence.tail, of_levels.tail),
    )


@dataclass(frozen=True, slots=True)
class MeanResponses:
    """Mean responses of K algorithms, in the user's unit."""

    datasets: Array  # (C, T, M, K) on each data set
    average: Array  # (C, T, K) on average over the data sets that there could be
    following: Array  # (C, 8 T, K) on next data sets, eight for each draw
    # domains, new_domain: (C, T, G, K) and (C, T, K) on average in each domain, and in a new one;
    # None without them
    domains: Array | None
    new_domain: Array | None


def mean_responses(
    model: GibbsModel, fitted: ResponseFit, rng: np.random.Generator
) -> MeanResponses:
    """Return the mean responses of draws of logits."""
    values, draws, k = fitted.values, fitted.draws, model.data.n_algorithms
    h, level = helmert(k), values["level"][..., None]
    shared = values.get("item_scale", np.zeros_like(values["level"])) ** 2
    between = contrast_scales(draws, np.eye(k) - 1 / k) ** 2
    spread = (values["dataset_scale"] ** 2 + shared)[..., None]

    def over(contrasts: Array, extra: Array | float = 0.0) -> Array:
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


def _following(fitted: ResponseFit, variance: Array, rng: np.random.Generator) -> Array:
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
