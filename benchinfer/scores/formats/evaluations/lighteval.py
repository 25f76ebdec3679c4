"""Results of LightEval."""

from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Record, Results, directed, is_score, part

_TOOL = "LightEval"
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


def lighteval(document: Record, _: Path) -> Results:
    """Return each metric of each task; averages of tasks are left out."""
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
    names = dict.fromkeys(row["measure"] for row in rows)
    known = {m.name: m for m in directed(names)}
    known |= {n: Measure(n, "higher") for n in names if n.partition(":")[0] in _HIGHER}
    note = f"averages are left out: {', '.join(averages)}" if averages else ""
    return Format(_TOOL, measures=tuple(known.values()), note=note), rows
