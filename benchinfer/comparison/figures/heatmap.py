"""Heat map of mean scores: data sets by algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import to_rgb

from benchinfer.comparison.figures.standing import standing
from benchinfer.core.numbers import count, significant
from benchinfer.numerics.types import Array, Flags
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import FAINT, INK, PAGE, Width, is_wide, lines, measure_name
from benchinfer.plots.text import across, fitted, key, plain, pt, widest
from benchinfer.plots.tiles import SHADES
from benchinfer.plots.trees import TREE, ClusterTree, draw_beside, tree_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.core.measure import Measure
    from benchinfer.scores.table import ScoreTable


# Inches: least height of a tile with a number, largest width of one without, least size of a tile
# that has a name beside it, height of all rows without names, names of columns, and the legend.
_NUMBER, _TILE, _NAMED, _ALL, _HEADS, _LEGEND = (0.2, 0.34, 0.12, 11.0, 1.6, 0.5)
_SIZE, _SMALL = 8.5, 7.0  # points of names, and of numbers
# Differences beyond this share of all have the lightest shade: one outlier leaves no colour else.
_LIGHTEST = 0.95
_DOTTED = 0.045  # inches of the least tile with a dot
_FIRST = 5  # algorithms that a note names where columns have numbers
_BY_RANK = "data sets from the highest to the lowest middle score; algorithms by mean rank"
CLUSTERS = "clusters"  # the order by clusters
_UNLIKE = 20.0  # times that data sets may differ in their ranges before each has its own


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatMap(Layout):
    """Layout of the figure.

    Attributes
    ----------
    rows, columns
        Names of data sets, from the highest to the lowest middle score, and of algorithms, best
        first; as they are written.
    shade
        (D, K) from 0, the best of a data set, to 1, the lightest colour; NaN where there is none.
    texts
        The score in each tile, empty where numbers have no room.
    best
        (D, K) whether a tile is the best of its data set.
    tile
        Inches across and down of a tile.
    ends
        What the darkest and the lightest colour mean.
    trees
        Clusters of the rows and of the columns, if these are in the order of clusters.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    shade: Array
    texts: tuple[tuple[str, ...], ...]
    best: Flags
    tile: tuple[float, float]
    ends: tuple[str, str]
    trees: tuple[ClusterTree, ClusterTree] | None = None


def layout(
    scores: ScoreTable,
    width: Width = PAGE,
    *,
    top: int | None = None,
    algorithms: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
) -> HeatMap:
    """Return the layout of a tile for the mean score of each algorithm on each data set.

    The order "clusters" is one in which neighbours have similar colours.
    """
    clustered = isinstance(order, str) and order == CLUSTERS
    table = standing(scores, algorithms, None if clustered else order)
    measure = table.measure
    rows = np.argsort(-table.middle, kind="stable")[:top]
    oriented = table.mean[rows]
    behind = np.nanmax(oriented, axis=1, keepdims=True) - oriented
    shade, ends = _of_datasets(behind, measure)
    many = f"{len(rows):,} of {len(table.datasets):,} data sets"
    best, places = table.best[rows], np.arange(len(table.algorithms))
    reading, trees = _BY_RANK, None
    if clustered:
        trees = tree_of(shade, "data sets"), tree_of(shade.T, "algorithms")
        reading, places = _clustered(shade), trees[1].order
        at = np.ix_(trees[0].order, places)
        oriented, shade, best, rows = oriented[at], shade[at], best[at], rows[trees[0].order]
    laid = tiles(
        oriented,
        [table.datasets[d] for d in rows],
        [table.algorithms[k] for k in places],
        measure,
        width - (0.0 if trees is None else TREE),
        shade=shade,
        ends=ends,
        best=best,
        best_of="the best on the data set",
        order=reading,
        notes=(many,) if len(rows) < len(table.datasets) else (),
        title=f"Scores: {measure_name(measure)}{measure.unit_mark}, {measure.better} is better",
        alt=f"Heat map of the mean scores of {count(len(table.algorithms), 'algorithm')} on"
        f" {count(len(rows), 'data set')}; best by mean rank: {', '.join(table.algorithms[:3])}.",
    )
    return replace(laid, trees=trees, width=width)


def _clustered(shade: Array) -> str:
    """Return how data sets and algorithms are ordered by clusters."""
    known = ", over the scores that both have" if np.isnan(shade).any() else ""
    return (
        "data sets and algorithms with similar colours are neighbours; trees: average linkage of"
        f" Euclidean distances{known}"
    )


def tiles(
    oriented: Array,
    rows: Sequence[str],
    columns: Sequence[str],
    measure: Measure,
    width: Width,
    *,
    shade: Array,
    ends: tuple[str, str],
    best: Flags,
    best_of: str,
    order: str,
    notes: tuple[str, ...],
    title: str,
    alt: str,
) -> HeatMap:
    """Return the layout of a tile for each mean (D, K) on the modelling scale."""
    values = measure.level_of(oriented)
    texts = [["" if np.isnan(v) else significant(v) for v in row] for row in values.tolist()]
    size = _SIZE if is_wide(width) else 7.5
    heads = fitted(columns, _HEADS, size)
    labels = fitted(rows, max(0.3 * width, width - 0.4 - _TILE * len(heads)), size)
    room = width - widest(list(labels.values()), size) - 0.35
    across_, down = room / len(heads), _row_height(len(rows))
    wide = max(widest([text for row in texts for text in row], _SMALL, bold=True) + 0.08, 0.3)
    numbered = across_ >= wide and down >= _NUMBER
    tile = min(across_, max(wide, 0.62) if numbered else _TILE), down
    dotted = min(tile) >= _DOTTED
    first = [f"{n} {name}" for n, name in enumerate(columns[:_FIRST], 1)]
    return HeatMap(
        rows=tuple(labels[name] for name in rows),
        columns=tuple(heads[name] for name in columns),
        shade=shade,
        texts=tuple(tuple(row) for row in texts) if numbered else (),
        best=best,
        tile=tile,
        ends=ends,
        title=title,
        notes=(
            *((f"{'bold' if numbered else 'dot'}: {best_of}",) if numbered or dotted else ()),
            order,
            *((f"numbers: {', '.join(first)}, and so on",) if tile[0] < _NAMED else key(heads)),
            *(key(labels) if down >= _NAMED else ()),
            *(("white: no score",) if np.isnan(oriented).any() else ()),
            *notes,
            *(() if measure.scale == "identity" else (_SCALED,)),
        ),
        width=width,
        alt=alt,
    )


_SCALED = "scores are means on the scale of the measure"


def _of_datasets(behind: Array, measure: Measure) -> tuple[Array, tuple[str, str]]:
    """Return shades from 0 to 1 of distances to the best, and what both ends mean.

    Distances of data sets that differ in their ranges have no common scale: each data set has then
    its own, from its best to its worst score.
    """
    widest_ = np.nanmax(behind, axis=1)
    some = widest_[widest_ > 0]
    if len(some) > 1 and np.quantile(some, 0.9) > _UNLIKE * np.quantile(some, 0.1):
        ranges = np.where(widest_ > 0, widest_, 1.0)[:, None]
        return behind / ranges, ("best", "worst on the data set")
    return shades(behind, measure)


def shades(behind: Array, measure: Measure) -> tuple[Array, tuple[str, str]]:
    """Return shades from 0 to 1 of distances to the best, on one scale, and what its ends mean."""
    reach = float(np.nanquantile(behind, _LIGHTEST)) or float(np.nanmax(behind)) or 1.0
    far = significant(abs(float(measure.effect(-reach))), 2)  # of the worse less the best
    if measure.scale == "identity":
        ends = "best", f"{far}{measure.unit_mark} or more behind it"
    else:
        ends = "best", f"{measure.effect_name} to it of {far} or beyond"
    return np.clip(behind / reach, 0, 1), ends


def _row_height(rows: int) -> float:
    """Return the height of a row in inches: names fit next to up to 90."""
    return 0.24 if rows <= 40 else 0.125 if rows <= 90 else _ALL / rows


def size(laid: HeatMap) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    tall = laid.tile[1] * len(laid.rows) + _tree_room(laid) + _LEGEND
    return laid.width, 0.25 + _head_room(laid) + tall


def _tree_room(laid: HeatMap) -> float:
    return 0.0 if laid.trees is None else TREE


def _font(laid: HeatMap) -> float:
    return _SIZE if is_wide(laid.width) else 7.5


def _turned(laid: HeatMap) -> bool:
    return widest(list(laid.columns), _font(laid)) > laid.tile[0] - 0.06


def _head_room(laid: HeatMap) -> float:
    """Return the inches that the names of columns take above the tiles."""
    if laid.tile[0] < _NAMED:
        return 0.2
    return widest(list(laid.columns), _font(laid)) + 0.08 if _turned(laid) else 0.2


def draw(laid: HeatMap, ax: Axes) -> None:
    """Draw a heat map into an Axes."""
    d, k = laid.shade.shape
    dark, light = np.array(to_rgb(SHADES[-1])), np.array(to_rgb(SHADES[0]))
    scored = ~np.isnan(laid.shade)
    mix = np.where(scored, laid.shade, 0.0)[..., None]
    image = np.where(scored[..., None], dark + mix * (light - dark), 1.0)
    ax.imshow(image, aspect="auto", interpolation="nearest", extent=(-0.5, k - 0.5, d - 0.5, -0.5))
    if laid.tile[1] >= _NAMED:  # seams between tiles that are large enough to have them
        lines(ax, [(-0.5, y + 0.5, k - 0.5, y + 0.5) for y in range(d - 1)], "white", 0.8)
    if laid.tile[0] >= _NAMED:
        lines(ax, [(x + 0.5, -0.5, x + 0.5, d - 0.5) for x in range(k - 1)], "white", 0.8)
    for y, row in enumerate(laid.texts):
        for x, text in enumerate(row):
            ax.text(
                x,
                y,
                text,
                ha="center",
                va="center_baseline",
                fontsize=pt(_SMALL),
                fontweight="bold" if laid.best[y, x] else "normal",
                color="white" if laid.shade[y, x] < 0.5 else INK,
            )
    if not laid.texts and min(laid.tile) >= _DOTTED:
        y, x = np.nonzero(laid.best)
        dot = min(3.0, 72 * 0.45 * min(laid.tile))
        ax.plot(x, y, "o", color="white", ms=dot, mew=0, zorder=4)
    if laid.trees is not None:
        for tree, end, inch, upright in zip(
            laid.trees, (k, d), laid.tile, (False, True), strict=True
        ):
            draw_beside(tree, ax, end - 0.5 + 0.04 / inch, (TREE - 0.08) / inch, upright=upright)
    _name_tiles(laid, ax)
    _draw_legend(laid, ax)


def _name_tiles(laid: HeatMap, ax: Axes) -> None:
    """Write the names of rows and columns, or every tenth number where names have no room."""
    d, k = laid.shade.shape
    tree = _tree_room(laid)
    ax.set_xlim(-0.5, k - 0.5 + tree / laid.tile[0])
    ax.set_ylim(d - 0.5 + (tree + _LEGEND) / laid.tile[1], -0.5)
    ax.set_anchor("NW")
    ax.set_box_aspect((laid.tile[1] * d + tree + _LEGEND) / (laid.tile[0] * k + tree))
    ax.spines[:].set_visible(False)
    ax.xaxis.tick_top()
    for axis, names, inches in (
        (ax.xaxis, laid.columns, laid.tile[0]),
        (ax.yaxis, laid.rows, laid.tile[1]),
    ):
        at = list(range(len(names)))
        texts = [plain(name) for name in names]
        if inches < _NAMED:
            step = 10 if inches * 10 > 0.16 else 50
            at = [n for n in at if (n + 1) % step == 0]
            texts = [str(n + 1) for n in at]
        size_ = min(_font(laid), 72 * inches / 1.15) if inches >= _NAMED else 7.5
        axis.set_ticks(at, texts, fontsize=pt(size_), color=INK)
    ax.tick_params(axis="x", rotation=90 if _turned(laid) and laid.tile[0] >= _NAMED else 0)
    ax.tick_params(length=0)


def _draw_legend(laid: HeatMap, ax: Axes) -> None:
    """Draw the scale of the colours below the tiles, with the meaning of its ends."""
    d = len(laid.rows)
    inch_x, inch_y = 1 / laid.tile[0], 1 / laid.tile[1]
    wide = 0.16 if is_wide(laid.width) else 0.1
    y = d - 0.5 + (_tree_room(laid) + 0.27) * inch_y
    left = across(laid.ends[0], 7.5) + 0.08
    right = left + len(SHADES) * wide + 0.07
    # It begins at the tiles, or further left where the right of them is too little for it.
    room = laid.width - 0.4 - widest(laid.rows, _font(laid))
    start = -0.5 - max(right + across(laid.ends[1], 7.5) - room, 0.0) * inch_x
    for n, fill in enumerate(reversed(SHADES)):
        at = start + (left + n * wide) * inch_x
        ax.barh(y, wide * inch_x, 0.14 * inch_y, left=at, color=fill, lw=0, clip_on=False)
    for x, text in ((start, laid.ends[0]), (start + right * inch_x, laid.ends[1])):
        written = ax.text(x, y, plain(text), ha="left", va="center", fontsize=pt(7.5), color=FAINT)
        written.set_in_layout(False)
        written.set_clip_on(False)
