"""Text files of separated values."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import IO, Any

import narwhals as nw

from benchinfer.core.errors import ScoreTableError, message
from benchinfer.core.hints import Either, Phrase
from benchinfer.scores.columns import BLANKS, NONE, slots
from benchinfer.scores.coverage import Finding
from benchinfer.scores.numerics.scatter import NotDenseError
from benchinfer.scores.sources.source import Load, Stream, check_memory

COMPRESSED = (".gz", ".bz2", ".zst")
_LONGEST = 1 << 26  # bytes or characters of a line
_WHOLE = re.compile(r"[+-]?[0-9]+\.0+")


def open_text(path: Path, typed: str, delimiter: str) -> tuple[tuple[str, ...], Load, Stream]:
    """Read the header of a text file."""
    shape = _shape(path, typed, delimiter)
    names = shape.names
    if not any(names):
        raise ScoreTableError(f"{typed!r} is empty: it has no header.")
    if twice := sorted(name for name, n in Counter(names).items() if n > 1):
        raise ScoreTableError(
            f"columns given twice in {typed!r}: {', '.join(twice)}.", hint="keep one of each."
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

    def stream(labels: Sequence[str], scores: Sequence[str]) -> tuple[int, Iterator[Any]]:
        return 0, _batches(path, shape, labels, scores)

    return names, load, stream


@dataclass(frozen=True, slots=True)
class _Shape:
    delimiter: str
    names: tuple[str, ...]
    skip: int


def limited[Text: (bytes, str)](file: IO[Text], typed: str) -> Iterator[Text]:
    """Return the lines of a file one by one, and refuse what is no line in any table."""
    while line := file.readline(_LONGEST):
        if len(line) == _LONGEST:
            raise ScoreTableError(
                f"{typed!r} has a line of more than {_LONGEST >> 20} MB.",
                hint="the file is damaged, or not what its name says.",
            )
        yield line


def _shape(path: Path, typed: str, delimiter: str) -> _Shape:
    """Read the header: names may be quoted, and then run over several lines."""
    import pyarrow as pa

    try:
        with (
            pa.input_stream(path) as stream,
            TextIOWrapper(stream, encoding="utf-8-sig", newline="") as file,  # pyright: ignore[reportArgumentType]
        ):
            lines = limited(file, typed)
            blank, line = next(((i, s) for i, s in enumerate(lines) if s.strip()), (0, ""))
            if "\0" in line:
                raise ScoreTableError(_not_utf8(typed, line.encode()))
            if delimiter not in line:
                # Semicolons are what spreadsheets write where the comma is the decimal sign.
                delimiter = max(",;\t|", key=line.count)
            rows = csv.reader(chain([line], lines), delimiter=delimiter, strict=True)
            names = tuple(name.strip() for name in next(rows))
            return _Shape(delimiter, names, blank + rows.line_num)
    except UnicodeDecodeError as error:
        raise ScoreTableError(_not_utf8(typed, error.object)) from None
    except csv.Error as error:
        raise ScoreTableError(f"the header of {typed!r} cannot be read: {error}.") from None
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
        return pacsv.read_csv(path, **_options(shape, coded, scores, kind, skip))

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
            raise ScoreTableError(f"{typed!r} has a header and no rows.") from None
        raise ScoreTableError(_unreadable(path, typed, error)) from None
    check_memory(typed, table.num_rows)
    found = [_ragged(ragged, shape)] if ragged else []
    return table.unify_dictionaries(), found


def _options(
    shape: _Shape, coded: Sequence[str], scores: Sequence[str], kind: Any, skip: Any = None
) -> dict[str, Any]:
    """Return the options by which a file is read."""
    import pyarrow as pa
    from pyarrow import csv as pacsv

    types = dict.fromkeys(coded, pa.dictionary(pa.int32(), pa.string()))
    return {
        "read_options": pacsv.ReadOptions(column_names=shape.names, skip_rows=shape.skip),
        "parse_options": pacsv.ParseOptions(
            delimiter=shape.delimiter, newlines_in_values=True, invalid_row_handler=skip
        ),
        "convert_options": pacsv.ConvertOptions(
            column_types=types | dict.fromkeys(scores, kind), include_columns=[*coded, *scores]
        ),
    }


def _batches(
    path: Path, shape: _Shape, labels: Sequence[str], scores: Sequence[str]
) -> Iterator[Any]:
    """Read a file some rows at a time; whatever is wrong is found when all are loaded."""
    import pyarrow as pa
    from pyarrow import csv as pacsv

    try:
        with pacsv.open_csv(path, **_options(shape, labels, scores, pa.float64())) as batches:
            for batch in batches:
                if any(_all_whole(batch.column(name).dictionary) for name in labels):
                    raise NotDenseError  # 1.0 is written as 1 where no label has a fraction
                yield batch
    except (pa.ArrowInvalid, OSError):
        raise NotDenseError from None


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
    if not _all_whole(column.chunk(0).dictionary):  # the same in all chunks, once unified
        return column
    text = pc.replace_substring_regex(column.cast(pa.string()), r"\.0+$", "")  # pyright: ignore[reportAttributeAccessIssue]
    return text.dictionary_encode().unify_dictionaries()


def _all_whole(labels: Any) -> bool:
    # Of most columns the first label tells.
    return all(_WHOLE.fullmatch(label.as_py()) for label in labels)
