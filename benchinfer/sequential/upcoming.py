"""Which cells to run next."""

import re
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.phrases import count, join
from benchinfer.sequential.course import Columns, Course, wanted
from benchinfer.sequential.design import MonitorDesign
from benchinfer.sequential.gathered import Gathered

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 5  # replications


def next_cells(gathered: Gathered, course: Course, design: MonitorDesign) -> list[Columns]:
    """Return per measure the cells that complete the next stage, as columns of codes and names."""
    feed, pairs = gathered.feed, gathered.pairs
    measures = design.n_measures
    if not course.live.any():
        return [{}] * measures
    k = len(feed.algorithms) // measures
    who = wanted(pairs, course.live, len(feed.algorithms))
    rows: list[tuple[int, str, int]] = []
    for d, (lacking, algorithms, more) in enumerate(feed.lacking(who, _size(course, design))):
        rows += [(d, feed.name(row), int(k)) for row, k in zip(lacking, algorithms, strict=True)]
        rows += [
            (d, name, int(k))
            for name in new_names(feed.names(d), more)
            for k in np.flatnonzero(who)
        ]
    each = [[row for row in rows if row[2] // k == i] for i in range(measures)]
    return [_columns(own, k) for own in each]


def _columns(rows: list[tuple[int, str, int]], k: int) -> Columns:
    if not rows:
        return {}
    dataset, replication, algorithm = zip(*rows, strict=True)
    return {
        "dataset": np.array(dataset),
        "replication": np.array(replication, dtype=object),
        "algorithm": np.array(algorithm) % k,
    }


def _listed(names: list[str]) -> str:
    """Name replications: those that follow each other by the first and last.

    Examples
    --------
    >>> _listed(["r7", "r8", "r9"]), _listed(["1", "18"]), _listed(list("acegik"))
    ('r7 to r9', '1 and 18', 'a, c, e, ... k')
    """
    if len(names) > 2 and new_names(names[:1], len(names) - 1) == names[1:]:
        return f"{names[0]} to {names[-1]}"
    return join(names) if len(names) <= _NAMED else f"{', '.join(names[:3])}, ... {names[-1]}"


def new_names(names: list[str], n: int) -> list[str]:
    """Return names numbered on from the last one; if it has no number, from how many there are.

    Examples
    --------
    >>> new_names(["r8", "r9"], 2), new_names(["a", "b"], 1), new_names([], 1)
    (['r10', 'r11'], ['3'], ['1'])
    """
    found = re.fullmatch(r"(.*?)(\d+)", names[-1]) if names else None
    if found is None:
        return [str(len(names) + i) for i in range(1, n + 1)]
    start, digits = found[1], found[2]
    return [f"{start}{int(digits) + i:0{len(digits)}d}" for i in range(1, n + 1)]


def _size(course: Course, design: MonitorDesign) -> int:
    """Return the replications of the next stage: on the anytime route what the budget leaves."""
    if design.method != "anytime" or design.last_stage is None:
        return design.stage
    left = design.last_stage * design.stage - int(course.used[course.live].max())
    return min(design.stage, left)


def said(cells: "pd.DataFrame") -> list[str]:
    """Say which cells to run next, one line per data set.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = pd.DataFrame({"dataset": ["d"] * 4, "replication": ["1", "1", "2", "2"],
    ...                       "algorithm": ["a", "b", "a", "b"]})
    >>> said(cells)
    ['d: a and b, 2 replications (1 and 2)']
    """
    found: list[str] = []
    for dataset, part in cells.groupby("dataset", sort=False):
        who = part.groupby("replication", sort=False)["algorithm"].agg(tuple)
        lists = [
            f"{join(names)}, {count(len(own), 'replication')} ({_listed(own)})"
            for names in dict.fromkeys(who)
            for own in [who.index[[one == names for one in who]].tolist()]
        ]
        found.append(f"{dataset}: {'; '.join(lists)}")
    return found
