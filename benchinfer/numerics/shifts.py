"""Hodges-Lehmann estimates of shifts.

An interval holds the shifts that a test does not reject at its level. For the signed-rank test it
runs between two order statistics of the Walsh averages ``(d_i + d_j) / 2``, i <= j, whose median is
the estimate; for the sign test, between two order statistics of the differences; for the rank-sum
test within strata (unpaired scores, data sets as strata), between two order statistics of all
differences within data sets.

Shifts of paired scores are about the centre of symmetric differences: if the differences are skew,
the signed-rank interval is about another number than mean or median.

References
----------
Hodges, J. L. & Lehmann, E. L. (1963). Estimates of location based on rank tests. Annals of
Mathematical Statistics 34, 598-611. https://doi.org/10.1214/aoms/1177704172

Sidak, Z. (1967). Rectangular confidence regions for the means of multivariate normal distributions.
Journal of the American Statistical Association 62, 626-633.
https://doi.org/10.1080/01621459.1967.10482935
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import betainc, ndtr, ndtri

from benchinfer.numerics import signs
from benchinfer.numerics.max_t import critical_t
from benchinfer.numerics.signs import signed_normal_scores
from benchinfer.numerics.types import Array, Codes

type Strata = list[tuple[Array, Array]]


@dataclass(frozen=True, slots=True)
class MeanDifferences:
    """Mean differences with simultaneous intervals."""

    # estimate, std_error, df: (P,) mean difference, its own standard error, and degrees of freedom
    estimate: Array
    std_error: Array
    df: Array
    # low, high: (P,) simultaneous interval
    low: Array
    high: Array


def freedom_of_units(share: Array) -> float:
    """Return Bell and McCaffrey's degrees of freedom of a mean over units of unequal size.

    Of C units `share` (C,) are those of their items, which are independent in the working model.
    ``1 / (sum h^2 + (sum q)^2 - sum q^2)`` with ``q = h^2 / (1 - h)``: C - 1 for units of one size.

    References
    ----------
    Bell, R. M. & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression
    with multi-stage samples. Survey Methodology 28, 169-181.

    Examples
    --------
    >>> round(freedom_of_units(np.full(8, 1 / 8)), 9)
    7.0
    """
    pairs = share**2 / (1 - share)
    return 1 / float((share**2).sum() + pairs.sum() ** 2 - (pairs**2).sum())


def mean_differences(
    scores: Array, pairs: Codes, level: float = 0.95, df: Array | None = None
) -> MeanDifferences:
    """Return mean differences of algorithms, each with its own standard error.

    Parameters
    ----------
    scores
        (B, K) scores of K algorithms in B blocks; NaN where there is none.
    pairs
        (P, 2) codes of first and second algorithm.
    level
        Simultaneous confidence.
    df
        (P,) degrees of freedom of t, by default B - 1.

    Returns
    -------
    MeanDifferences
        ``mean +- t sd / sqrt(B)`` over the blocks that hold both, with `df` degrees of freedom and
        the quantile of t at Sidak's level ``level^(1 / P)``: nothing is pooled, so that a pair does
        not depend on the other algorithms. With fewer than two blocks the interval is infinite.

    Notes
    -----
    The quantile of the studentized range, or of the largest of correlated t's, is too small here:
    it takes one standard deviation for all pairs, and covers 0.83 instead of 0.95 for 20
    algorithms in 10 blocks.
    """
    means = column_means(scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]])
    free = np.maximum(means.df, 1.0) if df is None else np.where(means.df > 0, df, 1.0)
    half = critical_t(free, -np.expm1(np.log(level) / max(len(pairs), 1))) * means.std_error
    free = np.where(means.df > 0, free, 0.0)
    estimate = means.estimate
    return MeanDifferences(estimate, means.std_error, free, estimate - half, estimate + half)


@dataclass(frozen=True, slots=True)
class ColumnMeans:
    """Means of P columns, each over the rows that it has; (P,) arrays."""

    n: Codes  # number of values
    estimate: Array  # mean, NaN without a value
    std_error: Array  # of the mean, infinite below two values
    df: Array  # degrees of freedom n - 1, 0 below two values


def column_means(values: Array) -> ColumnMeans:
    """Return the mean of each column (D, P) with its standard error; NaN where there is no value.

    Of differences these are the estimate and the error of the paired t-test. Nothing is pooled: a
    column's numbers depend on no other column.

    Examples
    --------
    >>> means = column_means(np.array([[1.0, 2.0], [3.0, np.nan]]))
    >>> means.estimate.tolist(), means.std_error.tolist(), means.n.tolist()
    ([2.0, 2.0], [1.0, inf], [2, 1])
    """
    present = np.isfinite(values)
    n = present.sum(axis=0)
    some = np.maximum(n, 1)
    estimate = np.where(present, values, 0.0).sum(axis=0) / some
    centred = np.where(present, values - estimate, 0.0)
    enough = n > 1
    free = np.where(enough, n - 1.0, 1.0)
    error = np.where(enough, np.sqrt((centred**2).sum(axis=0) / (free * some)), np.inf)
    return ColumnMeans(n, np.where(n > 0, estimate, np.nan), error, np.where(enough, free, 0.0))


# Up to so many differences the distribution of the signed-rank sum is computed, not approximated.
_MOST_EXACT = 500
# Candidates left when the search stops and sorting takes over, per difference.
_CANDIDATES = 2
# Order statistics whose averages begin the search.
_COARSE = 65


@dataclass(frozen=True, slots=True)
class Shift:
    """An estimated shift with its interval."""

    estimate: float  # hodges-Lehmann estimate or median
    # low, high: ends of the closed interval; infinite where there are too few differences for the
    # level
    low: float
    high: float
    # Confidence of the interval, at least the one requested (normal approximation: about it)
    level: float
    exact: bool  # whether the exact null distribution was used


def hodges_lehmann(differences: Array, level: float = 0.95, *, exact: bool | None = None) -> Shift:
    """Return the median of the Walsh averages with the interval of the signed-rank test.

    Parameters
    ----------
    differences
        (n,) paired differences, n >= 1.
    level
        Confidence of the interval.
    exact
        Whether to use the exact distribution of the signed-rank sum or the normal one with
        continuity correction; by default exact up to 500 differences.

    Returns
    -------
    Shift
        The interval runs from the C-th smallest to the C-th largest Walsh average, where C is the
        largest number with ``P(V <= C - 1) <= (1 - level) / 2``. With ties the closed interval
        still has at least its level.

    References
    ----------
    Hodges, J. L. & Lehmann, E. L. (1963). Estimates of location based on rank tests. Annals of
    Mathematical Statistics 34, 598-611. https://doi.org/10.1214/aoms/1177704172

    Examples
    --------
    >>> found = hodges_lehmann(np.array([0.1, 0.4, -0.2, 0.5, 0.3, 0.7]))
    >>> round(found.estimate, 4), round(found.low, 4), round(found.high, 4), found.level
    (0.3, -0.2, 0.7, 0.96875)
    """
    n = len(differences)
    exact = n <= _MOST_EXACT if exact is None else exact
    # The order of the Walsh average that ends the interval, 0 if none, and the level.
    count, reached = (_exact_rank if exact else _normal_rank)(n, (1 - level) / 2)
    last = n * (n + 1) // 2
    wanted = [(last - 1) // 2, last // 2]
    if count:
        wanted += [count - 1, last - count]
    middle = walsh_averages(differences, wanted)
    low, high = (middle[2], middle[3]) if count else (-np.inf, np.inf)
    return Shift(float(middle[0] + middle[1]) / 2, float(low), float(high), reached, exact)


def with_ends(shift: Shift, least: float, largest: float) -> tuple[float, float, bool]:
    """Return the ends of an interval, and whether the test has none at its level.

    The least and the largest difference take the place of ends that do not exist: of n symmetric
    differences they hold the centre between them with probability ``1 - 2^(1 - n)``.

    Examples
    --------
    >>> few = np.array([0.1, 0.4, 0.2])
    >>> with_ends(hodges_lehmann(few), few.min(), few.max())
    (0.1, 0.4, True)
    """
    low, high = max(shift.low, -np.inf), min(shift.high, np.inf)
    endless = bool(np.isinf(low) or np.isinf(high))
    return (
        float(least) if np.isinf(low) else low,
        float(largest) if np.isinf(high) else high,
        endless,
    )


def median_shift(differences: Array, level: float = 0.95) -> Shift:
    """Return the median with the interval of the sign test.

    Of n >= 1 differences the interval runs from the C-th smallest to the C-th largest, where C is
    the largest number with ``P(X <= C - 1) <= (1 - level) / 2`` for the heads X of n fair coins.

    Examples
    --------
    >>> median_shift(np.arange(1.0, 11.0))
    Shift(estimate=5.5, low=2.0, high=9.0, level=0.978515625, exact=True)
    """
    n = len(differences)
    ordered = np.sort(differences)
    # P(X <= c) of n fair coins, for each c.
    heads = np.arange(n // 2)
    below = betainc(n - heads, heads + 1, 0.5).astype(np.float64)
    count, reached = _largest_count(below, (1 - level) / 2)
    low, high = (ordered[count - 1], ordered[n - count]) if count else (-np.inf, np.inf)
    return Shift(float(np.median(ordered)), float(low), float(high), reached, exact=True)


def walsh_averages(differences: Array, positions: Iterable[int]) -> list[float]:
    """Return the Walsh averages at positions of their ascending order, from 0.

    They are found by narrowing an interval, with O(n log n) work a step and O(n) memory.
    """
    ordered = np.sort(differences)
    # The Walsh averages of evenly spaced order statistics.
    part = ordered[np.linspace(0, len(ordered) - 1, min(len(ordered), _COARSE)).astype(np.int64)]
    row, column = np.triu_indices(len(part))
    coarse = np.sort(part[row] / 2 + part[column] / 2)
    first, near = 0, np.zeros(0)
    averages: list[float] = []
    for position in positions:
        if not first <= position < first + len(near):
            first, near = _averages_near(ordered, position, coarse)
        averages.append(float(near[position - first]))
    return averages


def _largest_count(below: Array, tail: float) -> tuple[int, float]:
    # Equal up to rounding counts as equal: 0.95 leaves 0.0250000000000000022 on each side.
    count = int(np.searchsorted(below, tail * (1 + 1e-12), side="right"))
    return count, 1 - 2 * float(below[count - 1]) if count else 1.0


@cache
def _exact_rank(n: int, tail: float) -> tuple[int, float]:
    mass = signs.masses(np.arange(1, n + 1), n * (n + 1) // 4)
    return _largest_count(np.cumsum(mass), tail)


def _normal_rank(n: int, tail: float) -> tuple[int, float]:
    centre, spread = n * (n + 1) / 4, np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    count = max(int(np.floor(centre + 0.5 + spread * ndtri(tail))), 0)
    return count, 1 - 2 * float(ndtr((count - 0.5 - centre) / spread)) if count else 1.0


def _averages_near(ordered: Array, position: int, coarse: Array) -> tuple[int, Array]:
    """Return ascending Walsh averages with that at a position, and the position of their first."""
    places = np.arange(len(ordered))
    # One unit in the last place below all averages.
    low, high = float(np.nextafter(ordered[0], -np.inf)), float(ordered[-1])
    below, up_to = places, np.full(len(ordered), len(ordered))
    n_below, left = 0, len(ordered) * (len(ordered) + 1) // 2
    guess = round(position / left * len(coarse))
    slack = len(coarse) // _COARSE + 1
    guesses = [float(coarse[i]) for i in (guess - slack, guess + slack) if 0 <= i < len(coarse)]
    bisect, side = False, 1
    while left > (most := _CANDIDATES * len(ordered)):
        share = (position - n_below + side * most / 3) / left
        share = 0.5 if bisect else min(max(share, 0.0), 1.0)
        middle = guesses.pop() if guesses else low + (high - low) * share
        if not low < middle < high and not low < (middle := low + (high - low) / 2) < high:
            # All that is left are equal averages.
            row = int(np.argmax(up_to > below))
            return position, np.array([ordered[row] / 2 + ordered[below[row]] / 2])
        ends = _ends(ordered, middle)
        before, count = left, int((ends - places).sum())
        if count > position:
            high, up_to, left = middle, ends, count - n_below
        else:
            low, below, left, n_below = middle, ends, left - (count - n_below), count
        # A guess on either side in turns, halves where it leaves the most.
        bisect, side = left > before / 2, -side
    widths = up_to - below
    rows = np.repeat(places, widths)
    starts = np.cumsum(widths) - widths
    columns = np.arange(len(rows)) - np.repeat(starts - below, widths)
    return n_below, np.sort(ordered[rows] / 2 + ordered[columns] / 2)


def _ends(ordered: Array, value: float) -> Codes:
    """Return, for each difference i, the first j >= i whose average with it is above the value."""
    ends = np.arange(len(ordered))
    # Averages with itself and larger ones are above the value where the difference is.
    m = int(np.searchsorted(ordered, value, side="right"))
    ends[:m] = np.searchsorted(ordered, 2 * value - ordered[:m], side="right")
    return ends


# Up to so many differences the distribution of the sum is counted, not approximated.
_MOST_EXACT_NORMAL = 30
_HALVINGS = 200
_ROUNDING = 1e-11


def normal_score_shift(differences: Array, level: float = 0.95) -> Shift:
    """Return the shift that balances the signed normal scores, with the interval of their test.

    The interval holds the shifts after which the sum of the signed normal scores of the n >= 1
    differences is not beyond its critical value: exact up to 30 differences, else normal.

    Examples
    --------
    >>> found = normal_score_shift(np.array([0.1, 0.4, -0.2, 0.5, 0.3, 0.7]))
    >>> round(found.estimate, 4), round(found.low, 4), round(found.high, 4), found.level
    (0.3, -0.2, 0.7, 0.96875)
    """
    n = len(differences)
    critical, reached = _critical(n, (1 - level) / 2)
    low, high = -np.inf, np.inf
    if np.isfinite(critical):
        low, high = _crossing(differences, critical), -_crossing(-differences, critical)
    middle = (_crossing(differences, 0.0) - _crossing(-differences, 0.0)) / 2
    return Shift(middle, low, high, reached, n <= _MOST_EXACT_NORMAL)


@cache
def _critical(n: int, tail: float) -> tuple[float, float]:
    """Return the smallest sum that is rejected, infinite if none is, and the level reached."""
    weights = signed_normal_scores(np.arange(1.0, n + 1)[:, None], 0.0)[:, 0]
    if n > _MOST_EXACT_NORMAL:
        return -float(ndtri(tail) * np.sqrt((weights**2).sum())), 1 - 2 * tail
    noise = 1e-10 * float(weights[-1])
    total = float(weights.sum())

    def beyond(positive: float) -> float:
        return signs.upper_tail_of_reals(weights, positive, noise)

    if beyond(total) > tail * (1 + 1e-12):
        return np.inf, 1.0
    low, high = total / 2, total
    while high - low > noise / 4:
        middle = (low + high) / 2
        low, high = (low, middle) if beyond(middle) <= tail * (1 + 1e-12) else (middle, high)
    return 2 * high - total, 1 - 2 * beyond(high)


def _crossing(differences: Array, critical: float) -> float:
    """Return the smallest shift after which the sum is below the critical value."""
    low = float(np.nextafter(differences.min(), -np.inf))
    high = float(np.nextafter(differences.max(), np.inf))
    for _ in range(_HALVINGS):
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        total = signed_normal_scores((differences - middle)[:, None], 0.0).sum()
        low, high = (middle, high) if total >= critical - _ROUNDING else (low, middle)
    # The sum changes at Walsh averages alone: the nearest one is returned.
    ordered = np.sort(differences)
    at = np.searchsorted(ordered, 2 * high - ordered)
    near = [(ordered + ordered[np.clip(at - i, 0, len(ordered) - 1)]) / 2 for i in (0, 1)]
    averages = np.concatenate(near)
    return float(averages[np.abs(averages - high).argmin()])


def skewness(d: Array) -> Array:
    """Return the skewness of each column over its standard error under normality."""
    n = np.isfinite(d).sum(axis=0)
    enough = n >= 8
    some = np.maximum(n, 8)
    centred = np.nan_to_num(d - np.nansum(d, axis=0) / np.maximum(n, 1))
    squares = centred * centred
    variance = squares.sum(axis=0) / some
    scale = np.where(variance > 0, variance, 1.0) ** 1.5
    third = np.einsum("ij,ij->j", squares, centred)  # no power, which takes long
    error = np.sqrt(6 * (some - 2) / ((some + 1) * (some + 3)))
    return np.where(enough & (variance > 0), third / some / scale / error, 0.0)


def mean_contrast(strata: Sequence[Sequence[Array]], weights: Array) -> tuple[float, float, float]:
    """Return the mean over strata of a contrast of means, its standard error and its df.

    Parameters
    ----------
    strata
        For each data set one sample for each of m algorithms, none empty.
    weights
        (m,) of the algorithms.

    Returns
    -------
    tuple
        Estimate, standard error (infinite where a sample of one leaves it unknown), and
        Satterthwaite's degrees of freedom: Welch's test, stratified.

    Examples
    --------
    >>> one, two = np.array([1.0, 2, 3]), np.array([0.0, 4, 5, 7])
    >>> [round(x, 4) for x in mean_contrast([(one, two)], np.array([1.0, -1.0]))]
    [-2.0, 1.5811, 3.8571]
    """
    means = [float(np.dot(weights, [sample.mean() for sample in row])) for row in strata]
    size = np.array([[len(sample) for sample in row] for row in strata], np.float64)
    if size.min() < 2:
        return float(np.mean(means)), np.inf, 1.0
    parts = np.array([[sample.var(ddof=1) for sample in row] for row in strata])
    parts *= weights**2 / size
    total = float(parts.sum())
    df = total**2 / float((parts**2 / (size - 1)).sum()) if total > 0 else float((size - 1).sum())
    return float(np.mean(means)), float(np.sqrt(total)) / len(strata), df


def shift_within(strata: Strata, level: float = 0.95) -> Shift:
    """Return the median of the differences within strata with the interval of the rank-sum test.

    Parameters
    ----------
    strata
        First and second algorithm's scores on each data set.
    level
        Confidence of the interval, by the normal approximation with continuity correction.

    Examples
    --------
    >>> found = shift_within([(np.arange(5.0) + 3, np.arange(5.0)), (np.ones(4) * 5, np.ones(4))])
    >>> found.estimate
    4.0
    """
    sizes = np.array([(len(x), len(y)) for x, y in strata], np.float64)
    products = sizes.prod(axis=1)
    centre = float(products.sum()) / 2
    spread = float(np.sqrt((products * (sizes.sum(axis=1) + 1)).sum() / 12))
    count = max(int(np.floor(centre + 0.5 + spread * ndtri((1 - level) / 2))), 0)
    last = int(products.sum())
    ordered = [(np.sort(x), np.sort(y)) for x, y in strata]
    middle = (_at(ordered, (last - 1) // 2) + _at(ordered, last // 2)) / 2
    if not count:
        return Shift(middle, -np.inf, np.inf, 1.0, exact=False)
    reached = 1 - 2 * float(ndtr((count - 0.5 - centre) / spread))
    low, high = _at(ordered, count - 1), _at(ordered, last - count)
    return Shift(middle, low, high, reached, exact=False)


def _at(ordered: Strata, position: int) -> float:
    """Return the difference at a position of their ascending order, by bisection on counts."""
    low = float(np.nextafter(min(x[0] - y[-1] for x, y in ordered), -np.inf))
    high = max(x[-1] - y[0] for x, y in ordered)
    while True:
        middle = low + (high - low) / 2
        if not low < middle < high:
            return _snapped(ordered, float(high))
        # A difference is at most the middle where y is at least x minus it.
        below = sum(
            len(x) * len(y) - int(np.searchsorted(y, x - middle, side="left").sum())
            for x, y in ordered
        )
        low, high = (low, middle) if below > position else (middle, high)


def _snapped(ordered: Strata, value: float) -> float:
    """Return the difference nearest to a value: bisection ends within rounding of one."""
    near = [
        difference
        for x, y in ordered
        for i in (0, 1)
        for difference in (x - y[np.clip(np.searchsorted(y, x - value) - i, 0, len(y) - 1)])
    ]
    return float(min(near, key=lambda difference: abs(difference - value)))
