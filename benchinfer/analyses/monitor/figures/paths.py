"""Figures of stages between their boundaries.

Upwards is towards the first algorithm of a pair being better, downwards towards the second.
P-values of stages are on the scale of normal quantiles, which shows both ends.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import FixedLocator
from numpy.typing import NDArray
from scipy.special import ndtri

from benchinfer.analyses.monitor.course import GO_ON, VERDICTS
from benchinfer.analyses.monitor.path import next_bounds, stage_rows
from benchinfer.analyses.monitor.stagewise import bounds_of
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.core.verdict import MIRROR, Verdict
from benchinfer.numerics.types import Array
from benchinfer.plots import panels as plots_panels
from benchinfer.plots.panels import GridPanel, PanelGrid
from benchinfer.plots.style import FAINT, HAIR, INK, MARKS, PAGE, Width, lines, measure_name, signed
from benchinfer.plots.text import fitted, plain, pt
from benchinfer.plots.tiles import Verdicts
from benchinfer.relations.figures.ensemble import verdict_tiles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.analyses.monitor.comparison import MonitorComparison
    from benchinfer.analyses.monitor.measures import MonitoredMeasures


type Rows = Mapping[str, NDArray[Any]]


MOST = 6  # panels
NAME = 0.78  # inches that a name has


def chosen(result: "MonitorComparison") -> list[int]:
    """Return the pairs that are shown, six at most.

    Those that go on first, as they are what one watches, then the decided ones, then those that
    ended without a verdict; among each the smallest p-values first.
    """
    rank = [0 if e == GO_ON else 1 if VERDICTS[e] > VERDICTS[GO_ON] else 2 for e in ends(result)]
    order = np.lexsort((result.course.p_raw, np.array(rank)))
    return [int(i) for i in order[:MOST]]


def ends(result: "MonitorComparison") -> tuple[str, ...]:
    """Return the state of each pair."""
    return result.course.ends


def names(result: "MonitorComparison", pair: int) -> tuple[str, str]:
    """Return the names of a pair as people read it, short enough for a panel."""
    first, second = result.read_sides()[pair]
    brief = fitted([first, second], NAME, bold=True)
    return brief[first], brief[second]


def verdict(result: "MonitorComparison", pair: int) -> Verdict:
    """Return the state of a pair as people read it."""
    code = int(result.codes[pair])
    return Verdict(MIRROR[code] if result.turns()[pair] else code)


def path(result: "MonitorComparison", pair: int, *columns: str) -> list[Array]:
    """Return columns of the path of a pair; empty ones where nothing was looked at."""
    found = result.course.path
    if not found:
        return [np.zeros(0) for _ in columns]
    mine = found["pair"] == pair
    return [found[name][mine].astype(np.float64) for name in columns]


def standing(result: "MonitorComparison", pair: int) -> str:
    """Say the state of a pair, after how many replications, and its p-value.

    A star marks a provisional p-value.
    """
    c, end = result.course, result.course.ends[pair]
    if not c.used[pair]:
        return "nothing was looked at yet"
    word = {GO_ON: "goes on"}.get(end, end)
    if (found := verdict(result, pair)) in (Verdict.FIRST, Verdict.SECOND):
        word = f"{names(result, pair)[0 if found == Verdict.FIRST else 1]} better"
    p = float(c.p_value[pair])
    said = "p < 0.0001" if p < 1e-4 else "p > 0.9999" if p > 0.9999 else f"p = {p:.4f}"
    star = "*" if c.provisional[pair] else ""
    return f"{word}; n = {int(c.used[pair]):,}; {said}{star}"


def notes(result: "MonitorComparison", shown: list[int]) -> list[str]:
    """Say what stars are, and which pairs are not shown."""
    found: list[str] = []
    if result.course.provisional[shown].any():
        found.append("* provisional: a part of the level is kept for later stages")
    many = len(result.pairs)
    if len(shown) < many:
        found.append(
            f"{len(shown):,} of {count(many, 'pair')}: those that go on first, then the decided"
            " ones, the smallest p-values first"
        )
    return found


_FEWEST, _ROOM = 3.2, 0.9  # how far the axes reach at least, and beyond the last boundary
_FARTHEST = 8.0
_TICKS = (0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12, 1e-15)
_HALF = 0.36  # of a stage: half of the width of a boundary


@dataclass(frozen=True, slots=True)
class Zone:
    """Boundaries towards one side, as distances from zero towards it.

    Attributes
    ----------
    side
        1 where the first algorithm would be better, -1 where the second.
    stages
        (T,) at which there are boundaries.
    reject, futile
        (T,) beyond the first it is decided; short of the second this direction stops (NaN: it
        does not).
    """

    side: int
    stages: Array
    reject: Array
    futile: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPanel(GridPanel):
    """The path of one pair.

    Attributes
    ----------
    names
        First and second.
    verdict
        State of the pair.
    stages, z
        (T,) the stages so far, and their statistics.
    each
        (D, T) those of its data sets, if there are several.
    zones
        Boundaries of the directions.
    """

    names: tuple[str, str]
    verdict: Verdict
    stages: Array
    z: Array
    each: Array
    zones: tuple[Zone, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionPath(PanelGrid[PathPanel]):
    """All panels.

    Attributes
    ----------
    last
        The last stage that is shown.
    reach
        How far the axes go on either side of zero.
    ticks
        Position and text, of the stages and of the statistic.
    """

    last: int
    reach: float
    stage_ticks: tuple[tuple[float, str], ...]
    ticks: tuple[tuple[float, str], ...]


def layout_decision_path(result: "MonitorComparison", width: Width = PAGE) -> DecisionPath:
    """Lay out the paths of the pairs of a monitored experiment."""
    design = result.design
    if design.method == "anytime":
        raise DesignError(
            "e-processes have no boundaries of stages.",
            hint='"e-process" and "sequence" are their figures.',
        )
    shown = chosen(result)
    group = design.method == "group-sequential"
    panels = tuple((_group if group else _recursive)(result, pair) for pair in shown)
    so_far = max((int(panel.stages.max(initial=0)) for panel in panels), default=0)
    last = design.last_stage or so_far + 1
    reach = _reach(panels)
    name = measure_name(result.measure)
    how = "z of all scores so far" if group else "p-value of the stage, one-sided"
    return DecisionPath(
        panels=panels,
        title=f"Path to a decision: {name}",
        notes=(*_notes(result), *notes(result, shown)),
        x_label=f"look of {last}" if group else f"stage of {design.stage} replications",
        y_label=how,
        width=width,
        alt=f"Statistic of each stage between boundaries, in {name}."
        f" {plots_panels.described(panels)}.",
        last=last,
        reach=reach,
        stage_ticks=_stage_ticks(last),
        ticks=_z_ticks(reach) if group else _p_ticks(reach),
    )


def _recursive(result: "MonitorComparison", pair: int) -> PathPanel:
    """Return the panel of a recursion in one direction, or of two."""
    rows = stage_rows(result.course, pair)
    zones = tuple(_zone(result, rows, pair, side) for side in result.design.sides)
    stages = np.unique(rows["stage"])
    n_datasets = len(result.setting.coverage.datasets)
    z = np.array([_towards(rows, t, "p_stage")[0] for t in stages])
    each = [_towards(rows, t, "p_dataset") for t in stages] if n_datasets > 1 else []
    return _panel(result, pair, stages.astype(np.float64), z, each, zones)


def _towards(rows: Rows, stage: int, name: str) -> Array:
    """Return the normal quantiles of p-values of a stage, from the direction with the smaller."""
    now = rows["stage"] == stage
    found: list[Array] = []
    for side in (1, -1):
        p = rows[name][now & (rows["side"] == side)].astype(np.float64)
        if len(p):
            found.append(side * -ndtri(np.clip(p, 1e-300, 1.0)))
    both = np.nan_to_num(np.array(found), nan=0.0)
    return both[np.where(both.sum(axis=0) >= 0, 0, -1), np.arange(both.shape[1])]


def _zone(result: "MonitorComparison", rows: Rows, pair: int, side: int) -> Zone:
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


def _group(result: "MonitorComparison", pair: int) -> PathPanel:
    rows, design = stage_rows(result.course, pair), result.design
    bounds = bounds_of(design)
    at = np.arange(1.0, len(bounds) + 1)
    none = np.full(len(bounds), np.nan)
    zones = tuple(Zone(side, at, bounds, none) for side in design.sides)
    stages, first = np.unique(rows["stage"], return_index=True)
    z = rows["statistic"][first].astype(np.float64) if len(first) else np.zeros(0)
    many = len(result.setting.coverage.datasets) > 1
    each = [rows["statistic_dataset"][rows["stage"] == t] for t in stages] if many else []
    return _panel(result, pair, stages.astype(np.float64), z, each, zones)


def _panel(
    result: "MonitorComparison",
    pair: int,
    stages: Array,
    z: Array,
    each: list[Array],
    zones: tuple[Zone, ...],
) -> PathPanel:
    first, second = names(result, pair)
    side = -1 if result.turns()[pair] else 1
    of_datasets = np.array(each, dtype=np.float64).T if each else np.empty((0, len(stages)))
    return PathPanel(
        label=f"{first} vs {second}",
        note=standing(result, pair),
        names=(first, second),
        verdict=verdict(result, pair),
        stages=stages,
        z=side * z,
        each=side * of_datasets,
        zones=tuple(replace(zone, side=side * zone.side) for zone in zones),
    )


def _reach(panels: tuple[PathPanel, ...]) -> float:
    bounds = [zone.reject[np.isfinite(zone.reject)] for panel in panels for zone in panel.zones]
    nearest = [float(b.max()) for b in bounds if len(b)]
    return min(max([_FEWEST, *(b + _ROOM for b in nearest)]), _FARTHEST)


def _stage_ticks(last: int) -> tuple[tuple[float, str], ...]:
    step = -(-last // 8)
    return tuple((float(t), str(t)) for t in range(1, last + 1) if t == last or t % step == 0)


def _p_ticks(reach: float) -> tuple[tuple[float, str], ...]:
    """Return about four p-values to each side of one half."""
    inside = [p for p in _TICKS[1:] if -ndtri(p) <= reach]
    step = -(-len(inside) // 4)
    kept = inside[::step]
    found = [(0.0, "0.5")]
    for p in kept:
        text = signed(p)
        found += [(float(-ndtri(p)), text), (float(ndtri(p)), text)]
    return tuple(sorted(found))


def _z_ticks(reach: float) -> tuple[tuple[float, str], ...]:
    step = 1 if reach < 4 else 2
    top = int(reach) // step * step
    return tuple((float(z), signed(float(z))) for z in range(-top, top + 1, step))


def _notes(result: "MonitorComparison") -> list[str]:
    many = len(result.setting.coverage.datasets) > 1
    dots = "small dots: data sets by themselves" if many else ""
    if result.design.method == "group-sequential":
        first = "in a shaded zone a look decides; its boundaries are known from the start"
    else:
        first = (
            "in a shaded zone a stage decides; beyond the dotted line of its colour a direction"
            " stops for futility; both are known before the stage is run"
        )
    return [first, *([dots] if dots else [])]


size_decision_path = plots_panels.size_grids


def draw_decision_path(path: DecisionPath, ax: "Axes") -> None:
    """Draw the panels into an Axes."""
    for panel, inside in zip(path.panels, plots_panels.places(path, ax), strict=True):
        inside.set_xlim(0.4, path.last + 0.6)
        inside.set_ylim(-path.reach, path.reach)
        inside.xaxis.set_major_locator(FixedLocator([t for t, _ in path.stage_ticks]))
        inside.set_xticklabels([text for _, text in path.stage_ticks])
        inside.set_yticks([t for t, _ in path.ticks], [text for _, text in path.ticks])
        _draw(panel, path.reach, inside)


def _draw(panel: PathPanel, reach: float, ax: "Axes") -> None:
    ax.axhline(0, color=HAIR, lw=0.8, zorder=1)
    for zone in panel.zones:
        _zone_marks(zone, panel, reach, ax)
    inside = np.clip(panel.each, -reach * 0.97, reach * 0.97)
    for row in inside:
        ax.plot(panel.stages, row, ".", ms=3.2, color=FAINT, alpha=0.7, zorder=3, clip_on=False)
    z = np.clip(panel.z, -reach * 0.95, reach * 0.95)
    mark = MARKS[panel.verdict]
    ax.plot(panel.stages, z, "-", color=INK, lw=1.1, zorder=4)
    for t, shown, true in zip(panel.stages, z, panel.z, strict=True):
        shape = "o" if shown == true else "^" if true > 0 else "v"
        last = t == panel.stages[-1]
        face = mark.colour if last and mark.filled else "white" if last else INK
        ax.plot(t, shown, shape, ms=6 if last else 4, mfc=face, mec=INK, mew=0.9, zorder=5)


def _zone_marks(zone: Zone, panel: PathPanel, reach: float, ax: "Axes") -> None:
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


def layout_measures(monitored: "MonitoredMeasures", width: Width = PAGE) -> Verdicts:
    """Lay out the verdicts so far by each measure of a running experiment."""
    where = f"by {count(len(monitored), 'measure')}"
    return verdict_tiles(monitored.relations(), "Verdicts by each measure", where, width)
