"""Merged tables of TSB-AD, the benchmark of anomaly detection in time series."""

import csv
from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.catalogue import name_of
from benchinfer.scores.formats.format import Format, Results, number_or_text

# What the tables say of a series beside the scores.
_FACTS = {
    *("file", "ts_len", "anomaly_len", "num_anomaly", "avg_anomaly_len", "anomaly_ratio"),
    *("point_anomaly", "seq_anomaly"),
}
_MERGED = "mergedTable_"
_LEAST = 3  # facts that a table has


def merged(path: Path, _: str) -> Results | None:
    """Return the scores of each detector on each series, by the measure in the name of the file."""
    with path.open(encoding="utf-8", newline="", errors="replace") as file:
        try:
            header, *lines = csv.reader(file, strict=True)
        except (csv.Error, ValueError):
            return None  # as a plain table, whose reader says what is wrong
    facts = _FACTS & {*header}
    if (
        "file" not in facts
        or len(facts) < _LEAST
        or any(len(line) != len(header) for line in lines)
    ):
        return None
    measure = name_of(path).partition(_MERGED)[2]
    series = header.index("file")
    rows: list[dict[str, Any]] = [
        {
            "dataset": line[series].removesuffix(".csv"),
            "algorithm": name,
            measure: number_or_text(cell) if cell.strip() else None,
        }
        for line in lines
        for name, cell in zip(header, line, strict=True)
        if name not in _FACTS
    ]
    return Format(
        "TSB-AD, merged table",
        layout="wide-measures",
        measures=(Measure(measure, "higher", bounds=(0.0, 1.0)),),
    ), rows
