"""Adjust the p-values of all pairs of algorithms by the logic that equality is transitive.

When a = b and b = c, then a = c: only families of equalities that form a partition of the
algorithms can be true together, which makes every adjustment smaller. All procedures here are
shortcuts of closed testing with Bonferroni's inequality (Westfall's: with the joint distribution),
valid for any dependence of the p-values; from the least to the most powerful they are
`shaffer_static`, `shaffer` and `bergmann_hommel`. `benchinfer.numerics.closed_on_line` has the last
two for many algorithms, where p-values fall with a distance.

They need hypotheses that are transitive, as equal means are. "The differences of this pair are
symmetric about zero", the hypothesis of sign and signed-rank tests, is not: take
`multiplicity.holm` there.

References
----------
Bergmann, B. & Hommel, G. (1988). Improvements of general multiple test procedures for redundant
systems of hypotheses. In: Multiple Hypothesenpruefung, 100-115.
https://doi.org/10.1007/978-3-642-52307-6_8

Garcia, S. & Herrera, F. (2008). An extension on "Statistical comparisons of classifiers over
multiple data sets" for all pairwise comparisons. Journal of Machine Learning Research 9, 2677-2694.
"""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import DesignError, message
from benchinfer.numerics import partitions
from benchinfer.numerics.multiplicity import step_down

type Array = NDArray[np.float64]

# Sets of algorithms double with each: 1 s for 15 algorithms, 10 s for 18.
MOST_ALGORITHMS = 18
# Bell numbers grow faster: 4,140 partitions of 8 algorithms, 115,975 of 10.
_MOST_ENUMERATED = 8


def shaffer_static(p: Array, k: int) -> Array:
    """Return Shaffer's adjusted p-values of all pairs of k algorithms, first variant.

    The i-th smallest p-value is multiplied by the largest number of equalities, not above
    ``m - i + 1``, that can be true together, whichever pairs came before. Any number of algorithms.

    Parameters
    ----------
    p
        (k (k - 1) / 2,) p-values in the order of `tukey.all_pairs`.
    k
        Number of algorithms.

    Examples
    --------
    >>> shaffer_static(np.array([0.01, 0.02, 0.04]), 3).tolist()
    [0.03, 0.03, 0.04]

    References
    ----------
    Shaffer, J. P. (1986). Modified sequentially rejective multiple test procedures. Journal of the
    American Statistical Association 81, 826-831. https://doi.org/10.1080/01621459.1986.10478341
    """
    possible = np.array(partitions.possible_counts(k))
    left = np.arange(len(p), 0, -1)
    factors = possible[np.searchsorted(possible, left, side="right") - 1]
    return step_down(p, lambda ordered: factors * ordered)


def shaffer(p: Array, k: int) -> Array:
    """Return Shaffer's adjusted p-values of all pairs of k algorithms, second variant.

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
        There are too many algorithms to go through their sets.

    References
    ----------
    Shaffer, J. P. (1986). Modified sequentially rejective multiple test procedures. Journal of the
    American Statistical Association 81, 826-831. https://doi.org/10.1080/01621459.1986.10478341
    """
    _refuse_more_than(MOST_ALGORITHMS, k)
    adjusted, worst = np.ones_like(p), 0.0
    for threshold, most in _together_above(p, k):
        own = p == threshold
        worst = max(worst, threshold * float(most[own].max()))
        if worst >= 1:
            break
        adjusted[own] = worst
    return adjusted


def bergmann_hommel(p: Array, k: int) -> Array:
    """Return Bergmann and Hommel's exact adjusted p-values of all pairs of k algorithms.

    The largest, over the sets of equalities that can be true together and hold the pair, of the
    size of the set times the smallest p-value in it: the whole closure with Bonferroni's
    inequality, no shortcut.

    Parameters
    ----------
    p
        (k (k - 1) / 2,) p-values in the order of `tukey.all_pairs`.
    k
        Number of algorithms.

    Raises
    ------
    DesignError
        There are too many algorithms to go through their sets.

    Examples
    --------
    >>> bergmann_hommel(np.array([0.01, 0.02, 0.04]), 3).tolist()
    [0.03, 0.03, 0.04]

    Notes
    -----
    With M_t the most pairs that can be true together with the pair when all pairs with p < t
    differ, the adjusted p-value is the largest ``t M_t`` over the p-values t up to its own.
    A pair with a larger p-value can have the smaller adjusted one; programs that force the order of
    the p-values upon the result give up some of its power.
    """
    _refuse_more_than(MOST_ALGORITHMS, k)
    adjusted = np.zeros_like(p)
    for threshold, most in _together_above(p, k):
        # Pairs below the threshold have no count left.
        np.maximum(adjusted, threshold * most, out=adjusted)
        if adjusted[p >= threshold].min() >= 1:
            break
    return np.minimum(adjusted, 1.0)


def _together_above(p: Array, k: int) -> Iterator[tuple[float, NDArray[np.int16]]]:
    """Yield each p-value, ascending, and what can be true together when smaller ones differ."""
    first, second = np.triu_indices(k, 1)
    for threshold in np.unique(p):
        equal = np.zeros((k, k), dtype=np.bool_)
        equal[first, second] = p >= threshold
        yield float(threshold), partitions.most_together(equal | equal.T)[first, second]


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
    _refuse_more_than(_MOST_ENUMERATED, k)
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


def _refuse_more_than(most: int, k: int) -> None:
    if k > most:
        raise DesignError(
            message(
                f"{k} algorithms have too many sets of equalities to go through.",
                hint=f'up to {most} for this adjustment; adjust="holm" takes any number.',
            )
        )
