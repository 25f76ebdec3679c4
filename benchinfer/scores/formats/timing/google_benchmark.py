"""Results of Google Benchmark."""

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.catalogue import name_of
from benchinfer.scores.formats.format import (
    Format,
    Record,
    Results,
    facts_of,
    has_record,
    is_score,
    number_or_text,
    part,
    records,
    seconds_of,
)
from benchinfer.scores.resampling import Resampling

_TOOL = "Google Benchmark"
_TIMES = ("real_time", "cpu_time")
_RATES = ("items_per_second", "bytes_per_second")
# Numbers beside the times that are no counters of the user.
_COUNTS = {
    *("family_index", "per_family_instance_index", "repetitions", "repetition_index"),
    *("threads", "iterations", *_TIMES),
}
# What a context says of the machine and of the build.
_CONTEXT = (
    *("host_name", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled"),
    *("library_build_type", "library_version"),
)
_AGGREGATE = re.compile(r"(.+)_(mean|median|stddev|cv|BigO|RMS)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def google_benchmark(document: Record, path: Path) -> Results | None:
    """Return the times of a document; None where it has no run with times and their unit."""
    if not has_record(document["benchmarks"], "name", "real_time", "cpu_time", "time_unit"):
        return None
    context = document["context"]
    machine = dict(facts_of(context, *_CONTEXT))
    loads = context.get("load_avg") if isinstance(context, dict) else None
    if isinstance(loads, list) and loads and is_score(loads[0]):
        machine["load_avg"] = loads[0]
    return _times(records(document, "benchmarks", _TOOL), path, machine)


def _times(benchmarks: Sequence[Record], path: Path, machine: Mapping[str, float | str]) -> Results:
    """Return the times of each repetition; where only aggregates were written, their means.

    ``BM_sort/1024`` is the algorithm ``BM_sort`` on the data set ``1024``.
    """
    runs = [run for run in benchmarks if run.get("run_type", "iteration") == "iteration"]
    note = ""
    if not runs:
        runs = [run for run in benchmarks if run.get("aggregate_name") == "mean"]
        note = "means of repetitions, as only aggregates were written"
    units = {str(run.get("time_unit")) for run in runs if not run.get("error_occurred")}
    unit = units.pop() if len(units) == 1 else "s"
    unit = unit if unit in _SECONDS else "s"
    rows: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    for run in runs:
        name = part(run, "run_name" if "run_name" in run else "name", str, _TOOL)
        algorithm, _, arguments = name.partition("/")
        seen[name] = seen.get(name, -1) + 1
        row = {"dataset": arguments or name_of(path), "algorithm": algorithm}
        row |= {"replication": str(run.get("repetition_index", seen[name]))}
        row |= {
            "failure": str(run.get("error_message", "error")) if run.get("error_occurred") else None
        }
        if not run.get("error_occurred"):  # those have times of 0
            of_run = part(run, "time_unit", str, _TOOL)
            factor = seconds_of(of_run, _SECONDS, _TOOL) / _SECONDS[unit]
            times: dict[str, Any] = {key: run.get(key) for key in _TIMES}
            row |= {key: t * factor if is_score(t) else t for key, t in times.items()}
            row |= {key: v for key, v in run.items() if is_score(v) and key not in _COUNTS}
        rows.append(row)
    held = {key for row in rows for key in row}
    measures = [Measure(key, "lower", unit=unit) for key in _TIMES]
    measures += [Measure(key, "higher", unit="1/s") for key in _RATES if key in held]
    return Format(
        _TOOL,
        layout="wide-measures",
        measures=tuple(measures),
        resampling=Resampling("independent", paired=False),
        note=note,
        runs=(machine,),
    ), rows


def lines(path: Path, _: str) -> Results | None:
    """Return the times of ``--benchmark_format=csv``."""
    with path.open(encoding="utf-8", newline="", errors="replace") as file:
        try:
            rows = list(csv.DictReader(file, strict=True))
        except csv.Error:
            return None  # as a plain table, whose reader says what is wrong
    runs: list[dict[str, Any]] = []
    for line in rows:
        cells = {str(k): v for k, v in line.items() if k is not None and isinstance(v, str)}
        run: dict[str, Any] = {k: number_or_text(v) for k, v in cells.items() if v}
        run |= {"name": cells.get("name", ""), "error_occurred": cells.get("error_occurred")}
        if (aggregate := _AGGREGATE.fullmatch(run["name"])) is not None:
            run |= {"run_type": "aggregate", "run_name": aggregate[1]}
            run |= {"aggregate_name": aggregate[2]}
        runs.append(run)
    return _times(runs, path, {})
