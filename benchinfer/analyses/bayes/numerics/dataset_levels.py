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
from math import sqrt
from typing import NamedTuple

import numpy as np

from benchinfer.analyses.bayes.numerics.chains import (
    CompiledModel,
    GibbsState,
    inlined,
    part,
)
from benchinfer.analyses.bayes.numerics.contrasts import ContrastData, helmert
from benchinfer.analyses.bayes.numerics.covariance import apply, draw_normal, product, transposed
from benchinfer.analyses.bayes.numerics.effects import centres
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
    """Means of the data sets as compiled code reads them.

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
    def of(cls, means: DatasetMeans | None, j: int) -> "CompiledMeans":
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


class LevelCoefficients(NamedTuple):
    """Draws of C chains of length T, to be filled.

    Attributes
    ----------
    coefficients
        (C, T, 1 + q + J + G) alpha, gamma, b and c.
    these
        (C, T) mean of the levels of the data sets at hand.
    variance
        (C, T, 3) squares of t, p and s.
    """

    coefficients: Array
    these: Array
    variance: Array


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
    def of(cls, arrays: LevelCoefficients, centre: float, q: int, j: int) -> "LevelDraws":
        """Name the parts of draws about the mean of the means."""
        alpha, along, slopes, domain = np.split(arrays.coefficients, np.cumsum([1, q, j]), axis=2)
        scale = np.sqrt(arrays.variance[:, :, 2])
        return cls(centre + alpha[:, :, 0], centre + arrays.these, along, slopes, domain, scale)


def average_means(data: ContrastData, mean: Array, n: Codes) -> DatasetMeans:
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
    blocks: tuple[Codes, Codes, Array],
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


@inlined
def draw_dataset_levels(
    means: CompiledMeans,
    model: CompiledModel,
    now: GibbsState,
    variance: Array,
    c: int,
    rng: np.random.Generator,
) -> tuple[Array, float]:
    """Draw the coefficients of the levels in chain c, then the variances in place.

    Parameters
    ----------
    means, model
        Means of the data sets, and what the sampler knows.
    now, c
        State of the chains, and the chain.
    variance
        (3,) current squares of t, p and s; 0 at the start.
    rng
        Random numbers.

    Returns
    -------
    coefficients
        (1 + q + J + G,) alpha less the mean of the means, gamma, b and c.
    these
        Mean of the levels of the data sets less that of their means.
    """
    interaction, domains = now.interaction[c], now.domains[c]
    covariates, domain = model.covariates, model.domain
    effects = centres(covariates, domain, now.average[c], now.slopes[c], domains)
    level, average = _levels(means.level, means.seen, effects, interaction)
    design = _design(covariates, domain, interaction, domains)
    first = (covariates.shape[1], covariates.shape[1] + interaction.shape[1])
    drawn = _draw_coefficients(level, design, first, now.mixing[c], means.spread, variance, rng)
    return drawn, average + _draw_error(means.square, means.df, len(level), rng)


@part
def _levels(level: Array, seen: Array, effects: Array, interaction: Array) -> tuple[Array, float]:
    """Return (M,) levels given the effects, and their mean."""
    levels, average = level.copy(), 0.0
    for i in range(len(levels)):
        for k in range(effects.shape[1]):
            levels[i] -= (effects[i, k] + interaction[i, k]) * seen[i, k]
        average += levels[i] / len(levels)
    return levels, average


@part
def _design(covariates: Array, domain: Codes, interaction: Array, domains: Array) -> Array:
    """Return (M, 1 + q + J + G) what levels depend on."""
    (m, j), fixed, g = interaction.shape, covariates.shape[1], len(domains)
    design = np.zeros((m, fixed + j + g))
    for i in range(m):
        for k in range(fixed):
            design[i, k] = covariates[i, k]
        for k in range(j):
            design[i, fixed + k] = interaction[i, k]
            if g:
                design[i, fixed + k] += domains[domain[i], k]
        if g:
            design[i, fixed + j + domain[i]] = 1.0
    return design


@part
def _draw_coefficients(
    level: Array,
    design: Array,
    first: tuple[int, int],
    mixing: Array,
    spread: float,
    variance: Array,
    rng: np.random.Generator,
) -> Array:
    """Draw coefficients of (M,) levels, of which b and c begin at `first`; variances in place."""
    (m, n), weak, j = design.shape, _WEAK * spread, first[1] - first[0]
    if not variance[0]:
        variance[0], variance[1], variance[2] = weak**2, 1 / j, weak**2
    weighted = np.empty((m, n))
    for i in range(m):
        for k in range(n):
            weighted[i, k] = design[i, k] / (mixing[i] * variance[0])
    turned = transposed(weighted)
    precision = product(turned, design)
    for i in range(n):
        at = _FLAT * spread**2
        if i >= first[0]:
            at = variance[1] if i < first[1] else variance[2]
        precision[i, i] += 1 / at
    drawn = draw_normal(precision, apply(turned, level), rng)
    error = apply(design, drawn)
    for i in range(m):
        error[i] = (level[i] - error[i]) / sqrt(mixing[i])
    variance[0] = draw_variance(error, variance[0], weak, rng)
    variance[1] = draw_variance(drawn[first[0] : first[1]], variance[1], j**-0.5, rng)
    variance[2] = draw_variance(drawn[first[1] :], variance[2], weak, rng)
    # Where effects say the level to the last digit its variance would vanish.
    variance[0] = max(variance[0], _EXACT * spread**2)
    return drawn


@part
def draw_variance(x: Array, now: float, scale: float, rng: np.random.Generator) -> float:
    """Draw the variance of (N,) normal variables; its root is half-t.

    A half-t variable is the root of an inverse gamma one whose scale is inverse gamma.
    """
    mixture, square = rng.standard_gamma((_DF + 1) / 2) / (_DF / now + scale**-2), 0.0
    for one in x:
        square += one**2
    return (_DF * mixture + square / 2) / rng.standard_gamma((_DF + len(x)) / 2)


@part
def _draw_error(square: Array, df: Array, m: int, rng: np.random.Generator) -> float:
    """Draw the error of the mean over M data sets."""
    variance = 0.0
    for i in range(len(df)):
        variance += square[i] / rng.chisquare(df[i])
    return sqrt(variance) / m * rng.standard_normal()
