"""Frames of any engine as sources of tables.

Frames that are in memory are taken over into Arrow once: later changes to the user's frame cannot
reach the table, and labels become integer codes. Lazy frames and relations stay in their engine,
dask frames as long as they have one column of numbers.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import narwhals as nw

from benchinfer.core.arguments import is_text
from benchinfer.core.errors import BenchinferError, ScoreTableError, message, optional
from benchinfer.scores.columns.engines import engine_of, failed, lazy
from benchinfer.scores.columns.roles import slots
from benchinfer.scores.coverage import Finding
from benchinfer.scores.formats.format import Format
from benchinfer.scores.numerics.places import BATCH, NotDenseError

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

# Kinds of columns that hold no scores; most of them are no labels either.
_ODD: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("date", (nw.Date, nw.Datetime, nw.Time)),
    ("duration", (nw.Duration,)),
    ("nested", (nw.List, nw.Array, nw.Struct)),
    ("bytes", (nw.Binary,)),
)
_HUGE: tuple[Any, ...] = (nw.Int128, nw.UInt128)  # which Arrow does not have

# Of rows that are neither counted nor placed as they are read: measured on 40 million.
_BYTES_OF_A_ROW, _SHARE_OF_MEMORY = 120, 0.6

type Columns = Sequence[str]
type Loaded = tuple[nw.LazyFrame[Any], list[Finding]]
type Load = Callable[[Columns, Columns, Columns], Loaded]  # labels, scores, covariates
type Stream = Callable[[Columns, Columns], tuple[int, Iterable[Any]]]


@dataclass(frozen=True, slots=True)
class Source:
    """A table that can be loaded.

    Attributes
    ----------
    name
        What to call it in messages: the last part of the path, or the kind of frame.
    names
        Its columns.
    load
        Takes the columns that hold labels, those that hold scores, and covariates, which are loaded
        as `slots` so that they may be labels too; gives the frame and what was found on the way.
    stem
        A name for its only data set.
    toml
        The ``measures.toml`` that lies beside it, if there is one.
    index
        The first labels of a pandas index that has no name but does not only count.
    kinds
        Column to ``"complex"``, ``"date"``, ``"duration"``, ``"nested"``, ``"bytes"`` or
        ``"object"``, for those that are.
    known
        The tool that wrote it, where the file tells more than its columns.
    stream
        Takes the columns of labels and those of scores; gives how many rows there are, as far as
        that is known, and Arrow batches, text as codes. None where all rows are loaded.
    planned
        Whether rows come from a plan of functions that a user may have written.
    files
        The files that are read together, by their paths below the folder.
    """

    name: str
    names: tuple[str, ...]
    load: Load
    stem: str = "data"
    toml: Path | None = None
    index: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    known: Format | None = None
    stream: Stream | None = None
    planned: bool = False
    files: tuple[str, ...] = ()


def check_memory(name: str, rows: int) -> None:
    """Raise a ScoreTableError where a table has more rows than fit into memory."""
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        return  # Windows does not say
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if rows * _BYTES_OF_A_ROW > _SHARE_OF_MEMORY * memory:
        needed = rows * _BYTES_OF_A_ROW / 1e9
        raise ScoreTableError(
            f"{name!r} has {rows:,} rows, which need about {needed:,.0f} GB of memory: more than"
            f" {100 * _SHARE_OF_MEMORY:g} % of the {memory / 1e9:,.0f} GB here.",
            hint="average what is repeated, or split the table by measure or data set.",
        )


def first_line(error: Exception) -> str:
    """Return the first line of an error."""
    return str(error).strip().partition("\n")[0]


def of_frame(source: object, name: str) -> Source:
    """Open a frame of any engine."""
    native: Any = source
    index, kinds = (), dict[str, str]()
    if engine_of(native) == "pandas" and hasattr(native, "columns"):
        native, index = _plain_pandas(native), _unnamed_labels(native)
        kinds = {
            str(c): "complex" for c, kind in cast("Any", source).dtypes.items() if kind.kind == "c"
        }
    try:
        if engine_of(native) == "dask":
            native = native if native.index.name is None else native.reset_index()
            native = native.rename(columns={name: str(name) for name in native.columns})
        frame = nw.from_native(cast("IntoFrame", native))
        names = checked_names(frame.collect_schema().names())
    except BenchinferError:
        raise
    except (TypeError, ValueError, NotImplementedError, RecursionError, OSError) as error:
        said = "." if isinstance(error, TypeError) else f": {first_line(error)}"
        what = f"a {name}" if name == type(source).__name__ else repr(name)
        raise ScoreTableError(
            f"{what} cannot be read as a table{said}",
            hint="a path, or a frame of pandas, polars, pyarrow, DuckDB, dask, ibis, pyspark.",
        ) from None

    if not names:
        raise ScoreTableError(
            f"{name!r} has no columns.", hint="a row per score, with its data set and algorithm."
        )

    def load(labels: Columns, scores: Columns, covariates: Columns) -> Loaded:
        slot_of = zip(covariates, slots(covariates), strict=True)
        chosen = frame.select(*labels, *scores, *(nw.col(c).alias(slot) for c, slot in slot_of))
        if isinstance(chosen, nw.LazyFrame) and (
            not chosen.implementation.is_dask() or _aggregates(chosen, labels, scores)
        ):
            return chosen, []
        return _into_arrow(nw.to_native(chosen), name, [*scores, *slots(covariates)]), []

    def stream(labels: Columns, scores: Columns) -> tuple[int, Iterator[Any]]:
        chosen = frame.select(*labels, *scores)
        if any(kind in _HUGE for kind in chosen.collect_schema().values()):
            return 0, iter(())
        rows = 0 if isinstance(chosen, nw.LazyFrame) else len(chosen)
        return rows, _batches(nw.to_native(chosen))

    planned = frame.implementation.is_dask()
    kinds |= _odd(frame)
    return Source(name, names, load, index=index, kinds=kinds, stream=stream, planned=planned)


def _aggregates(frame: nw.LazyFrame[Any], labels: Sequence[str], scores: Sequence[str]) -> bool:
    """Return whether Dask can reduce a frame: one column of numbers, labels of text or counts."""
    schema = frame.collect_schema()
    plain = all(schema[name] == nw.String or schema[name].is_integer() for name in labels)
    return (
        plain
        and len(frame.columns) == len({*labels, *scores}) == len(labels) + 1
        and (schema[scores[0]].is_numeric())
    )


def _of_arrow_type(column: Any) -> bool:
    """Return whether Arrow has the type of a pandas column, and the column holds one type.

    Text of pandas 2 is in columns of objects.
    """
    import numpy as np
    import pandas as pd

    kind = column.dtype
    if kind == np.object_:
        return pd.api.types.infer_dtype(column, skipna=False) == "string"
    if isinstance(kind, pd.CategoricalDtype):
        kind = kind.categories.dtype
    if isinstance(kind, pd.StringDtype):
        return kind.storage == "pyarrow"
    return isinstance(kind, np.dtype) and kind.kind in "iuf" and kind.itemsize <= 8


def _batches(native: Any) -> Iterator[Any]:
    """Return Arrow batches of a frame whose columns need no conversion."""
    import pyarrow as pa

    engine = engine_of(native)
    if engine in {"duckdb", "_duckdb"}:
        new = hasattr(type(native), "to_arrow_reader")  # since DuckDB 1.5
        yield from (native.to_arrow_reader if new else native.fetch_arrow_reader)(BATCH)
        return
    if engine == "polars":
        lazy = hasattr(native, "collect_batches")
        parts = native.collect_batches(chunk_size=BATCH, maintain_order=False) if lazy else [native]
        for part in parts:
            level = optional("polars", "polars").CompatLevel
            # Text as polars has it: the default copies it. Before 25, Arrow cannot compare such.
            level = level.newest() if int(pa.__version__.split(".")[0]) >= 25 else level.oldest()
            yield from part.to_arrow(compat_level=level).to_batches(max_chunksize=BATCH)
        return
    if engine == "pandas":
        if not all(_of_arrow_type(native[name]) for name in native):
            raise NotDenseError
        try:
            native = pa.table({name: pa.array(native[name]) for name in native})
        except UnicodeEncodeError:  # which the whole frame is refused for
            raise NotDenseError from None
    elif engine != "pyarrow":
        raise NotDenseError
    yield from native.to_batches(max_chunksize=BATCH)


def checked_names(names: Iterable[object]) -> tuple[str, ...]:
    """Return column names as text; raise a ScoreTableError where one is no valid text."""
    texts = tuple(map(str, names))
    if bad := [name for name in texts if "\0" in name or not is_text(name)]:
        raise ScoreTableError(
            f"{len(bad):,} of {len(texts):,} columns have a name that is not text:"
            f" {', '.join(map(repr, bad[:5]))}.",
            hint="a name holds NUL or half a character: give the column another one.",
        )
    return texts


def _odd(frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> dict[str, str]:
    """Return the columns that hold neither text nor numbers: column to kind."""
    if frame.implementation.is_pyarrow():
        return odd_fields(nw.to_native(frame).schema)
    kinds = {
        column: word
        for column, kind in frame.collect_schema().items()
        for word, odd in _ODD
        if kind in odd
    }
    if frame.implementation.is_polars():
        kinds |= {c: "object" for c, kind in frame.collect_schema().items() if kind == nw.Object}
    return kinds


def odd_fields(schema: Any) -> dict[str, str]:
    """Return the columns of Arrow that hold neither text nor numbers: column to kind."""
    from pyarrow import types

    kinds = dict[str, str]()
    for column in schema:
        kind = column.type.value_type if types.is_dictionary(column.type) else column.type
        if types.is_nested(kind):
            kinds[column.name] = "nested"
        # Also of a fixed size, of large size, and as views.
        elif "binary" in str(kind):
            kinds[column.name] = "bytes"
        elif types.is_duration(column.type):
            kinds[column.name] = "duration"
        elif any(
            is_odd(column.type) for is_odd in (types.is_date, types.is_time, types.is_timestamp)
        ):
            kinds[column.name] = "date"
    return kinds


def _plain_pandas(native: Any) -> Any:
    """Turn named indexes into columns, and column names into text."""
    if native.columns.nlevels > 1:
        raise ScoreTableError(
            f"the frame has {native.columns.nlevels} levels of column names.",
            hint="frame.stack() or frame.melt() first: one row per score.",
        )
    named = [name for name in native.index.names if name is not None]
    if both := [str(name) for name in named if name in native.columns]:
        raise ScoreTableError(
            f"named both a column and an index: {', '.join(both)}.",
            hint="frame.reset_index(drop=True) first.",
        )
    checked_names([*named, *native.columns])
    frame = native.reset_index(named) if named else native
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    if frame.columns.has_duplicates:
        twice = sorted(set(frame.columns[frame.columns.duplicated()]))
        raise ScoreTableError(f"columns given twice: {', '.join(twice)}.", hint="keep one of each.")
    return frame


def _unnamed_labels(native: Any) -> tuple[str, ...]:
    """Return the first labels of an index level that has no name but does not only count."""
    for i, name in enumerate(native.index.names):
        labels = native.index.get_level_values(i)
        if name is not None or labels.dtype.kind in "iu":
            continue
        labels = labels.unique()
        if not all(
            isinstance(v, Integral) or (isinstance(v, float) and v == v // 1) for v in labels
        ):
            return tuple(str(label) for label in labels[:3])
    return ()


def _into_arrow(native: Any, name: str, numbers: Sequence[str]) -> nw.LazyFrame[Any]:
    """Convert a frame in memory or of dask; `numbers` are the columns of scores and covariates.

    Arrow takes one type per column, so what it has no type for becomes text or a float. Codes are
    decoded, for they may be of numbers.
    """
    import pyarrow as pa

    if engine_of(native) == "dask":
        # Dask aligns columns by index, which fails where concatenated frames repeat it.
        try:
            native = native.compute()
        except Exception as error:  # noqa: BLE001 - a user's own functions may raise anything
            raise failed(name, error) from None
    try:
        if engine_of(native) == "pandas":
            columns = {column: native[column] for column in native}
            plain = {n: _plain(column, number=n in numbers) for n, column in columns.items()}
            native = native.assign(**{n: p for n, p in plain.items() if p is not columns[n]})
        frame: nw.DataFrame[Any] = nw.from_native(native, eager_only=True)
        huge = [c for c, kind in frame.schema.items() if kind in _HUGE]
        frame = frame.with_columns(
            nw.col(c).cast(nw.Float64 if c in numbers else nw.String) for c in huge
        )
        # Without a copy, Arrow may look at pandas' own memory; an index would become a column.
        table = nw.maybe_reset_index(frame.clone()).to_arrow()
        table.validate(full=True)
    except UnicodeEncodeError:
        raise ScoreTableError(_halves(native)) from None
    except pa.ArrowInvalid as error:
        raise ScoreTableError(f"{name!r} cannot be read: {first_line(error)}") from None
    for i, column in enumerate(table.schema.names):
        table = table.set_column(i, column, _decoded(table.column(i), number=column in numbers))
    return lazy(table)


def _plain(column: Any, *, number: bool) -> Any:
    """Cast a pandas column to one type: mixed values to text, for the checks."""
    import numpy as np
    import pandas as pd

    if isinstance(column.dtype, pd.SparseDtype):
        column = column.sparse.to_dense()
    if column.dtype == np.longdouble:
        return column.astype(float)
    coded = isinstance(column.dtype, pd.CategoricalDtype)
    kind = column.dtype.categories.dtype if coded else column.dtype
    if isinstance(kind, pd.IntervalDtype | pd.PeriodDtype) or kind.kind == "c":
        return column.astype(object).map(str, na_action="ignore")
    if not pd.api.types.is_object_dtype(kind):
        return column
    held = pd.api.types.infer_dtype(column.astype(object), skipna=True)
    if number and held in {"decimal", "integer", "floating", "mixed-integer-float"}:
        with suppress(OverflowError):
            return column.astype(object).where(column.notna(), np.nan).map(float).astype(float)
    return column.astype(object).map(_digits if held == "decimal" else str, na_action="ignore")


def _digits(value: Decimal) -> str:
    """Write a decimal as other numbers are written: no power of ten, no zeros at the end."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _decoded(column: Any, *, number: bool) -> Any:
    """Cast an Arrow column to a type that all functions of Arrow know."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_float16(column.type) or (number and pa.types.is_integer(column.type)):
        return column.cast(pa.float64(), safe=False)  # beyond 2**53, to the nearest float
    if pa.types.is_decimal(column.type) and not number:
        codes = column.combine_chunks().dictionary_encode()
        text = [None if value is None else _digits(value) for value in codes.dictionary.to_pylist()]
        return pa.array(text, pa.string()).take(codes.indices)
    return column.cast(pa.string()) if column.type == pa.string_view() else column


def _halves(native: Any) -> str:
    """Return the message on columns of a pandas frame with text that UTF-8 cannot write."""
    where: list[tuple[object, ...]] = [("column", "first", "values")]
    for name in native:
        bad = [v for v in native[name].astype(object) if isinstance(v, str) and not is_text(v)]
        if bad:
            where.append((name, repr(bad[0]), len(bad)))
    n = len(where) - 1
    return message(
        f"{n} {'column holds' if n == 1 else 'columns hold'} text with halves of characters"
        " (lone surrogates).",
        where=where,
        hint='read the file again with its own encoding, or mend it: df[name].str.encode("utf-8",'
        ' "replace").str.decode("utf-8").',
    )
