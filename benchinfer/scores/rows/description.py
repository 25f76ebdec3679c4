"""Description of a table of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core import frames
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count
from benchinfer.numerics.rates import RATES, Rate, rate_interval
from benchinfer.numerics.types import Array
from benchinfer.scores.rows.nesting import NestedUnits, noun, plural
from benchinfer.scores.rows.reductions import deviation
from benchinfer.scores.rows.rows import Rows
from benchinfer.scores.rows.summary import Summary

if TYPE_CHECKING:
    import pandas as pd


def described(rows: Rows, summary: Summary) -> pd.DataFrame:
    """Return one row per cell that has a score; see `ScoreTable.describe`.

    The summary is that of one measure.
    """
    d, k = np.nonzero(summary.n[0])
    n, (low, middle, high) = summary.n[0, d, k], rows.quartiles(summary)[d, k].T
    columns = {
        "dataset": [summary.datasets[i] for i in d],
        "algorithm": [summary.algorithms[i] for i in k],
        "n": n,
        "mean": summary.mean[0, d, k],
        "sd": deviation(n, summary.squares[0, d, k]),
        "median": middle,
        "minimum": summary.minimum[0, d, k],
        "q25": low,
        "q75": high,
        "maximum": summary.maximum[0, d, k],
    }
    lacking = ("q25", "median", "q75") if rows.reduced else ()
    return frames.frame({c: v for c, v in columns.items() if c not in lacking})


def rate_intervals(
    values: Array, summary: Summary, measure: Measure, kind: Rate, sides: int, level: float
) -> dict[str, Array]:
    """Return the ends of the interval of the rate of each cell; see `ScoreTable.describe`.

    A bound leaves the better side open up to 0 or 1. `values` are the scores.

    Raises
    ------
    DesignError
        A part is not known, or a score is neither 0 nor 1.
    """
    if kind not in RATES:
        raise DesignError(unknown("interval", kind, RATES))
    if sides not in (1, 2):
        raise DesignError(unknown("sides", sides, (1, 2)))
    if not 0 < level < 1:
        raise DesignError(f"level is {level!r}.", hint="between 0 and 1, as in 0.95.")
    other = values[~np.isin(values, (0, 1))]
    if len(other):
        raise DesignError(
            f"{len(other):,} of {len(values):,} scores of measure {measure.name!r} are neither 0"
            f" nor 1, such as {other[0]:g}.",
            hint="intervals of rates are for items that are right or wrong; compare_pair and"
            " compare_mixed have intervals of differences of other scores.",
        )
    there = summary.n[0] > 0
    n, mean = summary.n[0, there], summary.mean[0, there]
    low, high = rate_interval(kind, np.round(n * mean), n.astype(np.float64), (1 - level) / sides)
    if sides == 1 and measure.better == "lower":
        low = np.zeros_like(low)
    elif sides == 1:
        high = np.ones_like(high)
    return {"conf_low": low, "conf_high": high}


def size_text(summary: Summary, units: NestedUnits | None, *, paired: bool) -> str:
    """Return the size of a table and its number of missing scores as text."""
    level = units.levels[0] if units else "replication"
    expected = summary.expected(paired=paired)
    there = expected[expected > 0]
    low, high = (int(there.min()), int(there.max())) if there.size else (0, 0)
    span = f"{low}" if low == high else f"{low} to {high}"
    missing = int((expected[:, :, None] - summary.replications).clip(min=0).sum())
    scores = count(int(summary.n.sum()), "mean" if units else "score")
    scores += f" of {plural(level)}" if units else ""
    return (
        f"{count(len(summary.datasets), 'data set')} x"
        f" {count(len(summary.algorithms), 'algorithm')}, {span}"
        f" {'paired ' if paired else ''}{noun(level) if high == 1 else plural(level)},"
        f" {scores}, {missing or 'none'} missing"
    )
