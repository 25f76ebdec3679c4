"""Files of text: CSV and alike."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import IO, Any

from benchinfer.core.errors import ScoreTableError, message
from benchinfer.scores.columns.engines import lazy
from benchinfer.scores.columns.roles import slots
from benchinfer.scores.coverage import Finding
from benchinfer.scores.formats.format import not_utf8
from benchinfer.scores.formats.packed import COMPRESSED, opened
from benchinfer.scores.numerics.places import NotDenseError
from benchinfer.scores.sources.frames import Columns, Load, Loaded, Stream, check_memory
from benchinfer.scores.sources.query import numbers_of_text

_BLOCK = 2**20  # bytes that Arrow reads at once: less has nothing for a second thread
_LONGEST = 1 << 26  # bytes or characters of a line
_INTEGRAL = re.compile(r"[+-]?[0-9]+\.0+")
# What is wrong with a text file, and the words of PyArrow for it; the first that fits counts.
_ARROW_FAULTS = {
    "encoding": "UTF8",
    "no number": "conversion error",
    "no rows": "Empty CSV",
    "quotation": "straddl",
    "array": "Column() changed from object to array in row 0",
    "no object": "Column() changed from object",
}


def open_text(path: Path, typed: str, delimiter: str) -> tuple[tuple[str, ...], Load, Stream]:
    """Read the header of a text file."""
    shape = _shape(path, typed, delimiter)
    names = shape[1]
    if not any(names):
        raise ScoreTableError(f"{typed!r} is empty: it has no header.")
    if twice := sorted(name for name, n in Counter(names).items() if n > 1):
        raise ScoreTableError(
            f"columns given twice in {typed!r}: {', '.join(twice)}.", hint="keep one of each."
        )

    def load(labels: Columns, scores: Columns, covariates: Columns) -> Loaded:
        import pyarrow as pa

        coded = list(dict.fromkeys([*labels, *covariates]))
        table, findings = _read(path, typed, shape, coded, scores)
        columns = [_numbers(table.column(name)) for name in covariates]
        coded_labels = [_without_fractions(table.column(name)) for name in labels]
        parts = [*coded_labels, *(table.column(name) for name in scores), *columns]
        return lazy(pa.table(parts, [*labels, *scores, *slots(covariates)])), findings

    return names, load, lambda labels, scores: (0, _batches(path, typed, shape, labels, scores))


type _Shape = tuple[str, tuple[str, ...], int]  # delimiter, names, lines above the rows


def limited[Text: (bytes, str)](file: IO[Text], typed: str) -> Iterator[Text]:
    """Yield the lines of a file; raise a ScoreTableError where one is too long for a table."""
    while line := file.readline(_LONGEST):
        if len(line) == _LONGEST:
            raise ScoreTableError(
                f"{typed!r} has a line of more than {_LONGEST >> 20} MB.",
                hint="the file is damaged, or not what its name says.",
            )
        yield line


def byte_stream(path: Path, typed: str) -> Any:
    """Return the bytes of a file as a stream, compressed or not."""
    import pyarrow as pa

    packed = path.suffix.casefold() in COMPRESSED
    return opened(path, typed) if packed else pa.input_stream(path)


def _shape(path: Path, typed: str, delimiter: str) -> _Shape:
    """Read the header: names may be quoted, and then run over several lines."""
    import pyarrow as pa

    try:
        with (
            byte_stream(path, typed) as stream,
            TextIOWrapper(stream, encoding="utf-8-sig", newline="") as file,
        ):
            lines = limited(file, typed)
            blank, line = next(((i, s) for i, s in enumerate(lines) if not _is_ahead(s)), (0, ""))
            if "\0" in line:
                raise not_utf8(typed, line.encode())
            if delimiter not in line:
                # Semicolons are what spreadsheets write where the comma is the decimal sign.
                delimiter = max(",;\t|", key=line.count)
            rows = csv.reader(chain([line], lines), delimiter=delimiter, strict=True)
            names = tuple(name.strip() for name in next(rows))
            return delimiter, names, blank + rows.line_num
    except UnicodeDecodeError as error:
        raise not_utf8(typed, error.object) from None
    except csv.Error as error:
        raise ScoreTableError(f"the header of {typed!r} cannot be read: {error}.") from None
    except (pa.ArrowInvalid, OSError) as error:
        raise ScoreTableError(_unreadable(path, typed, error)) from None


def _is_ahead(line: str) -> bool:
    """Return whether a line ahead of the header is blank, or a comment that holds a record.

    Examples
    --------
    >>> _is_ahead('#{"seed": 3}'), _is_ahead(" "), _is_ahead("#,model,score")
    (True, True, False)
    """
    text = line.strip()
    return not text or (text.startswith("#") and text[1:].lstrip().startswith("{"))


def arrow_fault(error: Exception) -> str:
    """Return what is wrong with a text file, which PyArrow's errors have in their texts alone."""
    text = str(error)
    return next((fault for fault, sign in _ARROW_FAULTS.items() if sign in text), "")


def _unreadable(path: Path, typed: str, error: Exception) -> str:
    hint = ""
    if path.suffix.casefold() in COMPRESSED:
        hint = "the file is cut, damaged, or not compressed as its name says."
    elif arrow_fault(error) == "quotation":
        hint = "a quotation mark is not closed, or a row is longer than a megabyte."
    return message(f"{typed!r} cannot be read: {error}.", hint=[hint] if hint else [])


def _read(
    path: Path, typed: str, shape: _Shape, coded: Sequence[str], scores: Sequence[str]
) -> tuple[Any, list[Finding]]:
    """Read some columns: labels as codes, and scores as numbers or, failing that, as text."""
    import pyarrow as pa
    from pyarrow import csv as pacsv

    ragged: list[str] = []

    def skip(row: Any) -> str:
        ragged.append(row.text)
        return "skip"

    def attempt(kind: Any) -> Any:
        ragged.clear()
        with byte_stream(path, typed) as stream:
            return pacsv.read_csv(stream, **_options(path, shape, coded, scores, kind, skip))

    try:
        try:
            table = attempt(pa.float64())
        except pa.ArrowInvalid as error:
            if arrow_fault(error) != "no number":
                raise
            table = attempt(pa.string())
    except (pa.ArrowInvalid, OSError) as error:
        fault = arrow_fault(error)
        if fault == "encoding":
            raise not_utf8(typed) from None
        if fault == "no rows":
            raise ScoreTableError(f"{typed!r} has a header and no rows.") from None
        raise ScoreTableError(_unreadable(path, typed, error)) from None
    check_memory(typed, table.num_rows)
    if not ragged:
        return table.unify_dictionaries(), []
    n, width = len(ragged), len(shape[1])
    where = (("row",), *((row,) for row in sorted(ragged)[:5]))
    what = f"{n} {'row does' if n == 1 else 'rows do'} not have {width} fields."
    hint = f"the header has {width} fields, separated by {shape[0]!r}."
    finding = Finding("ragged rows", "error", n, what, where, hint)
    return table.unify_dictionaries(), [finding]


def _options(
    path: Path,
    shape: _Shape,
    coded: Sequence[str],
    scores: Sequence[str],
    kind: Any,
    ragged: Any = None,
) -> dict[str, Any]:
    """Return the options by which a file is read."""
    import pyarrow as pa
    from pyarrow import csv as pacsv

    delimiter, names, skip = shape
    types = dict.fromkeys(coded, pa.dictionary(pa.int32(), pa.string()))
    # Arrow's threads that still hold the handler of ragged rows as Python ends abort the process.
    threads = path.stat().st_size > _BLOCK
    return {
        "read_options": pacsv.ReadOptions(column_names=names, skip_rows=skip, use_threads=threads),
        "parse_options": pacsv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, invalid_row_handler=ragged
        ),
        "convert_options": pacsv.ConvertOptions(
            column_types=types | dict.fromkeys(scores, kind), include_columns=[*coded, *scores]
        ),
    }


def _batches(
    path: Path, typed: str, shape: _Shape, labels: Sequence[str], scores: Sequence[str]
) -> Iterator[Any]:
    """Read a file in batches of rows; on any fault leave it to the reader of all rows."""
    import pyarrow as pa
    from pyarrow import csv as pacsv

    try:
        options = _options(path, shape, labels, scores, pa.float64())
        with byte_stream(path, typed) as stream, pacsv.open_csv(stream, **options) as batches:
            for batch in batches:
                if any(_all_integral(batch.column(name).dictionary) for name in labels):
                    raise NotDenseError  # 1.0 is written as 1 where no label has a fraction
                yield batch
    except (pa.ArrowInvalid, OSError):
        raise NotDenseError from None


def _numbers(column: Any) -> Any:
    """Turn codes of text into numbers, or into plain text where one is no number."""
    import pyarrow as pa

    if not column.num_chunks:
        return pa.chunked_array([], pa.float64())
    values = numbers_of_text(column.chunk(0).dictionary)
    if values is None:
        return column.cast(pa.string())
    return pa.chunked_array([values.take(chunk.indices) for chunk in column.chunks], pa.float64())


def _without_fractions(column: Any) -> Any:
    """Write labels that are all whole numbers without ".0", as the other engines do."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not column.num_chunks or not len(column.chunk(0).dictionary):
        return column
    if not _all_integral(column.chunk(0).dictionary):  # the same in all chunks, once unified
        return column
    text = pc.replace_substring_regex(column.cast(pa.string()), r"\.0+$", "")  # pyright: ignore[reportAttributeAccessIssue]
    return text.dictionary_encode().unify_dictionaries()


def _all_integral(labels: Any) -> bool:
    # Of most columns the first label tells.
    return all(_INTEGRAL.fullmatch(label.as_py()) for label in labels)
