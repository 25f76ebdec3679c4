"""Distribution of the largest t statistic.

The distribution is exact (one integral, or two) where all pairs have equal standard errors, where
the correlations are products of loadings (comparisons with a control), for two
contrasts, and for families of rank two. Otherwise it is estimated from sampled directions, with
exact control variates, and the standard error is returned. Seeds are fixed: the same input gives
the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from benchinfer.core.errors import FitError
from benchinfer.numerics import max_t_exact
from benchinfer.numerics.covariance import all_pairs, contrast_variances
from benchinfer.numerics.directions import samples
from benchinfer.numerics.directions.differences import PointDifferences
from benchinfer.numerics.types import Array, Codes

type Aim = Literal["difference", "equivalence", "non-inferiority"]


# No error is stated below this, relative to the probability: that of interpolations and of single
# precision.
_LEAST = 1e-6
# Degree of polynomials for each unit of thresholds of normal statistics, by the sides: chances of
# the largest value, not of the largest absolute one, bend where they fall from one.
_DEGREE = {1: 20, 2: 5}
# Mean correlation with a similar family from which on it explains half of the sampling variance,
# and so is worth the time of as many directions again.
_CLOSE = 0.975
# Rows that are compared with all at a time.
_ROWS = 256
# Share of the largest eigenvalue from which none makes pairs correlate by 1.
_SINGULAR = 1e-10


@dataclass(frozen=True, slots=True)
class MaxT:
    """The distribution of the largest ``t`` (``sides=1``) or ``|t|`` of a family of contrasts."""

    df: float  # degrees of freedom common to the family, ``inf`` for known variances
    sides: int  # 2 for ``|t|``, 1 for ``t``
    statistics: PointDifferences  # the distinct contrasts, of unit length, in r dimensions
    tail: max_t_exact.NormalTail | None  # of normal statistics; None for one dimension
    # (2, n) thresholds of normal statistics and relative standard errors; None where it is exact
    error: Array | None = None

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
        return MaxT(df, sides, statistics, None)
    pairs = max_t_exact.Pairs.of(statistics) if keep.all() else None
    tail = pairs.exact(sides) if pairs else None
    if tail or (tail := max_t_exact.product_tail(statistics, sides)):
        return MaxT(df, sides, statistics, tail)
    if pairs:
        similar = pairs.similar(basis) if sides == 2 else None
    else:
        similar = max_t_exact.similar_product(statistics, sides)
    if similar is not None and similar.closeness(statistics) < _CLOSE:
        similar = None
    return MaxT(df, sides, statistics, *sampled(statistics, sides, similar))


def sampled(
    statistics: PointDifferences, sides: int, similar: max_t_exact.Similar | None = None
) -> tuple[max_t_exact.NormalTail, Array | None]:
    """Return the sampled normal tail, and its relative standard errors where it is not exact.

    Two sums of the sample are known: that at a threshold which is surely exceeded is one, and that
    of the same directions in a similar family.
    """
    series, count = max_t_exact.ChebyshevSeries, sides * len(statistics)
    low = max_t_exact.lowest(sides)
    ends = low, max_t_exact.HIGHEST
    degree = round(_DEGREE[sides] * (ends[1] - low))
    w = series.points(degree, ends)
    families = [statistics] if similar is None else [statistics, similar.statistics]
    sums = samples.largest(families, ends, degree, sides)
    ratio = sums[0] / (count * ndtr(-w))
    sure = series.through(ratio.T, ends)(np.array([low])) * count * ndtr(-low)
    controls = [np.broadcast_to(sure - 1, ratio.shape)]
    if similar:
        controls.append(sums[1] / similar.survival(w) - 1)
    mean, error = _controlled(ratio, np.stack(controls, axis=-1))
    smooth = series.through(mean, ends)
    tail = max_t_exact.normal_tail(
        lambda w: smooth(w) * count * ndtr(-w), count, low, tolerance=_LEAST / 100
    )
    return tail, None if error is None else np.stack([w, error / mean])[:, ::-1]


def _controlled(values: Array, controls: Array) -> tuple[Array, Array | None]:
    """Return means (n,) over replicates, less what controls explain, and their standard errors.

    Values are (replicates, n); controls (replicates, n, c) have expectations of zero. One replicate
    is exact.
    """
    replicates, _, c = controls.shape
    mean = values.mean(axis=0)
    if replicates == 1:
        return mean, None
    middle = controls.mean(axis=0)
    apart, centred = values - mean, controls - middle
    inverse = np.linalg.pinv(np.einsum("rni,rnj->nij", centred, centred), 1e-10, hermitian=True)
    slope = np.einsum("nij,rnj,rn->ni", inverse, centred, apart)
    rest = apart - np.einsum("rni,ni->rn", centred, slope)
    variance = (rest**2).sum(axis=0) / (replicates - 1 - c)
    leverage = 1 / replicates + np.einsum("ni,nij,nj->n", middle, inverse, middle)
    return mean - np.einsum("ni,ni->n", middle, slope), np.sqrt(variance * leverage)


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
    (n,) is 0 where the value is an integral without sampling, else at least 1e-6 of the value.
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
    p = max_t_exact.over_chi(family.tail, t, family.df)
    if family.error is None:
        return p, np.zeros_like(t)
    error = max_t_exact.relative_error(family.tail, family.error, t, family.df)
    return p, np.maximum(error, _LEAST) * p


def quantile(family: MaxT, alpha: float) -> float:
    """Return the c with ``P(max > c) = alpha``: the simultaneous critical value."""
    each = 2 * alpha / family.sides
    low = float(critical_t(family.df, each))
    high = float(critical_t(family.df, each / len(family.statistics)))
    if family.tail is not None:
        return _quantile(family.tail, family.df, alpha, (low, high))
    if len(family.statistics) == 1:
        return low
    return _crossing(lambda t: _finite(family, t)[0], (low, high), alpha)


@lru_cache(maxsize=256)
def _quantile(
    tail: max_t_exact.NormalTail, df: float, alpha: float, ends: tuple[float, float]
) -> float:
    """Return the quantile of a normal tail, which many tables may share."""
    return _crossing(lambda t: max_t_exact.over_chi(tail, t, df), ends, alpha)


def _crossing(tail: Callable[[Array], Array], ends: tuple[float, float], alpha: float) -> float:
    """Return where a survival function falls to alpha, between or at the ends."""
    from scipy.optimize import brentq

    margin = 1e-9 * (1 + abs(ends[0]) + abs(ends[1]))
    low, high = ends[0] - margin, ends[1] + margin
    return float(
        brentq(lambda t: float(tail(np.array([t]))[0]) - alpha, low, high, xtol=1e-10, rtol=1e-12)
    )


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
