"""Closed testing of all pairs on pooled scores: exactly where that can be done, else by a bound."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array
from benchinfer.numerics import closed_on_line, closed_pairs

type Way = Literal["sets", "line", "bound"]

# Places on a line are whole numbers up to this.
_FINE = 2.0**40

_SETS = {"shaffer": closed_pairs.shaffer, "bergmann-hommel": closed_pairs.bergmann_hommel}
_LINE = {
    "shaffer": closed_on_line.shaffer_on_line,
    "bergmann-hommel": closed_on_line.bergmann_hommel_on_line,
}


def way(k: int, *, complete: bool) -> Way:
    """Return how k algorithms are adjusted.

    ``"sets"``: by all sets of algorithms; ``"line"``: in complete blocks all pairs have one
    standard error, so that p-values fall with the distance of the sums; ``"bound"``: Shaffer's
    first variant, which needs no more than the number of algorithms and is never below the others.
    """
    if k <= closed_pairs.MOST_ALGORITHMS:
        return "sets"
    return "line" if complete else "bound"


def adjusted(
    method: str,
    p: Array,
    statistic: Array,
    pairs: NDArray[np.int64],
    k: int,
    *,
    complete: bool,
) -> Array:
    """Adjust p-values of pooled tests by Shaffer's or Bergmann and Hommel's procedure.

    Parameters
    ----------
    method
        ``"shaffer"`` or ``"bergmann-hommel"``.
    p, statistic
        (P,) p-values and standardised differences.
    pairs
        (P, 2) the pairs that were tested: all, or in incomplete blocks those that some block holds.
    k
        Number of algorithms.
    complete
        Whether each block holds each algorithm once.
    """
    how = way(k, complete=complete)
    if how == "line":
        # Pairs with the first algorithm come first; their statistics are distances from it.
        distance = np.append(0.0, statistic[: k - 1])
        largest = float(np.abs(distance).max()) or 1.0
        places = np.rint(distance * (_FINE / largest)).astype(np.int64)
        return _LINE[method](closed_on_line.falling(p, places), places)
    number = np.zeros((k, k), np.int64)
    number[np.triu_indices(k, 1)] = np.arange(k * (k - 1) // 2)
    at = number[pairs.min(axis=1), pairs.max(axis=1)]
    # Pairs that were not tested can be equal whatever the others are.
    everything = np.ones(k * (k - 1) // 2)
    everything[at] = p
    step = closed_pairs.shaffer_static if how == "bound" else _SETS[method]
    return step(everything, k)[at]


def words(k: int, *, complete: bool) -> str:
    """Say where a bound stands for the procedure; empty where the procedure is exact."""
    if way(k, complete=complete) != "bound":
        return ""
    most = closed_pairs.MOST_ALGORITHMS
    return f" (upper bounds: Shaffer's first variant, for over {most} algorithms in partial blocks)"
