"""Adjust the p-values of a family so that the chance of any false claim is controlled.

All procedures are shortcuts of closed testing. For all pairs, Shaffer's and Westfall's use that
equalities imply others: when a = b and b = c, then a = c, so that only families of equalities that
form a partition of the algorithms can be true together.

References
----------
Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of
Statistics 6, 65-70. https://doi.org/10.2307/4615733
"""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import DesignError, message

type Array = NDArray[np.float64]

# Bell numbers grow fast: 4,140 partitions of 8 algorithms, 115,975 of 10.
_MOST_ALGORITHMS = 8


def holm(p: Array) -> Array:
    """Return Holm's adjusted p-values.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    return _step_down(p, len(p) - np.arange(len(p)))


def _step_down(p: Array, factors: NDArray[np.int64]) -> Array:
    """Multiply the sorted p-values by their factors and make them monotone."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1.0)
    return adjusted


def shaffer(p: Array, k: int) -> Array:
    """Return Shaffer's adjusted p-values of all pairs of k algorithms.

    Each p-value is multiplied by the largest number of equalities that can be true together,
    itself among them, when all pairs with smaller p-values differ.

    Parameters
    ----------
    p
        (k (k - 1) / 2,) p-values in the order of `tukey.all_pairs`.
    k
        Number of algorithms.

    Raises
    ------
    DesignError
        There are too many algorithms to enumerate their partitions.

    References
    ----------
    Shaffer, J. P. (1986). Modified sequentially rejective multiple test procedures. Journal of the
    American Statistical Association 81, 826-831. https://doi.org/10.1080/01621459.1986.10478341
    """
    order = np.argsort(p, kind="stable")
    factors = [max(len(s) for s in _true_together(order, i, k)) for i in range(len(p))]
    return _step_down(p, np.array(factors))


def westfall(p: Array, k: int, survival: Callable[[tuple[int, ...], int], float]) -> Array:
    """Return Westfall's adjusted p-values of all pairs of k algorithms.

    As Shaffer's, with the joint distribution in place of Bonferroni's inequality.

    Parameters
    ----------
    p
        (k (k - 1) / 2,) p-values in the order of `tukey.all_pairs`.
    k
        Number of algorithms.
    survival
        Given contrasts and the index of one of them: the probability that the largest ``|t|``
        among them exceeds the observed ``|t|`` of that one.

    Raises
    ------
    DesignError
        There are too many algorithms to enumerate their partitions.

    References
    ----------
    Westfall, P. H. (1997). Multiple testing of general contrasts using logical constraints and
    correlations. Journal of the American Statistical Association 92, 299-306.
    https://doi.org/10.1080/01621459.1997.10473627
    """
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    worst = 0.0
    for i, j in enumerate(order):
        worst = max(worst, *(survival(s, int(j)) for s in _maximal(_true_together(order, i, k))))
        adjusted[j] = min(worst, 1.0)
    return adjusted


def _true_together(order: NDArray[np.int64], i: int, k: int) -> list[tuple[int, ...]]:
    """Return the sets of pairs that can be true with the i-th smallest, smaller ones false."""
    rejected, own = frozenset(order[:i].tolist()), int(order[i])
    return [s for s in _consistent(k) if own in s and rejected.isdisjoint(s)]


def _maximal(sets: list[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    as_sets = [frozenset(s) for s in sets]
    for s, members in zip(sets, as_sets, strict=True):
        if not any(members < other for other in as_sets):
            yield s


@cache
def _consistent(k: int) -> tuple[tuple[int, ...], ...]:
    """Return, for each partition of k algorithms, the indices of the pairs it makes equal."""
    if k > _MOST_ALGORITHMS:
        raise DesignError(
            message(
                f"{k} algorithms have too many sets of equalities to go through.",
                hint=f'up to {_MOST_ALGORITHMS} for this adjustment; adjust="holm" takes any'
                " number.",
            )
        )
    index = {pair: i for i, pair in enumerate(zip(*np.triu_indices(k, 1), strict=True))}
    return tuple(
        tuple(i for (a, b), i in index.items() if labels[int(a)] == labels[int(b)])
        for labels in _partitions(k)
    )


def _partitions(k: int) -> Iterator[list[int]]:
    """Yield every partition of k elements once, as labels in order of first appearance."""
    if k == 0:
        yield []
        return
    for labels in _partitions(k - 1):
        for label in range(max(labels, default=-1) + 2):
            yield [*labels, label]
