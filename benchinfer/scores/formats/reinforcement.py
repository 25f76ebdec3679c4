"""Scores of reinforcement learning: dictionaries as rliable takes them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchinfer.scores.formats.format import Format, Rows
from benchinfer.scores.resampling import Resampling


def runs_by_tasks(scores: Mapping[str, Any]) -> tuple[Format, Rows] | None:
    """Recognise algorithm to (runs, tasks) scores."""
    arrays: dict[str, Any] = {}
    for name, values in scores.items():
        if not isinstance(values, list | np.ndarray):
            return None
        try:
            arrays[name] = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            return None
    if not arrays or {array.ndim for array in arrays.values()} != {2}:
        return None
    rows: Rows = [
        {"dataset": str(task), "replication": run, "algorithm": name, "value": value}
        for name, array in arrays.items()
        for (run, task), value in np.ndenumerate(array)
    ]
    return Format("rliable, runs by tasks", resampling=Resampling("seeds")), rows
