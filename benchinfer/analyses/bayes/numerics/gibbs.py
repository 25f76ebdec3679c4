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

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, lgamma, log
from typing import Any, Literal, NamedTuple

import numpy as np

from benchinfer.analyses.bayes.numerics import covariance
from benchinfer.analyses.bayes.numerics.chains import (
    CompiledModel,
    CompiledPriors,
    GibbsState,
    entry,
    inlined,
    part,
)
from benchinfer.analyses.bayes.numerics.contrasts import ContrastData
from benchinfer.analyses.bayes.numerics.covariance import apply, composed, copy, put
from benchinfer.analyses.bayes.numerics.dataset_levels import (
    CompiledMeans,
    DatasetMeans,
    LevelCoefficients,
    LevelDraws,
    draw_dataset_levels,
)
from benchinfer.analyses.bayes.numerics.effects import (
    draw_effects,
    draws_jointly,
    fill_densities_with_gaps,
    likelihood,
    likelihood_with_gaps,
    log_densities,
    residual_variances,
)
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.scales import (
    WIDTH,
    draw_scales,
    log_scale_prior,
    slice_sampler,
)
from benchinfer.numerics.types import Array, Codes, Flags

type Interactions = Literal["t", "normal"]
type Structure = Literal["common", "unstructured"]
type Callback = Callable[[int], None]


_CALL_EVERY = 50
_SEGMENTS = 2


@dataclass(frozen=True, slots=True)
class GibbsModel:
    """Model and data of a sampler."""

    data: ContrastData  # contrasts of the data sets
    interactions: Interactions  # ``"t"`` or ``"normal"``
    structure: Structure  # ``"common"`` or ``"unstructured"``
    priors: Priors
    # (M,) domain of each data set from 0, None where domains are no level of the model
    domain: Codes | None = None
    # (M, q) covariates of the data sets, centred and scaled, None without them
    covariates: Array | None = None
    means: DatasetMeans | None = None  # means of the data sets, whose levels are then drawn, too


def compiled(model: GibbsModel) -> CompiledModel:
    """Return data and model as compiled code reads them."""
    data, m = model.data, len(model.data.rank)
    q = 0 if model.covariates is None else model.covariates.shape[1]
    x = np.ones((m, 1 + q))
    if model.covariates is not None:
        x[:, 1:] = model.covariates
    domain = np.zeros(m, dtype=np.int64) if model.domain is None else model.domain
    return CompiledModel(
        z=_contiguous(data.z, 3),
        rss=_contiguous(data.rss, 2),
        design=np.ascontiguousarray(data.design),
        variance=np.ascontiguousarray(data.variance),
        rank=data.rank,
        df=data.df,
        balanced=data.whole,
        others=np.flatnonzero(~data.whole),
        pooled=float(np.exp(2 * data.log_sd)) if data.noisy else 0.0,
        n_median=float(np.median(data.df + data.rank)),
        domain=domain,
        covariates=x,
        heavy=model.interactions == "t",
        unstructured=model.structure == "unstructured",
        prior=compiled_priors(model.priors, data.n_algorithms - 1),
    )


def _contiguous(x: Array, axes: int) -> Array:
    """Return an array of tables, of one where there is one for all chains."""
    return np.ascontiguousarray(x.reshape(-1, *x.shape[x.ndim - axes + 1 :]))


def compiled_priors(priors: Priors, j: int) -> CompiledPriors:
    """Return the priors of J contrasts as compiled code reads them."""
    values = {name: getattr(priors, name) for name in CompiledPriors._fields}
    values["effect_sd"] = priors.effect_sd or 0.0
    values["shrinkage_median"] = priors.shrinkage_median or float(j)
    return CompiledPriors(**values)


def start(model: GibbsModel, chains: int, rng: np.random.Generator) -> GibbsState:
    """Return scattered points to start from."""
    priors, (m, j) = model.priors, model.data.z.shape[-2:]

    def scattered(centre: float) -> Array:
        return centre * np.exp(rng.standard_normal(chains))

    scale = scattered(priors.interaction_scale / 2)
    effect_sd = np.full(chains, priors.effect_sd or 1.0)
    if priors.effect_sd is None:
        effect_sd = scale * scattered(priors.effect_scale)
    heavy, unstructured = model.interactions == "t", model.structure == "unstructured"
    g = 0 if model.domain is None else int(model.domain.max()) + 1
    q = 0 if model.covariates is None else model.covariates.shape[1]
    return GibbsState(
        average=np.zeros((chains, j)),
        effect_sd=effect_sd,
        interaction=np.zeros((chains, m, j)),
        domains=np.zeros((chains, g, j)),
        domain_scale=scattered(priors.domain_scale / 2),
        slopes=np.zeros((chains, q, j)),
        log_sd=0.5 * rng.standard_normal((chains, m)),
        centre=0.5 * rng.standard_normal(chains),
        spread=np.exp(0.5 * rng.standard_normal(chains)),
        vectors=np.tile(np.eye(j), (chains, 1, 1)),
        values=np.repeat(scale[:, None] ** 2, j, axis=1),
        scale=scale,
        shrinkage=scattered(priors.shrinkage_median or j) if unstructured else np.full(chains, inf),
        mixing=np.ones((chains, m)),
        df=2 + 8 * rng.random(chains) if heavy else np.full(chains, inf),
    )


@part
def _squares(
    z: Array,
    centre: Array,
    interaction: Array,
    balanced: Flags,
    design: Array,
    variance: Array,
    rank: Codes,
) -> tuple[Array, Array, Array]:
    """Return (M,) sums over the contrasts of a data set, each over its variance.

    Of squares of what is left, and with v what the contrasts see of the interactions, of squares of
    v and of products of v with what else is left.
    """
    m = len(z)
    error, square, crossed = np.zeros(m), np.zeros(m), np.zeros(m)
    for i in range(m):
        seen, at = interaction[i], centre[i]
        if not balanced[i]:
            seen, at = apply(design[i], seen), apply(design[i], at)
        for k in range(rank[i]):
            weight, missed = 1 / variance[i, k], z[i, k] - at[k]
            error[i] += weight * (missed - seen[k]) ** 2
            square[i] += weight * seen[k] ** 2
            crossed[i] += weight * seen[k] * missed
    return error, square, crossed


@inlined
def _draw_residuals(
    model: CompiledModel, now: GibbsState, c: int, error: Array, rng: np.random.Generator
) -> None:
    """Draw residual scales given the squares that effects leave."""
    square, n = np.empty(len(error)), np.empty(len(error))
    df, rank, rss = model.df, model.rank, model.rss[min(c, len(model.rss) - 1)]
    for m in range(len(error)):
        n[m] = df[m] + rank[m]
        square[m] = (rss[m] + error[m]) / model.pooled
    now.centre[c], now.spread[c] = draw_scales(
        now.log_sd[c], now.centre[c], now.spread[c], n, square, model.n_median, model.prior, rng
    )


@inlined
def _draw_covariance(
    model: CompiledModel, now: GibbsState, c: int, rng: np.random.Generator
) -> None:
    """Draw the tails and the covariance of the interactions."""
    prior, w, effect_sd = model.prior, now.interaction[c], now.effect_sd[c]
    values, vectors, mixing = now.values[c], now.vectors[c], now.mixing[c]
    scale, df = now.scale[c], now.df[c]
    if not model.unstructured:
        scale = covariance.draw_common(scale, w, df, effect_sd, prior, rng)
        for k in range(len(values)):
            values[k] = scale**2
    if model.heavy:
        df = covariance.draw_tails(df, mixing, w, vectors, values, prior, rng)
        now.df[c] = df
    if model.unstructured:
        if model.heavy:
            scale = covariance.draw_exchange(scale, values, mixing, df, effect_sd, prior, rng)
        scale, now.shrinkage[c] = covariance.draw_unstructured(
            scale, now.shrinkage[c], w, mixing, effect_sd, prior, vectors, values, rng
        )
    now.scale[c] = scale


@part
def _log_stretch(u: float, given: tuple[float, float, float, float, CompiledPriors]) -> float:
    product, square, log_scale, effect_sd, prior = given
    core = product * exp(u) - square * exp(2 * u) / 2
    return core + log_scale_prior(log_scale + u, effect_sd, prior)


_move_stretch = slice_sampler(_log_stretch)


@part
def _draw_stretch(
    noise: Array,
    square: Array,
    crossed: Array,
    scale: float,
    effect_sd: float,
    prior: CompiledPriors,
    values: Array,
    interaction: Array,
    rng: np.random.Generator,
) -> float:
    """Multiply interactions and the root of their covariance by a factor that is drawn.

    The (J,) eigenvalues and (M, J) interactions change in place; returns the new scale.
    """
    linear, quadratic = 0.0, 0.0
    for m in range(len(noise)):
        linear += crossed[m] / noise[m]
        quadratic += square[m] / noise[m]
    stretched = (linear, quadratic, log(scale), effect_sd, prior)
    factor = exp(_move_stretch(0.0, stretched, WIDTH, rng))
    for k in range(len(values)):
        values[k] *= factor**2
        for m in range(len(noise)):
            interaction[m, k] *= factor
    return scale * factor


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


class _Room(NamedTuple):
    """Arrays of `GibbsDraws` to be filled; those that a model does not have are of size 0."""

    average: Array
    these: Array
    covariance: Array
    scale: Array
    effect_scale: Array
    shrinkage: Array
    df: Array
    residual_centre: Array
    residual_spread: Array
    domain: Array
    domain_scale: Array
    slopes: Array
    log_likelihood: Array
    mean: Array
    square: Array

    @classmethod
    def of(cls, now: GibbsState, n: int, *, unstructured: bool) -> "_Room":
        """Make room for n draws of each chain."""
        c, m, j = now.interaction.shape
        one, segments = (c, n), np.zeros((2, _SEGMENTS, c, m if n else 0, j))
        return cls(
            average=np.empty((*one, j)),
            these=np.empty((*one, j)),
            covariance=np.empty((*one, j, j) if unstructured else (c, 0, j, j)),
            scale=np.empty(one),
            effect_scale=np.empty(one),
            shrinkage=np.empty(one),
            df=np.empty(one),
            residual_centre=np.empty(one),
            residual_spread=np.empty(one),
            domain=np.empty((*one, *now.domains.shape[1:])),
            domain_scale=np.empty(one),
            slopes=np.empty((*one, *now.slopes.shape[1:])),
            log_likelihood=np.empty((*one, m)),
            mean=segments[0],
            square=segments[1],
        )

    def draws(self, model: GibbsModel, levels: LevelDraws | None) -> GibbsDraws:
        """Return what the model has."""
        has = {
            "covariance": model.structure == "unstructured",
            "effect_scale": model.priors.effect_sd is None,
            "shrinkage": model.structure == "unstructured",
            "df": model.interactions == "t",
            "residual_centre": model.data.noisy,
            "residual_spread": model.data.noisy,
            "domain": model.domain is not None,
            "domain_scale": model.domain is not None,
            "slopes": model.covariates is not None,
        }
        arrays: dict[str, Any] = {
            name: x if has.get(name, True) else None for name, x in self._asdict().items()
        }
        return GibbsDraws(**arrays, levels=levels)


@inlined
def _store(
    now: GibbsState,
    room: _Room,
    c: int,
    t: int,
    unstructured: bool,  # noqa: FBT001
) -> None:
    """Fill draw t of chain c, but for what depends on the effects of the data sets."""
    room.scale[c, t] = now.scale[c]
    room.effect_scale[c, t] = now.effect_sd[c]
    room.shrinkage[c, t] = now.shrinkage[c]
    room.df[c, t] = now.df[c]
    room.residual_centre[c, t] = now.centre[c]
    room.residual_spread[c, t] = now.spread[c]
    room.domain_scale[c, t] = now.domain_scale[c]
    copy(room.domain[c, t], now.domains[c])
    copy(room.slopes[c, t], now.slopes[c])
    put(room.average[c, t], now.average[c])
    if unstructured:
        copy(room.covariance[c, t], composed(now.vectors[c], now.values[c]))


@part
def _store_effects(
    these: Array, mean: Array, square: Array, count: int, centre: Array, interaction: Array
) -> None:
    """Add the data sets' effects to the mean and sum of squares of a segment (Welford)."""
    m, j = centre.shape
    for k in range(j):
        total = 0.0
        for i in range(m):
            effect = centre[i, k] + interaction[i, k]
            delta = effect - mean[i, k]
            mean[i, k] += delta / count
            square[i, k] += delta * (effect - mean[i, k])
            total += effect
        these[k] = total / m


@part
def _add_residual_densities(densities: Array, noise: Array, rss: Array, df: Array) -> None:
    """Add log densities of residuals in place."""
    for m in range(len(densities)):
        if df[m] > 0:
            half, ratio = df[m] / 2, rss[m] / (2 * noise[m])
            densities[m] += half * log(ratio) - log(rss[m]) - lgamma(half) - ratio


@inlined
def _log_likelihood(
    model: CompiledModel,
    now: GibbsState,
    c: int,
    centre: Array,
    joint: bool | None,  # noqa: FBT001
) -> Array:
    """Return (M,) log densities of contrasts and residuals, without interactions."""
    vectors, values, mixing = now.vectors[c], now.values[c], now.mixing[c]
    noise = residual_variances(model.pooled, now.log_sd[c])
    z, variance = model.z[min(c, len(model.z) - 1)], model.variance
    seen = likelihood(z, noise, variance, mixing, vectors, values)
    densities = log_densities(seen, centre, vectors)
    if joint is not None:
        others, design, rank = model.others, model.design, model.rank
        _, factor = likelihood_with_gaps(
            others, design, variance, rank, noise, mixing, vectors, values
        )
        fill_densities_with_gaps(densities, others, design, rank, z, factor, centre)
    if model.pooled > 0:
        rss = model.rss[min(c, len(model.rss) - 1)]
        _add_residual_densities(densities, noise, rss, model.df)
    return densities


@entry
def _draw(
    model: CompiledModel,
    means: CompiledMeans,
    now: GibbsState,
    filled: tuple[_Room, LevelCoefficients],
    span: tuple[int, int],
    joint: bool | None,  # noqa: FBT001
    rng: np.random.Generator,
    other: np.random.Generator,
) -> None:
    """Move chains by a span of sweeps; store draws if there is room for them.

    `joint` is as in `draws_jointly`.
    """
    room, levels = filled
    length = room.scale.shape[1] // _SEGMENTS
    for t in range(span[0], span[1]):
        for c in range(len(now.scale)):
            centre = draw_effects(model, now, c, joint, rng)
            interaction = now.interaction[c]
            error, square, crossed = _squares(
                model.z[min(c, len(model.z) - 1)],
                centre,
                interaction,
                model.balanced,
                model.design,
                model.variance,
                model.rank,
            )
            if model.pooled > 0:
                _draw_residuals(model, now, c, error, rng)
            _draw_covariance(model, now, c, rng)
            if model.pooled > 0:
                now.scale[c] = _draw_stretch(
                    residual_variances(model.pooled, now.log_sd[c]),
                    square,
                    crossed,
                    now.scale[c],
                    now.effect_sd[c],
                    model.prior,
                    now.values[c],
                    interaction,
                    rng,
                )
            if length:
                _store(now, room, c, t, model.unstructured)
                _store_effects(
                    room.these[c, t],
                    room.mean[t // length, c],
                    room.square[t // length, c],
                    t % length + 1,
                    centre,
                    interaction,
                )
                densities = _log_likelihood(model, now, c, centre, joint)
                put(room.log_likelihood[c, t], densities)
            if length and len(means.level):
                variance = levels.variance[c, t]
                put(variance, levels.variance[c, max(t - 1, 0)])
                drawn, these = draw_dataset_levels(means, model, now, variance, c, other)
                put(levels.coefficients[c, t], drawn)
                levels.these[c, t] = these


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
    room, coefficients, now = _run(model, now, n, n, rng, callback)
    levels = None
    if model.means is not None:
        q, j = room.slopes.shape[2:]
        levels = LevelDraws.of(coefficients, model.means.centre, q, j)
    return room.draws(model, levels), now


def sweep(
    model: GibbsModel,
    now: GibbsState,
    rng: np.random.Generator,
    n: int = 1,
    *,
    callback: Callback | None = None,
) -> GibbsState:
    """Draw every block of all chains n times; keep where they then stand.

    Parameters
    ----------
    model, now, n, rng, callback
        As in `sample`.
    """
    return _run(model, now, n, 0, rng, callback)[2]


def _run(
    model: GibbsModel,
    now: GibbsState,
    n: int,
    stored: int,
    rng: np.random.Generator,
    callback: Callback | None,
) -> tuple[_Room, LevelCoefficients, GibbsState]:
    """Sweep n times with room for so many draws; return the filled arrays and the new state."""
    (c, q, j), g = now.slopes.shape, now.domains.shape[1]
    length = 0 if model.means is None else stored
    levels = LevelCoefficients(
        np.empty((c, length, 1 + q + j + g)), np.empty((c, length)), np.zeros((c, length, 3))
    )
    room = _Room.of(now, stored, unstructured=model.structure == "unstructured")
    known, means, now = compiled(model), CompiledMeans.of(model.means, j), now.copied()
    other = rng.spawn(1)[0]  # with and without levels chains are the same
    joint = draws_jointly(known, now)
    for first in range(0, n, _CALL_EVERY):
        last = min(first + _CALL_EVERY, n)
        _draw(known, means, now, (room, levels), (first, last), joint, rng, other)
        if callback is not None:
            callback(last - first)
    return room, levels, now
