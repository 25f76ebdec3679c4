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

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, log
from typing import Literal

import numpy as np

from benchinfer.analyses.bayes.numerics import covariance
from benchinfer.analyses.bayes.numerics.chains import (
    CompiledModel,
    CompiledPriors,
    GibbsState,
)
from benchinfer.analyses.bayes.numerics.contrasts import ContrastData
from benchinfer.analyses.bayes.numerics.covariance import apply
from benchinfer.analyses.bayes.numerics.dataset_levels import (
    CompiledMeans,
    DatasetMeans,
    LevelDraws,
    draw_dataset_levels,
)
from benchinfer.analyses.bayes.numerics.draws import GibbsDraws, collect, summary
from benchinfer.analyses.bayes.numerics.effects import (
    draw_effects,
    draws_jointly,
    residual_variances,
)
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.scales import draw_scales, draw_tails, scale_prior
from benchinfer.analyses.bayes.numerics.slices import STRETCH, WIDTH, moved
from benchinfer.numerics.compilation import entry, part
from benchinfer.numerics.types import Array, Codes, Flags

type Interactions = Literal["t", "normal"]
type Structure = Literal["common", "unstructured"]
type Callback = Callable[[int], None]


_CALL_EVERY = 50
# Arrays among the packed numbers of a chain, after seven scalars: indices of `GibbsState.places`.
_AVERAGE, _LOG_SD, _MIXING, _VALUES, _INTERACTION, _DOMAINS, _SLOPES, _VECTORS = range(7, 15)


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
    """Return data and model in the form that compiled code uses."""
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
        balanced=data.balanced,
        others=np.flatnonzero(~data.balanced),
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
    """Return the priors of J contrasts in the form that compiled code uses."""
    values = {name: getattr(priors, name) for name in CompiledPriors._fields}
    values["effect_sd"] = priors.effect_sd or 0.0
    values["shrinkage_median"] = priors.shrinkage_median or float(j)
    return CompiledPriors(**values)


def start(model: GibbsModel, chains: int, rng: np.random.Generator) -> GibbsState:
    """Return overdispersed starting points."""
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


@part
def _stretch(
    noise: Array,
    square: Array,
    crossed: Array,
    scale: float,
    effect_sd: float,
    prior: CompiledPriors,
    interaction: Array,
    values: Array,
    rng: np.random.Generator,
) -> float:
    """Draw a factor of interactions and of Sigma's root; they and its values change in place."""
    linear, quadratic = 0.0, 0.0
    for m in range(len(noise)):
        linear += crossed[m] / noise[m]
        quadratic += square[m] / noise[m]
    given, typical = (linear, quadratic, log(scale), 0.0), scale_prior(effect_sd, prior)
    factor = exp(moved(STRETCH, 0.0, WIDTH, given, typical, square, crossed, rng))
    for m in range(len(noise)):
        for k in range(interaction.shape[1]):
            interaction[m, k] *= factor
    for k in range(len(values)):
        values[k] *= factor**2
    return factor


@part
def _vector(numbers: Array, first: int, n: int) -> Array:
    return numbers[first : first + n]


@part
def _table(numbers: Array, first: int, n: int, k: int) -> Array:
    return numbers[first : first + n * k].reshape((n, k))


@entry
def _sweeps(  # noqa: C901 - blocks in turn; a function for each compiles longer
    z: Array,
    rss: Array,
    design: Array,
    variance: Array,
    rank: Codes,
    df: Array,
    balanced: Flags,
    others: Codes,
    pooled: float,
    n_median: float,
    domain: Codes,
    covariates: Array,
    heavy: bool,  # noqa: FBT001
    unstructured: bool,  # noqa: FBT001
    prior: CompiledPriors,
    states: Array,
    at: Codes,
    joint: bool | None,  # noqa: FBT001
    n: int,
    recorded: Array,
    rng: np.random.Generator,
) -> None:
    """Draw every block of all chains n times, in place.

    Arguments are those of `CompiledModel`: records of arrays take several times as long to compile.
    Of chains, (C, S) numbers `GibbsState.packed` and their `places`; `joint` is as in
    `draws_jointly`; after each sweep they are copied to (n, C, S) numbers, or (0, C, S).
    """
    (m, j), g, q = z.shape[1:], (at[_SLOPES] - at[_DOMAINS]) // z.shape[2], covariates.shape[1] - 1
    squares, over = np.empty(m), np.empty(m)
    for t in range(n):
        for c in range(len(states)):
            now, table = states[c], z[min(c, len(z) - 1)]
            effect_sd, domain_scale, centre, spread = now[0], now[1], now[2], now[3]
            scale, kappa, nu = now[4], now[5], now[6]
            logs, lam = _vector(now, at[_LOG_SD], m), _vector(now, at[_MIXING], m)
            values, w = _vector(now, at[_VALUES], j), _table(now, at[_INTERACTION], m, j)
            vectors = _table(now, at[_VECTORS], j, j)
            base, effect_sd, domain_scale = draw_effects(
                table,
                design,
                variance,
                rank,
                balanced,
                others,
                domain,
                covariates,
                prior,
                residual_variances(pooled, logs),
                vectors,
                values,
                lam,
                scale,
                effect_sd,
                domain_scale,
                _vector(now, at[_AVERAGE], j),
                _table(now, at[_SLOPES], q, j),
                _table(now, at[_DOMAINS], g, j),
                w,
                joint,
                rng,
            )
            error, square, crossed = _squares(table, base, w, balanced, design, variance, rank)
            if pooled > 0:
                for i in range(m):
                    squares[i] = df[i] + rank[i]
                    over[i] = (rss[min(c, len(rss) - 1), i] + error[i]) / pooled
                centre, spread = draw_scales(
                    logs, centre, spread, squares, over, n_median, prior, rng
                )
            if not unstructured:
                scale = covariance.draw_common(scale, w, nu, values, effect_sd, prior, rng)
            if heavy:
                nu = draw_tails(nu, lam, covariance.lengths(w, vectors, values), j, prior, rng)
            if unstructured:
                if heavy:
                    scale = covariance.draw_exchange(scale, lam, nu, effect_sd, prior, rng)
                scale, kappa = covariance.draw_unstructured(
                    scale, kappa, w, lam, vectors, values, effect_sd, prior, rng
                )
            if pooled > 0:
                noise = residual_variances(pooled, logs)
                scale *= _stretch(noise, square, crossed, scale, effect_sd, prior, w, values, rng)
            now[0], now[1], now[2], now[3] = effect_sd, domain_scale, centre, spread
            now[4], now[5], now[6] = scale, kappa, nu
            for i in range(len(now) if len(recorded) else 0):
                recorded[t, c, i] = now[i]


@dataclass(frozen=True, slots=True)
class _Run:
    """Chains with their current states."""

    model: CompiledModel
    first: GibbsState  # where they started
    numbers: Array  # (C, S) where they stand, changes in place
    joint: bool | None  # as in `draws_jointly`
    other: np.random.Generator  # of further draws: with and without them chains are the same

    @classmethod
    def of(cls, model: GibbsModel, now: GibbsState, rng: np.random.Generator) -> _Run:
        """Return chains at their starting points."""
        known = compiled(model)
        return cls(known, now, now.packed(), draws_jointly(known, now), rng.spawn(1)[0])

    @property
    def now(self) -> GibbsState:
        """Current states of the chains."""
        return self.first.unpacked(self.numbers)

    def sweeps(self, n: int, rng: np.random.Generator, *, keep: bool = False) -> Array:
        """Draw every block of all chains n times; return (n, C, S) states, none unless recorded."""
        recorded = np.empty((n if keep else 0, *self.numbers.shape))
        _sweeps(*self.model, self.numbers, self.first.places(), self.joint, n, recorded, rng)
        return recorded


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
    run, parts, levels = _Run.of(model, now, rng), [], []
    q, j = now.slopes.shape[1:]
    means, variance = CompiledMeans.of(model.means, j), np.zeros((len(now.scale), 3))
    for first in [*range(0, n // 2, _CALL_EVERY), *range(n // 2, n, _CALL_EVERY)]:
        count = min(_CALL_EVERY, (n // 2 if first < n // 2 else n) - first)
        states = now.unpacked(run.sweeps(count, rng, keep=True).swapaxes(0, 1))
        if len(means.level):
            levels.append(draw_dataset_levels(means, run.model, states, variance, run.other))
            variance = levels[-1][2][:, -1]
        parts.append(summary(run.model, states))
        if callback is not None:
            callback(count)
    named = None if model.means is None else LevelDraws.of(levels, model.means.centre, q, j)
    return collect(parts, named), run.now


def sweep(
    model: GibbsModel,
    now: GibbsState,
    rng: np.random.Generator,
    n: int = 1,
    *,
    callback: Callback | None = None,
) -> GibbsState:
    """Draw every block of all chains n times; return the last states.

    Parameters
    ----------
    model, now, n, rng, callback
        As in `sample`.
    """
    run = _Run.of(model, now, rng)
    for first in range(0, n, _CALL_EVERY):
        count = min(_CALL_EVERY, n - first)
        run.sweeps(count, rng)
        if callback is not None:
            callback(count)
    return run.now
