"""The stages of a running experiment as a table for readers."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.order.relation import Verdict
from benchinfer.plots.style import words
from benchinfer.reports.numbers import brief, fixed, p_value, significant
from benchinfer.reports.records import Cell, Column, Table
from benchinfer.reports.tables import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchinfer.sequential.monitor_comparison import MonitorComparison

_TEXTS = {
    "first": "first",
    "second": "second",
    "side": "better?",
    "dataset": "data set",
    "state": "state after it",
}
_HEADS = {
    "stage": "stage",
    "n": "replications",
    "p_dataset": "p of the data set",
    "p_stage": "p of the stage",
    "conditional_level": "level",
    "reject_at": "rejects up to",
    "accept_above": "futile above",
    "critical": "critical value",
    "statistic_dataset": "z of the data set",
    "statistic": "z",
    "boundary": "boundary",
    "log_e_dataset": "log e of the data set",
    "log_e": "log e",
    "p_raw": "p (anytime, unadjusted)",
}
_MOST = 200  # rows


def stages(result: "MonitorComparison") -> Table:
    """One row per pair, direction, data set and stage; of one data set without its own columns."""
    frame = result.stages()
    if len(result.setting.coverage.datasets) == 1:
        own = ["dataset", "p_dataset", "statistic_dataset", "log_e_dataset"]
        frame = frame.drop(columns=[name for name in own if name in frame])
    frame["state"] = [
        words(Verdict[end.upper()], a, b) if end in ("first", "second") else end
        for end, a, b in rows_of(frame, "state", "first", "second")
    ]
    frame = frame.sort_values(["first", "second", "stage"], kind="stable")
    shown = frame.head(_MOST)
    names = [name for name in ("first", "second", "side", "dataset", "stage", "n") if name in frame]
    names += [name for name in frame.columns if name not in (*names, "state")] + ["state"]
    columns = tuple(
        Column(name, _TEXTS.get(name) or _HEADS[name], numeric=name not in _TEXTS) for name in names
    )
    cells = [
        [Cell(str(v), "name") if name in _TEXTS else Cell(_written(name, v)) for v in shown[name]]
        for name in names
    ]
    left = len(frame) - len(shown)
    return Table(
        caption="Stages, what they found, and what they were held against",
        columns=columns,
        rows=tuple(zip(*cells, strict=True)),
        note=f"{left:,} more rows are in stages()." if left else "",
    )


def _written(name: str, value: object) -> str:
    number = float(str(value))
    if np.isnan(number):
        return fixed(number, 0)
    write: Callable[[float], str] = significant
    if name in ("stage", "n"):
        write = brief
    elif name in ("p_dataset", "p_stage", "p_raw"):
        write = p_value
    elif name.startswith(("statistic", "boundary", "log_e")):
        return fixed(number, 2)
    return write(number)
