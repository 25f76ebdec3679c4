"""Nested documents as rows: lists of numbers as replications, records of records as labels."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from benchinfer.scores.columns.roles import COMMON, common_name
from benchinfer.scores.formats.format import Record, Rows, directed, is_score

_DEEPEST = 6  # levels of labels
_MOST = 40  # levels of records and lists in which scores are looked for
_REPLICATION = "replication"
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
