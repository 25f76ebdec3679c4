"""Batches of rows, from their labels to their places."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from benchinfer.scores.columns import LABELS, in_memory
from benchinfer.scores.numerics.places import Places
from benchinfer.scores.numerics.scatter import NotDenseError, Scatter

type Codes = NDArray[np.int32]

ROWS = 1 << 16  # of a batch: its columns fit into a processor's cache

_MOST_COUNTS = 1 << 24  # beyond, whole numbers are identifiers
_ROLES = ("measure", "dataset", "replication", "algorithm")


class _Labels:
    """The labels of one role, numbered as they come.

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

    def coded(self, column: Any) -> Codes:
        """Return the code of each row's label, or (1,) the code of all rows."""
        import pyarrow as pa

        if column.null_count:
            raise NotDenseError
        if pa.types.is_integer(column.type):
            return self._counted(_array(column))
        if not pa.types.is_dictionary(column.type):
            if not _is_text(column.type):
                raise NotDenseError
            column = (column[:1] if _constant(column) else column).dictionary_encode()
        labels = column.dictionary
        # The batches of a file often share a dictionary.
        if self._before is None or not labels.equals(self._before):
            if labels.null_count or not (_is_text(labels.type) or pa.types.is_integer(labels.type)):
                raise NotDenseError
            self._codes = self._number(labels.cast(pa.string()).to_pylist())
            self._same = bool((self._codes == np.arange(len(self._codes))).all())
            self._before = labels
        return self._codes if len(labels) == 1 else self._at(_array(column.indices))

    def _counted(self, column: NDArray[Any]) -> Codes:
        """Take whole numbers for positions; those that are no small counts are refused."""
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

    def _at(self, positions: NDArray[Any]) -> Codes:
        same = self._same
        return positions.astype(np.int32, copy=False) if same else self._codes.take(positions)

    def _number(self, names: Iterable[str]) -> Codes:
        if "" in (names := list(names)):
            raise NotDenseError
        numbers = list(map(self.code.get, names))
        if None in numbers:
            numbers = [self.code.setdefault(name, len(self.code)) for name in names]
        return np.array(numbers, np.int32)


def _array(column: Any) -> NDArray[Any]:
    """Return the memory of a column of numbers without gaps; Arrow's own way loads pandas."""
    numbers = np.frombuffer(column.buffers()[1], column.type.to_pandas_dtype())
    return numbers[column.offset : column.offset + len(column)]


def _constant(column: Any) -> bool:
    """Return whether all labels are one: many are in sorted tables, and it is soon seen."""
    import pyarrow.compute as pc

    if not len(column) or column[0] != column[-1]:
        return False
    return pc.all(pc.equal(column, column[0])).as_py()  # pyright: ignore[reportAttributeAccessIssue]


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view()


def batches(path: Path, kind: str, columns: Sequence[str]) -> Iterator[Any]:
    """Read a file of columns some rows at a time, text as codes."""
    from pyarrow import dataset
    from pyarrow.parquet import ParquetFile

    if kind != "parquet":
        yield from dataset.dataset(path, format=kind).to_batches(
            columns=list(columns), batch_size=ROWS, batch_readahead=2, use_threads=False
        )
        return
    with ParquetFile(path) as file:
        text = [name for name in columns if _is_text(file.schema_arrow.field(name).type)]
    # With a buffer all of a file would stay in memory until its end.
    with ParquetFile(path, read_dictionary=text, pre_buffer=False) as file:
        yield from file.iter_batches(ROWS, columns=list(columns), use_threads=False)


def placed(
    rows: int, batches: Iterable[Any], columns: Mapping[str, str], absent: Mapping[str, str]
) -> Places | None:
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
    labels = {role: _Labels() for role in _ROLES}
    scatter = Scatter(rows)
    alone: Codes = np.zeros(1, np.int32)
    try:
        for batch in batches:
            m, d, r, k = (
                labels[role].coded(batch.column(columns[role])) if role in columns else alone
                for role in _ROLES
            )
            sizes = [max(len(labels[role].code), 1) for role in _ROLES]
            scatter.add((m, d, r, k), sizes, _numbers(batch, columns["value"]))
    except (NotDenseError, UnicodeDecodeError):
        return None
    names = [[absent[r]] if r in absent else list(labels[r].code) for r in _ROLES]
    if not scatter.rows:
        return None
    return scatter.places((names[0], names[1], names[2], names[3]))


def _numbers(batch: Any, name: str) -> NDArray[np.float64]:
    import pyarrow as pa

    column = batch.column(name)
    kind = column.type
    if column.null_count or not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
        raise NotDenseError
    return _array(column).astype(np.float64, copy=False)


def held(frame: "nw.LazyFrame[Any]") -> "Places | nw.LazyFrame[Any]":
    """Return the places of canonical columns in memory; the frame where they are not dense."""
    if not in_memory(frame):
        return frame
    table: Any = nw.to_native(frame)
    roles = {name: name for name in (*_ROLES, "value")}
    if not set(table.column_names) <= {*roles, "domain"}:
        return frame
    if "domain" in table.column_names and table.column("domain").null_count:
        return frame
    return placed(len(table), table.to_batches(max_chunksize=ROWS), roles, {}) or frame


def frame_of(
    places: "Places | nw.LazyFrame[Any]", domains: Mapping[str, str] | None
) -> "nw.LazyFrame[Any]":
    """Return canonical columns in memory."""
    import pyarrow as pa

    if not isinstance(places, Places):
        return places

    def labels(codes: NDArray[np.int64], names: Iterable[str]) -> Any:
        indices = pa.array(codes.astype(np.int32))
        return pa.DictionaryArray.from_arrays(indices, pa.array(list(names), pa.string()))

    tables: list[Any] = []
    for m in range(len(places.measures)):
        dataset, replication, algorithm, value = places.scores(m)
        columns = {
            "dataset": labels(dataset, places.datasets),
            "replication": labels(places.labels(m)[replication], places.replications),
            "algorithm": labels(algorithm, places.algorithms),
            "measure": labels(np.full(len(value), m), places.measures),
        }
        if domains is not None:
            columns["domain"] = labels(dataset, (domains[name] for name in places.datasets))
        kept = {name: columns[name] for name in LABELS if name in columns}
        tables.append(pa.table({**kept, "value": value}))
    return nw.from_native(pa.concat_tables(tables), eager_only=True).lazy()
