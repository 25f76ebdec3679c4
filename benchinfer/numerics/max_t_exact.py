"""Distribution of the largest t statistic in closed forms: Tukey, Dunnett, studentized range.

With N(w) the chance that the largest of n standard normal statistics exceeds w, that of the largest
t statistic is E N(t S), S^2 ~ chi-square(df) / df. The log of the ratio of N to Bonferroni's bound
is smooth: a polynomial through a few points serves all thresholds. A family with a known
distribution and similar correlations is a control variate for a sampled one.

If corr(T_i, T_j) = l_i l_j, as for differences from a control, T_i = l_i Y + sqrt(1 - l_i^2) Z_i
and given Y all probabilities multiply (Dunnett). For all pairs, two means differ too much if
|x_i - x_j| > c_i + c_j, that is if the intervals x_i +- c_i do not meet; intervals on a line all
meet if and only if one point lies in all of them, which has the probability of one integral.
With equal variances and allowances this is the studentized range.

References
----------
Dunnett, C. W. (1989). Algorithm AS 251: Multivariate normal probability integrals with product
correlation structure. Applied Statistics 38, 564-579. https://doi.org/10.2307/2347754

Lund, R. E. & Lund, J. R. (1983). Algorithm AS 190: Probabilities and upper quantiles for the
studentized range. Applied Statistics 32, 204-210. https://doi.org/10.2307/2347300
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.polynomial import chebyshev
from scipy.special import gammaln, log_ndtr, ndtr, stdtr

from benchinfer.numerics.directions.differences import PointDifferences
from benchinfer.numerics.types import Array, Codes

# A loading near 1 leaves a statistic hardly any noise of its own: a step in the integrand, which
# takes many points. The most kinds of loadings per such noise, and the largest loading.
_STEEPEST = 1000.0
_LARGEST = 0.99999
_BLOCK = 2_000_000


def loadings(correlation: Array, tolerance: float = 1e-9) -> Array | None:
    """Return (J,) loadings l with ``correlation[i, j] = l[i] l[j]`` off the diagonal, if any.

    Also None where `survival` would take too long: a control with some hundred times the variance
    of others that all differ.

    No correlation (J, J), J >= 2, may deviate by more than `tolerance`.

    Examples
    --------
    >>> loadings(np.array([[1.0, 0.5], [0.5, 1.0]])).round(4).tolist()
    [0.7071, 0.7071]
    """
    loading = _by_pivot(correlation)
    largest = np.abs(loading).max()
    gap = np.abs(correlation - np.outer(loading, loading))
    np.fill_diagonal(gap, 0.0)
    if gap.max() > tolerance or largest > _LARGEST:
        return None
    steep = len(_kinds(loading, 2)[0]) / np.sqrt(1 - largest**2) > _STEEPEST
    return None if steep else loading


def _kinds(loading: Array, sides: int) -> tuple[Array, Codes]:
    """Return distinct loadings and their counts."""
    value = np.round(np.abs(loading) if sides == 2 else loading, 13)
    return np.unique(value, return_counts=True)


def nearest_loadings(correlation: Array) -> Array:
    """Return loadings whose products are close to the correlations, by alternating regressions."""
    off = correlation - np.diag(np.diag(correlation))
    loading = np.clip(_by_pivot(correlation), -0.95, 0.95)
    for _ in range(200):
        square = loading @ loading - loading**2
        step = np.clip(off @ loading / np.maximum(square, 1e-12), -0.99, 0.99)
        # Half steps: full ones can swing between two values.
        loading = (loading + step) / 2
    return loading


def _by_pivot(correlation: Array) -> Array:
    """Solve for the loading of the row that correlates most, and divide by it."""
    off = correlation - np.diag(np.diag(correlation))
    a = int(np.abs(off).sum(axis=1).argmax())
    b = int(np.abs(off[a]).argmax())
    if abs(off[a, b]) < 1e-12:
        return np.zeros(len(off))
    third = np.abs(off[b] * off[a])
    third[[a, b]] = 0
    c = int(third.argmax())
    square = abs(off[a, b])
    if third[c] > 1e-12:
        square = abs(off[a, b] * off[a, c] / off[b, c])
    pivot = np.sqrt(square)
    loading = off[a] / pivot
    loading[a] = pivot
    return loading


def largest_survival(w: Array, loading: Array, sides: int) -> Array:
    """Return the chance that the largest of J normal statistics exceeds w.

    The trapezoidal rule over Y, of an analytic integrand; complements are formed without
    cancellation, so that the relative error stays near 1e-12 far out.

    Thresholds `w` are (n,), loadings (J,) lie in (-1, 1); `sides` is 2 for absolute values.

    Examples
    --------
    Independent statistics have loadings of zero.

    >>> float(largest_survival(np.array([2.0]), np.zeros(3), 2)[0].round(10))
    0.1303841677
    """
    value, count = _kinds(loading, sides)
    noise = np.sqrt(1 - value**2)
    step = 0.35 * min(1.0, float((noise / np.maximum(np.abs(value), noise)).min()))
    reach = 9.0 + float(np.abs(w).max(initial=0))
    # For absolute values the integrand is even in Y.
    y = step * np.arange(0 if sides == 2 else -int(9.0 / step), int(reach / step) + 1)
    weight = step * np.exp(-0.5 * y**2) / np.sqrt(2 * np.pi)
    if sides == 2:
        weight[1:] *= 2
    centre = value[:, None] * y
    result = np.empty(len(w))
    block = max(1, _BLOCK // centre.size)
    for start in range(0, len(w), block):
        at = w[start : start + block, None, None]
        beyond = ndtr((centre - at) / noise[:, None])
        if sides == 2:
            beyond += ndtr((-at - centre) / noise[:, None])
        with np.errstate(divide="ignore"):
            inside = np.einsum("wjy,j->wy", np.log1p(-np.minimum(beyond, 1.0)), count)
        result[start : start + block] = -np.expm1(inside) @ weight
    return np.minimum(result, 1.0)


# Beyond, the ratio to Bonferroni's bound no longer changes: probabilities below 1e-22, or one.
HIGHEST = 10.0
_LOWEST_DEGREE, _HIGHEST_DEGREE = 24, 384
# Largest spread of log S for the width of a step: N(w) of hundreds of means is as steep.
_STEP = 0.15


@dataclass(frozen=True, slots=True)
class ChebyshevSeries:
    """A smooth function on an interval, as a polynomial; constant beyond it."""

    coefficients: Array  # (n, ...) Chebyshev coefficients, of several functions at a time
    # low, high: ends of the interval
    low: float
    high: float

    @classmethod
    def of(
        cls, function: Callable[[Array], Array], ends: tuple[float, float], tolerance: float
    ) -> tuple[Self, bool]:
        """Fit a function, and return whether the last coefficients are below the tolerance.

        The degree doubles until they are.
        """
        degree = _LOWEST_DEGREE
        while True:
            degree *= 2
            series = cls.through(function(cls.points(degree, ends)), ends)
            settled = bool(np.abs(series.coefficients[-4:]).max() < tolerance)
            if degree >= _HIGHEST_DEGREE or settled:
                return series, settled

    @staticmethod
    def points(degree: int, ends: tuple[float, float]) -> Array:
        """Return the points that define a polynomial of a degree, from the upper end down."""
        angle = np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1)
        return ends[0] + (1 + np.cos(angle)) / 2 * (ends[1] - ends[0])

    @classmethod
    def through(cls, values: Array, ends: tuple[float, float]) -> Self:
        """Return the polynomials through values (n, ...) at as many points."""
        n = len(values)
        order = np.arange(n)
        # At these points the polynomials are orthogonal.
        weight = 2 / n * np.cos(np.outer(order, np.pi * (order + 0.5) / n))
        weight[0] /= 2
        return cls(np.tensordot(weight, values, 1), *ends)

    def __call__(self, x: Array) -> Array:
        """Return the values, elementwise."""
        inside = np.clip(x, self.low, self.high)
        scaled = (2 * inside - self.low - self.high) / (self.high - self.low)
        values = chebyshev.chebval(scaled, self.coefficients)
        return np.asarray(values, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class NormalTail:
    """N(w), the survival of the largest of n standard normal statistics."""

    ratio: ChebyshevSeries  # the log of N(w) over Bonferroni's bound
    count: int  # the number of tails in the bound: n, or 2n for absolute values

    def __call__(self, w: Array) -> Array:
        """Return N(w), elementwise."""
        return np.exp(np.minimum(self.ratio(w) + np.log(self.count) + log_ndtr(-w), 0.0))


def lowest(sides: int) -> float:
    """Return the smallest w of interest, which the largest of some statistics surely exceeds."""
    return 0.0 if sides == 2 else -8.0


def normal_tail(
    survival: Callable[[Array], Array], count: int, low: float, tolerance: float = 1e-11
) -> NormalTail:
    """Fit a survival function of n normal statistics.

    `survival` is N(w) for a vector w, accurate relative to itself; `count` the number of tails,
    twice that of statistics for absolute values; `low` the smallest w of interest, 0 for absolute
    values, below it for values: `lowest`.
    """

    def log_ratio(w: Array) -> Array:
        return np.log(np.clip(survival(w), 1e-300, 1.0)) - log_ndtr(-w) - np.log(count)

    return NormalTail(ChebyshevSeries.of(log_ratio, (low, HIGHEST), tolerance)[0], count)


_CHI_BLOCK = 16_384
# Thresholds from which on a polynomial through a few of them serves the others, and the bounds down
# to which one polynomial reaches, each with the tolerance of its log.
_THRESHOLDS = 400
_REACHES = ((1e-18, 1e-12), (1e-290, 1e-9))
# With so few degrees of freedom SciPy's t distribution has few digits near zero.
_FEW_DF = 1.0
# The errors of more thresholds are interpolated between so many.
_GRID = 40


def over_chi(normal: NormalTail, t: Array, df: float) -> Array:
    """Return E N(t S), S^2 ~ chi-square(df) / df, for thresholds (n,); `df` may be ``inf``.

    Of many thresholds the log of the ratio to Bonferroni's bound is a polynomial: to 1e-12 of
    chances above 1e-10, and to 1e-8 of the smallest ones.
    """
    if np.isinf(df) or df <= _FEW_DF or len(t) < _THRESHOLDS:
        return _by_trapezoids(normal, t, df)
    bound = normal.count * stdtr(df, -t)
    p, above = np.zeros_like(t), np.inf
    for least, tolerance in _REACHES:
        part = (bound > least) & (bound <= above)
        if part.any():
            p[part] = _along(normal, t[part], df, tolerance)
        above = least
    return p


def _along(normal: NormalTail, t: Array, df: float, tolerance: float) -> Array:
    """Return E N(t S) by a polynomial in arsinh t, or one by one where none is close."""

    def log_ratio(x: Array) -> Array:
        w = np.sinh(x)
        return np.log(_by_trapezoids(normal, w, df) / (normal.count * stdtr(df, -w)))

    x = np.arcsinh(t)
    ends = float(x.min()), float(x.max())
    if len(t) < _THRESHOLDS or not ends[0] < ends[1]:
        return _by_trapezoids(normal, t, df)
    series, settled = ChebyshevSeries.of(log_ratio, ends, tolerance)
    if not settled:
        return _by_trapezoids(normal, t, df)
    return np.minimum(np.exp(series(x)) * normal.count * stdtr(df, -t), 1.0)


def _by_trapezoids(normal: Callable[[Array], Array], t: Array, df: float) -> Array:
    """Return E N(t S) at each threshold, for N(w) of arrays of any shape.

    The trapezoidal rule in log S: the integrand is analytic and falls fast on both sides, so that
    the error is that of rounding.
    """
    if np.isinf(df):
        return normal(t)
    spread = 1 / np.sqrt(2 * df)
    step = 0.35 * min(spread, _STEP)
    # The chi density falls like e^(df u) to the left of u = log S = 0 and much faster to the
    # right; a large threshold moves the mass of the product to smaller S.
    shift = 0.5 * np.log1p(np.abs(t).max(initial=0) ** 2 / df)
    u = np.arange(-shift - max(37 / df, 9 * spread), 9 * spread + 9 / df, step)
    log_norm = np.log(2.0) + df / 2 * np.log(df / 2) - gammaln(df / 2)
    weight = step * np.exp(df * u - df * np.exp(2 * u) / 2 + log_norm)
    keep = weight > 0
    scale, weight = np.exp(u[keep]), weight[keep]
    # Few thresholds at a time stay in the cache.
    parts = np.array_split(t[:, None], -(-t.size * scale.size // _CHI_BLOCK) or 1)
    return np.minimum(np.concatenate([normal(w * scale) @ weight for w in parts]), 1.0)


def relative_error(normal: NormalTail, error: Array, t: Array, df: float) -> Array:
    """Return the relative standard errors of E N(t S), at most too large.

    `error` (2, m) are thresholds, from below, and the relative standard errors of N there. Those of
    more than 40 thresholds t are interpolated.
    """
    low, high = np.arcsinh([t.min(), t.max()])
    grid = t if len(t) <= _GRID else np.sinh(np.linspace(low, high, _GRID))
    values, errors = (
        _by_trapezoids(function, grid, df)
        for function in (normal, lambda w: normal(w) * np.interp(w, *error))
    )
    share = np.divide(errors, values, out=np.zeros_like(values), where=values > 0)
    return np.interp(t, grid, share)


_RANGE_BLOCK = 1_000_000


def gap_survival(w: Array, sigma: Array, allowance: Array) -> Array:
    """Return the chance that ``|x_i - x_j| > w (a_i + a_j)`` for some pair of K means.

    With m the largest of the left ends x_i - w a_i, the intervals miss a common point when some
    right end is below m; sums of such probabilities keep their relative accuracy far out.

    Thresholds `w` >= 0 are (n,); `sigma` (K,) are standard deviations of independent normal means,
    and `allowance` (K,) the a > 0.

    Examples
    --------
    Two means: a normal difference.

    >>> chance = gap_survival(np.array([1.96]), np.array([3.0, 4.0]), np.array([2.0, 3.0]))
    >>> float(chance[0].round(4))
    0.05
    """
    kinds, count = np.unique(np.column_stack([sigma, allowance]), axis=0, return_counts=True)
    sd, weights = kinds[:, :1], kinds[:, 1:]
    step = (0.11 if len(kinds) == 1 else 0.3) * sd.min()
    middle = np.arange(-9.5 * sd.max(), 9.5 * sd.max() + step, step)
    result = np.empty(len(w))
    block = max(1, _RANGE_BLOCK // (len(middle) * len(sd)))
    for start in range(0, len(w), block):
        reach = w[start : start + block, None, None] * weights
        right = (middle + reach) / sd
        log_below = log_ndtr(right)
        with np.errstate(divide="ignore"):
            meet = np.log1p(-np.minimum(np.exp(log_ndtr((middle - reach) / sd) - log_below), 1.0))
        log_density = -0.5 * right**2 - 0.5 * np.log(2 * np.pi) - np.log(sd)
        weight = count[:, None] * np.exp(
            log_density - log_below + np.einsum("wkm,k->wm", log_below, count)[:, None]
        )
        # Without the mean whose left end is m: it always meets itself.
        finite = np.maximum(meet, -800.0)
        others = np.einsum("wkm,k->wm", finite, count)[:, None] - finite
        result[start : start + block] = step * (weight * -np.expm1(others)).sum(axis=(1, 2))
    return np.minimum(result, 1.0)


def range_survival(w: Array, k: int) -> Array:
    """Return ``P(range > w)`` of k independent standard normals, elementwise."""
    width = np.asarray(w, dtype=np.float64)
    half = np.full(k, 0.5)
    return gap_survival(width.ravel(), np.ones(k), half).reshape(width.shape)


# Limit of the ratio of variances, for the width of the integrals, and how close differences may
# come to not being the largest along themselves.
_RATIO, _ROOM = 400.0, 0.99


@dataclass(frozen=True, slots=True)
class Similar:
    """A family of which the chance that the largest normal statistic exceeds w is known."""

    survival: Callable[[Array], Array]
    statistics: PointDifferences  # rows of any length

    def closeness(self, statistics: PointDifferences) -> float:
        """Return the mean correlation of statistics with their counterparts."""
        rows = self.statistics.rows()
        along = np.einsum("jr,jr->j", rows, statistics.rows())
        return float(np.mean(along / np.linalg.norm(rows, axis=1)))


def product_tail(statistics: PointDifferences, sides: int) -> NormalTail | None:
    """Return the normal tail where the correlations are products of loadings, else None."""
    if len(statistics) > statistics.rank:
        return None  # products of loadings short of 1 have full rank
    root = statistics.rows()
    loading = loadings(root @ root.T)
    if loading is None:
        return None
    count = sides * len(loading)
    return normal_tail(lambda w: largest_survival(w, loading, sides), count, lowest(sides))


def similar_product(statistics: PointDifferences, sides: int) -> Similar | None:
    """Return the family with product correlations next to those of J statistics of rank J."""
    if statistics.rank < len(statistics):
        return None  # a product structure has full rank: its radius has another distribution
    root = statistics.rows()
    loading = nearest_loadings(root @ root.T)
    correlation = np.outer(loading, loading)
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    decomposition = np.linalg.svd(root)
    near = (
        vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T @ decomposition.U @ decomposition.Vh
    )
    near = PointDifferences.of_rows(near)
    return Similar(lambda w: largest_survival(w, loading, sides), near)


@lru_cache(maxsize=64)
def range_tail(k: int) -> NormalTail:
    """Return the normal tail of all pairs of k means with equal variances; many tables share it."""
    return normal_tail(lambda w: range_survival(np.sqrt(2) * w, k), k * (k - 1), 0.0)


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of K means."""

    statistics: PointDifferences  # the P differences
    means: Codes  # (K,) numbers of the means

    @classmethod
    def of(cls, statistics: PointDifferences) -> Self | None:
        """Return the family if it is all pairs of the means that occur in it, else None."""
        means = np.union1d(statistics.first, statistics.second)
        every = len(means) * (len(means) - 1) // 2
        return cls(statistics, means) if statistics.pairs and len(statistics) == every else None

    @property
    def k(self) -> int:
        """Number of means."""
        return len(self.means)

    @property
    def equal(self) -> bool:
        """True if all differences have the same variance."""
        spread = self.statistics.error**2
        return bool(np.ptp(spread) <= 1e-9 * spread.max())

    def exact(self, sides: int) -> NormalTail | None:
        """Return the normal tail of the range, for equal variances and absolute values."""
        if sides == 1 or not self.equal:
            return None
        return range_tail(self.k)

    def similar(self, basis: Array) -> Similar:
        """Return the pairs of independent means, allowances in place of standard errors.

        `basis` (r, p) is the orthonormal one of the contrasts in which directions are drawn.
        Differences are absolute.
        """
        error = self.statistics.error
        if self.equal:
            scales = np.full(self.k, error[0] / 2)
            variance = 2 * scales**2
        else:
            variance = self._shared(error**2, np.ones_like(error))
            variance, scales = _bounded(variance, self._shared(error, 1 / error**2))
        sd = np.sqrt(variance)
        part = basis[:, self.means]
        values, vectors = np.linalg.eigh(part * variance @ part.T)
        half = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        allowance = np.zeros(basis.shape[1])
        allowance[self.means] = scales
        first, second = self.statistics.first, self.statistics.second
        points, both = basis.T @ half, allowance[first] + allowance[second]
        statistics = PointDifferences(points, first, second, both, pairs=True)
        return Similar(lambda w: gap_survival(w, sd, scales), statistics)

    def _shared(self, sums: Array, weight: Array) -> Array:
        """Return the (K,) values whose pairwise sums fit best by weighted least squares."""
        first, second = (
            np.searchsorted(self.means, ends)
            for ends in (self.statistics.first, self.statistics.second)
        )
        normal, right = np.zeros((self.k, self.k)), np.zeros(self.k)
        normal[first, second] = normal[second, first] = weight
        normal += np.diag(normal.sum(axis=1))
        for ends in (first, second):
            right += np.bincount(ends, weight * sums, self.k)
        return np.linalg.solve(normal, right)


def _bounded(variance: Array, scales: Array) -> tuple[Array, Array]:
    """Raise the smallest variances and allowances until a difference is the largest along itself.

    That of means i and k is so if v_i (a_k - a_j) < v_k (a_i + a_j) for each other j, with
    allowances a; the smallest a_j decides.
    """
    ratio = _RATIO
    while True:
        v = np.clip(variance, variance.max() / ratio, None)
        a = np.clip(scales, scales.max() / np.sqrt(ratio), None)
        apart = a - a.min() < _ROOM * (a + a.min())[:, None] * v / v[:, None]
        if apart.all():
            return v, a
        ratio /= 2
