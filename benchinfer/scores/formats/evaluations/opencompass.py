"""Summaries of OpenCompass."""

import csv
from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Results, directed, number_or_text

_HEAD = ["dataset", "version", "metric", "mode"]
_PERCENT = (0.0, 100.0)
_HIGHER = ("score", "humaneval_pass@1", "pass@1", "rouge1", "bleu", "em", "avg_accuracy")


def opencompass(path: Path, _: str) -> Results | None:
    """Return the scores of a file named as a summary, which are percentages; None of other tables.

    Rows without a version are means of other data sets, or headings.
    """
    with path.open(encoding="utf-8-sig", newline="", errors="replace") as file:
        lines = list(csv.reader(file))
    if (
        not lines
        or lines[0][:4] != _HEAD
        or any(len(line) != len(lines[0]) for line in lines if line)
    ):
        return None
    models = lines[0][4:]
    versioned = [line for line in lines[1:] if line and line[1] != "-"]
    rows: list[dict[str, Any]] = [
        {
            "dataset": line[0],
            "algorithm": model,
            "measure": line[2],
            "value": None if cell == "-" else number_or_text(cell),
        }
        for line in versioned
        for model, cell in zip(models, line[4:], strict=True)
    ]
    names = dict.fromkeys(line[2] for line in versioned)
    ways = {m.name: m.better for m in directed(names)} | {
        n: "higher" for n in names if n in _HIGHER
    }
    left = len(lines) - 1 - len(versioned)
    return Format(
        "OpenCompass, summary",
        measures=tuple(
            Measure(name, better, bounds=_PERCENT if better == "higher" else None)  # pyright: ignore[reportArgumentType]
            for name, better in ways.items()
        ),
        note=f"{left} rows without a version, of groups of data sets, are left out" if left else "",
    ), rows
