"""Statistics of two-way tables of data sets and algorithms; gaps are NaN, and left out."""

import numpy as np

from benchinfer.numerics.types import Array, Flags
from benchinfer.scores.numerics.skewness import excessive, skewness

# Sweeps of rows and columns; without gaps the first one is the last.
_SWEEPS = 10
# Share of the largest score of a row up to which its spread is rounding.
_ROUNDING = 1e-12
_LEFT_OUT = 50  # columns that are left out in turn
# Rows of which quantiles of the spread mean something.
_FEWEST = 4
# Quantile 0.9 of a normal variable.
_DECILE = 1.2815515655446004
# Quantile 0.9 of chi-squared with one degree of freedom over the median, with two over quantile
# 0.1: further ones are by Wilson and Hilferty's approximation.
_ONE, _TWO = 5.947, 21.854


def residuals(table: Array) -> Array:
    """Return what (D, K) scores are without their row means and column medians.

    Medians, so that rows in a large unit, and scores far out, leave other rows as they are.

    Examples
    --------
    >>> residuals(np.array([[1.0, 2, 3], [2, 3, 4], [3, 4, np.nan], [0, 1, 8]])).round(2)
    array([[ 0.,  0.,  0.],
           [ 0.,  0.,  0.],
           [ 0.,  0., nan],
           [-2., -2.,  4.]])
    """
    observed = ~np.isnan(table)
    n = observed.sum(axis=1, keepdims=True)
    row, column = np.zeros((len(table), 1)), np.zeros(table.shape[1])
    for _ in range(1 if observed.all() else _SWEEPS):
        row = np.where(observed, table - column, 0.0).sum(axis=1, keepdims=True) / n
        column = _medians(table - row)
    return table - row - column


def _medians(table: Array) -> Array:
    """Return the medians of columns; numpy's of gaps take ten times as long."""
    n = np.isfinite(table).sum(axis=0)
    # Gaps come last; columns that lie in memory one by one are sorted faster.
    ordered, at = np.sort(np.ascontiguousarray(table.T), axis=1), np.arange(table.shape[1])
    return (ordered[at, (n - 1) // 2] + ordered[at, n // 2]) / 2


def spreads(table: Array, *, medians: bool = True) -> Array:
    """Return (D,) standard deviations of rows without the medians of columns; 0 of one score.

    Of two columns their difference is left as it is: its median is as rough as one row. Without
    `medians` those of all columns are left in.
    """
    left, held = table.copy(), np.isfinite(table)
    row, column = held.any(axis=1), held.any(axis=0)
    if medians and column.sum() > 2:
        left[np.ix_(row, column)] = residuals(table[np.ix_(row, column)])
    n = held.sum(axis=1)
    middle = np.nansum(left, axis=1) / np.maximum(n, 1)
    squares = np.nansum((left - middle[:, None]) ** 2, axis=1)
    spread = np.sqrt(squares / np.maximum(n - 1, 1))
    # Of rows that differ by column medians alone rounding is left.
    noise = _ROUNDING * np.abs(np.nan_to_num(table)).max(axis=1, initial=0.0)
    return np.where(spread > noise, spread, 0.0)


def spread_ratios(table: Array) -> Array:
    """Return (D,) spreads of rows over their median; 1 where they are 0, or rows are few."""
    spread = spreads(table)
    known = spread > 0
    if known.sum() < _FEWEST:
        return np.ones(len(spread))
    return np.where(known, spread / np.median(spread[known]), 1.0)


def unit_ratio(table: Array, *, medians: bool = True, enough: float = 1.0) -> float:
    """Return how many times rows spread more or less than others, beyond what chance explains.

    The square root of q90 / q10 of the rows' variances over that of chi-squared with K - 1 degrees
    of freedom, which is 1 for normal scores in one unit. Of four columns or more it is the
    smallest one without one of them (of more than 50 those that vary most), so that no column alone
    makes it large. Variances of two
    columns may be as small as 0 by chance, and their median takes the place of q10.

    The medians of columns are taken out first, as columns far apart vary alike in all rows. Where
    rows are in units far apart these medians are of the large ones, and fill the rows of small
    ones: without `medians` rows are compared as they are.

    From the ratio `enough` down it is not made smaller.

    Examples
    --------
    >>> table = np.random.default_rng(1).normal(size=(40, 5))
    >>> unit = 10.0 ** np.linspace(-1.5, 1.5, 40)[:, None]
    >>> round(unit_ratio(table), 1), round(unit_ratio(unit * table))
    (1.0, 68)
    """
    k = table.shape[1]
    ratio = _decile_ratio(table, medians=medians)
    if k < 4:
        return ratio
    for j in range(k) if k <= _LEFT_OUT else _farthest(table):
        if ratio <= enough:
            break
        ratio = min(ratio, _decile_ratio(np.delete(table, j, axis=1), medians=medians))
    return ratio


def _farthest(table: Array) -> list[int]:
    """Return the columns that make up most of the variances of rows."""
    centred = np.square(table - np.nanmean(table, axis=1, keepdims=True))
    total = np.nansum(centred, axis=1, keepdims=True)
    share = np.nansum(np.divide(centred, total, where=total > 0, out=np.zeros_like(table)), axis=0)
    return np.argsort(-share, kind="stable")[:_LEFT_OUT].tolist()


def _decile_ratio(table: Array, *, medians: bool) -> float:
    n = np.isfinite(table).sum(axis=1)
    table = table[n > 1]
    spread = spreads(table, medians=medians)
    spread = spread[spread > 0]
    if len(spread) < _FEWEST:
        return 1.0
    degrees = int(np.median(n[n > 1])) - 1
    low, high = np.quantile(spread, [0.1 if degrees > 1 else 0.5, 0.9]).tolist()
    return high / low / _expected(degrees) ** 0.5


def _expected(degrees: int) -> float:
    """Return the ratio of quantiles of chi-squared variables that `_decile_ratio` divides by."""
    if degrees <= 2:
        return _ONE if degrees == 1 else _TWO
    middle, half = 1 - 2 / (9 * degrees), _DECILE * (2 / (9 * degrees)) ** 0.5
    return ((middle + half) / (middle - half)) ** 3


def tie_share(table: Array) -> float:
    """Return the share of differences of two scores of a row that are zero."""
    ordered = np.sort(table, axis=1)
    # Runs of equal scores: each has as many ties as pairs.
    run, tied = np.zeros(len(table)), np.zeros(len(table))
    for step in np.diff(ordered, axis=1).T:
        run = np.where(step == 0, run + 1, 0)
        tied += run
    n = np.isfinite(table).sum(axis=1)
    return float(tied.sum() / max(int((n * (n - 1) // 2).sum()), 1))


def outlying(table: Array) -> int:
    """Count residuals that lie far out, for the spread of their column.

    Its median absolute deviation is its scale, so that unequal spreads of columns are no heavy
    tails; it is rough where rows are few, and more is asked of them.
    """
    left = residuals(table)
    scale = 1.4826 * _medians(np.abs(left))
    reach = (4 + 20 / len(left)) * scale
    return int((np.abs(left) > reach)[:, scale > 0].sum())


def skew_pairs(table: Array) -> Flags:
    """Return (K, K) whether the differences of two columns are too skew for claims about means."""
    k = table.shape[1]
    skew = np.zeros((k, k), np.bool_)
    for j in range(k - 1):
        differences = table[:, j + 1 :] - table[:, [j]]
        n = np.isfinite(differences).sum(axis=0)
        skew[j, j + 1 :] = excessive(skewness(differences), n)
    return skew | skew.T
