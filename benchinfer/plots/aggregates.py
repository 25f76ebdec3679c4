"""Aggregates of the algorithms with their intervals, the best first."""

from typing import TYPE_CHECKING

from benchinfer.compare.phrases import count
from benchinfer.plots import intervals
from benchinfer.plots.intervals import Interval, Intervals, room
from benchinfer.plots.style import Width, measure_name, short, signed

if TYPE_CHECKING:
    from benchinfer.compare.bootstrap_comparison import BootstrapComparison

_NOTE = "of each algorithm alone: whether two of them overlap is no test of their difference"


def layout(result: "BootstrapComparison", width: Width = "wide") -> Intervals:
    """Lay out the level of each algorithm.

    Parameters
    ----------
    result
        Bootstrapped aggregates.
    width
        ``"narrow"`` sets the names above the intervals.
    """
    measure, table = result.measure, result.summary().sort_values("rank", kind="stable")
    names = short(result.algorithms, 32)
    rows = tuple(
        Interval(names[algorithm], "", estimate, low, high)
        for algorithm, estimate, low, high in zip(
            *(table[name].tolist() for name in ("algorithm", "estimate", "conf_low", "conf_high")),
            strict=True,
        )
    )
    name = measure_name(measure)
    log, unit = measure.scale == "log", f" [{measure.unit}]" if measure.unit else ""
    ends = [end for row in rows for end in (row.value, row.low, row.high)]
    best = rows[0]
    return Intervals(
        rows=rows,
        limits=room(ends, log=log),
        log=log,
        reference=None,
        sides=("", ""),
        title=f"Aggregates: {name}, {measure.better} is better",
        axis=f"{result.statistic} of {name}{unit}",
        notes=(f"lines: {100 * result.level:g} % intervals {_NOTE}",),
        width=width,
        alt=f"Dots with intervals: the {result.statistic} of {name} of"
        f" {count(len(rows), 'algorithm')}, {measure.better} is better. The best is {best.label}"
        f" with {signed(float(f'{best.value:.3g}'))}.",
    )


size, draw = intervals.size, intervals.draw
