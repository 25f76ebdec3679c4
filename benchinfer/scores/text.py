"""CSV and TSV: read fast, labels as codes; text stays text where a score is not a number."""

import csv
import gzip
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw

from benchinfer.errors import ScoreTableError, message
from benchinfer.scores.canonical import NONE
from benchinfer.scores.coverage import Finding
from benchinfer.scores.roles import slots

type Load = Callable[
    [Sequence[str], Sequence[str], Sequence[str]], tuple["nw.LazyFrame[Any]", list[Finding]]
]


def open_text(path: Path, typed: str, delimiter: str) -> tuple[tuple[str, ...], Load]:
    """Read the header of a text file.

    Parameters
    ----------
    path
        The file, plain or compressed.
    typed
        The path as the user typed it.
    delimiter
        What the ending of the file stands for; the header decides where it has another.

    Returns
    -------
    names, load
        The columns, and how to load them.
    """
    blank, header = _first_line(path, typed)
    if delimiter not in header:
        # Semicolons are what spreadsheets write where the comma is the decimal sign.
        delimiter = max(",;\t|", key=header.count) if header.strip() else delimiter
    names = tuple(name.strip() for name in next(csv.reader([header], delimiter=delimiter), ()))
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
        shape, coded = _Shape(delimiter, names, blank + 1), [*labels, *covariates]
        table, found = _read(path, typed, shape, list(dict.fromkeys(coded)), scores)
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


def _first_line(path: Path, typed: str) -> tuple[int, str]:
    opener = gzip.open if path.suffix.casefold() == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            for i, line in enumerate(file):
                if line.strip():
                    return i, str(line).rstrip("\r\n")
    except UnicodeDecodeError:
        raise ScoreTableError(_not_utf8(typed)) from None
    except (OSError, EOFError) as error:
        raise ScoreTableError(message(f"{typed!r} cannot be read: {error}.")) from None
    raise ScoreTableError(message(f"{typed!r} is empty: it has no header."))


def _not_utf8(typed: str) -> str:
    return message(
        f"{typed!r} is not text in UTF-8.",
        hint="save it as UTF-8, or read it yourself and pass the frame:"
        ' pandas.read_csv(path, encoding="latin-1").',
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
            parse_options=pacsv.ParseOptions(delimiter=shape.delimiter, invalid_row_handler=skip),
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
    except pa.ArrowInvalid as error:
        if "UTF8" in str(error):
            raise ScoreTableError(_not_utf8(typed)) from None
        if "Empty CSV" in str(error):
            raise ScoreTableError(message(f"{typed!r} has a header and no rows.")) from None
        raise ScoreTableError(message(f"{typed!r} cannot be read: {error}.")) from None
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
    text = pc.utf8_trim_whitespace(column.chunk(0).dictionary)  # pyright: ignore[reportAttributeAccessIssue]
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
