"""Largest score statistics over the places of a break, of many orders of the data sets."""

import numpy as np
from numba import njit

from benchinfer.numerics.types import Array, Codes


@njit(cache=True, nogil=True)
def largest(process: Array, orders: Codes, along: Codes, last: Codes) -> Array:
    """Return the largest statistic over all places of a break, of each order.

    Sums of scores are taken from their part in the sum of all data sets that are walked along.

    Parameters
    ----------
    process
        (n, r) scores of the data sets, each column of mean square 1 / n.
    orders
        (draws, n) orders in which scores are dealt out to the data sets.
    along
        (m,) data sets, in the order of the characteristic.
    last
        (b,) number of data sets before each place, rising.

    Returns
    -------
    numpy.ndarray
        (draws,) statistics.
    """
    n, r = process.shape
    m = len(along)
    suprema = np.zeros(len(orders))
    walk, total = np.empty(r), np.empty(r)
    for draw in range(len(orders)):
        total[:] = 0.0
        if m < n:
            for at in range(m):
                total += process[orders[draw, along[at]]]
        walk[:] = 0.0
        at = 0
        for place in range(len(last)):
            while at < last[place]:
                row = orders[draw, along[at]]
                for q in range(r):
                    walk[q] += process[row, q]
                at += 1
            share = last[place] / m
            size = 0.0
            for q in range(r):
                size += (walk[q] - share * total[q]) ** 2
            suprema[draw] = max(suprema[draw], size / (share * (1 - share)))
    return suprema * n / m
