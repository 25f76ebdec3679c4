"""Nested documents as rows: lists of numbers as replications, records of records as labels."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from benchinfer.scores.columns.roles import COMMON, common_name
from benchinfer.scores.formats.format import Record, Rows, directed, is_score

_DEEPEST = 6  # levels of labels
_MOST = 40  # levels of records and lists in which scores are looked for
_REPLICATION = "replication"
_FILE = re.compile(r"\w\.[A-Za-z]\w{0,7}$")
_COST = re.compile(r"time|latency|duration|seconds|cost|memory|token", re.IGNORECASE)
_NOT_SCORES = {name for role, names in COMMON.items() if role != "value" for name in names}


def numbers_in(value: object) -> bool:
    """Return whether a value is a list of numbers."""
    if not isinstance(value, list):
        return False
    items = cast("list[object]", value)
    return bool(items) and all(map(is_score, items))


def has_score(value: object, depth: int = 0) -> bool:
    """Return whether there is a number in a value that is no label by its name.

    What is nested too deep to be a table counts as one, for its reader to say so.

    Examples
    --------
    >>> has_score([{"role": "user", "seed": 3}]), has_score({"a": [{"loss": 0.5}]})
    (False, True)
    """
    if depth > _MOST:
        return True
    if isinstance(value, Mapping):
        values = [v for k, v in cast("Record", value).items() if common_name(k) not in _NOT_SCORES]
        return any(has_score(v, depth + 1) for v in values)
    if isinstance(value, list):
        return any(has_score(v, depth + 1) for v in cast("list[object]", value))
    return is_score(value)


def is_files(value: Record) -> bool:
    """Return whether a record holds the texts of files by their names, which are no columns.

    Examples
    --------
    >>> is_files({"main.py": "print(1)", "data/a.txt": ""}), is_files({"model.name": 3})
    (True, False)
    """
    texts = bool(value) and all(isinstance(text, str) for text in value.values())
    return texts and all(_FILE.search(name) for name in value)


def are_details(records: list[Record], of: Record) -> bool:
    """Return whether records in a scored record have no scores but times and costs: its steps.

    Examples
    --------
    >>> are_details([{"step": 1, "latency": 9}], {"score": 0.5})
    True
    >>> are_details([{"item": 1, "acc": 1.0}], {"score": 0.5})
    False
    """
    numbers = {name for name, value in of.items() if is_score(value)}
    return any(map(_is_quality, numbers)) and not _has_measure(records)


def summaries(record: Record) -> set[str]:
    """Return the lists of records with one record for each label of another list.

    Examples
    --------
    >>> runs = [{"solver": a, "task": t, "time": 3} for a in "xy" for t in "uv"]
    >>> summaries({"runs": runs, "overview": [{"solver": a, "solved": 2} for a in "xy"]})
    {'overview'}
    """
    lists = {
        name: cast("list[Record]", value)
        for name, value in record.items()
        if isinstance(value, list) and value and all(isinstance(v, Mapping) for v in value)  # pyright: ignore[reportUnknownVariableType]
    }
    return {
        short
        for short, long in itertools.permutations(lists, 2)
        if len(lists[long]) >= 2 * len(lists[short]) and _sum_up(lists[short], lists[long])
    }


def _sum_up(short: list[Record], long: list[Record]) -> bool:
    """Return whether records have each label of a column of others once."""
    for name in short[0]:
        labels = [record.get(name) for record in short]
        if not all(isinstance(label, str) for label in labels) or len({*labels}) < len(labels):
            continue
        others = [record.get(name) for record in long]
        if all(isinstance(label, str) for label in others) and {*others} == {*labels}:
            return True
    return False


def lists_of_some(records: list[Record]) -> set[str]:
    """Return the lists of records that not all scored records have, which are details of these.

    Examples
    --------
    >>> lists_of_some([{"score": 1, "parts": [{"score": 1}]}, {"score": 0, "parts": []}])
    {'parts'}
    >>> lists_of_some([{"parts": [{"score": 1}]}, {"parts": []}])
    set()
    """
    if not all(any(_is_quality(n) for n, v in r.items() if is_score(v)) for r in records):
        return set()
    paths = [set(_lists_in(record)) for record in records]
    return set[str].union(*paths) - set[str].intersection(*paths)


def _lists_in(record: Record, prefix: str = "", depth: int = 0) -> Iterator[str]:
    """Yield the names of the lists of records in a record."""
    for name, value in record.items():
        if isinstance(value, Mapping) and depth < _MOST:
            yield from _lists_in(cast("Record", value), f"{prefix}{name}.", depth + 1)
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            yield f"{prefix}{name}"


def _is_quality(name: str) -> bool:
    """Return whether a name is that of a measure of which more is better, or of any score."""
    known = directed([name])
    return common_name(name) in COMMON["value"] or (bool(known) and known[0].better == "higher")


def _has_measure(value: object, depth: int = 0) -> bool:
    """Return whether a number in a value is named as a measure that is no time and no cost."""
    if depth > _MOST:
        return True
    if isinstance(value, list):
        return any(_has_measure(v, depth + 1) for v in cast("list[object]", value))
    if not isinstance(value, Mapping):
        return False
    record = cast("Record", value)
    if any(_has_measure(v, depth + 1) for v in record.values()):
        return True
    names = [name for name, v in record.items() if is_score(v) and not _COST.search(name)]
    return any(directed([name]) or common_name(name) in COMMON["value"] for name in names)


def replicated(rows: Rows) -> Rows:
    """Return a row per number of the lists of each row; lists beside scores stay as text.

    Examples
    --------
    >>> replicated([{"model": "a", "time": [3, 4]}])
    [{'model': 'a', 'replication': 0, 'time': 3}, {'model': 'a', 'replication': 1, 'time': 4}]
    """
    lists = {name for row in rows for name, value in row.items() if numbers_in(value)}
    plain = {name for row in rows for name in row} - lists
    usual = {common_name(name) for name in plain}
    if any(usual & {name} for name in COMMON[_REPLICATION]) or any(
        is_score(row.get(name))
        for row in rows
        for name in plain
        if common_name(name) not in _NOT_SCORES
    ):
        lists = set()
    result: Rows = []
    for row in rows:
        series = {name: row[name] for name in lists if numbers_in(row.get(name))}
        texts = {
            name: json.dumps(value) if isinstance(value, list) else value
            for name, value in row.items()
            if name not in series
        }
        if len({len(values) for values in series.values()}) != 1:
            result.append(texts | {name: json.dumps(value) for name, value in series.items()})
            continue
        for i, numbers in enumerate(zip(*series.values(), strict=True)):
            result.append(texts | {_REPLICATION: i} | dict(zip(series, numbers, strict=True)))
    return result


def levels(document: Record) -> Rows | None:
    """Return the numbers of nested records, a column per level; None where they are not nested so.

    The last level has columns of its own where all its names are measures, or columns of others.

    Examples
    --------
    >>> levels({"svm": {"iris": {"acc": 0.9}, "wine": {"acc": 0.8}}})[1]
    {'key 1': 'svm', 'key 2': 'wine', 'acc': 0.8}
    >>> levels({"svm": {"iris": 0.9}, "knn": {"iris": 0.8}})[1]
    {'key 1': 'knn', 'key 2': 'iris', 'value': 0.8}
    """
    if not _crossed(document):
        return None
    leaves = list(_leaves(document))
    depths = {len(keys) for keys, _ in leaves}
    if len(depths) != 1 or not 2 <= (depth := depths.pop()) <= _DEEPEST + 1:
        return None
    if not all(value is None or is_score(value) or numbers_in(value) for _, value in leaves):
        return None
    last = list(dict.fromkeys(keys[-1] for keys, _ in leaves))
    measures = len(directed(last)) == len(last) and depth > 2
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for keys, value in leaves:
        place = keys[:-1] if measures else keys
        row = rows.setdefault(place, {f"key {i}": key for i, key in enumerate(place, start=1)})
        row[keys[-1] if measures else "value"] = value
    if len(rows) < 2:
        return None
    return replicated(list(rows.values()))


def _crossed(document: Record, depth: int = 0) -> bool:
    """Return whether the records at each place have mostly the names of the first.

    Examples
    --------
    >>> _crossed({"svm": {"iris": 1}, "knn": {"iris": 2}})
    True
    >>> _crossed({"settings": {"depth": 1}, "metrics": {"f1": 0.5}})
    False
    """
    if depth > _DEEPEST:
        return False
    inner = [cast("Record", value) for value in document.values() if isinstance(value, Mapping)]
    if not inner:
        return True
    first = inner[0].keys()
    crossed = all(2 * len(first & record.keys()) >= len(first | record.keys()) for record in inner)
    return crossed and all(_crossed(record, depth + 1) for record in inner)


def _leaves(value: object, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield each value that is no record, with the names above it."""
    if isinstance(value, Mapping) and len(keys) <= _DEEPEST + 1:
        for key, inner in cast("Record", value).items():
            yield from _leaves(inner, (*keys, str(key)))
    else:
        yield keys, value
