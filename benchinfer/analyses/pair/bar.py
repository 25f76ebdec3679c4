"""A number that the scores of algorithms on one data set are compared with."""

from __future__ import annotations

import math

from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.scores.read import read_scores
from benchinfer.scores.table import ScoreTable


def name_of(bar: float) -> str:
    """Return the name of a number among algorithms."""
    return f"{bar:.12g}"


def with_bar(scores: ScoreTable, measure: str | None, bar: float) -> ScoreTable:
    """Return the scores beside the number on each replication, as those of another algorithm.

    Paired tests of an algorithm and the number are tests of one sample.

    Raises
    ------
    ArgumentError
        The number is not finite, or an algorithm bears its name.
    DesignError
        There are several data sets, or scores that a number does not go with.
    """
    name, of = name_of(bar), scores.measure(measure)
    if not math.isfinite(bar):
        raise ArgumentError(f"baseline is {bar!r}.", hint="a finite number, as in 3.28.")
    if name in scores.algorithms:
        raise ArgumentError(
            f"baseline is {name}, and there is an algorithm of this name.",
            hint="pair=... names two algorithms.",
        )
    if of.limit is not None or scores.units is not None:
        what = "nested units" if of.limit is None else "a limit"
        raise DesignError(
            f"a number in place of a baseline does not go with {what}.",
            hint="name an algorithm that has scores.",
        )
    frame = scores.to_frame(of.name)
    if (d := frame["dataset"].nunique()) > 1:
        raise DesignError(
            f"{count(d, 'data set')} have levels of their own, and the baseline is the number"
            f" {name}.",
            hint="where=\"dataset == 'NAME'\" takes the scores of one.",
        )
    import pandas as pd

    number = frame.drop_duplicates("replication").assign(algorithm=name, value=bar)
    both = pd.concat([frame, number], ignore_index=True)
    return read_scores(both, measures=[of], resampling=scores.resampling, paired=True)
