"""Partitions into cliques where algorithms lie on a line and near ones are not known to differ.

So it is for p-values that fall with the distance of mean ranks: at each threshold the pairs with
larger p-values are those within some reach. A best partition then has consecutive blocks, because
a member of a smaller block that lies between two members of a larger one can move there. With two
algorithms forced together, their block holds one consecutive run of the others, and the others
before and after the run are partitioned for themselves. That makes the problem polynomial.
"""

import numpy as np
from numpy.typing import NDArray

type Integers = NDArray[np.int64]

# Rows handled at a time, so that (rows, algorithms) arrays stay in the cache.
_SLICE = 4096


def most_together(places: Integers, first: Integers, second: Integers, reach: Integers) -> Integers:
    """Return the most pairs that can be true together with the pair (first, second).

    Parameters
    ----------
    places
        (k,) ascending.
    first, second
        (n,) indices of places, first < second.
    reach
        (n,) largest distance of pairs that are not known to differ, at least that of the pair.

    Returns
    -------
    numpy.ndarray
        (n,) the pair itself counted.
    """
    parts = range(0, len(first), _SLICE)
    rows = [
        _together(places, first[i : i + _SLICE], second[i : i + _SLICE], reach[i : i + _SLICE])
        for i in parts
    ]
    return np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)


def _together(places: Integers, first: Integers, second: Integers, reach: Integers) -> Integers:
    k = len(places)
    # The others, in order; arrays have one row per position and one column per question.
    index = np.arange(k - 2)[:, None]
    index = index + (index >= first)
    others = places[index + (index >= second)]
    left, right = places[first], places[second]
    before = _most_before(others, reach)
    after = _most_before(-others[::-1], reach)[::-1]
    best = before[-1] + 1
    for start in range(k - 2):
        low = np.minimum(left, others[start])
        ends = others[start:]
        size = np.arange(3, k + 1 - start)[:, None]
        value = size * (size - 1) // 2 + before[start] + after[start + 1 :]
        value[np.maximum(right, ends) - low > reach] = 0
        np.maximum(best, value.max(axis=0), out=best)
    return best


def _most_before(others: Integers, reach: Integers) -> Integers:
    """Return, for each number of leading places, the most pairs in consecutive cliques of them."""
    n = len(others)
    most = np.zeros((n + 1, others.shape[1]), dtype=np.int64)
    for end in range(2, n + 1):
        # Blocks from each start up to `end`.
        size = np.arange(end, 0, -1)[:, None]
        value = size * (size - 1) // 2 + most[:end]
        value[others[end - 1] - others[:end] > reach] = 0
        most[end] = value.max(axis=0)
    return most
