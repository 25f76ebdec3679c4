"""Tests of contrasts by their own spread between data sets, and by flips of whole data sets.

A contrast is one number for each data set. Its standard error is their standard deviation over the
root of their number (what CR2 gives in this case), with D - 1 degrees of freedom. If the vector of
the true null contrasts of a data set is as likely as its negative, the signs of whole data sets can
be flipped, which keeps the correlations of contrasts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from scipy.special import stdtr, stdtrit

from benchinfer.numerics.multiplicity import SPENT, ends_level, holm, level_share
from benchinfer.numerics.types import Array, Codes, Flags

# All sign patterns of so many data sets are enumerated; of more a sample is drawn.
MOST_EXACT = 13
DRAWS = 9_999
LEAST_FLIPPED = 7
_BLOCK = 128  # contrasts handled at a time
_BINS = 4_096  # of sizes of t statistics, within which single p-values are bounded from above
_TIES = 1e-9  # relative difference of statistics within which they tie


@dataclass(frozen=True, slots=True)
class ContrastEstimates:
    """Estimates of P contrasts with errors from the spread between data sets; (P,) arrays.

    ``n`` counts the data sets that the contrast rests on; where these are fewer than two, the
    contrast is not estimable: its estimate is NaN without any, and its error infinite. Errors are 0
    where the contrast is the same on every data set, ``flat``.
    """

    estimate: Array
    std_error: Array
    n: Codes
    flat: Flags
    df: Array

    @staticmethod
    def of(values: Array) -> ContrastEstimates:
        """Return the estimates of contrasts (D, P), NaN where a data set lacks a cell.

        Each has the error of its own spread.
        """
        present = np.isfinite(values)
        n = present.sum(axis=0)
        filled = np.where(present, values, 0.0)
        estimate = np.where(n > 0, filled.sum(axis=0) / np.maximum(n, 1), np.nan)
        squares = (np.where(present, filled - np.nan_to_num(estimate), 0.0) ** 2).sum(axis=0)
        size = np.abs(filled).max(axis=0, initial=0.0)
        error = np.sqrt(squares / np.maximum(n - 1, 1) / np.maximum(n, 1))
        flat = (n > 1) & (error <= 1e-12 * size)
        error = np.where(n < 2, np.inf, np.where(flat, 0.0, error))
        return ContrastEstimates(estimate, error, n, flat, np.maximum(n - 1.0, 1.0))

    @staticmethod
    def join(parts: Sequence[ContrastEstimates]) -> ContrastEstimates:
        """Return the contrasts of all parts."""
        return ContrastEstimates(
            *(
                np.concatenate([getattr(part, field.name) for part in parts])
                for field in fields(ContrastEstimates)
            )
        )

    def take(self, places: Codes) -> ContrastEstimates:
        """Return some contrasts in another order."""
        return ContrastEstimates(
            *(getattr(self, field.name)[places] for field in fields(ContrastEstimates))
        )

    @property
    def estimable(self) -> Flags:
        """(P,) contrasts that two data sets or more hold, and that vary between them."""
        return (self.n > 1) & ~self.flat

    @property
    def statistic(self) -> Array:
        """(P,) t statistics, 0 where a contrast is not estimable."""
        safe = np.where(self.estimable, self.std_error, 1.0)
        return np.where(self.estimable, np.nan_to_num(self.estimate) / safe, 0.0).astype(np.float64)

    @property
    def p_raw(self) -> Array:
        """(P,) two-sided p-values, 1 where a contrast is not estimable."""
        p: Array = 2 * stdtr(self.df, -np.abs(self.statistic))
        return np.where(self.estimable, p, 1.0)

    def interval(self, alpha: float) -> tuple[Array, Array]:
        """Return (P,) ends of intervals at level alpha, infinite without an estimable contrast."""
        reach = stdtrit(self.df, 1 - alpha / 2) * np.where(self.estimable, self.std_error, 1.0)
        reach = np.where(self.estimable, reach, np.inf)
        middle = np.nan_to_num(self.estimate)
        return middle - reach, middle + reach


def sign_patterns(n: int, seed: int) -> Array:
    """Return (R, n) patterns of signs, that of the data first: all up to a common sign, or drawn.

    Examples
    --------
    >>> sign_patterns(2, 1).tolist()
    [[1.0, 1.0], [1.0, -1.0]]
    """
    if n <= MOST_EXACT:
        bits = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n)[::-1]) & 1
        return np.where(bits == 1, -1.0, 1.0)
    drawn = np.random.default_rng(seed).integers(0, 2, size=(DRAWS + 1, n))
    drawn[0] = 0  # the data as they are
    return np.where(drawn == 1, -1.0, 1.0)


def flipped(n_datasets: int, m: int, alpha: float) -> bool:
    """Return whether flips of so many data sets can decide each of m contrasts at level alpha."""
    finest = 2.0 ** (1 - n_datasets) if n_datasets <= MOST_EXACT else 1 / (DRAWS + 1)
    least = alpha * level_share(1.0, m, SPENT if m > 1 else 0.0)
    return n_datasets >= LEAST_FLIPPED and finest <= least


def adjusted_p(
    effects: ContrastEstimates, values: Array | None, alpha: float, seed: int
) -> tuple[Array, bool]:
    """Return (P,) adjusted p-values of contrasts, and whether they are by flips of (D, P) values.

    The largest t under flips of whole data sets, stepped down; where data sets are too few for
    flips at level alpha, or there is no value for each of them, Holm's adjustment of t tests. Both
    leave half of the level to intervals (`multiplicity.level_share`).
    """
    tested = np.flatnonzero(effects.estimable)
    p = np.ones(len(effects.n))
    if not len(tested):
        return p, False
    spent = SPENT if len(tested) > 1 else 0.0
    if values is None or not flipped(int(effects.n[tested].min()), len(tested), alpha):
        p[tested] = holm(effects.p_raw[tested], spent)
        return p, False
    signs = sign_patterns(len(values), seed)
    p[tested] = step_down_flips(values[:, tested], effects.statistic[tested], signs, spent)
    return p, True


def level_of_ends(m: int, alpha: float) -> float:
    """Return the level of each of m intervals beside tests of a family at level alpha."""
    return ends_level(alpha, m)


def step_down_flips(values: Array, statistic: Array, signs: Array, spent: float) -> Array:
    """Return step-down p-values of the largest of P statistics under flips of signs.

    Parameters
    ----------
    values
        (D, P) contrasts, NaN where a data set lacks a cell.
    statistic
        (P,) their t statistics.
    signs
        (R, D) patterns, that of the data among them.
    spent
        Share of the level that intervals take, as in `multiplicity.level_share`.

    Notes
    -----
    The p-value of the r-th largest statistic is the largest of ``p_S / (1 - s + s k / m)`` over
    the sets S of the r'-th and all smaller ones, r' <= r, at the r'-th statistic, where p_S is the
    share of patterns whose largest statistic over S reaches it, and ``k = min(|S|, max(1, p_S /
    p_1))`` with the largest p_1 of a single one of S. Without intervals (s = 0) it is that of
    Westfall and Young; k bounds what subsets of S can do at their own share of the level, with p_1
    read off bins of statistics, from above.

    References
    ----------
    Westfall, P. H. & Young, S. S. (1993). Resampling-based multiple testing. Wiley.
    """
    size = np.abs(statistic)
    order = np.argsort(-size, kind="stable")
    threshold = size[order] * (1 - _TIES)
    of_threshold = _bin(threshold)
    m, n_patterns = len(order), len(signs)
    largest, most_in_bin = np.zeros((n_patterns, 1)), np.zeros(_BINS, dtype=np.int64)
    of_set, of_one = np.zeros(m), np.zeros(m)
    for end in range(m, 0, -_BLOCK):
        start = max(end - _BLOCK, 0)
        # Columns from the smallest statistic on: running maxima are those over the sets S.
        block = _statistics(values[:, order[start:end][::-1]], signs)
        if spent:
            counts = np.maximum.accumulate(_counts(block), axis=0)
            np.maximum(counts, most_in_bin, out=counts)
            most_in_bin = counts[-1]
            bins = of_threshold[start:end]
            of_one[start:end] = counts[::-1][np.arange(end - start), bins]
        np.maximum.accumulate(block, axis=1, out=block)
        np.maximum(block, largest, out=block)
        largest = block[:, -1:].copy()
        of_set[start:end] = np.count_nonzero(block[:, ::-1] >= threshold[start:end], axis=0)
    p_set = of_set / n_patterns
    most = np.arange(m, 0, -1.0)
    together = np.minimum(most, np.maximum(1.0, of_set / np.maximum(of_one, 1.0)))
    steps = p_set / level_share(together, m, spent)
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def _bin(size: Array) -> Codes:
    """Return the bins of sizes of t statistics, which are finer where they are small."""
    return (size / (1 + size) * _BINS).astype(np.int64)


def _counts(block: Array) -> Codes:
    """Return (P, bins) how many sizes (R, P) of each contrast lie in a bin or a higher one."""
    n = block.shape[1]
    place = _bin(block) + np.arange(n) * _BINS
    counts = np.bincount(place.ravel(), minlength=n * _BINS).reshape(n, _BINS)
    return counts[:, ::-1].cumsum(axis=1)[:, ::-1]


def _statistics(values: Array, signs: Array) -> Array:
    """Return (R, P) sizes of the t statistics of contrasts (D, P) under each pattern of signs."""
    present = np.isfinite(values)
    filled, n = np.where(present, values, 0.0), present.sum(axis=0)
    # Flips leave the sum of squares as it is.
    share = np.square(signs @ filled) / (n * (filled**2).sum(axis=0))
    left = np.maximum(1 - share, 1e-15)
    np.multiply(share, n - 1, out=share)
    np.divide(share, left, out=share)
    return np.sqrt(share, out=share)
