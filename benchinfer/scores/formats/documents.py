"""Documents as rows of one table: JSON, dictionaries, archives of arrays, ARFF."""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import TextIOWrapper
from itertools import groupby
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.numbers import count, several
from benchinfer.scores.columns.roles import COMMON, common_name
from benchinfer.scores.formats.format import (
    Format,
    NoScoresError,
    Results,
    Rows,
    is_score,
    not_utf8,
)
from benchinfer.scores.formats.nested import (
    are_details,
    has_score,
    is_files,
    levels,
    lists_of_some,
    replicated,
    summaries,
)
from benchinfer.scores.formats.packed import MOST_BYTES, opened, refuse_archive
from benchinfer.scores.resampling import Resampling

DEEPEST = 20
_MOST_ROWS = 4_000_000  # which take about 1.5 GB as records
_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"[^\"]*\"|\S+)\s+(.+)", re.IGNORECASE)
_SCRIPT = re.compile(r"\s*window\.\w+\s*=\s*")  # a document that a page loads
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def read_json(path: Path, typed: str) -> object:
    """Return the document of a file; None where it holds one object per line, or too much."""
    data = _bytes_of(path, typed)
    if len(data) > MOST_BYTES:
        return None
    twice: list[str] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        held = dict(pairs)
        if len(held) < len(pairs):
            twice.extend(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        return held

    try:
        # JSON's own decoding lets halves of characters pass.
        text = _without_script(data.decode(json.detect_encoding(data)))
        document = json.loads(text, object_pairs_hook=once)
        if _SURROGATE.search(data):
            json.dumps(document, ensure_ascii=False).encode()
    except RecursionError:
        raise too_deep(typed) from None
    except UnicodeEncodeError as error:
        raise ScoreTableError(
            f"{typed!r} holds half a character, {error.object[error.start]!a}, in a text.",
            hint="write the file again; a sign beyond \\uffff is written as two halves.",
        ) from None
    except UnicodeDecodeError:
        raise not_utf8(typed) from None
    except ValueError:
        return None  # as lines, whose reader says what is wrong
    if twice:
        raise _keys_twice(typed, len(twice), list(dict.fromkeys(twice)))
    return document


def _without_script(text: str) -> str:
    """Return the document that a script gives to a page.

    Examples
    --------
    >>> _without_script('window.DATA = {"a": 1};')
    '{"a": 1}'
    """
    script = _SCRIPT.match(text)
    return text if script is None else text[script.end() :].rstrip().removesuffix(";")


def _bytes_of(path: Path, typed: str) -> bytes:
    """Return the first bytes of a file, one more than a document may have."""
    import pyarrow as pa

    try:
        with opened(path, typed) as stream:
            return stream.read(MOST_BYTES + 1)
    except (OSError, pa.ArrowInvalid) as error:
        raise ScoreTableError(f"{typed!r} cannot be read: {error}") from None


def _keys_twice(name: str, n: int, keys: Sequence[str]) -> ScoreTableError:
    """Return the error of objects that have a key twice, or "a.b" beside "b" in "a"."""
    return ScoreTableError(
        f"{count(n, 'object')} of {name!r} {'has' if n == 1 else 'have'} a"
        f" key twice, of which one value would be lost: {several(keys)}.",
        hint="give each value a key of its own.",
    )


def rows_of(
    document: object, path: Path, of_tool: Callable[[object, Path], Results | None]
) -> tuple[Format | None, Rows]:
    """Return the rows of a document, and whose they are if `of_tool` recognises them."""
    if (results := of_tool(document, path)) is not None:
        return results
    content = document
    if isinstance(document, Mapping):
        mapping = cast("Mapping[str, Any]", document)
        if (results := runs_by_tasks(mapping) or _lists(mapping)) is not None:
            return results
        if (rows := _columns(mapping) or levels(mapping)) is not None:
            return None, rows
        lists = [item for item in mapping.values() if isinstance(item, list)]
        records = any(isinstance(i, Mapping) for item in lists for i in item)
        content = lists[0] if records and len(mapping) == 1 else [mapping]
    if not isinstance(content, list):
        raise _no_table(path.name, content)
    records = cast("list[object]", content)
    if records and all(is_score(item) for item in records):
        return None, [{"replication": i, "value": item} for i, item in enumerate(records)]
    if not records or not all(isinstance(record, Mapping) for record in records):
        raise _no_table(path.name, records)
    rows = replicated(
        [row for record in records for row in _flat(cast("Mapping[str, Any]", record), path.name)]
    )
    short = _leaves(list(dict.fromkeys(name for row in rows for name in row)))
    if not short:
        raise _no_table(path.name, document)
    return None, [{short[name]: row.get(name) for name in short} for row in rows]


def _columns(mapping: Mapping[str, Any]) -> Rows | None:
    """Return the rows of lists of one length by the names of columns; None where they are none."""
    lists = [item for item in mapping.values() if isinstance(item, list)]
    if not lists or len(lists) < len(mapping) or len({len(item) for item in lists}) > 1:
        return None
    if any(isinstance(i, Mapping) for item in lists for i in item):
        return None
    keys = list(mapping)
    return [dict(zip(keys, row, strict=True)) for row in zip(*lists, strict=True)]


def _lists(mapping: Mapping[str, Any]) -> tuple[Format, Rows] | None:
    """Return the rows of lists of numbers by name; None where a name is that of a role."""
    usual = {name for names in COMMON.values() for name in names}
    if not mapping or any(common_name(name) in usual for name in mapping):
        return None
    if not all(isinstance(v, list) and v and all(map(is_score, v)) for v in mapping.values()):  # pyright: ignore[reportUnknownArgumentType]
        return None
    note = "each list holds the scores of an algorithm"
    return Format("lists of numbers", note=note), [
        {"algorithm": name, "replication": i, "value": value}
        for name, values in mapping.items()
        for i, value in enumerate(values)
    ]


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


def _flat(
    record: Mapping[str, Any],
    name: str,
    prefix: str = "",
    depth: int = 0,
    aside: frozenset[str] = frozenset(),
) -> Rows:
    """Return the rows of a record: keys of keys with dots, a row per record of a list in it.

    Lists of the names `aside` are kept in one cell.
    """
    if depth > DEEPEST:
        raise too_deep(name)
    row: dict[str, Any] = {}
    parts: dict[str, Rows] = {}
    aside |= {f"{prefix}{key}" for key in summaries(record)}
    for key, value in record.items():
        label = f"{prefix}{key}"
        if isinstance(value, Mapping) and not is_files(cast("Mapping[str, Any]", value)):
            inside = cast("Mapping[str, Any]", value)
            parts[label] = _flat(inside, name, f"{label}.", depth + 1, aside)
        elif isinstance(value, list) and value and all(isinstance(v, Mapping) for v in value):  # pyright: ignore[reportUnknownVariableType]
            inner = cast("list[Mapping[str, Any]]", value)
            if label in aside or are_details(inner, record):
                row[label] = inner
            elif has_score(inner) or not has_score(record):  # messages and alike are left aside
                below = f"{label}."
                unshared = frozenset(f"{below}{path}" for path in lists_of_some(inner))
                parts[label] = [
                    r for v in inner for r in _flat(v, name, below, depth + 1, unshared)
                ]
        else:
            row[label] = value
    rows: Rows = [row]
    for part in parts.values():
        if twice := sorted(set().union(*rows) & set().union(*part)):
            raise _keys_twice(name, 1, twice)
        if len(rows) * len(part) > _MOST_ROWS or (len(rows) > 1 and len(part) > 1):
            lists = several([label for label, of in parts.items() if len(of) > 1])
            raise ScoreTableError(
                f"{name!r}: a record holds several lists of records: {lists}.",
                hint="make one row per score of it yourself, and pass the frame.",
            )
        rows = [first | second for first in rows for second in part]
    return rows


def archive(
    path: Path, typed: str, of_tool: Callable[[Mapping[str, Any]], Results | None]
) -> Results:
    """Read the arrays of an ``.npz``, in which objects are refused."""
    try:
        refuse_archive(path, typed)
        # Of damaged files NumPy leaves its own handle open, and shapes overflow.
        with (
            np.errstate(all="ignore"),
            path.open("rb") as raw,
            np.load(raw, allow_pickle=False) as file,
        ):
            arrays = {name: file[name] for name in file.files}
    except ScoreTableError:
        raise
    except MemoryError:
        raise ScoreTableError(
            f"{typed!r} cannot be read as arrays: one says that it is larger than memory.",
            hint="the file is damaged: write it once more.",
        ) from None
    except Exception as error:  # noqa: BLE001 - zip, its compressions and NumPy each raise their own
        said = str(error).partition("\n")[0]
        raise ScoreTableError(
            f"{typed!r} cannot be read as arrays: {said}",
            hint="the file is damaged, or not what its name says: write it once more.",
        ) from None
    results = of_tool(arrays) or runs_by_tasks(arrays)
    if results is None:
        raise ScoreTableError(
            f"{typed!r} holds no arrays of runs by tasks.",
            hint="one array of numbers per algorithm, a row per run, a column per task.",
        )
    return results


def too_deep(name: str) -> ScoreTableError:
    """Return the error of a document that is nested too deep to be a table."""
    return ScoreTableError(
        f"{name!r} is nested more than {DEEPEST} deep.", hint="write it as a table."
    )


def _no_table(name: str, document: object) -> NoScoresError:
    """Return the error of a document that is no table, with its kind."""
    kind = "null"
    if isinstance(document, str):
        kind = "a text"
    elif isinstance(document, bool):
        kind = "a truth value"
    elif isinstance(document, int | float):
        kind = "a number"
    elif isinstance(document, Mapping):
        kind = "an object without a value"
    elif isinstance(document, list):
        items = cast("list[object]", document)
        others = sum(not isinstance(item, Mapping) for item in items)
        kind = f"a list of {count(len(items), 'item')}"
        kind += f", {others} of which are no objects" if others else " without a value"
    hint = "a list of objects, or one list per column, is one."
    return NoScoresError(f"the JSON of {name!r} is no table: it is {kind}.", hint=hint)


def runs_by_tasks(scores: Mapping[str, Any]) -> tuple[Format, Rows] | None:
    """Return the scores of arrays by algorithm, with a row per run and a column per task."""
    arrays: dict[str, Any] = {}
    for name, values in scores.items():
        if not isinstance(values, list | np.ndarray):
            return None
        try:
            arrays[name] = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            return None
    if not arrays or {array.ndim for array in arrays.values()} != {2}:
        return None
    if (n := sum(array.size for array in arrays.values())) > _MOST_ROWS:
        raise ScoreTableError(
            f"arrays of {n:,} scores are more than the {_MOST_ROWS:,} that are read from arrays.",
            hint="save the scores as Parquet.",
        )
    rows: Rows = [
        {"dataset": str(task), "replication": run, "algorithm": name, "value": value}
        for name, array in arrays.items()
        for (run, task), value in np.ndenumerate(array)
    ]
    return Format("runs by tasks", resampling=Resampling("seeds")), rows


def arff(path: Path, typed: str) -> Any:
    """Read an ARFF file as a frame of text and numbers; sparse rows are refused."""
    import pandas as pd
    import pyarrow as pa

    try:
        with (
            opened(path, typed) as stream,
            TextIOWrapper(stream, encoding="utf-8", newline="") as file,
        ):
            names, numeric = _header(file)
            rows = [row for row in _rows_of(file) if row and not row[0].lstrip().startswith("%")]
    except (UnicodeDecodeError, csv.Error, pa.ArrowInvalid, OSError) as error:
        raise ScoreTableError(f"{typed!r} cannot be read as ARFF: {error}") from None
    odd = [row for row in rows if len(row) != len(names)]
    if not names or odd:
        what = f"{len(odd):,} of {len(rows):,} rows do not have {len(names)} values"
        raise ScoreTableError(
            f"{typed!r} cannot be read as ARFF: {what if names else 'it has no attributes'}.",
            hint="save the results as CSV.",
        )
    columns = {
        name: [None if row[i] == "?" else row[i] for row in rows] for i, name in enumerate(names)
    }
    frame = pd.DataFrame(columns, dtype=object)
    for name in numeric:
        with suppress(ValueError):  # what is no number stays text, which the checks name
            frame[name] = pd.to_numeric(frame[name])
    return frame


def _rows_of(file: IO[str]) -> Iterator[list[str]]:
    """Yield the values of data lines, of which each may quote by either sign."""
    by_sign = {
        sign: partial(csv.reader, quotechar=sign, escapechar="\\", skipinitialspace=True)
        for sign in "'\""
    }
    for doubled, lines in groupby(file, key=lambda line: '"' in line and "'" not in line):
        yield from by_sign['"' if doubled else "'"](lines)


def _header(file: IO[str]) -> tuple[list[str], list[str]]:
    """Return the names of the attributes, and of those that are numbers."""
    names: list[str] = []
    numeric: list[str] = []
    for line in file:
        text = line.strip()
        if text.casefold().startswith("@data"):
            break
        if (match := _ATTRIBUTE.fullmatch(text)) is not None:
            names.append(match[1].strip("'\""))
            if match[2].casefold().split()[0] in ("numeric", "real", "integer"):
                numeric.append(names[-1])
    return names, numeric
