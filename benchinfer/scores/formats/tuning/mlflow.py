"""Folder of runs of MLflow."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchinfer.core.errors import ScoreTableError
from benchinfer.scores.columns.roles import COMMON
from benchinfer.scores.formats.format import Format, Results, number_or_text

_RUN = {"experiment_id", "artifact_uri", "lifecycle_stage"}
_FIELDS = 3  # of a line of a metric
_STATES = {"1": "RUNNING", "2": "SCHEDULED", "3": "FINISHED", "4": "FAILED", "5": "KILLED"}


def mlflow_runs(folder: Path, files: Sequence[Path]) -> Results | None:
    """Return the last value of each metric of each run that was not deleted."""
    experiments: dict[Path, str] = {}
    runs: dict[Path, dict[str, str]] = {}
    known = False
    for file in files:
        if file.name != "meta.yaml":
            continue
        pairs = [line.partition(":") for line in file.read_text(errors="replace").splitlines()]
        meta = {key.strip(): value.strip().strip("'\"") for key, _, value in pairs}
        known |= meta.keys() >= _RUN
        if "run_id" in meta or "run_uuid" in meta:
            runs[file.parent] = meta
        else:
            experiments[file.parent] = meta.get("name", file.parent.name)
    if not known:
        return None
    rows: list[dict[str, Any]] = []
    values = [file for file in files if file.parent.name == "metrics" or "metrics" in file.parts]
    for run, meta in runs.items():
        if meta.get("lifecycle_stage") == "deleted":
            continue
        labels = _labels(run, meta, experiments.get(run.parent, run.parent.name))
        metrics = [file for file in values if file.is_relative_to(run / "metrics")]
        rows += [
            labels | {"measure": file.relative_to(run / "metrics").as_posix(), "value": _last(file)}
            for file in metrics
        ]
    if not rows:
        raise ScoreTableError(f"the runs of MLflow in {folder.name!r} have no metrics.")
    return Format("MLflow, folder of runs", note="the last value of each metric"), rows


def _labels(run: Path, meta: dict[str, str], experiment: str) -> dict[str, Any]:
    """Return data set, algorithm and replication, from parameters and tags by their usual names."""
    said: dict[str, str] = {}
    for kind in ("tags", "params"):
        for file in sorted((run / kind).glob("*")) if (run / kind).is_dir() else ():
            if file.is_file():
                said[file.name.casefold()] = file.read_text(errors="replace").strip()
    usual = {
        role: next((said[name] for name in COMMON[role] if said.get(name)), None)
        for role in ("dataset", "algorithm", "replication")
    }
    state = meta.get("status", "")
    return {
        "dataset": usual["dataset"] or experiment,
        "algorithm": usual["algorithm"] or said.get("mlflow.runname") or meta.get("run_name"),
        "replication": usual["replication"] or run.name,
        "failure": _STATES.get(state, state) or None,
    }


def _last(file: Path) -> float | str | None:
    """Return the value of the last step; lines are time, value and step, and end with a newline."""
    text = file.read_text(errors="replace")
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if lines and not text.endswith("\n") and len(lines[-1]) < _FIELDS:
        raise ScoreTableError(
            f"{file.name!r} is no whole metric of MLflow: it ends within a line.",
            hint="the file is cut: write it once more.",
        )
    try:
        steps = [
            (int(parts[2]) if len(parts) > 2 else 0, int(parts[0]), parts[1]) for parts in lines
        ]
    except (ValueError, IndexError):
        raise ScoreTableError(f"{file.name!r} is no metric of MLflow: time, value, step.") from None
    if not steps:
        return None
    return number_or_text(max(steps, key=lambda step: step[:2])[2])
