"""Closed testing of all pairs.

Equality is transitive: a set of equalities can be true together only if it holds all pairs inside
the blocks of a partition of the algorithms. All procedures here are shortcuts of closed testing
with Bonferroni's inequality (Westfall's: with the joint distribution), valid for any dependence of
the p-values; from the least to the most powerful they are `shaffer_static`, `shaffer` and
`bergmann_hommel`. The hypotheses must be transitive, as equal means are; the symmetry of paired
differences, the hypothesis of sign and signed-rank tests, is not: use `multiplicity.holm` there.

Functions ``..._on_line`` are for many algorithms and p-values that fall with a distance, as they do
for sums of scores over complete blocks, mean ranks among them. At each threshold the pairs with
larger p-values are those within some reach, a best partition has consecutive blocks, and the
problem is polynomial.

References
----------
Bergmann, B. & Hommel, G. (1988). Improvements of general multiple test procedures for redundant
systems of hypotheses. In: Multiple Hypothesenpruefung, 100-115.
https://doi.org/10.1007/978-3-642-52307-6_8
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchinfer.core.errors import DesignError
from benchinfer.numerics.multiplicity import level_share, step_down
from benchinfer.numerics.types import Array, Codes, Flags

type Counts = NDArray[np.int16]


# Rows handled at a time, so that (rows, algorithms) arrays stay in the cache.
_SLICE = 4096


def most_together_on_line(places: Codes, first: Codes, second: Codes, reach: Codes) -> Codes:
    """Return the largest number of equalities that can hold with that of (first, second).

    `places` (k,) ascend; `first` < `second` (n,) are indices of places, and `reach` (n,) is the
    largest distance of pairs that are not known to differ, at least that of the pair. The pair
    counts.
    """
    parts = range(0, len(first), _SLICE)
    rows = [
        _together(places, first[i : i + _SLICE], second[i : i + _SLICE], reach[i : i + _SLICE])
        for i in parts
    ]
    return np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)


def _together(places: Codes, first: Codes, second: Codes, reach: Codes) -> Codes:
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


def _most_before(others: Codes, reach: Codes) -> Codes:
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


@dataclass(frozen=True, slots=True)
class _Line:
    """Algorithms in the order of their places, and pairs in levels of equal distance."""

    placed: Codes  # (k,) places, ascending
    # low, high: (m,) indices of each pair's places
    low: Codes
    high: Codes
    reaches: Codes  # (L,) distances of the levels, the largest first
    level: Codes  # (m,) level of each pair

    def largest(self, p: Array) -> Array:
        """Return (L,) the largest p-value of each level."""
        largest = np.zeros(len(self.reaches))
        np.maximum.at(largest, self.level, p)
        return largest

    def count(self, pairs: Codes, levels: Codes) -> Codes:
        """Return the most equalities that can hold with each pair's, if lower levels differ."""
        return most_together_on_line(
            self.placed, self.low[pairs], self.high[pairs], self.reaches[levels]
        )


def _line(places: Codes) -> _Line:
    order = np.argsort(places, kind="stable")
    placed = places[order]
    first, second = np.triu_indices(len(places), 1)
    index = np.empty(len(places), dtype=np.int64)
    index[order] = np.arange(len(places))
    low, high = np.minimum(index[first], index[second]), np.maximum(index[first], index[second])
    # Levels ascend with p: the largest distance is level 0.
    negative, level = np.unique(placed[low] - placed[high], return_inverse=True)
    return _Line(placed, low, high, -negative, level)


def falling(p: Array, places: Codes) -> Array:
    """Return p-values raised to the largest of those at the same or a larger distance.

    What is raised stays valid. For p-values that fall up to Monte Carlo error.

    `p` has the order of `covariance.all_pairs`, `places` (k,) are integers.

    Examples
    --------
    >>> falling(np.array([0.02, 0.01, 0.05]), np.array([0, 2, 1])).tolist()
    [0.02, 0.05, 0.05]
    """
    line = _line(places)
    return np.maximum.accumulate(line.largest(p))[line.level]


def shaffer_on_line(p: Array, places: Codes, spent: float = 0.0) -> Array:
    """Return Shaffer's adjusted p-values, second variant, where p falls with a distance.

    `p` and `places` are as in `bergmann_hommel_on_line`, `spent` as in `multiplicity.level_share`.
    """
    line = _line(places)
    thresholds = _thresholds(p, line)
    most = np.zeros(len(thresholds), np.int64)
    np.maximum.at(most, line.level, line.count(np.arange(len(p)), line.level))
    worst = np.maximum.accumulate(thresholds * _factor(most, len(p), spent))
    return np.minimum(worst[line.level], 1.0)


def bergmann_hommel_on_line(p: Array, places: Codes, spent: float = 0.0) -> Array:
    """Return Bergmann and Hommel's exact adjusted p-values where p falls with a distance.

    `p` has the order of `covariance.all_pairs`; distances of the `places` (k,) order it. These are
    integers, twice the rank sums and not mean ranks, so that equal distances are equal. Seconds for
    40 algorithms. `spent` is as in `multiplicity.level_share`.
    """
    line = _line(places)
    thresholds = _thresholds(p, line)

    def factor(pairs: Codes, levels: Codes) -> Array:
        return _factor(line.count(pairs, levels), len(p), spent)

    return np.minimum(_largest_product(thresholds, line.level, factor), 1.0)


def _factor(most: NDArray[np.integer], m: int, spent: float) -> Array:
    """Return Bonferroni's factors of sets of equalities, of m pairs in all."""
    n = most.astype(np.float64)
    return n / level_share(n, m, spent)


def _thresholds(p: Array, line: _Line) -> Array:
    thresholds = line.largest(p)
    uneven = p < (1 - 1e-9) * thresholds[line.level]
    if uneven.any() or (np.diff(thresholds) < 0).any():
        raise DesignError("The p-values do not fall with the distances of the places.")
    return thresholds


def _largest_product(
    thresholds: Array, sizes: Codes, count: Callable[[Codes, Codes], Array]
) -> Array:
    """Return, for each pair, the largest ``t M_t`` over the levels up to its own.

    Counts fall as levels rise, so that the last threshold of an interval times the count before
    its start bounds the products within: most intervals need no look inside.
    """
    pairs = np.arange(len(sizes))
    low, high = np.zeros_like(sizes), sizes
    most, least = count(pairs, low), count(pairs, sizes)
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


@cache
def possible_counts(k: int) -> tuple[int, ...]:
    """Return the possible numbers of equal pairs among k algorithms, ascending.

    Examples
    --------
    >>> possible_counts(4)
    (0, 1, 2, 3, 6)

    References
    ----------
    Shaffer, J. P. (1986). Modified sequentially rejective multiple test procedures. Journal of the
    American Statistical Association 81, 826-831. https://doi.org/10.1080/01621459.1986.10478341
    """
    # As bits of an integer: the counts of n algorithms whose first block has j members.
    sets = [1]
    for n in range(1, k + 1):
        reached = 0
        for j in range(1, n + 1):
            reached |= sets[n - j] << (j * (j - 1) // 2)
        sets.append(reached)
    return tuple(i for i in range(sets[k].bit_length()) if sets[k] >> i & 1)


def most_together(equal: Flags) -> Counts:
    """Return, for each pair, the largest number of equalities that can hold with its own.

    `equal` (k, k) says which pairs are not known to differ; the result is 0 for the others and on
    the diagonal.

    Notes
    -----
    With ``f(S)`` the most pairs inside the cliques of a partition of S, the answer for a pair is
    the largest ``|T| (|T| - 1) / 2 + f(V - T)`` over the cliques T that hold it. A member of a
    smaller block that fits into a larger one belongs there, so the largest block of an optimal
    partition of S is a maximal clique of S, hence the part in S of a maximal clique of the graph:
    ``f(S) = max over maximal cliques C of |C & S| (|C & S| - 1) / 2 + f(S - C)``. There are 2^k
    sets and few maximal cliques.
    """
    k = len(equal)
    others = equal & ~np.eye(k, dtype=np.bool_)
    neighbours = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in others]
    inside = _most_inside(k, tuple(_maximal_cliques(neighbours)))
    sizes = _sizes(k)
    is_clique = np.ones(1, dtype=np.bool_)
    for vertex, joined in enumerate(neighbours):
        below = np.arange(1 << vertex)
        is_clique = np.r_[is_clique, is_clique & ((below & ~joined) == 0)]
    # The value of each clique as a block, -1 for other sets; f of the complement of S is the
    # reversed array.
    value = np.where(is_clique, _pairs_of(sizes) + inside[::-1], np.int16(-1))
    for bit in range(k):
        # Each set takes the largest value among the sets that hold it.
        parts = value.reshape(-1, 2, 1 << bit)
        np.maximum(parts[:, 0], parts[:, 1], out=parts[:, 0])
    bits = 1 << np.arange(k)
    result = np.maximum(value[bits[:, None] | bits], 0)
    np.fill_diagonal(result, 0)
    return result


@cache
def _sizes(k: int) -> Counts:
    """Return the number of members of each of the 2^k sets."""
    return np.bitwise_count(np.arange(1 << k)).astype(np.int16)


@cache
def _by_size(k: int) -> tuple[Codes, ...]:
    return tuple(np.flatnonzero(_sizes(k) == size) for size in range(k + 1))


def _pairs_of(sizes: Counts) -> Counts:
    return sizes * (sizes - 1) // 2


def _most_inside(k: int, cliques: tuple[int, ...]) -> Counts:
    """Return, for each set, the most pairs inside the cliques of a partition of it."""
    pairs, most = _pairs_of(_sizes(k)), np.zeros(1 << k, dtype=np.int16)
    for sets in _by_size(k)[2:]:
        best, block = most[sets], np.empty_like(sets)
        within, beyond = np.empty_like(best), np.empty_like(best)
        for clique in cliques:
            np.bitwise_and(sets, clique, out=block)
            pairs.take(block, out=within, mode="clip")
            np.bitwise_xor(sets, block, out=block)
            within += most.take(block, out=beyond, mode="clip")
            np.maximum(best, within, out=best)
        most[sets] = best
    return most


def _maximal_cliques(neighbours: list[int]) -> list[int]:
    """Return the maximal cliques (Bron and Kerbosch, with pivots)."""
    cliques: list[int] = []

    def grow(clique: int, candidates: int, excluded: int) -> None:
        if not candidates and not excluded:
            cliques.append(clique)
            return
        pivot = max(
            _members(candidates | excluded), key=lambda v: (candidates & neighbours[v]).bit_count()
        )
        for vertex in _members(candidates & ~neighbours[pivot]):
            joined = neighbours[vertex]
            grow(clique | 1 << vertex, candidates & joined, excluded & joined)
            candidates &= ~(1 << vertex)
            excluded |= 1 << vertex

    grow(0, (1 << len(neighbours)) - 1, 0)
    return cliques


def _members(bits: int) -> list[int]:
    return [i for i in range(bits.bit_length()) if bits >> i & 1]


# Sets of algorithms double with each: at most 0.5 s for 15 algorithms, up to 10 s for 18.
MOST_ALGORITHMS = 18
# Bell numbers grow faster: 4,140 partitions of 8 algorithms, 115,975 of 10.
_MOST_ENUMERATED = 8


def shaffer_static(p: Array, k: int, spent: float = 0.0) -> Array:
    """Return Shaffer's adjusted p-values of all pairs of k algorithms, first variant.

    The i-th smallest p-value is multiplied by the largest number of equalities, not above
    ``m - i + 1``, that can be true together, whichever pairs came before. Any number of algorithms.

    `p` has the order of `covariance.all_pairs`; `spent` is as in `multiplicity.level_share`.

    Examples
    --------
    >>> shaffer_static(np.array([0.01, 0.02, 0.04]), 3).tolist()
    [0.03, 0.03, 0.04]

    References
    ----------
    Shaffer, J. P. (1986). Modified sequentially rejective multiple test procedures. Journal of the
    American Statistical Association 81, 826-831. https://doi.org/10.1080/01621459.1986.10478341
    """
    possible = np.array(possible_counts(k))
    left = np.arange(len(p), 0, -1)
    factors = possible[np.searchsorted(possible, left, side="right") - 1]
    return step_down(p, lambda ordered: _factor(factors, len(p), spent) * ordered)


def shaffer(p: Array, k: int, spent: float = 0.0) -> Array:
    """Return Shaffer's adjusted p-values of all pairs of k algorithms, second variant.

    Each p-value is multiplied by the largest number of equalities that can be true together,
    itself among them, when all pairs with smaller p-values differ.

    `p` has the order of `covariance.all_pairs`; `spent` is as in `multiplicity.level_share`.

    References
    ----------
    Shaffer, J. P. (1986). Modified sequentially rejective multiple test procedures. Journal of the
    American Statistical Association 81, 826-831. https://doi.org/10.1080/01621459.1986.10478341
    """
    _refuse_more_than(MOST_ALGORITHMS, k)
    adjusted, worst = np.ones_like(p), 0.0
    for threshold, most in _together_above(p, k):
        equal = p == threshold
        worst = max(worst, threshold * float(_factor(most[equal], len(p), spent).max()))
        if worst >= 1:
            break
        adjusted[equal] = worst
    return adjusted


def bergmann_hommel(p: Array, k: int, spent: float = 0.0) -> Array:
    """Return Bergmann and Hommel's exact adjusted p-values of all pairs of k algorithms.

    The largest, over the sets of equalities that can be true together and hold the pair, of the
    size of the set times the smallest p-value in it: the whole closure with Bonferroni's
    inequality, no shortcut.

    `p` has the order of `covariance.all_pairs`; `spent` is as in `multiplicity.level_share`.

    References
    ----------
    Bergmann, B. & Hommel, G. (1988). Improvements of general multiple test procedures for redundant
    systems of hypotheses. In: Multiple Hypothesenpruefung, 100-115.
    https://doi.org/10.1007/978-3-642-52307-6_8

    Garcia, S. & Herrera, F. (2008). An extension on "Statistical comparisons of classifiers over
    multiple data sets" for all pairwise comparisons. Journal of Machine Learning Research 9,
    2677-2694.

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
        np.maximum(adjusted, threshold * _factor(most, len(p), spent), out=adjusted)
        if adjusted[p >= threshold].min() >= 1:
            break
    return np.minimum(adjusted, 1.0)


def _together_above(p: Array, k: int) -> Iterator[tuple[float, NDArray[np.int16]]]:
    """Yield each p-value, ascending, with `most_together` of the pairs with larger ones."""
    first, second = np.triu_indices(k, 1)
    for threshold in np.unique(p):
        equal = np.zeros((k, k), dtype=np.bool_)
        equal[first, second] = p >= threshold
        yield float(threshold), most_together(equal | equal.T)[first, second]


def step_down_largest(
    statistic: Array, survival: Callable[[tuple[int, ...], int], float], spent: float = 0.0
) -> Array:
    """Return step-down p-values of the largest of m statistics, as in Dunnett and Tamhane's test.

    The closed test by the largest statistic: the r-th largest has the largest p-value of the sets
    of the r'-th and all smaller ones, r' <= r. `statistic` (m,) is large against its hypothesis;
    `survival` is as in `westfall`, `spent` as in `multiplicity.level_share`.

    References
    ----------
    Dunnett, C. W. & Tamhane, A. C. (1991). Step-down multiple tests for comparing treatments with a
    control in unbalanced one-way layouts. Statistics in Medicine 10, 939-947.
    https://doi.org/10.1002/sim.4780100614
    """
    order = np.argsort(-statistic, kind="stable")
    steps = [
        _of_its_share(tuple(order[r:].tolist()), int(j), survival, len(order), spent)
        for r, j in enumerate(order)
    ]
    adjusted = np.empty_like(statistic)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def westfall(
    p: Array, k: int, survival: Callable[[tuple[int, ...], int], float], spent: float = 0.0
) -> Array:
    """Return Westfall's adjusted p-values of all pairs of k algorithms.

    As Shaffer's, with the joint distribution in place of Bonferroni's inequality.

    `p` has the order of `covariance.all_pairs`. Of contrasts and the index of one of them,
    `survival` is the probability that the largest ``|t|`` among them exceeds the observed ``|t|``
    of that one. `spent` is as in `multiplicity.level_share`.

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
        # Sets of pairs that can be true with the i-th smallest, smaller ones false.
        rejected, hypothesis = frozenset(order[:i].tolist()), int(j)
        possible = [s for s in _consistent(k) if hypothesis in s and rejected.isdisjoint(s)]
        maximal, m = _maximal(possible), len(p)
        of_sets = [_of_its_share(s, hypothesis, survival, m, spent) for s in maximal]
        worst = max(worst, *of_sets)
        adjusted[j] = min(worst, 1.0)
    return adjusted


def _of_its_share(
    members: tuple[int, ...],
    hypothesis: int,
    survival: Callable[[tuple[int, ...], int], float],
    m: int,
    spent: float,
) -> float:
    """Return the largest p-value over its share of the level, of a set and all parts of it.

    At the statistic of `hypothesis`, the largest of the set. Of n members the largest has a
    probability of at most n times that of one, so that parts of the size at which both are the same
    bind.
    """
    joint = survival(members, hypothesis)
    if not spent:
        return joint
    alone = survival((hypothesis,), hypothesis)
    n = min(float(len(members)), max(1.0, joint / alone)) if alone > 0 else float(len(members))
    return joint / level_share(n, m, spent)


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
        for labels in partitions(k)
    )


def partitions(k: int) -> Iterator[list[int]]:
    """Yield every partition of k elements once, as labels in order of first appearance.

    Examples
    --------
    >>> list(partitions(3))
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    if k == 0:
        yield []
        return
    for labels in partitions(k - 1):
        for label in range(max(labels, default=-1) + 2):
            yield [*labels, label]


def _refuse_more_than(most: int, k: int) -> None:
    if k > most:
        raise DesignError(
            f"{k} algorithms have too many sets of equalities to go through.",
            hint=f'up to {most} for this adjustment; adjust="holm" takes any number.',
        )
