"""Logs of FLAML."""

import json
from pathlib import Path
from typing import Any

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count
from benchinfer.scores.formats.format import Format, Results, is_score

_KEYS = {"record_id", "learner", "validation_loss", "config"}


def flaml(path: Path, typed: str) -> Results | None:
    """Return the validation loss of each trial of a log; lines that name the best one are none.

    A log without a trial is of another tool.
    """
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
    if not rows:
        return None
    if odd:
        raise ScoreTableError(
            f"the log of FLAML {typed!r} has {count(odd, 'line')} that are no records of trials.",
            hint="the file is damaged, or of a version of the tool that writes it otherwise.",
        )
    form = Format(
        "FLAML, log",
        layout="wide-measures",
        measures=(Measure("validation_loss", "lower"),),
        note="trials of a search are no independent replications of an algorithm",
    )
    return form, rows
