"""What a table holds, in one line and in statistics of its cells."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.frames import frame as tidy
from benchinfer.measure import Measure
from benchinfer.scores.cells import deviation
from benchinfer.scores.rate_intervals import RateInterval
from benchinfer.scores.rows import Rows, quantiles
from benchinfer.scores.summary import Summary

if TYPE_CHECKING:
    import pandas as pd


def spread(rows: Rows, own: Summary) -> NDArray[np.float64]:
    """Return (D, K, 5) minimum, quartiles and maximum, NaN where there is no score.

    Parameters
    ----------
    rows
        The scores of one measure.
    own
        Summary of the measure.
    """
    d, k = np.nonzero(own.n[0])
    inner = quantiles(rows, own.n[0, d, k], (0.25, 0.5, 0.75))
    result = np.full((*own.n.shape[1:], 5), np.nan)
    result[d, k] = np.column_stack([own.minimum[0, d, k], *inner, own.maximum[0, d, k]])
    return result


def statistics(
    rows: Rows, own: Summary, measure: Measure, interval: RateInterval | None = None
) -> "pd.DataFrame":
    """Summarise the scores of one measure per data set and algorithm.

    Parameters
    ----------
    rows
        The scores of the measure.
    own
        Summary of the measure.
    measure
        The measure.
    interval
        Of the rates, if asked for.

    Returns
    -------
    pandas.DataFrame
        One row per cell that has a score.
    """
    d, k = np.nonzero(own.n[0])
    n = own.n[0, d, k]
    minimum, low, middle, high, maximum = spread(rows, own)[d, k].T
    return tidy(
        {
            "dataset": [own.datasets[i] for i in d],
            "algorithm": [own.algorithms[i] for i in k],
            "n": n,
            "mean": own.mean[0, d, k],
            "sd": deviation(n, own.squares[0, d, k]),
            "median": middle,
            "minimum": minimum,
            "q25": low,
            "q75": high,
            "maximum": maximum,
            **(interval.columns(rows, n, own.mean[0, d, k], measure) if interval else {}),
        }
    )


def line(
    summary: Summary, measures: Sequence[Measure], covariates: Sequence[str], *, paired: bool
) -> str:
    """Say how much a table holds, of which measures, and what is missing."""
    expected = summary.expected(paired=paired)
    there = expected[expected > 0]
    low, high = (int(there.min()), int(there.max())) if there.size else (0, 0)
    span = f"{low}" if low == high else f"{low} to {high}"
    missing = int((expected[:, :, None] - summary.replications).clip(min=0).sum())
    names = ", ".join(f"{m.name} ({m.better} is better)" for m in measures)
    kept = f"; covariates: {', '.join(covariates)}" if covariates else ""
    return (
        f"{_many(len(summary.datasets), 'data set')} x"
        f" {_many(len(summary.algorithms), 'algorithm')}, {span}"
        f" {'paired ' if paired else ''}replication{'' if high == 1 else 's'},"
        f" {_many(int(summary.n.sum()), 'score')}, {missing or 'none'} missing; {names}{kept}"
    )


def _many(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"
