"""Worths of algorithms with intervals that compare any two: estimates and quasi-standard errors."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import norm

from benchinfer.compare.phrases import count
from benchinfer.plots import intervals
from benchinfer.plots.intervals import Interval, Intervals, room
from benchinfer.plots.style import Width, short, signed

if TYPE_CHECKING:
    from benchinfer.compare.wins_comparison import WinsComparison

size, draw = intervals.size, intervals.draw

# Two intervals of a level of 84 % do not overlap where a difference is about significant at 5 %.
_TIMES = float(norm.ppf(0.975)) / np.sqrt(2)


def layout(result: "WinsComparison", width: Width = "wide") -> Intervals:
    """Lay out the log worth of each algorithm, the best first.

    Parameters
    ----------
    result
        Wins.
    width
        ``"narrow"`` sets the names above the intervals.
    """
    names = short(result.algorithms, 32)
    reach = _TIMES * np.sqrt(np.maximum(result.quasi.variance, 0.0))
    order = np.argsort(-result.log_worth, kind="stable")
    rows = tuple(
        Interval(
            names[result.algorithms[k]],
            signed(float(f"{result.log_worth[k]:.2f}")),
            float(result.log_worth[k]),
            float(result.log_worth[k] - reach[k]),
            float(result.log_worth[k] + reach[k]),
        )
        for k in order
    )
    worst = max(-result.quasi.low, result.quasi.high)
    ends = [end for row in rows for end in (row.low, row.high)]
    measure = result.counted.scored.measure
    reading = (
        "lines: 1.39 quasi-standard errors; where two do not overlap, their difference alone is"
        " about significant at 5 %"
    )
    exact = (
        f"the errors of differences that they give are off by at most {100 * worst:.0f} %;"
        " of many pairs read the adjusted contrasts"
    )
    return Intervals(
        rows=rows,
        limits=room(ends, log=False),
        log=False,
        reference=0.0,
        sides=("\N{LEFTWARDS ARROW} wins less often", "wins more often \N{RIGHTWARDS ARROW}"),
        title=f"Worths by wins in {measure.name}, {measure.better} is better",
        axis="log worth; a difference is the log odds that one wins against the other",
        notes=(reading, exact),
        width=width,
        alt=f"Dots with intervals: the log worth of {count(len(rows), 'algorithm')}, best first:"
        f" {', '.join(f'{row.label} {row.said}' for row in rows)}.",
    )
