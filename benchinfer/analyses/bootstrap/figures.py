"""Figures of bootstrapped aggregates, improvement and performance profiles.

Few algorithms share a panel. Of many each has a panel of its own, in which the range of all of them
is shaded: more than six colours cannot be distinguished.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchinfer.analyses.bootstrap.comparison import BootstrapComparison
from benchinfer.comparison.figures import COMPARISON
from benchinfer.core.numbers import count
from benchinfer.numerics.types import Array, Flags
from benchinfer.plots import bars
from benchinfer.plots.bars import Interval, Intervals, room
from benchinfer.plots.draw import Kind
from benchinfer.plots.layout import Layout
from benchinfer.plots.panels import scaled
from benchinfer.plots.style import (
    FAINT,
    HAIR,
    INK,
    PAGE,
    Width,
    bare,
    is_wide,
    lines,
    measure_name,
    name_axis,
    signed,
    ticks,
)
from benchinfer.plots.text import fitted, key, plain, pt, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_NOTE = "of each algorithm alone: whether two of them overlap is no test of their difference"


def layout_aggregates(result: "BootstrapComparison", width: Width = PAGE) -> Intervals:
    """Lay out the level of each algorithm."""
    measure, table = result.measure, result.summary().iloc[result.best_first()]
    names = bars.labels(result.algorithms, [""], width)
    rows = tuple(
        Interval(names[algorithm], "", estimate, low, high)
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
        notes=(f"lines: {100 * result.level:g} % intervals {_NOTE}", *key(names)),
        width=width,
        alt=f"Dots with intervals: the {result.statistic} of {name} of"
        f" {count(len(rows), 'algorithm')}, {measure.better} is better. The best is {best} with"
        f" {value}.",
    )


size_aggregates, draw_aggregates = bars.size_intervals, bars.draw_intervals


def layout_improvement(
    result: "BootstrapComparison", width: Width = PAGE, *, top: int | None = None
) -> Intervals:
    """Lay out pairs in the order of their better, then their worse placed algorithm."""
    measure = result.setting.measure
    table = result.turned(result.probability_of_improvement())
    names = bars.pair_labels(result.algorithms, " vs ", ["0.00"], width)
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
    shown = rows[:top]
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


def _notes(result: "BootstrapComparison", rows: tuple[Interval, ...]) -> tuple[str, ...]:
    alone = result.options.adjust == "none"
    kind = "intervals of each pair alone" if alone else "simultaneous intervals"
    notes = [
        f"{100 * result.level:g} % {kind}; filled: p at most {result.alpha:.3g} for probability 1/2"
    ]
    if any((row.low, row.high) == (0, 1) for row in rows):
        notes.append("lines from 0 to 1: intervals that the resamples do not reach")
    return tuple(notes)


size_improvement, draw_improvement = bars.size_intervals, bars.draw_intervals


# Okabe & Ito's without black and yellow; dashes tell them apart in grey.
STYLES = (
    ("#0072B2", "-"),
    ("#D55E00", (0, (5, 1.5))),
    ("#009E73", (0, (1.5, 1))),
    ("#CC79A7", (0, (6, 1.5, 1.5, 1.5))),
    ("#E69F00", (0, (3, 1))),
    ("#56B4E9", (0, (8, 2))),
)
_COLUMN, _ROW = 0.86, 0.74  # of a panel's pitch is used
_SMALL = 1.45  # inches that a small panel is high, heading and ticks included


@dataclass(frozen=True, slots=True)
class ProfileCurve:
    """The curve of an algorithm."""

    label: str  # the algorithm
    # share, low, high: (G,) shares and the band that holds the whole curve
    share: Array
    low: Array
    high: Array


@dataclass(frozen=True, slots=True)
class ProfileLayout(Layout):
    """Layout of the figure."""

    curves: tuple[ProfileCurve, ...]  # from the best algorithm on
    across: Array  # (G,) positions of the thresholds across a panel, from 0 to 1
    steps: bool  # whether curves jump at the thresholds; otherwise they run straight between them
    ticks: tuple[tuple[float, str], ...]  # position across a panel and text
    columns: int  # panels side by side; 0 if all curves share one panel

    @property
    def bands(self) -> int:
        """Number of rows of panels."""
        return -(-len(self.curves) // self.columns) if self.columns else 1


def layout_profile(result: "BootstrapComparison", width: Width = PAGE) -> ProfileLayout:
    """Lay out the shares of scores better than thresholds."""
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


def ratios(result: "BootstrapComparison", width: Width = PAGE) -> ProfileLayout:
    """Lay out the shares of data sets on which algorithms are within a ratio of the best."""
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
    result: "BootstrapComparison",
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
    together = is_wide(width) and k <= len(STYLES)
    columns = min(k, 2) if not is_wide(width) else 4 if k <= 8 else 5
    room = 0.25 * width if together else _COLUMN * (width - 0.3) / columns - 0.05
    names = fitted(result.algorithms, room, bold=not together)
    curves = [
        ProfileCurve(names[result.algorithms[a]], share[a], low[a], high[a])
        for a in result.best_first()
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
        ticks=_ticks(ends, 7 if together else 3, log=log),
        columns=0 if together else columns,
        title=title,
        axis=axis,
        notes=(bands, *(() if together else (others,)), *key(names)),
        width=width,
        alt=_alt(title, curves, threshold),
    )


def _ticks(ends: tuple[float, float], n: int, *, log: bool) -> tuple[tuple[float, str], ...]:
    low, high = ends
    places = ticks(low, high, n, log=log) if high > low else [low]
    # Ends of a logarithmic axis that is short of round numbers.
    if len(places) > n:
        places = places[:: -(-len(places) // n)]
    at = scaled(np.array(places), low, high, log=log)
    return tuple((float(x), signed(value)) for x, value in zip(at, places, strict=True))


def _alt(title: str, curves: list[ProfileCurve], threshold: Array) -> str:
    middle = len(threshold) // 2
    said = ", ".join(f"{curve.label} {curve.share[middle]:.2f}" for curve in curves[:3])
    of = "" if len(curves) <= 3 else " of the three whose aggregates are best"
    return (
        f"{title}; curves of {count(len(curves), 'algorithm')}. Shares{of} at the threshold"
        f" {signed(float(f'{threshold[middle]:.3g}'))}: {said}."
    )


def size_profile(profile: ProfileLayout) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    below = 0.165 * (wrapped(profile.axis, profile.width - 0.5).count("\n") + 1)
    return profile.width, 0.15 + below + (_SMALL * profile.bands if profile.columns else 2.9)


def draw_profile(profile: ProfileLayout, ax: "Axes") -> None:
    """Draw the profiles into an Axes."""
    columns = profile.columns or 1
    ax.set_xlim(-0.09 if profile.columns else -0.05, columns - (1 - _COLUMN) + 0.02)
    ax.set_ylim(
        -(profile.bands - 1) - (0.16 if profile.columns else 0.08),
        0.95 if profile.columns else _ROW + 0.03,
    )
    bare(ax)
    name_axis(ax, profile.axis, profile.width - 0.5)
    if not profile.columns:
        _together(profile, ax)
        return
    low = np.min([curve.share for curve in profile.curves], axis=0)
    high = np.max([curve.share for curve in profile.curves], axis=0)
    for n, curve in enumerate(profile.curves):
        left, base = float(n % columns), -float(n // columns)
        _frame(profile, ax, left, base, (0.0, 0.5, 1.0))
        _fill(profile, ax, (left, base), (low, high), "#DDDFE3", 1.0)
        _fill(profile, ax, (left, base), (curve.low, curve.high), "#0072B2", 0.35)
        _line(profile, ax, (left, base), curve.share, ("#0072B2", "-"), 1.6)
        if n:
            _line(profile, ax, (left, base), profile.curves[0].share, (INK, (0, (4, 2))), 0.9)
        name = plain(curve.label)
        ax.text(left, base + _ROW + 0.05, name, fontsize=pt(8.5), fontweight="bold", color=INK)


def _together(profile: ProfileLayout, ax: "Axes") -> None:
    """Draw all curves into one panel, with their names next to it."""
    _frame(profile, ax, 0.0, 0.0, (0.0, 0.25, 0.5, 0.75, 1.0))
    for curve, style in zip(profile.curves, STYLES, strict=False):
        _fill(profile, ax, (0.0, 0.0), (curve.low, curve.high), style[0], 0.1)
        _line(profile, ax, (0.0, 0.0), curve.share, style, 1.6, name=plain(curve.label))
    ax.legend(
        loc="upper left",
        bbox_to_anchor=(1, 1),
        frameon=False,
        fontsize=pt(8.5),
        labelcolor=INK,
        handlelength=3.2,
        title="best aggregate first",
        title_fontsize=pt(7.5),
        alignment="left",
    )


def _frame(
    profile: ProfileLayout, ax: "Axes", left: float, base: float, shares: tuple[float, ...]
) -> None:
    """Draw grid and ticks of a panel."""
    grid = [(left, base + _ROW * s, left + _COLUMN, base + _ROW * s) for s in shares]
    grid += [
        (left + _COLUMN * at, base, left + _COLUMN * at, base + _ROW) for at, _ in profile.ticks
    ]
    lines(ax, grid, HAIR, 0.7, zorder=0)
    font = pt(7.5 if profile.columns else 8.5)
    for at, text in profile.ticks:
        x = left + _COLUMN * at
        ax.text(x, base - 0.03, text, fontsize=font, color=FAINT, ha="center", va="top")
    if left == 0:
        for s in shares:
            y = base + _ROW * s
            ax.text(-0.015, y, signed(s), fontsize=font, color=FAINT, ha="right", va="center")


def _turns(*curves: Array) -> Flags:
    """Return which points curves cannot do without: both ends, and those where one goes on."""
    needed = np.ones(len(curves[0]), dtype=np.bool_)
    moved = np.any([np.diff(curve) != 0 for curve in curves], axis=0)
    needed[1:-1] = moved[:-1] | moved[1:]
    return needed


def _fill(
    profile: ProfileLayout,
    ax: "Axes",
    start: tuple[float, float],
    ends: tuple[Array, Array],
    colour: str,
    alpha: float,
) -> None:
    turns = _turns(*ends)
    low, high = (start[1] + _ROW * end[turns] for end in ends)
    x, step = start[0] + _COLUMN * profile.across[turns], "post" if profile.steps else None
    ax.fill_between(x, low, high, color=colour, alpha=alpha, lw=0, step=step, zorder=1)


def _line(
    profile: ProfileLayout,
    ax: "Axes",
    start: tuple[float, float],
    share: Array,
    style: tuple[str, Any],
    lw: float,
    *,
    name: str = "",
) -> None:
    turns = _turns(share)
    ax.plot(
        start[0] + _COLUMN * profile.across[turns],
        start[1] + _ROW * share[turns],
        color=style[0],
        ls=style[1],
        lw=lw,
        drawstyle="steps-post" if profile.steps else "default",
        label=name or None,
        zorder=3,
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
