"""Residuals and tests of their distribution.

The rows are seen once; what is kept are moments, 99 quantiles and arrays over cells.

- Residuals are conditional: the score minus algorithm mean, predicted data set effect, interaction
  and replication effect. Removing replications shared by the algorithms blurs how much noise each
  has; differences between algorithms do not have that trouble. With ``v_ij`` the variance of a
  replication's difference, ``v_ij = s_i^2 + s_j^2`` is solved for the residual variances (Grubbs;
  here with weights ``1 / v_ij^2``).
- Equality of residual variances is tested on the cube roots of the cells' variances, which are
  nearly normal whatever their degrees of freedom (Wilson and Hilferty): a two-way analysis of
  variance, whose own error term takes care of scores with heavier tails than normal.

References
----------
Grubbs, F. E. (1948). On estimating precision of measuring instruments and product variability.
Journal of the American Statistical Association 43, 243-264.
https://doi.org/10.1080/01621459.1948.10483261

Wilson, E. B. & Hilferty, M. M. (1931). The distribution of chi-square. Proceedings of the National
Academy of Sciences 17, 684-688. https://doi.org/10.1073/pnas.17.12.684
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc, gammaln, ndtri

from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS
from benchinfer.analyses.mixed.numerics.moments import Statistics, sums
from benchinfer.analyses.mixed.numerics.optimum import ModelFit
from benchinfer.analyses.mixed.numerics.random_effects import (
    UNKNOWN,
    RandomEffects,
    Shape,
    effects_of,
    shape_of,
)
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.ties import joined_levels, ranked_rows
from benchinfer.numerics.types import Array, Codes, Flags

PROBABILITIES = np.arange(1, 100) / 100
_REPLICATION, _RESIDUAL = COMPONENTS.index("dataset:replication"), COMPONENTS.index("residual")
# Number of residuals that quantiles are taken from.
_SAMPLE = 100_000


@savable
@shaped(
    algorithm="K",
    dataset="N",
    cell="N K",
    difference="K K",
    p_algorithm="[0,1] nan",
    p_dataset="[0,1] nan",
)
@dataclass(frozen=True, slots=True)
class ResidualSpread:
    """Heterogeneity of residual variances; D data sets, K algorithms, in units of the scores.

    Attributes
    ----------
    algorithm, dataset, cell
        (K,), (D,) and (D, K) residual standard deviations, NaN where there are no replications.
    difference
        (K, K) variance of the difference of two algorithms' scores of one replication.
    p_algorithm, p_dataset
        Of the tests that all algorithms, all data sets have the same residual variance; NaN where
        there are too few replications.
    deciles
        Upper / lower decile of the data sets' residual standard deviations, freed from the
        sampling error of those standard deviations.
    trend
        Rank correlation of the cells' standard deviations with their fitted means.
    """

    algorithm: Array
    dataset: Array
    cell: Array
    difference: Array
    p_algorithm: float
    p_dataset: float
    deciles: float
    trend: float


@savable
@shaped(quantiles="99?")
@dataclass(frozen=True, slots=True)
class Residuals:
    """Diagnostics of a fit."""

    shape: Shape  # of the residuals; size 0 where only cells are known
    # (99,) quantiles at `PROBABILITIES` of the residuals in their standard deviation; empty where
    # only cells are known
    quantiles: Array
    spread: ResidualSpread  # how residual variances differ
    effects: RandomEffects  # predicted random effects


@dataclass(frozen=True, slots=True)
class _Rows:
    """Residuals of blocks (R, K), 0 where there is no score; D data sets.

    ``before`` has the replication effects in it; ``held`` (R, K) says where scores are, ``first``
    (D,) where data sets begin, ``weight`` (R,) how many blocks each stands for.
    """

    before: Array
    after: Array
    held: Flags
    first: Codes
    weight: Array | None

    def sums(self, values: Array) -> Array:
        """Sum (R, K) values over data sets."""
        weighted = values if self.weight is None else self.weight[:, None] * values
        return sums(weighted, self.first)


def _rows(
    model: ModelFit,
    dataset: Codes,
    count: Codes,
    mean: Array,
    weight: Array | None,
) -> _Rows:
    fitted = model.beta + model.blup
    before = mean - fitted[dataset]
    held = count > 0
    before *= held
    var_r, var_e = model.variances[[_REPLICATION, _RESIDUAL]]
    after = before
    if var_r > 0:
        times = count.astype(np.float64)
        size = times @ np.ones(count.shape[1])
        total = np.einsum("rk,rk->r", times, before)
        shared = total * (var_r / (var_e + var_r * size))
        after = (before - shared[:, None]) * held
    if count.max() > 1:
        # The mean of repeats has a smaller variance.
        root = np.sqrt(count)
        before, after = before * root, after * root
    first = np.flatnonzero(np.r_[True, dataset[1:] != dataset[:-1]])
    return _Rows(before, after, held, first, weight)


def _differences(rows: _Rows) -> tuple[Array, Array]:
    """Return (K, K) sums of squares of differences about the data sets' means, and their df."""
    e, held = rows.before, rows.held.astype(np.float64)
    k = e.shape[1]
    stop = np.r_[rows.first[1:], len(e)]
    square, free = np.zeros((k, k)), np.zeros((k, k))
    for a, b in zip(rows.first, stop, strict=True):
        values, there = e[a:b], held[a:b]
        weight = None if rows.weight is None else rows.weight[a:b, None]
        times = (there if weight is None else weight * there).T
        n = times @ there
        total = times @ values
        total -= total.T
        both = times @ (values * values)
        cross = (values if weight is None else weight * values).T @ values
        square += both + both.T - 2 * cross - total**2 / np.maximum(n, 1)
        free += np.maximum(n - 1, 0)
    return square, free


def _by_algorithm(difference: Array) -> Array:
    """Solve ``v_ij = s_i^2 + s_j^2`` for K >= 3 variances by weighted least squares."""
    apart = ~np.eye(len(difference), dtype=np.bool_)
    # The sampling error of a variance goes with its size: noisy algorithms must not blur others.
    least = 1e-6 * max(float(difference.max()), 1e-300)
    weight = np.where(apart, 1 / np.maximum(difference, least) ** 2, 0.0)
    weight /= weight.max()
    normal = weight + np.diag(weight.sum(axis=1))
    return np.maximum(np.linalg.solve(normal, (weight * difference).sum(axis=1)), 0.0)


def _cube_roots(variance: Array, free: Array) -> Array:
    """Return cube roots of variances in units of their expectation at their df."""
    half = np.maximum(free, 1) / 2
    mean = np.exp(gammaln(half + 1 / 3) - gammaln(half) - np.log(half) / 3)
    return np.cbrt(variance) / mean


def _analysis(q: Array) -> tuple[float, float, float]:
    """Return row and column p-values of a two-way table, and the variance between its rows."""
    d, k = q.shape
    rows, columns = q.mean(axis=1) - q.mean(), q.mean(axis=0) - q.mean()
    rest = q - q.mean() - rows[:, None] - columns
    free = (d - 1) * (k - 1)
    error = (rest**2).sum() / free
    ms_rows, ms_columns = k * (rows**2).sum() / (d - 1), d * (columns**2).sum() / (k - 1)
    if error <= 0:
        return np.nan, np.nan, 0.0
    p_rows = float(fdtrc(d - 1, free, ms_rows / error))
    p_columns = float(fdtrc(k - 1, free, ms_columns / error))
    return p_rows, p_columns, max(0.0, (ms_rows - error) / k)


def _residual_variances(
    square: Array, free: Array, difference: tuple[Array, Array] | None, var_e: float
) -> tuple[Array, Array]:
    """Return (K,) residual variances, NaN if unknown, and (K, K) those of differences."""
    n = free.sum(axis=0)
    variances = np.where(n > 0, square.sum(axis=0) / np.maximum(n, 1), np.nan)
    filled = np.where(n > 0, variances, var_e)
    apart = filled[:, None] + filled
    if difference is not None:
        total, df = difference
        apart = np.where(df > 0, total / np.maximum(df, 1), apart)
        np.fill_diagonal(apart, 0.0)
        if len(variances) > 2 and (df > 0).all():
            variances = _by_algorithm(apart)
    np.fill_diagonal(apart, 0.0)
    return variances, apart


def _equality(variance: Array, free: Array) -> tuple[float, float, float]:
    """Return p-values of equal variances of algorithms, of data sets, and the latter's spread."""
    complete = (free > 0).all(axis=1)
    v, f = variance[complete], free[complete]
    if len(v) < 3 or v.mean(axis=1).min() <= 0 or v.mean(axis=0).min() <= 0:
        return np.nan, np.nan, 1.0
    _, p_algorithm, _ = _analysis(_cube_roots(v / v.mean(axis=1, keepdims=True), f))
    p_dataset, _, between = _analysis(_cube_roots(v / v.mean(axis=0), f))
    # A cube root of a variance goes up by 2/3 of the logarithm of the standard deviation.
    return p_algorithm, p_dataset, float(np.exp(2 * ndtri(0.9) * 1.5 * np.sqrt(between)))


def _spread(
    model: ModelFit, square: Array, free: Array, difference: tuple[Array, Array] | None
) -> ResidualSpread:
    """Compare residual variances from (D, K) sums of squares about the cells' means."""
    var_e, pooled = float(model.variances[_RESIDUAL]), square.sum() / max(float(free.sum()), 1.0)
    # Predicted effects take part of the residual with them: put its mean size right.
    square = square * (var_e / pooled if pooled > 0 else 1.0)
    known, rows = free > 0, free.sum(axis=1)
    variance = np.where(known, square / np.maximum(free, 1), np.nan)
    by_algorithm, apart = _residual_variances(square, free, difference, var_e)
    p_algorithm, p_dataset, deciles = _equality(variance, free)
    fitted = model.beta + model.blup
    return ResidualSpread(
        algorithm=np.sqrt(by_algorithm),
        dataset=np.sqrt(np.where(rows > 0, square.sum(axis=1) / np.maximum(rows, 1), np.nan)),
        cell=np.sqrt(variance),
        difference=apart,
        p_algorithm=p_algorithm,
        p_dataset=p_dataset,
        deciles=deciles,
        trend=_rank_correlation(fitted[known], variance[known]),
    )


def _rank_correlation(x: Array, y: Array) -> float:
    """Return Spearman's correlation, NaN of fewer than three pairs or where all values tie."""
    if len(x) < 3:
        return np.nan
    ranks = ranked_rows(np.array([joined_levels(x), joined_levels(y)]), 0.0)
    if np.ptp(ranks, axis=1).min() == 0:
        return np.nan
    ranks -= ranks.mean(axis=1, keepdims=True)
    products = ranks @ ranks.T
    return float(products[0, 1] / np.sqrt(products[0, 0] * products[1, 1]))


def residuals_of(
    stats: Statistics,
    model: ModelFit,
    count: Codes,
    mean: Array,
    within: Array,
    dataset: Codes | None = None,
    weight: Array | None = None,
) -> Residuals:
    """Diagnose a fit from its blocks or, without the `dataset` of each, from its cells.

    Arguments are as for `moments.from_blocks` and `moments.from_cells`; `weight` (R,) is the number
    of blocks that each stands for, of which only the moments are known, by default one. Residuals
    are known where no cell has more than one score.
    """
    shape, quantiles, difference = UNKNOWN, np.empty(0), None
    if dataset is None and count.max() > 1:
        square, free = np.where(count > 1, within, 0.0), np.maximum(count - 1, 0).astype(np.float64)
    else:
        if dataset is None:
            dataset, mean = np.arange(len(count)), np.where(count > 0, mean, 0.0)
        rows = _rows(model, dataset, count, mean, weight)
        n = rows.sums(rows.held.astype(np.float64))
        # With two algorithms, removing what they share would leave both the same residuals.
        e = rows.after if mean.shape[1] > 2 else rows.before
        square = np.maximum(rows.sums(e * e) - rows.sums(e) ** 2 / np.maximum(n, 1), 0.0)
        free = np.maximum(n - 1, 0)
        if (rows.held.sum(axis=1) > 1).any() and (n > 1).any():
            difference = _differences(rows)
        if weight is None:
            shape, quantiles = _distribution(rows)
    return Residuals(
        shape=shape,
        quantiles=quantiles,
        spread=_spread(model, square, free, difference),
        effects=effects_of(stats, model),
    )


def _distribution(rows: _Rows) -> tuple[Shape, Array]:
    """Return shape and quantiles of the residuals, the latter of a sample."""
    step = -(-rows.after.size // _SAMPLE)
    # A step without a common factor with the number of columns takes from all of them.
    while np.gcd(step, rows.after.shape[1]) > 1:
        step += 1
    every = slice(None, None, step)
    sample = rows.after.ravel()[every][rows.held.ravel()[every]]
    shape = shape_of(rows.after.ravel() if rows.held.all() else rows.after[rows.held], test=False)
    return shape, np.quantile(sample, PROBABILITIES) / (sample.std() or 1.0)
