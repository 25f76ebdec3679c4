"""A test set split into parts, whose means come closer to a normal distribution.

A metric that is the mean of a loss per item can be taken on each of several disjoint parts of the
test set. Parts are the same for both algorithms, so that their means are paired, too.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import shapiro

from benchinfer.errors import DesignError, message

type Array = NDArray[np.float64]

FEWEST = 10
# The share of normal samples that the search for a part size takes for others.
_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Parts:
    """Means of parts.

    Attributes
    ----------
    means
        (N,) mean of each part.
    part
        (n,) the part of each item.
    """

    means: Array
    part: NDArray[np.int64]


def split(values: Array, n_parts: int | None, seed: int) -> Parts:
    """Split items at random into parts of one size, as nearly as can be.

    Parameters
    ----------
    values
        (n,) values of items, as a rule differences of two algorithms.
    n_parts
        Number of parts; None starts with an item each and doubles the size until Shapiro and Wilk's
        test does not reject normality at 5 %, or fewer than 10 parts would be left.
    seed
        Of the split.

    Raises
    ------
    DesignError
        There are fewer items than parts, or fewer than two parts.
    """
    n = len(values)
    if n_parts is not None:
        if not 2 <= n_parts <= n:
            raise DesignError(
                message(f"{n_parts} parts of {n} items.", hint="from two to the number of items.")
            )
        return _cut(values, n_parts, seed)
    size = 1
    found = _cut(values, n, seed)
    while n // (2 * size) >= FEWEST and not _normal(found.means):
        size *= 2
        found = _cut(values, n // size, seed)
    return found


def _cut(values: Array, n_parts: int, seed: int) -> Parts:
    order = np.random.default_rng(seed).permutation(len(values))
    part = np.empty(len(values), np.int64)
    part[order] = np.arange(len(values)) % n_parts
    return Parts(np.bincount(part, values) / np.bincount(part), part)


def _normal(means: Array) -> bool:
    if len(means) < 3 or np.ptp(means) == 0:
        return True
    # Beyond some thousand values the p-value of the test is not known well, and tiny departures,
    # which do not matter for a mean, are found.
    return float(shapiro(means[:5000]).pvalue) > _ALPHA
