"""Folders of runs with a table of curves and a file of settings in each."""

import csv
import math
import re
from collections.abc import Sequence
from pathlib import Path

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.scores.columns.roles import COMMON, common_name
from benchinfer.scores.formats.format import Format, Results, Rows, number_or_text

_PLACES = {"name", "project", "save_dir"}  # settings of Ultralytics that say where a run is kept
_SCALAR = re.compile(r"([^\s#:][^:]*):\s+([^\s].*)")


def lightning(folder: Path, files: Sequence[Path]) -> Results | None:
    """Return the rows of ``metrics.csv`` with the settings of ``hparams.yaml`` beside it."""
    rows = _rows(folder, files, "metrics.csv", "hparams.yaml", "step")
    return (Format("Lightning, csv_logs", layout="wide-measures"), rows) if rows else None


def ultralytics(folder: Path, files: Sequence[Path]) -> Results | None:
    """Return the rows of ``results.csv`` with the settings of ``args.yaml`` beside it."""
    rows = _rows(folder, files, "results.csv", "args.yaml", "metrics/")
    if not rows:
        return None
    metrics = [Measure(name, "higher") for name in rows[0] if name.startswith("metrics/")]
    losses = [Measure(name, "lower") for name in rows[0] if name.endswith("_loss")]
    return Format(
        "Ultralytics, results.csv",
        {"model": "algorithm", "data": "dataset", "seed": "replication"},
        "wide-measures",
        (*metrics, *losses),
    ), rows


def _rows(folder: Path, files: Sequence[Path], table: str, settings: str, column: str) -> Rows:
    """Return the rows of all tables, with settings that are labels or differ between runs.

    There are none where no table has a column whose name begins so.
    """
    runs = [file for file in files if file.name == table and (file.parent / settings) in files]
    if not any(name.startswith(column) for run in runs for name in _header(run)):
        return []
    said = {run: _settings(run.parent / settings) for run in runs}
    names = dict.fromkeys(name for values in said.values() for name in values)
    labels = {*COMMON["dataset"], *COMMON["algorithm"], *COMMON["replication"]}
    shown = [
        name
        for name in names
        if name not in _PLACES
        and (common_name(name) in labels or len({v.get(name) for v in said.values()}) > 1)
    ]
    numbered = any(common_name(name) in COMMON["replication"] for name in shown)
    rows: Rows = []
    for run in runs:
        run_labels = {name: said[run].get(name) for name in shown}
        if not numbered:
            run_labels["run"] = run.parent.relative_to(folder).as_posix()
        rows += [run_labels | row for row in _table(run)]
    columns = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in columns} for row in rows]


def _header(file: Path) -> list[str]:
    """Return the names of the columns of a table, which may be padded."""
    with file.open(encoding="utf-8", errors="replace") as lines:
        return [name.strip() for name in lines.readline().split(",")]


def _table(file: Path) -> Rows:
    """Return the rows of a table of text; names of columns may be padded."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        header, *rows = csv.reader(lines, strict=True)
        names = [name.strip() for name in header]
        return [dict(zip(names, map(_value, row), strict=True)) for row in rows if row]
    except (OSError, ValueError, csv.Error):
        raise ScoreTableError(
            f"{file.name!r} in {file.parent.name!r} cannot be read as a table.",
            hint="its rows do not have the fields of its header, or it is no text in UTF-8.",
        ) from None


def _value(text: str) -> float | str | None:
    """Return a number, None where nothing was logged; NaN of a run that diverged stays text."""
    value = number_or_text(text.strip())
    if isinstance(value, float) and math.isnan(value):
        return text.strip()
    return None if value == "" else value


def _settings(file: Path) -> dict[str, str]:
    """Return the scalars at the top of a YAML file."""
    text = file.read_text(encoding="utf-8", errors="replace")
    pairs = (_SCALAR.fullmatch(line.rstrip()) for line in text.splitlines())
    settings = {match[1]: match[2].strip("'\"") for match in pairs if match is not None}
    return {name: value for name, value in settings.items() if value not in ("null", "~")}
