"""Records of Every Eval Ever: aggregates, and single answers."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from benchinfer.core.measure import Measure
from benchinfer.numerics.types import Array
from benchinfer.scores.formats.format import (
    Format,
    Record,
    Results,
    has_record,
    is_score,
    part,
    records,
)
from benchinfer.scores.resampling import Resampling

if TYPE_CHECKING:
    from benchinfer.scores.formats.format import Rows
    from benchinfer.scores.table import ScoreTable

_TOOL = "Every Eval Ever"
_VERSION, _ANSWERS = "0.2.1", "instance_level_eval_0.2.1"


def every_eval_ever(document: Record, _: Path) -> Results | None:
    """Return the score of each evaluation of a model."""
    if not has_record(document["evaluation_results"], "metric_config", "score_details"):
        return None
    information = part(document, "model_info", dict, _TOOL)
    model = str(information.get("id") or part(information, "name", str, _TOOL))
    rows: list[dict[str, Any]] = []
    ways: dict[str, set[tuple[object, ...]]] = {}
    for result in records(document, "evaluation_results", _TOOL):
        config = part(result, "metric_config", dict, _TOOL)
        score = part(result, "score_details", dict, _TOOL).get("score")
        name = str(config.get("metric_name") or config.get("metric_id") or "score")
        lower = part(config, "lower_is_better", bool, _TOOL)
        name += " (lower is better)" if lower and name == "score" else ""
        details = config.get("additional_details")
        seen = isinstance(details, dict) and details.get("range") == "observed"  # no legal range
        ends = (None, None) if seen else (config.get("min_score"), config.get("max_score"))
        ways.setdefault(name, set()).add((lower, *(x if is_score(x) else None for x in ends)))
        rows.append(
            {
                "dataset": part(result, "evaluation_name", str, _TOOL),
                "algorithm": model,
                "measure": name,
                "value": score if is_score(score) else None,
            }
        )
    return Format(f"{_TOOL}, aggregates", measures=tuple(_measures(ways))), rows


def _measures(ways: dict[str, set[tuple[object, ...]]]) -> list[Measure]:
    """Return the metrics with one direction, and bounds where all evaluations have the same."""
    measures: list[Measure] = []
    for name, kinds in ways.items():
        if len({lower for lower, *_ in kinds}) != 1:
            continue
        lower, low, high = next(iter(kinds))
        bounds = (low, high) if len(kinds) == 1 and is_score(low) and is_score(high) else None
        bounds = bounds if bounds is not None and bounds[0] < bounds[1] else None  # pyright: ignore[reportOperatorIssue]
        measures.append(Measure(name, "lower" if lower else "higher", bounds=bounds))  # pyright: ignore[reportArgumentType]
    return measures


def answers(lines: Sequence[Record], _: str) -> Results | None:
    """Return the score of each answer, a line each.

    Where each score is that of ``is_correct``, higher is better.
    """
    if not has_record([line["evaluation"] for line in lines], "score"):
        return None
    rows: list[dict[str, Any]] = []
    correct = True
    for line in lines:
        evaluation = part(line, "evaluation", dict, _TOOL)
        score = evaluation.get("score")
        correct &= is_score(score) and score == float(bool(evaluation.get("is_correct")))
        rows.append(
            {
                "dataset": str(line["evaluation_name"]),
                "algorithm": str(line["model_id"]),
                "replication": str(line["sample_id"]),
                "value": score if is_score(score) else None,
            }
        )
    unit = (Measure("score", "higher", bounds=(0.0, 1.0)),) if correct else ()
    rows = [row | {"measure": "score"} for row in rows]
    return Format(f"{_TOOL}, answers", measures=unit, resampling=Resampling("items")), rows


def write(table: ScoreTable, folder: Path, name: str) -> list[Path]:
    """Write a record of each algorithm, and one line per answer where replications are items."""
    from benchinfer.core.provenance import __version__  # which takes time to load

    frame = table.to_frame()
    items = table.resampling is not None and table.resampling.kind == "items"
    items &= len(table.measures) == 1 and bool(frame["value"].isin([0.0, 1.0]).all())
    measures = {measure.name: measure for measure in table.measures}
    written: list[Path] = []
    stamp = str(int(time.time()))
    for algorithm, rows in frame.groupby("algorithm"):
        identity = f"{name}/{algorithm}/{stamp}"
        place = folder.joinpath(name, *(quote(text, " ") for text in str(algorithm).split("/")))
        place.mkdir(parents=True, exist_ok=True)
        stem = str(uuid5(NAMESPACE_URL, f"{table.digest}/{name}/{algorithm}"))
        groups = rows.groupby(["dataset", "measure"])["value"]
        record: dict[str, Any] = {
            "schema_version": _VERSION,
            "evaluation_id": identity,
            "retrieved_timestamp": stamp,
            "source_metadata": {
                "source_name": name,
                "source_type": "evaluation_run",
                "source_organization_name": "unknown",
                "evaluator_relationship": "other",
            },
            "eval_library": {"name": "benchinfer", "version": __version__},
            "model_info": {"name": str(algorithm), "id": str(algorithm)},
            "evaluation_results": [
                _result(str(dataset), measures[str(measure)], values.to_numpy())
                for (dataset, measure), values in groups
            ],
        }
        if items:
            lines = [_answer(identity, row) for row in cast("Rows", rows.to_dict("records"))]
            text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
            written.append(place / f"{stem}.jsonl")
            written[-1].write_text(text, encoding="utf-8")
            record["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": f"{stem}.jsonl",
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(text.encode()).hexdigest(),
                "total_rows": len(lines),
            }
        written.append(place / f"{stem}.json")
        written[-1].write_text(json.dumps(record, indent=2, ensure_ascii=False), encoding="utf-8")
    return written


def _result(dataset: str, measure: Measure, values: Array) -> dict[str, Any]:
    """Return the mean of the replications on a data set, with its uncertainty."""
    observed = measure.bounds is None
    low, high = measure.bounds or (float(values.min()), float(values.max()))
    config: dict[str, Any] = {
        "metric_name": measure.name,
        "evaluation_description": measure.label or measure.name,
        "lower_is_better": measure.better == "lower",
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
    }
    config |= {"additional_details": {"range": "observed"}} if observed else {}
    details: dict[str, Any] = {"score": float(values.mean())}
    if len(values) > 1:
        deviation = float(values.std(ddof=1))
        details["uncertainty"] = {"standard_deviation": deviation, "num_samples": len(values)}
    return {
        "evaluation_name": dataset,
        "source_data": {"dataset_name": dataset, "source_type": "other"},
        "metric_config": config,
        "score_details": details,
    }


def _answer(identity: str, row: Record) -> dict[str, Any]:
    """Return the record of an answer, of which a table of scores has no texts."""
    return {
        "schema_version": _ANSWERS,
        "evaluation_id": identity,
        "model_id": row["algorithm"],
        "evaluation_name": row["dataset"],
        "sample_id": row["replication"],
        "interaction_type": "single_turn",
        "input": {"raw": "", "reference": []},
        "output": {"raw": []},
        "messages": None,
        "answer_attribution": [],
        "evaluation": {"score": row["value"], "is_correct": row["value"] == 1.0},
    }
