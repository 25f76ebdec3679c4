"""Trees of data sets by model-based recursive partitioning.

References
----------
Coppersmith, D., Hong, S. J. & Hosking, J. R. M. (1999). Partitioning nominal attributes in decision
trees. Data Mining and Knowledge Discovery 3, 197-217. https://doi.org/10.1023/A:1009869804967

Strobl, C., Wickelmaier, F. & Zeileis, A. (2011). Accounting for individual differences in
Bradley-Terry models by means of recursive partitioning. Journal of Educational and Behavioral
Statistics 36, 135-153. https://doi.org/10.3102/1076998609359791

Zeileis, A., Hothorn, T. & Hornik, K. (2008). Model-based recursive partitioning. Journal of
Computational and Graphical Statistics 17, 492-514. https://doi.org/10.1198/106186008X319331
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from typing import Literal

import numpy as np

from benchinfer.analyses.subgroups.models import NodeModel
from benchinfer.analyses.subgroups.numerics.fluctuation import (
    Along,
    Breaks,
    Categories,
    adjusted,
    fluctuation,
    permuted,
    standardised,
)
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.ties import joined_levels
from benchinfer.numerics.types import Array, Codes, Flags
from benchinfer.scores.rows.features import Feature

type Prune = Literal["none", "aic", "bic"]
type Tests = Literal["auto", "permutation", "asymptotic"]

# Data sets per parameter below which limiting distributions divide less often than at the level.
_FEW = 50
_DRAWS = 1000
# Categories of which all divisions in two are tried; of more only those along an order.
_ALL_DIVISIONS = 12
_DIGITS = 4  # of a threshold, where so many keep two data sets apart
ALL = "all data sets"


@savable
@dataclass(frozen=True, slots=True)
class Division:
    """Division of the data sets of a node in two."""

    by: str  # name of the characteristic
    at: float  # data sets with at most this go to the first side; of categories NaN
    # first, second: conditions of the two sides, in words
    first: str
    second: str
    codes: tuple[int, ...] = ()  # of categories, the codes of those on the first side
    # Whether data sets without a value go to the first side, as it is the larger one
    rest_first: bool = False

    def sides(self, feature: Feature) -> Flags:
        """Return whether data sets go to the first side."""
        known = np.isin(feature.values, self.codes) if self.codes else feature.values <= self.at
        return np.where(np.isnan(feature.values), self.rest_first, known)


@savable
@shaped(levels="K", statistic="C", p_value="C [0,1] nan")
@dataclass(frozen=True, slots=True)
class TreeNode:
    """Data sets with one model, or divided in two."""

    parent: int  # position of the node above; -1 of the root
    # What holds for its data sets, in words; none of the root
    conditions: tuple[tuple[str, str], ...]
    datasets: tuple[int, ...]  # positions of the data sets that the tree was grown on
    levels: Array  # (K,) log worths or mean scores; they sum to 0
    # log_likelihood, parameters: of the model of the node
    log_likelihood: float
    parameters: int
    # statistic, p_value: (C,) tests of stability along each characteristic, p-values adjusted for
    # the number of characteristics; NaN where there is no test
    statistic: Array
    p_value: Array
    split: Division | None = None  # division in two, None of a leaf
    children: tuple[int, ...] = ()  # positions of the two nodes below
    # Random orders that the p-values rest on, the observed one included; 0 of limiting
    # distributions
    draws: int = 0

    @property
    def p_error(self) -> Array:
        """(C,) Monte Carlo standard errors of the p-values, at least one order."""
        if not self.draws:
            return np.zeros(len(self.p_value))
        spread = np.sqrt(self.p_value * (1 - self.p_value) / self.draws)
        return np.maximum(spread, 1 / self.draws)

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
    """Nodes of a tree, each before those below it."""

    characteristics: tuple[str, ...]  # their C names
    nodes: tuple[TreeNode, ...]  # the nodes, the root first

    @property
    def leaves(self) -> tuple[int, ...]:
        """Positions of the leaves."""
        return tuple(n for n, node in enumerate(self.nodes) if node.split is None)

    @property
    def adjustment(self) -> str:
        """Adjustment of p-values for the number of characteristics, in words."""
        by_permutation = {node.draws > 0 for node in self.nodes}
        if by_permutation == {False}:
            return "by Sidak's method"
        nodes = "" if by_permutation == {True} else ", in large nodes by Sidak's method"
        return f"by permutation of the data sets (smallest p-value){nodes}"

    @property
    def log_likelihood(self) -> float:
        """Sum over the leaves."""
        return sum(self.nodes[n].log_likelihood for n in self.leaves)

    def place(self, features: Mapping[str, Feature]) -> Codes:
        """Return the position of the leaf of each data set."""
        n = len(next(iter(features.values())).values)
        nodes = np.zeros(n, dtype=np.int64)
        for at, node in enumerate(self.nodes):
            if node.split is not None:
                side = node.split.sides(features[node.split.by])
                here = nodes == at
                nodes[here] = np.where(side[here], *node.children)
        return nodes


@savable
@dataclass(frozen=True, slots=True)
class Growth:
    """Rules by which a tree grows."""

    alpha: float  # a node is divided where the smallest adjusted p-value is at most this
    minsize: int  # least number of data sets of a node
    depth: float = math.inf  # largest number of divisions one below the other
    prune: Prune = "none"  # criterion by which divisions are taken back
    # tests, seed: null distribution of the tests of stability, and the seed of the permutations
    tests: Tests = "asymptotic"
    seed: int = 0
    # Least number of random orders, the observed one included; more where the level needs them
    fewest_draws: int = _DRAWS

    def draws(self, datasets: int, parameters: int) -> int:
        """Return the number of orders, the observed one included, 0 where none are drawn."""
        few = datasets < _FEW * parameters
        if self.tests == "permutation" or (self.tests == "auto" and few):
            return max(self.fewest_draws, math.ceil(10 / self.alpha))
        return 0


def grow(model: NodeModel, features: Mapping[str, Feature], rows: Codes, rules: Growth) -> Tree:
    """Grow a tree on some data sets, and prune it.

    A node is divided along the characteristic with the smallest p-value, where the likelihood of
    the two parts is largest.
    """
    nodes: list[TreeNode] = []

    def add(rows: Codes, parent: int, conditions: tuple[tuple[str, str], ...]) -> int:
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
    rows: Codes,
    rules: Growth,
    parent: int,
    conditions: tuple[tuple[str, str], ...],
) -> tuple[TreeNode, Flags | None]:
    """Return a node, with its division if it is to be divided."""
    fit = model.fit(rows)
    here = {name: feature.at(rows.tolist()) for name, feature in features.items()}
    along = [_along(feature, rules.minsize) for feature in here.values()]
    process = standardised(fit.scores)
    tests = np.array([fluctuation(process, one) for one in along]).reshape(-1, 2)
    statistics, unadjusted = tests.T
    draws = rules.draws(len(rows), fit.parameters)
    p_values = permuted(process, along, draws - 1, rules.seed) if draws else adjusted(unadjusted)
    node = TreeNode(
        parent=parent,
        conditions=conditions,
        datasets=tuple(rows.tolist()),
        levels=fit.levels,
        log_likelihood=fit.log_likelihood,
        parameters=fit.parameters,
        statistic=statistics,
        p_value=p_values,
        draws=draws,
    )
    if len(conditions) >= rules.depth or not (p_values <= rules.alpha).any():
        return node, None
    # Of p-values of 0 the clearest is that of the largest statistic.
    zero = unadjusted == 0
    order = np.where(zero, -statistics, unadjusted) if zero.any() else np.log(unadjusted)
    best = int(np.nanargmin(joined_levels(order)))
    name = tuple(features)[best]
    side = _best(model, rows, here[name], process, rules.minsize)
    if side is None:
        return node, None
    return replace(node, split=_split(name, here[name], side)), side


def _best(
    model: NodeModel, rows: Codes, feature: Feature, process: Array, minsize: int
) -> Flags | None:
    """Return who is on the first side of the most likely division, None where there is none.

    Data sets without a value have no say in it, and go to the larger side.
    """
    known = ~np.isnan(feature.values)
    sides = divisions(feature.at(np.flatnonzero(known).tolist()), minsize, process[known])
    if not len(sides):
        return None
    best = sides[int(np.argmax(joined_levels(model.log_likelihoods(rows[known], sides))))]
    side = np.full(len(rows), 2 * best.sum() >= len(best))
    side[known] = best
    return side


def _along(feature: Feature, minsize: int) -> Along | None:
    """Return the places of a break or the categories, None where nothing can divide the node."""
    if not _divisible(feature, minsize):
        return None
    if feature.categorical:
        return Categories.of(feature.values)
    return Breaks.of(feature.values, minsize)


def _divisible(feature: Feature, minsize: int) -> bool:
    """Return whether some division leaves enough data sets on either side."""
    known = feature.values[~np.isnan(feature.values)]
    counts = np.unique(known, return_counts=True)[1]
    most = len(known) - minsize
    if not feature.categorical:
        first = counts.cumsum()
        return bool(((first >= minsize) & (first <= most)).any())
    reached = 1  # its n-th bit: some categories have n data sets together
    for size in counts.tolist():
        reached |= reached << size
    return any(reached >> n & 1 for n in range(minsize, most + 1))


def divisions(feature: Feature, minsize: int, process: Array) -> Flags:
    """Return the (M, n) divisions in two that leave enough data sets on either side.

    Of many categories these are those along the order of their mean (n, r) scores in the direction
    in which these differ most (Coppersmith, Hong and Hosking), and each of them against the others.
    """
    if feature.categorical:
        there, code = np.unique(feature.values, return_inverse=True)
        if len(there) > _ALL_DIVISIONS:
            firsts = _along_scores(code, process)
        else:
            # The last category is on the second side: each division is there once.
            one = np.arange(1, 2 ** (len(there) - 1))
            firsts = ((one[:, None] >> np.arange(len(there))) & 1).astype(np.bool_)
        sides = firsts[:, code]
    else:
        sides = feature.values <= np.unique(feature.values)[:-1, None]
    first = sides.sum(axis=1)
    return sides[(first >= minsize) & (len(feature.values) - first >= minsize)]


def _along_scores(code: Codes, process: Array) -> Flags:
    """Return (2c - 1, c) who is first: c categories divided along their scores, or one alone."""
    member = (np.arange(code.max() + 1)[:, None] == code).astype(np.float64)
    size = member.sum(axis=1, keepdims=True)
    means = member @ (process - process.mean(axis=0)) / size
    direction = np.linalg.svd(means * np.sqrt(size), full_matrices=False)[2][0]
    place = np.argsort(np.argsort(means @ direction, kind="stable"))
    alone = np.eye(len(size), dtype=np.bool_)
    return np.vstack([place <= np.arange(len(size) - 1)[:, None], alone])


def _split(name: str, feature: Feature, side: Flags) -> Division:
    """Return the division in words."""
    known = ~np.isnan(feature.values)
    rest_first = bool(side[~known].any())
    if not feature.levels:
        ends = feature.values[side & known].max(), feature.values[~side & known].min()
        at, text = _between(*map(float, ends))
        return Division(name, at, f"{name} <= {text}", f"{name} > {text}", rest_first=rest_first)
    both = [
        tuple(int(code) for code in np.unique(feature.values[chosen & known]))
        for chosen in (side, ~side)
    ]
    first, second = (
        f"{name} is {' or '.join(feature.levels[code] for code in codes)}" for codes in both
    )
    if feature.ordered:
        return Division(name, float(both[0][-1]), first, second, rest_first=rest_first)
    return Division(name, math.nan, first, second, both[0], rest_first)


def _between(low: float, high: float) -> tuple[float, str]:
    """Return the number with fewest digits, four at least, from `low` to below `high`.

    Examples
    --------
    >>> _between(1536.0, 1601.0), _between(0.123456789012, 0.2)
    ((1536.0, '1536'), (0.1235, '0.1235'))
    """
    exact = Decimal(repr(low))
    for digits in range(_DIGITS, 18):
        unit = Decimal(1).scaleb(exact.adjusted() + 1 - digits)
        number = float(exact.quantize(unit, ROUND_CEILING))
        if number < high:
            return number, f"{number:.{max(12, digits)}g}"
    return low, repr(low)


def _pruned(tree: Tree, rules: Growth, n: int) -> Tree:
    """Return the tree pruned from its leaves upwards by the information criterion."""
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
    reached = [0]
    for at in reached:
        reached += nodes[at].children
    retained = sorted(reached)
    place = {at: n for n, at in enumerate(retained)} | {-1: -1}
    return Tree(
        tree.characteristics,
        tuple(
            replace(
                nodes[at],
                parent=place[nodes[at].parent],
                children=tuple(place[child] for child in nodes[at].children),
            )
            for at in retained
        ),
    )
