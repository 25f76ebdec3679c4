"""Histories of github-action-benchmark: ``data.js``, and the same as JSON."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchinfer.core.measure import Better
from benchinfer.scores.formats.format import (
    Format,
    Record,
    Results,
    agreed,
    has_record,
    is_score,
    part,
    records,
)
from benchinfer.scores.resampling import Resampling

_TOOL = "github-action-benchmark"
_SECONDS = (
    dict.fromkeys(("ns", "nsec"), 1e-9)
    | dict.fromkeys(("us", "\u00b5s", "\u03bcs", "usec"), 1e-6)
    | dict.fromkeys(("ms", "msec"), 1e-3)
    | {"s": 1.0, "sec": 1.0, "min": 60.0}
)
# Tools of which a larger value is better, whatever the unit; units of which it is.
_HIGHER = {"benchmarkjs", "pytest", "customBiggerIsBetter"}
_UNITS = {"time": "s", "throughput": "1/s"}  # where benchmarks have several
_RATES = {"sec", "s", "second"}
_ID = 8  # characters of a commit


def github_action(document: Record, _: Path) -> Results | None:
    """Return the value of each benchmark at each commit; a commit that ran again has several.

    Times are in one unit, or in seconds; units and the tool say what is better.
    """
    suites = document["entries"]
    if not isinstance(suites, dict) or not any(
        has_record(runs, "commit", "tool", "benches") for runs in suites.values()
    ):
        return None
    benches = list(_benches(suites))
    short = {commit: commit[:_ID] for commit, *_ in benches}
    names = short if len(set(short.values())) == len(short) else {c: c for c in short}
    units: dict[str, set[str]] = {}
    ways: dict[str, set[Better | None]] = {}
    for _commit, _suite, tool, bench in benches:
        measure, better = _measure(str(bench.get("unit", "")), tool)
        units.setdefault(measure, set()).add(str(bench.get("unit", "")))
        ways.setdefault(measure, set()).add(better)
    rows: list[dict[str, Any]] = []
    seen: dict[tuple[str, str, str], int] = {}
    for commit, suite, tool, bench in benches:
        unit = str(bench.get("unit", ""))
        measure = _measure(unit, tool)[0]
        dataset = "/".join(filter(None, [suite, part(bench, "name", str, _TOOL)]))
        place = (commit, dataset, measure)
        seen[place] = seen.get(place, 0) + 1
        value: Any = bench.get("value")
        if is_score(value) and len(units[measure]) > 1:
            value *= _SECONDS.get(unit.partition("/")[0], 1.0)
        rows.append(
            {
                "dataset": dataset,
                "algorithm": names[commit],
                "replication": seen[place],
                "measure": measure,
                "value": value,
            }
        )
    measures = tuple(
        replace(measure, unit=next(iter(units[measure.name])))
        if len(units[measure.name]) == 1
        else replace(measure, unit=_UNITS.get(measure.name, ""))
        for measure in agreed(ways)
    )
    return Format(
        _TOOL,
        measures=measures,
        resampling=Resampling("independent", paired=False),
        note="commits are the algorithms",
        runs=({},),
    ), rows


def _benches(suites: Record) -> Iterator[tuple[str, str, str, Record]]:
    """Yield the commit, suite, tool and record of each benchmark; one suite has no name."""
    for suite in suites:
        for run in records(suites, suite, _TOOL):
            commit = part(part(run, "commit", dict, _TOOL), "id", str, _TOOL)
            for bench in records(run, "benches", _TOOL):
                yield commit, suite if len(suites) > 1 else "", str(run.get("tool")), bench


def _measure(unit: str, tool: str) -> tuple[str, Better]:
    """Return the name of what has a unit, and what is better.

    Examples
    --------
    >>> _measure("iter/sec", "pytest"), _measure("ns/iter", "cargo")
    (('throughput', 'higher'), ('time', 'lower'))
    >>> _measure("B/op", "go"), _measure("points", "customBiggerIsBetter")
    (('B/op', 'lower'), ('points', 'higher'))
    """
    over, _, below = unit.partition("/")
    if over in _SECONDS:
        return "time", "lower"
    if below in _RATES:
        return "throughput", "higher"
    return unit or "value", "higher" if tool in _HIGHER else "lower"
