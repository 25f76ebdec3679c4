"""Draws of the Gibbs sampler: the quantities of its states that are stored."""

from dataclasses import dataclass, fields, replace
from math import lgamma, log, pi
from typing import Any

import numpy as np

from benchinfer.analyses.bayes.numerics.chains import CompiledModel, GibbsState, effect_centres
from benchinfer.analyses.bayes.numerics.dataset_levels import LevelDraws
from benchinfer.numerics.types import Array


@dataclass(frozen=True, slots=True)
class GibbsDraws:
    """Draws of C chains of length T, in units of ``ContrastData.scale``.

    Attributes
    ----------
    average
        (C, T, J) orthonormal contrasts of the average effects.
    these
        (C, T, J) contrasts of the effects averaged over the data sets at hand.
    covariance
        (C, T, J, J) covariance of the interactions, None where it is ``scale^2 I``.
    scale
        (C, T) s.
    effect_scale
        (C, T) standard deviation of the average effects' contrasts, None where it is fixed.
    shrinkage
        (C, T) kappa, None for a common covariance.
    df
        (C, T) degrees of freedom, None for normal interactions.
    residual_centre, residual_spread
        (C, T) mean and standard deviation of the logs of residual scales over the pooled one; None
        without residuals.
    domain
        (C, T, G, J) departures of the domains from the average effects; None without them.
    domain_scale
        (C, T) their standard deviation.
    log_likelihood
        (C, T, M) log densities of the data sets' contrasts and residuals given all but their own
        interactions.
    mean, square
        (S, C, M, J) means, and sums of squares about them, of the data sets' effects in each of S
        segments of equal length.
    slopes
        (C, T, q, J) slopes along the scaled covariates; None without them.
    levels
        Levels of the data sets, None where the model has not their means.
    """

    average: Array
    these: Array
    covariance: Array | None
    scale: Array
    effect_scale: Array | None
    shrinkage: Array | None
    df: Array | None
    residual_centre: Array | None
    residual_spread: Array | None
    domain: Array | None
    domain_scale: Array | None
    log_likelihood: Array
    mean: Array
    square: Array
    slopes: Array | None = None
    levels: LevelDraws | None = None

    @property
    def effective_scale(self) -> Array:
        """(C, T) root of the mean variance of the interactions, whatever their structure."""
        if self.covariance is None:
            return self.scale
        return np.sqrt(np.trace(self.covariance, axis1=2, axis2=3) / self.covariance.shape[2])


def log_likelihood(model: CompiledModel, now: GibbsState) -> Array:
    """Return (C, T, M) log densities of contrasts and residuals, without interactions.

    States have axes of C chains and of T draws.
    """
    centre = effect_centres(model, now)
    noise = model.pooled * np.exp(2 * now.log_sd)
    total = now.mixing[..., None] * now.values[..., None, :]
    total += (noise * model.variance[:, 0])[..., None]
    squares = ((model.z[:, None] - centre) @ now.vectors) ** 2 / total
    j = squares.shape[3]
    densities = -((squares + np.log(total)).sum(axis=3) + j * log(2 * pi)) / 2
    if len(model.others):
        _fill_with_gaps(densities, model, now, centre, noise)
    seen = model.df > 0
    if model.pooled > 0 and seen.any():
        half, rss = model.df[seen] / 2, model.rss[:, None, seen]
        ratio, constant = rss / (2 * noise[..., seen]), [lgamma(x) for x in half]
        densities[..., seen] += half * np.log(ratio) - np.log(rss) - constant - ratio
    return densities


def _fill_with_gaps(
    densities: Array, model: CompiledModel, now: GibbsState, centre: Array, noise: Array
) -> None:
    """Fill in the log densities of the contrasts of unbalanced data sets."""
    sigma, places = now.covariance, np.arange(model.design.shape[1])
    centre = np.broadcast_to(centre, now.interaction.shape)
    for m in model.others:
        x, rank = model.design[m], model.rank[m]
        total = now.mixing[..., m, None, None] * (x @ sigma @ x.T)
        # Contrasts that a data set does not identify are 0, with variance 1.
        error = noise[..., m, None] * model.variance[m]
        total[..., places, places] += np.where(places < rank, error, 1.0)
        missed = model.z[:, None, m] - centre[..., m, :] @ x.T
        factor = np.linalg.cholesky(total)
        squares = np.linalg.solve(factor, missed[..., None])[..., 0] ** 2
        logs = 2 * np.log(factor[..., places, places])
        densities[..., m] = -((squares + logs).sum(axis=-1) + rank * log(2 * pi)) / 2


def summary(model: CompiledModel, states: GibbsState) -> dict[str, Array]:
    """Return the stored quantities of states, in arrays with axes of C chains and of T draws.

    Of the data sets' effects (C, 1, M, J) means and sums of squares about them, the rest as in
    `GibbsDraws`.
    """
    effects = effect_centres(model, states) + states.interaction
    mean = effects.mean(axis=1, keepdims=True)
    values = {
        "average": states.average,
        "these": effects.mean(axis=2),
        "scale": states.scale,
        "log_likelihood": log_likelihood(model, states),
        "mean": mean,
        "square": ((effects - mean) ** 2).sum(axis=1, keepdims=True),
    }
    if not model.prior.effect_sd:
        values["effect_scale"] = states.effect_sd
    if model.unstructured:
        values |= {"covariance": states.covariance, "shrinkage": states.shrinkage}
    if model.heavy:
        values["df"] = states.df
    if model.pooled > 0:
        values |= {"residual_centre": states.centre, "residual_spread": states.spread}
    if states.domains.shape[2]:
        values |= {"domain": states.domains, "domain_scale": states.domain_scale}
    if states.slopes.shape[2]:
        values["slopes"] = states.slopes
    return {name: np.array(x) for name, x in values.items()}  # of their own: states are views


def collect(parts: list[dict[str, Array]], levels: LevelDraws | None) -> GibbsDraws:
    """Return draws of the summaries of consecutive states, as many in each of two segments."""
    arrays: dict[str, Any] = {
        field.name: np.concatenate([part[field.name] for part in parts], axis=1)
        if field.name in parts[0]
        else None
        for field in fields(GibbsDraws)
    }
    count = np.array([part["scale"].shape[1] for part in parts])
    means, squares = (np.split(arrays[name], 2, axis=1) for name in ("mean", "square"))
    weights = np.split(count[:, None, None], 2)
    arrays["mean"] = np.array(
        [(n * x).sum(axis=1) / n.sum() for n, x in zip(weights, means, strict=True)]
    )
    between = [
        (n * (x - total[:, None]) ** 2).sum(axis=1)
        for n, x, total in zip(weights, means, arrays["mean"], strict=True)
    ]
    arrays["square"] = np.array([x.sum(axis=1) for x in squares]) + between
    return replace(GibbsDraws(**arrays), levels=levels)
