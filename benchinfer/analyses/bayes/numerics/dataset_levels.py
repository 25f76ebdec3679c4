"""Levels of the data sets given the algorithms' effects there.

The contrasts leave open the level of a data set, the mean of its algorithms' mean scores. It varies
with the effects: the level of a data set on which one algorithm fails is low. Scores and effects,
whose sum over the algorithms is 0, give that level d_m; then

    d_m = alpha + gamma' x_m + c_g(m) + b' (theta_m - beta - B' x_m) + e_m,  e_m ~ N(0, lam_m t^2)

with covariates x, domains g, and the mixing scales lam_m of the interactions, so that levels and
interactions are jointly normal or t. An algorithm's level is ``alpha + mu_k``. Where its scores are
alike on all data sets, ``b`` makes that level known whatever the others do. Elements of b are
N(0, p^2) and those of c N(0, s^2); t, p and s are half-t with 3 degrees of freedom, weak beside the
spread of the levels. Effects learn nothing from levels.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.bayes.numerics.contrasts import ContrastData, helmert
from benchinfer.analyses.bayes.numerics.levels import draw_normal

if TYPE_CHECKING:
    from benchinfer.analyses.bayes.numerics.interactions import InteractionEffects

type Array = NDArray[np.float64]
_DF = 3.0
_FLAT = 100.0  # variance of alpha and gamma over that of the levels
_WEAK = 4.0  # scale of t and s, over the standard deviation of the levels
_EXACT = 1e-10  # variance about the regression, over that of the levels, that is none


@dataclass(frozen=True, slots=True)
class DatasetMeans:
    """Means of the scores of M data sets, in units of ``ContrastData.scale``.

    Attributes
    ----------
    mean
        (M,) mean over the algorithms of their mean scores, over those that have any.
    held
        (M, K) whether the algorithm has scores.
    square, df
        (M,) squared standard errors of the means times their degrees of freedom, and these; 0 where
        scores are not repeated.
    """

    mean: Array
    held: NDArray[np.bool_]
    square: Array
    df: Array

    @property
    def centre(self) -> float:
        """Mean over the data sets."""
        return float(self.mean.mean())

    @property
    def spread(self) -> float:
        """Standard deviation over the data sets."""
        size = float(np.abs(self.mean).max())
        return max(float(self.mean.std()), 1e-9 * size, 1e-300)


@dataclass(frozen=True, slots=True)
class LevelState:
    """One point of each of C chains.

    Attributes
    ----------
    average
        (C,) level at the average effects: alpha.
    these
        (C,) mean of the levels of the data sets at hand.
    along
        (C, q) slopes of the levels along the covariates: gamma.
    slopes
        (C, J) slopes along the contrasts of the effects: b.
    domain
        (C, G) departures of the domains: c; G is 0 without them.
    variance
        (C, 3) squares of t, p and s.
    """

    average: Array
    these: Array
    along: Array
    slopes: Array
    domain: Array
    variance: Array


@dataclass(frozen=True, slots=True)
class LevelDraws:
    """Draws of C chains of length T, in units of ``ContrastData.scale``.

    Attributes
    ----------
    average, these, along, slopes, domain
        (C, T, ...) as in `LevelState`.
    domain_scale
        (C, T) standard deviation of the departures of the domains: s.
    """

    average: Array
    these: Array
    along: Array
    slopes: Array
    domain: Array
    domain_scale: Array

    @classmethod
    def of(cls, states: list[LevelState]) -> "LevelDraws":
        """Collect states."""
        names = "average", "these", "along", "slopes", "domain"
        parts = {name: np.stack([getattr(x, name) for x in states], axis=1) for name in names}
        scale = np.stack([np.sqrt(x.variance[:, 2]) for x in states], axis=1)
        return cls(**parts, domain_scale=scale)


def average_means(data: ContrastData, mean: Array, n: NDArray[np.int64]) -> DatasetMeans:
    """Return the means of the data sets, their errors left open.

    Parameters
    ----------
    data
        Contrasts of the data sets.
    mean, n
        (D, K) mean scores and their number.
    """
    held = n[data.dataset] > 0
    cells = np.where(held, mean[data.dataset], 0.0) / data.scale
    nothing = np.zeros(len(held))
    return DatasetMeans(cells.sum(axis=1) / held.sum(axis=1), held, nothing, nothing)


def with_errors(
    means: DatasetMeans,
    data: ContrastData,
    blocks: tuple[NDArray[np.int64], NDArray[np.int64], Array],
    correlation: float,
) -> DatasetMeans:
    """Return the means with the errors that the blocks show.

    Parameters
    ----------
    means, data
        Means and contrasts of the data sets.
    blocks
        Data set (R,), number of scores and their mean (R, K) of each block, as in
        `reduce_contrasts`. Where a data set is one block, algorithms share no replications.
    correlation
        As in `reduce_contrasts`.
    """
    dataset, count, mean = blocks
    extra = correlation / (1 - correlation)
    effects = np.einsum("mj,mjk->mk", data.z, data.design) @ helmert(data.n_algorithms)
    square, df = np.zeros(len(means.mean)), np.zeros(len(means.mean))
    for m, d in enumerate(data.dataset):
        weight, held = count[dataset == d], means.held[m]
        weight, values = weight[weight.sum(axis=1) > 0], mean[dataset == d] / data.scale
        values = values[count[dataset == d].sum(axis=1) > 0]
        b = len(weight)
        if b > 1:
            rest = np.where(weight > 0, values - effects[m], 0.0).sum(axis=1)
            rest = rest / (weight > 0).sum(axis=1)
            square[m] = ((rest - rest.mean()) ** 2).sum() * (1 / b + extra)
            df[m] = b - 1
        elif data.df[m] > 0:
            share = (1 / weight[0, held] + extra).sum() / held.sum() ** 2
            square[m], df[m] = data.rss[m] * share, data.df[m]
    return replace(means, square=square, df=df)


def draw_dataset_levels(
    means: DatasetMeans,
    effects: "InteractionEffects",
    mixing: Array,
    variance: Array | None,
    rng: np.random.Generator,
) -> LevelState:
    """Draw the coefficients of the levels, then the variances.

    Parameters
    ----------
    means
        Means of the data sets.
    effects
        Effects of the algorithms, C draws.
    mixing
        (C, M) mixing scales of the interactions.
    variance
        (C, 3) current squares of t, p and s; None at the start.
    rng
        Random numbers.
    """
    level, (design, sizes) = _levels(means, effects), _design(effects, mixing.shape)
    scales = np.array([_WEAK * means.spread, sizes[1] ** -0.5, _WEAK * means.spread])
    if variance is None:
        variance = np.tile(scales**2, (len(level), 1))
    flat = np.full(len(level), _FLAT * means.spread**2)
    prior = np.stack([flat, *variance.T[1:]]).repeat(sizes, axis=0).T
    weighted = (design / (mixing * variance[:, :1])[:, :, None]).swapaxes(1, 2)
    precision = weighted @ design + np.eye(prior.shape[1]) / prior[:, :, None]
    shift = (weighted @ level[..., None])[..., 0]
    found = draw_normal(precision, shift, rng.standard_normal(shift.shape))
    flat, slopes, domain = np.split(found, np.cumsum(sizes)[:-1], axis=1)
    error = (level - (design @ found[..., None])[..., 0]) / np.sqrt(mixing)
    parts = zip((error, slopes, domain), variance.T, scales, strict=True)
    drawn = [_draw_variance(part, now, scale, rng) for part, now, scale in parts]
    # Where effects say the level to the last digit its variance would vanish.
    drawn[0] = np.maximum(drawn[0], _EXACT * means.spread**2)
    return LevelState(
        average=means.centre + flat[:, 0],
        these=means.centre + level.mean(axis=1) + _draw_error(means, len(level), rng),
        along=flat[:, 1:],
        slopes=slopes,
        domain=domain,
        variance=np.stack(drawn, axis=1),
    )


def _levels(means: DatasetMeans, effects: "InteractionEffects") -> Array:
    """Return (C, M) levels of the data sets less their overall mean."""
    theta = effects.of_datasets
    level = means.mean - means.centre
    if means.held.all():
        return np.broadcast_to(level, theta.shape[:2])
    share = means.held / means.held.sum(axis=1, keepdims=True)
    seen = share @ helmert(means.held.shape[1]).T
    return level - (theta * seen).sum(axis=2)


def _design(
    effects: "InteractionEffects", shape: tuple[int, ...]
) -> tuple[Array, tuple[int, int, int]]:
    """Return (C, M, 1 + q + J + G) what levels depend on, and 1 + q, J and G."""
    departure, fixed, member = effects.interaction, np.ones((shape[1], 1)), np.ones((shape[1], 0))
    if effects.slopes is not None:
        fixed = effects.slopes.design
    if effects.domains is not None:
        departure = departure + effects.domains.of_datasets
        member = effects.domains.member.T
    parts = [np.broadcast_to(x, (*shape, x.shape[-1])) for x in (fixed, departure, member)]
    return np.concatenate(parts, axis=2), (fixed.shape[1], departure.shape[2], member.shape[1])


def _draw_variance(x: Array, now: Array, scale: float, rng: np.random.Generator) -> Array:
    """Draw (C,) variances of (C, N) normal variables; their roots are half-t.

    A half-t variable is the root of an inverse gamma one whose scale is inverse gamma.
    """
    mixture = rng.standard_gamma((_DF + 1) / 2, now.shape) / (_DF / now + scale**-2)
    square = (x**2).sum(axis=1)
    return (_DF * mixture + square / 2) / rng.standard_gamma((_DF + x.shape[1]) / 2, now.shape)


def _draw_error(means: DatasetMeans, chains: int, rng: np.random.Generator) -> Array:
    """Draw (C,) errors of the mean over the data sets."""
    square, df = means.square[means.df > 0], means.df[means.df > 0]
    variance = (square / rng.chisquare(df, (chains, len(df)))).sum(axis=1)
    return np.sqrt(variance) / len(means.mean) * rng.standard_normal(chains)
