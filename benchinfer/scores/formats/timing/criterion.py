"""Folder of Criterion."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import (
    Format,
    Results,
    document,
    holds_record,
    numbers,
    part,
    unlike,
)
from benchinfer.scores.resampling import Resampling

_TOOL = "Criterion"


def cases(files: Sequence[Path]) -> dict[Path, tuple[str, ...]]:
    """Return the benchmark of each file that holds samples of a last run."""
    saved = [file for file in files if file.name == "sample.json" and file.parent.name == "new"]
    keys = "group_id", "function_id", "value_str"
    benchmarks: dict[Path, tuple[str, ...]] = {}
    for file in saved:
        if holds_record(path := file.parent / "benchmark.json", *keys):
            label = document(path, _TOOL)
            benchmarks[file] = tuple(str(label[key]) for key in keys)
    return benchmarks


def criterion(_: Path, files: Sequence[Path]) -> Results | None:
    """Return the time per iteration of each sample of the last run of each benchmark.

    The function is the algorithm, group and value are the data set.
    """
    rows: list[dict[str, Any]] = []
    saved = [file for file in files if file.name == "sample.json"]
    if not any(
        holds_record(file, "iters", "times")
        and holds_record(file.parent / "benchmark.json", "group_id", "function_id", "value_str")
        for file in saved
    ):
        return None
    last = [file for file in saved if file.parent.name == "new"] or saved
    for file in last:
        label = document(file.parent / "benchmark.json", _TOOL)
        sample = document(file, _TOOL)
        group, function = part(label, "group_id", str, _TOOL), label.get("function_id")
        dataset = [group, label.get("value_str")] if function else [label.get("value_str")]
        labels = {
            "dataset": "/".join(str(text) for text in dataset if text) or "criterion",
            "algorithm": str(function or group),
        }
        times, counts = numbers(sample, "times", _TOOL), numbers(sample, "iters", _TOOL)
        if len(times) != len(counts):
            raise unlike(_TOOL, f"{len(times)} times of {len(counts)} counts of iterations")
        rows += [
            labels | {"replication": i, "time": None if time is None or not n else time / n}
            for i, (time, n) in enumerate(zip(times, counts, strict=True))
        ]
    others = len(saved) - len(last)
    return Format(
        _TOOL,
        layout="wide-measures",
        measures=(Measure("time", "lower", unit="ns"),),
        resampling=Resampling("independent", paired=False),
        note=f"{others} samples of earlier runs are left out" if others else "",
        runs=({},),
    ), rows
