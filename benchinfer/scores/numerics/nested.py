"""Nested units: sums and sizes of the outermost ones, and sums of squares of all levels.

Leaves are single scores of one measure and algorithm. Level 1 are the outermost units, level L the
leaves; a node of one level lies in one node of the level above it.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes, Counts

type Weights = Literal["items", "units"]


@dataclass(frozen=True, slots=True)
class ItemScores:
    """Scores of items, each the mean of its answers; I items, K algorithms.

    Attributes
    ----------
    mean
        (I, K) means of the answers, NaN where there is none.
    count
        (I, K) number of answers.
    squares
        (I, K) sums of squared deviations of answers from their mean.
    nodes
        (I, P) node of each level from the outermost unit to the item, of P <= L levels; numbered
        so that items in order have all of them in order.
    group
        (I,) measure and data set, non-decreasing from 0 without gaps.
    row
        (I,) a row of the item.
    """

    mean: Array
    count: Counts
    squares: Array
    nodes: Codes
    group: Codes
    row: Codes


@dataclass(frozen=True, slots=True)
class UnitSums:
    """Reduction of items to outermost units; U units, K algorithms, G groups, L levels.

    A group is a measure on a data set.

    Attributes
    ----------
    group
        (U,) group of each unit.
    first
        (U,) position of the first item of each unit.
    mean, size
        (U, K) mean over the items of the unit, NaN without any, and number of items.
    squares
        (G, K, L) sums of squares between the nodes of a level within those of the level above it.
    coefficients
        (G, K, L, L) expected sums of squares are ``coefficients @ variances``: of the level in the
        row, by the variance component of the level in the column.
    products, expected
        (G, P, K, K) sums of squares and products between the nodes of a level within those of the
        level above it, and (G, P, P) their expected values by variance components, of the items
        that all algorithms have. There are P levels from the outermost unit to the item; items
        count alike, each with the mean of its answers.
    shares
        (G, P) sums over the nodes of a level of the squares of their weights in a mean over all.
    repeats
        (G, K) harmonic means of the number of answers to an item; NaN without items.
    """

    group: Codes
    first: Codes
    mean: Array
    size: Array
    squares: Array
    coefficients: Array
    products: Array
    expected: Array
    shares: Array
    repeats: Array


def dense(codes: Codes) -> tuple[Codes, Codes]:
    """Return the codes that occur, sorted, and the position of each row's code among them."""
    size = int(codes.max(initial=-1)) + 1
    if size > 8 * len(codes) + 1024:
        occurring, index = np.unique(codes, return_inverse=True)
        return occurring, index
    there = np.zeros(size, dtype=bool)
    there[codes] = True
    position = np.cumsum(there) - 1
    return np.flatnonzero(there), position[codes]


def nodes_of(levels: list[Codes]) -> tuple[Codes, Codes]:
    """Return (P, N) the node of each row at P levels, and the row that begins each last node.

    The first of `levels` are codes of groups; all others name nodes within those of the level
    before it, and are numbered from 0. Nodes are in the order of the codes.
    """
    node, nodes = levels[0], list[Codes]()
    for codes in levels[1:]:
        _, node = dense(node * (int(codes.max(initial=0)) + 1) + codes)
        nodes.append(node)
    first = np.empty(int(node.max(initial=-1)) + 1, np.int64)
    first[node[::-1]] = np.arange(len(node))[::-1]
    return np.array(nodes), first


def item_scores(
    levels: list[Codes], algorithm: Codes, k: int, value: Array, count: Counts, squares: Array
) -> ItemScores:
    """Average the answers to each item.

    Parameters
    ----------
    levels
        (N,) codes of groups, then of each level from the outermost unit to the item.
    algorithm, k
        (N,) codes of algorithms, and how many there are.
    value, count, squares
        (N,) means, numbers of scores and sums of squares of the rows: 1 and 0 of single scores.
    """
    nodes, first = nodes_of(levels)
    cell = nodes[-1] * k + algorithm
    size = len(first) * k
    n = np.bincount(cell, count, size)
    mean = np.bincount(cell, count * value, size) / np.maximum(n, 1)
    # The first pass rounds the mean of large values; the second puts it right.
    mean += np.bincount(cell, count * (value - mean[cell]), size) / np.maximum(n, 1)
    about = np.bincount(cell, squares + count * (value - mean[cell]) ** 2, size)
    return ItemScores(
        np.where(n > 0, mean, np.nan).reshape(-1, k),
        n.astype(np.int64).reshape(-1, k),
        about.reshape(-1, k),
        nodes[:, first].T,
        levels[0][first],
        first,
    )


def placed_items(group: Codes, levels: Codes, value: Array) -> tuple[ItemScores, Codes]:
    """Average the answers to each item, of blocks in the order of their nodes.

    Parameters
    ----------
    group, levels
        (B,) code of the group and (P, B) labels from the outermost unit to the item.
    value
        (B, K) scores, NaN where there is none.

    Returns
    -------
    tuple
        The items, and the code of each group that occurs.
    """
    new = np.empty((1 + len(levels), len(group)), dtype=bool)
    new[:, 0] = True
    new[0, 1:] = group[1:] != group[:-1]
    for level, codes in enumerate(levels, 1):
        new[level, 1:] = new[level - 1, 1:] | (codes[1:] != codes[:-1])
    begin = np.flatnonzero(new[-1])
    nodes = (np.cumsum(new, axis=1) - 1)[:, begin]
    size = np.diff(np.append(begin, len(group)))
    item = np.repeat(np.arange(len(begin)), size)
    sums = np.add.reduceat(value, begin, axis=0)
    gaps = np.isnan(value) if np.isnan(sums).any() else None
    count = np.broadcast_to(size[:, None], sums.shape)
    if gaps is not None:
        count = np.add.reduceat(~gaps, begin, axis=0, dtype=np.int64)
        sums = np.add.reduceat(np.where(gaps, 0.0, value), begin, axis=0)
    divisor = np.maximum(count, 1)
    mean = sums / divisor
    deviation = value - mean[item]
    if gaps is not None:
        deviation[gaps] = 0.0
    # The first pass rounds the mean of large values; the second puts it right.
    shift = np.add.reduceat(deviation, begin, axis=0) / divisor
    deviation -= shift[item]
    if gaps is not None:
        deviation[gaps] = 0.0
    squares = np.add.reduceat(deviation * deviation, begin, axis=0)
    mean = np.where(count > 0, mean + shift, np.nan)
    items = ItemScores(mean, count, squares, nodes[1:].T, nodes[0], begin)
    return items, group[new[0]]


def unit_sums(items: ItemScores, weights: Weights = "items", *, answers: bool) -> UnitSums:
    """Reduce items to outermost units; `answers` adds the level of answers within items.

    `weights` says what counts alike in the mean of a group: items, or outermost units.

    References
    ----------
    Searle, S. R., Casella, G. & McCulloch, C. E. (1992). Variance Components. Wiley, chapter 3.
    """
    unit, held = items.nodes[:, 0], items.count > 0
    begin = _begins(unit)
    size = np.add.reduceat(held.astype(np.float64), begin, axis=0)
    value = np.where(held, items.mean, 0.0)
    mean = np.add.reduceat(value, begin, axis=0) / np.maximum(size, 1)
    mean += np.add.reduceat(np.where(held, value - mean[unit], 0.0), begin, axis=0) / np.maximum(
        size, 1
    )
    squares, coefficients = sums_of_squares(items, answers=answers)
    return UnitSums(
        items.group[begin],
        begin,
        np.where(size > 0, mean, np.nan),
        size,
        squares,
        coefficients,
        *shared_items(items, weights),
    )


def sums_of_squares(items: ItemScores, *, answers: bool) -> tuple[Array, Array]:
    """Return (G, K, L) sums of squares of the nested design and their (G, K, L, L) coefficients.

    With n scores in a node, t of its sums and T of the sums over the nodes of a level of
    ``t^2 / n``, the sum of squares of a level is T less that of the level above it. A variance
    component of a level counts in T of an upper one by the sum over its nodes of ``n^2`` over the n
    of the node above, in T of its own and of lower levels by all scores.
    """
    count = items.count.astype(np.float64)
    homes = [items.group, *items.nodes.T]
    begins = [_begins(home) for home in homes]
    groups = [_begins(items.group[begin]) for begin in begins]
    n = [np.add.reduceat(count, begin, axis=0) for begin in begins]
    total = count * np.where(count > 0, items.mean, 0.0)
    middle = np.add.reduceat(total, begins[0], axis=0) / np.maximum(n[0], 1)
    total -= count * middle[items.group]
    squares = [
        np.add.reduceat(np.add.reduceat(total, begin, axis=0) ** 2 / np.maximum(m, 1), at, axis=0)
        for begin, m, at in zip(begins, n, groups, strict=True)
    ]
    if answers:
        squares.append(squares[-1] + np.add.reduceat(items.squares, begins[0], axis=0))
    between = np.diff(np.stack(squares, axis=-1), axis=-1)
    return between.clip(min=0.0), _expected(n, homes, begins, groups, answers=answers)


def _expected(
    n: list[Array], homes: list[Codes], begins: list[Codes], groups: list[Codes], *, answers: bool
) -> Array:
    """Return (G, K, L, L) coefficients of variance components in sums of squares.

    Parameters
    ----------
    n
        Scores in the nodes of each level, the groups first; (nodes, K).
    homes
        (I,) node of each item at each level.
    begins, groups
        Where the items of each node begin, and where the nodes of each group.
    answers
        Whether a level of single scores lies within the last one.
    """
    levels = len(homes) - 1 + answers
    coefficients = np.zeros((*n[0].shape, levels + 1, levels))
    for upper in range(levels + 1):
        coefficients[:, :, upper] = n[0][:, :, None]
        for lower in range(upper + 1, len(homes)):
            above = n[upper][homes[upper][begins[lower]]]
            share = n[lower] ** 2 / np.maximum(above, 1)
            shares = np.add.reduceat(share, groups[lower], axis=0)
            coefficients[:, :, upper, lower - 1] = shares
        if answers and upper < levels:  # one score in each node: the number of nodes above
            nodes = np.add.reduceat((n[upper] > 0).astype(np.float64), groups[upper], axis=0)
            coefficients[:, :, upper, -1] = nodes
    return np.diff(coefficients, axis=2)


def shared_items(items: ItemScores, weights: Weights) -> tuple[Array, Array, Array, Array]:
    """Return sums of products of the items that all algorithms have.

    They are `UnitSums.products`, `UnitSums.expected`, `UnitSums.shares` and `UnitSums.repeats`.
    """
    complete = (items.count > 0).all(axis=1)[:, None]
    homes = [items.group, *items.nodes.T]
    begins = [_begins(home) for home in homes]
    groups = [_begins(items.group[begin]) for begin in begins]
    n = [np.add.reduceat(complete.astype(np.float64), begin, axis=0) for begin in begins]
    value = np.where(complete, items.mean, 0.0)
    middle = np.add.reduceat(value, begins[0], axis=0) / np.maximum(n[0], 1)
    value = np.where(complete, value - middle[items.group], 0.0)
    sums: list[Array] = []
    for begin, m, at in zip(begins[1:], n[1:], groups[1:], strict=True):
        root = np.add.reduceat(value, begin, axis=0) / np.sqrt(np.maximum(m, 1))
        sums.append(np.stack([part.T @ part for part in np.split(root, at[1:])]))
    products = np.diff(np.stack([np.zeros_like(sums[0]), *sums], axis=1), axis=1)
    inverse = np.where(complete, 1 / np.maximum(items.count, 1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        answers = n[0] / np.add.reduceat(inverse, begins[0], axis=0)
    top = homes[1]
    shares: list[Array] = []
    for begin, m, at in zip(begins[1:], n[1:], groups[1:], strict=True):
        if weights == "items":
            weight = m / np.maximum(n[0][items.group[begin]], 1)
        else:
            units = np.add.reduceat((n[1] > 0).astype(np.float64), groups[1], axis=0)
            weight = m / np.maximum(n[1][top[begin]] * units[items.group[begin]], 1)
        shares.append(np.add.reduceat(weight**2, at, axis=0)[:, 0])
    expected = _expected(n, homes, begins, groups, answers=False)[:, 0]
    return products, expected, np.stack(shares, axis=1), answers


def _begins(sorted_codes: Codes) -> Codes:
    """Return where each of the codes begins, which are sorted and without gaps from 0."""
    return np.searchsorted(sorted_codes, np.arange(int(sorted_codes[-1]) + 1))


def variance_components(squares: Array, coefficients: Array) -> Array:
    """Return the variance component of each level, 0 where its estimate is negative.

    The analysis-of-variance estimators of a nested design: sums of squares, pooled over the leading
    axes, equal what they are expected to be, from the innermost level up.

    Examples
    --------
    >>> coefficients = np.array([[4.0, 2.0], [0.0, 3.0]])  # three units of two scores, near enough
    >>> variance_components(np.array([10.0, 3.0]), coefficients)
    array([2., 1.])
    """
    levels = squares.shape[-1]
    s = squares.reshape(-1, levels).sum(axis=0)
    c = coefficients.reshape(-1, levels, levels).sum(axis=0)
    components = np.zeros(levels)
    for level in reversed(range(levels)):
        rest = s[level] - c[level, level + 1 :] @ components[level + 1 :]
        if c[level, level] > 0:
            components[level] = rest / c[level, level]
    return components.clip(min=0.0)


@savable
@shaped(squares="L", df="L", coefficients="L L", shares="L", nodes="L")
@dataclass(frozen=True, slots=True)
class DifferenceDesign:
    """Nested design of the differences of two algorithms, of the average pair; L levels.

    Attributes
    ----------
    squares, df
        (L,) sums of squares and their degrees of freedom.
    coefficients
        (L, L) expected sums of squares, by the variance component of the level in the column.
    shares
        (L,) what a variance component counts in the variance of the mean difference on a data set.
    nodes
        (L,) nodes of each level on a data set.
    """

    squares: Array
    df: Array
    coefficients: Array
    shares: Array
    nodes: Array

    @property
    def components(self) -> Array:
        """(L,) variance components of differences."""
        return variance_components(self.squares, self.coefficients)


def difference_design(
    products: Array,
    coefficients: Array,
    shares: Array,
    nodes: Counts,
    answers: tuple[Array, Array, Array] | None,
) -> DifferenceDesign:
    """Return the nested design of the differences of the average pair of K algorithms.

    Answers of two algorithms to one item are independent, given the item.

    Parameters
    ----------
    products, coefficients, shares
        (D, P, K, K), (D, P, P) and (D, P) of `UnitSums`.
    nodes
        (D, L) nodes of each level.
    answers
        (D, K) sums of squares of answers, their degrees of freedom, and the harmonic mean of the
        number of answers to an item; None without that level.
    """
    k = products.shape[-1]
    total, each = products.sum(axis=(0, 2, 3)), np.einsum("dpkk->p", products)
    squares = ((k * each - total) / (k * (k - 1) / 2)).clip(min=0.0)
    c, mean = coefficients.sum(axis=0), shares.mean(axis=0)
    df = (k - 1) * c[:, -1]
    if answers is not None:
        s, free, repeats = answers
        inverse = np.where(shares[:, :1] > 0, 1 / repeats, 0.0).mean(axis=1)
        variance = 2 * (s.sum(axis=0) / np.maximum(free.sum(axis=0), 1)).mean()
        inner = np.einsum("dp,d->p", coefficients[..., -1], inverse)
        c = np.block([[c, inner[:, None]], [np.zeros(len(c)), free.sum()]])
        squares = np.append(squares, variance * free.sum())
        df = np.append(df, free.sum())
        mean = np.append(mean, (shares[:, -1] * inverse).mean())
    return DifferenceDesign(squares, df, c, mean, nodes.mean(axis=0))
