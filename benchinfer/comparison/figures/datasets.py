"""Figures of comparisons per data set: distributions, podium, verdicts.

After the benchmark summary plot of Eugster, Hothorn & Leisch (2012), Domain-based benchmark
experiments, Austrian Journal of Statistics 41, 5-26, https://doi.org/10.17713/ajs.v41i1.185
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count, ordinal
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.ties import joined_levels, ranked_rows
from benchinfer.numerics.types import Array
from benchinfer.plots import panels
from benchinfer.plots.layout import Layout
from benchinfer.plots.panels import COLUMN, scaled
from benchinfer.plots.style import FAINT, INK, PAGE, Width, is_wide, lines, measure_name, signed
from benchinfer.plots.text import fitted, key, plain, pt, widest
from benchinfer.plots.tiles import Verdicts
from benchinfer.relations.figures import ensemble
from benchinfer.relations.figures.ensemble import standing, verdict_tiles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.evidence import Setting
    from benchinfer.comparison.per_dataset import Comparisons


_BOX = "#0072B2"
_RANGE = "#8DB9D6"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxPanel(panels.Panel):
    """The boxes of one algorithm over R data sets, or of R algorithms on one data set.

    Attributes
    ----------
    boxes
        (R, 5) minimum, quartiles and maximum as positions from 0 to 1 across the panel, NaN where
        there is no score.
    middle
        (R,) position of the middle of the data set: the median of the algorithms' medians.
    """

    boxes: Array
    middle: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Distributions(panels.Panels[BoxPanel]):
    """Layout of the figure."""

    single: bool  # whether each cell holds one score, so that there is nothing to spread


_MANY, _MOST_ROWS = 12, 100  # algorithms that are shown unless more are asked for, and data sets


def layout_distributions(
    setting: Setting,
    width: Width = PAGE,
    *,
    top: int | None = None,
    algorithms: Sequence[str] | None = None,
) -> Distributions:
    """Return the layout of box plots of scores, one panel for each of the best algorithms."""
    measure, counts = setting.measure, setting.coverage.counts
    if not setting.has_quartiles:
        raise DesignError(
            "published effects and statistics come without scores.",
            hint="plot a comparison of scores.",
        )
    some_d, some_k = np.flatnonzero(counts.sum(axis=1)), np.flatnonzero(counts.sum(axis=0))
    quantiles = setting.quantiles[np.ix_(some_d, some_k)]
    names = [setting.algorithms[k] for k in some_k]
    in_order = [setting.coverage.datasets[d] for d in some_d]
    low, high = float(np.nanmin(quantiles)), float(np.nanmax(quantiles))
    log = measure.scale == "log" and low > 0
    boxes, middle = scaled(quantiles, low, high, log=log), np.nanmedian(quantiles[:, :, 2], axis=1)
    rows = np.argsort(measure.sign * joined_levels(middle), kind="stable")
    standing = np.nanmean(boxes[:, :, 2] - scaled(middle, low, high, log=log)[:, None], axis=0)
    single = bool((counts <= 1).all())
    best_first = np.argsort(-measure.sign * joined_levels(standing), kind="stable")
    chosen = [k for k in best_first if algorithms is None or names[k] in algorithms]
    default = _MANY if algorithms is None else None
    chosen = chosen[: default if top is None else top]
    step = math.ceil(len(rows) / _MOST_ROWS)
    rows = rows[::step]
    columns = min(len(chosen), 6 if is_wide(width) else 2)
    places = [panels.start(n, columns, len(rows)) for n in range(len(chosen))]
    ticks = panels.few_ticks(low, high, log=log)
    of_all = f"{len(chosen):,} of {len(names):,} algorithms"
    return Distributions(
        panels=tuple(
            BoxPanel(
                label=names[k],
                ticks=ticks,
                left=left,
                top=down,
                boxes=boxes[rows, k],
                middle=scaled(middle, low, high, log=log)[rows],
            )
            for k, (left, down) in zip(chosen, places, strict=True)
        ),
        labels=tuple(in_order[d] for d in rows),
        columns=columns,
        single=single,
        title=f"Scores: {measure_name(measure)}{measure.unit_mark}, {measure.better} is better",
        width=width,
        notes=(
            *_note(single=single, linear=measure.scale == "log" and not log),
            *(
                [f"{of_all}, the best ones; others can be chosen"]
                if len(chosen) < len(names)
                else []
            ),
            *([f"every {ordinal(step)} data set is drawn"] if step > 1 else []),
        ),
        alt=f"Distributions of the scores of {count(len(chosen), 'algorithm')} on"
        f" {count(len(rows), 'data set')}, from {signed(float(f'{low:.3g}'))} to"
        f" {signed(float(f'{high:.3g}'))}; {measure.better} is better.",
    )


_PANELS = 12  # data sets that are shown unless more are asked for


def layout_boxes(
    setting: Setting,
    width: Width = PAGE,
    *,
    top: int | None = None,
    algorithms: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
) -> Distributions:
    """Return the layout of box plots of scores, one panel with its own axis for each data set."""
    measure, coverage = setting.measure, setting.coverage
    if not setting.has_quartiles:
        raise DesignError(
            "published effects and statistics come without scores.",
            hint="plot a comparison of scores.",
        )
    scored = np.flatnonzero(coverage.counts.sum(axis=1))
    scored = scored[
        np.argsort(-np.nanmedian(setting.quantiles[scored][:, :, 2], axis=1), kind="stable")
    ]
    names = _best_first(setting) if order is None else list(order)
    names = [name for name in names if algorithms is None or name in algorithms]
    shown = names[: _MANY if algorithms is None and order is None else None]
    at = [setting.algorithms.index(name) for name in shown]
    many = scored[: _PANELS if top is None else top]
    columns = min(len(many), (4 if len(shown) <= 12 else 3) if is_wide(width) else 1)
    shown_panels: list[BoxPanel] = []
    for n, d in enumerate(many):
        quantiles = setting.quantiles[d][at]
        low, high = float(np.nanmin(quantiles)), float(np.nanmax(quantiles))
        log = measure.scale == "log" and low > 0
        left, down = panels.start(n, columns, len(at))
        middle = np.nanmedian(setting.quantiles[d][:, 2])
        shown_panels.append(
            BoxPanel(
                label=coverage.datasets[d],
                ticks=panels.few_ticks(low, high, log=log),
                left=left,
                top=down,
                boxes=scaled(quantiles, low, high, log=log),
                middle=np.full(len(at), scaled(np.array(middle), low, high, log=log)),
            )
        )
    single = bool((coverage.counts <= 1).all())
    return Distributions(
        panels=tuple(shown_panels),
        labels=tuple(shown),
        columns=columns,
        single=single,
        title=f"Scores: {measure_name(measure)}{measure.unit_mark}, {measure.better} is better",
        width=width,
        notes=(
            *_note(single=single, linear=False),
            "each data set has its own axis; algorithms by mean rank",
            *(
                (f"{len(shown):,} of {len(setting.algorithms):,} algorithms",)
                if len(shown) < len(setting.algorithms)
                else ()
            ),
            *((f"{len(many):,} of {len(scored):,} data sets",) if len(many) < len(scored) else ()),
        ),
        alt=f"Distributions of the scores of {count(len(shown), 'algorithm')} on each of"
        f" {count(len(many), 'data set')}, each with its own axis; {measure.better} is better.",
    )


def _best_first(setting: Setting) -> list[str]:
    """Return the algorithms by the mean of their ranks on each data set, by medians."""
    medians = setting.measure.sign * setting.quantiles[:, :, 2]
    rank = np.nanmean(ranked_rows(-medians), axis=0)
    return [setting.algorithms[k] for k in np.argsort(joined_levels(rank), kind="stable")]


def _note(*, single: bool, linear: bool) -> tuple[str, ...]:
    shape = "dot: the score" if single else "line: range; bar: quartiles; dot: median"
    note = (shape, "grey tick: middle of all algorithms on that data set")
    return (*note, "linear axis: not all scores are above 0") if linear else note


size_distributions = panels.size_panels


def draw_distributions(distributions: Distributions, ax: Axes) -> None:
    """Draw the distributions into an Axes."""
    panels.frame(distributions, ax)
    for panel in distributions.panels:
        _draw_panel(distributions, panel, ax)


def _draw_panel(d: Distributions, panel: BoxPanel, ax: Axes) -> None:
    y = panel.top + np.arange(d.rows)
    middle = panel.left + panel.middle * COLUMN
    lines(
        ax,
        [(m, i - 0.42, m, i + 0.42) for m, i in zip(middle, y, strict=True)],
        FAINT,
        1.0,
        zorder=2,
    )
    held = ~np.isnan(panel.boxes[:, 2])
    x = panel.left + panel.boxes * COLUMN
    if not d.single:
        lines(ax, [(x[i, 0], y[i], x[i, 4], y[i]) for i in np.flatnonzero(held)], _RANGE, 1.4)
        lines(ax, [(x[i, 1], y[i], x[i, 3], y[i]) for i in np.flatnonzero(held)], _BOX, 4.0)
    ax.plot(
        x[held, 2],
        y[held],
        "o",
        ms=3.2 if not d.single else 4.5,
        mfc="white" if not d.single else _BOX,
        mec=_BOX,
        mew=0.9,
        zorder=4,
    )
    panels.absent(panel, np.flatnonzero(~held).tolist(), ax)


def layout_verdicts(
    comparisons: Comparisons,
    width: Width = PAGE,
    *,
    top: int | None = None,
    algorithms: Sequence[str] | None = None,
) -> Verdicts:
    """Return the layout of tiles that show the verdicts of each pair over the data sets."""
    if not comparisons:
        raise DesignError("no data set was compared.", hint="see comparisons.refused.")
    measure = next(iter(comparisons.values())).measure
    heading = measure_name(measure)
    where = f"on {count(len(comparisons), 'data set')}"
    title = f"Verdicts on each data set: {heading}"
    relations = comparisons.relations()
    return verdict_tiles(relations, title, where, width, top=top, algorithms=algorithms)


# From the best standing over all data sets to the worst: ends and middle of a row of colours.
_ENDS = np.array([[0x8F, 0xC1, 0xE3], [0xF7, 0xF5, 0xEF], [0xF3, 0xB8, 0x86]])
_ROW, _NAME = 0.27, 0.78  # inches of a row, and of a name that is legible
_PODIUM = 3  # places that are always shown
_SIZE = 8.0  # points of names


@dataclass(frozen=True, slots=True)
class Place:
    """An algorithm on a data set: row, position from 0, text, and colour."""

    row: int
    column: int
    text: str
    fill: str


@dataclass(frozen=True, slots=True)
class Podium(Layout):
    """Layout of the figure.

    Attributes
    ----------
    places, breaks
        Algorithms, and verdicts of two neighbours by their row and the position of the first.
    rows
        Data sets, those with like verdicts side by side.
    positions
        How many are shown, from the best on.
    """

    places: tuple[Place, ...]
    breaks: Mapping[tuple[int, int], Verdict]
    rows: tuple[str, ...]
    positions: int


def layout_podium(
    comparisons: Comparisons, width: Width = PAGE, *, top: int | None = None
) -> Podium:
    """Return the layout of the algorithms' order on each data set, cut where names do not fit."""
    if not comparisons:
        raise DesignError("no data set was compared.", hint="see comparisons.refused.")
    relations = comparisons.relations()
    overall = standing(relations)
    fills = dict(zip(overall, _colours(len(overall)), strict=True))
    leaves = ensemble.leaves(relations.clusters().merges)
    datasets = [list(comparisons)[i] for i in leaves][:top]
    labels = fitted(datasets, 0.3 * width)
    texts, positions = _texts(overall, width - widest(list(labels.values())) - 0.3)
    places: list[Place] = []
    breaks: dict[tuple[int, int], Verdict] = {}
    said: list[str] = []
    for row, name in enumerate(datasets):
        order, verdicts = _order(comparisons[name])
        places += [Place(row, n, texts[a], fills[a]) for n, a in enumerate(order[:positions])]
        breaks |= {(row, n): verdict for n, verdict in enumerate(verdicts[: positions - 1])}
        said.append(f"{name}: {_spoken(order, verdicts)}")
    measure, k, d = next(iter(comparisons.values())).measure, len(overall), len(comparisons)
    return Podium(
        places=tuple(places),
        breaks=breaks,
        rows=tuple(labels[name] for name in datasets),
        positions=positions,
        title="Order on each data set: " + measure_name(measure),
        notes=(
            "best to the left; a bar: the left one is preferred to its neighbour",
            "~: the two are equivalent; no sign: undecided",
            "coloured from blue to orange by wins less losses over all data sets",
            "data sets with like verdicts stand together",
            *([f"the first {positions} of {k} places"] if positions < k else ()),
            *([f"{len(datasets):,} of {d:,} data sets"] if len(datasets) < d else ()),
            *key({**labels, **texts}),
        ),
        width=width,
        alt=f"Order of performance on {count(len(datasets), 'data set')}, best first: "
        + "; ".join(said)
        + ".",
    )


def _texts(overall: list[str], room: float) -> tuple[dict[str, str], int]:
    """Return the fitted names in the tiles, and how many tiles fit into a width in inches."""
    wish = min(widest(overall, _SIZE) + 0.14, _NAME)
    positions = min(max(int(room / wish), _PODIUM), len(overall))
    return fitted(overall, room / positions - 0.1, _SIZE), positions


def _colours(k: int) -> list[str]:
    at = np.linspace(0, 2, k) if k > 1 else np.zeros(1)
    mixed = np.stack([np.interp(at, range(3), band) for band in _ENDS.T], axis=1)
    return ["#" + "".join(f"{round(v):02X}" for v in colour) for colour in mixed.tolist()]


def _order(comparison: Comparison) -> tuple[list[str], list[Verdict]]:
    """Return the algorithms by performance, and the verdict of each pair of neighbours."""
    level, states = comparison.levels.estimate, comparison.relation().states
    order = [i for i in comparison.pairs.best_first if not np.isnan(level[i])]
    verdicts = [Verdict(states[i, j]) for i, j in pairwise(order)]
    return [comparison.algorithms[i] for i in order], verdicts


def _spoken(order: list[str], verdicts: list[Verdict]) -> str:
    marks = {Verdict.FIRST: ">", Verdict.SECOND: "<", Verdict.EQUIVALENT: "~"}
    pairs = zip(verdicts, order[1:], strict=True)
    return " ".join([order[0], *(f"{marks.get(v, '?')} {name}" for v, name in pairs)])


def size_podium(podium: Podium) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return podium.width, 0.15 + _ROW * len(podium.rows)


def draw_podium(podium: Podium, ax: Axes) -> None:
    """Draw the podiums into an Axes."""
    p = podium
    for fill in dict.fromkeys(place.fill for place in p.places):
        same_fill = [place for place in p.places if place.fill == fill]
        y, x = [place.row for place in same_fill], [place.column - 0.5 for place in same_fill]
        ax.barh(y, 1.0, 0.8, left=x, color=fill, lw=0)
    for place in p.places:
        ax.text(
            place.column,
            place.row,
            plain(place.text),
            ha="center",
            va="center_baseline",
            fontsize=pt(_SIZE),
            color=INK,
        )
    _draw_breaks(p, ax)
    ax.set_xlim(-0.5, p.positions - 0.5)
    ax.set_ylim(len(p.rows) - 0.5, -0.5)
    ax.spines[:].set_visible(False)
    ax.set_xticks([])
    ax.set_yticks(range(len(p.rows)), [plain(n) for n in p.rows], fontsize=pt(8.5), color=INK)
    ax.tick_params(length=0)


def _draw_breaks(podium: Podium, ax: Axes) -> None:
    """Draw bars where the better one is preferred, and signs where two are equivalent."""
    decided = [at for at, v in podium.breaks.items() if v in {Verdict.FIRST, Verdict.SECOND}]
    bars = [(column + 0.5, row - 0.45, column + 0.5, row + 0.45) for row, column in decided]
    lines(ax, bars, INK, 2.6, zorder=4)
    for (row, column), verdict in podium.breaks.items():
        if verdict == Verdict.EQUIVALENT:
            ax.text(
                column + 0.5,
                row,
                "~",
                ha="center",
                va="center_baseline",
                fontsize=pt(9.5),
                fontweight="bold",
                color=INK,
                zorder=5,
            )
