"""Results of EvalPlus."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.catalogue import name_of
from benchinfer.scores.formats.format import Format, Record, Results, has_record, part, records
from benchinfer.scores.resampling import Resampling

_TOOL = "EvalPlus"
_PASS = "pass"  # noqa: S105 - a status
_OLD = "success"  # the same before version 0.2
_ENDING = re.compile(r"[._-]?eval_results$")


def evalplus(document: Record, path: Path) -> Results | None:
    """Return whether each solution of each problem is right by the base and by the further tests.

    The tool counts as HumanEval+ or MBPP+ those that are right by both, ``base+plus``.
    """
    tasks = document["eval"]
    if not isinstance(tasks, Mapping) or not tasks:
        return None
    first = next(iter(tasks.values()))
    known = has_record(first, "base_status") or has_record([first], "nfiles", "base")
    if not known:
        return None
    name = _ENDING.sub("", name_of(path)) or path.absolute().parent.name
    rows: list[dict[str, Any]] = []
    most = 0
    for task in tasks:
        solutions = _solutions(tasks, task)
        most = max(most, len(solutions))
        dataset, _, item = str(task).partition("/")
        for i, (base, plus) in enumerate(solutions):
            row = {"dataset": dataset, "algorithm": name, "item": item or dataset, "sample": i}
            values: dict[str, float | None] = {"base": base}
            if plus is not None:
                values |= {"plus": plus, "base+plus": None if base is None else min(base, plus)}
            rows += [row | {"measure": name, "value": value} for name, value in values.items()]
    measures = dict.fromkeys(row["measure"] for row in rows)
    return Format(
        _TOOL,
        {"item": "replication"},
        measures=tuple(Measure(m, "higher", bounds=(0.0, 1.0)) for m in measures),
        resampling=Resampling("items"),
        units=("item", "sample") if most > 1 else (),
        unused=() if most > 1 else ("sample",),
    ), rows


def _solutions(tasks: Record, task: str) -> list[tuple[float | None, float | None]]:
    """Return whether each solution passed the base tests, and the further ones; None if unknown."""
    if isinstance(tasks[task], list):
        return [
            (
                _passed(s.get("base_status")),
                _passed(s.get("plus_status") or None),
            )
            for s in records(tasks, task, _TOOL)
        ]
    results = part(tasks, task, dict, _TOOL)
    base, plus = (
        part(results, "base", list, _TOOL),
        part({"plus": results.get("plus") or []}, "plus", list, _TOOL),
    )
    plus = plus if len(plus) == len(base) else [None] * len(base)
    return [(_passed(b), _passed(p)) for b, p in zip(base, plus, strict=True)]


def _passed(status: object) -> float | None:
    """Return 1 for a status that says so, alone or before the results of the tests."""
    if status is None:
        return None
    word = status[0] if isinstance(status, Sequence) and not isinstance(status, str) else status
    return float(word in (_PASS, _OLD))
