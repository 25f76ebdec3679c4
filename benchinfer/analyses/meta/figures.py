"""Figures of a meta-analysis: studies, funnel, network."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.meta.comparison import MetaComparison
from benchinfer.analyses.meta.influence import SHOWN
from benchinfer.analyses.meta.numerics.effects import together
from benchinfer.analyses.meta.tables import study_intervals
from benchinfer.comparison.checks import InfluenceLayout
from benchinfer.comparison.evidence import Array
from benchinfer.comparison.figures import COMPARISON, INFLUENCE, PREDICTION
from benchinfer.comparison.figures.forest import axis_title, band, band_note
from benchinfer.core.errors import DesignError, message
from benchinfer.core.numbers import count
from benchinfer.core.verdict import Verdict
from benchinfer.plots.draw import Kind, of_part
from benchinfer.plots.style import (
    BAND,
    FAINT,
    HAIR,
    INK,
    MARKS,
    PAGE,
    Width,
    is_wide,
    name_axis,
    open_frame,
    signed,
    ticks,
)
from benchinfer.plots.text import plain, pt, short, widest, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_MOST = 40  # data sets that have a line of their own
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
class StudiesLayout:
    """Layout of the figure.

    Attributes
    ----------
    rows
        Data sets, the smallest effect first.
    pooled, network, ahead
        The effect pooled from these data sets, that of the network if there is one, and the
        interval for a new data set.
    neutral, band, log
        The effect of no difference, effects within the tolerance, and whether the axis is
        logarithmic.
    title, axis, notes, alt, width
        Words, and the room there is.
    """

    rows: tuple[Line, ...]
    pooled: Line
    network: Line | None
    ahead: tuple[float, float]
    neutral: float
    band: tuple[float, float] | None
    log: bool
    title: str
    axis: str
    notes: tuple[str, ...]
    alt: str
    width: Width


def shown_pair(meta: MetaComparison) -> int:
    """Return the pair to show: of those on most data sets, that of the best algorithms."""
    n = meta.alone.n_datasets[: len(meta.pairs)]
    real = (meta.pairs >= 0).all(axis=1) & (n > 1)
    if not real.any():
        raise DesignError(
            message("no pair is on two data sets.", hint='kind="network" shows what is compared.')
        )
    place = np.argsort(np.argsort(-meta.levels.estimate, kind="stable"))
    rank = np.where(real, place[meta.pairs].sum(axis=1), 10**6)
    enough = n >= 0.5 * n[real].max()
    return int(np.argmin(np.where(enough, rank, 10**6)))


def layout_studies(meta: MetaComparison, width: Width = PAGE) -> StudiesLayout:
    """Lay out the effects of one pair."""
    p = shown_pair(meta)
    measure, found = meta.measure, study_intervals(meta, p)
    names = short(list(found.datasets), 24 if is_wide(width) else 12)
    rows = [
        Line(
            names[name],
            float(found.estimate[r]),
            float(found.low[r]),
            float(found.high[r]),
            4 + 5 * float(np.sqrt(found.weight[r])),
        )
        for r, name in enumerate(found.datasets)
    ]
    rows = sorted(rows, key=lambda row: row.estimate)
    own = "pooled" if found.network is None else "pooled, these"
    pooled, ahead = Line(own, *found.pooled, 0.0), found.ahead
    network = None if found.network is None else Line("network", *found.network, 0.0)
    whole = pooled if network is None else network
    first, second = (meta.algorithms[int(k)] for k in meta.pairs[p])
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
    return StudiesLayout(
        rows=tuple(rows[::step]),
        pooled=pooled,
        network=network,
        ahead=ahead,
        neutral=measure.neutral,
        band=band(measure),
        log=measure.scale != "identity",
        title=f"{first} vs {second} by data set: {measure.label or measure.name}",
        axis=axis_title(measure),
        notes=(*notes, *filter(None, [band_note(measure)])),
        alt=f"Forest plot of {first} vs {second} on {count(len(found.datasets), 'data set')},"
        f" {axis_title(measure)}: pooled {whole.estimate:.3g}, from {whole.low:.3g} to"
        f" {whole.high:.3g}; on a new data set from {ahead[0]:.3g} to {ahead[1]:.3g}.",
        width=width,
    )


def size_studies(studies: StudiesLayout) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    lines = len(studies.rows) + (studies.network is not None)
    below = wrapped(studies.axis, _room(studies)).count("\n") + 1
    return studies.width, 0.75 + 0.165 * below + 0.2 * lines


def _room(studies: StudiesLayout) -> float:
    """Return the inches that the axis has."""
    return studies.width - widest([row.label for row in studies.rows]) - 0.3


def draw_studies(studies: StudiesLayout, ax: "Axes") -> None:
    """Draw the effects into an Axes."""
    s, n = studies, len(studies.rows)
    ends = [s.neutral, *s.ahead, *(s.band or ())]
    summaries = [s.pooled, *([s.network] if s.network else [])]
    ends += [end for row in (*s.rows, *summaries) for end in (row.low, row.high)]
    finite = np.array([end for end in ends if np.isfinite(end) and (end > 0 or not s.log)])
    if s.log:
        ax.set_xscale("log")
        low, high = finite.min() / 1.05, finite.max() * 1.05
    else:
        pad = 0.03 * float(np.ptp(finite))
        low, high = finite.min() - pad, finite.max() + pad
    ax.set_xlim(low, high)
    below = n + 0.9 * len(summaries)
    ax.set_ylim(below + 0.9, -0.8)
    if s.band:
        ax.axvspan(*s.band, color=BAND, lw=0, zorder=0)
    ax.axvline(s.neutral, color=INK, lw=0.9, zorder=1)
    for y, row in enumerate(s.rows):
        ax.plot([row.low, row.high], [y, y], color=FAINT, lw=1.2)
        ax.plot([row.estimate], [y], "s", color=INK, ms=row.size * 0.7)
    for i, d in enumerate(summaries):
        y = n + 0.9 * i
        inside = _MARK.colour if i == 0 else "none"
        corners = [d.low, d.estimate, d.high, d.estimate], [y, y - 0.32, y, y + 0.32]
        ax.fill(*corners, facecolor=inside, edgecolor=_MARK.colour, lw=1.2)
    ax.plot(s.ahead, [below] * 2, color=_MARK.colour, lw=3, solid_capstyle="butt", alpha=0.45)
    labels = [*(row.label for row in (*s.rows, *summaries)), "new data set"]
    at = [*range(n), *(n + 0.9 * i for i in range(len(summaries) + 1))]
    ax.set_yticks(at, [plain(label) for label in labels], fontsize=pt(8.5), color=INK)
    ax.tick_params(axis="y", length=0)
    open_frame(ax)
    name_axis(ax, s.axis, _room(s))
    found = ticks(float(low), float(high), 6, log=s.log)
    ax.set_xticks(found, [signed(t) for t in found], fontsize=pt(8.5))
    ax.set_xticks([], minor=True)


_NORMAL = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Funnel:
    """Effects and standard errors on the modelling scale, the pooled one, and words.

    Attributes
    ----------
    effect, error
        (D,) effects, in the user's direction, and standard errors.
    centre
        The pooled effect.
    log
        Whether the axis shows ratios of these logs.
    title, axis, notes, alt, width
        Words, and the room there is.
    """

    effect: Array
    error: Array
    centre: float
    log: bool
    title: str
    axis: str
    notes: tuple[str, ...]
    alt: str
    width: Width


def layout_funnel(meta: MetaComparison, width: Width = PAGE) -> Funnel:
    """Lay out the funnel of the pair that `studies.shown_pair` chooses."""
    p = shown_pair(meta)
    i, j = (int(k) for k in meta.pairs[p])
    found = meta.studies.pair(i, j)
    y, v = found.y, found.v
    first, second, sign = meta.algorithms[i], meta.algorithms[j], meta.measure.sign
    said = "standard errors are too alike, or too few, for Egger's test"
    with suppress(DesignError):
        tests = meta.egger()
        own = tests[(tests["first"] == first) & (tests["second"] == second)]
        if len(own):
            said = f"Egger's test of asymmetry: p = {own['p_value'].iloc[0]:.3g}"
    reading = (
        "dashed: where 95 % of the effects would lie if they differed by sampling alone; asymmetry"
        " has other causes than unpublished results"
    )
    name = meta.measure.label or meta.measure.name
    return Funnel(
        effect=sign * y,
        error=np.sqrt(v),
        centre=sign * float(meta.alone.estimate[p]),
        log=meta.measure.scale != "identity",
        title=f"Funnel of {first} vs {second}: {name}",
        axis=axis_title(meta.measure),
        notes=(said, reading),
        alt=f"Funnel plot of {first} vs {second} on {count(len(y), 'data set')}; {said}.",
        width=width,
    )


def size_funnel(funnel: Funnel) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return funnel.width, 3.4


def draw_funnel(funnel: Funnel, ax: "Axes") -> None:
    """Draw a funnel into an Axes, the most exact effects on top."""
    deep = 1.08 * float(funnel.error.max())
    reach = _NORMAL * deep
    sides = [funnel.centre - reach, funnel.centre, funnel.centre + reach]
    ax.plot(sides, [deep, 0, deep], "--", color=FAINT, lw=0.9)
    ax.axvline(funnel.centre, color=INK, lw=0.9)
    ax.plot(funnel.effect, funnel.error, "o", color=INK, ms=5, mfc="white", mew=1.2)
    ax.set_ylim(deep, 0)
    low, high = ax.get_xlim()
    if funnel.log:
        found = ticks(float(np.exp(low)), float(np.exp(high)), 6, log=True)
        ax.set_xticks([float(np.log(t)) for t in found], [signed(t) for t in found])
    else:
        found = ticks(low, high, 6, log=False)
        ax.set_xticks(found, [signed(t) for t in found])
    ax.set_xlim(low, high)
    ax.grid(axis="y", color=HAIR, lw=0.7)
    ax.set_ylabel("standard error", fontsize=pt(8.5), color=INK)
    ax.tick_params(labelsize=pt(8.5), color=FAINT)
    open_frame(ax)
    name_axis(ax, funnel.axis, funnel.width - 0.8)


@dataclass(frozen=True, slots=True)
class Network:
    """Layout of the figure.

    Attributes
    ----------
    nodes
        Name, position and number of data sets of each algorithm.
    edges
        Two nodes and the number of data sets that hold both.
    title, notes, alt, width
        Words, and the room there is.
    """

    nodes: tuple[tuple[str, float, float, int], ...]
    edges: tuple[tuple[int, int, int], ...]
    title: str
    notes: tuple[str, ...]
    alt: str
    width: Width


def layout_network(meta: MetaComparison, width: Width = PAGE) -> Network:
    """Lay the algorithms out on a circle, best first and clockwise from the top."""
    k, wide = len(meta.algorithms), is_wide(width)
    number = together(meta.studies.blocks, k)
    place = np.argsort(np.argsort(-meta.levels.estimate, kind="stable"))
    angle = np.pi / 2 - 2 * np.pi * place / k
    names = short(list(meta.algorithms), 18 if wide else 10)
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
    if lacking:
        notes.append(f"no line: {count(lacking, 'pair')} on indirect evidence only")
    name = meta.measure.label or meta.measure.name
    d = len(meta.studies.datasets)
    return Network(
        nodes=nodes,
        edges=edges,
        title=f"Who was compared with whom: {name}",
        notes=tuple(notes),
        alt=f"Network of {count(k, 'algorithm')} on {count(d, 'data set')}: {len(edges)} of"
        f" {count(k * (k - 1) // 2, 'pair')} are compared on some data set.",
        width=width,
    )


def size_network(network: Network) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return (5.4, 4.5) if is_wide(network.width) else (network.width, 0.9 * network.width)


def draw_network(network: Network, ax: "Axes") -> None:
    """Draw a network into an Axes."""
    most = max((n for _, _, n in network.edges), default=1)
    largest = max(n for *_, n in network.nodes)
    busy = len(network.edges) <= 15
    for i, j, n in network.edges:
        (_, x0, y0, _), (_, x1, y1, _) = network.nodes[i], network.nodes[j]
        width = 0.6 + 5 * n / most
        ax.plot([x0, x1], [y0, y1], color="#C3C9D0", lw=width, solid_capstyle="butt", zorder=1)
        if busy:
            # Off the middle, where lines cross.
            at = 0.38 if (i + j) % 2 else 0.62
            x, y = x0 + at * (x1 - x0), y0 + at * (y1 - y0)
            room = {"fc": "white", "ec": "none", "pad": 0.8}
            ax.text(
                x, y, str(n), fontsize=pt(7.5), color=FAINT, ha="center", va="center", bbox=room
            )
    for name, x, y, n in network.nodes:
        colour = MARKS[Verdict.FIRST].colour
        ax.plot([x], [y], "o", color=colour, ms=6 + 8 * np.sqrt(n / largest), zorder=3)
        side = "center" if abs(x) < 0.2 else "left" if x > 0 else "right"
        up = "center" if abs(y) < 0.5 else "bottom" if y > 0 else "top"
        text = f"{plain(name)} ({n})"
        ax.text(1.13 * x, 1.13 * y, text, fontsize=pt(9), color=INK, ha=side, va=up, zorder=4)
    ax.set_xlim(-1.75, 1.75)
    ax.set_ylim(-1.35, 1.35)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)


def influence_of(meta: MetaComparison) -> InfluenceLayout:
    """Return the influence of each data set, the largest first."""
    return InfluenceLayout.sorted(meta.measure, meta.influence(SHOWN))


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    MetaComparison: {
        **COMPARISON,
        "studies": Kind(layout_studies, size_studies, draw_studies),
        "funnel": Kind(layout_funnel, size_funnel, draw_funnel),
        "network": Kind(layout_network, size_network, draw_network),
        "influence": of_part(INFLUENCE, influence_of),
        "prediction": of_part(PREDICTION, lambda meta: meta.predict()),
    },
}
