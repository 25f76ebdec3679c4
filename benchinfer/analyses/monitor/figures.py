"""Figures of monitored experiments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import FixedLocator, NullLocator
from numpy.typing import NDArray
from scipy.special import ndtri

from benchinfer.analyses.monitor.comparison import MonitorComparison
from benchinfer.analyses.monitor.course import GO_ON, VERDICTS
from benchinfer.analyses.monitor.measures import MonitoredMeasures
from benchinfer.analyses.monitor.reordering import Consecutive
from benchinfer.analyses.monitor.stagewise import bounds_of, next_bounds, stage_rows
from benchinfer.comparison.figures import COMPARISON
from benchinfer.comparison.wording import margin
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count, p_clause
from benchinfer.core.verdict import MIRROR, Verdict
from benchinfer.numerics.types import Array, Flags
from benchinfer.plots.draw import Kind
from benchinfer.plots.panels import (
    GridPanel,
    PanelGrid,
    described,
    panel_room,
    places,
    power_of_ten,
    size_grids,
)
from benchinfer.plots.style import (
    BAND,
    FAINT,
    HAIR,
    INK,
    MARKS,
    PAGE,
    Width,
    lines,
    measure_name,
    signed,
    ticks,
)
from benchinfer.plots.text import across, fitted, plain, pt, side_by_side
from benchinfer.plots.tiles import draw_verdicts, size_verdicts
from benchinfer.relations.figures.ensemble import verdict_tiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes


type Rows = Mapping[str, NDArray[Any]]


MOST = 6  # panels
_PANEL = 1.6  # inches of a narrow panel
_SHORTEST = 0.3  # inches of a name that is cut


def chosen(result: MonitorComparison, of: Flags | None = None) -> list[int]:
    """Return the pairs that are shown, six at most, of all or of some.

    Those that go on first, as they are what one watches, then the decided ones, then those that
    ended without a verdict; among each the smallest p-values first.
    """
    ends = result.course.ends
    rank = [0 if e == GO_ON else 1 if VERDICTS[e] > VERDICTS[GO_ON] else 2 for e in ends]
    order = np.lexsort((result.course.p_raw, np.array(rank)))
    return [int(i) for i in order if of is None or of[i]][:MOST]


def oriented(
    result: MonitorComparison, pair: int, room: float = _PANEL
) -> tuple[str, str, Verdict, int]:
    """Return the names of a pair, the better-ranked one first, its verdict, and a sign.

    Names are shortened to fit side by side on a panel of some inches.
    The sign is -1 where the second side comes first, so that differences change their sign.
    """
    first, second = result.pairs.oriented()[pair]
    sign = 1 if (first, second) == result.pairs.sides[pair] else -1
    code = int(result.pairs.codes[pair])
    brief = side_by_side(first, second, room - across(" vs ", 9, bold=True), 9, bold=True)
    return brief[first], brief[second], Verdict(code if sign > 0 else MIRROR[code]), sign


def path(result: MonitorComparison, pair: int, *columns: str) -> list[Array]:
    """Return columns of the path of a pair; empty ones before the first look."""
    table = result.course.path
    if not table:
        return [np.zeros(0) for _ in columns]
    mine = table["pair"] == pair
    return [table[name][mine].astype(np.float64) for name in columns]


def standing(result: MonitorComparison, pair: int, room: float = _PANEL) -> str:
    """Return the state of a pair, its number of replications and its p-value, in words.

    A star marks a provisional p-value.
    """
    c, end = result.course, result.course.ends[pair]
    if not c.used[pair]:
        return "nothing was looked at yet"
    star = "*" if c.provisional[pair] else ""
    rest = f"n = {int(c.used[pair]):,}; {p_clause(float(c.p_value[pair]))}{star}"
    word = {GO_ON: "goes on"}.get(end, end)
    sides, code = result.pairs.sides[pair], Verdict(int(result.pairs.codes[pair]))
    if code in (Verdict.FIRST, Verdict.SECOND):
        names = fitted(sides, max(room - across(f" better; {rest}", 7.5), _SHORTEST), 7.5)
        word = f"{names[sides[code != Verdict.FIRST]]} better"
    return f"{word}; {rest}"


def notes(result: MonitorComparison, shown: list[int], of: int | None = None) -> list[str]:
    """Return the notes on provisional p-values and on those of the pairs that are not shown."""
    texts: list[str] = []
    if result.course.provisional[shown].any():
        texts.append("* provisional: a part of the level is kept for later stages")
    many = len(result.pairs) if of is None else of
    if len(shown) < many:
        texts.append(
            f"{len(shown):,} of {count(many, 'pair')}: those that go on first, then the decided"
            " ones, the smallest p-values first"
        )
    return texts


_FEWEST, _ROOM = 3.2, 0.9  # how far the axes reach at least, and beyond the last boundary
_FARTHEST = 8.0
_TICKS = (0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12, 1e-15)
_HALF = 0.36  # of a stage: half of the width of a boundary


@dataclass(frozen=True, slots=True)
class Zone:
    """Rejection and futility boundaries of one direction, as distances from zero."""

    side: int  # 1 where the first algorithm would be better, -1 where the second
    stages: Array  # (T,) at which there are boundaries
    # reject, futile: (T,) beyond the first it is decided; short of the second this direction stops
    # (NaN: it does not)
    reject: Array
    futile: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPanel(GridPanel):
    """The path of one pair."""

    names: tuple[str, str]  # first and second
    verdict: Verdict  # state of the pair
    # stages, z: (T,) the stages so far, and their statistics
    stages: Array
    z: Array
    each: Array  # (D, T) those of its data sets, if there are several
    zones: tuple[Zone, ...]  # boundaries of the directions


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionPath(PanelGrid[PathPanel]):
    """All panels."""

    last: int  # the last stage that is shown
    reach: float  # how far the axes go on either side of zero
    stage_ticks: tuple[tuple[float, str], ...]
    ticks: tuple[tuple[float, str], ...]  # position and text, of the stages and of the statistic


def layout_decision_path(result: MonitorComparison, width: Width = PAGE) -> DecisionPath:
    """Return the layout of the paths to a decision, one panel for each pair shown."""
    design = result.design
    if design.method == "anytime":
        raise DesignError(
            "e-processes have no boundaries of stages.",
            hint='"e-process" and "sequence" are their figures.',
        )
    shown = chosen(result)
    group = design.method == "group-sequential"
    room = panel_room(len(shown), width)
    panels = tuple(_path_panel(result, pair, room) for pair in shown)
    so_far = max((int(panel.stages.max(initial=0)) for panel in panels), default=0)
    last = design.last_stage or so_far + 1
    step = -(-last // 8)
    bounds = [zone.reject[np.isfinite(zone.reject)] for panel in panels for zone in panel.zones]
    nearest = [float(b.max()) for b in bounds if len(b)]
    reach = min(max([_FEWEST, *(b + _ROOM for b in nearest)]), _FARTHEST)
    name = measure_name(result.measure)
    how = "z of all scores so far" if group else "p-value of the stage, one-sided"
    zone = (
        "in a shaded zone a look decides; its boundaries are known from the start"
        if group
        else "in a shaded zone a stage decides; beyond the dotted line of its colour a direction"
        " stops for futility; both are known before the stage is run"
    )
    many = len(result.setting.coverage.datasets) > 1
    dots = ["small dots: data sets by themselves"] if many else []
    return DecisionPath(
        panels=panels,
        title=f"Path to a decision: {name}",
        notes=(zone, *dots, *notes(result, shown)),
        x_label=f"look of {last}" if group else f"stage of {design.stage} replications",
        y_label=how,
        width=width,
        alt=f"Statistic of each stage between boundaries, in {name}. {described(panels)}.",
        last=last,
        reach=reach,
        stage_ticks=tuple(
            (float(t), str(t)) for t in range(1, last + 1) if t == last or t % step == 0
        ),
        ticks=_ticks(reach, group=group),
    )


def _path_panel(result: MonitorComparison, pair: int, room: float) -> PathPanel:
    """Return the panel of the looks of a group sequential test, or of recursions."""
    rows, design = stage_rows(result.course, pair), result.design
    stages, first_rows = np.unique(rows["stage"], return_index=True)
    if design.method == "group-sequential":
        bounds = bounds_of(design)
        at, none = np.arange(1.0, len(bounds) + 1), np.full(len(bounds), np.nan)
        zones = [Zone(side, at, bounds, none) for side in design.sides]
        z = rows["statistic"][first_rows].astype(np.float64) if len(stages) else np.zeros(0)
        each = [rows["statistic_dataset"][rows["stage"] == t] for t in stages]
    else:
        zones = [_zone(result, rows, pair, side) for side in design.sides]
        z = np.array([_towards(rows, t, "p_stage")[0] for t in stages])
        each = [_towards(rows, t, "p_dataset") for t in stages]
    several = len(each) > 0 and len(result.setting.coverage.datasets) > 1
    of_datasets = np.array(each, dtype=np.float64).T if several else np.empty((0, len(stages)))
    first, second, verdict, side = oriented(result, pair, room)
    return PathPanel(
        label=f"{first} vs {second}",
        note=standing(result, pair, room),
        names=(first, second),
        verdict=verdict,
        stages=stages.astype(np.float64),
        z=side * z,
        each=side * of_datasets,
        zones=tuple(replace(zone, side=side * zone.side) for zone in zones),
    )


def _towards(rows: Rows, stage: int, name: str) -> Array:
    """Return signed normal quantiles, each of the smaller of two one-sided p-values of a stage."""
    now = rows["stage"] == stage
    quantiles: list[Array] = []
    for side in (1, -1):
        p = rows[name][now & (rows["side"] == side)].astype(np.float64)
        if len(p):
            quantiles.append(side * -ndtri(np.clip(p, 1e-300, 1.0)))
    both = np.nan_to_num(np.array(quantiles), nan=0.0)
    return both[np.where(both.sum(axis=0) >= 0, 0, -1), np.arange(both.shape[1])]


def _zone(result: MonitorComparison, rows: Rows, pair: int, side: int) -> Zone:
    mine = rows["side"] == side if len(rows["stage"]) else np.zeros(0, dtype=np.bool_)
    first = np.unique(rows["stage"][mine], return_index=True)[1]
    stages, reject, accept = (
        rows[name][mine][first].astype(np.float64).tolist() if len(first) else []
        for name in ("stage", "reject_at", "accept_above")
    )
    ahead = next_bounds(result.course, result.design, pair, side)
    if ahead is not None:
        stages.append(float(rows["stage"].max(initial=0)) + 1)
        reject.append(float(ahead.reject[0]))
        accept.append(float(ahead.accept[0]))
    low, high = (-ndtri(np.clip(np.array(b, dtype=np.float64), 0.0, 1.0)) for b in (reject, accept))
    return Zone(side, np.array(stages), low, np.where(np.array(reject) == accept, np.nan, high))


def _ticks(reach: float, *, group: bool) -> tuple[tuple[float, str], ...]:
    """Return ticks of z, or about four p-values to each side of one half."""
    if group:
        step = 1 if reach < 4 else 2
        top = int(reach) // step * step
        return tuple((float(z), signed(float(z))) for z in range(-top, top + 1, step))
    inside = [p for p in _TICKS[1:] if -ndtri(p) <= reach]
    ticks = [(0.0, "0.5")]
    for p in inside[:: -(-len(inside) // 4)]:
        ticks += [(float(-ndtri(p)), signed(p)), (float(ndtri(p)), signed(p))]
    return tuple(sorted(ticks))


def draw_decision_path(path: DecisionPath, ax: Axes) -> None:
    """Draw the panels into an Axes."""
    for panel, inside in zip(path.panels, places(path, ax), strict=True):
        inside.set_xlim(0.4, path.last + 0.6)
        inside.set_ylim(-path.reach, path.reach)
        inside.xaxis.set_major_locator(FixedLocator([t for t, _ in path.stage_ticks]))
        inside.set_xticklabels([text for _, text in path.stage_ticks])
        inside.set_yticks([t for t, _ in path.ticks], [text for _, text in path.ticks])
        inside.axhline(0, color=HAIR, lw=0.8, zorder=1)
        for zone in panel.zones:
            _zone_marks(zone, panel, path.reach, inside)
        for row in np.clip(panel.each, -path.reach * 0.97, path.reach * 0.97):
            inside.plot(
                panel.stages, row, ".", ms=3.2, color=FAINT, alpha=0.7, zorder=3, clip_on=False
            )
        z = np.clip(panel.z, -path.reach * 0.95, path.reach * 0.95)
        mark = MARKS[panel.verdict]
        inside.plot(panel.stages, z, "-", color=INK, lw=1.1, zorder=4)
        for t, shown, true in zip(panel.stages, z, panel.z, strict=True):
            shape = "o" if shown == true else "^" if true > 0 else "v"
            last = t == panel.stages[-1]
            face = mark.colour if last and mark.filled else "white" if last else INK
            inside.plot(t, shown, shape, ms=6 if last else 4, mfc=face, mec=INK, mew=0.9, zorder=5)


def _zone_marks(zone: Zone, panel: PathPanel, reach: float, ax: Axes) -> None:
    verdict = Verdict.FIRST if zone.side > 0 else Verdict.SECOND
    colour, ink = MARKS[verdict].colour, MARKS[verdict].ink
    known = np.isfinite(zone.reject)
    for t, bound in zip(zone.stages[known], zone.reject[known], strict=True):
        low, high = sorted((zone.side * min(bound, reach), zone.side * reach))
        ax.fill_between([t - _HALF, t + _HALF], low, high, color=colour, alpha=0.16, lw=0, zorder=0)
    at = [(t - _HALF, zone.side * b, t + _HALF, zone.side * b)
          for t, b in zip(zone.stages, zone.reject, strict=True)]  # fmt: skip
    lines(ax, at, colour, 1.6, zorder=2)
    stop = [(t, zone.side * b) for t, b in zip(zone.stages, zone.futile, strict=True)]
    for t, b in stop:  # not drawn where it is NaN
        ax.plot([t - _HALF, t + _HALF], [b, b], ":", color=colour, lw=1.2, zorder=2)
    better = plain(f"{panel.names[0 if zone.side > 0 else 1]} better")
    y, va = (0.985, "top") if zone.side > 0 else (0.015, "bottom")
    ax.text(0.99, y, better, transform=ax.transAxes, fontsize=pt(7.5), color=ink, ha="right", va=va)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicationGrid[P: GridPanel](PanelGrid[P]):
    """Panels over numbers of replications."""

    most: int  # the largest number of replications
    reach: tuple[float, float]  # ends of the other axis


def _places[P: GridPanel](
    figure: ReplicationGrid[P], ax: Axes, *, log: bool = False
) -> Iterator[tuple[P, Axes]]:
    """Yield each panel with an Axes whose limits are set."""
    for panel, inside in zip(figure.panels, places(figure, ax), strict=True):
        inside.set_xlim(0, figure.most * 1.04)
        if log:
            inside.set_yscale("log")
        inside.set_ylim(*figure.reach)
        inside.locator_params(axis="x", nbins=4, integer=True)
        yield panel, inside


_LOW = -2.5  # powers of ten: whether a bet has lost more than that is of no interest
_HIGH = 8.0  # powers of ten beyond what decides: nor how much it has won
_CAPITAL_ROOM = 0.4  # above the highest point
_MOST_LINES = 20  # data sets


@dataclass(frozen=True, slots=True, kw_only=True)
class CapitalPanel(GridPanel):
    """The capital of one pair."""

    verdict: Verdict  # state of the pair
    # n, log10_e: (q,) replications, and the capital as a power of ten
    n: Array
    log10_e: Array
    each: tuple[tuple[Array, Array], ...]  # the same of each data set, if there are several


@dataclass(frozen=True, slots=True, kw_only=True)
class Capitals(ReplicationGrid[CapitalPanel]):
    """All panels; the axis is of powers of ten.

    Attributes
    ----------
    limits
        1 over the levels of the first and of the last of Holm's steps; the same of one pair.
    """

    limits: tuple[float, float]


def layout_e_process(result: MonitorComparison, width: Width = PAGE) -> Capitals:
    """Return the layout of the e-processes, one panel for each pair shown."""
    refuse_stages(result)
    design, shown = result.design, chosen(result)
    room = panel_room(len(shown), width)
    panels = tuple(_capital_panel(result, pair, room) for pair in shown)
    limits = (1 / design.alpha_pair, 1 / design.alpha)
    top = max([math.log10(limits[0]), *(float(p.log10_e.max(initial=0.0)) for p in panels)])
    highest = min(top, math.log10(limits[0]) + _HIGH)
    low = min([-0.5, *(float(p.log10_e.min(initial=0.0)) for p in panels)])
    name = measure_name(result.measure)
    many, d = result.design.n_pairs, len(result.setting.coverage.datasets)
    texts = [f"dashed: at {limits[1]:.4g} the pair is decided, whenever one looks"]
    if many > 1:
        whose = "" if result.design.n_measures == 1 else " of all measures"
        step = f"dotted: at {limits[1]:.4g} it is, once all other pairs{whose} are (Holm's steps)"
        texts = [f"dashed: at {limits[0]:.4g} a pair is decided, whenever one looks; {step}"]
    if d > 1:
        more = f", {_MOST_LINES} of {d}" if d > _MOST_LINES else ""
        texts.append(f"faint: data sets by themselves, whose evidence multiplies{more}")
    return Capitals(
        panels=panels,
        title=f"Evidence of a difference: {name}",
        notes=(
            *texts,
            *(["triangle: beyond the axis"] if top > highest else []),
            *notes(result, shown),
        ),
        x_label="replications",
        y_label="e-value",
        width=width,
        alt=f"E-values after each replication, in {name}. {described(panels)}.",
        limits=limits,
        most=max([2, *(int(p.n.max(initial=0)) for p in panels)]),
        reach=(max(low, _LOW) - 0.15, highest + _CAPITAL_ROOM),
    )


def refuse_stages(result: MonitorComparison) -> None:
    """Raise a DesignError where the method is not ``"anytime"`` and so has no e-processes."""
    if result.design.method != "anytime":
        raise DesignError(
            "there are no e-processes and confidence sequences where an experiment is watched by"
            " stages.",
            hint='"path" is the figure of stages; method="anytime" has e-processes.',
        )


def _capital_panel(result: MonitorComparison, pair: int, room: float) -> CapitalPanel:
    n, log_e = path(result, pair, "n", "log_e")
    each = result.course.path_each
    first, second, verdict, _ = oriented(result, pair, room)
    parts: list[tuple[Array, Array]] = []
    if each:
        of_pair = each["pair"] == pair
        for d in np.unique(each["dataset"][of_pair])[:_MOST_LINES]:
            at = of_pair & (each["dataset"] == d)
            parts.append((each["n"][at].astype(float), each["log_e_dataset"][at] / math.log(10)))
    return CapitalPanel(
        label=f"{first} vs {second}",
        note=standing(result, pair, room),
        verdict=verdict,
        n=n,
        log10_e=log_e / math.log(10),
        each=tuple(parts),
    )


def draw_e_process(capitals: Capitals, ax: Axes) -> None:
    """Draw the panels into an Axes."""
    low, high = capitals.reach
    step = max(1, math.ceil((high - low) / 6))
    powers = [t for t in range(math.ceil(low), math.floor(high) + 1) if t % step == 0]
    top = high - _CAPITAL_ROOM
    dashes = ("--", ":") if capitals.limits[0] > capitals.limits[1] else ("--",)
    for panel, inside in _places(capitals, ax):
        inside.set_yticks(powers, [power_of_ten(t) for t in powers])
        inside.axhline(0, color=HAIR, lw=0.8, zorder=1)
        for limit, dash in zip(capitals.limits, dashes, strict=False):
            inside.axhline(math.log10(limit), color=INK, lw=1.0, ls=dash, zorder=2)
        for n, log10_e in panel.each:
            each = np.clip(log10_e, low, top)
            inside.plot(n, each, "-", color=FAINT, lw=0.6, alpha=0.6, zorder=2)
        if not len(panel.n):
            continue
        mark = MARKS[panel.verdict]
        shown = np.clip(panel.log10_e, low, top)
        inside.plot(panel.n, shown, "-", color=mark.ink, lw=1.5, zorder=3)
        face, end = mark.colour if mark.filled else "white", "^" if panel.log10_e[-1] > top else "o"
        inside.plot(panel.n[-1], shown[-1], end, ms=6, mfc=face, mec=INK, mew=0.9, zorder=4)


_LOWEST = 1e-6  # of the axis: smaller p-values are not distinguished
_BLUE = MARKS[Verdict.FIRST].colour


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPanel(GridPanel):
    """The p-values of one pair."""

    # n, p: (q,) replications, and p-values in the order as it is
    n: Array
    p: Array
    # low, middle, high: (q,) quartiles over random orders
    low: Array
    middle: Array
    high: Array
    point: float  # point of consecutive significance, infinite where there is none


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFigure(ReplicationGrid[OrderPanel]):
    """All panels; the axis is of p-values."""

    alpha: float  # the level


def layout_rearranged(result: Consecutive, width: Width = PAGE) -> OrderFigure:
    """Return the layout of p-values of growing samples, in the observed and in random orders."""
    # First the pairs whose decision owes most to the order.
    doubt = [-min(max(one.first, one.second), 1 - one.first - one.second) for one in result.orders]
    shown = [int(i) for i in np.argsort(doubt, kind="stable")[:MOST]]
    panels = tuple(_order_panel(result, i, panel_room(len(shown), width)) for i in shown)
    name = measure_name(result.measure)
    many = len(result.sides)
    over = count(result.permutations, "random order")
    below = f"dashed: {result.alpha:g}; triangle: from here on it stays below"
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
        alt="P-values of growing numbers of replications, and their spread over random orders, in"
        f" {name}. {described(panels)}.",
        alpha=result.alpha,
        reach=(max(_LOWEST, min(smallest, result.alpha / 3)) / 1.5, 1.3),
        most=max(2, *(one.n for one in result.orders)),
    )


def _order_panel(result: Consecutive, pair: int, room: float) -> OrderPanel:
    one, sides = result.orders[pair], result.sides[pair]
    brief = side_by_side(*sides, room - across(" vs ", 9, bold=True), 9, bold=True)
    shares = [(brief[sides[0]], one.first), (brief[sides[1]], one.second)]
    shares = shares[::-1] if result.turns[pair] else shares
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


def draw_rearranged(figure: OrderFigure, ax: Axes) -> None:
    """Draw the panels into an Axes."""
    lowest = math.floor(math.log10(figure.reach[0]))
    powers = range(0, lowest - 1, -2 if lowest < -4 else -1)
    for panel, inside in _places(figure, ax, log=True):
        inside.set_yticks([10.0**k for k in powers], [power_of_ten(k) for k in powers])
        inside.set_yticks([], minor=True)
        low, middle, high, p = (
            np.maximum(values, figure.reach[0])
            for values in (panel.low, panel.middle, panel.high, panel.p)
        )
        inside.fill_between(panel.n, low, high, color=_BLUE, alpha=0.16, lw=0, zorder=1)
        inside.plot(panel.n, middle, "-", color=_BLUE, lw=0.9, alpha=0.8, zorder=2)
        inside.axhline(figure.alpha, color=FAINT, lw=0.9, ls=(0, (4, 3)), zorder=2)
        inside.plot(panel.n, p, "-", color=INK, lw=1.2, zorder=3)
        if math.isfinite(panel.point):
            at = panel.point, figure.alpha
            inside.plot(*at, "v", ms=7, mfc="white", mec=INK, mew=1.0, zorder=4)


_SEQUENCE_ROOM = 0.7  # of what the last intervals span, for earlier ones that are wider


@dataclass(frozen=True, slots=True, kw_only=True)
class SequencePanel(GridPanel):
    """The confidence sequence of one pair."""

    verdict: Verdict  # state of the pair
    # n, low, high: (q,) replications, and the ends of the interval in the unit of contrasts
    n: Array
    low: Array
    high: Array
    estimate: float  # the difference so far


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequences(ReplicationGrid[SequencePanel]):
    """All panels; the axis is of effects."""

    # neutral, tolerance: the effect of no difference, and both ends of what does not matter (None:
    # there is none)
    neutral: float
    tolerance: tuple[float, float] | None
    log: bool  # whether effects are ratios


def layout_sequence(result: MonitorComparison, width: Width = PAGE) -> Sequences:
    """Return the layout of the confidence sequences, one panel for each pair shown."""
    refuse_stages(result)
    measure, bounded = result.measure, result.course.bounded
    if not bounded.any():
        raise DesignError(
            f"replications are too few to bound the {measure.effect_name} of any pair yet.",
            hint='kind="e-process" shows the evidence so far.',
        )
    shown = chosen(result, bounded)
    room = panel_room(len(shown), width)
    panels = tuple(_sequence_panel(result, pair, room) for pair in shown)
    ends = measure.effect_interval(-measure.margin, measure.margin)
    tolerance = (float(ends[0]), float(ends[1])) if measure.margin > 0 else None
    log = measure.scale != "identity"
    name = measure_name(measure)
    level = f"{100 * result.level:g} %"
    shade = [f"green: differences within {margin(measure)}, which do not matter"]
    known = [measure.neutral, *(tolerance or ())]
    for panel in panels:
        known += [panel.estimate, *panel.low[-1:], *panel.high[-1:]]
    values = np.array([v for v in known if np.isfinite(v) and not (log and v <= 0)])
    values = np.log(values) if log else values
    low, high = float(values.min()), float(values.max())
    room = _SEQUENCE_ROOM * (high - low) or 1.0
    ends = np.array([low - room, high + room])
    ends = np.exp(ends) if log else ends
    return Sequences(
        panels=panels,
        title=f"What the {measure.effect_name} may be: {name}",
        notes=(
            f"band: {level} confidence sequences, valid for all pairs and at all times at once",
            *(shade if tolerance else []),
            *_unbounded(bounded),
            *notes(result, shown, int(bounded.sum())),
        ),
        x_label="replications",
        y_label=f"{measure.effect_name}, first {'/' if log else 'minus'} second",
        width=width,
        alt=f"Confidence sequences after each replication, in {name}. {described(panels)}.",
        neutral=measure.neutral,
        tolerance=tolerance,
        most=max([2, *(int(p.n.max(initial=0)) for p in panels)]),
        reach=(float(ends[0]), float(ends[1])),
        log=log,
    )


def _unbounded(bounded: Flags) -> list[str]:
    """Return a note on the pairs that have no panel, as nothing bounds their differences yet."""
    open_ends = int((~bounded).sum())
    return [f"{count(open_ends, 'pair')} without any bound yet"] if open_ends else []


def _sequence_panel(result: MonitorComparison, pair: int, room: float) -> SequencePanel:
    n, low, high = path(result, pair, "n", "low", "high")
    estimate = result.course.estimate[pair]
    first, second, verdict, sign = oriented(result, pair, room)
    if sign < 0:
        low, high, estimate = -high, -low, -estimate
    low, high = result.measure.effect_interval(low, high)
    return SequencePanel(
        label=f"{first} vs {second}",
        note=standing(result, pair, room),
        verdict=verdict,
        n=n,
        low=low,
        high=high,
        estimate=float(result.measure.effect(estimate)),
    )


def draw_sequence(sequences: Sequences, ax: Axes) -> None:
    """Draw the panels into an Axes."""
    at = ticks(*sequences.reach, 5, log=sequences.log)
    for panel, inside in _places(sequences, ax, log=sequences.log):
        inside.yaxis.set_major_locator(FixedLocator(at))
        inside.yaxis.set_minor_locator(NullLocator())
        inside.set_yticklabels([signed(t) for t in at])
        if sequences.tolerance:
            inside.axhspan(*sequences.tolerance, color=BAND, lw=0, zorder=0)
        inside.axhline(sequences.neutral, color=FAINT, lw=0.9, ls=(0, (4, 3)), zorder=1)
        if not len(panel.n):
            continue
        mark = MARKS[panel.verdict]
        low, high = (np.clip(ends, *sequences.reach) for ends in (panel.low, panel.high))
        inside.fill_between(
            panel.n, low, high, step="post", color=mark.colour, alpha=0.18, lw=0, zorder=2
        )
        for ends in (panel.low, panel.high):
            inside.step(panel.n, ends, where="post", color=mark.ink, lw=1.2, zorder=3)
        face = mark.colour if mark.filled else "white"
        inside.plot(panel.n[-1], panel.estimate, "o", ms=6, mfc=face, mec=INK, mew=0.9, zorder=4)


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    MonitorComparison: {
        **COMPARISON,
        "path": Kind(layout_decision_path, size_grids, draw_decision_path),
        "e-process": Kind(layout_e_process, size_grids, draw_e_process),
        "sequence": Kind(layout_sequence, size_grids, draw_sequence),
    },
    MonitoredMeasures: {
        "verdicts": Kind(
            lambda monitored, width=PAGE: verdict_tiles(
                monitored.relations(),
                "Verdicts by each measure",
                f"by {count(len(monitored), 'measure')}",
                width,
            ),
            size_verdicts,
            draw_verdicts,
        )
    },
    Consecutive: {"order": Kind(layout_rearranged, size_grids, draw_rearranged)},
}
