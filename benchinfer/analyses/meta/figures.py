"""Figures of a meta-analysis: studies, funnel, network."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import isotonic_regression

from benchinfer.analyses.meta.comparison import MetaComparison, without_datasets
from benchinfer.analyses.meta.influence import SHOWN
from benchinfer.analyses.meta.numerics.effects import together, unequal_pairs
from benchinfer.analyses.meta.tables import study_intervals
from benchinfer.comparison.figures import COMPARISON, INFLUENCE, PREDICTION
from benchinfer.comparison.figures.forest import axis_title, band, band_note
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import count
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array
from benchinfer.plots import bars
from benchinfer.plots.bars import arrows, outside, reach
from benchinfer.plots.draw import Kind, of_part
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import (
    BAND,
    FAINT,
    HAIR,
    INK,
    MARKS,
    PAGE,
    Width,
    bare,
    lines,
    measure_name,
    name_axis,
    signed,
)
from benchinfer.plots.text import (
    across,
    axis_height,
    axis_room,
    fitted,
    key,
    plain,
    pt,
    versus,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_MOST = 40  # data sets that have a line of their own
_SUMMARIES = ("pooled, these", "new data set")  # the longest names below the data sets
_MARK = MARKS[Verdict.FIRST]


@dataclass(frozen=True, slots=True)
class Line:
    """Effect of a data set (or the pooled one) with its interval, and the size of its mark."""

    label: str
    estimate: float
    low: float
    high: float
    size: float


@dataclass(frozen=True, slots=True)
class StudiesLayout(Layout):
    """Layout of the figure."""

    rows: tuple[Line, ...]  # data sets, the smallest effect first
    # pooled, network, ahead: the effect pooled from these data sets, that of the network if there
    # is one, and the interval for a new data set
    pooled: Line
    network: Line | None
    ahead: tuple[float, float]
    # neutral, band, log: the effect of no difference, effects within the tolerance, and whether the
    # axis is logarithmic
    neutral: float
    band: tuple[float, float] | None
    log: bool
    limits: tuple[float, float]  # ends of the axis


def shown_pair(meta: MetaComparison, pair: tuple[str, str] | None = None) -> int:
    """Return the pair to show: of those on most data sets, that of the best algorithms."""
    if pair is not None:
        return _position(meta, pair)
    n = meta.alone.n_datasets[: len(meta.pairs)]
    real = meta.pairs.real & (n > 1)
    if not real.any():
        raise DesignError("no pair is on two data sets.", hint='kind="forest" shows the estimates.')
    place = np.argsort(meta.pairs.best_first)
    rank = np.where(real, place[meta.pairs.index].sum(axis=1), 10**6)
    enough = n >= 0.5 * n[real].max()
    return int(np.argmin(np.where(enough, rank, 10**6)))


def _position(meta: MetaComparison, pair: tuple[str, str]) -> int:
    """Return the number of a pair that has a name; which one is first does not matter."""
    if strange := [name for name in pair if name not in meta.algorithms]:
        raise ArgumentError(unknown("algorithm", strange[0], meta.algorithms))
    wanted = sorted(meta.algorithms.index(name) for name in pair)
    position = np.flatnonzero((np.sort(meta.pairs.index, axis=1) == wanted).all(axis=1))
    if not len(position) or meta.alone.n_datasets[position[0]] < 2:
        raise ArgumentError(
            f"{pair[0]!r} and {pair[1]!r} are not compared on two data sets.",
            hint='kind="forest" shows the estimates.',
        )
    return int(position[0])


def _others(meta: MetaComparison, pair: tuple[str, str] | None) -> list[str]:
    n = len(meta.pairs)
    return [f"one of {n:,} pairs; another can be chosen"] if pair is None and n > 1 else []


def layout_studies(
    meta: MetaComparison, width: Width = PAGE, *, pair: tuple[str, str] | None = None
) -> StudiesLayout:
    """Return the layout of the forest plot of one pair, data sets in the order of their effects."""
    p = shown_pair(meta, pair)
    measure, named = meta.measure, meta.pairs.oriented()[p]
    intervals = study_intervals(meta, p, turn=named != meta.pairs.sides[p])
    names = fitted(intervals.datasets, 0.38 * width)
    rows = [
        Line(
            names[name],
            float(intervals.estimate[r]),
            float(intervals.low[r]),
            float(intervals.high[r]),
            4 + 5 * float(np.sqrt(intervals.weight[r])),
        )
        for r, name in enumerate(intervals.datasets)
    ]
    rows = sorted(rows, key=lambda row: row.estimate)
    label = "pooled" if intervals.network is None else _SUMMARIES[0]
    pooled, ahead = Line(label, *intervals.pooled, 0.0), intervals.ahead
    network = None if intervals.network is None else Line("network", *intervals.network, 0.0)
    shown = pooled if network is None else network
    first, second = named
    level = f"{100 * meta.level:g} %"
    step = max(1, -(-len(rows) // _MOST))
    all_sets = "; hollow diamond: the same from all data sets jointly" if network else ""
    reading = (
        f"lines: {level} intervals of each data set; diamond: their mean with its {level}"
        f" interval{all_sets}; bar below: where the difference on a new data set is expected"
    )
    notes = [reading]
    if step > 1:
        notes.append(f"every {step}th of {len(rows)} data sets is drawn")
    rows, near, log = rows[::step], band(measure), measure.scale != "identity"
    held = [measure.neutral, *ahead, *(near or ()), pooled.low, pooled.high]
    held += [network.low, network.high] if network else []
    ends = [end for row in rows for end in (row.low, row.high)]
    limits = reach(ends, held, log=log)
    return StudiesLayout(
        rows=tuple(rows),
        pooled=pooled,
        network=network,
        ahead=ahead,
        neutral=measure.neutral,
        band=near,
        log=log,
        limits=limits,
        title=f"{versus(first, second, width)} by data set: {measure_name(measure)}",
        axis=axis_title(measure),
        notes=(
            *notes,
            *outside(ends, limits),
            *_others(meta, pair),
            *filter(None, [band_note(measure)]),
        ),
        alt=f"Forest plot of {first} vs {second} on {count(len(intervals.datasets), 'data set')},"
        f" {axis_title(measure)}: pooled {shown.estimate:.3g}, from {shown.low:.3g} to"
        f" {shown.high:.3g}; on a new data set from {ahead[0]:.3g} to {ahead[1]:.3g}.",
        width=width,
    )


def size_studies(studies: StudiesLayout) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    rows = len(studies.rows) + (studies.network is not None)
    room = axis_room(studies.width, [*(row.label for row in studies.rows), *_SUMMARIES])
    return studies.width, 0.75 + axis_height(studies.axis, room) + 0.2 * rows


def draw_studies(studies: StudiesLayout, ax: Axes) -> None:
    """Draw the effects into an Axes."""
    s, n = studies, len(studies.rows)
    summaries = [s.pooled, *([s.network] if s.network else [])]
    below = n + 0.9 * len(summaries)
    ax.set_ylim(below + 0.9, -0.8)
    if s.band:
        ax.axvspan(*s.band, color=BAND, lw=0, zorder=0)
    ax.axvline(s.neutral, color=INK, lw=0.9, zorder=1)
    for y, row in enumerate(s.rows):
        ax.plot([row.low, row.high], [y, y], color=FAINT, lw=1.2)
        ax.plot([row.estimate], [y], "s", color=INK, ms=row.size * 0.7)
    ends = [(end, y) for y, row in enumerate(s.rows) for end in (row.low, row.high)]
    for x, at, mark in arrows(ends, s.limits):
        ax.plot([x], [at], mark, color=FAINT, ms=5, clip_on=False)
    for i, d in enumerate(summaries):
        y = n + 0.9 * i
        inside = _MARK.colour if i == 0 else "none"
        corners = [d.low, d.estimate, d.high, d.estimate], [y, y - 0.32, y, y + 0.32]
        ax.fill(*corners, facecolor=inside, edgecolor=_MARK.colour, lw=1.2)
    ax.plot(s.ahead, [below] * 2, color=_MARK.colour, lw=3, solid_capstyle="butt", alpha=0.45)
    labels = [*(row.label for row in (*s.rows, *summaries)), _SUMMARIES[1]]
    at = [*range(n), *(n + 0.9 * i for i in range(len(summaries) + 1))]
    ax.set_yticks(at, [plain(label) for label in labels], fontsize=pt(8.5), color=INK)
    ax.tick_params(axis="y", length=0)
    bars.draw_axis(
        ax,
        s.axis,
        s.limits,
        axis_room(s.width, [*(row.label for row in s.rows), *_SUMMARIES]),
        log=s.log,
    )
    ax.spines["left"].set_visible(False)


_NORMAL = 1.959963984540054
_DEEP = 1.08  # of the largest standard error


@dataclass(frozen=True, slots=True)
class Funnel(Layout):
    """Effects and standard errors on the modelling scale, the pooled one, and words."""

    # effect, error: (D,) effects, in the user's direction, and standard errors
    effect: Array
    error: Array
    centre: float  # the pooled effect
    log: bool  # whether the axis shows ratios of these logs
    limits: tuple[float, float]  # ends of the axis, on the modelling scale


def layout_funnel(
    meta: MetaComparison, width: Width = PAGE, *, pair: tuple[str, str] | None = None
) -> Funnel:
    """Return the layout of the funnel plot of one pair, by default that of `shown_pair`."""
    p, names = shown_pair(meta, pair), meta.algorithms
    i, j = (int(k) for k in meta.pairs.index[p])
    first, second = meta.pairs.oriented()[p]
    direct = meta.studies.pair(i, j)
    y, v = direct.y, direct.v
    sign = meta.measure.sign if first == names[i] else -meta.measure.sign
    said = "standard errors too alike, or too few, for Egger's test"
    with suppress(DesignError):
        tests = meta.egger()
        test = tests[(tests["first"] == names[i]) & (tests["second"] == names[j])]
        if len(test):
            said = f"Egger's test of asymmetry: p = {test['p_value'].iloc[0]:.3g}"
    reading = (
        "dashed: where 95 % of the effects would lie if they differed by sampling alone; asymmetry"
        " has other causes than unpublished results"
    )
    effect, error, centre = sign * y, np.sqrt(v), sign * float(meta.alone.estimate[p])
    log, name = meta.measure.scale != "identity", measure_name(meta.measure)
    wide = _NORMAL * _DEEP * float(error.max())
    limits = reach(effect, [centre - wide, centre + wide])
    unit = (lambda x: float(np.exp(x))) if log else float
    return Funnel(
        effect=effect,
        error=error,
        centre=centre,
        log=log,
        limits=limits,
        title=f"{versus(first, second, width)}, funnel: {name}",
        axis=axis_title(meta.measure),
        notes=(
            said,
            reading,
            *outside([unit(x) for x in effect], (unit(limits[0]), unit(limits[1]))),
            *_others(meta, pair),
        ),
        alt=f"Funnel plot of {first} vs {second} on {count(len(y), 'data set')}; {said}.",
        width=width,
    )


def draw_funnel(funnel: Funnel, ax: Axes) -> None:
    """Draw a funnel into an Axes, the most exact effects on top."""
    deep = _DEEP * float(funnel.error.max())
    reach = _NORMAL * deep
    sides = [funnel.centre - reach, funnel.centre, funnel.centre + reach]
    ax.plot(sides, [deep, 0, deep], "--", color=FAINT, lw=0.9)
    ax.axvline(funnel.centre, color=INK, lw=0.9)
    ax.plot(funnel.effect, funnel.error, "o", color=INK, ms=5, mfc="white", mew=1.2)
    for x, y, mark in arrows(zip(funnel.effect, funnel.error, strict=True), funnel.limits):
        ax.plot([x], [y], mark, color=INK, ms=5, clip_on=False)
    ax.set_ylim(deep, 0)
    low, high = funnel.limits
    room = funnel.width - 0.8
    if funnel.log:
        at = bars.spaced((float(np.exp(low)), float(np.exp(high))), room, log=True)
        ax.set_xticks([float(np.log(t)) for t in at], [signed(t) for t in at])
    else:
        at = bars.spaced((low, high), room, log=False)
        ax.set_xticks(at, [signed(t) for t in at])
    ax.set_xlim(low, high)
    ax.grid(axis="y", color=HAIR, lw=0.7)
    ax.set_ylabel("standard error", fontsize=pt(8.5), color=INK)
    ax.tick_params(labelsize=pt(8.5), color=FAINT)
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    name_axis(ax, funnel.axis, room)


_LINE, _ASIDE = 0.17, 0.25  # inches from name to name, and from circle to names
_SIDES = 0.26  # share of the width that names on one side may take


@dataclass(frozen=True, slots=True)
class Network(Layout):
    """Layout of the figure."""

    # Name, position and number of data sets of each algorithm
    nodes: tuple[tuple[str, float, float, int], ...]
    edges: tuple[tuple[int, int, int], ...]  # two nodes and the number of data sets that hold both


def layout_network(meta: MetaComparison, width: Width = PAGE) -> Network:
    """Return the layout of the network plot: algorithms clockwise from the top, best first.

    Raises
    ------
    DesignError
        All pairs are on as many data sets.
    """
    k = len(meta.algorithms)
    number = together(meta.studies.blocks, k)
    if not unequal_pairs(meta.studies.blocks, k):
        raise DesignError(
            "a network shows which pairs are compared, and here all are, each on"
            f" {count(int(number[0, 1]), 'data set')}.",
            hint='kind="forest" shows all pairs, kind="studies" one pair on each data set.',
        )
    place = np.argsort(meta.pairs.best_first)
    angle = np.pi / 2 - 2 * np.pi * place / k
    names = fitted(meta.algorithms, _SIDES * width - across(f" ({number.max()})", 9), 9)
    nodes = tuple(
        (names[name], float(np.cos(a)), float(np.sin(a)), int(number[i, i]))
        for i, (name, a) in enumerate(zip(meta.algorithms, angle, strict=True))
    )
    edges = tuple(
        (i, j, int(number[i, j])) for i in range(k) for j in range(i + 1, k) if number[i, j]
    )
    lacking = k * (k - 1) // 2 - len(edges)
    reading = "algorithms clockwise from the best estimate; lines as thick as data sets hold both"
    notes = [reading]
    if len({n for *_, n in edges}) == 1:
        notes.append(f"each line: {count(edges[0][2], 'data set')}")
    if lacking:
        notes.append(f"no line: {count(lacking, 'pair')} on indirect evidence only")
    name = meta.measure.noun
    d = len(meta.studies.datasets)
    return Network(
        nodes=nodes,
        edges=edges,
        title=f"Who was compared with whom: {name}",
        notes=(*notes, *key(names)),
        alt=f"Network of {count(k, 'algorithm')} on {count(d, 'data set')}: {len(edges)} of"
        f" {count(k * (k - 1) // 2, 'pair')} are compared on some data set.",
        width=width,
    )


def _reach_of(network: Network) -> tuple[float, float]:
    """Return the inches of the circle across and down, half each; many names need an ellipse."""
    side = max(across(f"{name} ({n})", 9) for name, *_, n in network.nodes)
    most = min(0.5 + 0.2 * len(network.nodes), 1.7)  # few algorithms need a small one
    wide = min(max(network.width / 2 - side - _ASIDE - 0.15, 0.4), most)
    return wide, max(wide, _LINE * len(network.nodes) / 4)


def draw_network(network: Network, ax: Axes) -> None:
    """Draw a network into an Axes, in inches."""
    wide, tall = _reach_of(network)
    most = max((n for _, _, n in network.edges), default=1)
    largest = max(n for *_, n in network.nodes)
    room = min(1.0, 15 / len(network.nodes))
    place = [(wide * x, tall * y) for _, x, y, _ in network.nodes]
    busy = len(network.edges) <= 15 and len({n for *_, n in network.edges}) > 1
    for i, j, n in network.edges:
        (x0, y0), (x1, y1) = place[i], place[j]
        width = (0.6 + 5 * n / most) * min(1.0, 15 / len(network.edges) + 0.1)
        ax.plot([x0, x1], [y0, y1], color="#C3C9D0", lw=width, solid_capstyle="butt", zorder=1)
        if busy:
            # Off the middle, where lines cross.
            at = 0.38 if (i + j) % 2 else 0.62
            x, y = x0 + at * (x1 - x0), y0 + at * (y1 - y0)
            blank = {"fc": "white", "ec": "none", "pad": 0.8}
            ax.text(
                x, y, str(n), fontsize=pt(7.5), color=FAINT, ha="center", va="center", bbox=blank
            )
    for (x, y), (*_, n) in zip(place, network.nodes, strict=True):
        colour = MARKS[Verdict.FIRST].colour
        ax.plot([x], [y], "o", color=colour, ms=room * (6 + 8 * np.sqrt(n / largest)), zorder=3)
    for right in (1, -1):
        _name_nodes(network, place, right, ax)
    ax.set_xlim(-network.width / 2 + 0.08, network.width / 2 - 0.08)
    ax.set_ylim(-tall - 0.2, tall + 0.2)
    bare(ax)


def _name_nodes(network: Network, place: list[tuple[float, float]], right: int, ax: Axes) -> None:
    """Write the names of one side beside the circle, apart, with lines to their nodes."""
    nodes = [m for m, (x, _) in enumerate(place) if (x > -1e-9) == (right > 0)]
    nodes = sorted(nodes, key=lambda m: -place[m][1])
    if not nodes:
        return
    apart = _LINE * np.arange(len(nodes))
    wish = np.array([place[m][1] for m in nodes])
    heights = isotonic_regression(wish + apart, increasing=False).x - apart
    side = right * (_reach_of(network)[0] + _ASIDE)
    lines(
        ax,
        [(*place[m], side, y) for m, y in zip(nodes, heights, strict=True)],
        HAIR,
        0.7,
        zorder=0,
    )
    for m, y in zip(nodes, heights, strict=True):
        name, *_, n = network.nodes[m]
        align = "left" if right > 0 else "right"
        text = f"{plain(name)} ({n})"
        ax.text(side + 0.04 * right, y, text, fontsize=pt(9), color=INK, ha=align, va="center")


def _in_unit(meta: MetaComparison) -> MetaComparison:
    """Return a meta-analysis whose effects are in the unit of the scores, or refuse it."""
    if meta.options.effect == "standardised":
        raise DesignError(
            "effects are in standard deviations, which an axis of scores does not show.",
            hint='kind="forest" shows the effects.',
        )
    return meta


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    MetaComparison: {
        **COMPARISON,
        "estimation": of_part(COMPARISON["estimation"], _in_unit),
        "studies": Kind(layout_studies, size_studies, draw_studies),
        "funnel": Kind(layout_funnel, lambda laid: (laid.width, 3.4), draw_funnel),
        "network": Kind(
            layout_network, lambda laid: (laid.width, 2 * _reach_of(laid)[1] + 0.5), draw_network
        ),
        "influence": of_part(INFLUENCE, lambda meta: without_datasets(meta, SHOWN)),
        "prediction": of_part(PREDICTION, lambda meta: meta.predict()),
    },
}
