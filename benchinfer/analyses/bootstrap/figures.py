"""Figures of bootstrapped aggregates, improvement and performance profiles.

Few algorithms share a panel. Of many each has a panel of its own, in which the range of all of them
is shaded: more than six colours cannot be distinguished.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from benchinfer.analyses.bootstrap.comparison import BootstrapComparison
from benchinfer.comparison.figures import COMPARISON
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.numerics.types import Array
from benchinfer.plots import bars
from benchinfer.plots.bars import Interval, Intervals, room
from benchinfer.plots.curves import (
    PANEL,
    STYLES,
    ProfileCurve,
    ProfileLayout,
    draw_profile,
    size_profile,
    ticks_across,
    told_apart,
)
from benchinfer.plots.draw import Kind
from benchinfer.plots.panels import scaled
from benchinfer.plots.style import PAGE, Width, is_wide, measure_name, signed
from benchinfer.plots.text import fitted, key

_OPEN = "no ends"
_NOTE = "of each algorithm alone: whether two of them overlap is no test of their difference"


def layout_aggregates(result: BootstrapComparison, width: Width = PAGE) -> Intervals:
    """Return the layout of the aggregates of the algorithms with their intervals, best first."""
    measure, table = result.measure, result.summary().iloc[[*result.pairs.best_first]]
    names = bars.labels(result.algorithms, [_OPEN], width)
    finite = np.isfinite(table[["conf_low", "conf_high"]].to_numpy(dtype=np.float64)).all(axis=1)
    unbounded = count(len(table) - int(finite.sum()), "interval")
    rows = tuple(
        Interval(names[algorithm], "" if np.isfinite(high - low) else _OPEN, estimate, low, high)
        for algorithm, estimate, low, high in zip(
            *(table[name].tolist() for name in ("algorithm", "estimate", "conf_low", "conf_high")),
            strict=True,
        )
    )
    name = measure_name(measure)
    log, unit = measure.scale == "log", measure.unit_mark
    ends = [end for row in rows for end in (row.value, row.low, row.high)]
    best, value = table["algorithm"].iloc[0], signed(float(f"{rows[0].value:.3g}"))
    return Intervals(
        rows=rows,
        limits=room(ends, log=log),
        log=log,
        reference=None,
        sides=("", ""),
        title=f"Aggregates: {name}, {measure.better} is better",
        axis=f"{result.statistic} of {name}{unit}",
        notes=(
            f"lines: {100 * result.level:g} % intervals {_NOTE}",
            *(
                (f"{unbounded} without ends, which resamples do not reach",)
                if not finite.all()
                else ()
            ),
            *key(names),
        ),
        width=width,
        alt=f"Dots with intervals: the {result.statistic} of {name} of"
        f" {count(len(rows), 'algorithm')}, {measure.better} is better. The best is {best} with"
        f" {value}.",
    )


size_aggregates, draw_aggregates = bars.size_intervals, bars.draw_intervals


def layout_improvement(
    result: BootstrapComparison, width: Width = PAGE, *, top: int | None = None
) -> Intervals:
    """Return the layout of the probabilities of improvement of the pairs.

    Pairs are in the order of their better-ranked, then of their worse-ranked algorithm.
    """
    measure = result.setting.measure
    table = result.pairs.in_order(result.probability_of_improvement(), neutral=0.5)
    names = bars.pair_labels(result.algorithms, " vs ", ["0.00"], width)
    columns = ("first", "second", "prob_improvement", "conf_low", "conf_high", "p_value")
    rows = tuple(
        Interval(
            f"{names[first]} vs {names[second]}",
            f"{value:.2f}",
            value,
            low,
            high,
            filled=p <= result._alpha,
        )
        for first, second, value, low, high, p in zip(
            *(table[name].tolist() for name in columns), strict=True
        )
    )
    name = measure_name(measure)
    decided = sum(row.filled for row in rows)
    shown = rows[:top]
    if result._unbounded > len(rows) / 2:
        raise DesignError(
            f"{result._unbounded:,} of {len(rows):,} intervals are from 0 to 1: resamples do not"
            " reach their ends at the level that holds for all pairs at once.",
            hint='kind="aggregates" shows the algorithms; adjust="none" has intervals of each pair'
            " alone.",
        )
    some = f"{len(shown):,} of {len(rows):,} pairs, those of the best-ranked algorithms"
    return Intervals(
        rows=shown,
        limits=(-0.02, 1.02),
        log=False,
        reference=0.5,
        sides=(
            "\N{LEFTWARDS ARROW} second wins more often",
            "first wins more often \N{RIGHTWARDS ARROW}",
        ),
        title=f"Probability of improvement: {name}, {measure.better} is better",
        axis="probability that a score of the first is better than one of the second",
        notes=(
            *_notes(result, shown),
            *([some] if len(shown) < len(rows) else []),
            *key(names),
        ),
        width=width,
        alt=f"Dots with intervals: probability of improvement of {count(len(rows), 'pair')} of"
        f" algorithms in {name}, {measure.better} is better; {decided} of them told from 1/2.",
    )


def _notes(result: BootstrapComparison, rows: tuple[Interval, ...]) -> tuple[str, ...]:
    alone = result.options.adjust == "none"
    kind = "intervals of each pair alone" if alone else "simultaneous intervals"
    filled = f"filled: p at most {result._alpha:.3g} for probability 1/2"
    notes = [f"{100 * result.level:g} % {kind}; {filled}"]
    if any((row.low, row.high) == (0, 1) for row in rows):
        notes.append("lines from 0 to 1: intervals that the resamples do not reach")
    return tuple(notes)


size_improvement, draw_improvement = bars.size_intervals, bars.draw_intervals


def layout_profile(result: BootstrapComparison, width: Width = PAGE) -> ProfileLayout:
    """Return the layout of the performance profiles: shares of scores better than thresholds."""
    measure = result.setting.measure
    name = measure_name(measure)
    return _laid(
        result,
        "scores",
        width,
        log=measure.scale == "log",
        title=f"Performance profiles: {name}",
        axis=f"across: threshold of {name}{measure.unit_mark};"
        f" up: share of scores that are {measure.better} (better)",
    )


def ratios(result: BootstrapComparison, width: Width = PAGE) -> ProfileLayout:
    """Return the layout of the performance profiles of ratios to the best algorithm."""
    measure = result.setting.measure
    name = measure_name(measure)
    of = f"mean {name} / that of the best"
    if measure.better == "higher":
        of = f"mean {name} of the best / that of the algorithm"
    return _laid(
        result,
        "ratios",
        width,
        log=True,
        title=f"Performance profiles of ratios to the best: {name}",
        axis=f"across: {of}; up: share of data sets where it is at most that",
    )


def _laid(
    result: BootstrapComparison,
    kind: Literal["scores", "ratios"],
    width: Width,
    *,
    log: bool,
    title: str,
    axis: str,
) -> ProfileLayout:
    table, k = result.profile(kind), len(result.algorithms)
    threshold = table["threshold"].to_numpy().reshape(k, -1)[0]
    rising = np.argsort(threshold, kind="stable")
    threshold = threshold[rising]
    share, low, high = (
        table[column].to_numpy().reshape(k, -1)[:, rising]
        for column in ("proportion", "band_low", "band_high")
    )
    together = is_wide(width) and k <= len(STYLES) and told_apart(low, high)
    columns = min(k, 2) if not is_wide(width) else 4 if k <= 8 else 5
    room = 0.25 * width if together else PANEL * (width - 0.3) / columns - 0.05
    names = fitted(result.algorithms, room, bold=not together)
    curves = [
        ProfileCurve(names[result.algorithms[a]], share[a], low[a], high[a])
        for a in result.pairs.best_first
    ]
    ends = float(threshold[0]), float(threshold[-1])
    bands = (
        f"{'shaded' if together else 'blue'}: {100 * result.level:g} % band that holds the whole"
        " curve of an algorithm"
    )
    others = f"grey: range of all algorithms; dashed: {curves[0].label}, whose aggregate is best"
    return ProfileLayout(
        curves=tuple(curves),
        across=scaled(threshold, *ends, log=log),
        steps=kind == "ratios",
        ticks=ticks_across(ends, 7 if together else 3, log=log),
        columns=0 if together else columns,
        title=title,
        axis=axis,
        notes=(bands, *(() if together else (others,)), *key(names)),
        width=width,
        alt=_alt(title, curves, threshold),
    )


def _alt(title: str, curves: list[ProfileCurve], threshold: Array) -> str:
    middle = len(threshold) // 2
    said = ", ".join(f"{curve.label} {curve.share[middle]:.2f}" for curve in curves[:3])
    of = "" if len(curves) <= 3 else " of the three whose aggregates are best"
    return (
        f"{title}; curves of {count(len(curves), 'algorithm')}. Shares{of} at the threshold"
        f" {signed(float(f'{threshold[middle]:.3g}'))}: {said}."
    )


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    BootstrapComparison: {
        **COMPARISON,
        "aggregates": Kind(layout_aggregates, size_aggregates, draw_aggregates),
        "profile": Kind(layout_profile, size_profile, draw_profile),
        "ratios": Kind(ratios, size_profile, draw_profile),
        "improvement": Kind(layout_improvement, size_improvement, draw_improvement),
    },
}
