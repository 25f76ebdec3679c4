"""Closed testing of all pairs of many algorithms, where p-values fall with a distance.

So they do for sums of scores over complete blocks, mean ranks among them: all differences have one
standard error, and a larger difference has the smaller p-value. The sets of equalities that can be
true together are then intervals of a line, which can be gone through in polynomial time.

References
----------
Bergmann, B. & Hommel, G. (1988). Improvements of general multiple test procedures for redundant
systems of hypotheses. In: Multiple Hypothesenpruefung, 100-115.
https://doi.org/10.1007/978-3-642-52307-6_8
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import DesignError, message
from benchinfer.numerics import line_partitions

type Array = NDArray[np.float64]
type Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Line:
    """Algorithms in the order of their places, and pairs in levels of equal distance.

    Attributes
    ----------
    placed
        (k,) places, ascending.
    low, high
        (m,) indices of each pair's places.
    reaches
        (L,) distances of the levels, the largest first.
    level
        (m,) level of each pair.
    """

    placed: Integers
    low: Integers
    high: Integers
    reaches: Integers
    level: Integers

    def largest(self, p: Array) -> Array:
        """Return (L,) the largest p-value of each level."""
        found = np.zeros(len(self.reaches))
        np.maximum.at(found, self.level, p)
        return found

    def count(self, pairs: Integers, levels: Integers) -> Integers:
        """Return the most pairs that can be true with each, if lower levels than these differ."""
        return line_partitions.most_together(
            self.placed, self.low[pairs], self.high[pairs], self.reaches[levels]
        )


def _line(places: Integers) -> _Line:
    order = np.argsort(places, kind="stable")
    placed = places[order]
    first, second = np.triu_indices(len(places), 1)
    index = np.empty(len(places), dtype=np.int64)
    index[order] = np.arange(len(places))
    low, high = np.minimum(index[first], index[second]), np.maximum(index[first], index[second])
    # Levels ascend with p: the largest distance is level 0.
    negative, level = np.unique(placed[low] - placed[high], return_inverse=True)
    return _Line(placed, low, high, -negative, level)


def falling(p: Array, places: Integers) -> Array:
    """Raise p-values to the largest of those at the same or a larger distance.

    What is raised stays valid. For p-values that fall up to Monte Carlo error.

    Parameters
    ----------
    p
        (k (k - 1) / 2,) p-values in the order of `tukey.all_pairs`.
    places
        (k,) integers.

    Examples
    --------
    >>> falling(np.array([0.02, 0.01, 0.05]), np.array([0, 2, 1])).tolist()
    [0.02, 0.05, 0.05]
    """
    line = _line(places)
    return np.maximum.accumulate(line.largest(p))[line.level]


def shaffer_on_line(p: Array, places: Integers) -> Array:
    """Return Shaffer's adjusted p-values, second variant, where p falls with a distance.

    Parameters
    ----------
    p, places
        As in `bergmann_hommel_on_line`.

    Raises
    ------
    DesignError
        A pair at a larger distance has a larger p-value, or one at the same distance another.
    """
    line = _line(places)
    thresholds = _thresholds(p, line)
    most = np.zeros(len(thresholds), np.int64)
    np.maximum.at(most, line.level, line.count(np.arange(len(p)), line.level))
    worst = np.maximum.accumulate(thresholds * most)
    return np.minimum(worst[line.level], 1.0)


def bergmann_hommel_on_line(p: Array, places: Integers) -> Array:
    """Return Bergmann and Hommel's exact adjusted p-values where p falls with a distance.

    Parameters
    ----------
    p
        (k (k - 1) / 2,) p-values in the order of `tukey.all_pairs`.
    places
        (k,) integers whose distances order the p-values: twice the rank sums, not mean ranks, so
        that equal distances are equal. Seconds for 40 algorithms.

    Raises
    ------
    DesignError
        A pair at a larger distance has a larger p-value, or one at the same distance another.
    """
    line = _line(places)
    thresholds = _thresholds(p, line)
    return np.minimum(_largest_product(thresholds, line.level, line.count), 1.0)


def _thresholds(p: Array, line: _Line) -> Array:
    thresholds = line.largest(p)
    uneven = p < (1 - 1e-9) * thresholds[line.level]
    if uneven.any() or (np.diff(thresholds) < 0).any():
        raise DesignError(message("The p-values do not fall with the distances of the places."))
    return thresholds


def _largest_product(
    thresholds: Array, own: Integers, count: Callable[[Integers, Integers], Integers]
) -> Array:
    """Return, for each pair, the largest ``t M_t`` over the levels up to its own.

    Counts fall as levels rise, so that the last threshold of an interval times the count before
    its start bounds the products within: most intervals need no look inside.
    """
    pairs = np.arange(len(own))
    low, high = np.zeros_like(own), own
    most, least = count(pairs, low), count(pairs, own)
    best = np.maximum(thresholds[low] * most, thresholds[high] * least)
    while True:
        bound = thresholds[np.maximum(high - 1, 0)] * most
        keep = (high - low > 1) & (bound > best[pairs]) & (best[pairs] < 1)
        if not keep.any():
            return best
        pairs, low, high, most = pairs[keep], low[keep], high[keep], most[keep]
        middle = (low + high) // 2
        counted = count(pairs, middle)
        np.maximum.at(best, pairs, thresholds[middle] * counted)
        pairs, most = np.r_[pairs, pairs], np.r_[most, counted]
        low, high = np.r_[low, middle], np.r_[middle, high]
