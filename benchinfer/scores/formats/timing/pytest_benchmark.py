"""Results of pytest-benchmark."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from benchinfer.core.measure import Measure
from benchinfer.scores.columns.roles import COMMON
from benchinfer.scores.formats.catalogue import name_of
from benchinfer.scores.formats.format import (
    Format,
    Record,
    Results,
    facts_of,
    has_record,
    numbers,
    part,
    records,
)
from benchinfer.scores.resampling import Resampling

_TOOL = "pytest-benchmark"


def pytest_benchmark(document: Record, path: Path) -> Results | None:
    """Return a time for each round of each test, or its mean where rounds were not saved."""
    if not has_record(document["benchmarks"], "name", "fullname", "stats"):
        return None
    rows: list[dict[str, Any]] = []
    means = 0
    for benchmark in records(document, "benchmarks", _TOOL):
        stats = part(benchmark, "stats", dict, _TOOL)
        dataset, algorithm = _labels(benchmark, path)
        times = numbers(stats, "data", _TOOL) if "data" in stats else [stats.get("mean")]
        means += "data" not in stats
        rows += [
            {"dataset": dataset, "algorithm": algorithm, "replication": i, "time": time}
            for i, time in enumerate(times or [None])
        ]
    note = f"{means} means of rounds, which --benchmark-save-data saves" if means else ""
    return Format(
        _TOOL,
        layout="wide-measures",
        measures=(Measure("time", "lower", unit="s"),),
        resampling=Resampling("independent", paired=False),
        note=note,
        runs=(_machine(document["machine_info"]),),
    ), rows


def _machine(info: object) -> Mapping[str, float | str]:
    """Return what a document says of its machine and of Python."""
    keys = ("node", "machine", "system", "release", "python_version")
    cpu = cast("Record", info).get("cpu") if isinstance(info, dict) else None
    return {**facts_of(info, *keys), **facts_of(cpu, "brand_raw", "count")}


def _labels(benchmark: Record, path: Path) -> tuple[str, str]:
    """Return data set and algorithm of a test.

    Of several parameters the one named as algorithms are, or else those that are text, is the
    algorithm; the others belong to the data set.
    """
    test = str(benchmark.get("name", "")).partition("[")[0].removeprefix("test_")
    group = benchmark.get("group")
    params = benchmark.get("params")
    if not isinstance(params, dict) or not params:
        return str(group or name_of(path)), test
    named = [name for name in params if name.casefold() in COMMON["algorithm"]]
    text = [name for name, value in params.items() if isinstance(value, str)]
    algorithm = (named or text or list(params)) if len(params) > 1 else list(params)
    others = [f"{name}={value}" for name, value in params.items() if name not in algorithm]
    where = [str(group)] if group else [test, *others]
    return "/".join(where), "/".join(str(params[name]) for name in algorithm)
