"""Scenarios of the Algorithm Selection Library (ASlib)."""

import math
import re
from pathlib import Path

from benchinfer.core.measure import Measure
from benchinfer.core.numbers import number_of
from benchinfer.scores.formats.format import Format, Names

_COLUMNS = {"instance_id", "repetition", "algorithm", "runstatus"}
_TRUE = ("true", "yes", "on")  # of YAML
_ENTRY = re.compile(r"(\w+)\s*:\s*(.*)")


def scenario(path: Path, names: Names) -> Format | None:
    """Describe ``algorithm_runs.arff`` by the ``description.txt`` beside it; None if it is another.

    Bischl et al. (2016), https://doi.org/10.1016/j.artint.2016.04.003, define the format: of each
    measure whether it is maximised, and whether it is a run time, which the cutoff limits.
    """
    if not set(names) >= _COLUMNS:
        return None
    description = path.parent / "description.txt"
    keys = _entries(description.read_text("utf-8", "replace")) if description.is_file() else {}
    said = zip(
        keys.get("performance_measures", []),
        keys.get("maximize", []),
        keys.get("performance_type", []),
        strict=False,
    )
    cutoff = _number(keys.get("algorithm_cutoff_time", []))
    measures = tuple(
        Measure(
            name,
            "higher" if maximised.casefold() in _TRUE else "lower",
            limit=cutoff if kind == "runtime" and maximised.casefold() not in _TRUE else None,
        )
        for name, maximised, kind in said
        if name in names
    )
    limited = any(m.limit is not None for m in measures)
    columns = {"instance_id": "dataset", "repetition": "replication", "algorithm": "algorithm"}
    if measures:
        columns["runstatus"] = "status" if limited else "failure"
    note = (
        ""
        if description.is_file()
        else "there is no description.txt beside it, which has the limit"
    )
    layout = "wide-measures" if measures else "long"
    return Format("ASlib, algorithm_runs.arff", columns, layout, measures, note=note)


def _entries(text: str) -> dict[str, list[str]]:
    """Return the entries of a description, each a list; those that are indented are left out."""
    keys: dict[str, list[str]] = {}
    last: list[str] = []
    for written in text.splitlines():
        line = re.sub(r"(^|\s)#.*", "", written)
        if (item := re.match(r"\s*-\s+(.*)", line)) is not None:
            last.append(_plain(item[1]))
        elif (entry := _ENTRY.match(line)) is not None:
            last = keys.setdefault(entry[1], [])
            last += [_plain(part) for part in entry[2].strip("[] ").split(",") if part.strip()]
    return keys


def _plain(text: str) -> str:
    return text.strip().strip("'\"")


def _number(texts: list[str]) -> float | None:
    """Return the number of an entry, None where it is unknown (``?``) or none (0)."""
    number = number_of(texts[0]) if texts else None
    return number if number is not None and 0 < number < math.inf else None
