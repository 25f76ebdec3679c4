"""Summaries of submissions to AlgoPerf."""

import csv
import math
from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.catalogue import name_of
from benchinfer.scores.formats.format import Format, Results, number_or_text
from benchinfer.scores.resampling import Resampling

_TIME = "time to target on val (s)"
_KEYS = {"workload", "trial", "val target metric name", "val target reached", _TIME}


def summary(path: Path, _: str) -> Results | None:
    """Return the time to the target of each trial on each workload; inf is a target not reached."""
    with path.open(encoding="utf-8", newline="", errors="replace") as file:
        try:
            reader = csv.DictReader(file, strict=True)
            if not set(reader.fieldnames or ()) >= _KEYS:
                return None
            lines = list(reader)
        except csv.Error:
            return None  # as a plain table, whose reader says what is wrong
    if any(None in line or None in line.values() for line in lines):
        return None  # rows of other lengths
    rows: list[dict[str, Any]] = []
    seen: dict[tuple[str, str], int] = {}
    for line in lines:
        place = (line["workload"], line["trial"])
        seen[place] = seen.get(place, 0) + 1
        time = number_or_text(line[_TIME] or "")
        missed = isinstance(time, float) and math.isinf(time)
        rows.append(
            {
                "dataset": line["workload"],
                "algorithm": name_of(path).removesuffix("_summary"),
                "replication": "/".join(
                    [line["trial"], *([str(seen[place])] if seen[place] > 1 else [])]
                ),
                "time to target": None if missed or time == "" else time,
                "failure": "target not reached" if missed else None,
            }
        )
    return Format(
        "AlgoPerf, summary of a submission",
        layout="wide-measures",
        measures=(Measure("time to target", "lower", unit="s"),),
        resampling=Resampling("seeds"),
    ), rows
