"""Figures of anytime-valid tests: e-process, confidence sequence, reorderings."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FixedLocator, NullLocator

from benchinfer.analyses.monitor.figures import paths
from benchinfer.analyses.monitor.figures.paths import MOST
from benchinfer.comparison.wording import margin
from benchinfer.core.errors import DesignError
from benchinfer.core.hints import Option
from benchinfer.core.numbers import count
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array
from benchinfer.plots import panels as plots_panels
from benchinfer.plots.panels import GridPanel, PanelGrid
from benchinfer.plots.style import (
    BAND,
    FAINT,
    HAIR,
    INK,
    MARKS,
    PAGE,
    Width,
    measure_name,
    signed,
    ticks,
)
from benchinfer.plots.text import fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.analyses.monitor.comparison import MonitorComparison
    from benchinfer.analyses.monitor.reordering import Consecutive


_LOW = -2.5  # powers of ten: whether a bet has lost more than that is of no interest
_HIGH = 8.0  # powers of ten beyond what decides: nor how much it has won
_ROOM = 0.4  # above the highest point
_MOST_LINES = 20  # data sets


@dataclass(frozen=True, slots=True, kw_only=True)
class CapitalPanel(GridPanel):
    """The capital of one pair.

    Attributes
    ----------
    verdict
        State of the pair.
    n, log10_e
        (q,) replications, and the capital as a power of ten.
    each
        The same of each data set, if there are several.
    """

    verdict: Verdict
    n: Array
    log10_e: Array
    each: tuple[tuple[Array, Array], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capitals(PanelGrid[CapitalPanel]):
    """All panels.

    Attributes
    ----------
    limits
        1 over the levels of the first and of the last of Holm's steps; the same of one pair.
    most
        The largest number of replications.
    reach
        Powers of ten at the ends of the axis.
    """

    limits: tuple[float, float]
    most: int
    reach: tuple[float, float]


def layout_e_process(result: "MonitorComparison", width: Width = PAGE) -> Capitals:
    """Lay out the e-processes of the pairs of a monitored experiment."""
    refuse_stages(result)
    design, shown = result.design, paths.chosen(result)
    panels = tuple(_panel(result, pair) for pair in shown)
    limits = (1 / design.alpha_pair, 1 / design.alpha)
    top = max([math.log10(limits[0]), *(float(p.log10_e.max(initial=0.0)) for p in panels)])
    highest = min(top, math.log10(limits[0]) + _HIGH)
    low = min([-0.5, *(float(p.log10_e.min(initial=0.0)) for p in panels)])
    name = measure_name(result.measure)
    return Capitals(
        panels=panels,
        title=f"Evidence of a difference: {name}",
        notes=(
            *_notes(result, limits),
            *(["triangle: beyond the axis"] if top > highest else []),
            *paths.notes(result, shown),
        ),
        x_label="replications",
        y_label="e-value",
        width=width,
        alt=f"E-values after each replication, in {name}. {plots_panels.described(panels)}.",
        limits=limits,
        most=max([2, *(int(p.n.max(initial=0)) for p in panels)]),
        reach=(max(low, _LOW) - 0.15, highest + _ROOM),
    )


def refuse_stages(result: "MonitorComparison") -> None:
    """Refuse an experiment that is watched by stages."""
    if result.design.method != "anytime":
        raise DesignError(
            "there are no e-processes and confidence sequences where an experiment is watched"
            " by stages.",
            hint=f'"path" is the figure of stages; {Option("method", "anytime")} has e-processes.',
        )


def _panel(result: "MonitorComparison", pair: int) -> CapitalPanel:
    n, log_e = paths.path(result, pair, "n", "log_e")
    each = result.course.path_each
    first, second = paths.names(result, pair)
    parts: list[tuple[Array, Array]] = []
    if each:
        own = each["pair"] == pair
        for d in np.unique(each["dataset"][own])[:_MOST_LINES]:
            at = own & (each["dataset"] == d)
            parts.append((each["n"][at].astype(float), each["log_e_dataset"][at] / math.log(10)))
    return CapitalPanel(
        label=f"{first} vs {second}",
        note=paths.standing(result, pair),
        verdict=paths.verdict(result, pair),
        n=n,
        log10_e=log_e / math.log(10),
        each=tuple(parts),
    )


def _notes(result: "MonitorComparison", limits: tuple[float, float]) -> list[str]:
    many, d = result.design.n_pairs, len(result.setting.coverage.datasets)
    found = [f"dashed: at {limits[1]:.4g} the pair is decided, whenever one looks"]
    if many > 1:
        first, last = (f"{limit:.4g}" for limit in limits)
        whose = "" if result.design.n_measures == 1 else " of all measures"
        step = f"dotted: at {last} it is, once all other pairs{whose} are (Holm's steps)"
        found = [f"dashed: at {first} a pair is decided, whenever one looks; {step}"]
    if d > 1:
        more = f", {_MOST_LINES} of {d}" if d > _MOST_LINES else ""
        found.append(f"faint: data sets by themselves, whose evidence multiplies{more}")
    return found


size_e_process = plots_panels.size_grids


def draw_e_process(capitals: Capitals, ax: "Axes") -> None:
    """Draw the panels into an Axes."""
    low, high = capitals.reach
    step = max(1, math.ceil((high - low) / 6))
    ticks = [t for t in range(math.ceil(low), math.floor(high) + 1) if t % step == 0]
    for panel, inside in zip(capitals.panels, plots_panels.places(capitals, ax), strict=True):
        inside.set_xlim(0, capitals.most * 1.04)
        inside.set_ylim(low, high)
        inside.set_yticks(ticks, [plots_panels.power_of_ten(t) for t in ticks])
        inside.locator_params(axis="x", nbins=4, integer=True)
        _draw(panel, capitals, inside)


def _draw(panel: CapitalPanel, capitals: Capitals, ax: "Axes") -> None:
    low, top = capitals.reach[0], capitals.reach[1] - _ROOM
    ax.axhline(0, color=HAIR, lw=0.8, zorder=1)
    dashes = ("--", ":") if capitals.limits[0] > capitals.limits[1] else ("--",)
    for limit, dash in zip(capitals.limits, dashes, strict=False):
        ax.axhline(math.log10(limit), color=INK, lw=1.0, ls=dash, zorder=2)
    for n, log10_e in panel.each:
        ax.plot(n, np.clip(log10_e, low, top), "-", color=FAINT, lw=0.6, alpha=0.6, zorder=2)
    if not len(panel.n):
        return
    mark = MARKS[panel.verdict]
    beyond = bool(panel.log10_e[-1] > top)
    shown = np.clip(panel.log10_e, low, top)
    ax.plot(panel.n, shown, "-", color=mark.ink, lw=1.5, zorder=3)
    face, end = mark.colour if mark.filled else "white", "^" if beyond else "o"
    ax.plot(panel.n[-1], shown[-1], end, ms=6, mfc=face, mec=INK, mew=0.9, zorder=4)


_LOWEST = 1e-6  # of the axis: smaller p-values all say the same
_BLUE = MARKS[Verdict.FIRST].colour


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPanel(GridPanel):
    """The p-values of one pair.

    Attributes
    ----------
    n, p
        (q,) replications, and p-values in the order as it is.
    low, middle, high
        (q,) quartiles over random orders.
    point
        Point of consecutive significance, infinite where there is none.
    """

    n: Array
    p: Array
    low: Array
    middle: Array
    high: Array
    point: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFigure(PanelGrid[OrderPanel]):
    """All panels.

    Attributes
    ----------
    alpha
        The level.
    lowest
        Lower end of the axis of p-values.
    most
        The largest number of replications.
    """

    alpha: float
    lowest: float
    most: int


def layout_rearranged(found: "Consecutive", width: Width = PAGE) -> OrderFigure:
    """Lay out the p-values of the pairs."""
    # First the pairs whose decision owes most to the order.
    doubt = [-min(max(one.first, one.second), 1 - one.first - one.second) for one in found.orders]
    shown = [int(i) for i in np.argsort(doubt, kind="stable")[:MOST]]
    panels = tuple(_panel_rearranged(found, i) for i in shown)
    name = measure_name(found.measure)
    many = len(found.sides)
    over = count(found.permutations, "random order")
    below = f"dashed: {found.alpha:g}; triangle: from here on it stays below"
    notes = [
        "line: p-value of a plain test so far, not adjusted for the looks: it decides nothing",
        f"shade: its quartiles and median over {over}; {below}",
    ]
    if len(shown) < many:
        notes.append(
            f"{len(shown):,} of {count(many, 'pair')}: those whose decision owes most to the order"
        )
    smallest = min(float(min(p.p.min(), p.low.min())) for p in panels)
    return OrderFigure(
        panels=panels,
        title=f"What is owed to the order of replications: {name}",
        notes=tuple(notes),
        x_label="replications",
        y_label="p-value",
        width=width,
        alt=f"P-values of growing numbers of replications, and their spread over random orders, in"
        f" {name}. {plots_panels.described(panels)}.",
        alpha=found.alpha,
        lowest=max(_LOWEST, min(smallest, found.alpha / 3)) / 1.5,
        most=max(2, *(one.n for one in found.orders)),
    )


def _panel_rearranged(found: "Consecutive", pair: int) -> OrderPanel:
    one, sides = found.orders[pair], found.sides[pair]
    brief = fitted(sides, paths.NAME, bold=True)
    shares = [(brief[sides[0]], one.first), (brief[sides[1]], one.second)]
    shares = shares[::-1] if found.turns[pair] else shares
    (first, _), (second, _) = shares
    better = [f"{name} better in {100 * share:.0f} %" for name, share in shares if share > 0]
    return OrderPanel(
        label=f"{first} vs {second}",
        note=f"{'; '.join(better)} of orders" if better else "no difference found in any order",
        n=one.at.astype(float),
        p=one.p,
        low=one.band[0],
        middle=one.band[1],
        high=one.band[2],
        point=one.point,
    )


size_rearranged = plots_panels.size_grids


def draw_rearranged(figure: OrderFigure, ax: "Axes") -> None:
    """Draw the panels into an Axes."""
    low = math.floor(math.log10(figure.lowest))
    powers = range(0, low - 1, -2 if low < -4 else -1)
    for panel, inside in zip(figure.panels, plots_panels.places(figure, ax), strict=True):
        inside.set_xlim(0, figure.most * 1.04)
        inside.set_yscale("log")
        inside.set_ylim(figure.lowest, 1.3)
        inside.set_yticks([10.0**k for k in powers], [plots_panels.power_of_ten(k) for k in powers])
        inside.set_yticks([], minor=True)
        inside.locator_params(axis="x", nbins=4, integer=True)
        _draw_rearranged(panel, figure, inside)


def _draw_rearranged(panel: OrderPanel, figure: OrderFigure, ax: "Axes") -> None:
    low, middle, high, p = (
        np.maximum(values, figure.lowest)
        for values in (panel.low, panel.middle, panel.high, panel.p)
    )
    ax.fill_between(panel.n, low, high, color=_BLUE, alpha=0.16, lw=0, zorder=1)
    ax.plot(panel.n, middle, "-", color=_BLUE, lw=0.9, alpha=0.8, zorder=2)
    ax.axhline(figure.alpha, color=FAINT, lw=0.9, ls=(0, (4, 3)), zorder=2)
    ax.plot(panel.n, p, "-", color=INK, lw=1.2, zorder=3)
    if math.isfinite(panel.point):
        ax.plot(panel.point, figure.alpha, "v", ms=7, mfc="white", mec=INK, mew=1.0, zorder=4)


_ROOM_sequence = 0.7  # of what the last intervals span, for earlier ones that are wider


@dataclass(frozen=True, slots=True, kw_only=True)
class SequencePanel(GridPanel):
    """The confidence sequence of one pair.

    Attributes
    ----------
    verdict
        State of the pair.
    n, low, high
        (q,) replications, and the ends of the interval in the unit of contrasts.
    estimate
        The difference so far.
    """

    verdict: Verdict
    n: Array
    low: Array
    high: Array
    estimate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequences(PanelGrid[SequencePanel]):
    """All panels.

    Attributes
    ----------
    neutral, tolerance
        The effect of no difference, and both ends of what does not matter (None: there is none).
    most
        The largest number of replications.
    reach
        Ends of the axis of effects.
    log
        Whether effects are ratios.
    """

    neutral: float
    tolerance: tuple[float, float] | None
    most: int
    reach: tuple[float, float]
    log: bool


def layout_sequence(result: "MonitorComparison", width: Width = PAGE) -> Sequences:
    """Lay out the confidence sequences of the pairs of a monitored experiment."""
    refuse_stages(result)
    measure, shown = result.measure, paths.chosen(result)
    panels = tuple(_panel_sequence(result, pair) for pair in shown)
    ends = measure.effect_interval(-measure.margin, measure.margin)
    tolerance = (float(ends[0]), float(ends[1])) if measure.margin > 0 else None
    log = measure.scale != "identity"
    name = measure_name(measure)
    level = f"{100 * result.level:g} %"
    shade = [f"green: differences within {margin(measure)}, which do not matter"]
    return Sequences(
        panels=panels,
        title=f"What the {measure.effect_name} may be: {name}",
        notes=(
            f"band: {level} confidence sequences, valid for all pairs and at all times at once",
            *(shade if tolerance else []),
            *paths.notes(result, shown),
        ),
        x_label="replications",
        y_label=f"{measure.effect_name}, first {'/' if log else 'minus'} second",
        width=width,
        alt=f"Confidence sequences after each replication, in {name}."
        f" {plots_panels.described(panels)}.",
        neutral=measure.neutral,
        tolerance=tolerance,
        most=max([2, *(int(p.n.max(initial=0)) for p in panels)]),
        reach=_reach(panels, measure.neutral, tolerance, log=log),
        log=log,
    )


def _panel_sequence(result: "MonitorComparison", pair: int) -> SequencePanel:
    n, low, high = paths.path(result, pair, "n", "low", "high")
    estimate = result.course.estimate[pair]
    if result.turns()[pair]:
        low, high, estimate = -high, -low, -estimate
    low, high = result.measure.effect_interval(low, high)
    first, second = paths.names(result, pair)
    return SequencePanel(
        label=f"{first} vs {second}",
        note=paths.standing(result, pair),
        verdict=paths.verdict(result, pair),
        n=n,
        low=low,
        high=high,
        estimate=float(result.measure.effect(estimate)),
    )


def _reach(
    panels: tuple[SequencePanel, ...],
    neutral: float,
    tolerance: tuple[float, float] | None,
    *,
    log: bool,
) -> tuple[float, float]:
    """Return the ends of the axis: the last intervals, and room for the ones before."""
    known = [neutral, *(tolerance or ())]
    for panel in panels:
        known += [panel.estimate, *panel.low[-1:], *panel.high[-1:]]
    values = np.array([v for v in known if np.isfinite(v) and not (log and v <= 0)])
    values = np.log(values) if log else values
    low, high = float(values.min()), float(values.max())
    room = _ROOM_sequence * (high - low) or 1.0
    ends = np.array([low - room, high + room])
    ends = np.exp(ends) if log else ends
    return float(ends[0]), float(ends[1])


size_sequence = plots_panels.size_grids


def draw_sequence(sequences: Sequences, ax: "Axes") -> None:
    """Draw the panels into an Axes."""
    s = sequences
    for panel, inside in zip(s.panels, plots_panels.places(s, ax), strict=True):
        inside.set_xlim(0, s.most * 1.04)
        if s.log:
            inside.set_yscale("log")
        inside.set_ylim(*s.reach)
        at = ticks(*s.reach, 5, log=s.log)
        inside.yaxis.set_major_locator(FixedLocator(at))
        inside.yaxis.set_minor_locator(NullLocator())
        inside.set_yticklabels([signed(t) for t in at])
        inside.locator_params(axis="x", nbins=4, integer=True)
        _draw_sequence(panel, s, inside)


def _draw_sequence(panel: SequencePanel, s: Sequences, ax: "Axes") -> None:
    if s.tolerance:
        ax.axhspan(*s.tolerance, color=BAND, lw=0, zorder=0)
    ax.axhline(s.neutral, color=FAINT, lw=0.9, ls=(0, (4, 3)), zorder=1)
    if not len(panel.n):
        return
    mark = MARKS[panel.verdict]
    low, high = (np.clip(ends, *s.reach) for ends in (panel.low, panel.high))
    ax.fill_between(panel.n, low, high, step="post", color=mark.colour, alpha=0.18, lw=0, zorder=2)
    for ends in (panel.low, panel.high):
        ax.step(panel.n, ends, where="post", color=mark.ink, lw=1.2, zorder=3)
    face = mark.colour if mark.filled else "white"
    ax.plot(panel.n[-1], panel.estimate, "o", ms=6, mfc=face, mec=INK, mew=0.9, zorder=4)
