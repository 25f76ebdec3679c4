"""Results of tau-bench."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.catalogue import name_of
from benchinfer.scores.formats.format import Format, Record, Results
from benchinfer.scores.resampling import Resampling

# {strategy}-{model}-{temperature}_range_{first}-{last}_user-{model}-{strategy}_{time}
_NAME = re.compile(r"(.+?)_range_-?\d+--?\d+(_user-.*)?")


def tau_bench(records: Sequence[Record], name: str) -> Results:
    """Return the reward of each trial of each task.

    A trial that ended by an error has the reward 0 that the tool wrote.
    """
    named = _NAME.match(name)
    agent = named[1] if named is not None else name_of(Path(name))
    errors = sum(isinstance(r["info"], Mapping) and "error" in r["info"] for r in records)
    rows: list[dict[str, Any]] = [
        {
            "algorithm": agent,
            "task": str(record["task_id"]),
            "trial": str(record["trial"]),
            "reward": record["reward"],
        }
        for record in records
    ]
    several = len({row["trial"] for row in rows}) > 1
    ended = f"{errors} of {len(rows)} trials of {name} ended by an error, with reward 0"
    return Format(
        "tau-bench",
        {"task": "replication"},
        "wide-measures",
        (Measure("reward", "higher", bounds=(0.0, 1.0)),),
        Resampling("items"),
        note=ended if errors else "",
        units=("task", "trial") if several else (),
        unused=() if several else ("trial",),
    ), rows
