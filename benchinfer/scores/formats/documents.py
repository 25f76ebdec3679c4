"""Documents of tools as rows of one table: JSON, dictionaries, archives of arrays, ARFF."""

import csv
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import TextIOWrapper
from itertools import groupby, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, several
from benchinfer.scores.columns import COMMON, common_name
from benchinfer.scores.formats.curves.reinforcement import evaluations
from benchinfer.scores.formats.format import Format, Record, Results, Rows, agreed, is_score
from benchinfer.scores.formats.tables import SCORERS, TIMES
from benchinfer.scores.resampling import Resampling

if TYPE_CHECKING:
    from benchinfer.core.measure import Better

# A document is held in memory as a whole; tables of more belong into lines or Parquet.
MOST_BYTES = 1 << 28
DEEPEST = 20
_MOST_ROWS = 10_000_000
PREDICTIONS = re.compile(r"(test|train)(Resample|Fold)\d+\.csv")
_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"[^\"]*\"|\S+)\s+(.+)", re.IGNORECASE)
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


def rows_of(
    document: object, path: Path, of_tool: Callable[[Record, Path], Results | None]
) -> tuple[Format | None, Rows]:
    """Return the rows of a document, and whose they are if `of_tool` recognises them."""
    if isinstance(document, Mapping):
        mapping = cast("Mapping[str, Any]", document)
        if (results := of_tool(mapping, path) or of_mapping(mapping)) is not None:
            return results
        lists = [item for item in mapping.values() if isinstance(item, list)]
        records = any(isinstance(i, Mapping) for item in lists for i in item)
        if (results := _lists(mapping)) is not None:
            return results
        columns = lists and len(lists) == len(mapping) and len({len(item) for item in lists}) == 1
        if columns and not records:
            keys = list(mapping)
            return None, [dict(zip(keys, row, strict=True)) for row in zip(*lists, strict=True)]
        document = lists[0] if records and len(mapping) == 1 else [mapping]
    if not isinstance(document, list):
        raise _no_table(path.name)
    records = cast("list[object]", document)
    if records and all(is_score(item) for item in records):
        return None, [{"replication": i, "value": item} for i, item in enumerate(records)]
    if not records or not all(isinstance(record, Mapping) for record in records):
        raise _no_table(path.name)
    rows = [
        row for record in records for row in _flat(cast("Mapping[str, Any]", record), path.name)
    ]
    short = _leaves(list(dict.fromkeys(name for row in rows for name in row)))
    return None, [{short[name]: row.get(name) for name in short} for row in rows]


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
            held = {name: arrays[name] for name in arrays.files}
        results = evaluations(held) or runs_by_tasks(held)
    except MemoryError:
        raise ScoreTableError(
            f"{typed!r} cannot be read as arrays: one says that it is larger than memory.",
            hint="the file is damaged: write it once more.",
        ) from None
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        said = str(error).partition("\n")[0]
        raise ScoreTableError(f"{typed!r} cannot be read as arrays: {said}") from None
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


def _no_table(name: str) -> ScoreTableError:
    hint = "a list of records, or one list per column, is one."
    return ScoreTableError(f"the JSON of {name!r} is no table.", hint=hint)


def of_results(results: Mapping[str, Any]) -> tuple[Format, Rows] | None:
    """Recognise what ``cross_validate`` returns, by the name of each estimator."""
    for result in results.values():
        keys = set(map(str, result)) if isinstance(result, Mapping) else set[str]()
        if not set(TIMES) <= keys or not any(key.startswith("test_") for key in keys):
            return None
    if not results:
        return None
    rows: Rows = []
    names = dict[str, None]()
    for algorithm, result in results.items():
        for key, values in cast("Mapping[str, Any]", result).items():
            if key not in TIMES and not key.startswith("test_"):
                continue
            name = key.removeprefix("test_")
            names |= {name: None} if key not in TIMES else {}
            rows += [
                {"algorithm": algorithm, "replication": i, "measure": name, "value": value}
                for i, value in enumerate([None] if values is None else values)
            ]
    held = tuple(Measure(name, "higher") for name in names)
    form = Format(
        "scikit-learn, cross_validate", measures=held, resampling=Resampling("cv"), note=SCORERS
    )
    return form, rows


def harness(document: Mapping[str, Any], path: Path) -> tuple[Format, Rows] | None:
    """Recognise ``results_*.json`` of lm-evaluation-harness: a number per task and metric."""
    results = document.get("results")
    if not isinstance(results, Mapping) or not _of_mappings(results):
        return None
    if not {"configs", "config"} & set(document):
        return None
    groups = document.get("group_subtasks")
    groups = cast("Mapping[str, Any]", groups) if isinstance(groups, Mapping) else {}
    higher = document.get("higher_is_better")
    higher = cast("Mapping[str, Any]", higher) if isinstance(higher, Mapping) else {}
    entries = cast("Mapping[str, Mapping[str, Any]]", results)
    names = {key for entry in entries.values() for key, value in entry.items() if is_score(value)}
    rows: Rows = []
    ways: dict[str, set[Better | None]] = {}
    model = _model(document, path)
    for task, entry in entries.items():
        if groups.get(task):
            continue  # the mean of tasks that stand there themselves
        for key, value in entry.items():
            metric, _, chosen = key.partition(",")
            if metric.endswith("_stderr") or not (is_score(value) or _failed(key, value, names)):
                continue
            name = metric if chosen in ("", "none") else key
            error = entry.get(f"{metric}_stderr,{chosen}" if chosen else f"{metric}_stderr")
            of_task = higher.get(task)
            of_task = cast("Mapping[str, Any]", of_task) if isinstance(of_task, Mapping) else {}
            way = of_task.get(metric)
            better: Better = "higher" if way else "lower"
            ways.setdefault(name, set()).add(better if isinstance(way, bool) else None)
            rows.append(
                {
                    "dataset": task,
                    "algorithm": model,
                    "measure": name,
                    "value": value if is_score(value) else None,
                    "stderr": error if is_score(error) else None,
                }
            )
    tasks = cast("Mapping[str, Any]", results)
    aggregated = ", ".join(task for task in tasks if groups.get(task))
    note = f"means of other tasks are left out: {aggregated}" if aggregated else ""
    return Format("lm-evaluation-harness, results", measures=agreed(ways), note=note), rows


def embeddings(document: Mapping[str, Any], path: Path) -> tuple[Format, Rows] | None:
    """Recognise a result of MTEB: a number per split, subset and metric of one task."""
    scores = document.get("scores")
    if not isinstance(scores, Mapping) or not {"task_name", "dataset_revision"} <= set(document):
        return None
    splits = cast("Mapping[str, Any]", scores)
    parts = [
        (split, cast("Mapping[str, Any]", entry))
        for split, entries in splits.items()
        if isinstance(entries, list)
        for entry in cast("list[object]", entries)
        if isinstance(entry, Mapping)
    ]
    several = len({split for split, _ in parts}) > 1
    names = {"main_score"} | {
        name for _, entry in parts for name, value in entry.items() if is_score(value)
    }
    # Folders are results/MODEL/REVISION/TASK.json, with "__" for the slash of a name.
    folders = path.parts[-3:-1]
    model = document.get("model_name") or (folders[0] if len(folders) == 2 else "?")
    rows: Rows = [
        {
            "dataset": "/".join(
                [
                    str(document["task_name"]),
                    *(s for s in [str(entry.get("hf_subset", "default"))] if s != "default"),
                    *([split] if several else []),
                ]
            ),
            "algorithm": str(model).replace("__", "/"),
            "measure": str(name),
            "value": value if is_score(value) else None,
        }
        for split, entry in parts
        for name, value in entry.items()
        if is_score(value) or _failed(name, value, names)
    ]
    return Format("MTEB, result of a task", measures=(Measure("main_score", "higher"),)), rows


def _model(document: Mapping[str, Any], path: Path) -> str:
    """Return the name of the model, or that of the folder."""
    name = document.get("model_name")
    if isinstance(name, str) and name:
        return name
    config = document.get("config")
    if isinstance(config, Mapping):
        settings = str(cast("Mapping[str, Any]", config).get("model_args", ""))
        for part in settings.split(","):
            key, _, value = part.partition("=")
            if key.strip() in ("pretrained", "model") and value:
                return value
    return path.parent.name.replace("__", "/") or "?"


def _of_mappings(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(isinstance(item, Mapping) for item in cast("Mapping[str, object]", value).values())
    )


def _failed(key: str, value: object, names: Container[str]) -> bool:
    """Return whether a metric has a value that is no number: null, a truth value or "N/A"."""
    blank = isinstance(value, str) and value.strip().casefold() in (
        "",
        "n/a",
        "nan",
        "none",
        "null",
    )
    return (value is None or isinstance(value, bool) or blank) and ("," in key or key in names)


# Keys that a tool's document has, and its reader; the first that recognises it counts.
def runs_by_tasks(scores: Mapping[str, Any]) -> tuple[Format, Rows] | None:
    """Recognise algorithm to (runs, tasks) scores."""
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
    rows: Rows = [
        {"dataset": str(task), "replication": run, "algorithm": name, "value": value}
        for name, array in arrays.items()
        for (run, task), value in np.ndenumerate(array)
    ]
    return Format("rliable, runs by tasks", resampling=Resampling("seeds")), rows


def predictions(path: Path, typed: str) -> tuple[Format, Rows] | None:
    """Read the score of one resample from a file named as its predictions; None of other tables.

    Three lines say data set, estimator, split and resample; parameters; times. A line per case
    holds the label and its prediction.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            heads = [line.strip().split(",") for line in islice(file, 3)]
            cases = [line.strip().split(",")[:2] for line in file if line.strip()]
        dataset, algorithm, split, resample = heads[0][:4]
        measure, score = _SCORES[len(heads[2])]
        values = [score(true, said) for true, said in cases]
        row = {"dataset": dataset, "algorithm": algorithm, "replication": resample}
        value = sum(values) / len(values)
    except (ValueError, LookupError, ZeroDivisionError):
        raise ScoreTableError(
            f"{typed!r} is named as predictions of aeon or tsml, but is none of them.",
            hint="three lines of a head, then label and prediction of each case, of classes or"
            " numbers; other tables need another name.",
        ) from None
    training = "" if split.upper() == "TEST" else f"{split.lower()} "
    form = Format(
        "aeon or tsml, predictions of a resample",
        measures=(
            Measure("accuracy", "higher", bounds=(0.0, 1.0)),
            Measure("mse", "lower"),
        ),
        resampling=Resampling("holdout"),
        note="scores are computed from the predictions",
    )
    return form, [{**row, "measure": f"{training}{measure}", "value": value}]


def _equal(true: str, said: str) -> float:
    """Compare two class labels; tools write the same one as 2 and as 2.0."""
    try:
        return float(true == said or float(true) == float(said))  # "nan" may name a class
    except ValueError:
        return 0.0


# The number of fields of the third line tells what was predicted: classes or numbers.
_SCORES: dict[int, tuple[str, Callable[[str, str], float]]] = {
    9: ("accuracy", _equal),
    8: ("mse", lambda true, said: (float(true) - float(said)) ** 2),
}


def arff(path: Path, typed: str) -> Any:
    """Read an ARFF file as a frame of text and numbers; sparse rows are refused."""
    import pandas as pd
    import pyarrow as pa

    try:
        with (
            pa.input_stream(path) as stream,
            TextIOWrapper(stream, encoding="utf-8", newline="") as file,  # pyright: ignore[reportArgumentType]
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
