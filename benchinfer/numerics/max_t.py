"""Distribution of the largest t statistic.

The distribution is exact (one integral, or two) where all pairs have equal standard errors, where
the correlations are products of loadings (comparisons with a control), for two
contrasts, and for families of rank two. Otherwise two sampling estimates (`directions`) with exact
control variates are combined, and their standard error is returned. Seeds are fixed: the same input
gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from benchinfer.core.errors import FitError
from benchinfer.numerics import max_t_exact
from benchinfer.numerics.covariance import all_pairs, contrast_variances
from benchinfer.numerics.directions import samples
from benchinfer.numerics.directions.differences import PointDifferences
from benchinfer.numerics.types import Array, Codes

type Aim = Literal["difference", "equivalence", "non-inferiority"]


# More thresholds than `_GRID` are interpolated, between so many up to where a p-value is at most
# `_RARE` and some beyond, where the ratio to Bonferroni's bound hardly changes.
_GRID, _BEYOND, _RARE = 40, 16, 1e-4
# No error is stated below these, relative to the probability: that of the tails of similar families
# and of the largest components in single precision, and that of interpolation.
_LEAST, _LEAST_BETWEEN = max_t_exact.CLOSE, 2e-4
# Rows that are compared with all at a time.
_ROWS = 256
# Relative error from which on a sample has too few directions of an event to know its error.
_SCARCE = 0.05
# Share of the largest eigenvalue from which none makes pairs correlate by 1.
_SINGULAR = 1e-10


@dataclass(frozen=True, slots=True)
class DirectionSample:
    """Directions of a family without a known distribution.

    Attributes
    ----------
    cones
        Limits of the angles, see `samples.cones`.
    lengths
        Largest components; None where the cones are exact (rank two).
    control, control_lengths
        The normal tail of a similar family and the lengths of the same directions in it, None where
        there is none.
    """

    cones: samples.SpreadDistribution
    lengths: samples.SpreadDistribution | None = None
    control: max_t_exact.NormalTail | None = None
    control_lengths: samples.SpreadDistribution | None = None


@dataclass(frozen=True, slots=True)
class MaxT:
    """The distribution of the largest ``t`` (``sides=1``) or ``|t|`` of a family of contrasts."""

    df: float  # degrees of freedom common to the family, ``inf`` for known variances
    sides: int  # 2 for ``|t|``, 1 for ``t``
    statistics: PointDifferences  # the distinct contrasts, of unit length, in r dimensions
    n_means: int  # K where the family is all pairs with equal standard errors (exact), else 0
    # The normal tail of the family where it is known, else its sample; None for one contrast
    tail: max_t_exact.NormalTail | DirectionSample | None

    @property
    def rank(self) -> int:
        """Rank of the contrasts' covariance."""
        return self.statistics.rank


def max_t(contrasts: Array, cov: Array, df: float, *, sides: int = 2) -> MaxT:
    """Prepare the distribution of the largest ``t`` or ``|t|``.

    Parameters
    ----------
    contrasts
        (J, p) contrasts, none of them zero; repeated ones count once.
    cov
        (p, p) covariance of the estimates.
    df
        Degrees of freedom common to the family.
    sides
        2 for the largest ``|t|``, 1 for the largest ``t``.

    Returns
    -------
    MaxT
        For `survival` and `quantile`. The same input gives the same numbers.

    References
    ----------
    Hothorn, T., Bretz, F. & Westfall, P. (2008). Simultaneous inference in general parametric
    models. Biometrical Journal 50, 346-363. https://doi.org/10.1002/bimj.200810425

    Somerville, P. N. (1997). Multiple testing and simultaneous confidence intervals: calculation of
    constants. Computational Statistics & Data Analysis 25, 217-233.
    https://doi.org/10.1016/S0167-9473(97)00009-0
    """
    spread = contrast_variances(contrasts, cov)
    if not (np.isfinite(spread).all() and spread.min() > 0):
        raise FitError("a contrast has no positive variance.")
    # NumPy's wheels of OpenBLAS 0.3.34 can crash here for 130 algorithms; SciPy has its own.
    from scipy.linalg import svd

    _, size, rows = svd(contrasts, full_matrices=False)
    basis = rows[size > 1e-10 * size[0]]
    values, vectors = np.linalg.eigh(basis @ cov @ basis.T)
    keep = values > 1e-12 * values[-1]
    # The symmetric root keeps directions close to those of the control variate.
    half = vectors[:, keep] * np.sqrt(values[keep]) @ vectors[:, keep].T
    half = half if keep.all() else vectors[:, keep] * np.sqrt(values[keep])
    statistics = PointDifferences.of(contrasts, basis.T @ half, np.sqrt(spread))
    # Pairs of well-conditioned estimates correlate by less than 1.
    if not (statistics.pairs and values[0] > _SINGULAR * values[-1]):
        statistics = statistics.subset(_distinct(statistics.rows(), sides))
    if statistics.rank == 1:
        return MaxT(df, sides, statistics, 2 if len(statistics) == 1 else 0, None)
    pairs = max_t_exact.Pairs.of(statistics) if keep.all() else None
    if pairs is not None and (tail := pairs.exact(sides)) is not None:
        return MaxT(df, sides, statistics, pairs.k, tail)
    if (tail := max_t_exact.product_tail(statistics, sides)) is not None:
        return MaxT(df, sides, statistics, 0, tail)
    similar = (
        pairs.similar(basis, sides) if pairs else max_t_exact.similar_product(statistics, sides)
    )
    return MaxT(df, sides, statistics, 0, _sample(statistics, sides, similar))


def _sample(
    statistics: PointDifferences, sides: int, similar: max_t_exact.Similar | None
) -> DirectionSample:
    cones = samples.cones(statistics, sides)
    if statistics.rank == 2:
        return DirectionSample(cones)
    if similar is None:
        return DirectionSample(cones, samples.lengths([statistics], sides)[0])
    lengths, control = samples.lengths([statistics, similar.statistics], sides)
    return DirectionSample(cones, lengths, similar.tail, control)


def _distinct(root: Array, sides: int) -> Codes:
    """Return the rows that do not repeat an earlier one (or its opposite, for ``|t|``)."""
    new = np.ones(len(root), np.bool_)
    for start in range(0, len(root), _ROWS):
        same = root[start : start + _ROWS] @ root[start:].T
        same = (np.abs(same, out=same) if sides == 2 else same) > 1 - 1e-12
        new[start:] &= ~np.triu(same, 1).any(axis=0)
    return np.flatnonzero(new)


def raw_p(t: Array, df: float | Array) -> Array:
    """Return two-sided p-values of t statistics, one by one."""
    return 2 * stdtr(df, -np.abs(t))


def critical_t(df: float | Array, alpha: float | Array) -> Array:
    """Return the two-sided critical value of a single t statistic."""
    finite = np.isfinite(df)
    value = stdtrit(np.where(finite, df, 1.0), alpha / 2)
    return -np.where(finite, value, ndtri(alpha / 2))


def survival(family: MaxT, t: Array) -> tuple[Array, Array]:
    """Return ``P(max |t| > t)``, or ``P(max t > t)``, and the standard error of its evaluation.

    Thresholds (n,) may be infinite; for ``sides=2`` negative ones are exceeded surely. The error
    (n,) is 0 where the value is an integral without sampling, else at least 1e-5 of the value, and
    2e-4 where that is interpolated: of more than 40 thresholds.
    """
    t = np.asarray(t, dtype=np.float64)
    points, back = np.unique(t, return_inverse=True)
    if family.sides == 2:
        points = np.maximum(points, 0.0)
    p, error = np.where(points > 0, 0.0, 1.0), np.zeros_like(points)
    finite = np.isfinite(points)
    if finite.any():
        p[finite], error[finite] = _finite(family, points[finite])
    return p[back].reshape(t.shape), error[back].reshape(t.shape)


def _finite(family: MaxT, t: Array) -> tuple[Array, Array]:
    if family.tail is None:
        alone = stdtr(family.df, -t)
        # Distinct in one dimension: a contrast, or that and its opposite.
        both = family.sides == 2 or len(family.statistics) == 2
        return np.where(t > 0, 2 * alone, 1.0) if both else alone, np.zeros_like(t)
    if isinstance(family.tail, max_t_exact.NormalTail):
        return max_t_exact.over_chi(family.tail, t, family.df), np.zeros_like(t)
    if len(t) <= _GRID:
        return _estimates(family, t)
    # The ratio to Bonferroni's bound is smooth and lies between 1/J and 1.
    nodes = np.arcsinh(t)
    rare = np.arcsinh(critical_t(family.df, _RARE / len(family.statistics)))
    middle = np.clip(rare, nodes[0], nodes[-1])
    far = middle + (nodes[-1] - middle) * np.linspace(0, 1, _BEYOND) ** 2
    grid = np.unique([*np.linspace(nodes[0], middle, _GRID), *far])
    p, error = _estimates(family, np.sinh(grid))
    from scipy.interpolate import CubicSpline

    low = np.finfo(np.float64).tiny
    bound = [np.maximum(_bonferroni(family, np.sinh(x)), low) for x in (grid, nodes)]
    ratio = CubicSpline(grid, np.log(np.maximum(p, low) / bound[0]))(nodes)
    value = np.minimum(np.exp(ratio) * bound[1], 1.0)
    relative = np.interp(nodes, grid, error / np.maximum(p, low))
    return value, np.maximum(relative, _LEAST_BETWEEN) * value


def _bonferroni(family: MaxT, t: Array) -> Array:
    return len(family.statistics) * family.sides * stdtr(family.df, -t)


def _estimates(family: MaxT, t: Array) -> tuple[Array, Array]:
    """Return the means of both estimates, weighted by their precision."""
    sample = family.tail
    if not isinstance(sample, DirectionSample):
        raise TypeError(sample)
    at_zero = _cone_values(family, sample, 0.0)
    values = [_estimate(family, sample, float(x), at_zero) for x in t]
    p, error = np.array(values).reshape(-1, 2).T
    return p, error if sample.lengths is None else np.maximum(error, _LEAST * p)


def _estimate(
    family: MaxT, sample: DirectionSample, t: float, at_zero: Array
) -> tuple[float, float]:
    estimates = [_by_cones(family, sample, t, at_zero)]
    if sample.lengths is not None:
        estimates += _by_lengths(family, sample, sample.lengths, t)
    p, error = np.array(estimates).T
    bound = float(_bonferroni(family, np.array(t)))
    if (error <= 1e-14 * bound).any():
        return min(float(p[error.argmin()]), 1.0), 0.0
    weight = (bound / error) ** 2
    value = float(weight @ p / weight.sum())
    return min(max(value, 0.0), bound, 1.0), bound * float(weight.sum() ** -0.5)


def _cone_values(family: MaxT, sample: DirectionSample, t: float) -> Array:
    values = samples.cone_values(t, sample.cones.nodes, family.rank, family.df, family.sides)
    return family.sides * len(family.statistics) * values


def _by_cones(
    family: MaxT, sample: DirectionSample, t: float, at_zero: Array
) -> tuple[float, float]:
    """Sum over the statistics, corrected by the sum at a threshold of zero.

    There (for ``|t|``) the sum is known: one.
    """
    values, share = _cone_values(family, sample, t), sample.cones.share
    each = share @ values
    if family.sides == 2 and len(each) > 1:
        mean = share.mean(axis=0)
        centred = at_zero - mean @ at_zero
        slope = mean @ (centred * values) / (mean @ centred**2)
        each = each - slope * (share @ at_zero - 1)
    return _summary(each)


def _by_lengths(
    family: MaxT, sample: DirectionSample, lengths: samples.SpreadDistribution, t: float
) -> list[tuple[float, float]]:
    """Average over directions, minus the control variate's error where that helps.

    Without a result where few directions reach the threshold: of those that were not drawn, neither
    the replicates' spread nor that of their differences to the control variate says anything.
    """
    r, df = family.rank, family.df
    each = lengths.share @ samples.beyond(t, lengths.nodes, r, df)
    plain = _summary(each)
    if plain[1] >= _SCARCE * plain[0]:
        return []
    if sample.control is None or sample.control_lengths is None or t < sample.control.low:
        return [plain]
    similar = sample.control_lengths
    exact = float(max_t_exact.over_chi(sample.control, np.array([t]), df)[0])
    controlled = _summary(each - similar.share @ samples.beyond(t, similar.nodes, r, df) + exact)
    return [min(plain, controlled, key=lambda estimate: estimate[1])]


def _summary(replicates: Array) -> tuple[float, float]:
    n, largest = len(replicates), float(np.abs(replicates).max())
    if n == 1 or largest == 0:
        return float(replicates.mean()), 0.0
    # Squares of probabilities below 1e-154 would be zero.
    error = largest * float((replicates / largest).std(ddof=1) / np.sqrt(n))
    return float(replicates.mean()), error


def quantile(family: MaxT, alpha: float) -> float:
    """Return the c with ``P(max > c) = alpha``: the simultaneous critical value."""
    each = 2 * alpha / family.sides
    low = float(critical_t(family.df, each))
    high = float(critical_t(family.df, each / len(family.statistics)))
    if family.tail is None and len(family.statistics) == 1:
        return low

    if family.n_means and family.sides == 2:
        return _range_quantile(family.n_means, family.df, alpha, (low, high))
    return _crossing(lambda t: survival(family, np.array([t]))[0], (low, high), alpha)


@lru_cache(maxsize=256)
def _range_quantile(k: int, df: float, alpha: float, ends: tuple[float, float]) -> float:
    """Return the quantile of all pairs with equal errors; many tables share it."""
    tail = max_t_exact.range_tail(k)
    return _crossing(lambda t: max_t_exact.over_chi(tail, np.array([t]), df), ends, alpha)


def _crossing(tail: Callable[[float], Array], ends: tuple[float, float], alpha: float) -> float:
    """Return where a survival function falls to alpha, between or at the ends."""
    from scipy.optimize import brentq

    margin = 1e-9 * (1 + abs(ends[0]) + abs(ends[1]))
    low, high = ends[0] - margin, ends[1] + margin
    return float(brentq(lambda t: float(tail(t)[0]) - alpha, low, high, xtol=1e-10, rtol=1e-12))


@dataclass(frozen=True, slots=True)
class CriticalFamily:
    """Comparisons that are made together."""

    # ``"tukey"``: all pairs of n algorithms with one error; ``"dunnett"``: n - 1 algorithms with a
    # control, with one error; ``"bonferroni"``: n comparisons at equal shares of the level, the
    # first of Holm's steps
    kind: Literal["tukey", "dunnett", "bonferroni"]
    n: int  # algorithms, or comparisons


ALONE = CriticalFamily("bonferroni", 1)


@lru_cache(maxsize=4096)
def critical(family: CriticalFamily, aim: Aim, alpha: float, df: float) -> float:
    """Return the critical value of each comparison.

    Of a difference it is two-sided. Of an equivalence both one-sided tests are at alpha, so that it
    is the two-sided one at ``2 alpha``. Of a non-inferiority it is one-sided; of all pairs in both
    directions, which makes it two-sided again.

    `alpha` is the level of the family, `aim` what each comparison is to show; `df` may be ``inf``.

    Examples
    --------
    >>> [round(critical(CriticalFamily("tukey", k), "difference", 0.05, 20.0), 4) for k in (2, 3)]
    [2.086, 2.53]
    """
    if family.kind == "bonferroni" or family.n == 2:
        share = alpha / family.n if family.kind == "bonferroni" else alpha
        return float(critical_t(df, share if aim == "difference" else 2 * share))
    if aim == "equivalence":
        alpha *= 2
    sides = 1 if aim == "non-inferiority" and family.kind == "dunnett" else 2
    if family.kind == "tukey":
        contrasts = all_pairs(family.n)[1]
    else:
        contrasts = np.hstack([np.eye(family.n - 1), -np.ones((family.n - 1, 1))])
    return quantile(max_t(contrasts, np.eye(family.n), df, sides=sides), alpha)
