"""Results of hyperfine."""

from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import (
    Format,
    Names,
    Record,
    Results,
    has_record,
    numbers,
    part,
    records,
)
from benchinfer.scores.resampling import Resampling

_TOOL = "hyperfine"
_TIME = Measure("time", "lower", unit="s")
_KEYS = ("command", "mean", "stddev", "median", "user", "system")


def means(_: Names) -> Format:
    """Describe ``--export-csv``: a row per command."""
    return Format(
        _TOOL,
        {"command": "algorithm", "mean": "value"},
        measures=(_TIME,),
        note="means of runs, which --export-json saves",
        runs=({},),
    )


def hyperfine(document: Record, _: Path) -> Results | None:
    """Return a time for each run of each command, failed where its exit code is not 0."""
    if not has_record(document["results"], *_KEYS):
        return None
    rows: list[dict[str, Any]] = []
    for result in records(document, "results", _TOOL):
        labels = {"algorithm": part(result, "command", str, _TOOL)}
        times = numbers(result, "times", _TOOL) if "times" in result else [result.get("mean")]
        codes = numbers(result, "exit_codes", _TOOL) if "exit_codes" in result else []
        codes = codes if len(codes) == len(times) else [0] * len(times)
        rows += [
            labels | {"replication": i, "time": time, "failure": "failed" if code else None}
            for i, (time, code) in enumerate(zip(times, codes, strict=True))
        ]
    return Format(
        _TOOL,
        layout="wide-measures",
        measures=(_TIME,),
        resampling=Resampling("independent", paired=False),
        runs=({},),
    ), rows
