"""Ranked readings of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.scores.roles.contradictions import contradictions, mark_named
from benchinfer.scores.roles.crossing import crossings
from benchinfer.scores.roles.layouts import Layouts
from benchinfer.scores.roles.names import OWN
from benchinfer.scores.roles.profile import profiles, sample
from benchinfer.scores.roles.reading import TableReading
from benchinfer.scores.roles.structure import structure

if TYPE_CHECKING:
    import pandas as pd

STRUCTURE = "read by structure"  # the rule of the note on a reading that was taken
_ALONE = 9.0  # margin of a reading without a rival


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def readings(
    frame: pd.DataFrame, declared: Mapping[str, str] | None = None, most: int = 5
) -> list[TableReading]:
    """Return the readings of a table, the likeliest first.

    Parameters
    ----------
    frame
        The table; of one with more than 200,000 rows a part is read, in which labels are whole.
    declared
        Column to role, as the user says: algorithm, dataset, replication, measure or score.
    most
        Number of readings.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"task": ["a", "a", "b", "b"], "solver": ["x", "y"] * 2,
    ...                       "acc": [0.5, 0.7, 0.61, 0.8], "acc_std": [0.1, 0.2, 0.1, 0.2]})
    >>> first = readings(frame)[0]
    >>> first.roles["acc"], first.roles["acc_std"], first.directions, first.shape
    ('score', 'companion', {'acc': 'higher'}, (2, 2, 1))
    """
    if not len(frame) or not frame.shape[1]:
        return []
    part = sample(frame).reset_index(drop=True)
    columns = profiles(part, declared or {})
    table = structure(columns, len(part))
    layouts = Layouts(table)
    results: dict[object, TableReading] = {}
    for crossing in crossings(table):
        for reading in layouts.complete(crossing):
            best = results.get(reading.identity)
            if best is None or best.weight < reading.weight:
                results[reading.identity] = reading
    ranked = sorted(results.values(), key=lambda r: -r.weight)[: max(most, 2)]
    by_name = {column.name: column for column in columns}
    after = [*(r.weight for r in ranked[1:]), None][: len(ranked)]
    return [
        replace(
            reading,
            margin=_ALONE if weight is None else reading.weight - weight,
            named=mark_named(reading, by_name),
            contradictions=contradictions(reading, by_name, len(part)),
        )
        for reading, weight in zip(ranked, after, strict=True)
    ][:most]


def labels_apart(frame: pd.DataFrame, declared: Mapping[str, str]) -> dict[str, int]:
    """Return the columns of labels that tell rows apart, with the number of labels of each."""
    part = sample(frame).reset_index(drop=True)
    table = structure(profiles(part, declared), len(part))
    return {} if table.row_label is not None else {c.name: c.n for c in table.key}


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def only_algorithm(frame: pd.DataFrame, declared: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the column named as that of algorithms and its only label; None if it has several."""
    columns = profiles(sample(frame), declared)
    named = [c for c in columns if c.named("algorithm") >= OWN and c.leading() == "algorithm"]
    single = [c for c in named if c.n == 1]
    return (single[0].name, single[0].labels[0]) if single and len(single) == len(named) else None
