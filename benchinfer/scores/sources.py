"""Sources of tables: files, frames and queries.

Frames that are in memory are taken over into Arrow once: later changes to the user's frame cannot
reach the table, and labels become integer codes. Lazy frames and relations stay in their engine,
dask frames excepted.
"""

import csv
import shlex
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from glob import glob
from io import TextIOWrapper
from itertools import chain, takewhile
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

import narwhals as nw

from benchinfer.core.errors import BenchinferError, ScoreTableError, message, optional
from benchinfer.core.hints import Either, Option, Phrase
from benchinfer.core.measure import is_text
from benchinfer.core.saving import note_input
from benchinfer.scores.columns import BLANKS, NONE, as_label, slots
from benchinfer.scores.coverage import Finding

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame


type Load = Callable[
    [Sequence[str], Sequence[str], Sequence[str]], tuple["nw.LazyFrame[Any]", list[Finding]]
]


COMPRESSED = (".gz", ".bz2", ".zst")


def open_text(path: Path, typed: str, delimiter: str) -> tuple[tuple[str, ...], Load]:
    """Read the header of a text file."""
    shape = _shape(path, typed, delimiter)
    names = shape.names
    if not any(names):
        raise ScoreTableError(message(f"{typed!r} is empty: it has no header."))
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ScoreTableError(
            message(
                f"columns given twice in {typed!r}: {', '.join(twice)}.", hint="keep one of each."
            )
        )

    def load(
        labels: Sequence[str], scores: Sequence[str], covariates: Sequence[str]
    ) -> tuple[nw.LazyFrame[Any], list[Finding]]:
        coded = list(dict.fromkeys([*labels, *covariates]))
        table, found = _read(path, typed, shape, coded, scores)
        kept = [_numbers(table.column(name)) for name in covariates]
        table = table.select([*labels, *scores])
        for name in labels:
            i = table.schema.get_field_index(name)
            table = table.set_column(i, name, _whole(table.column(i)))
        for slot, column in zip(slots(covariates), kept, strict=True):
            table = table.append_column(slot, column)
        return nw.from_native(table, eager_only=True).lazy(), found

    return names, load


@dataclass(frozen=True, slots=True)
class _Shape:
    delimiter: str
    names: tuple[str, ...]
    skip: int


def _shape(path: Path, typed: str, delimiter: str) -> _Shape:
    """Read the header: names may be quoted, and then run over several lines."""
    import pyarrow as pa

    try:
        with (
            pa.input_stream(path) as stream,
            TextIOWrapper(stream, encoding="utf-8-sig", newline="") as file,  # pyright: ignore[reportArgumentType]
        ):
            blank, line = next(((i, s) for i, s in enumerate(file) if s.strip()), (0, ""))
            if "\0" in line:
                raise ScoreTableError(_not_utf8(typed, line.encode()))
            if delimiter not in line:
                # Semicolons are what spreadsheets write where the comma is the decimal sign.
                delimiter = max(",;\t|", key=line.count)
            rows = csv.reader(chain([line], file), delimiter=delimiter, strict=True)
            names = tuple(name.strip() for name in next(rows))
            return _Shape(delimiter, names, blank + rows.line_num)
    except UnicodeDecodeError as error:
        raise ScoreTableError(_not_utf8(typed, error.object)) from None
    except csv.Error as error:
        raise ScoreTableError(
            message(f"the header of {typed!r} cannot be read: {error}.")
        ) from None
    except (pa.ArrowInvalid, OSError) as error:
        raise ScoreTableError(_unreadable(path, typed, error)) from None


def _unreadable(path: Path, typed: str, error: Exception) -> str:
    hint = ""
    if path.suffix.casefold() in COMPRESSED:
        hint = "the file is cut, damaged, or not compressed as its name says."
    elif "straddl" in str(error):
        hint = "a quotation mark is not closed, or a row is longer than a megabyte."
    return message(f"{typed!r} cannot be read: {error}.", hint=[hint] if hint else [])


def _not_utf8(typed: str, head: bytes = b"") -> str:
    encoding = "latin-1"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif 0 in head[:40]:  # half of each letter of the header
        encoding = "utf-16-be" if 0 in head[:40:2] else "utf-16-le"
    frame = f'read it yourself and pass the frame: pandas.read_csv(path, encoding="{encoding}")'
    return message(
        f"{typed!r} is not text in UTF-8.",
        hint=Phrase("save it as UTF-8", Either(f", or {frame}", ""), "."),
    )


def _read(
    path: Path, typed: str, shape: _Shape, coded: Sequence[str], scores: Sequence[str]
) -> tuple[Any, list[Finding]]:
    """Read some columns: text as codes, scores as numbers, or else as text."""
    import pyarrow as pa
    from pyarrow import csv as pacsv

    ragged: list[str] = []

    def skip(row: Any) -> str:
        ragged.append(row.text)
        return "skip"

    def attempt(kind: Any) -> Any:
        ragged.clear()
        return pacsv.read_csv(
            path,
            read_options=pacsv.ReadOptions(column_names=shape.names, skip_rows=shape.skip),
            parse_options=pacsv.ParseOptions(
                delimiter=shape.delimiter, newlines_in_values=True, invalid_row_handler=skip
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(coded, pa.dictionary(pa.int32(), pa.string()))
                | dict.fromkeys(scores, kind),
                include_columns=[*coded, *scores],
            ),
        )

    try:
        try:
            table = attempt(pa.float64())
        except pa.ArrowInvalid as error:
            if "conversion error" not in str(error) or "UTF8" in str(error):
                raise
            table = attempt(pa.string())
    except (pa.ArrowInvalid, OSError) as error:
        if "UTF8" in str(error):
            raise ScoreTableError(_not_utf8(typed)) from None
        if "Empty CSV" in str(error):
            raise ScoreTableError(message(f"{typed!r} has a header and no rows.")) from None
        raise ScoreTableError(_unreadable(path, typed, error)) from None
    found = [_ragged(ragged, shape)] if ragged else []
    return table.unify_dictionaries(), found


def _ragged(rows: list[str], shape: _Shape) -> Finding:
    width = len(shape.names)
    where = (("row",), *((row,) for row in sorted(rows)[:5]))
    what = f"{len(rows)} {'row does' if len(rows) == 1 else 'rows do'} not have {width} fields."
    hint = f"the header has {width} fields, separated by {shape.delimiter!r}."
    return Finding("ragged rows", "error", len(rows), what, where, hint)


def _numbers(column: Any) -> Any:
    """Turn codes of text into numbers, or into plain text where one is no number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not column.num_chunks:
        return pa.chunked_array([], pa.float64())
    text = pc.utf8_trim(column.chunk(0).dictionary, BLANKS)  # pyright: ignore[reportAttributeAccessIssue]
    absent = pc.is_in(text, value_set=pa.array(NONE))  # pyright: ignore[reportAttributeAccessIssue]
    try:
        values = pc.if_else(absent, None, text).cast(pa.float64())  # pyright: ignore[reportAttributeAccessIssue]
    except pa.ArrowInvalid:
        return column.cast(pa.string())
    return pa.chunked_array([values.take(chunk.indices) for chunk in column.chunks], pa.float64())


def _whole(column: Any) -> Any:
    """Write labels that are all whole numbers without ".0", as the other engines give them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not column.num_chunks or not len(column.chunk(0).dictionary):
        return column
    values = column.chunk(0).dictionary  # the same in all chunks, once unified
    if not pc.all(pc.match_substring_regex(values, r"^[+-]?\d+\.0+$")).as_py():  # pyright: ignore[reportAttributeAccessIssue]
        return column
    text = pc.replace_substring_regex(column.cast(pa.string()), r"\.0+$", "")  # pyright: ignore[reportAttributeAccessIssue]
    return text.dictionary_encode().unify_dictionaries()


_TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_ARROW = {".parquet": "parquet", ".pq": "parquet", ".feather": "feather", ".arrow": "feather"}
_JSON = (".jsonl", ".ndjson", ".json")
_DUCKDB = (".duckdb", ".db", ".ddb")
_EXCEL = (".xlsx", ".xls")
_TABLES = {*_TEXT, *_ARROW, *_JSON, *_DUCKDB, *_EXCEL}
_SIGNS = "*?["  # of a pattern
_SELECT = "a pattern selects, such as 'folder/*.csv'."
_NO_LABEL = "__HIVE_DEFAULT_PARTITION__"
_KNOWN = "csv, tsv (also .gz, .bz2, .zst), parquet, feather, jsonl, xlsx, duckdb"
# Kinds of columns that hold no scores; most of them are no labels either.
_ODD: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("date", (nw.Date, nw.Datetime, nw.Time)),
    ("duration", (nw.Duration,)),
    ("nested", (nw.List, nw.Array, nw.Struct)),
    ("bytes", (nw.Binary,)),
)
_HUGE: tuple[Any, ...] = (nw.Int128, nw.UInt128)  # which Arrow does not have
_ENGINES = {"narwhals", "polars", "duckdb", "_duckdb", "pyarrow"}


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
    """

    name: str
    names: tuple[str, ...]
    load: Load
    stem: str = "data"
    toml: Path | None = None
    index: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])


def open_source(source: object, query: str | None) -> Source:
    """Open a table without reading its rows yet."""
    if isinstance(source, str | Path):
        return _of_path(source, query)
    if type(source).__name__ == "DuckDBPyConnection":
        connection = cast("Any", source)
        return _of_frame(_relation(connection, query, "the connection"), "query")
    if query is not None:
        raise ScoreTableError(
            message(
                f"{Option('query', '')} was given with a {type(source).__name__}.",
                hint="a query needs a DuckDB file or connection as its source.",
            )
        )
    return _of_frame(source, type(source).__name__)


def _of_frame(source: object, name: str) -> Source:
    """Take a frame of any engine."""
    native, index, kinds = source, (), dict[str, str]()
    if _engine(native) == "pandas" and hasattr(native, "columns"):
        native, index = _plain_pandas(native), _unnamed_labels(native)
        kinds = {
            str(c): "complex" for c, kind in cast("Any", source).dtypes.items() if kind.kind == "c"
        }
    try:
        if _engine(native) == "dask":
            native = _plain_dask(native)
        frame = nw.from_native(cast("IntoFrame", native))
        names = _names(frame.collect_schema().names())
    except BenchinferError:
        raise
    except (TypeError, ValueError, NotImplementedError, RecursionError, OSError) as error:
        said = "." if isinstance(error, TypeError) else f": {_first_line(error)}"
        what = f"a {name}" if name == type(source).__name__ else repr(name)
        raise ScoreTableError(
            message(
                f"{what} cannot be read as a table{said}",
                hint="a path, or a frame of pandas, polars, pyarrow, DuckDB, dask, ibis, pyspark.",
            )
        ) from None

    def load(
        labels: Sequence[str], scores: Sequence[str], covariates: Sequence[str]
    ) -> tuple[nw.LazyFrame[Any], list[Finding]]:
        kept = zip(covariates, slots(covariates), strict=True)
        chosen = frame.select(*labels, *scores, *(nw.col(c).alias(slot) for c, slot in kept))
        if isinstance(chosen, nw.LazyFrame) and not chosen.implementation.is_dask():
            return chosen, []
        return _into_arrow(nw.to_native(chosen), name, [*scores, *slots(covariates)]), []

    return Source(name, names, load, index=index, kinds=kinds | _odd(frame))


def _engine(native: object) -> str:
    return type(native).__module__.split(".")[0]


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _names(names: Iterable[object]) -> tuple[str, ...]:
    """Give the names of columns as text, and refuse those that not all engines can hold."""
    found = tuple(map(str, names))
    if bad := [name for name in found if "\0" in name or not is_text(name)]:
        raise ScoreTableError(
            message(
                f"{len(bad)} of {len(found)} columns have a name that is not text:"
                f" {', '.join(map(repr, bad[:5]))}.",
                hint="a name holds NUL or half a character: give the column another one.",
            )
        )
    return found


def _odd(frame: "nw.DataFrame[Any] | nw.LazyFrame[Any]") -> dict[str, str]:
    """Say which columns hold neither text nor numbers: column to kind."""
    kinds = {
        column: word
        for column, kind in frame.collect_schema().items()
        for word, odd in _ODD
        if kind in odd
    }
    if frame.implementation.is_polars():
        kinds |= {c: "object" for c, kind in frame.collect_schema().items() if kind == nw.Object}
    if frame.implementation.is_pyarrow():
        import pyarrow as pa

        for field in nw.to_native(frame).schema:
            kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
            if pa.types.is_nested(kind):
                kinds[field.name] = "nested"
            # Also of a fixed size, of large size, and as views.
            elif "binary" in str(kind):
                kinds[field.name] = "bytes"
    return kinds


@contextmanager
def engine_errors(name: str, query: str | None = None) -> Generator[None]:
    """Turn errors of an engine that reads rows late into one clear error."""
    try:
        yield
    except Exception as error:
        if not isinstance(error, OSError) and _engine(error) not in _ENGINES:
            raise
        raise _failed(name, error, query) from None


def _failed(name: str, error: Exception, query: str | None = None) -> ScoreTableError:
    hint = [] if query is None else [f"the query was {query!r}."]
    if type(error).__name__ == "PermissionException":
        hint.append("the database is open without access to other files;")
        hint.append("CREATE TABLE ... AS SELECT, beforehand, brings in what they hold.")
    begin = f"{name} cannot be read" if query is None else "the query failed"
    return ScoreTableError(message(f"{begin}: {str(error).strip()}", hint=hint))


def _plain_pandas(native: Any) -> Any:
    """Turn named indexes into columns, and column names into text."""
    if native.columns.nlevels > 1:
        raise ScoreTableError(
            message(
                f"the frame has {native.columns.nlevels} levels of column names.",
                hint="frame.stack() or frame.melt() first: one row per score.",
            )
        )
    named = [name for name in native.index.names if name is not None]
    if both := [str(name) for name in named if name in native.columns]:
        raise ScoreTableError(
            message(
                f"named both a column and an index: {', '.join(both)}.",
                hint="frame.reset_index(drop=True) first.",
            )
        )
    _names([*named, *native.columns])
    frame = native.reset_index(named) if named else native
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    if frame.columns.has_duplicates:
        twice = sorted(set(frame.columns[frame.columns.duplicated()]))
        raise ScoreTableError(
            message(f"columns given twice: {', '.join(twice)}.", hint="keep one of each.")
        )
    return frame


def _plain_dask(native: Any) -> Any:
    """Turn a named index into a column, and column names into text."""
    frame = native if native.index.name is None else native.reset_index()
    return frame.rename(columns={name: str(name) for name in frame.columns})


def _unnamed_labels(native: Any) -> tuple[str, ...]:
    """Give the first labels of an index level that has no name but does not only count."""
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


def _into_arrow(native: Any, name: str, numbers: Sequence[str]) -> "nw.LazyFrame[Any]":
    """Take over a frame in memory or of dask; `numbers` are the columns of scores and covariates.

    Arrow takes one type per column, so what it has no type for becomes text or a float. Codes are
    decoded, for they may be of numbers.
    """
    import pyarrow as pa

    if _engine(native) == "dask":
        # Dask aligns columns by index, which fails where concatenated frames repeat it.
        try:
            native = native.compute()
        except Exception as error:  # noqa: BLE001 - a user's own functions may raise anything
            raise _failed(name, error) from None
    try:
        if _engine(native) == "pandas":
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
        raise ScoreTableError(message(f"{name!r} cannot be read: {_first_line(error)}")) from None
    for i, column in enumerate(table.schema.names):
        table = table.set_column(i, column, _decoded(table.column(i), number=column in numbers))
    return nw.from_native(table, eager_only=True).lazy()


def _plain(column: Any, *, number: bool) -> Any:
    """Give a pandas column one type; text keeps what was there for the checks to see."""
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
    """Give an Arrow column one of the types that all functions of Arrow know."""
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
    """Say in which columns of a pandas frame there is text that UTF-8 cannot write."""
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


def _of_path(source: str | Path, query: str | None) -> Source:
    typed = str(source)
    try:
        path = Path(source).expanduser()
        exists = path.exists()
    except (OSError, RuntimeError) as error:  # a name that is too long, a home that is not there
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise ScoreTableError(message(f"{typed!r} cannot be opened: {said}")) from None
    pattern = any(sign in typed for sign in _SIGNS) and not exists
    if not pattern and not exists:
        raise ScoreTableError(
            message(f"there is no file {typed!r}.", hint=f"looked in {_folder(path)}.")
        )
    if query is not None and (path.is_dir() or _suffix(path) not in _DUCKDB):
        raise ScoreTableError(
            message(
                f"{Option('query', '')} was given with {path.name!r}.",
                hint="it needs a DuckDB file.",
            )
        )
    if pattern:
        return _of_pattern(typed, path)
    return _of_folder(typed, path) if path.is_dir() else _of_file(typed, path, query)


def _folder(path: Path) -> str:
    return "the current folder" if path.parent == Path() else f"folder {str(path.parent)!r}"


def _of_pattern(typed: str, path: Path) -> Source:
    """Read the files that a pattern matches; folders that it matches are named, not read."""
    matches = sorted(map(Path, glob(str(path), recursive=True)))  # noqa: PTH207
    files = [match for match in matches if not match.is_dir()]
    above = {folder for file in files for folder in file.parents}
    folders = [match for match in matches if match.is_dir() and match not in above]
    if not files:
        within = f"it matches folders; {typed.rstrip('/')}/*.csv matches files in them."
        raise ScoreTableError(
            message(f"no file matches {typed!r}.", hint=within if folders else ())
        )
    fixed = takewhile(lambda part: not any(sign in part for sign in _SIGNS), path.parent.parts)
    return _of_files(typed, files, Path(*fixed), folders)


def _of_folder(typed: str, path: Path) -> Source:
    """Read a data set of ours (``scores.*`` in a folder), or all tables of a folder together."""
    beside = [file for file in sorted(path.iterdir()) if _is_table(file)]
    own = [file for file in beside if file.name.startswith("scores.")]
    if len(own) > 1:
        listed = ", ".join(file.name for file in own)
        raise ScoreTableError(
            message(
                f"the folder {typed!r} holds {len(own)} tables of scores: {listed}.",
                hint="the path of one of them reads that one.",
            )
        )
    if own:
        inner = _of_files(typed, own, path, [table for table in beside if table not in own])
        return replace(inner, name=path.name, stem=path.name)
    files = _files_below(path, typed)
    tables = [file for file in files if _is_table(file)]
    if not tables:
        raise ScoreTableError(
            message(
                f"the folder {typed!r} holds no table.",
                hint="a folder holds scores.csv (and measures.toml), or tables of one kind.",
            )
        )
    if unfinished := [(_below(table, path),) for table in tables if _unfinished(table, path)]:
        raise ScoreTableError(
            message(
                f"{len(unfinished)} of {len(tables)} tables have a name or folder that begins"
                " with '_', as unfinished ones do.",
                where=[("file",), *unfinished],
                hint=_SELECT,
            )
        )
    others = [file for file in files if file not in {*tables, path / "measures.toml"}]
    return _of_files(typed, tables, path, others)


def _files_below(folder: Path, typed: str) -> list[Path]:
    """List the files of a folder, those in linked folders too; a hidden folder is listed itself."""

    def fail(error: OSError) -> None:
        raise ScoreTableError(message(f"{typed!r} cannot be read: {error.strerror}.")) from None

    seen: set[Path] = set()
    files: list[Path] = []
    for place, folders, names in folder.walk(on_error=fail, follow_symlinks=True):
        if (there := place.resolve()) in seen:
            folders.clear()
            continue
        seen.add(there)
        hidden = [name for name in folders if name.startswith(".")]
        folders[:] = [name for name in folders if name not in hidden]
        files += [place / name for name in (*names, *hidden)]
    return sorted(files)


def _is_table(path: Path) -> bool:
    return _suffix(path) in _TABLES and not path.name.startswith(".") and not path.is_dir()


def _unfinished(path: Path, folder: Path) -> bool:
    """Return whether a file is of an unfinished job, as in Spark's folder ``_temporary``."""
    parts = path.relative_to(folder).parts
    return any(part.startswith("_") and "=" not in part for part in parts)


def _below(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _of_files(typed: str, paths: list[Path], folder: Path, others: Sequence[Path]) -> Source:
    """Read files together; what was read, and the others, are findings."""
    _refuse_unlike(typed, paths, folder)
    names = [_below(path, folder) for path in paths]
    parts = [
        _with_partitions(
            replace(_of_file(str(path), path, None, folder), name=name), _partitions(path, folder)
        )
        for path, name in zip(paths, names, strict=True)
    ]
    if odd := [
        name for name, part in zip(names, parts, strict=True) if part.names != parts[0].names
    ]:
        raise ScoreTableError(
            message(
                f"{len(odd)} of {len(paths)} files have other columns than {names[0]!r}.",
                where=[("file", "columns")]
                + [(n, ", ".join(part.names)) for n, part in zip(names, parts, strict=True)],
                hint="give them the same columns in the same order.",
            )
        )

    def load(
        labels: Sequence[str], scores: Sequence[str], covariates: Sequence[str]
    ) -> tuple[nw.LazyFrame[Any], list[Finding]]:
        loaded = [part.load(labels, scores, covariates) for part in parts]
        tables = [frame.collect() for frame, _ in loaded]
        found = [finding for _, findings in loaded for finding in findings]
        found += _files_read([len(table) for table in tables], names)
        found += _files_not_read([_below(other, folder) for other in others])
        return _joined(tables, labels, [*scores, *slots(covariates)]), found

    if len(parts) == 1:
        return replace(parts[0], load=load)
    kinds = {column: kind for part in parts for column, kind in part.kinds.items()}
    return replace(
        parts[0], name=Path(typed).name, load=load, stem=folder.name or "data", kinds=kinds
    )


def _refuse_unlike(typed: str, paths: Sequence[Path], folder: Path) -> None:
    """Refuse files that cannot be read together, and those that hold nothing."""
    kinds = {_suffix(path) or "(none)" for path in paths}
    if len(paths) > 1 and (len(kinds) > 1 or kinds <= {*_DUCKDB, *_EXCEL}):
        names = [(_below(path, folder),) for path in paths]
        raise ScoreTableError(
            message(
                f"{typed!r} is {len(paths)} files of kinds {', '.join(sorted(kinds))}.",
                where=[("file",), *names],
                hint=["several files are read together when all are of one kind.", _SELECT],
            )
        )
    empty = [path for path in paths if not path.is_file() or path.stat().st_size == 0]
    if empty:
        raise ScoreTableError(
            message(
                f"{len(empty)} of {len(paths)} files {'is' if len(empty) == 1 else 'are'} empty.",
                where=[("file",), *((_below(path, folder),) for path in empty)],
                hint="write them again, or take them away.",
            )
        )


def _files_read(rows: Sequence[int], names: Sequence[str]) -> list[Finding]:
    """Report which files were read together, and those without rows."""
    if len(names) == 1:
        return []
    where = (("file", "rows"), *zip(names, map(str, rows), strict=True))
    what = f"{sum(rows)} rows were read from {len(names)} files."
    found = [Finding("files read", "note", len(names), what, where[:6])]
    if without := [(name,) for name, n in zip(names, rows, strict=True) if n == 0]:
        hold = "holds" if len(without) == 1 else "hold"
        what = f"{len(without)} of {len(names)} files {hold} no rows."
        where = (("file",), *without[:5])
        found.append(Finding("files without rows", "note", len(without), what, where))
    return found


def _files_not_read(names: Sequence[str]) -> list[Finding]:
    """Report what lies beside the files that were read."""
    if not names:
        return []
    what = f"{len(names)} {'was' if len(names) == 1 else 'were'} not read."
    where = (("file or folder",), *((name,) for name in names[:5]))
    return [Finding("files not read", "note", len(names), what, where)]


def _partitions(path: Path, folder: Path) -> dict[str, str | None]:
    """Return the columns that folders name, as in ``dataset=d1/part.parquet``."""
    pairs = [part.partition("=") for part in path.relative_to(folder).parent.parts]
    return {
        unquote(name): None if value == _NO_LABEL else unquote(value)
        for name, sign, value in pairs
        if name and sign
    }


def _with_partitions(source: Source, values: Mapping[str, str | None]) -> Source:
    """Add the columns that the folders of a file name; one that the file has, too, must agree."""

    def load(
        labels: Sequence[str], scores: Sequence[str], covariates: Sequence[str]
    ) -> tuple[nw.LazyFrame[Any], list[Finding]]:
        held = [[n for n in names if n in source.names] for names in (labels, scores, covariates)]
        frame, found = source.load(*held)
        slot = dict(zip(held[2], slots(held[2]), strict=True))
        same = {name: name for name in (*held[0], *held[1])}
        _refuse_contradictions(source.name, frame, slot | same, values)

        def column(name: str, loaded: Mapping[str, str], *, number: bool) -> nw.Expr:
            return nw.col(loaded[name]) if name in loaded else _literal(values[name], number=number)

        kept = zip(covariates, slots(covariates), strict=True)
        return frame.select(
            *(column(name, same, number=False).alias(name) for name in labels),
            *(column(name, same, number=True).alias(name) for name in scores),
            *(column(name, slot, number=True).alias(to) for name, to in kept),
        ), found

    names = tuple(dict.fromkeys([*source.names, *values]))
    return replace(source, names=names, load=load) if values else source


def _literal(text: str | None, *, number: bool) -> nw.Expr:
    """Write a value of a folder's name: a number where one is needed and there is one."""
    if number:
        with suppress(ValueError):
            return nw.lit(None if text is None else float(text), dtype=nw.Float64)
    return nw.lit(text, dtype=nw.String)


def _refuse_contradictions(
    name: str,
    frame: "nw.LazyFrame[Any]",
    loaded: Mapping[str, str],
    values: Mapping[str, str | None],
) -> None:
    schema = frame.collect_schema()
    for label in values.keys() & loaded.keys():
        column = loaded[label]
        text = frame.select(as_label(column, schema[column]).alias("held")).unique().collect()
        if odd := sorted(str(held) for held in text["held"] if held != values[label]):
            raise ScoreTableError(
                message(
                    f"{name!r} holds {label} {', '.join(odd[:3])} in a folder of"
                    f" {label} {values[label]}.",
                    hint="the column or the folder's name is wrong.",
                )
            )


def _joined(
    tables: "Sequence[nw.DataFrame[Any]]", labels: Sequence[str], numbers: Sequence[str]
) -> "nw.LazyFrame[Any]":
    """Put tables below each other."""
    import pyarrow as pa

    arrow = [table.to_arrow() for table in tables]
    try:
        joined = pa.concat_tables(arrow, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        # Numbers in one file, text in another: text in all, for the checks to see.
        mixed = [n for n in numbers if not _alike(arrow, n)]
        written = [n for n in labels if not _alike(arrow, n)]
        text = [
            _as_text(
                table.with_columns(
                    as_label(n, table.schema[n]).cast(nw.String).alias(n) for n in written
                ).to_arrow(),
                mixed,
            )
            for table in tables
        ]
        joined = pa.concat_tables(text, promote_options="permissive")
    return nw.from_native(joined.unify_dictionaries(), eager_only=True).lazy()


def _alike(tables: Sequence[Any], column: str) -> bool:
    """Return whether the tables hold the column in types that have one in common."""
    import pyarrow as pa

    schemas = [pa.schema([table.schema.field(column)]) for table in tables]
    try:
        pa.unify_schemas(schemas, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return False
    return True


def _as_text(table: Any, columns: Sequence[str]) -> Any:
    import pyarrow as pa

    for name in columns:
        i = table.schema.get_field_index(name)
        table = table.set_column(i, name, table.column(i).cast(pa.string()))
    return table


def _suffix(path: Path) -> str:
    suffixes = [suffix.casefold() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _of_file(typed: str, path: Path, query: str | None, folder: Path | None = None) -> Source:
    """Open one file by its ending."""
    if not is_text(str(path)):
        raise ScoreTableError(
            message(f"the path {typed!r} is not text in UTF-8.", hint="give the file another name.")
        )
    beside = (folder or path.parent) / "measures.toml"
    toml = beside if beside.is_file() else None
    suffix, stem = _suffix(path), path.name.split(".")[0]
    note_input(path)
    if path.stat().st_size == 0:
        raise ScoreTableError(message(f"{typed!r} is empty."))
    if suffix in _TEXT:
        names, load = open_text(path, typed, _TEXT[suffix])
        return Source(path.name, names, load, stem, toml)
    if suffix in _ARROW or suffix in _JSON:
        frame: object = _arrow_file(path, typed, suffix)
    elif suffix in _DUCKDB:
        frame = _duckdb_file(path, typed, query)
    elif suffix in _EXCEL:
        frame = _excel_file(path, typed)
    else:
        raise ScoreTableError(
            message(f"{typed!r} is not a kind of file that can be read.", hint=f"{_KNOWN}.")
        )
    inner = _of_frame(frame, path.name)
    return replace(inner, name=path.name, stem=stem, toml=toml)


def _arrow_file(path: Path, typed: str, suffix: str) -> object:
    import pyarrow as pa
    from pyarrow import dataset

    try:
        if suffix in _JSON:
            return _json_lines(path)
        return dataset.dataset(path, format=_ARROW[suffix]).to_table()
    except (pa.ArrowInvalid, pa.ArrowException, OSError) as error:
        if "Column() changed from object" in str(error):
            raise ScoreTableError(_not_an_object(path, typed, str(error))) from None
        kind = "JSON lines" if suffix in _JSON else _ARROW[suffix]
        raise ScoreTableError(
            message(f"{typed!r} cannot be read as {kind}: {_first_line(error)}")
        ) from None


def _not_an_object(path: Path, typed: str, error: str) -> str:
    """Say that lines hold no objects; the command of the hint writes over no file."""
    if "to array in row 0" not in error:
        what = f"{typed!r} has a line that is no object, and JSON lines hold one object per line."
        return message(what, hint="remove lines that are no scores, or make them objects.")
    names = [path.with_suffix(".jsonl").name, f"{path.stem}.lines.jsonl"]
    lines = shlex.quote(names[path.with_name(names[0]).exists() or Path(names[0]).exists()])
    hint = f"jq -c '.[]' {shlex.quote(typed)} > {lines}"
    what = f"{typed!r} is one JSON array, and JSON lines hold one object per line."
    return message(what, hint=hint if path.suffix in _JSON else "unpack it first.")


def _json_lines(path: Path, block_size: int = 1 << 20) -> Any:
    """Read JSON lines; text that looks like a date stays text."""
    import pyarrow as pa
    from pyarrow import json

    def read(**options: Any) -> Any:
        return json.read_json(
            path, json.ReadOptions(block_size=block_size), json.ParseOptions(**options)
        )

    try:
        table = read()
        dates = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
        if not dates:
            return table
        as_text = pa.schema([(name, pa.string()) for name in dates])
        return read(explicit_schema=as_text, unexpected_field_behavior="infer").select(
            table.schema.names
        )
    except pa.ArrowInvalid as error:
        if "straddl" in str(error) and block_size < 1 << 30:
            return _json_lines(path, 1 << 30)  # a line is longer than a block
        raise


def _excel_file(path: Path, typed: str) -> object:
    import pandas as pd

    if path.suffix.casefold() != ".xls":
        optional("openpyxl", "excel")
    try:
        sheets = pd.read_excel(path, sheet_name=None)
    except ImportError:
        raise ScoreTableError(
            message(f"{typed!r} is of an old kind of Excel file.", hint="save it as .xlsx.")
        ) from None
    except Exception as error:  # noqa: BLE001 - zip, XML and openpyxl each raise their own
        raise ScoreTableError(
            message(
                f"{typed!r} cannot be read as Excel: {_first_line(error)}",
                hint="the file is damaged or of another kind: save it once more, or as CSV.",
            )
        ) from None
    used = {name: sheet for name, sheet in sheets.items() if len(sheet.columns)}
    if len(used) > 1:
        raise ScoreTableError(
            message(
                f"{typed!r} holds {len(used)} sheets: {', '.join(map(str, used))}.",
                hint=Phrase(
                    Either(
                        'pandas.read_excel(path, sheet_name="...") reads one: pass that frame',
                        "save one as a file of its own",
                    ),
                    ".",
                ),
            )
        )
    return next(iter({**sheets, **used}.values()))


def _duckdb_file(path: Path, typed: str, query: str | None) -> object:
    """Run the query once, into memory, and let go of the file.

    A view or a query may name other files or write to them. The connection reads this file alone;
    once the configuration is locked, nothing in the file or the query can change that.
    """
    import duckdb

    quoted = str(path.absolute()).replace("'", "''")
    try:
        if _is_sqlite(path):
            raise ScoreTableError(
                message(
                    f"{typed!r} is a database of SQLite, not of DuckDB.",
                    hint="query it yourself and save the rows as CSV or Parquet.",
                )
            )
        connection = duckdb.connect(
            config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
        )
        for statement in (
            f"ATTACH '{quoted}' AS source (READ_ONLY, TYPE duckdb)",
            "USE source",
            "SET enable_external_access = false",
            "SET lock_configuration = true",
        ):
            connection.execute(statement)
    except (duckdb.Error, OSError) as error:
        raise ScoreTableError(
            message(f"{typed!r} cannot be read by DuckDB: {str(error).splitlines()[0]}")
        ) from None
    with connection, engine_errors(repr(typed), query):
        return _relation(connection, query, repr(typed)).to_arrow_table()


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _relation(connection: Any, query: str | None, what: str) -> Any:
    """Take a query, or the only table there is."""
    with engine_errors(what, query):
        if query is not None:
            _refuse_all_but_one_select(connection, query)
            return connection.sql(query)
        tables = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
        if len(tables) != 1:
            listed = ", ".join(tables) or "none"
            raise ScoreTableError(
                message(
                    f"{what} holds {len(tables)} tables: {listed}.",
                    hint=Phrase(Option("query", "SELECT ... FROM ..."), " says what to read."),
                )
            )
        return connection.table(tables[0])


def _refuse_all_but_one_select(connection: Any, query: str) -> None:
    """Refuse what would do more than read, and what DuckDB would read the last part of."""
    kinds = [statement.type.name for statement in connection.extract_statements(query)]
    if kinds == ["SELECT"]:
        return
    # DuckDB first creates a type of the values that a PIVOT finds.
    named = ["PIVOT without IN" if kind == "MULTI" else kind for kind in kinds]
    what = (
        f"holds {len(kinds)} statements: {', '.join(named)}"
        if len(kinds) > 1
        else (f"is a statement of kind {named[0]}" if named else "holds no statement")
    )
    hint = [f"the query was {query!r}; it takes one SELECT."]
    if kinds == ["MULTI"]:
        hint.append("PIVOT ... ON column IN (...) with the values named is one.")
    raise ScoreTableError(message(f"the query {what}.", hint=hint))
