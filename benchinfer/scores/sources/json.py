"""Files of JSON lines."""

from io import BufferedReader
from pathlib import Path
from typing import Any

from benchinfer.core.errors import ScoreTableError, message
from benchinfer.scores.formats.catalogue import of_document, recognised
from benchinfer.scores.formats.documents import DEEPEST, rows_of, too_deep
from benchinfer.scores.formats.format import not_utf8
from benchinfer.scores.formats.packed import MOST_BYTES
from benchinfer.scores.sources.frames import first_line
from benchinfer.scores.sources.text import arrow_fault, byte_stream, limited


def json_lines_file(path: Path, typed: str) -> object:
    """Read a file of JSON lines as a frame."""
    import pyarrow as pa

    try:
        table = _json_lines(path, typed, _longest(path, typed))
    except (pa.ArrowInvalid, pa.ArrowException, OSError) as error:
        if (fault := arrow_fault(error)) in ("array", "no object"):
            raise ScoreTableError(_not_an_object(typed, array=fault == "array")) from None
        raise ScoreTableError(
            f"{typed!r} cannot be read as JSON lines: {first_line(error)}"
        ) from None
    nested = any(field.type.num_fields for field in table.schema)
    level = [field.type for field in table.schema]
    for _ in range(DEEPEST):
        level = [kind.field(i).type for kind in level for i in range(kind.num_fields)]
    if level:
        raise too_deep(typed)
    if nested and recognised(table.schema.names) is None and path.stat().st_size <= MOST_BYTES:
        import pandas as pd

        return pd.DataFrame(
            rows_of(table.to_pylist(), path, of_document)[1]
        )  # as a list of records
    return table


def _not_an_object(typed: str, *, array: bool = False) -> str:
    """Return the message on lines that hold no objects."""
    if not array:
        what = f"{typed!r} has a line that is no object, and JSON lines hold one object per line."
        return message(what, hint="remove lines that are no scores, or make them objects.")
    what = f"{typed!r} is one JSON array, and JSON lines hold one object per line."
    return message(what, hint="with the ending .json it is read as one document, up to 256 MB.")


def _longest(path: Path, typed: str) -> int:
    """Return the length of the longest line.

    A null where an object should begin is refused: PyArrow ends the process there. So is text that
    is not in UTF-8, which it does not look at.
    """
    before, longest = b"}", 0
    with byte_stream(path, typed) as stream:
        for line in limited(BufferedReader(stream), typed):
            if (text := line.strip()).startswith(b"null") and before.endswith(b"}"):
                raise ScoreTableError(_not_an_object(typed))
            if not line.isascii():
                try:
                    line.decode()
                except UnicodeDecodeError:
                    raise not_utf8(typed, line) from None
            before, longest = text or before, max(longest, len(line))
    return longest


def _json_lines(path: Path, typed: str, longest: int) -> Any:
    """Read JSON lines; text that looks like a date stays text."""
    import pyarrow as pa
    from pyarrow import json

    block_size = max(1 << 20, longest + 1)

    def read(**options: Any) -> Any:
        with byte_stream(path, typed) as stream:
            return json.read_json(
                stream, json.ReadOptions(block_size=block_size), json.ParseOptions(**options)
            )

    table = read()
    dates = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
    if not dates:
        return table
    as_text = pa.schema([(name, pa.string()) for name in dates])
    return read(explicit_schema=as_text, unexpected_field_behavior="infer").select(
        table.schema.names
    )
