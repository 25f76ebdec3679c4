"""Trees of data sets by model-based recursive partitioning.

References
----------
Strobl, C., Wickelmaier, F. & Zeileis, A. (2011). Accounting for individual differences in
Bradley-Terry models by means of recursive partitioning. Journal of Educational and Behavioral
Statistics 36, 135-153. https://doi.org/10.3102/1076998609359791

Zeileis, A., Hothorn, T. & Hornik, K. (2008). Model-based recursive partitioning. Journal of
Computational and Graphical Statistics 17, 492-514. https://doi.org/10.1198/106186008X319331
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.subgroups.models import Array, Flags, NodeModel, Rows
from benchinfer.analyses.subgroups.numerics.fluctuation import (
    UNTESTED,
    Along,
    Breaks,
    Categories,
    adjusted,
    fluctuation,
    permuted,
    standardised,
)
from benchinfer.core.saving import savable
from benchinfer.scores.features import Feature

type Prune = Literal["none", "aic", "bic"]
type Tests = Literal["auto", "permutation", "asymptotic"]

# Data sets per parameter below which limiting distributions divide less often than at the level.
_FEW = 50
_DRAWS = 1000
ALL = "all data sets"


@savable
@dataclass(frozen=True, slots=True)
class Division:
    """Division of the data sets of a node in two.

    Attributes
    ----------
    by
        Name of the characteristic.
    at
        Data sets with at most this go to the first side; of categories NaN.
    first, second
        Conditions of the two sides, in words.
    codes
        Of categories, the codes of those on the first side.
    """

    by: str
    at: float
    first: str
    second: str
    codes: tuple[int, ...] = ()

    def sides(self, feature: Feature) -> Flags:
        """Return whether data sets go to the first side."""
        if self.codes:
            return np.isin(feature.values, self.codes)
        return feature.values <= self.at


@savable
@dataclass(frozen=True, slots=True)
class TreeNode:
    """Data sets with one model, or divided in two.

    Attributes
    ----------
    parent
        Position of the node above; -1 of the root.
    conditions
        What holds for its data sets, in words; none of the root.
    datasets
        Positions of the data sets that the tree was grown on.
    levels
        (K,) log worths or mean scores; they sum to 0.
    log_likelihood, parameters
        Of the model of the node.
    statistic, p_value
        (C,) tests of stability along each characteristic, p-values adjusted for the number of
        characteristics; NaN where there is no test.
    split
        Division in two, None of a leaf.
    children
        Positions of the two nodes below.
    permuted
        Whether p-values are by permutation.
    """

    parent: int
    conditions: tuple[tuple[str, str], ...]
    datasets: tuple[int, ...]
    levels: Array
    log_likelihood: float
    parameters: int
    statistic: Array
    p_value: Array
    split: Division | None = None
    children: tuple[int, ...] = ()
    permuted: bool = False

    @property
    def depth(self) -> int:
        """Number of divisions above."""
        return len(self.conditions)

    @property
    def name(self) -> str:
        """The conditions; of several on one side of a number the last, which is the closest."""
        last: dict[str, str] = {}
        for by, text in self.conditions:
            side = text.removeprefix(by).split(" ")[1]
            last.pop(f"{by} {side}", None)
            last[f"{by} {side}"] = text
        return " & ".join(last.values()) or ALL


@savable
@dataclass(frozen=True, slots=True)
class Tree:
    """Nodes of a tree, each before those below it.

    Attributes
    ----------
    characteristics
        Their C names.
    nodes
        The nodes, the root first.
    """

    characteristics: tuple[str, ...]
    nodes: tuple[TreeNode, ...]

    @property
    def leaves(self) -> tuple[int, ...]:
        """Positions of the leaves."""
        return tuple(n for n, node in enumerate(self.nodes) if node.split is None)

    @property
    def adjustment(self) -> str:
        """How p-values are adjusted for the number of characteristics, in words."""
        by_permutation = {node.permuted for node in self.nodes}
        if by_permutation == {False}:
            return "by Sidak's method"
        nodes = "" if by_permutation == {True} else ", in large nodes by Sidak's method"
        return f"by permutation of the data sets (smallest p-value){nodes}"

    @property
    def log_likelihood(self) -> float:
        """Sum over the leaves."""
        return sum(self.nodes[n].log_likelihood for n in self.leaves)

    def place(self, features: Mapping[str, Feature]) -> NDArray[np.int64]:
        """Return the position of the leaf of each data set."""
        n = len(next(iter(features.values())).values)
        found = np.zeros(n, dtype=np.int64)
        for at, node in enumerate(self.nodes):
            if node.split is not None:
                side = node.split.sides(features[node.split.by])
                here = found == at
                found[here] = np.where(side[here], *node.children)
        return found


@dataclass(frozen=True, slots=True)
class Growth:
    """Rules by which a tree grows.

    Attributes
    ----------
    alpha
        A node is divided where the smallest adjusted p-value is at most this.
    minsize
        Least number of data sets of a node.
    depth
        Largest number of divisions one below the other.
    prune
        Criterion by which divisions are taken back.
    tests, seed
        Null distribution of the tests of stability, and the seed of the permutations.
    """

    alpha: float
    minsize: int
    depth: float = math.inf
    prune: Prune = "none"
    tests: Tests = "asymptotic"
    seed: int = 0

    def permutes(self, datasets: int, parameters: int) -> bool:
        """Return whether tests of some data sets are by permutation."""
        few = datasets < _FEW * parameters
        return self.tests == "permutation" or (self.tests == "auto" and few)


def grow(model: NodeModel, features: Mapping[str, Feature], rows: Rows, rules: Growth) -> Tree:
    """Grow a tree on some data sets, and prune it.

    A node is divided along the characteristic with the smallest p-value, where the likelihood of
    the two parts is largest.
    """
    nodes: list[TreeNode] = []

    def add(rows: Rows, parent: int, conditions: tuple[tuple[str, str], ...]) -> int:
        at = len(nodes)
        node, side = _node(model, features, rows, rules, parent, conditions)
        nodes.append(node)
        if node.split is not None and side is not None:
            split = node.split
            children = tuple(
                add(rows[chosen], at, (*conditions, (split.by, text)))
                for chosen, text in ((side, split.first), (~side, split.second))
            )
            nodes[at] = replace(node, children=children)
        return at

    add(rows, -1, ())
    return _pruned(Tree(tuple(features), tuple(nodes)), rules, len(rows))


def _node(
    model: NodeModel,
    features: Mapping[str, Feature],
    rows: Rows,
    rules: Growth,
    parent: int,
    conditions: tuple[tuple[str, str], ...],
) -> tuple[TreeNode, Flags | None]:
    """Return a node, with its division if it is to be divided."""
    fit = model.fit(rows)
    here = {name: feature.at(rows.tolist()) for name, feature in features.items()}
    along = [_along(feature, rules.minsize) for feature in here.values()]
    process = standardised(fit.scores)
    tests = [fluctuation(process, one) if one else UNTESTED for one in along]
    by_permutation = rules.permutes(len(rows), fit.parameters)
    if by_permutation:
        p_values = _permuted(process, along, rules)
    else:
        p_values = adjusted(np.array([test.p_value for test in tests]))
    node = TreeNode(
        parent=parent,
        conditions=conditions,
        datasets=tuple(rows.tolist()),
        levels=fit.levels,
        log_likelihood=fit.log_likelihood,
        parameters=fit.parameters,
        statistic=np.array([test.statistic for test in tests]),
        p_value=p_values,
        permuted=by_permutation,
    )
    if len(conditions) >= rules.depth or not (p_values <= rules.alpha).any():
        return node, None
    best = int(np.nanargmin(_order(np.array([test.p_value for test in tests]), node.statistic)))
    name = tuple(features)[best]
    feature = here[name]
    sides = divisions(feature, rules.minsize)
    side = sides[int(np.argmax(model.log_likelihoods(rows, sides)))]
    return replace(node, split=_split(name, feature, side)), side


def _order(p_values: Array, statistic: Array) -> Array:
    """Return what is smallest for the clearest test: of p-values of 0 the largest statistic."""
    zero = p_values == 0
    return np.where(zero, -statistic, p_values) if zero.any() else p_values


def _along(feature: Feature, minsize: int) -> Along | None:
    """Return the places of a break or the categories, None where nothing can divide the node."""
    if not len(divisions(feature, minsize)):
        return None
    if feature.categorical:
        return Categories.of(feature.values.astype(np.int64))
    return Breaks.of(feature.values, minsize)


def _permuted(process: Array, along: Sequence[Along | None], rules: Growth) -> Array:
    """Return adjusted p-values by permutation, of as many orders as the level needs."""
    draws = max(_DRAWS, math.ceil(10 / rules.alpha)) - 1
    found = np.full(len(along), np.nan)
    there = [c for c, one in enumerate(along) if one]
    found[there] = permuted(process, [one for one in along if one], draws, rules.seed)
    return found


def divisions(feature: Feature, minsize: int) -> Flags:
    """Return the (M, n) divisions in two that leave enough data sets on either side."""
    if feature.categorical:
        there, code = np.unique(feature.values, return_inverse=True)
        # The last category is on the second side: each division is there once.
        one = np.arange(1, 2 ** (len(there) - 1))
        sides = ((one[:, None] >> np.arange(len(there))) & 1).astype(np.bool_)[:, code]
    else:
        sides = feature.values <= np.unique(feature.values)[:-1, None]
    first = sides.sum(axis=1)
    return sides[(first >= minsize) & (len(feature.values) - first >= minsize)]


def _split(name: str, feature: Feature, side: Flags) -> Division:
    """Return the division in words."""
    if not feature.levels:
        at = float(feature.values[side].max())
        return Division(name, at, f"{name} <= {at:.12g}", f"{name} > {at:.12g}")
    both = [
        tuple(int(code) for code in np.unique(feature.values[chosen])) for chosen in (side, ~side)
    ]
    first, second = (
        f"{name} is {' or '.join(feature.levels[code] for code in codes)}" for codes in both
    )
    if feature.ordered:
        return Division(name, float(both[0][-1]), first, second)
    return Division(name, math.nan, first, second, both[0])


def _pruned(tree: Tree, rules: Growth, n: int) -> Tree:
    """Take back divisions into leaves that the criterion does not support, from below."""
    if rules.prune == "none":
        return tree
    price = 2.0 if rules.prune == "aic" else math.log(n)
    nodes = list(tree.nodes)
    for at in range(len(nodes) - 1, -1, -1):
        node = nodes[at]
        below = [nodes[child] for child in node.children]
        if not below or any(child.split is not None for child in below):
            continue
        # The place of the division counts as a parameter.
        more = 1 + sum(child.parameters for child in below) - node.parameters
        gain = sum(child.log_likelihood for child in below) - node.log_likelihood
        if 2 * gain <= price * more:
            nodes[at] = replace(node, split=None, children=())
    return Tree(tree.characteristics, _renumbered(nodes))


def _renumbered(nodes: Sequence[TreeNode]) -> tuple[TreeNode, ...]:
    """Return the nodes that can still be reached from the root."""
    reached = [0]
    for at in reached:
        reached += nodes[at].children
    kept = sorted(reached)
    place = {at: n for n, at in enumerate(kept)} | {-1: -1}
    return tuple(
        replace(
            nodes[at],
            parent=place[nodes[at].parent],
            children=tuple(place[child] for child in nodes[at].children),
        )
        for at in kept
    )
