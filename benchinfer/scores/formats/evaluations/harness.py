"""Results of lm-evaluation-harness and lmms-eval: metrics of tasks, samples of documents."""

import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.numbers import join, several
from benchinfer.scores.formats.format import (
    Format,
    Names,
    Record,
    Results,
    agreed,
    directed,
    is_blank,
    is_score,
    part,
)
from benchinfer.scores.resampling import Resampling

if TYPE_CHECKING:
    from benchinfer.core.measure import Better

_TOOL = "lm-evaluation-harness"
_NO_MEASURE = {
    *("doc_id", "doc", "target", "filtered_resps"),
    *("arguments", "resps", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash"),
    *("input", "generation_metadata"),
}
# Last words of the names of fields that several docs share, the widest first: what a question is
# about, then the question of which each doc is one answer.
_SHARED = (
    *("article", "document", "story", "title", "conversation", "dialogue", "dialog", "passage"),
    *("paragraph", "context", "premise", "sentence", "question", "query"),
)
# Those of kinds of docs, which were chosen and not drawn.
_KINDS = ("subject", "category", "topic", "domain", "type", "level", "difficulty")
_ENDINGS = {"id", "ids", "idx", "str", "text", "name", "hash"}
_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_LONGEST = 40  # characters of a label
_FORM = Format(
    f"{_TOOL}, samples",
    {"doc_id": "replication"},
    resampling=Resampling("items"),
    name="{algorithm}/samples_{dataset}_20*",
    unused=("passage", "answer", "category"),
)


def harness(document: Record, path: Path) -> Results | None:
    """Return a number per task and metric of ``results_*.json``; None of other documents."""
    if not _names_tasks(document):
        return None
    results = part(document, "results", dict, _TOOL)
    groups, higher = (_record(document, key) for key in ("group_subtasks", "higher_is_better"))
    entries: dict[str, Record] = {task: part(results, task, dict, _TOOL) for task in results}
    names = {key for entry in entries.values() for key, value in entry.items() if is_score(value)}
    rows: list[dict[str, Any]] = []
    ways: dict[str, set[Better | None]] = {}
    model = _model(document, path)
    for task, entry in entries.items():
        if groups.get(task):
            continue  # the mean of tasks that stand there themselves
        for key, value in entry.items():
            metric, _, chosen = key.partition(",")
            missing = is_blank(value) and ("," in key or key in names)
            if metric.endswith("_stderr") or not (is_score(value) or missing):
                continue
            name = metric if chosen in ("", "none") else key
            error = entry.get(f"{metric}_stderr,{chosen}" if chosen else f"{metric}_stderr")
            way = _record(higher, task).get(metric)
            better: Better = "higher" if way else "lower"
            ways.setdefault(name, set()).add(better if isinstance(way, bool) else None)
            rows.append(
                {
                    "dataset": task,
                    "algorithm": model,
                    "measure": name,
                    "value": value if is_score(value) else None,
                    "stderr": error if is_score(error) else None,
                }
            )
    aggregated = ", ".join(task for task in results if groups.get(task))
    note = f"means of other tasks are left out: {aggregated}" if aggregated else ""
    return Format(f"{_TOOL}, results", measures=agreed(ways), note=note), rows


def _names_tasks(document: Record) -> bool:
    """Return whether metrics are named with their filters, or versions and results have a task.

    The latter is how the first versions of the harness write results, with the model's settings.
    """
    results, versions = (_record(document, key) for key in ("results", "versions"))
    if any("," in str(key) for task in results for key in _record(results, task)):
        return bool(_record(document, "config") or _record(document, "configs"))
    return "model" in _record(document, "config") and bool(results.keys() & versions.keys())


def _record(record: Record, key: str) -> Record:
    """Return the record under a key, empty where there is none."""
    value = record.get(key)
    return cast("Record", value) if isinstance(value, Mapping) else {}


def _model(document: Record, path: Path) -> str:
    """Return the name of the model, or that of the folder."""
    name = document.get("model_name")
    if isinstance(name, str) and name:
        return name
    for setting in str(_record(document, "config").get("model_args", "")).split(","):
        key, _, value = setting.partition("=")
        if key.strip() in ("pretrained", "model") and value:
            return value
    return path.parent.name.replace("__", "/") or "?"


def samples_table(names: Names) -> Format:
    """Describe ``--log_samples``: a line per item."""
    return Format(
        f"{_TOOL}, samples",
        {"doc_id": "replication"},
        "wide-measures",
        directed(name for name in names if name not in _NO_MEASURE),
        Resampling("items"),
        "{algorithm}/samples_{dataset}_20*",
    )


def samples(lines: Sequence[Record], source: str) -> Results | None:
    """Return each metric of each doc; None of records that are no samples.

    Docs that share a passage, by the name of a field, are items of it; a metric that lists a score
    for each repeat has answers. Metrics of several filters are measures of their own. What a record
    holds besides, such as the name of a model, stays a column.
    """
    if not any(isinstance(line["doc"], dict) for line in lines):
        return None
    filters = {str(line.get("filter")) for line in lines}
    docs: dict[tuple[str, ...], list[Record]] = {}
    for line in lines:
        doc = part(line, "doc", dict, _TOOL)
        docs.setdefault(tuple(doc), []).append(doc)
    fields = {k: (_field(some, _SHARED), _field(some, _KINDS)) for k, some in docs.items()}
    rows: list[dict[str, Any]] = []
    listed = dict[str, None]()
    for line in lines:
        doc, label = line["doc"], str(line["doc_id"])
        names = fields[tuple(doc)]
        passage, category = (_label(doc.get(name)) or label for name in names)
        metrics = _metrics(line)
        place = {"passage": passage, "category": category, "doc_id": label}
        place |= {n: line[n] for n in line if n not in _NO_MEASURE and n not in metrics}
        for metric in metrics:
            name = f"{metric},{line.get('filter')}" if len(filters) > 1 else metric
            if (answers := _answers(line, line[metric])) is None:
                listed[metric] = None
                continue
            rows += [
                {**place, "answer": str(i), "measure": name, "value": answer}
                for i, answer in enumerate(answers)
            ]
    if not rows:
        raise ScoreTableError(
            f"{source!r} has no metric that is a number for each doc.",
            hint="metrics of the whole task are in results_*.json.",
        )
    bases = {row["measure"]: row["measure"].partition(",")[0] for row in rows}
    known = {m.name: m for m in directed(bases.values())}
    units = _levels(rows)
    return replace(
        _FORM,
        measures=tuple(replace(known[n], name=name) for name, n in bases.items() if n in known),
        note="; ".join(_notes(lines, rows, fields, units, list(listed))),
        units=units,
    ), rows


def _metrics(line: Record) -> list[str]:
    """Return the metrics of a doc: those that the line names, or all that are not texts."""
    names = line.get("metrics")
    if isinstance(names, list):
        return [name for name in names if name in line]  # pyright: ignore[reportUnknownVariableType]
    return [name for name in line if name not in _NO_MEASURE and not isinstance(line[name], str)]


def _answers(line: Record, value: object) -> list[float | None] | None:
    """Return the scores of the answers to a doc; None where a metric is no score of each.

    A list may also hold what a metric of the whole task is made of, such as a truth and a
    prediction: it has a score of each answer where it is as long as the responses to the doc.
    """
    if isinstance(value, bool) or is_score(value):
        number = float(cast("float", value))
        return [number if math.isfinite(number) else None]
    if value is None:
        return [None]
    repeats = _repeats(line)
    if not isinstance(value, list) or not 1 < len(value) == repeats:  # pyright: ignore[reportUnknownArgumentType]
        return None
    values = cast("list[object]", value)
    if not all(isinstance(v, bool) or is_score(v) for v in values):
        return None
    return [float(cast("float", v)) for v in values]


def _repeats(line: Record) -> int:
    """Return the number of responses to a request."""
    responses = line.get("resps")
    if not isinstance(responses, list) or len(responses) != 1:  # pyright: ignore[reportUnknownArgumentType]
        return 1  # requests for each choice
    first = cast("list[object]", responses)[0]
    return len(cast("list[object]", first)) if isinstance(first, list) else 1


def _field(docs: Sequence[Record], words: Sequence[str]) -> str:
    """Return the first field, by the last word of its name, that has several labels in all docs."""
    names = {word: name for name in reversed(list(docs[0])) if (word := _word(name)) in words}
    for word in words:
        labels = {_label(doc[names[word]]) for doc in docs} if word in names else {""}
        if "" not in labels and len(labels) > 1:
            return names[word]
    return ""


def _word(name: str) -> str:
    """Return the last word of the name of a field, but for endings such as id.

    Examples
    --------
    >>> [_word(name) for name in ("flores_passage", "documentId", "context")]
    ['passage', 'document', 'context']
    """
    words = [word.lower() for word in _WORDS.findall(name)]
    while len(words) > 1 and words[-1] in _ENDINGS:
        words.pop()
    return words[-1] if words else ""


def _label(value: object) -> str:
    """Return a text or a number as a label; long ones cut, with a digest; empty for others."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return ""
    text = " ".join(str(value).split())
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - 8]}~{hashlib.sha256(str(value).encode()).hexdigest()[:7]}"


def _levels(rows: Sequence[Record]) -> tuple[str, ...]:
    """Return the levels of units: docs in passages, with answers, where there are any."""
    docs, passages = ({row[name] for row in rows} for name in ("doc_id", "passage"))
    upper = ("passage",) if len(passages) < len(docs) else ()
    inner = ("answer",) if any(row["answer"] != "0" for row in rows) else ()
    return (*upper, "doc_id", *inner) if upper or inner else ()


def _notes(
    lines: Sequence[Record],
    rows: Sequence[Record],
    fields: Mapping[tuple[str, ...], tuple[str, str]],
    units: Sequence[str],
    listed: Sequence[str],
) -> Iterator[str]:
    """Yield what a reader should know of units and of what is left out."""
    passages, kinds = (
        join(sorted(filter(None, set(names)))) for names in zip(*fields.values(), strict=True)
    )
    if "passage" in units:
        yield f"docs with the same {passages} are items of one passage"
    if kinds and len({row["category"] for row in rows}) < len({row["doc_id"] for row in rows}):
        yield f"{kinds} is in the column category, a level of units only where it was sampled"
    if "answer" not in units and max(map(_repeats, lines)) > 1:
        yield "the responses to a doc have one score together"
    if listed:
        yield f"metrics that are no score of each doc are left out: {several(listed)}"
