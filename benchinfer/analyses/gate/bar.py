"""A number in place of the baseline of a gate."""

from __future__ import annotations

from collections.abc import Sequence

from benchinfer.analyses.pair.bar import name_of, with_bar
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import join
from benchinfer.scores.table import ScoreTable


def against_bar(
    scores: ScoreTable, measures: Sequence[str], candidate: str, bar: float
) -> tuple[ScoreTable, str]:
    """Return the scores of a candidate beside the number on each replication, and its name.

    Raises
    ------
    ArgumentError
        The number is not finite, or the candidate is not in the table.
    DesignError
        There are several measures or data sets, or scores that a number does not go with.
    """
    if candidate not in scores.algorithms:
        raise ArgumentError(unknown("candidate", candidate, scores.algorithms))
    if len(measures) > 1:
        raise DesignError(
            f"the baseline {name_of(bar)} has one unit, and measures are {join(measures)}.",
            hint=f"judge one of them, as in measure={measures[0]!r}.",
        )
    side = scores.subset(measures=list(measures), algorithms=[candidate])
    return with_bar(side, measures[0], bar), name_of(bar)
