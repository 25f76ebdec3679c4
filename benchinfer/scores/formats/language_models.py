"""Results of evaluations of language models: lm-evaluation-harness, MTEB."""

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any, cast

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Names, Rows, directed
from benchinfer.scores.resampling import Resampling

_SAMPLE = {"doc_id", "doc", "target", "filtered_resps"}
_NO_MEASURE = {
    *_SAMPLE,
    *("arguments", "resps", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash"),
}


def samples(names: Names) -> Format | None:
    """Recognise ``--log_samples`` of lm-evaluation-harness: a line per item."""
    if not set(names) >= _SAMPLE:
        return None
    return Format(
        "lm-evaluation-harness, samples",
        {"doc_id": "replication"},
        "wide-measures",
        directed(name for name in names if name not in _NO_MEASURE),
        Resampling("items"),
        "{algorithm}/samples_{dataset}_20*",
    )


def harness(document: Mapping[str, Any], path: Path) -> tuple[Format, Rows] | None:
    """Recognise ``results_*.json`` of lm-evaluation-harness: a number per task and metric."""
    results = document.get("results")
    if not isinstance(results, Mapping) or not _of_mappings(results):
        return None
    if not {"configs", "config"} & set(document):
        return None
    groups = document.get("group_subtasks")
    groups = cast("Mapping[str, Any]", groups) if isinstance(groups, Mapping) else {}
    higher = document.get("higher_is_better")
    higher = cast("Mapping[str, Any]", higher) if isinstance(higher, Mapping) else {}
    entries = cast("Mapping[str, Mapping[str, Any]]", results)
    names = {key for entry in entries.values() for key, value in entry.items() if _is_score(value)}
    rows: Rows = []
    said: dict[str, set[Any]] = {}
    for task, entry in entries.items():
        if groups.get(task):
            continue  # the mean of tasks that stand there themselves
        for key, value in entry.items():
            metric, _, chosen = key.partition(",")
            if metric.endswith("_stderr") or not (_is_score(value) or _failed(key, value, names)):
                continue
            name = metric if chosen in ("", "none") else key
            error = entry.get(f"{metric}_stderr,{chosen}" if chosen else f"{metric}_stderr")
            of_task = higher.get(task)
            of_task = cast("Mapping[str, Any]", of_task) if isinstance(of_task, Mapping) else {}
            way = of_task.get(metric)
            said.setdefault(name, set()).add(way if isinstance(way, bool) else None)
            rows.append(
                {
                    "dataset": task,
                    "algorithm": _model(document, path),
                    "measure": name,
                    "value": value if _is_score(value) else None,
                    "stderr": error if _is_score(error) else None,
                }
            )
    bounds = {m.name: m.bounds for m in directed(said)}
    measures = tuple(
        Measure(name, "higher" if way == {True} else "lower", bounds=bounds.get(name))
        for name, way in said.items()
        if way in ({True}, {False})
    )
    tasks = cast("Mapping[str, Any]", results)
    aggregated = ", ".join(task for task in tasks if groups.get(task))
    note = f"means of other tasks are left out: {aggregated}" if aggregated else ""
    return Format("lm-evaluation-harness, results", measures=measures, note=note), rows


def embeddings(document: Mapping[str, Any], path: Path) -> tuple[Format, Rows] | None:
    """Recognise a result of MTEB: a number per split, subset and metric of one task."""
    scores = document.get("scores")
    if not isinstance(scores, Mapping) or not {"task_name", "dataset_revision"} <= set(document):
        return None
    splits = cast("Mapping[str, Any]", scores)
    parts = [
        (split, cast("Mapping[str, Any]", entry))
        for split, entries in splits.items()
        if isinstance(entries, list)
        for entry in cast("list[object]", entries)
        if isinstance(entry, Mapping)
    ]
    several = len({split for split, _ in parts}) > 1
    names = {"main_score"} | {
        name for _, entry in parts for name, value in entry.items() if _is_score(value)
    }
    # Folders are results/MODEL/REVISION/TASK.json, with "__" for the slash of a name.
    folders = path.parts[-3:-1]
    model = document.get("model_name") or (folders[0] if len(folders) == 2 else "?")
    rows: Rows = [
        {
            "dataset": "/".join(
                [
                    str(document["task_name"]),
                    *_subset(entry),
                    *([split] if several else []),
                ]
            ),
            "algorithm": str(model).replace("__", "/"),
            "measure": str(name),
            "value": value if _is_score(value) else None,
        }
        for split, entry in parts
        for name, value in entry.items()
        if _is_score(value) or _failed(name, value, names)
    ]
    return Format("MTEB, result of a task", measures=(Measure("main_score", "higher"),)), rows


def _subset(entry: Mapping[str, Any]) -> list[str]:
    subset = str(entry.get("hf_subset", "default"))
    return [] if subset == "default" else [subset]


def _model(document: Mapping[str, Any], path: Path) -> str:
    """Return the name of the model, or that of the folder."""
    name = document.get("model_name")
    if isinstance(name, str) and name:
        return name
    config = document.get("config")
    if isinstance(config, Mapping):
        settings = str(cast("Mapping[str, Any]", config).get("model_args", ""))
        for part in settings.split(","):
            key, _, value = part.partition("=")
            if key.strip() in ("pretrained", "model") and value:
                return value
    return path.parent.name.replace("__", "/") or "?"


def _of_mappings(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(isinstance(item, Mapping) for item in cast("Mapping[str, object]", value).values())
    )


def _failed(key: str, value: object, names: Container[str]) -> bool:
    """Return whether a metric has a value that is no number: null, a truth value or "N/A"."""
    blank = isinstance(value, str) and value.strip().casefold() in (
        "",
        "n/a",
        "nan",
        "none",
        "null",
    )
    return (value is None or isinstance(value, bool) or blank) and ("," in key or key in names)


def _is_score(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
