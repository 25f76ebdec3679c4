"""Confidence sequences on their way: the interval after each replication of a path.

An interval of a confidence sequence only shrinks. It is worked out at checkpoints, close together
for short histories and further apart for long ones, and holds until the next.
"""

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.confidence_sequence import symmetry_interval

type Array = NDArray[np.float64]

_MOST, _LEAST = 60, 6  # checkpoints of a data set's differences
_WORK = 400_000  # differences that all checkpoints of an experiment may look at
_ALL = 1500  # checkpoints of an experiment


def intervals(d: Array, alpha: float) -> Array:
    """Return (D, 2) confidence sequences after all of (D, n) differences, each at a D-th of alpha.

    The mean of the lower and of the upper ends holds the mean of the D centres.
    """
    return np.array([symmetry_interval(row, alpha / len(d)) for row in d])


def running(d: Array, alpha: float, last: Array, at: NDArray[np.int64], series: int) -> Array:
    """Return (2, D, q) ends of the confidence sequences after each number of differences asked for.

    Parameters
    ----------
    d
        (D, n) differences.
    alpha
        Of all D sequences together.
    last
        (D, 2) intervals after all of them.
    at
        (q,) numbers of differences, growing, the last one n.
    series
        How many rows of differences the experiment has, which share the work.
    """
    n = d.shape[1]
    found = np.empty((2, len(d), len(at)))
    checked = checkpoints(n, series)
    held = np.searchsorted(checked, at, side="right") - 1
    for row, ends, out in zip(d, last, np.moveaxis(found, 1, 0), strict=True):
        early = [symmetry_interval(row[:c], alpha / len(d)) for c in checked[:-1]]
        out[:] = np.array([*early, tuple(ends)]).T[:, held]
    return found


def checkpoints(n: int, series: int) -> NDArray[np.int64]:
    """Return after which of n differences an interval is worked out; the first and last included.

    Examples
    --------
    >>> checkpoints(100_000, 60)
    array([     1,      2,     19,    177,   1668,  15702, 100000])
    """
    number = min(max(_ALL // series, _LEAST), _MOST)
    ratio = max(n ** (1 / number), 1 + min(series * n / _WORK, 8.0))
    steps = np.arange(int(np.log(n) / np.log(ratio)) + 1) if n > 1 else np.zeros(1)
    return np.unique(np.append(np.round(n * ratio**-steps), 1)).astype(np.int64)
