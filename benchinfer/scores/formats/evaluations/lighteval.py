"""Results of LightEval, and scores of single items in its details."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import (
    Format,
    Record,
    Results,
    directed,
    has_record,
    is_score,
    part,
)
from benchinfer.scores.resampling import Resampling

_TOOL = "LightEval"
_TIME = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"
_DETAILS = re.compile(rf"details_(?P<task>.+)_{_TIME}\.parquet", re.DOTALL)
_HIGHER = (
    "extractive_match",
    "em",
    "qem",
    "pem",
    "pqem",
    "maj@4",
    "maj@8",
    "pass@1",
    "loglikelihood_acc",
)


def lighteval(document: Record, _: Path) -> Results | None:
    """Return each metric of each task; averages of tasks are left out."""
    if not has_record([document["config_general"]], "lighteval_sha"):
        return None
    model = part(part(document, "config_general", dict, _TOOL), "model_name", str, _TOOL)
    rows: list[dict[str, Any]] = []
    averages: list[str] = []
    for task in (results := part(document, "results", dict, _TOOL)):
        if task == "all" or "_average" in task:
            averages.append(task)
            continue
        rows += [
            {
                "dataset": task,
                "algorithm": model,
                "measure": metric,
                "value": value if is_score(value) else None,
            }
            for metric, value in part(results, task, dict, _TOOL).items()
            if not metric.endswith("_stderr")
        ]
    note = f"averages are left out: {', '.join(averages)}" if averages else ""
    return Format(_TOOL, measures=_measures(row["measure"] for row in rows), note=note), rows


def _measures(metrics: Iterable[str]) -> tuple[Measure, ...]:
    """Return the metrics whose direction LightEval defines."""
    names = dict.fromkeys(metrics)
    known = {m.name: m for m in directed(names)}
    known |= {n: Measure(n, "higher") for n in names if n.partition(":")[0] in _HIGHER}
    return tuple(known.values())


def lighteval_details(path: Path, _: str) -> Results | None:
    """Return the scores of each item of ``details_TASK_TIME.parquet``; None of other files.

    Metrics are a column of records: ``metrics`` with the prompt beside, or ``metric`` with ``doc``
    and ``model_response``.
    """
    if (match := _DETAILS.fullmatch(path.name)) is None:
        return None
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            fields = {field.name: field.type for field in file.schema_arrow}
            old = {"metrics", "full_prompt"} <= fields.keys()
            column = "metrics" if old else "metric"
            new = {"metric", "doc", "model_response"} <= fields.keys()
            if not (old or new) or not pa.types.is_struct(fields[column]):
                return None
            table = file.read(columns=[column])
            table.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return None  # as a plain table, whose reader says what is wrong
    kinds = {field.name: field.type for field in fields[column]}
    numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
    scored = [name for name, kind in kinds.items() if any(holds(kind) for holds in numeric)]
    rows: list[dict[str, Any]] = [
        {
            "dataset": match["task"],
            "algorithm": _model(path),
            "replication": i,
            "measure": name,
            "value": None if (value := (record or {}).get(name)) is None else float(value),
        }
        for i, record in enumerate(table.column(column).to_pylist())
        for name in scored
    ]
    note = "an item is the number of its row: all models need the same items in the same order"
    if rest := [name for name in kinds if name not in scored]:
        note += f"; what is no number of an item is left out: {', '.join(rest)}"
    resampling = Resampling("items")
    tool = f"{_TOOL}, details"
    return Format(tool, measures=_measures(scored), resampling=resampling, note=note), rows


def _model(path: Path) -> str:
    """Return the model of ``details/MODEL/TIME/FILE``, or of ``details_MODEL/TIME/FILE``."""
    folders = path.absolute().parts[:-1]
    if re.fullmatch(_TIME, folders[-1]):
        folders = folders[:-1]
    if "details" in folders[:-1]:
        return "/".join(folders[len(folders) - folders[::-1].index("details") :])
    return folders[-1].removeprefix("details_").removesuffix("_private").replace("__", "/")
