"""A number in place of a baseline, as scores of one data set are compared with it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import count, join
from benchinfer.scores.read import read_scores
from benchinfer.scores.table import ScoreTable


def with_bar(
    scores: ScoreTable, measures: Sequence[str], candidate: str, bar: float
) -> tuple[ScoreTable, str]:
    """Return the scores of a candidate beside the number on each replication, and its name.

    Paired tests of the two are tests of one sample against the number.

    Raises
    ------
    ArgumentError
        The number is not finite, or the candidate is not in the table.
    DesignError
        There are several measures or data sets, or scores that a number does not go with.
    """
    name = f"{bar:.12g}"
    if not math.isfinite(bar):
        raise ArgumentError(f"baseline is {bar!r}.", hint="a finite number, as in 3.28.")
    if candidate not in scores.algorithms:
        raise ArgumentError(unknown("candidate", candidate, scores.algorithms))
    if len(measures) > 1:
        raise DesignError(
            f"the baseline {name} has one unit, and measures are {join(measures)}.",
            hint=f"judge one of them, as in measure={measures[0]!r}.",
        )
    measure, side = scores.measure(measures[0]), scores.subset(algorithms=[candidate])
    frame = side.to_frame(measure.name)
    if measure.limit is not None or scores.units is not None:
        what = "nested units" if measure.limit is None else "a limit"
        raise DesignError(
            f"a number in place of a baseline does not go with {what}.",
            hint="name an algorithm that has scores.",
        )
    if (d := frame["dataset"].nunique()) > 1:
        raise DesignError(
            f"{count(d, 'data set')} have levels of their own, and the baseline is the number"
            f" {name}.",
            hint="where=\"dataset == 'NAME'\" takes the scores of one.",
        )
    import pandas as pd

    both = pd.concat([frame, frame.assign(algorithm=name, value=bar)], ignore_index=True)
    table = read_scores(both, measures=[measure], resampling=scores.resampling, paired=True)
    return table, name
