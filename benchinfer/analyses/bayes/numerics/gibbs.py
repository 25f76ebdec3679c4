"""Gibbs sampler of the hierarchical model.

z_m | w_m ~ N(X_m (beta + w_m), sigma_m^2 D_m),  RSS_m ~ sigma_m^2 chi2(df_m)
    w_m | lam_m ~ N(0, lam_m Sigma),  lam_m ~ IG(nu / 2, nu / 2), or 1 for normal interactions

with `Priors`. Each sweep draws jointly beta and w; the residual scales; and nu and lam, then s,
kappa and Sigma, integrating out what follows. Its cost does not depend on the number of scores.

Given interactions next to nothing a scale is drawn next to nothing, and given that scale so are the
interactions: where data sets hardly differ, chains would stay there for long. Interactions over
their scale know nothing of it, so that both can be moved by one factor, which scores and the prior
of the scale judge (interweaving).

References
----------
Yu, Y. & Meng, X.-L. (2011). To center or not to center: that is not the question. Journal of
Computational and Graphical Statistics 20, 531-570. https://doi.org/10.1198/jcgs.2011.203main
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from benchinfer.analyses.bayes.numerics import covariance, scales
from benchinfer.analyses.bayes.numerics.contrasts import ContrastData
from benchinfer.analyses.bayes.numerics.covariance import Covariance
from benchinfer.analyses.bayes.numerics.dataset_levels import (
    DatasetMeans,
    LevelDraws,
    draw_dataset_levels,
)
from benchinfer.analyses.bayes.numerics.interactions import (
    InteractionEffects,
    draw_effects,
    log_likelihood,
)
from benchinfer.analyses.bayes.numerics.levels import DomainEffects, Slopes
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.scales import (
    ResidualScales,
    draw_scales,
    scale_prior,
)
from benchinfer.analyses.bayes.numerics.slices import Quantity, rows, slice_step

if TYPE_CHECKING:
    from benchinfer.analyses.bayes.numerics.dataset_levels import LevelState

type Array = NDArray[np.float64]
type Interactions = Literal["t", "normal"]
type Structure = Literal["common", "unstructured"]
type Callback = Callable[[int], None]


_WIDTH = 1.5


def draw_stretch(
    data: "ContrastData",
    noise: Array,
    effects: "InteractionEffects",
    sigma: "Covariance",
    priors: "Priors",
    rng: np.random.Generator,
) -> tuple["InteractionEffects", "Covariance"]:
    """Multiply interactions and the root of their covariance by a factor that is drawn.

    Parameters
    ----------
    data
        Contrasts of the data sets.
    noise
        (C, M) residual variances, above 0.
    effects, sigma
        Current effects and covariance.
    priors, rng
        Priors and random numbers.
    """
    w = effects.interaction
    missed = np.broadcast_to(effects.centre, w.shape)
    if not data.whole.all():
        w, missed = (np.einsum("mij,cmj->cmi", data.design, x) for x in (w, missed))
    missed = data.z - missed
    held = data.variance > 0
    weight = np.divide(1.0, data.variance, out=np.zeros_like(data.variance), where=held)
    weight = weight / noise[:, :, None]
    square, product = (weight * w**2).sum(axis=(1, 2)), (weight * w * missed).sum(axis=(1, 2))
    log_scale = np.log(sigma.scale)
    given = rows(scale_prior(effects.effect_sd, priors), product, square, log_scale)
    factor = np.exp(slice_step(Quantity.STRETCH, np.zeros_like(log_scale), given, _WIDTH, rng))
    return (
        replace(effects, interaction=effects.interaction * factor[:, None, None]),
        replace(sigma, values=sigma.values * factor[:, None] ** 2, scale=sigma.scale * factor),
    )


_CALL_EVERY = 50


@dataclass(frozen=True, slots=True)
class GibbsModel:
    """Model and data of a sampler.

    Attributes
    ----------
    data
        Contrasts of the data sets.
    interactions
        ``"t"`` or ``"normal"``.
    structure
        ``"common"`` or ``"unstructured"``.
    priors
        Priors.
    domain
        (M,) domain of each data set from 0, None where domains are no level of the model.
    covariates
        (M, q) covariates of the data sets, centred and scaled, None without them.
    means
        Means of the data sets, whose levels are then drawn, too.
    """

    data: ContrastData
    interactions: Interactions
    structure: Structure
    priors: Priors
    domain: NDArray[np.int64] | None = None
    covariates: Array | None = None
    means: DatasetMeans | None = None


@dataclass(frozen=True, slots=True)
class GibbsState:
    """One point of each of C chains.

    Attributes
    ----------
    effects, scales, sigma
        Effects, residual scales and covariance of the interactions.
    mixing
        (C, M) mixing scales, 1 for normal interactions.
    nu
        (C,) degrees of freedom, None for normal interactions.
    """

    effects: InteractionEffects
    scales: ResidualScales
    sigma: Covariance
    mixing: Array
    nu: Array | None


def start(model: GibbsModel, chains: int, rng: np.random.Generator) -> GibbsState:
    """Return scattered points to start from."""
    data, priors = model.data, model.priors
    m, j = data.z.shape[-2:]
    shape = (chains, m)
    spread = np.exp(0.5 * rng.standard_normal(chains))
    sigma = covariance.common(priors.interaction_scale * np.exp(rng.standard_normal(chains)) / 2, j)
    if model.structure == "unstructured":
        kappa = (priors.shrinkage_median or j) * np.exp(rng.standard_normal(chains))
        sigma = replace(sigma, shrinkage=kappa)
    domains = None
    if model.domain is not None:
        scale = priors.domain_scale * np.exp(rng.standard_normal(chains)) / 2
        nothing = np.zeros((chains, int(model.domain.max()) + 1, j))
        domains = DomainEffects(nothing, scale, model.domain)
    slopes = None
    if model.covariates is not None:
        slopes = Slopes(np.zeros((chains, model.covariates.shape[1], j)), model.covariates)
    effect_sd = np.full(chains, priors.effect_sd or 1.0)
    if priors.effect_sd is None:
        effect_sd = priors.effect_scale * sigma.scale * np.exp(rng.standard_normal(chains))
    none = np.zeros((chains, j)), effect_sd, np.zeros((*shape, j))
    return GibbsState(
        effects=InteractionEffects(*none, domains, slopes),
        scales=ResidualScales(
            0.5 * rng.standard_normal(shape), 0.5 * rng.standard_normal(chains), spread
        ),
        sigma=sigma,
        mixing=np.ones(shape),
        nu=2 + 8 * rng.random(chains) if model.interactions == "t" else None,
    )


def sweep(model: GibbsModel, now: GibbsState, rng: np.random.Generator) -> GibbsState:
    """Draw every block once."""
    data, priors = model.data, model.priors
    noise = residual_variance(data, now.scales)
    effects = draw_effects(data, now.sigma, now.mixing, noise, now.effects, priors, rng)
    scales = now.scales
    if data.noisy:
        square = (data.rss + _residual_squares(data, effects)) / _pooled(data)
        scales = draw_scales(scales, data.df + data.rank, square, priors, rng)
    drawn = GibbsState(effects, scales, now.sigma, now.mixing, now.nu)
    drawn = _sweep_interactions(model, drawn, rng)
    if not data.noisy:
        return drawn
    again = residual_variance(data, scales), drawn.effects, drawn.sigma
    effects, sigma = draw_stretch(data, *again, priors, rng)
    return replace(drawn, effects=effects, sigma=sigma)


def _pooled(data: ContrastData) -> float:
    """Return the pooled residual variance."""
    return float(np.exp(2 * data.log_sd)) if data.noisy else 0.0


def residual_variance(data: ContrastData, scales: ResidualScales) -> Array:
    """Return (C, M) residual variances, 0 where there are no residuals."""
    return _pooled(data) * np.exp(2 * scales.log)


def _residual_squares(data: ContrastData, effects: InteractionEffects) -> Array:
    """Return (C, M) squares of what contrasts differ from the effects, over their variances."""
    theta = effects.of_datasets
    if not data.whole.all():
        theta = np.einsum("mij,cmj->cmi", data.design, theta)
    held = data.variance > 0
    weight = np.divide(1.0, data.variance, out=np.zeros_like(data.variance), where=held)
    return ((data.z - theta) ** 2 * weight).sum(axis=2)


def _sweep_interactions(model: GibbsModel, now: GibbsState, rng: np.random.Generator) -> GibbsState:
    """Draw the tails and the covariance of the interactions."""
    priors, w = model.priors, now.effects.interaction
    j, sigma, mixing, nu = w.shape[2], now.sigma, now.mixing, now.nu
    given = now.effects.effect_sd, priors, rng
    if model.structure == "common":
        sigma = covariance.draw_common(sigma, w, nu, *given)
    if nu is not None:
        squares = sigma.squares(w)
        nu = scales.draw_df(nu, squares, j, priors, rng)
        mixing = scales.draw_mixing(nu, squares, j, rng)
    if model.structure == "unstructured":
        if nu is not None:
            sigma, mixing = covariance.draw_exchange(sigma, mixing, nu, *given)
        sigma = covariance.draw_unstructured(sigma, w, mixing, *given)
    return GibbsState(now.effects, now.scales, sigma, mixing, nu)


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
    statistics
        (C, T) numbers that tell how the sampler fared, by name; none of the Gibbs sampler.
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
    statistics: Mapping[str, Array] = field(default_factory=dict[str, Array])
    levels: LevelDraws | None = None

    @classmethod
    def of(
        cls,
        kept: Mapping[str, Array],
        mean: Array,
        square: Array,
        statistics: Mapping[str, Array] | None = None,
        levels: LevelDraws | None = None,
    ) -> "GibbsDraws":
        """Collect (C, T, ...) arrays by name; what a model has not is None."""
        others = {"mean", "square", "statistics", "levels"}
        found: dict[str, Any] = {
            part.name: kept.get(part.name) for part in fields(cls) if part.name not in others
        }
        return cls(**found, mean=mean, square=square, statistics=statistics or {}, levels=levels)

    @property
    def effective_scale(self) -> Array:
        """(C, T) root of the mean variance of the interactions, whatever their structure."""
        if self.covariance is None:
            return self.scale
        return np.sqrt(np.trace(self.covariance, axis1=2, axis2=3) / self.covariance.shape[2])


def sample(
    model: GibbsModel,
    now: GibbsState,
    n: int,
    rng: np.random.Generator,
    *,
    callback: Callback | None = None,
) -> tuple[GibbsDraws, GibbsState]:
    """Draw n points of each chain.

    Parameters
    ----------
    model
        What is sampled.
    now
        Where the chains stand.
    n
        Even number of draws of each chain.
    rng
        Random numbers of all chains.
    callback
        Called with the number of sweeps since the last call.

    Returns
    -------
    tuple
        The draws, and where the chains then stand.

    References
    ----------
    Gelfand, A. E. & Smith, A. F. M. (1990). Sampling-based approaches to calculating marginal
    densities. Journal of the American Statistical Association 85, 398-409.
    https://doi.org/10.1080/01621459.1990.10476213
    """
    states = islice(_sweeps(model, now, rng), n)
    # Levels have random numbers of their own: with and without them chains are the same.
    return collected(model, states, n, rng.spawn(1)[0], callback=callback)


def _sweeps(model: GibbsModel, now: GibbsState, rng: np.random.Generator) -> Iterator[GibbsState]:
    while True:
        now = sweep(model, now, rng)
        yield now


def collected(
    model: GibbsModel,
    states: Iterable[GibbsState],
    n: int,
    rng: np.random.Generator,
    *,
    callback: Callback | None = None,
) -> tuple[GibbsDraws, GibbsState]:
    """Collect what is kept of n states, whatever sampler they come from.

    Parameters
    ----------
    model
        What is sampled.
    states
        The states, an even number.
    n
        How many there are.
    rng
        Random numbers for the levels of the data sets.
    callback
        Called with the number of states since the last call.

    Returns
    -------
    tuple
        The draws, and the last state.
    """
    kept: dict[str, Array] = {}
    segments: list[Array] = []
    levels: list[LevelState] = []
    now = None
    for i, now in enumerate(states):
        if not i:
            segments = [np.zeros((2, *now.effects.interaction.shape)) for _ in range(2)]
        for name, x in recorded(model, now).items():
            if not i:
                kept[name] = np.empty((len(x), n, *x.shape[1:]))
            kept[name][:, i] = x
        _add(segments[2 * i // n], now, i % (n // 2) + 1)
        if model.means is not None:
            last = levels[-1].variance if levels else None
            levels.append(draw_dataset_levels(model.means, now.effects, now.mixing, last, rng))
        if callback is not None and (i + 1) % _CALL_EVERY == 0:
            callback(_CALL_EVERY)
    if now is None:
        raise ValueError("no states to collect.")
    mean, square = (np.stack([segment[part] for segment in segments]) for part in (0, 1))
    drawn = LevelDraws.of(levels) if levels else None
    return GibbsDraws.of(kept, mean, square, levels=drawn), now


def recorded(model: GibbsModel, now: GibbsState) -> dict[str, Array]:
    """Return what is kept of a state: (C, ...) arrays by their names in `Draws`."""
    effects, domains = now.effects, now.effects.domains
    found = {
        "average": effects.average,
        "these": effects.of_datasets.mean(axis=1),
        "scale": now.sigma.scale,
        "log_likelihood": _log_likelihood(model.data, now),
    }
    if model.priors.effect_sd is None:
        found["effect_scale"] = effects.effect_sd
    if model.structure == "unstructured":
        found |= {"covariance": now.sigma.matrix, "shrinkage": now.sigma.shrinkage}
    if now.nu is not None:
        found["df"] = now.nu
    if model.data.noisy:
        found["residual_centre"] = now.scales.centre
        found["residual_spread"] = now.scales.spread
    if domains is not None:
        found |= {"domain": domains.effects, "domain_scale": domains.scale}
    if effects.slopes is not None:
        found["slopes"] = effects.slopes.coefficients
    return found


def _log_likelihood(data: ContrastData, now: GibbsState) -> Array:
    """Return (C, M) log densities of contrasts and residuals, without interactions."""
    noise = residual_variance(data, now.scales)
    found = log_likelihood(data, now.sigma, now.mixing, noise, now.effects.centre)
    held = data.df > 0
    if data.noisy and held.any():
        half = data.df[held] / 2
        rate = 1 / (2 * noise[:, held])
        rss = data.rss[held]
        found[:, held] += half * np.log(rate * rss) - np.log(rss) - gammaln(half) - rate * rss
    return found


def _add(segment: Array, now: GibbsState, count: int) -> None:
    """Update mean and sum of squares by one more draw (Welford)."""
    theta = now.effects.of_datasets
    delta = theta - segment[0]
    segment[0] += delta / count
    segment[1] += delta * (theta - segment[0])
