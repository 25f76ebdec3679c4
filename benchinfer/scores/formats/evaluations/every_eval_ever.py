"""Records of Every Eval Ever: aggregates, and single answers."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count
from benchinfer.core.saving import write_together
from benchinfer.numerics.types import Array
from benchinfer.scores.formats.format import (
    Format,
    Record,
    Results,
    document,
    has_record,
    holds_record,
    is_score,
    lines_of,
    part,
    records,
)
from benchinfer.scores.resampling import Resampling

if TYPE_CHECKING:
    from benchinfer.scores.formats.format import Rows
    from benchinfer.scores.table import ScoreTable

_TOOL = "Every Eval Ever"
_VERSION, _ANSWERS = "0.2.1", "instance_level_eval_0.2.1"
# Keys of details: how many replications have no score, and where there is none at all.
_FAILURES, _WITHOUT = "failures", "without_score"
_INFINITE = {"Infinity": math.inf, "-Infinity": -math.inf}
_LONGEST = 100  # characters of a name in a path: 255 bytes are the limit, less of encrypted folders


def every_eval_ever(document: Record, _: Path) -> Results | None:
    """Return the score of each evaluation of a model."""
    lost = _lost(document)
    scored = has_record(document["evaluation_results"], "metric_config", "score_details")
    if not scored and (not lost or document["evaluation_results"]):
        return None
    model = _model(document)
    rows: list[dict[str, Any]] = []
    counted = 0
    for result in records(document, "evaluation_results", _TOOL):
        details = part(result, "score_details", dict, _TOOL)
        score, more = details.get("score"), details.get("details")
        if isinstance(more, Mapping) and str(more.get(_FAILURES, "")).isdecimal():
            counted += int(more[_FAILURES])
        rows.append(
            {
                "dataset": part(result, "evaluation_name", str, _TOOL),
                "algorithm": model,
                "measure": _name(part(result, "metric_config", dict, _TOOL)),
                "value": score if is_score(score) else None,
            }
        )
    rows += [
        {"dataset": str(dataset), "algorithm": model, "measure": str(name), "value": None}
        for dataset, name, failures in lost
        if failures
    ]
    note = f"{count(counted, 'replication')} without a score are in no mean" if counted else ""
    return Format(f"{_TOOL}, aggregates", measures=_measures(document), note=note), rows


def _model(document: Record) -> str:
    information = part(document, "model_info", dict, _TOOL)
    return str(information.get("id") or part(information, "name", str, _TOOL))


def _name(config: Record) -> str:
    """Return the name of a metric, with its direction where it has none of its own."""
    name = str(config.get("metric_name") or config.get("metric_id") or "score")
    lower = part(config, "lower_is_better", bool, _TOOL)
    return f"{name} (lower is better)" if lower and name == "score" else name


def _lost(document: Record) -> list[Sequence[Any]]:
    """Return data set, measure and number of failures of each cell that has no score."""
    library = document.get("eval_library")
    more = library.get("additional_details") if isinstance(library, Mapping) else None
    return _listed(more, 3)


def _listed(details: object, n: int) -> list[Sequence[Any]]:
    """Return the lists of n values that the details of a record name as being without a score."""
    if not isinstance(details, Mapping) or _WITHOUT not in details:
        return []
    try:
        listed = json.loads(str(cast("Record", details)[_WITHOUT]))
    except (ValueError, RecursionError):
        return []
    fit = isinstance(listed, list) and all(isinstance(x, list) and len(x) == n for x in listed)
    return listed if fit else []


def _measures(document: Record) -> tuple[Measure, ...]:
    """Return the metrics with one direction, and bounds where all evaluations have the same."""
    ways: dict[str, set[tuple[object, ...]]] = {}
    for result in records(document, "evaluation_results", _TOOL):
        config = part(result, "metric_config", dict, _TOOL)
        lower = part(config, "lower_is_better", bool, _TOOL)
        details = config.get("additional_details")
        seen = isinstance(details, dict) and details.get("range") == "observed"  # no legal range
        ends = (None, None) if seen else (config.get("min_score"), config.get("max_score"))
        ends = [
            x if is_score(x) else _INFINITE.get(x) if isinstance(x, str) else None for x in ends
        ]
        ways.setdefault(_name(config), set()).add((lower, *ends))
    measures: list[Measure] = []
    for name, kinds in ways.items():
        if len({lower for lower, *_ in kinds}) != 1:
            continue
        lower, low, high = next(iter(kinds))
        bounds = (low, high) if len(kinds) == 1 and is_score(low) and is_score(high) else None
        bounds = bounds if bounds is not None and bounds[0] < bounds[1] else None  # pyright: ignore[reportOperatorIssue]
        measures.append(Measure(name, "lower" if lower else "higher", bounds=bounds))  # pyright: ignore[reportArgumentType]
    return tuple(measures)


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


def detailed(folder: Path, files: Sequence[Path]) -> Results | None:
    """Return the score of each answer of a folder of records that all say where answers are.

    The record has what a line has not: the measure, and the answers without a score.
    """
    listed = [file for file in files if file.suffix == ".json"]
    keys = ("evaluation_id", "model_info", "evaluation_results")
    if not listed or not all(holds_record(file, *keys) for file in listed):
        return None
    rows: list[dict[str, Any]] = []
    measures: dict[str, Measure] = {}
    there = set(files)
    for file in listed:
        record = document(file, _TOOL)
        details, known = record.get("detailed_evaluation_results"), _measures(record)
        if not isinstance(details, Mapping):
            return None
        place = file.parent / Path(str(cast("Record", details).get("file_path"))).name
        if place not in there:
            raise ScoreTableError(
                f"results of {_TOOL}: {file.relative_to(folder).as_posix()!r} names"
                f" {place.name!r}, which is not beside it.",
                hint="read the folder as it was written.",
            )
        results = answers(lines_of(place), place.name) if place.stat().st_size else (None, [])
        if results is None:
            return None
        name = known[0].name if len(known) == 1 else "score"
        lost = _listed(cast("Record", details).get("additional_details"), 3)
        rows += [row | {"measure": name} for row in results[1]]
        rows += [
            dict(zip(("dataset", "replication", "measure"), map(str, place), strict=True))
            | {"algorithm": _model(record), "value": None}
            for place in lost
        ]
        measures |= {one.name: one for one in known}
    form = Format(
        f"{_TOOL}, answers", measures=tuple(measures.values()), resampling=Resampling("items")
    )
    return form, rows


def write(table: ScoreTable, folder: Path, name: str) -> list[Path]:
    """Write a record of each algorithm, and one line per answer where replications are items.

    Names of files are those of one component of a path. All are written, or none.
    """
    from benchinfer.core.provenance import __version__  # which takes time to load

    frame, failures = table.to_frame(), _unscored(table)
    items = table.resampling is not None and table.resampling.kind == "items"
    items &= len(table.measures) == 1 and bool(frame["value"].isin([0.0, 1.0]).all())
    measures = {measure.name: measure for measure in table.measures}
    texts: dict[Path, str] = {}
    stamp = str(int(time.time()))
    failed = Counter((a, d, m) for d, a, _, m in failures)
    for algorithm in dict.fromkeys([*table.algorithms, *(a for _, a, _, _ in failures)]):
        rows = frame[frame["algorithm"] == algorithm]
        identity = f"{name}/{algorithm}/{stamp}"
        place = folder / _component(name) / _component(algorithm)
        stem = str(uuid5(NAMESPACE_URL, f"{table.digest}/{name}/{algorithm}"))
        scores = {
            (str(dataset), str(measure)): values.to_numpy()
            for (dataset, measure), values in rows.groupby(["dataset", "measure"])["value"]
        }
        lost = [
            (dataset, measure, failed[algorithm, dataset, measure])
            for dataset in dict.fromkeys([*table.datasets, *(d for d, *_ in failures)])
            for measure in dict.fromkeys([*measures, *(m for *_, m in failures)])
            if (dataset, measure) not in scores
        ]
        library: dict[str, Any] = {"name": "benchinfer", "version": __version__}
        if lost:
            library["additional_details"] = {_WITHOUT: json.dumps(lost)}
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
            "eval_library": library,
            "model_info": {"name": algorithm, "id": algorithm},
            "evaluation_results": [
                _result(dataset, measures[measure], values, failed[algorithm, dataset, measure])
                for (dataset, measure), values in scores.items()
            ],
        }
        if items:
            better = table.measures[0].better
            lines = [
                _answer(identity, row, better) for row in cast("Rows", rows.to_dict("records"))
            ]
            text = "".join(f"{json.dumps(line)}\n" for line in lines)
            texts[place / f"{stem}.jsonl"] = text
            without = [(d, r, m) for d, a, r, m in failures if a == algorithm]
            record["detailed_evaluation_results"] = _details(f"{stem}.jsonl", text, without)
        texts[place / f"{stem}.json"] = json.dumps(
            record, indent=2, ensure_ascii=False, allow_nan=False
        )
    write_together(texts)
    return list(texts)


def _details(name: str, text: str, without: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    """Return where the answers are, and those without a score by data set, item and measure."""
    details: dict[str, Any] = {
        "format": "jsonl",
        "file_path": name,
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(text.encode()).hexdigest(),
        "total_rows": text.count("\n"),
    }
    return details | ({"additional_details": {_WITHOUT: json.dumps(without)}} if without else {})


def _unscored(table: ScoreTable) -> list[tuple[str, str, str, str]]:
    """Return data set, algorithm, replication and measure of the failures that have no score."""
    if table.failed != "missing":
        return []
    failures = table.failures()
    if "scored" in failures:
        failures = failures[~failures["scored"].astype(bool)]
    names = {"dataset": "", "algorithm": "", "replication": "", "measure": table.measures[0].name}
    columns = [
        failures[name].astype(str) if name in failures else [default] * len(failures)
        for name, default in names.items()
    ]
    return list(zip(*columns, strict=True))


def _component(name: str) -> str:
    """Return a name as one component of a path, which no folder hides: at most 100 characters.

    Examples
    --------
    >>> _component("org/large model"), _component(".."), len(_component("x" * 300))
    ('org%2Flarge model', '%2E.', 100)
    """
    quoted = quote(name, " ")
    if quoted[:1] in (".", "_", " "):
        quoted = f"%{ord(quoted[0]):02X}{quoted[1:]}"
    if len(quoted) > _LONGEST:
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        quoted = f"{quoted[: _LONGEST - 17]}-{digest}"
    return quoted


def _result(dataset: str, measure: Measure, values: Array, failures: int) -> dict[str, Any]:
    """Return the mean of the replications on a data set, with its uncertainty."""
    observed = measure.bounds is None
    low, high = measure.bounds or (float(values.min()), float(values.max()))
    config: dict[str, Any] = {
        "metric_name": measure.name,
        "evaluation_description": measure.label or measure.name,
        "lower_is_better": measure.better == "lower",
        "score_type": "continuous",
        "min_score": _end(low),
        "max_score": _end(high),
    }
    more: dict[str, str] = {"range": "observed"} if observed else {}
    details: dict[str, Any] = {"score": float(values.mean())}
    counts = {_FAILURES: failures}
    if measure.limit is not None:
        more |= {"limit": repr(measure.limit), "par": repr(measure.par)}
        counts["stopped"] = int((values == measure.stopped_score).sum())
    config |= {"additional_details": more} if more else {}
    if any(counts.values()):
        details["details"] = {name: str(n) for name, n in counts.items() if n}
    if len(values) > 1:
        deviation = float(values.std(ddof=1))
        details["uncertainty"] = {"standard_deviation": deviation, "num_samples": len(values)}
    return {
        "evaluation_name": dataset,
        "source_data": {"dataset_name": dataset, "source_type": "other"},
        "metric_config": config,
        "score_details": details,
    }


def _end(value: float) -> float | str:
    """Return an end of a range, which JSON has as a text where it is infinite."""
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def _answer(identity: str, row: Record, better: str) -> dict[str, Any]:
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
        "evaluation": {
            "score": row["value"],
            "is_correct": row["value"] == float(better == "higher"),
        },
    }
