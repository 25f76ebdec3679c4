"""Results in the form that MARL-eval takes: environment, task, algorithm, run, metrics."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Record, Results, is_score, part
from benchinfer.scores.resampling import Resampling

_TOOL = "MARL-eval"
_LAST = "absolute_metrics"
_NO_METRICS = ("step_count", "elapsed_time")
_HIGHER = ("return", "reward", "win_rate", "success", "score")
_LEVELS = 4  # environment, task, algorithm, run


def marl_eval(document: Record, _: Path) -> Results | None:
    """Return the mean of each absolute metric of a run; without these, of its last evaluation."""
    if not any(_LAST in run or _steps(run) for _, run in _runs(document)):
        return None
    rows: list[dict[str, Any]] = []
    last = 0
    for (environment, task, algorithm, seed), run in _runs(document, strict=True):
        steps = _steps(run)
        metrics = part(run, _LAST, dict, _TOOL) if _LAST in run or not steps else {}
        if not metrics and steps:
            metrics, last = steps[-1], last + 1
        labels = {"domain": environment, "dataset": task, "algorithm": algorithm}
        rows += [
            labels
            | {"replication": seed.removeprefix("seed_"), "measure": name, "value": _mean(of)}
            for name, of in metrics.items()
            if name not in _NO_METRICS
        ]
    if not rows:
        return None
    names = dict.fromkeys(row["measure"] for row in rows)
    note = "scores are means of the episodes of an evaluation"
    if last:
        note += f", of {last} runs without absolute metrics the last one"
    return Format(
        _TOOL,
        measures=tuple(
            Measure(n, "higher") for n in names if any(w in n.casefold() for w in _HIGHER)
        ),
        resampling=Resampling("seeds"),
        note=note,
    ), rows


def _runs(
    level: Record, labels: tuple[str, ...] = (), *, strict: bool = False
) -> Iterator[tuple[tuple[str, ...], Record]]:
    """Yield the run at the fourth level of records, with the names above it.

    What is no record is passed over, or if `strict` an error.
    """
    if len(labels) == _LEVELS:
        yield labels, level
        return
    for name, value in level.items():
        if strict or isinstance(value, Mapping):
            yield from _runs(part(level, name, dict, _TOOL), (*labels, str(name)), strict=strict)


def _steps(run: Record) -> list[Record]:
    """Return the evaluations of a run that have a step, in their order."""
    steps = [
        cast("Record", value)
        for value in run.values()
        if isinstance(value, Mapping) and "step_count" in value
    ]
    return sorted(
        steps, key=lambda step: step["step_count"] if is_score(step["step_count"]) else -1
    )


def _mean(values: object) -> object:
    """Return the mean of the episodes of an evaluation; None where there are none."""
    if not isinstance(values, list):
        return values
    numbers = [value for value in values if is_score(value)]
    return sum(numbers) / len(numbers) if numbers and len(numbers) == len(values) else None
