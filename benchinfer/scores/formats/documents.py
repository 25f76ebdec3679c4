"""Documents: JSON, dictionaries and archives of arrays as rows of one table."""

import json
import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.numbers import count, several
from benchinfer.scores.formats.format import Format, Rows
from benchinfer.scores.formats.language_models import embeddings, harness
from benchinfer.scores.formats.reinforcement import runs_by_tasks
from benchinfer.scores.formats.scikit_learn import of_results

# A document is held in memory as a whole; tables of more belong into lines or Parquet.
MOST_BYTES = 1 << 28
DEEPEST = 20
_MOST_ROWS = 10_000_000
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def read_json(path: Path, typed: str) -> object:
    """Return the document of a file; None where it holds one object per line, or too much."""
    import pyarrow as pa

    try:
        with pa.input_stream(path) as stream:
            data = stream.read(MOST_BYTES + 1)
    except (OSError, pa.ArrowInvalid) as error:
        raise ScoreTableError(f"{typed!r} cannot be read: {error}") from None
    if len(data) > MOST_BYTES:
        return None
    twice: list[str] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        held = dict(pairs)
        if len(held) < len(pairs):
            twice.extend(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        return held

    try:
        document = json.loads(data, object_pairs_hook=once)
        if _SURROGATE.search(data):
            json.dumps(document, ensure_ascii=False).encode()
    except RecursionError:
        raise too_deep(typed) from None
    except UnicodeEncodeError as error:
        raise ScoreTableError(
            f"{typed!r} holds half a character, {error.object[error.start]!a}, in a text.",
            hint="write the file again; a sign beyond \\uffff is written as two halves.",
        ) from None
    except ValueError:
        return None  # as lines, whose reader says what is wrong
    if twice:
        raise ScoreTableError(
            f"{count(len(twice), 'object')} of {typed!r} {'has' if len(twice) == 1 else 'have'} a"
            f" key twice, of which one value would be lost: {several(list(dict.fromkeys(twice)))}.",
            hint="give each value a key of its own.",
        )
    return document


def rows_of(document: object, path: Path) -> tuple[Format | None, Rows]:
    """Return the rows of a document, and whose they are if a tool is recognised."""
    if isinstance(document, Mapping):
        mapping = cast("Mapping[str, Any]", document)
        for recognise in (harness, embeddings):
            if (found := recognise(mapping, path)) is not None:
                return found
        if (found := of_mapping(mapping)) is not None:
            return found
        lists = [item for item in mapping.values() if isinstance(item, list)]
        records = any(isinstance(i, Mapping) for item in lists for i in item)
        columns = lists and len(lists) == len(mapping) and len({len(item) for item in lists}) == 1
        if columns and not records:
            keys = list(mapping)
            return None, [dict(zip(keys, row, strict=True)) for row in zip(*lists, strict=True)]
        document = lists[0] if records and len(mapping) == 1 else [mapping]
    if not isinstance(document, list):
        raise _no_table(path.name)
    records = cast("list[object]", document)
    if not records or not all(isinstance(record, Mapping) for record in records):
        raise _no_table(path.name)
    rows = [
        row for record in records for row in _flat(cast("Mapping[str, Any]", record), path.name)
    ]
    short = _leaves(list(dict.fromkeys(name for row in rows for name in row)))
    return None, [{short[name]: row.get(name) for name in short} for row in rows]


def _leaves(names: Sequence[str]) -> dict[str, str]:
    """Return each name, or its last part where no other name has the same.

    Examples
    --------
    >>> _leaves(["model", "runs.dataset", "runs.a.score", "runs.b.score"])["runs.dataset"]
    'dataset'
    """
    last = [name.rpartition(".")[2] for name in names]
    return {
        n: part if part and last.count(part) == 1 else n
        for n, part in zip(names, last, strict=True)
    }


def of_mapping(mapping: Mapping[str, Any]) -> tuple[Format, Rows] | None:
    """Recognise results by the names of algorithms."""
    return of_results(mapping) or runs_by_tasks(mapping)


def _flat(record: Mapping[str, Any], name: str, prefix: str = "", depth: int = 0) -> Rows:
    """Return the rows of a record: keys of keys with dots, a row per record of a list in it."""
    if depth > DEEPEST:
        raise too_deep(name)
    row: dict[str, Any] = {}
    parts: list[Rows] = []
    for key, value in record.items():
        label = f"{prefix}{key}"
        if isinstance(value, Mapping):
            parts.append(_flat(cast("Mapping[str, Any]", value), name, f"{label}.", depth + 1))
        elif isinstance(value, list) and value and all(isinstance(v, Mapping) for v in value):  # pyright: ignore[reportUnknownVariableType]
            inner = cast("list[Mapping[str, Any]]", value)
            parts.append([r for v in inner for r in _flat(v, name, f"{label}.", depth + 1)])
        else:
            row[label] = json.dumps(value) if isinstance(value, list) else value
    rows: Rows = [row]
    for part in parts:
        if len(rows) * len(part) > _MOST_ROWS or (len(rows) > 1 and len(part) > 1):
            raise ScoreTableError(
                f"{name!r}: a record holds several lists of records.",
                hint="make one row per score of it yourself, and pass the frame.",
            )
        rows = [first | second for first in rows for second in part]
    return rows


def archive(path: Path, typed: str) -> tuple[Format, Rows]:
    """Read an ``.npz`` of algorithm to (runs, tasks); objects in it are refused."""
    try:
        with zipfile.ZipFile(path) as held:
            size = sum(info.file_size for info in held.infolist())
        if size > MOST_BYTES:
            raise ScoreTableError(f"{typed!r} holds {size} bytes of arrays, too many.")
        with np.load(path, allow_pickle=False) as arrays:
            found = runs_by_tasks({name: arrays[name] for name in arrays.files})
    except MemoryError:
        raise ScoreTableError(
            f"{typed!r} cannot be read as arrays: one says that it is larger than memory.",
            hint="the file is damaged: write it once more.",
        ) from None
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        said = str(error).partition("\n")[0]
        raise ScoreTableError(f"{typed!r} cannot be read as arrays: {said}") from None
    if found is None:
        raise ScoreTableError(
            f"{typed!r} holds no arrays of runs by tasks.",
            hint="one array of numbers per algorithm, a row per run, a column per task.",
        )
    return found


def too_deep(name: str) -> ScoreTableError:
    """Return the error of a document that is nested too deep to be a table."""
    return ScoreTableError(
        f"{name!r} is nested more than {DEEPEST} deep.", hint="write it as a table."
    )


def _no_table(name: str) -> ScoreTableError:
    hint = "a list of records, or one list per column, is one."
    return ScoreTableError(f"the JSON of {name!r} is no table.", hint=hint)
