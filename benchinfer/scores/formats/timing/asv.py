"""Folder of results of asv (airspeed velocity)."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import (
    Format,
    Results,
    document,
    facts_of,
    holds_record,
    is_score,
    part,
)
from benchinfer.scores.resampling import Resampling

_TOOL = "asv"
_MACHINE = ("machine", "cpu", "num_cpu", "arch", "os", "ram", "python")
_LOWER = {"time": "s", "timeraw": "s", "mem": "bytes", "peakmem": "bytes"}


def cases(files: Sequence[Path]) -> dict[Path, tuple[str, ...]]:
    """Return machine and name of each file that holds results of a commit."""
    return {file: (file.parent.name, file.name) for file in _results(files)}


def _results(files: Sequence[Path]) -> list[Path]:
    machines = {file.parent for file in files if file.name == "machine.json"}
    return [
        file
        for file in files
        if file.suffix == ".json"
        and file.parent in machines
        and file.name not in ("machine.json", "benchmarks.json")
    ]


def asv(_: Path, files: Sequence[Path]) -> Results | None:
    """Return the samples of each benchmark and combination of parameters, or their median.

    A commit, with its environment where there are several, is the algorithm. All results of a
    commit on a machine are of one run, in which they share its state.
    """
    results = _results(files)
    if not any(holds_record(file, "commit_hash", "result_columns", "results") for file in results):
        return None
    documents = [(file.parent.name, document(file, _TOOL)) for file in results]
    environments = {str(held.get("env_name")) for _, held in documents}
    rows: list[dict[str, Any]] = []
    medians = 0
    for machine, held in documents:
        commit = part(held, "commit_hash", str, _TOOL)[:8]
        several = len(environments) > 1
        algorithm = f"{commit}/{held.get('env_name')}" if several else commit
        columns = [str(name) for name in part(held, "result_columns", list, _TOOL)]
        for name, values in part(held, "results", dict, _TOOL).items():
            # What is null at the end of a row is not written.
            entry = dict(
                zip(columns, values if isinstance(values, list) else [values], strict=False)
            )
            kind = str(name).rpartition(".")[2].partition("_")[0]
            scores = entry.get("result")
            samples = entry.get("samples")
            params = part({"params": entry.get("params") or []}, "params", list, _TOOL)
            values_of = (part({"params": of}, "params", list, _TOOL) for of in params)
            for i, combination in enumerate(product(*values_of)):
                drawn = samples[i] if isinstance(samples, list) and i < len(samples) else None
                drawn = part({"samples": drawn or []}, "samples", list, _TOOL)
                median = scores[i] if isinstance(scores, list) and i < len(scores) else None
                medians += not drawn
                dataset = str(name) + (
                    f"({', '.join(map(str, combination))})" if combination else ""
                )
                rows += [
                    {
                        "dataset": dataset,
                        "algorithm": algorithm,
                        "replication": machine,
                        "measure": kind,
                        "value": value if is_score(value) else None,
                    }
                    for value in drawn or [median]
                ]
    note = f"{medians} medians of samples, which --record-samples saves" if medians else ""
    return Format(
        _TOOL,
        measures=tuple(Measure(kind, "lower", unit=unit) for kind, unit in _LOWER.items()),
        resampling=Resampling("runs", paired=False),
        note=note,
        runs=tuple(facts_of(held.get("params"), *_MACHINE) for _, held in documents),
    ), rows
