"""Test runs of DeepEval."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.catalogue import name_of
from benchinfer.scores.formats.format import Format, Record, Results, has_record, records
from benchinfer.scores.resampling import Resampling

_TOOL = "DeepEval"
_METRICS = ("metricsData", "metricsMetadata")  # of newer and older versions
_CASES = ("testCases", "conversationalTestCases")


def deepeval(document: Record, path: Path) -> Results | None:
    """Return the score of each metric on each test case; a metric that failed has its error."""
    kinds = [key for key in _CASES if any(has_record(document.get(key), of) for of in _METRICS)]
    cases: list[Record] = [case for key in kinds for case in records(document, key, _TOOL)]
    if not any(has_record(case.get(key), "score") for case in cases for key in _METRICS):
        return None
    settings = document.get("hyperparameters")
    values = cast("Record", settings) if isinstance(settings, Mapping) else {}
    model = document.get("identifier") or values.get("model") or values.get("Model")
    rows: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    for i, case in enumerate(cases):
        name = str(case.get("name") or case.get("order") or i)
        seen[name] = seen.get(name, 0) + 1
        item = name if seen[name] == 1 else f"{name} ({seen[name]})"
        key = next((key for key in _METRICS if case.get(key)), None)
        for metric in records(case, key, _TOOL) if key is not None else ():
            error = metric.get("error")
            rows.append(
                {
                    "algorithm": str(model or name_of(path)),
                    "item": item,
                    "measure": str(metric.get("name") or metric.get("metric")),
                    "value": metric.get("score"),
                    "failure": str(error)[:200] if error else None,
                }
            )
    names = dict.fromkeys(row["measure"] for row in rows)
    return Format(
        _TOOL,
        {"item": "replication"},
        measures=tuple(Measure(name, "higher", bounds=(0.0, 1.0)) for name in names),
        resampling=Resampling("items"),
    ), rows
