"""Runs of experiment trackers: MLflow, Weights & Biases."""

from benchinfer.scores.columns import COMMON
from benchinfer.scores.formats.format import Format, Names

_RUN = "tags.mlflow.runName"


def mlflow(names: Names) -> Format | None:
    """Recognise ``search_runs()``: a row per run, columns of metrics, parameters and tags."""
    if not {"run_id", "experiment_id", "status"} <= set(names):
        return None
    columns = {"status": "failure"}
    for role in ("dataset", "replication", "algorithm"):
        usual = [f"{kind}.{name}" for kind in ("params", "tags") for name in COMMON[role]]
        if held := [name for name in usual if name in names]:
            columns[held[0]] = role
    if "algorithm" not in columns.values() and _RUN in names:
        columns[_RUN] = "algorithm"
    return Format("MLflow, search_runs()", columns, "metrics.{measure}")


def weights_and_biases(names: Names) -> Format | None:
    """Recognise the table of runs as CSV: a row per run, columns of settings and metrics."""
    if not {"Name", "State", "Created", "Runtime"} <= set(names):
        return None
    usual = [name for name in names if name.casefold() in COMMON["algorithm"]]
    columns = {"State": "failure", (usual or ["Name"])[0]: "algorithm"}
    return Format("Weights & Biases, table of runs", columns, "wide-measures")
