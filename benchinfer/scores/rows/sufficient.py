"""Sufficient statistics of a table.

The likelihood of normal models depends on the blocks of a data set that hold the same algorithms, a
*class*, through their number, means and centred cross products C = R'R alone. A root R is kept
instead of C: it is found without squaring (a triangle of a QR decomposition), never takes more room
than the blocks themselves, and classes are merged by stacking their roots and means.

References
----------
Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance:
analysis and recommendations. The American Statistician 37, 242-247.
https://doi.org/10.1080/00031305.1983.10483115
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchinfer.core import saving
from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError
from benchinfer.core.measure import Measure
from benchinfer.core.result import Readable
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics.types import Array, Codes, Flags
from benchinfer.scores.coverage import Finding
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.rows.features import Feature, differing_features, pool_features
from benchinfer.scores.rows.reductions import (
    Blocks,
    Cells,
    deviation,
    squares_of,
)
from benchinfer.scores.rows.summary import Summary, extremes

SAMPLE = 4096


class Reducible(Protocol):
    """Table of scores, as far as its rows are reduced; see `ScoreTable`."""

    @property
    def measures(self) -> tuple[Measure, ...]: ...  # noqa: D102
    @property
    def resampling(self) -> Resampling | None: ...  # noqa: D102
    @property
    def paired(self) -> bool: ...  # noqa: D102
    @property
    def domains(self) -> Mapping[str, str] | None: ...  # noqa: D102
    @property
    def source(self) -> str: ...  # noqa: D102
    @property
    def notes(self) -> tuple[Finding, ...]: ...  # noqa: D102
    @property
    def covariates(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def summary(self) -> Summary: ...  # noqa: D102
    @property
    def features(self) -> Mapping[str, Feature]: ...  # noqa: D102
    @property
    def datasets(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def algorithms(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def digest(self) -> str: ...  # noqa: D102
    def measure(self, name: str | None = None) -> Measure: ...  # noqa: D102
    def cells(self, measure: str | None = None) -> Cells: ...  # noqa: D102
    def statistics(self) -> SufficientStatistics: ...  # noqa: D102


@savable
@shaped(dataset="C", count="C K", rows="C", mean="C K", home="F <C", root="F K", within="D K")
@dataclass(frozen=True, slots=True)
class BlockMoments:
    """Moments of the blocks of one measure; D data sets, K algorithms, C classes.

    Attributes
    ----------
    dataset
        (C,) data set of each class, non-decreasing.
    count
        (C, K) how many scores each block of the class has of the algorithm.
    rows
        (C,) number of blocks.
    mean
        (C, K) means over the blocks, 0 where an algorithm is absent.
    home, root
        (F,) class, non-decreasing, and (F, K) roots of the sums of outer products of the blocks'
        deviations from these means.
    within
        (D, K) sums of squares of repeats about their (block, algorithm) mean.
    """

    dataset: Codes
    count: Codes
    rows: Codes
    mean: Array
    home: Codes
    root: Array
    within: Array

    def representatives(self) -> tuple[Codes, Codes, Array, Array]:
        """Return (R,) data sets, (R, K) counts and means, and (R,) weights of blocks.

        Weighted, they have the moments of all blocks: two for each row r of a root, ``mean +- c r``
        (sigma points).
        """
        roots = np.bincount(self.home, minlength=len(self.rows))
        alone = np.flatnonzero(roots == 0)
        length = np.sqrt(roots / self.rows)[self.home, None] * self.root
        at = np.concatenate([alone, self.home, self.home])
        nothing = np.zeros((len(alone), self.mean.shape[1]))
        mean = self.mean[at] + np.concatenate([nothing, length, -length])
        order = np.argsort(at, kind="stable")
        at = at[order]
        weight = self.rows / np.maximum(2 * roots, 1)
        return self.dataset[at], self.count[at], mean[order], weight[at]

    def rescaled(self, sign: int, low: Array, width: Array) -> BlockMoments:
        """Return the moments of ``(sign * score - low) / width`` of (D,) data sets."""
        d = self.dataset[:, None]
        mean = np.where(self.count > 0, (sign * self.mean - low[d]) / width[d], 0.0)
        root = sign * self.root / width[self.dataset[self.home], None]
        return replace(self, mean=mean, root=root, within=self.within / width[:, None] ** 2)

    def subset(self, datasets: Codes, algorithms: Codes) -> BlockMoments:
        """Keep some data sets and algorithms, both in increasing order."""
        position = np.full(len(self.within), -1)
        position[datasets] = np.arange(len(datasets))
        selected = (position[self.dataset] >= 0) & self.count[:, algorithms].any(axis=1)
        home = np.cumsum(selected) - 1
        roots = selected[self.home]
        return condensed(
            position[self.dataset[selected]],
            self.count[selected][:, algorithms],
            self.rows[selected],
            self.mean[selected][:, algorithms],
            (home[self.home[roots]], self.root[roots][:, algorithms]),
            self.within[np.ix_(datasets, algorithms)],
        )

    def placed(self, dataset: Codes, algorithms: Codes, k: int) -> BlockMoments:
        """Return the moments at other data sets, and at places among K algorithms."""

        def columns(value: NDArray[Any]) -> NDArray[Any]:
            wide = np.zeros((len(value), k), value.dtype)
            wide[:, algorithms] = value
            return wide

        mean, root = columns(self.mean), columns(self.root)
        return replace(self, dataset=dataset, count=columns(self.count), mean=mean, root=root)

    def blocks(self) -> Codes:
        """Return (D,) number of blocks of each data set."""
        counts = np.zeros(len(self.within), np.int64)
        np.add.at(counts, self.dataset, self.rows)
        return counts


def condensed(
    dataset: Codes,
    count: Codes,
    rows: Codes,
    mean: Array,
    roots: tuple[Codes, Array],
    within: Array,
) -> BlockMoments:
    """Merge blocks or classes that hold the same algorithms of a data set.

    Arguments are as in `BlockMoments`, in any order; a class may come in several parts, and single
    blocks are classes of one row. `roots` are home and root.
    """
    home, root = roots
    order, new = _sorted(dataset, count)
    begin, group = np.flatnonzero(new), np.empty(len(order), np.int64)
    group[order] = np.cumsum(new) - 1
    size = np.diff(np.r_[begin, len(order)])
    total = _sums(rows[order], begin)
    middle, deviation = _centred(np.where(count > 0, mean, 0.0)[order], rows[order], begin, size)
    several = np.repeat(size > 1, size)
    at = np.concatenate([group[home], group[order[several]]])
    stack = np.concatenate([root, deviation[several]])
    return BlockMoments(
        dataset[order[begin]],
        count[order[begin]],
        total,
        middle,
        *_triangles(at, stack, size > 1),
        within,
    )


def _sorted(dataset: Codes, count: Codes) -> tuple[Codes, Flags]:
    """Return an order by data set and counts, and where in it another class begins."""
    flags = count if count.max(initial=0) > 1 else np.packbits(count.astype(bool), axis=1)
    order = np.lexsort((*flags.T[::-1], dataset))
    key = np.column_stack([dataset, flags])[order]
    return order, np.r_[True, (np.diff(key, axis=0) != 0).any(axis=1)][: len(key)]


def _centred(value: Array, rows: Codes, begin: Codes, size: Codes) -> tuple[Array, Array]:
    """Return (M, K) weighted means of sorted classes, and (R, K) roots of weights by deviations.

    Two passes: the second corrects rounding of the first.
    """
    weight = rows[:, None].astype(np.float64)
    total = _sums(weight, begin)
    middle, deviation = np.zeros((len(begin), value.shape[1])), value
    for _ in range(2):
        shift = _sums(weight * deviation, begin) / total
        middle += shift
        deviation = deviation - np.repeat(shift, size, axis=0)
    return middle, np.sqrt(weight) * deviation


def _sums[Kind: np.generic](value: NDArray[Kind], begin: Codes) -> NDArray[Kind]:
    """Return sums of runs of rows."""
    return np.add.reduceat(value, begin, axis=0) if len(begin) else value[:0]


def _triangles(home: Codes, stack: Array, changed: Flags) -> tuple[Codes, Array]:
    """Replace the rows of each class that changed by a triangle with the same cross products."""
    order = np.argsort(home, kind="stable")
    home, stack = home[order], stack[order]
    begin = np.flatnonzero(np.r_[True, np.diff(home) != 0][: len(home)])
    stop = np.r_[begin[1:], len(home)][: len(begin)]
    roots: list[Array] = []
    for a, b in zip(begin.tolist(), stop.tolist(), strict=True):
        part = stack[a:b]
        if changed[home[a]]:
            part = np.linalg.qr(part, mode="r")
            part = part[part.any(axis=1)]
        roots.append(part)
    sizes = np.array([len(part) for part in roots], np.int64)
    nothing = np.zeros((0, stack.shape[1]))
    return np.repeat(home[begin], sizes), np.concatenate([nothing, *roots])


def merged(parts: Iterable[BlockMoments], within: Array) -> BlockMoments:
    """Pool moments whose labels have the same places, and whose blocks are not the same."""
    parts = list(parts)
    starts = np.cumsum([0, *(len(part.rows) for part in parts)])
    return condensed(
        np.concatenate([part.dataset for part in parts]),
        np.concatenate([part.count for part in parts]),
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.mean for part in parts]),
        (
            np.concatenate([s + part.home for s, part in zip(starts, parts, strict=False)]),
            np.concatenate([part.root for part in parts]),
        ),
        within,
    )


def rows_needed() -> DesignError:
    """Return the error of an analysis that needs more than statistics."""
    return DesignError(
        "this needs the scores themselves, of which the table holds only statistics.",
        hint=[
            "compare_mixed and compare_bayes need statistics only;",
            "for all else read the scores, of a cluster after compute() or toPandas().",
        ],
    )


@checked
@savable
@shaped(measures="M", summary=SAME, mean="M D K", squares="M D K", blocks=SAME)
@dataclass(frozen=True, slots=True, repr=False)
class SufficientStatistics(Readable):
    """All that normal models need of a table of scores, without its rows.

    Made by `ScoreTable.statistics`, saved by `save`, read back by `benchinfer.load`, and pooled by
    ``+``, of parts that have no block (data set, replication) in common. Analyses that need no rows
    take it in place of the table.

    Attributes
    ----------
    measures, resampling, paired, domains, source, notes, features
        As those of `ScoreTable`.
    summary
        Counts, moments and extremes of the M x D x K cells, in the user's units.
    mean, squares
        (M, D, K) means, and sums of squared deviations from them, on the modelling scales.
    blocks
        Measure to the moments of its blocks on its modelling scale, where algorithms share
        replications.
    steps
        Measure to the smallest step between its scores on the modelling scale; of several parts,
        the smallest of any part.
    parts
        Digests of the tables that were pooled.
    sample
        The smallest 64-bit hashes, up to 4,096, of the blocks or, where replications are not
        shared, of the scores: two parts with the same block among them are refused. Of a cluster
        there are none, and only the same table is refused.
    unit_size
        Number of items in each nested unit, NaN where it differs, None where none are nested.
    """

    measures: tuple[Measure, ...]
    resampling: Resampling | None
    paired: bool
    domains: Mapping[str, str] | None
    source: str
    notes: tuple[Finding, ...]
    summary: Summary
    mean: Array
    squares: Array
    blocks: Mapping[str, BlockMoments]
    steps: Mapping[str, float]
    parts: tuple[str, ...]
    sample: NDArray[np.uint64]
    features: Mapping[str, Feature] = field(default_factory=dict[str, Feature])
    unit_size: float | None = None

    def __post_init__(self) -> None:
        """Raise a DesignError where parts are of other measures, as in a file that was changed."""
        names = {m.name for m in self.measures}
        if not self.blocks.keys() <= self.steps.keys() <= names:
            raise DesignError("statistics have parts of measures that they do not have.")

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits: of the table, or of the digests of several parts."""
        if len(self.parts) == 1:
            return self.parts[0]
        return hashlib.sha256(repr(sorted(self.parts)).encode()).hexdigest()[:16]

    def save(self, path: str | Path) -> Path:
        """Write the statistics to one JSON file that `benchinfer.load` reads back."""
        return saving.save(self, path)

    def cells(self, measure: Measure) -> Cells:
        """Return the cells of a measure, oriented."""
        m, s = self._place(measure), self.summary
        mean, sd = measure.sign * self.mean[m], deviation(s.n[m], self.squares[m])
        return Cells(measure, s.datasets, s.algorithms, s.n[m], mean, sd)

    def weighted_blocks(self, measure: Measure) -> Blocks:
        """Return weighted blocks with the first two moments of those of the table."""
        self._place(measure)
        if measure.name not in self.blocks:
            raise rows_needed()
        moments = self.blocks[measure.name]
        dataset, count, mean, weight = moments.representatives()
        return Blocks(
            measure,
            self.summary.datasets,
            self.summary.algorithms,
            dataset=dataset,
            replication=np.zeros(len(dataset), np.int64),
            labels=(),
            count=count,
            mean=measure.sign * mean,
            within=moments.within,
            paired=True,
            weight=weight,
            step=self.steps[measure.name],
        )

    def _place(self, measure: Measure) -> int:
        """Return the position of a measure; raise a DesignError where its scale differs."""
        held = next(m for m in self.measures if m.name == measure.name)
        if held.scale != measure.scale:
            raise DesignError(
                f"the statistics of {measure.name!r} are on the {held.scale} scale, not on the"
                f" {measure.scale} scale.",
                hint="declare the scale when the scores are read.",
            )
        return self.summary.measures.index(measure.name)

    def rescaled(
        self, measure: Measure, new: Measure, low: Array, width: Array
    ) -> SufficientStatistics:
        """Return the statistics of a new measure, the oriented ``(score - low) / width``."""
        m, old, sign, by = self._place(measure), self.summary, measure.sign, width[:, None]

        def changed(values: Array, at_m: Array) -> Array:
            values = values.copy()
            values[m] = at_m
            return values

        mean = changed(self.mean, (sign * self.mean[m] - low[:, None]) / by)
        squares = changed(self.squares, self.squares[m] / by**2)
        oriented = [(measure.orient(x[m]) - low[:, None]) / by for x in (old.minimum, old.maximum)]
        lowest = changed(old.minimum, np.fmin(*oriented))
        highest = changed(old.maximum, np.fmax(*oriented))
        names = [new.name if i == m else name for i, name in enumerate(old.measures)]
        summary = replace(
            old,
            measures=tuple(names),
            mean=changed(old.mean, mean[m]),
            squares=changed(old.squares, squares[m]),
            minimum=lowest,
            maximum=highest,
            ends=changed(old.ends, np.full(2, np.nan)),
        )
        ends = extremes(lowest, highest)
        summary = replace(summary, ends=ends, at_ends=_at_ends(summary, ends))
        order = sorted(range(len(names)), key=names.__getitem__)
        blocks, steps = dict(self.blocks), dict(self.steps)
        if measure.name in blocks:
            blocks[new.name] = blocks.pop(measure.name).rescaled(sign, low, width)
            # Of the data set with the widest scale: no score has a smaller step.
            steps[new.name] = steps.pop(measure.name) / float(width.max())
        scale = repr((new, low.tolist(), width.tolist()))
        digests = [hashlib.sha256(f"{part}{scale}".encode()).hexdigest() for part in self.parts]
        return replace(
            self,
            measures=tuple(new if one.name == measure.name else one for one in self.measures),
            summary=summary.part(order, range(len(old.datasets)), range(len(old.algorithms))),
            mean=mean[order],
            squares=squares[order],
            blocks=blocks,
            steps=steps,
            parts=tuple(digest[:16] for digest in digests),
        )

    def subset(
        self, measures: Sequence[str], datasets: Sequence[str], algorithms: Sequence[str]
    ) -> SufficientStatistics:
        """Keep some measures, data sets and algorithms, as far as they have scores."""
        old = self.summary
        m = _chosen(old.measures, measures)
        d, k = _chosen(old.datasets, datasets), _chosen(old.algorithms, algorithms)
        n = old.n[np.ix_(m, d, k)]
        m = m[n.any(axis=(1, 2))]
        d, k = d[n.any(axis=(0, 2))], k[n.any(axis=(0, 1))]
        cells = np.ix_(m, d, k)
        measure_names = [old.measures[i] for i in m]
        moments = {name: self.blocks[name] for name in measure_names if name in self.blocks}
        blocks = {name: part.subset(d, k) for name, part in moments.items()}
        shared = old.shared[np.ix_(m, d)]
        if self.paired and measure_names:
            shared = np.stack([blocks[name].blocks() for name in measure_names])
        names = (tuple(old.datasets[i] for i in d), tuple(old.algorithms[i] for i in k))
        low, high = old.minimum[cells], old.maximum[cells]
        ends = extremes(low, high)
        summary = Summary(
            tuple(measure_names),
            *names,
            old.n[cells],
            old.replications[cells],
            shared,
            old.mean[cells],
            old.squares[cells],
            low,
            high,
            ends,
            _at_ends(old.part(m, d, k), ends),
        )
        return replace(
            self,
            measures=tuple(one for one in self.measures if one.name in measure_names),
            domains=self.domains and {name: self.domains[name] for name in names[0]},
            summary=summary,
            mean=self.mean[cells],
            squares=self.squares[cells],
            blocks=blocks,
            features={name: feature.at(d.tolist()) for name, feature in self.features.items()},
        )

    def __add__(self, other: SufficientStatistics | Reducible) -> SufficientStatistics:
        """Pool two parts of a table.

        Parameters
        ----------
        other
            Statistics, or a table of new scores.

        Raises
        ------
        DesignError
            The parts overlap, or declare measures or replications differently.
        """
        added = other
        if not isinstance(added, SufficientStatistics):
            if not hasattr(added, "statistics"):
                raise DesignError(
                    f"a {type(other).__name__} cannot be added to statistics.",
                    hint="read it first: bi.read_scores(table, measures=...).statistics().",
                )
            added = added.statistics()
        _refuse_overlap(self, added)
        _refuse_other(self, added)
        return _pooled(self, added)

    def description(self) -> str:
        """Return the numbers of data sets, algorithms, scores and parts as text."""
        summary = self.summary
        parts = f"{len(self.parts)} part{'' if len(self.parts) == 1 else 's'}"
        return (
            f"SufficientStatistics({len(summary.datasets)} data sets x"
            f" {len(summary.algorithms)} algorithms, {int(summary.n.sum())} scores, {parts} of"
            f" {self.source}; {', '.join(m.name for m in self.measures)})"
        )


def _chosen(names: Sequence[str], selected: Sequence[str]) -> Codes:
    return np.array([i for i, name in enumerate(names) if name in set(selected)], np.int64)


def _refuse_overlap(a: SufficientStatistics, b: SufficientStatistics) -> None:
    twice = sorted(set(a.parts) & set(b.parts))
    shared = len(np.intersect1d(a.sample, b.sample))
    if not twice and not shared:
        return
    what = "block" if a.paired else "score"
    overlap = f"{shared} of {min(len(a.sample), len(b.sample))} {what}s looked at are in both parts"
    if twice:
        overlap = f"the table {twice[0]} is in both parts"
    raise DesignError(
        f"{overlap}: their scores would count twice.",
        hint="add parts that have no replication of a data set in common.",
    )


def _refuse_other(a: SufficientStatistics, b: SufficientStatistics) -> None:
    """Raise a DesignError where the declarations of two parts differ and prevent pooling."""
    declared, faults = {m.name: m for m in a.measures}, list[str]()
    faults += [m.name for m in b.measures if declared.get(m.name, m) != m]
    faults += ["paired"] * (a.paired != b.paired) + ["resampling"] * (a.resampling != b.resampling)
    both = set(a.domains or {}) & set(b.domains or {})
    if (a.domains is None) != (b.domains is None) or any(
        (a.domains or {})[name] != (b.domains or {})[name] for name in both
    ):
        faults.append("domains")
    faults += differing_features(_described(a), _described(b))
    shared = set(a.summary.datasets) & set(b.summary.datasets)
    if shared and a.unit_size != b.unit_size and not faults:  # NaN, too
        raise DesignError(
            f"nested units of the parts hold different numbers of items, and {len(shared):,}"
            f" {'data set is' if len(shared) == 1 else 'data sets are'} in both: a level is no"
            " mean of those of the parts.",
            hint="add statistics of whole data sets, or read their parts together.",
        )
    scaled = [m.name for m in b.measures if m.normalised and m.normalised.of_scores]
    if shared and scaled and not faults:
        raise DesignError(
            f"each part has its own scale of {', '.join(scaled)} on {len(shared):,} data sets that"
            " both parts have.",
            hint="add the parts as they were read, and normalise what compares them.",
        )
    if faults:
        raise DesignError(
            f"the parts declare differently: {', '.join(faults)}.",
            hint="read both with the same measures=..., resampling=..., paired=... and"
            " features=....",
        )


def _described(statistics: SufficientStatistics) -> tuple[Mapping[str, Feature], Sequence[str]]:
    return statistics.features, statistics.summary.datasets


def _pooled(a: SufficientStatistics, b: SufficientStatistics) -> SufficientStatistics:
    union = _Union.of(a.summary, b.summary)
    measures = {m.name: m for m in (*a.measures, *b.measures)}
    steps = [{**a.steps, **b.steps}, {**b.steps, **a.steps}]
    n = union.both(a.summary.n, b.summary.n)
    mean, squares = pool_moments(
        n, union.both(a.mean, b.mean, np.nan), union.both(a.squares, b.squares)
    )
    return replace(
        a,
        measures=tuple(measures.values()),
        domains=None if a.domains is None else {**a.domains, **(b.domains or {})},
        source=a.source if a.source == b.source else f"{a.source}, {b.source}",
        notes=tuple(dict.fromkeys((*a.notes, *b.notes))),
        summary=_pooled_summary(union, a.summary, b.summary),
        mean=mean,
        squares=squares,
        blocks={name: union.blocks(a.blocks.get(name), b.blocks.get(name)) for name in steps[0]},
        steps={name: min(step[name] for step in steps) for name in steps[0]},
        parts=(*a.parts, *b.parts),
        sample=np.union1d(a.sample, b.sample)[:SAMPLE],
        unit_size=a.unit_size if a.unit_size == b.unit_size else float("nan"),
        features=pool_features(_described(a), _described(b), union.labels[1]),
    )


@dataclass(frozen=True, slots=True)
class _Union:
    """The labels of two parts: measures, data sets and algorithms, with the places of each part."""

    labels: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
    places: tuple[tuple[Codes, Codes, Codes], tuple[Codes, Codes, Codes]]

    @staticmethod
    def of(a: Summary, b: Summary) -> _Union:
        parts = [(part.measures, part.datasets, part.algorithms) for part in (a, b)]
        labels = [tuple(sorted({*x, *y})) for x, y in zip(*parts, strict=True)]
        code = [{name: i for i, name in enumerate(names)} for names in labels]
        m, d, k = (
            [np.array([position[name] for name in part[i]], np.int64) for part in parts]
            for i, position in enumerate(code)
        )
        return _Union((labels[0], labels[1], labels[2]), ((m[0], d[0], k[0]), (m[1], d[1], k[1])))

    def both(self, a: NDArray[Any], b: NDArray[Any], fill: float = 0) -> list[NDArray[Any]]:
        """Return (M, D, ...) arrays of both parts, extended to the labels of the union."""
        arrays: list[NDArray[Any]] = []
        for value, place in zip((a, b), self.places, strict=True):
            axes = min(value.ndim, 3)
            shape = [len(names) for names in self.labels[:axes]]
            full = np.full((*shape, *value.shape[axes:]), fill, value.dtype)
            full[np.ix_(*place[:axes])] = value
            arrays.append(full)
        return arrays

    def blocks(self, *parts: BlockMoments | None) -> BlockMoments:
        """Pool the moments of blocks."""
        k, within = len(self.labels[2]), np.zeros([len(names) for names in self.labels[1:]])
        placed: list[BlockMoments] = []
        for part, (_, datasets, algorithms) in zip(parts, self.places, strict=True):
            if part is not None:
                within[np.ix_(datasets, algorithms)] += part.within
                placed.append(part.placed(datasets[part.dataset], algorithms, k))
        return merged(placed, within)


def _pooled_summary(union: _Union, a: Summary, b: Summary) -> Summary:
    n = union.both(a.n, b.n)
    mean, squares = pool_moments(
        n, union.both(a.mean, b.mean, np.nan), union.both(a.squares, b.squares)
    )
    low = union.both(a.minimum, b.minimum, np.nan)
    high = union.both(a.maximum, b.maximum, np.nan)
    ends = extremes(np.fmin(*low), np.fmax(*high))
    (first, _, _), (second, _, _) = union.places
    at_ends = union.both(_at_ends(a, ends[first]), _at_ends(b, ends[second]))
    return Summary(
        *union.labels,
        n=n[0] + n[1],
        replications=np.add(*union.both(a.replications, b.replications)),
        shared=np.add(*union.both(a.shared, b.shared)),
        mean=mean,
        squares=squares,
        minimum=np.fmin(*low),
        maximum=np.fmax(*high),
        ends=ends,
        at_ends=at_ends[0] + at_ends[1],
    )


def pool_moments(
    n: Sequence[Codes], mean: Sequence[Array], squares: Sequence[Array]
) -> tuple[Array, Array]:
    """Pool counts, means and sums of squared deviations of parts.

    Examples
    --------
    >>> mean, squares = pool_moments([np.array([2]), np.array([1])],
    ...                              [np.array([1.0]), np.array([4.0])],
    ...                              [np.array([2.0]), np.array([0.0])])
    >>> mean.tolist(), squares.tolist()  # of 0, 2 and 4
    ([2.0], [8.0])
    """
    total = np.sum(n, axis=0)
    held = np.maximum(total, 1)
    pairs = [(size, np.where(size > 0, values, 0.0)) for size, values in zip(n, mean, strict=True)]
    middle = np.sum([size * values for size, values in pairs], axis=0) / held
    middle = middle + np.sum([size * (values - middle) for size, values in pairs], axis=0) / held
    spread = [size * (values - middle) ** 2 for size, values in pairs]
    return np.where(total > 0, middle, np.nan), np.sum([*squares, *spread], axis=0)


def _at_ends(summary: Summary, ends: Array) -> Codes:
    """Return (M, D, K, 2) how many scores are known to equal (M, 2) extremes."""
    cells = np.stack([summary.minimum, summary.maximum], axis=-1)
    constant = (summary.minimum == summary.maximum)[..., None]
    held = np.where(constant, summary.n[..., None], 1) * (cells == ends[:, None, None])
    return np.where((summary.ends == ends)[:, None, None], summary.at_ends, held)


def statistics_of(
    table: Reducible,
    cells: Mapping[str, Cells],
    blocks: Mapping[str, BlockMoments],
    *,
    steps: Mapping[str, float],
    digest: str,
    sample: NDArray[np.uint64],
    unit_size: float | None = None,
) -> SufficientStatistics:
    """Return the statistics of a table, with its declarations."""
    return SufficientStatistics(
        measures=table.measures,
        resampling=table.resampling,
        paired=table.paired,
        domains=table.domains,
        source=table.source,
        notes=table.notes,
        summary=table.summary,
        mean=np.stack([each.measure.sign * each.mean for each in cells.values()]),
        squares=np.stack([squares_of(each) for each in cells.values()]),
        blocks=blocks,
        steps=steps,
        parts=(digest,),
        sample=sample,
        features=table.features,
        unit_size=unit_size,
    )
