"""Which cells to run next."""

import re

import numpy as np

from benchinfer.sequential.course import Columns, Course, wanted
from benchinfer.sequential.gathered import Gathered


def next_cells(gathered: Gathered, course: Course, measures: int) -> list[Columns]:
    """Return per measure the cells that complete the next stage, as columns of codes and names."""
    feed, pairs = gathered.feed, gathered.pairs
    if not course.live.any():
        return [{}] * measures
    k = len(feed.algorithms) // measures
    who = wanted(pairs, course.live, len(feed.algorithms))
    rows: list[tuple[int, str, int]] = []
    for d, (lacking, algorithms, more) in enumerate(feed.lacking(who)):
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
