"""Rows in their places, and the places of rows as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, override

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from benchinfer.core.measure import Measure
from benchinfer.numerics.types import Array
from benchinfer.scores.columns.engines import Frame, holds_text, in_memory, lazy
from benchinfer.scores.columns.roles import INNER, JOINT, LABELS
from benchinfer.scores.numerics.places import (
    BATCH,
    NotDenseError,
    Places,
    Positions,
    Scatter,
    cell_quantiles,
    number,
)
from benchinfer.scores.rows.reductions import (
    Blocks,
    Cells,
    blocks_in_parts,
    cells_of,
    require_scale,
)
from benchinfer.scores.rows.rows import QUARTILES, Names, Rows
from benchinfer.scores.rows.summary import (
    ScoreRows,
    Summary,
    coded,
    dictionary,
    summary_of_places,
)

_PART = 1 << 18  # scores of which block moments are found at a time
_MOST_COUNTS = 1 << 24  # beyond, whole numbers are identifiers
_ROLES = ("measure", "dataset", "replication", "algorithm")


@dataclass(frozen=True, slots=True)
class PlacedRows(Rows):
    """Rows in their places: one score in each, without covariates.

    Attributes
    ----------
    places
        Scores by place.
    levels
        Of nested units, whose labels are joined in the places; 1 where none are nested.
    """

    places: Places
    levels: int = 1

    @override
    def frame(self, domains: Mapping[str, str] | None = None) -> Frame:
        import pyarrow as pa

        places, tables = self.places, list[Any]()
        for m in range(len(places.measures)):
            dataset, replication, algorithm, value = places.scores(m)
            columns = {
                "dataset": dictionary(dataset, places.datasets),
                "replication": dictionary(places.labels(m)[replication], places.replications),
                "algorithm": dictionary(algorithm, places.algorithms),
                "measure": dictionary(np.full(len(value), m), places.measures),
            }
            if domains is not None:
                columns["domain"] = dictionary(dataset, (domains[name] for name in places.datasets))
            ordered = {name: columns[name] for name in LABELS if name in columns}
            tables.append(pa.table({**ordered, "value": value}))
        table = pa.concat_tables(tables)
        return lazy(table if self.levels == 1 else self._split(table))

    def _split(self, table: Any) -> Any:
        """Return a table with a column of labels for each level of nested units."""
        joined, names = coded(table.column("replication"))
        parts = [name.split(JOINT) for name in names]
        at = table.column_names.index("replication")
        for i, role in enumerate(("replication", *INNER)[: self.levels]):
            column = dictionary(joined, (part[i] for part in parts))
            table = (
                table.set_column(at, role, column)
                if not i
                else table.add_column(at + i, role, column)
            )
        return table.unify_dictionaries()

    @override
    def summary(self) -> Summary:
        return summary_of_places(self.places)

    @override
    def replications(self) -> Sequence[str]:
        return self.places.replications

    @override
    def distinct(self, measure: str) -> int:
        return len(np.unique(self.places.scores(self.places.measures.index(measure))[3]))

    @override
    def scores(self, measure: str, names: Names, covariates: Sequence[str] = ()) -> ScoreRows:
        m = self.places.measures.index(measure)
        dataset, replication, algorithm, value = self.places.scores(m)
        no_covariates = np.empty((len(value), 0))
        labels = self.places.replications_of(m)
        return ScoreRows(dataset, replication, algorithm, labels, value, no_covariates)

    @override
    def quartiles(self, summary: Summary) -> Array:
        m = self.places.measures.index(summary.measures[0])
        return cell_quantiles(self.places, m, summary.n[0], QUARTILES)

    @override
    def content(
        self, measure: str, names: Names, covariates: Sequence[str]
    ) -> tuple[tuple[str, ...], Iterator[bytes]]:
        m = self.places.measures.index(measure)
        return self.places.replications_of(m), self._content(m)

    def _content(self, m: int) -> Iterator[bytes]:
        """Yield places and scores without sorting: places are in order, and have one score each."""
        dataset, replication, rows = self.places.blocks(m)
        k = np.arange(len(self.places.algorithms))
        first = (dataset * len(self.places.labels(m)) + replication) * len(k)
        for part, value in self.places.parts(rows):
            yield _present(first[part, None] + k, value).astype("<i8", copy=False).tobytes()
        for _, value in self.places.parts(rows):
            yield (_present(value, value) + 0.0).astype("<f8", copy=False).tobytes()

    @property
    @override
    def in_cluster(self) -> bool:
        return False

    @override
    def cells(self, measure: Measure, summary: Summary) -> Cells:
        return cells_of(measure, summary, self.frame)

    @override
    def weighted_blocks(self, measure: Measure, names: Names, *, paired: bool) -> Blocks:
        return self.blocks(measure, names, paired=paired)

    @override
    def blocks(self, measure: Measure, names: Names, *, paired: bool) -> Blocks:
        if not paired:
            return Rows.blocks(self, measure, names, paired=False)
        if measure.scale != "identity":
            end = 1.0 if measure.scale == "logit" else np.inf
            _, _, rows = self.places.blocks(self.places.measures.index(measure.name))
            # PyArrow loads pandas to make a frame, which only what is refused needs.
            if not all(np.nanmin(v) > 0 and np.nanmax(v) < end for _, v in self.places.parts(rows)):
                require_scale(self.frame(), measure)
        (blocks,) = blocks_in_parts(self.places, measure, self.places.value.size)
        return blocks

    @override
    def block_parts(self, measure: Measure, names: Names) -> Iterator[Blocks]:
        if measure.scale == "identity":
            yield from blocks_in_parts(self.places, measure, _PART)
        else:
            yield self.blocks(measure, names, paired=True)


def _present[Kind: np.generic](numbers: NDArray[Kind], value: Array) -> NDArray[Kind]:
    """Return the numbers in places that have a score."""
    return numbers[~np.isnan(value)] if np.isnan(value.sum()) else numbers


def placed_frame(frame: Frame) -> PlacedRows | None:
    """Return the places of canonical columns in memory, None where they are not dense."""
    if not in_memory(frame):
        return None
    table: Any = nw.to_native(frame)
    inner = [name for name in INNER if name in table.column_names]
    roles = {name: name for name in (*_ROLES, *inner, "value")}
    if not set(table.column_names) <= {*roles, "domain"}:
        return None
    if "domain" in table.column_names and table.column("domain").null_count:
        return None
    return placed(len(table), table.to_batches(max_chunksize=BATCH), roles, {})


class _Labels:
    """Labels of one role, numbered in order of first occurrence.

    Attributes
    ----------
    code
        Label to number.
    """

    __slots__ = ("_before", "_codes", "_same", "code")

    def __init__(self) -> None:
        self.code: dict[str, int] = {}
        self._before: Any = None
        self._codes = np.empty(0, np.int32)
        self._same = True  # each label has its position in a dictionary, or its count, as code

    def coded(self, column: Any) -> Positions:
        """Return the code of each row's label, or (1,) the code of all rows."""
        import pyarrow as pa

        if column.null_count:
            raise NotDenseError
        if pa.types.is_integer(column.type):
            return self._counted(_array(column))
        if not pa.types.is_dictionary(column.type):
            if not holds_text(column.type):
                raise NotDenseError
            column = (column[:1] if _constant(column) else column).dictionary_encode()
        labels = column.dictionary
        # The batches of a file often share a dictionary.
        if self._before is None or not labels.equals(self._before):
            if labels.null_count or not (
                holds_text(labels.type) or pa.types.is_integer(labels.type)
            ):
                raise NotDenseError
            self._codes = self._number(labels.cast(pa.string()).to_pylist())
            self._same = bool((self._codes == np.arange(len(self._codes))).all())
            self._before = labels
        return self._codes if len(labels) == 1 else self._at(_array(column.indices))

    def _counted(self, column: NDArray[Any]) -> Positions:
        """Return the codes of whole numbers; raise a NotDenseError on negative or large ones."""
        if not len(column):
            return np.zeros(1, np.int32)
        if column.min() < 0 or (last := int(column.max())) >= _MOST_COUNTS:
            raise NotDenseError
        if self._same and last < len(self.code):  # all counts up to the last have come
            return self._at(column)
        if last >= len(self._codes):
            room = np.full(max(last + 1, 2 * len(self._codes)), -1, np.int32)
            room[: len(self._codes)] = self._codes
            self._codes = room
        codes = self._codes.take(column)
        if codes.min() < 0:
            new = np.unique(column[codes < 0])
            self._codes[new] = self._number(map(str, new.tolist()))
            self._same = self._same and bool((self._codes[new] == new).all())
            codes = self._codes.take(column)
        return codes

    def _at(self, positions: NDArray[Any]) -> Positions:
        same = self._same
        return positions.astype(np.int32, copy=False) if same else self._codes.take(positions)

    def _number(self, names: Iterable[str]) -> Positions:
        if "" in (names := list(names)):
            raise NotDenseError
        numbers = list(map(self.code.get, names))
        if None in numbers:
            numbers = [self.code.setdefault(name, len(self.code)) for name in names]
        return np.array(numbers, np.int32)


class _Joint:
    """Labels of replications, joined over nested levels and numbered by first occurrence."""

    __slots__ = ("_levels", "_numbers", "_roles", "size")

    def __init__(self, roles: Sequence[str]) -> None:
        self._roles = roles
        self._levels = [_Labels() for _ in roles]
        # Number of each combination of labels, 0 where it has not come.
        self._numbers = np.zeros((1,) * len(roles), np.int32)
        self.size = 0

    def coded(self, columns: Mapping[str, Any], rows: int) -> Positions:
        """Return the code of each row's labels, of all rows so far."""
        codes = [
            labels.coded(columns[role])
            for labels, role in zip(self._levels, self._roles, strict=True)
        ]
        if len(codes) == 1:
            self.size = len(self._levels[0].code)
            return codes[0]
        need, shape = [len(labels.code) for labels in self._levels], self._numbers.shape
        if any(size > there for size, there in zip(need, shape, strict=True)):
            grown = [
                there if size <= there else max(size, there * 3 // 2)
                for size, there in zip(need, shape, strict=True)
            ]
            if np.prod(grown, dtype=float) > 8 * rows + (1 << 22):
                raise NotDenseError
            numbers = np.zeros(grown, np.int32)
            numbers[tuple(map(slice, shape))] = self._numbers
            self._numbers = numbers
        place = codes[0].astype(np.intp)
        for code, size in zip(codes[1:], self._numbers.shape[1:], strict=True):
            place = place * size + code
        known = self._numbers.ravel()
        joint = known.take(place)
        if not joint.min():
            self.size = number(known, place[joint == 0], 1 + self.size) - 1
            joint = known.take(place)
        return joint - 1

    def names(self) -> list[str]:
        """Return the joined labels, by code."""
        labels = [list(each.code) for each in self._levels]
        if len(labels) == 1:
            return labels[0]
        if any(JOINT in label for names in labels for label in names):
            raise NotDenseError
        places = np.nonzero(self._numbers)
        order = np.argsort(self._numbers[places])
        parts = [
            map(names.__getitem__, place[order].tolist())
            for names, place in zip(labels, places, strict=True)
        ]
        return list(map(JOINT.join, zip(*parts, strict=True)))


def _array(column: Any) -> NDArray[Any]:
    """Return the memory of a column of numbers without gaps; Arrow's own ways load pandas."""
    from pyarrow import types

    of = column.type
    kind = "f" if types.is_floating(of) else "i" if types.is_signed_integer(of) else "u"
    numbers = np.frombuffer(column.buffers()[1], f"{kind}{of.bit_width // 8}")
    return numbers[column.offset : column.offset + len(column)]


def _constant(column: Any) -> bool:
    """Return whether all labels are the same."""
    import pyarrow.compute as pc

    if not len(column) or column[0] != column[-1]:
        return False
    return pc.all(pc.equal(column, column[0])).as_py()  # pyright: ignore[reportAttributeAccessIssue]


def placed(
    rows: int, batches: Iterable[Any], columns: Mapping[str, str], absent: Mapping[str, str]
) -> PlacedRows | None:
    """Return the places of rows, None where they are not one finite number each in a dense table.

    Parameters
    ----------
    rows
        How many there will be, as far as that is known.
    batches
        Arrow batches of labels, as text, whole numbers or codes of them, and numbers.
    columns
        Role to column.
    absent
        Role to the label of all rows, where no column has it.
    """
    levels = ["replication", *(role for role in INNER if role in columns)]
    if len(levels) > 1 and "replication" in absent:
        return None
    labels = {role: _Labels() for role in _ROLES}
    joint = _Joint(levels)
    scatter = Scatter(rows)
    alone: Positions = np.zeros(1, np.int32)
    coming = 0
    try:
        for batch in batches:
            coming += len(batch)
            m, d, k = (
                labels[role].coded(batch.column(columns[role])) if role in columns else alone
                for role in ("measure", "dataset", "algorithm")
            )
            r = alone
            if "replication" in columns:
                r = joint.coded({role: batch.column(columns[role]) for role in levels}, coming)
            m_, d_, k_ = (
                max(len(labels[role].code), 1) for role in ("measure", "dataset", "algorithm")
            )
            sizes = [m_, d_, max(joint.size, 1), k_]
            scatter.add((m, d, r, k), sizes, _numbers(batch, columns["value"]))
        names = {
            role: [absent[role]] if role in absent else list(labels[role].code) for role in _ROLES
        }
        if "replication" in columns:
            names["replication"] = joint.names()
    except (NotDenseError, UnicodeDecodeError):
        return None
    if not scatter.rows:
        return None
    measures, datasets, replications, algorithms = (names[role] for role in _ROLES)
    places = scatter.places((measures, datasets, replications, algorithms))
    if places is None:
        return None
    return PlacedRows(places, len(levels))


def _numbers(batch: Any, name: str) -> Array:
    import pyarrow as pa

    column = batch.column(name)
    kind = column.type
    if column.null_count or not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
        raise NotDenseError
    return _array(column).astype(np.float64, copy=False)
