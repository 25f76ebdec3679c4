"""Episodes that the Monitor of Stable-Baselines3 wrote while an agent learned."""

import csv
import json
import re
from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Results, has_record, number_or_text
from benchinfer.scores.resampling import Resampling

_TOOL = "Stable-Baselines3, Monitor"
_NAME = re.compile(r"(?:(.+?)\.)?monitor\.csv", re.IGNORECASE)
_RUN = re.compile(r"[_-]?\d*")


def monitor(path: Path, _: str) -> Results | None:
    """Return the return of each episode, with the environment that the first line says.

    The algorithm is in the name of a folder, as in ``a2c/Cart-v1_1`` or ``a2c-Cart-v1``.
    """
    with path.open(encoding="utf-8", newline="", errors="replace") as file:
        try:
            first = json.loads(file.readline()[1:])
            reader = csv.DictReader(file, strict=True)
            if not has_record([first], "t_start") or not {"r", "l", "t"} <= set(
                reader.fieldnames or ()
            ):
                return None
            lines = list(reader)
        except (ValueError, RecursionError, csv.Error):
            return None  # as a plain table, whose reader says what is wrong
    if any(None in line or None in line.values() for line in lines):
        return None  # rows of other lengths
    task = str(first.get("env_id") or "environment")
    algorithm, run = _agent(path, task)
    match = _NAME.fullmatch(path.name)
    run = "/".join(filter(None, [run, match[1] if match else ""])) or "0"
    rows: list[dict[str, Any]] = [
        {
            "dataset": task,
            "algorithm": algorithm,
            "run": run,
            "episode": str(i),
            "return": None if line["r"] in ("", None) else number_or_text(line["r"]),
        }
        for i, line in enumerate(lines)
    ]
    return Format(
        _TOOL,
        {"run": "replication", "return": "value"},
        measures=(Measure("return", "higher"),),
        resampling=Resampling("seeds"),
        note="returns are of the episodes of training, all of them",
        units=("run", "episode"),
    ), rows


def _agent(path: Path, task: str) -> tuple[str, str]:
    """Return the algorithm and the run that the names of folders say.

    Examples
    --------
    >>> _agent(Path("logs/a2c/Cart-v1_2/0.monitor.csv"), "Cart-v1")
    ('a2c', '2')
    >>> _agent(Path("logs/ppo-Cart-v1/monitor.csv"), "Cart-v1")
    ('ppo', '')
    """
    run = ""
    for folder in reversed(path.absolute().parent.parts):
        left = folder.replace(task, "").strip("_-")
        if left and _RUN.fullmatch(left) is None:
            return left, run
        run = left or run
    return "?", run
