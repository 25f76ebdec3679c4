"""Logs of the Trainer of Transformers."""

from pathlib import Path

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import (
    Format,
    Record,
    Results,
    directed,
    has_record,
    is_score,
    records,
)

_PART = ("eval_", "test_")


def trainer_state(document: Record, _: Path) -> Results | None:
    """Return the rows of ``log_history`` in ``trainer_state.json``: losses, then evaluations."""
    if not has_record(document["log_history"], "step"):
        return None
    logs = records(document, "log_history", "Transformers")
    names = dict.fromkeys(
        name for log in logs for name, value in log.items() if is_score(value) or value is None
    )
    rows = [{name: log.get(name) for name in names} for log in logs]
    measures: list[Measure] = []
    for name in names:
        plain = name.removeprefix(_PART[0]).removeprefix(_PART[1])
        if name != plain and plain == "loss":
            measures.append(Measure(name, "lower"))
        elif name != plain:
            measures += [Measure(name, m.better, bounds=m.bounds) for m in directed([plain])]
    return Format("Transformers, trainer_state.json", {}, "wide-measures", tuple(measures)), rows
