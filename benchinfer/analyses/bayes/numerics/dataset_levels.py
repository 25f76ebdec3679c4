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

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import NamedTuple

import numpy as np

from benchinfer.analyses.bayes.numerics.chains import (
    CompiledModel,
    GibbsState,
    effect_centres,
)
from benchinfer.analyses.bayes.numerics.contrasts import ContrastData, helmert
from benchinfer.numerics.types import Array, Codes, Flags

_DF = 3.0
_FLAT = 100.0  # variance of alpha and gamma over that of the levels
_WEAK = 4.0  # scale of t and s, over the standard deviation of the levels
_EXACT = 1e-10  # variance about the regression, over that of the levels, that is none


@dataclass(frozen=True, slots=True)
class DatasetMeans:
    """Means of the scores of M data sets, in units of ``ContrastData.scale``."""

    mean: Array  # (M,) mean over the algorithms of their mean scores, over those that have any
    held: Flags  # (M, K) whether the algorithm has scores
    # square, df: (M,) squared standard errors of the means times their degrees of freedom, and
    # these; 0 where scores are not repeated
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


class CompiledMeans(NamedTuple):
    """Means of the data sets in the form that compiled code uses.

    Attributes
    ----------
    level
        (M,) means of the data sets, less their mean.
    seen
        (M, J) what these means see of the contrasts of the effects, 0 without missing cells.
    spread
        Standard deviation of the means.
    square, df
        As in `DatasetMeans`, of data sets whose scores are repeated.
    """

    level: Array
    seen: Array
    spread: float
    square: Array
    df: Array

    @classmethod
    def of(cls, means: DatasetMeans | None, j: int) -> CompiledMeans:
        """Collect arrays, empty ones without means."""
        if means is None:
            return cls(np.empty(0), np.empty((0, j)), 1.0, np.empty(0), np.empty(0))
        share = means.held / means.held.sum(axis=1, keepdims=True)
        seen = share @ helmert(j + 1).T
        if means.held.all():
            seen[:] = 0.0  # to the last digit
        some = means.df > 0
        level = means.mean - means.centre
        return cls(level, seen, means.spread, means.square[some], means.df[some])


@dataclass(frozen=True, slots=True)
class LevelDraws:
    """Draws of C chains of length T, in units of ``ContrastData.scale``."""

    average: Array  # (C, T) level at the average effects: alpha
    these: Array  # (C, T) mean of the levels of the data sets at hand
    along: Array  # (C, T, q) slopes of the levels along the covariates: gamma
    slopes: Array  # (C, T, J) slopes along the contrasts of the effects: b
    domain: Array  # (C, T, G) departures of the domains: c; G is 0 without them
    domain_scale: Array  # (C, T) standard deviation of the departures of the domains: s

    @classmethod
    def of(
        cls, drawn: list[tuple[Array, Array, Array]], centre: float, q: int, j: int
    ) -> LevelDraws:
        """Return the draws of `draw_dataset_levels` by parameter, with `centre` added to levels."""
        parts = (np.concatenate(x, axis=1) for x in zip(*drawn, strict=True))
        coefficients, these, variance = parts
        alpha, along, slopes, domain = np.split(coefficients, np.cumsum([1, q, j]), axis=2)
        scale = np.sqrt(variance[:, :, 2])
        return cls(centre + alpha[:, :, 0], centre + these, along, slopes, domain, scale)


def average_means(data: ContrastData, mean: Array, n: Codes) -> DatasetMeans:
    """Return the means of the data sets, without errors.

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
    blocks: tuple[Codes, Codes, Array],
    correlation: float,
) -> DatasetMeans:
    """Return the means with errors estimated from the blocks.

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
    means: CompiledMeans,
    model: CompiledModel,
    states: GibbsState,
    variance: Array,
    rng: np.random.Generator,
) -> tuple[Array, Array, Array]:
    """Draw the coefficients of the levels and then their variances, given T states of C chains.

    Parameters
    ----------
    means, model
        Means of the data sets (levels also (C, 1, M), of a table for each chain), and what the
        sampler knows.
    states
        Consecutive states, of which arrays have axes of chains and of draws.
    variance
        (C, 3) squares of t, p and s before; 0 at the start.
    rng
        Random numbers.

    Returns
    -------
    coefficients
        (C, T, 1 + q + J + G) alpha less the mean of the means, gamma, b and c.
    these
        (C, T) mean of the levels of the data sets less that of their means.
    variance
        (C, T, 3) squares of t, p and s.
    """
    sizes = (model.covariates.shape[1], states.interaction.shape[3], states.domains.shape[2])
    first = np.cumsum(sizes)
    level, design = _regression(means, model, states)
    root = np.sqrt(states.mixing)
    y, x = level / root, design / root[..., None]
    # What normal coefficients need of the data sets, where t is 1.
    turned = x.swapaxes(2, 3)
    squares, shift = turned @ x, (turned @ y[..., None])[..., 0]
    normal, gammas, errors = _random(sizes, means, states.mixing.shape, rng)
    drawn, variances = np.empty(shift.shape), np.empty((*shift.shape[:2], 3))
    weak = _WEAK * means.spread
    scales = weak, sizes[1] ** -0.5, weak
    variance = np.where(variance[:, :1] > 0, variance, np.square(scales))
    flat = np.full((len(variance), 1), _FLAT * means.spread**2)
    for i in range(shift.shape[1]):
        one, prior = variance[:, :1], np.hstack([flat, variance[:, 1:]]).repeat(sizes, axis=1)
        drawn[:, i] = _normal(
            squares[:, i] / one[:, :, None], shift[:, i] / one, prior, normal[:, i]
        )
        rest = y[:, i] - (x[:, i] @ drawn[:, i, :, None])[..., 0]
        parts = rest, drawn[:, i, first[0] : first[1]], drawn[:, i, first[1] :]
        total = np.stack([(part**2).sum(axis=1) for part in parts], axis=1)
        variance = variances[:, i] = draw_variances(total, variance, scales, gammas[:, i])
        # Where effects say the level to the last digit its variance would vanish.
        variance[:, 0] = np.maximum(variance[:, 0], _EXACT * means.spread**2)
    return drawn, level.mean(axis=2) + errors, variances


def _regression(
    means: CompiledMeans, model: CompiledModel, states: GibbsState
) -> tuple[Array, Array]:
    """Return (C, T, M) levels given the effects, and their (C, T, M, N) regressors."""
    fixed, j = model.covariates.shape[1], states.interaction.shape[3]
    g = states.domains.shape[2]
    effects = effect_centres(model, states) + states.interaction
    departure = states.interaction
    if g:
        departure = departure + states.domains[..., model.domain, :]
    design = np.empty((*states.mixing.shape, fixed + j + g))
    design[..., :fixed] = model.covariates
    design[..., fixed : fixed + j] = departure
    design[..., fixed + j :] = model.domain[:, None] == np.arange(g)
    return means.level - (effects * means.seen).sum(axis=3), design


def _random(
    sizes: tuple[int, int, int],
    means: CompiledMeans,
    shape: tuple[int, ...],
    rng: np.random.Generator,
) -> tuple[Array, Array, Array]:
    """Return random numbers, draw by draw and in each chain by chain.

    They are (C, T, N) normal and (C, T, 3, 2) standard gamma variables, and (C, T) errors of the
    mean over the data sets.
    """
    c, t, m = shape
    normal, gammas, errors = np.empty((c, t, sum(sizes))), np.empty((c, t, 6)), np.empty((c, t))
    shapes = np.array([[0, m], [0, sizes[1]], [0, sizes[2]]]).ravel()
    shapes = (_DF + np.where(shapes > 0, shapes, [1, 0, 1, 0, 1, 0])) / 2
    for i in range(t):
        for k in range(c):
            normal[k, i] = rng.standard_normal(sum(sizes))
            gammas[k, i] = rng.standard_gamma(shapes)
            square = 0.0
            if len(means.df):
                square = (means.square / rng.chisquare(means.df)).sum()
            errors[k, i] = sqrt(square) / m * rng.standard_normal()
    return normal, gammas.reshape(c, t, 3, 2), errors


def _normal(precision: Array, shift: Array, prior: Array, normal: Array) -> Array:
    """Return (C, N) variables of (C, N, N) precisions with (C, N) prior variances added."""
    places = np.arange(prior.shape[1])
    precision[:, places, places] += 1 / prior
    factor = np.linalg.cholesky(precision)
    half = np.linalg.solve(factor, shift[:, :, None]) + normal[:, :, None]
    return np.linalg.solve(factor.swapaxes(1, 2), half)[:, :, 0]


def draw_variances(squares: Array, now: Array, scales: tuple[float, ...], gammas: Array) -> Array:
    """Draw variances of normal variables with (C, P) sums of squares; their roots are half-t.

    A half-t variable is the root of an inverse gamma one whose scale is inverse gamma. Of P scales
    and (C, P) variances `now`; (C, P, 2) standard gamma variables have shapes ``(3 + 1) / 2`` and
    ``(3 + N) / 2``.
    """
    mixture = gammas[..., 0] / (_DF / now + np.power(scales, -2.0))
    return (_DF * mixture + squares / 2) / gammas[..., 1]
