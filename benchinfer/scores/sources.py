"""Where tables come from: files, frames of any engine, and queries.

Frames that are in memory are taken over into Arrow once: later changes to the user's frame cannot
reach the table, and labels become integer codes. Lazy frames and relations stay in their engine,
dask frames excepted.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import glob
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import narwhals as nw

from benchinfer.errors import MissingExtra, ScoreTableError, message
from benchinfer.saving import note_input
from benchinfer.scores.coverage import Finding
from benchinfer.scores.roles import slots

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

type Load = Callable[
    [Sequence[str], Sequence[str], Sequence[str]], tuple["nw.LazyFrame[Any]", list[Finding]]
]

_TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_ARROW = {".parquet": "parquet", ".pq": "parquet", ".feather": "feather", ".arrow": "feather"}
_JSON = (".jsonl", ".ndjson", ".json")
_DUCKDB = (".duckdb", ".db", ".ddb")
_EXCEL = (".xlsx", ".xls")
_KNOWN = "csv, tsv (also .gz), parquet, feather, jsonl, duckdb"


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
        Column to ``"complex"`` or ``"duration"``, for those that are.
    """

    name: str
    names: tuple[str, ...]
    load: Load
    stem: str = "data"
    toml: Path | None = None
    index: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])


def open_source(source: object, query: str | None) -> Source:
    """Open a table without reading its rows yet.

    Parameters
    ----------
    source
        Path, folder, glob, frame, relation or DuckDB connection.
    query
        SQL, for a DuckDB file or connection.

    Raises
    ------
    ScoreTableError
        There is no such file, or it is not a table.
    """
    if isinstance(source, str | Path):
        return _of_path(source, query)
    if type(source).__name__ == "DuckDBPyConnection":
        connection = cast("Any", source)
        return _of_frame(_relation(connection, query, "the connection"), "query")
    if query is not None:
        raise ScoreTableError(
            message(
                f"query= was given with a {type(source).__name__}.",
                hint="a query needs a DuckDB file or connection as its source.",
            )
        )
    return _of_frame(source, type(source).__name__)


def _of_frame(source: object, name: str) -> Source:
    """Take a frame of any engine."""
    native, index, kinds = source, (), dict[str, str]()
    if type(native).__module__.split(".")[0] == "pandas" and hasattr(native, "columns"):
        native, index = _plain_pandas(native), _unnamed_labels(native)
        kinds = {
            str(c): "complex" for c, kind in cast("Any", source).dtypes.items() if kind.kind == "c"
        }
    try:
        frame = nw.from_native(cast("IntoFrame", native))
    except (TypeError, ValueError) as error:
        raise ScoreTableError(
            message(
                f"a {type(source).__name__} cannot be read as a table"
                + (f": {str(error).splitlines()[0]}" if isinstance(error, ValueError) else "."),
                hint="a path, or a frame of pandas, polars, pyarrow, DuckDB, dask, ibis, pyspark.",
            )
        ) from None

    def load(
        labels: Sequence[str], scores: Sequence[str], covariates: Sequence[str]
    ) -> tuple[nw.LazyFrame[Any], list[Finding]]:
        kept = zip(covariates, slots(covariates), strict=True)
        chosen = frame.select(*labels, *scores, *(nw.col(c).alias(slot) for c, slot in kept))
        if chosen.implementation.is_dask():
            # Dask aligns columns by index, which fails where concatenated frames repeat it.
            chosen = nw.from_native(cast("Any", nw.to_native(chosen)).compute(), eager_only=True)
        return chosen if isinstance(chosen, nw.LazyFrame) else _into_arrow(chosen), []

    schema = frame.collect_schema()
    kinds |= {column: "duration" for column, kind in schema.items() if kind == nw.Duration}
    return Source(name, tuple(schema.names()), load, index=index, kinds=kinds)


def _plain_pandas(native: Any) -> Any:
    """Turn named indexes into columns, column names into text, and mixed columns into text."""
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
    frame = native.reset_index(named) if named else native
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    if frame.columns.has_duplicates:
        twice = sorted(set(frame.columns[frame.columns.duplicated()]))
        raise ScoreTableError(
            message(f"columns given twice: {', '.join(twice)}.", hint="keep one of each.")
        )
    # Arrow takes one type per column; text keeps what was there for the checks to see.
    mixed = [n for n in frame.columns if frame[n].dtype == object or frame[n].dtype.kind == "c"]
    return frame.assign(**{name: frame[name].map(_text, na_action="ignore") for name in mixed})


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


def _text(value: object) -> str:
    return str(value)


def _into_arrow(frame: "nw.DataFrame[Any]") -> "nw.LazyFrame[Any]":
    """Take over a frame in memory; codes are decoded, for they may be of numbers."""
    import pyarrow as pa

    # Without a copy, Arrow may look at pandas' own memory; an index would become a column.
    table = nw.maybe_reset_index(frame.clone()).to_arrow()
    for i, kind in enumerate(table.schema.types):
        if pa.types.is_dictionary(kind):
            name = table.schema.names[i]
            table = table.set_column(i, name, table.column(i).cast(kind.value_type))
    return nw.from_native(table, eager_only=True).lazy()


def _of_path(source: str | Path, query: str | None) -> Source:
    typed, path = str(source), Path(source).expanduser()
    if any(sign in typed for sign in "*?[") and not path.exists():
        paths = sorted(p for p in map(Path, glob(str(path), recursive=True)) if p.is_file())  # noqa: PTH207
        if not paths:
            raise ScoreTableError(message(f"no file matches {typed!r}."))
        return _of_files(typed, paths, path.parent)
    if not path.exists():
        raise ScoreTableError(
            message(f"there is no file {typed!r}.", hint=f"looked in {_folder(path)}.")
        )
    if path.is_dir():
        return _of_folder(typed, path)
    if query is not None and path.suffix not in _DUCKDB:
        raise ScoreTableError(
            message(f"query= was given with {path.name!r}.", hint="it needs a DuckDB file.")
        )
    return _of_file(typed, path, query)


def _folder(path: Path) -> str:
    return "the current folder" if path.parent == Path() else f"folder {str(path.parent)!r}"


def _of_folder(typed: str, path: Path) -> Source:
    """Read a data set of ours (``scores.*`` in a folder), or a folder of Parquet files."""
    own = [p for p in sorted(path.glob("scores.*")) if _suffix(p) in {*_TEXT, *_ARROW, *_JSON}]
    if own:
        inner = _of_file(typed, own[0], None)
        return replace(inner, name=path.name, stem=path.name)
    paths = [p for p in sorted(path.rglob("*")) if p.is_file() and _suffix(p) in _ARROW]
    if not paths:
        raise ScoreTableError(
            message(
                f"the folder {typed!r} holds no table.",
                hint="a folder holds scores.csv (and measures.toml), or Parquet files.",
            )
        )
    return _of_files(typed, paths, path)


def _of_files(typed: str, paths: list[Path], folder: Path) -> Source:
    kinds = {_suffix(path) for path in paths}
    if len(kinds) > 1 or kinds <= set(_DUCKDB) | set(_EXCEL):
        raise ScoreTableError(
            message(
                f"{typed!r} is {len(paths)} files of kinds {', '.join(sorted(kinds))}.",
                hint="several files are read together when all are of one kind.",
            )
        )
    parts = [_of_file(str(path), path, None, folder) for path in paths]
    if odd := [p for p, part in zip(paths, parts, strict=True) if part.names != parts[0].names]:
        raise ScoreTableError(
            message(
                f"{len(odd)} of {len(paths)} files have other columns than {paths[0].name!r}.",
                where=[("file", "columns")]
                + [(p.name, ", ".join(part.names)) for p, part in zip(paths, parts, strict=True)],
                hint="give them the same columns in the same order.",
            )
        )
    if len(parts) == 1:
        return parts[0]

    def load(
        labels: Sequence[str], scores: Sequence[str], covariates: Sequence[str]
    ) -> tuple[nw.LazyFrame[Any], list[Finding]]:
        import pyarrow as pa

        loaded = [part.load(labels, scores, covariates) for part in parts]
        tables = [frame.collect().to_arrow() for frame, _ in loaded]
        try:
            table = pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            # Numbers in one file, text in another: text in all, for the checks to see.
            mixed = [n for n in (*scores, *slots(covariates)) if not _alike(tables, n)]
            text = [_as_text(table, mixed) for table in tables]
            table = pa.concat_tables(text, promote_options="permissive").unify_dictionaries()
        frame = nw.from_native(table, eager_only=True).lazy()
        return frame, [finding for _, found in loaded for finding in found]

    kinds = {column: kind for part in parts for column, kind in part.kinds.items()}
    return replace(
        parts[0], name=Path(typed).name, load=load, stem=folder.name or "data", kinds=kinds
    )


def _alike(tables: Sequence[Any], column: str) -> bool:
    """Whether the tables hold the column in types that have one in common."""
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
    while suffixes and suffixes[-1] in {".gz", ".bz2", ".zst"}:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _of_file(typed: str, path: Path, query: str | None, folder: Path | None = None) -> Source:
    """Open one file by its ending."""
    beside = (folder or path.parent) / "measures.toml"
    toml = beside if beside.is_file() else None
    suffix, stem = _suffix(path), path.name.split(".")[0]
    note_input(path)
    if path.stat().st_size == 0:
        raise ScoreTableError(message(f"{typed!r} is empty."))
    if suffix in _TEXT:
        from benchinfer.scores.text import open_text

        names, load = open_text(path, typed, _TEXT[suffix])
        return Source(path.name, names, load, stem, toml)
    if suffix in _ARROW or suffix in _JSON:
        frame: object = _arrow_file(path, typed, suffix)
    elif suffix in _DUCKDB:
        frame = _duckdb_file(path, typed, query)
    elif suffix in _EXCEL:
        frame = _excel_file(path)
    else:
        raise ScoreTableError(
            message(f"{typed!r} is not a kind of file that can be read.", hint=f"{_KNOWN}.")
        )
    inner = _of_frame(frame, path.name)
    return replace(inner, name=path.name, stem=stem, toml=toml)


def _arrow_file(path: Path, typed: str, suffix: str) -> object:
    import pyarrow as pa
    from pyarrow import dataset, json

    try:
        if suffix in _JSON:
            return json.read_json(path)
        return dataset.dataset(path, format=_ARROW[suffix]).to_table()
    except (pa.ArrowInvalid, pa.ArrowException, OSError) as error:
        if "from object to array in row 0" in str(error):
            what = f"{typed!r} is one JSON array, and JSON lines hold one object per line."
            plain, lines = shlex.quote(typed), shlex.quote(path.with_suffix(".jsonl").name)
            hint = f"jq -c '.[]' {plain} > {lines}"
            raise ScoreTableError(
                message(what, hint=hint if path.suffix in _JSON else "unpack it first.")
            ) from None
        kind = "JSON lines" if suffix in _JSON else _ARROW[suffix]
        raise ScoreTableError(
            message(f"{typed!r} cannot be read as {kind}: {str(error).splitlines()[0]}")
        ) from None


def _excel_file(path: Path) -> object:
    import pandas as pd

    try:
        return pd.read_excel(path)
    except ImportError:
        raise MissingExtra("openpyxl", "excel") from None


def _duckdb_file(path: Path, typed: str, query: str | None) -> object:
    """Run the query once, into memory, and let go of the file."""
    import duckdb

    connection = duckdb.connect()
    try:
        quoted = str(path).replace("'", "''")
        connection.execute(f"ATTACH '{quoted}' AS source (READ_ONLY)")
    except duckdb.Error as error:
        raise ScoreTableError(
            message(f"{typed!r} cannot be read by DuckDB: {str(error).splitlines()[0]}")
        ) from None
    connection.execute("USE source")
    _relation(connection, query, repr(typed)).create("memory.main.benchinfer_scores")
    connection.execute("USE memory")
    connection.execute("DETACH source")
    return connection.table("benchinfer_scores")


def _relation(connection: Any, query: str | None, what: str) -> Any:
    """Run a query, or take the only table there is."""
    import duckdb

    if query is None:
        tables = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
        if len(tables) != 1:
            listed = ", ".join(tables) or "none"
            raise ScoreTableError(
                message(
                    f"{what} holds {len(tables)} tables: {listed}.",
                    hint='query="SELECT ... FROM ..." says what to read.',
                )
            )
        return connection.table(tables[0])
    try:
        return connection.sql(query)
    except duckdb.Error as error:
        raise ScoreTableError(
            message("the query failed: " + str(error).strip(), hint=f"the query was {query!r}.")
        ) from None
