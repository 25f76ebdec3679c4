"""Nested units: passages of items, items with several answers, reduced to the outermost ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from benchinfer.core.hints import literal
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes, Counts
from benchinfer.scores.columns.engines import Frame, in_memory, lazy
from benchinfer.scores.columns.roles import (
    GROUPS,
    INNER,
    ITEMS,
    JOINT,
    REPEATED,
    SIZE,
    Roles,
    common_name,
    slots,
)
from benchinfer.scores.coverage import Finding
from benchinfer.scores.numerics.nested import (
    DifferenceDesign,
    ItemScores,
    Weights,
    dense,
    difference_design,
    item_scores,
    nodes_of,
    placed_items,
    unit_sums,
    variance_components,
)
from benchinfer.scores.numerics.places import Places
from benchinfer.scores.rows.summary import coded, dictionary, moments

LACKING, REVERSED = "units without items", "order of units"  # rules of findings


@savable
@shaped(
    levels="L",
    measures="M",
    datasets="D",
    algorithms="K",
    nodes="M D L",
    squares="M D K L",
    coefficients="M D K L L",
    products="M D P K K",
    expected="M D P P",
    shares="M D P",
    repeats="M D K",
)
@dataclass(frozen=True, slots=True)
class NestedUnits:
    """Levels of nested units, with sums over their scores; M, D, K, L levels.

    Attributes
    ----------
    levels
        Names, the outermost first.
    answers
        Whether the last level repeats an item.
    weights
        Whether items count alike, or outermost units.
    measures, datasets, algorithms
        The names.
    nodes
        (M, D, L) number of units of each level, over all algorithms.
    squares, coefficients
        (M, D, K, L) sums of squares of the nested design and (M, D, K, L, L) their expected values
        in terms of variance components.
    products, expected
        (M, D, P, K, K) sums of squares and products of the means of items that all algorithms have,
        of the P levels down to the item, and (M, D, P, P) their expected values in terms of
        variance components.
    shares, repeats
        (M, D, P) sums of squares of the weights of the nodes of a level in the mean of these items,
        and (M, D, K) harmonic means of the number of answers to one.
    """

    levels: tuple[str, ...]
    answers: bool
    weights: str
    measures: tuple[str, ...]
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    nodes: Counts
    squares: Array
    coefficients: Array
    products: Array
    expected: Array
    shares: Array
    repeats: Array

    @property
    def items(self) -> int:
        """Position of the level of items."""
        return max(len(self.levels) - 1 - self.answers, 0)

    def part(
        self, measures: Sequence[str], datasets: Sequence[str], algorithms: Sequence[str]
    ) -> NestedUnits:
        """Keep some measures, data sets and algorithms."""
        m = [self.measures.index(name) for name in measures]
        d = [self.datasets.index(name) for name in datasets]
        k = [self.algorithms.index(name) for name in algorithms]
        return replace(
            self,
            measures=tuple(measures),
            datasets=tuple(datasets),
            algorithms=tuple(algorithms),
            nodes=self.nodes[np.ix_(m, d)],
            squares=self.squares[np.ix_(m, d, k)],
            coefficients=self.coefficients[np.ix_(m, d, k)],
            products=self.products[m][:, d][..., k, :][..., k],
            expected=self.expected[np.ix_(m, d)],
            shares=self.shares[np.ix_(m, d)],
            repeats=self.repeats[np.ix_(m, d, k)],
        )

    def normalised(self, measure: str, name: str) -> NestedUnits:
        """Return the units of a measure with other scores and another name, without squares."""
        names = [name if one == measure else one for one in self.measures]
        order = sorted(range(len(names)), key=names.__getitem__)
        unknown = np.array([one == measure for one in self.measures])

        def without(sums: Array) -> Array:
            sums = sums.copy()
            sums[unknown] = np.nan
            return sums[order]

        return replace(
            self,
            measures=tuple(names[i] for i in order),
            nodes=self.nodes[order],
            squares=without(self.squares),
            coefficients=self.coefficients[order],
            products=without(self.products),
            expected=self.expected[order],
            shares=self.shares[order],
            repeats=self.repeats[order],
        )

    def words(self, measure: str) -> str:
        """Return the numbers of items and outermost units in words, with the design effect."""
        counts = self.nodes[self.measures.index(measure)].sum(axis=0).tolist()
        words, items = counted(counts[0], self.levels[0]), self.items
        if items:
            words = f"{counted(counts[items], self.levels[items])} in {words}"
        elif self.answers:
            words = f"{words} with {counted(counts[1], self.levels[1])}"
        effect = self.design_effects(measure)[:1]
        return words + "".join(f" (design effect {x:.1f})" for x in effect if np.isfinite(x))

    def components(self, measure: str) -> Array:
        """Return (L,) variance components of scores within data set and algorithm."""
        m = self.measures.index(measure)
        return variance_components(self.squares[m], self.coefficients[m])

    def differences(self, measure: str) -> DifferenceDesign:
        """Return the variance components of a difference of two algorithms."""
        m = self.measures.index(measure)
        inner = (self.squares[m, ..., -1], self.coefficients[m, ..., -1, -1])
        return difference_design(
            self.products[m],
            self.expected[m],
            self.shares[m],
            self.nodes[m],
            (*inner, self.repeats[m]) if self.answers else None,
        )

    def correlations(self, measure: str) -> Array:
        """Return (L - 1,) intraclass correlation of two scores in one unit of each level.

        NaN where scores do not vary.
        """
        components = self.components(measure)
        total = components.sum()
        shares = np.cumsum(components)[:-1]
        return shares / total if total > 0 else np.full(len(shares), np.nan)

    def sizes(self, measure: str) -> Array:
        """Return (L - 1,) mean number of scores in a unit, weighted by their number.

        ``sum n^2 / sum n`` over the units of each level.
        """
        c = self.coefficients[self.measures.index(measure)]
        held = c[..., -1].sum(axis=-1) > 0
        n = np.where(held, c[..., -1].sum(axis=-1) + 1, 0)
        sums = np.stack(
            [n - c[..., : i + 1, i].sum(axis=-1) for i in range(len(self.levels) - 1)], axis=-1
        )
        # These are ratios to the scores of a cell; cells count by their scores.
        return (sums * n[..., None]).sum(axis=(0, 1)) / max(n.sum(), 1)

    def table(self) -> tuple[tuple[str, ...], ...]:
        """Return the correlation and the design effect of each level as text, under a header."""
        rows = [
            (level, measure, f"{size:.3g}", f"{correlation:.3g}", f"{effect:.3g}")
            for measure in self.measures
            for level, size, correlation, effect in zip(
                self.levels,
                self.sizes(measure),
                self.correlations(measure),
                self.design_effects(measure),
                strict=False,
            )
        ]
        head = ("unit", "measure", "scores in it", "intraclass correlation", "design effect")
        return (head, *rows) if rows else ()

    def design_effects(self, measure: str) -> Array:
        """Return (L - 1,) design effects ``1 + (n - 1) rho`` of the levels."""
        return 1 + (self.sizes(measure) - 1) * self.correlations(measure)


def of_answers(levels: Sequence[str]) -> bool:
    """Return whether the last level of nested units is one of repeated answers, by its name."""
    return len(levels) > 1 and common_name(levels[-1]).removesuffix("s") in REPEATED


def reduce_units(
    source: Frame | Places, roles: Roles, weights: Weights
) -> tuple[Frame, NestedUnits]:
    """Reduce canonical columns or places to one row per outermost unit, algorithm and measure.

    The value is the mean over the items of the unit, each the mean of its answers; their number is
    in the column `SIZE`, 1 where units count alike. Covariates are averaged.
    """
    import pyarrow as pa

    levels = roles.units
    answers = of_answers(levels)
    if isinstance(source, Places):
        items, occurring, top, names = _of_places(source, answers=answers)
    else:
        items, occurring, top, names = _of_rows(
            source, INNER[: len(levels) - 1 - answers], answers=answers
        )
    measures, datasets, algorithms, units = names
    sums = unit_sums(items, weights, answers=answers)
    u, a = np.nonzero(sums.size > 0)
    place = np.divmod(occurring, len(datasets))
    of = [part[sums.group[u]] for part in place]
    rows = {
        "dataset": (of[1], datasets),
        "replication": (top[sums.first[u]], units),
        "algorithm": (a, algorithms),
        "measure": (of[0], measures),
    }
    size = sums.size[u, a] if weights == "items" else np.ones(len(u))
    covariates = {} if isinstance(source, Places) else _covariates(source, rows)
    columns = {name: dictionary(codes, names) for name, (codes, names) in rows.items()}
    table = pa.table({**columns, "value": sums.mean[u, a], SIZE: size, **covariates})
    shape = len(measures), len(datasets)

    def placed(parts: Any) -> Any:
        every = np.zeros((*shape, *parts.shape[1:]), parts.dtype)
        every[place] = parts
        return every

    return lazy(table), NestedUnits(
        levels,
        answers,
        weights,
        measures,
        datasets,
        algorithms,
        nodes=placed(_nodes(items, answers=answers)),
        squares=placed(sums.squares),
        coefficients=placed(sums.coefficients),
        products=placed(sums.products),
        expected=placed(sums.expected),
        shares=placed(sums.shares),
        repeats=placed(sums.repeats),
    )


type _Names = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]
# Items, (G,) position of each group among measures x data sets, (I,) code of the outermost unit of
# each item, and the names of measures, data sets, algorithms and outermost units.
type _Items = tuple[ItemScores, Codes, Codes, _Names]


def _of_rows(frame: Frame, inner: Sequence[str], *, answers: bool) -> _Items:
    """Average the answers of rows to each item.

    Engines average the answers to an item where they are; rows in memory are single scores.
    """
    columns = ["measure", "dataset", "algorithm", "replication", *inner]
    if in_memory(frame) or not answers:
        table: Any = frame.select(*columns, "value").collect().to_arrow()
        value = table.column("value").to_numpy()
        count, squares = np.ones(len(value), np.int64), np.zeros(len(value))
    else:
        table = moments(frame, nw.col("value"), columns).collect().to_arrow()
        n, centre, shift, squares = (
            table.column(name).to_numpy() for name in ("n", "centre", "shift", "squares")
        )
        value = centre + shift
        count, squares = n.astype(np.int64), (squares - n * shift**2).clip(min=0.0)
    labels = [coded(table.column(name)) for name in columns]
    (m, measures), (d, datasets), (k, algorithms), (first, units), *_ = labels
    occurring, group = dense(m * len(datasets) + d)
    within = [codes for codes, _ in labels[3:]]
    items = item_scores([group, *within], k, len(algorithms), value, count, squares)
    return items, occurring, first[items.row], (measures, datasets, algorithms, units)


def _of_places(places: Places, *, answers: bool) -> _Items:
    """Average the answers in places to each item: blocks are in the order of nested labels."""
    parts = [name.split(JOINT) for name in places.replications]
    labels = [sorted(set(column)) for column in zip(*parts, strict=True)]
    codes = np.array(
        [
            list(map({name: i for i, name in enumerate(names)}.__getitem__, column))
            for names, column in zip(labels, zip(*parts, strict=True), strict=True)
        ]
    )
    blocks = [places.blocks(m) for m in range(len(places.measures))]
    joint = np.concatenate([places.labels(m)[r] for m, (_, r, _) in enumerate(blocks)])
    group = np.concatenate([m * len(places.datasets) + d for m, (d, _, _) in enumerate(blocks)])
    value = places.value[np.concatenate([rows for _, _, rows in blocks])]
    levels = codes[: len(codes) - answers, joint]
    items, occurring = placed_items(group, levels, value)
    names = places.measures, places.datasets, places.algorithms, tuple(labels[0])
    return items, occurring, levels[0, items.row], names


def _nodes(items: ItemScores, *, answers: bool) -> Counts:
    """Return (G, L) number of units of each level of each group."""
    g = int(items.group[-1]) + 1
    counts = [np.bincount(items.group[np.unique(node, return_index=True)[1]], minlength=g)
              for node in items.nodes.T]  # fmt: skip
    if answers:
        most = np.bincount(items.group, items.count.max(axis=1), g)
        counts.append(most.astype(np.int64))
    return np.stack(counts, axis=1)


def _covariates(
    frame: Frame, rows: Mapping[str, tuple[Codes, tuple[str, ...]]]
) -> dict[str, Array]:
    """Return the means of covariates over the rows of each unit."""
    names = [n for n in frame.collect_schema().names() if n.startswith(slots([""])[0][:-1])]
    if not names:
        return {}
    keys = list(rows)
    means = frame.group_by(*keys).agg(*(nw.col(name).mean() for name in names))
    table: Any = means.collect().to_arrow()
    shape = [len(labels) for _, labels in rows.values()]
    of = [coded(table.column(key), rows[key][1])[0] for key in keys]
    order = np.argsort(there := np.ravel_multi_index(of, shape))
    at = np.ravel_multi_index([codes for codes, _ in rows.values()], shape)
    at = order[np.searchsorted(there[order], at)]
    return {name: table.column(name).to_numpy()[at] for name in names}


def _reversed(levels: tuple[str, ...]) -> list[Finding]:
    """Warn of groups of items that are declared within items."""
    items = [name for name in levels if common_name(name) in ITEMS - {*GROUPS}]
    within = levels[levels.index(items[0]) + 1 :] if items else ()
    groups = [name for name in within if common_name(name) in GROUPS]
    if not groups:
        return []
    order = (*groups, *(name for name in levels if name not in groups))
    what = (
        f"{groups[0]} is declared within {items[0]}: the outermost, {levels[0]}, counts as drawn"
        " independently."
    )
    hint = f"units={literal(order)} has it outside."
    return [Finding(REVERSED, "warning", len(groups), what, (), hint)]


def findings_of(nested: NestedUnits, frame: Frame) -> list[Finding]:
    """Report the composition of units, and units whose items some algorithms lack."""
    table: Any = frame.collect().to_arrow()
    keys = [coded(table.column(name))[0] for name in ("measure", "dataset", "replication")]
    unit = nodes_of(keys)[0][-1]
    size = table.column(SIZE).to_numpy()
    most = np.zeros(int(unit.max(initial=-1)) + 1)
    np.maximum.at(most, unit, size)
    less = np.flatnonzero(size < most[unit])
    counts = nested.nodes.sum(axis=(0, 1)) // max(len(nested.measures), 1)
    what = ", ".join(
        counted(n, level) for n, level in zip(counts.tolist(), nested.levels, strict=True)
    )
    what = f"nested units: {what}; inference counts {plural(nested.levels[0])}."
    table = nested.table()
    findings = [
        Finding("units", "note", max(len(table) - 1, 1), what, table),
        *_reversed(nested.levels),
    ]
    if len(less):
        top, item = noun(nested.levels[0]), plural(nested.levels[nested.items])
        scores = (
            f"the score of 1 {top} is"
            if len(less) == 1
            else f"the scores of {len(less):,} {plural(top)} are"
        )
        what = f"{scores} of fewer {item} than another algorithm has there."
        hint = "differences of algorithms are also those of items: leave out what not all have."
        findings.append(Finding(LACKING, "warning", len(less), what, (), hint))
    return findings


def nested_items(notes: Sequence[Finding]) -> Finding | None:
    """Return the finding that replications are not the independent units, if there is one."""
    rules = ("items in groups", "joined replications")
    return next((finding for finding in notes if finding.rule in rules), None)


def noun(level: str) -> str:
    """Return the name of a level as a noun: ``doc_id`` is a doc.

    Examples
    --------
    >>> noun("doc_id"), plural("category"), counted(2, "sample")
    ('doc', 'categories', '2 samples')
    """
    return common_name(level).rpartition(".")[2].replace("_", " ")


def plural(level: str) -> str:
    """Return the plural of the name of a level."""
    word = noun(level)
    if word.endswith("s"):
        return word
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}{'es' if word.endswith(('x', 'tch', 'nch', 'sh')) else 's'}"


def counted(n: int, level: str) -> str:
    """Return a number of units of a level."""
    return f"{n:,} {noun(level) if n == 1 else plural(level)}"
