"""Logs of FLAML."""

import json
from pathlib import Path
from typing import Any

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Results, is_score

_KEYS = {"record_id", "learner", "validation_loss", "config"}


def flaml(path: Path, typed: str) -> Results:
    """Return the validation loss of each trial of a log; lines that name the best one are none."""
    rows: list[dict[str, Any]] = []
    odd = 0
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                record = json.loads(line) if line.strip() else None
            except ValueError:
                odd += 1
                continue
            if isinstance(record, dict) and record.keys() >= _KEYS:
                loss = record["validation_loss"]
                rows.append(
                    {
                        "algorithm": str(record["learner"]),
                        "replication": str(record["record_id"]),
                        "validation_loss": loss if is_score(loss) else None,
                    }
                )
            elif record is not None and not (
                isinstance(record, dict) and record.keys() == {"curr_best_record_id"}
            ):
                odd += 1
    if odd or not rows:
        raise ScoreTableError(
            f"{typed!r} is no log of FLAML: {odd} lines are no records of trials.",
            hint="other logs are read where they are saved as a table, CSV or JSON lines.",
        )
    form = Format(
        "FLAML, log",
        layout="wide-measures",
        measures=(Measure("validation_loss", "lower"),),
        note="trials of a search are no independent replications of an algorithm",
    )
    return form, rows
