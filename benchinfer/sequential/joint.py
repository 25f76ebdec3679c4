"""Several measures watched together: each algorithm's score of each measure is a column of its own.

Columns are ordered by measure, then by algorithm; a pair is two columns of one measure.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Setting
from benchinfer.errors import DesignError, message
from benchinfer.scores import ScoreTable
from benchinfer.scores.cells import Blocks
from benchinfer.sequential.course import Columns, Course

type Index = NDArray[np.int64]


def refuse_unlike(settings: Sequence[Setting]) -> None:
    """Refuse measures that do not have scores of the same algorithms on the same data sets."""
    seen = {(s.algorithms, s.coverage.datasets) for s in settings}
    if len(seen) == 1:
        return
    where = [
        (s.measure.name, str(len(s.algorithms)), str(len(s.coverage.datasets))) for s in settings
    ]
    raise DesignError(
        message(
            "measures that are watched together need scores of the same algorithms on the same"
            " data sets.",
            where=[("measure", "algorithms", "data sets"), *where],
            hint="scores.subset(...) keeps what they share.",
            shown=len(where),
        )
    )


def columns(scores: ScoreTable, names: Sequence[str]) -> Blocks:
    """Reduce to one row per data set and replication, and the columns of all measures."""
    parts = [scores.blocks(name) for name in names]
    if len(parts) == 1:
        return parts[0]
    labels = tuple(dict.fromkeys(label for part in parts for label in part.labels))
    place = {label: i for i, label in enumerate(labels)}
    keys = [_keys(part, place) for part in parts]
    rows = np.unique(np.concatenate(keys))
    shape = (len(rows), sum(len(part.algorithms) for part in parts))
    count, mean = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    for i, (part, key) in enumerate(zip(parts, keys, strict=True)):
        k = len(part.algorithms)
        at = np.ix_(np.searchsorted(rows, key), np.arange(i * k, (i + 1) * k))
        count[at], mean[at] = part.count, part.mean
    return replace(
        parts[0],
        algorithms=tuple(
            f"{algorithm} ({name})"
            for part, name in zip(parts, names, strict=True)
            for algorithm in part.algorithms
        ),
        dataset=rows // len(labels),
        replication=rows % len(labels),
        labels=labels,
        count=count,
        mean=mean,
        within=np.hstack([part.within for part in parts]),
    )


def _keys(blocks: Blocks, place: dict[str, int]) -> Index:
    """Return a number for each row, by data set and replication."""
    label = np.array([place[label] for label in blocks.labels], dtype=np.int64)
    return blocks.dataset * len(place) + label[blocks.replication]


def split(course: Course, measures: int) -> list[Course]:
    """Return how the pairs of each measure went."""
    m = len(course.ends) // measures
    return [_part(course, i * m, (i + 1) * m) for i in range(measures)]


def _part(course: Course, first: int, last: int) -> Course:
    mine = slice(first, last)
    return Course(
        ends=course.ends[mine],
        used=course.used[mine],
        estimate=course.estimate[mine],
        p_value=course.p_value[mine],
        p_raw=course.p_raw[mine],
        provisional=course.provisional[mine],
        stages=_rows(course.stages, first, last),
        path=_rows(course.path, first, last),
        low=None if course.low is None else course.low[mine],
        high=None if course.high is None else course.high[mine],
        log_e=None if course.log_e is None else course.log_e[mine],
        path_each=_rows(course.path_each, first, last),
    )


def _rows(table: Columns, first: int, last: int) -> Columns:
    """Return the rows of pairs from first to before last, numbered anew."""
    if not table:
        return {}
    mine = (table["pair"] >= first) & (table["pair"] < last)
    found = {name: values[mine] for name, values in table.items()}
    return found | {"pair": found["pair"] - first}
