"""Metrics of scIB, the benchmark of the integration of single cells."""

import csv
from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Results, number_or_text

_PARTS = 5  # data set, "metrics", scaling, features, method and output
_METRICS = "metrics"
_BLANK = ("", "NA", "nan")


def scib(path: Path, _: str) -> Results | None:
    """Return the metrics of rows that are named ``data/metrics/scaling/features/method``.

    Scaling and features are parts of the method where they differ.
    """
    with path.open(encoding="utf-8", newline="", errors="replace") as file:
        try:
            header, *lines = csv.reader(file, strict=True)
        except (csv.Error, ValueError):
            return None  # as a plain table, whose reader says what is wrong
    keys = [line[0].strip("/").split("/") if line else [] for line in lines]
    if not keys or any(len(key) != _PARTS or key[1] != _METRICS for key in keys):
        return None
    if any(len(line) != len(header) for line in lines):
        return None
    differ = [i for i in range(2, _PARTS) if len({key[i] for key in keys}) > 1] or [_PARTS - 1]
    rows: list[dict[str, Any]] = [
        {"dataset": key[0], "algorithm": "/".join(key[i] for i in differ)}
        | {
            name: None if cell.strip() in _BLANK else number_or_text(cell)
            for name, cell in zip(header[1:], line[1:], strict=True)
        }
        for key, line in zip(keys, lines, strict=True)
    ]
    measures = tuple(Measure(name, "higher") for name in header[1:])
    return Format("scIB", layout="wide-measures", measures=measures), rows
