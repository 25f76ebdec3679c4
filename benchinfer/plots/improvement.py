"""Probability of improvement: how often a run of one algorithm beats a run of another."""

from typing import TYPE_CHECKING

from benchinfer.compare.phrases import count
from benchinfer.numerics.tukey import pairs_of
from benchinfer.plots import intervals
from benchinfer.plots.forest import order
from benchinfer.plots.intervals import Interval, Intervals
from benchinfer.plots.style import Width, measure_name, short

if TYPE_CHECKING:
    from benchinfer.compare.bootstrap_comparison import BootstrapComparison


def layout(result: "BootstrapComparison", width: Width = "wide") -> Intervals:
    """Lay out all pairs in the order of their better, then their worse placed algorithm.

    Parameters
    ----------
    result
        Bootstrapped aggregates.
    width
        ``"narrow"`` sets the words above the intervals.
    """
    measure = result.setting.measure
    pairs = pairs_of(len(result.algorithms))
    table = result.probability_of_improvement().iloc[order(result, pairs)]
    names = short(result.algorithms, 20 if width == "wide" else 14)
    columns = ("first", "second", "prob_improvement", "conf_low", "conf_high", "p_value")
    rows = tuple(
        Interval(
            f"{names[first]} vs {names[second]}",
            f"{value:.2f}",
            value,
            low,
            high,
            filled=p <= result.alpha,
        )
        for first, second, value, low, high, p in zip(
            *(table[name].tolist() for name in columns), strict=True
        )
    )
    name = measure_name(measure)
    decided = sum(row.filled for row in rows)
    return Intervals(
        rows=rows,
        limits=(-0.02, 1.02),
        log=False,
        reference=0.5,
        sides=(
            "\N{LEFTWARDS ARROW} second wins more often",
            "first wins more often \N{RIGHTWARDS ARROW}",
        ),
        title=f"Probability of improvement: {name}, {measure.better} is better",
        axis="probability that a score of the first is better than one of the second",
        notes=_notes(result, rows),
        width=width,
        alt=f"Dots with intervals: probability of improvement of {count(len(rows), 'pair')} of"
        f" algorithms in {name}, {measure.better} is better; {decided} of them told from 1/2.",
    )


def _notes(result: "BootstrapComparison", rows: tuple[Interval, ...]) -> tuple[str, ...]:
    alone = result.provenance.arguments["adjust"] == "none"
    kind = "intervals of each pair alone" if alone else "simultaneous intervals"
    notes = [
        f"{100 * result.level:g} % {kind}; filled: p at most {result.alpha:.3g} for probability 1/2"
    ]
    if any((row.low, row.high) == (0, 1) for row in rows):
        notes.append("lines from 0 to 1: intervals that the resamples do not reach")
    return tuple(notes)


size, draw = intervals.size, intervals.draw
