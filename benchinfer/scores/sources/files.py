"""Files of tables by their ending."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchinfer.core.errors import ScoreTableError, message, optional
from benchinfer.core.hints import Either, Phrase
from benchinfer.core.measure import is_text
from benchinfer.core.saving import note_input
from benchinfer.scores.coverage import Finding
from benchinfer.scores.formats.documents import DEEPEST, archive, read_json, rows_of, too_deep
from benchinfer.scores.formats.time_series import predictions
from benchinfer.scores.formats.weka import arff
from benchinfer.scores.sources.batches import batches
from benchinfer.scores.sources.databases import duckdb_file
from benchinfer.scores.sources.frames import checked_names, odd_fields, of_frame
from benchinfer.scores.sources.source import Source, check_memory, first_line
from benchinfer.scores.sources.text import COMPRESSED, limited, open_text

if TYPE_CHECKING:
    import narwhals as nw

    from benchinfer.scores.formats.format import Format, Rows

TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
ARROW = {".parquet": "parquet", ".pq": "parquet", ".feather": "feather", ".arrow": "feather"}
JSON = (".jsonl", ".ndjson", ".json")
DUCKDB = (".duckdb", ".db", ".ddb")
EXCEL = (".xlsx", ".xls")
ARRAYS = (".npz",)
ARFF = (".arff",)
_KNOWN = "csv, tsv (also .gz, .bz2, .zst), parquet, feather, json, jsonl, arff, npz, xlsx, duckdb"


def suffix_of(path: Path) -> str:
    """Return the ending of a name, without that of a compression."""
    suffixes = [suffix.casefold() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def of_file(typed: str, path: Path, query: str | None, folder: Path | None = None) -> Source:
    """Open one file by its ending."""
    if not is_text(str(path)):
        raise ScoreTableError(
            f"the path {typed!r} is not text in UTF-8.", hint="give the file another name."
        )
    beside = (folder or path.parent) / "measures.toml"
    toml = beside if beside.is_file() else None
    suffix, stem = suffix_of(path), path.name.split(".")[0]
    note_input(path)
    if path.stat().st_size == 0:
        raise ScoreTableError(f"{typed!r} is empty.")
    document = _document(path, typed, suffix)
    if suffix in TEXT and document is None:
        names, load, stream = open_text(path, typed, TEXT[suffix])
        return Source(path.name, names, load, stem, toml, stream=stream)
    if suffix in ARROW:
        inner = _arrow_file(path, typed, ARROW[suffix])
        return replace(inner, stem=stem, toml=toml)
    if document is not None:
        known, frame = document
    elif suffix in JSON:
        known, frame = None, _json_file(path, typed)
    elif suffix in DUCKDB:
        known, frame = None, duckdb_file(path, typed, query)
    elif suffix in EXCEL:
        known, frame = None, _excel_file(path, typed)
    else:
        raise ScoreTableError(
            f"{typed!r} is not a kind of file that can be read.", hint=f"{_KNOWN}."
        )
    inner = of_frame(frame, path.name)
    return replace(inner, name=path.name, stem=stem, toml=toml, known=known)


def _document(path: Path, typed: str, suffix: str) -> "tuple[Format | None, object] | None":
    """Read a file that holds more than one table says, with the tool that wrote it."""
    if suffix in ARFF:
        return None, arff(path, typed)
    if suffix in ARRAYS:
        known, rows = archive(path, typed)
        return known, _of_rows(rows)
    if suffix in TEXT and (found := predictions(path, typed)) is not None:
        return found[0], _of_rows(found[1])
    document = read_json(path, typed) if suffix == ".json" else None
    if document is None:
        return None
    known, rows = rows_of(document, path)
    return known, _of_rows(rows)


def _of_rows(rows: "Rows") -> object:
    import pandas as pd

    return pd.DataFrame(rows)


def _arrow_file(path: Path, typed: str, kind: str) -> Source:
    """Open a file of columns, of which only those are read that play a role."""
    import pyarrow as pa
    from pyarrow import dataset

    @contextmanager
    def errors() -> Generator[None]:
        try:
            yield
        except (pa.ArrowInvalid, pa.ArrowException, OSError) as error:
            raise ScoreTableError(
                f"{typed!r} cannot be read as {kind}: {first_line(error)}"
            ) from None

    def load(
        labels: Sequence[str], scores: Sequence[str], covariates: Sequence[str]
    ) -> tuple["nw.LazyFrame[Any]", list[Finding]]:
        with errors():
            check_memory(typed, file.count_rows())
            table = file.to_table(columns=list(dict.fromkeys([*labels, *scores, *covariates])))
        return of_frame(table, path.name).load(labels, scores, covariates)

    def stream(labels: Sequence[str], scores: Sequence[str]) -> tuple[int, Iterator[Any]]:
        with errors():
            return file.count_rows(), each([*labels, *scores])

    def each(columns: Sequence[str]) -> Iterator[Any]:
        with errors():
            yield from batches(path, kind, columns)

    with errors():
        file = dataset.dataset(path, format=kind)
    names = checked_names(file.schema.names)
    return Source(path.name, names, load, kinds=odd_fields(file.schema), stream=stream)


def _json_file(path: Path, typed: str) -> object:
    import pyarrow as pa

    try:
        table = _json_lines(path, _longest(path, typed))
    except (pa.ArrowInvalid, pa.ArrowException, OSError) as error:
        if "Column() changed from object" in str(error):
            raise ScoreTableError(_not_an_object(typed, str(error))) from None
        raise ScoreTableError(
            f"{typed!r} cannot be read as JSON lines: {first_line(error)}"
        ) from None
    if _deep(table.schema):
        raise too_deep(typed)
    return table


def _deep(schema: Any) -> bool:
    """Return whether a column is nested deeper than a table of records can be."""
    level = [field.type for field in schema]
    for _ in range(DEEPEST):
        level = [kind.field(i).type for kind in level for i in range(kind.num_fields)]
    return bool(level)


def _not_an_object(typed: str, error: str) -> str:
    """Say that lines hold no objects."""
    if "to array in row 0" not in error:
        what = f"{typed!r} has a line that is no object, and JSON lines hold one object per line."
        return message(what, hint="remove lines that are no scores, or make them objects.")
    what = f"{typed!r} is one JSON array, and JSON lines hold one object per line."
    return message(what, hint="with the ending .json it is read as one document, up to 256 MB.")


def _longest(path: Path, typed: str) -> int:
    """Return the length of the longest line.

    A null where an object should begin is refused: PyArrow ends the process there.
    """
    import pyarrow as pa

    before, longest = b"}", 0
    with pa.input_stream(path) as stream:
        for line in limited(BufferedReader(stream), typed):  # pyright: ignore[reportArgumentType]
            if (text := line.strip()).startswith(b"null") and before.endswith(b"}"):
                raise ScoreTableError(_not_an_object(typed, "null"))
            before, longest = text or before, max(longest, len(line))
    return longest


def _json_lines(path: Path, longest: int) -> Any:
    """Read JSON lines; text that looks like a date stays text."""
    import pyarrow as pa
    from pyarrow import json

    block_size = max(1 << 20, longest + 1)

    def read(**options: Any) -> Any:
        return json.read_json(
            path, json.ReadOptions(block_size=block_size), json.ParseOptions(**options)
        )

    table = read()
    dates = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
    if not dates:
        return table
    as_text = pa.schema([(name, pa.string()) for name in dates])
    return read(explicit_schema=as_text, unexpected_field_behavior="infer").select(
        table.schema.names
    )


def _excel_file(path: Path, typed: str) -> object:
    import pandas as pd

    if path.suffix.casefold() != ".xls":
        optional("openpyxl", "excel")
    try:
        sheets = pd.read_excel(path, sheet_name=None)
    except ImportError:
        raise ScoreTableError(
            f"{typed!r} is of an old kind of Excel file.", hint="save it as .xlsx."
        ) from None
    except Exception as error:  # noqa: BLE001 - zip, XML and openpyxl each raise their own
        raise ScoreTableError(
            f"{typed!r} cannot be read as Excel: {first_line(error)}",
            hint="the file is damaged or of another kind: save it once more, or as CSV.",
        ) from None
    used = {name: sheet for name, sheet in sheets.items() if len(sheet.columns)}
    if len(used) > 1:
        raise ScoreTableError(
            f"{typed!r} holds {len(used)} sheets: {', '.join(map(str, used))}.",
            hint=Phrase(
                Either(
                    'pandas.read_excel(path, sheet_name="...") reads one: pass that frame',
                    "save one as a file of its own",
                ),
                ".",
            ),
        )
    return next(iter({**sheets, **used}.values()))
