"""Tiles of verdicts and probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from benchinfer.core.verdict import SYMBOLS, Verdict
from benchinfer.numerics.types import Array
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import INK, MARKS, PAGE, Width, is_wide
from benchinfer.plots.text import fitted, key, plain, pt, widest

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_HALF = 0.46
_TILE = (0.32, 0.26)  # inches of the largest tile
_NAMES, _HEADS = 0.38, 2.8  # share of the width that names of rows may take, inches of the heads
_PITCH = 0.2  # inches of a tile beside which names of rows may take more
_LEGIBLE = 3.5  # points
_LINE = 0.11  # inches that a tile needs for its name


class TileGrid(Protocol):
    """Protocol of a grid of tiles: names of rows and columns, and the width."""

    @property
    def rows(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def columns(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def width(self) -> Width: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class _Measures:
    """Size of a tile in inches, texts of rows and columns, and their font size in points."""

    across: float
    down: float
    rows: list[str]
    columns: list[str]
    size: float


def row_names(rows: Sequence[str], columns: int, width: Width) -> dict[str, str]:
    """Return names of rows shortened to fit next to the tiles."""
    room = max(_NAMES * width, width - 0.3 - _PITCH * columns)
    return fitted(rows, room, 8.5 if is_wide(width) else 7.5)


def _measured(grid: TileGrid) -> _Measures:
    """Return sizes and texts that fit the width; narrow columns have every tenth number as head."""
    size = 8.5 if is_wide(grid.width) else 7.5
    names = row_names(grid.rows, len(grid.columns), grid.width)
    rows = [names[name] for name in grid.rows]
    room = grid.width - widest(rows, size) - 0.3
    across = min(_TILE[0], room / max(len(grid.columns), 1))
    down = max(min(_TILE[1], 1.25 * across), _LINE + 0.02)
    heads = fitted(grid.columns, _HEADS, size)
    columns = [heads[name] for name in grid.columns]
    if across < _LINE:
        columns = [f"{n}" if n % 10 == 0 else "" for n in range(1, len(columns) + 1)]
    return _Measures(across, down, rows, columns, min(size, 72 * down / 1.2))


def size_tiles(grid: TileGrid) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    m = _measured(grid)
    return grid.width, 0.3 + widest(m.columns, m.size) + m.down * len(grid.rows)


def squares(ax: Axes, places: Iterable[tuple[float, float]], fill: str) -> None:
    """Fill tiles (column, row) with a colour: one compound path, smaller than a patch each."""
    sides = ((-_HALF, -_HALF), (_HALF, -_HALF), (_HALF, _HALF), (-_HALF, _HALF), (-_HALF, -_HALF))
    paths = [Path([(x + i, y + j) for i, j in sides], closed=True) for x, y in places]
    if paths:
        ax.add_patch(PathPatch(Path.make_compound_path(*paths), lw=0, fc=fill))


def frame(grid: TileGrid, ax: Axes, *, upright: bool = False) -> None:
    """Draw the axes of a grid of tiles, with names of rows and columns."""
    m = _measured(grid)
    ax.set_xlim(-0.5, len(grid.columns) - 0.5)
    ax.set_ylim(len(grid.rows) - 0.5, -0.5)
    ax.spines[:].set_visible(False)
    ax.xaxis.tick_top()
    # Few tiles stay small: the rest of the width is left empty.
    ax.set_anchor("NW")
    ax.set_box_aspect(m.down * len(grid.rows) / (m.across * max(len(grid.columns), 1)))
    turned = 0 if upright and widest(m.columns, m.size) < m.across else 90
    for axis, texts in ((ax.xaxis, m.columns), (ax.yaxis, m.rows)):
        at = [n for n, text in enumerate(texts) if text]
        axis.set_ticks(at, [plain(texts[n]) for n in at], fontsize=pt(m.size), color=INK)
    ax.tick_params(axis="x", rotation=turned)
    ax.tick_params(length=0)


def symbols(
    ax: Axes, places: Sequence[tuple[float, float]], text: str, colour: str, size: float
) -> None:
    """Write a bold text into tiles as a marker, which draws ten times as fast as texts."""
    if not places or not text:
        return
    outline = TextPath((0, 0), text, size=size, prop=FontProperties(weight="bold"))
    corners = np.asarray(outline.vertices)
    corners = corners - (corners.min(axis=0) + corners.max(axis=0)) / 2
    mark = Path(corners, outline.codes)
    across, down = zip(*places, strict=True)
    reach = 2 * float(abs(corners).max())
    ax.plot(across, down, linestyle="", marker=mark, ms=reach, color=colour, mew=0, zorder=4)


# From hardly ever to always.
SHADES = ("#F3F7FB", "#DCE9F5", "#C3DAEE", "#A3C7E3", "#7DAFD5", "#5694C5", "#3279B3", "#165F9E")
_NUMBERED = 20  # of more algorithms shades alone are shown
_SHORT = 3  # letters of a head that has room upright


@dataclass(frozen=True, slots=True)
class Chance:
    """The share (0 to 1) of an algorithm (`row`) at a position (`column`)."""

    row: int
    column: int
    share: float


@dataclass(frozen=True, slots=True)
class Chances(Layout):
    """Layout of the figure."""

    tiles: tuple[Chance, ...]  # one per algorithm and position, but those of share 0
    # rows, columns: the algorithms by mean position, and the positions
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    numbered: bool  # whether tiles have their share in per cent


def layout_of(
    names: Sequence[str],
    shares: Array,
    width: Width = PAGE,
    *,
    title: str = "Positions over the resampled ensembles",
    reading: str = "across: position, 1 is best; the darker, the more often",
) -> Chances:
    """Return the layout of tiles with the share of each algorithm at each position."""
    k = len(names)
    mean = shares @ np.arange(1, k + 1)
    order = [int(i) for i in np.lexsort((np.arange(k), np.round(mean, 9)))]
    said = "; ".join(
        f"{names[i]} mostly {int(shares[i].argmax()) + 1} ({100 * shares[i].max():.0f} %)"
        for i in order
    )
    alt = f"Positions of {k} algorithms, by mean position: {said}."
    columns = tuple(str(n) for n in range(1, k + 1))
    rows = [names[i] for i in order]
    return _chances(rows, columns, shares[order], width, title, reading, alt)


def layout_together(
    names: Sequence[str], shares: Array, width: Width = PAGE, *, resamples: int
) -> Chances:
    """Return the layout of tiles with (n, n) shares of resamples that put two data sets together.

    Data sets that are often in one group are neighbours, by average linkage.
    """
    from scipy.cluster import hierarchy
    from scipy.spatial.distance import squareform

    apart = 1 - np.nan_to_num((shares + shares.T) / 2)
    np.fill_diagonal(apart, 0.0)
    order = [0]
    if len(names) > 1:
        order = [int(i) for i in hierarchy.leaves_list(hierarchy.average(squareform(apart)))]
    often = [f"{names[i]} and {names[j]} {100 * shares[i, j]:.0f} %" for i, j in pairwise(order)]
    rows = [names[i] for i in order]
    return _chances(
        rows,
        tuple(rows),
        shares[np.ix_(order, order)],
        width,
        "Data sets that belong together",
        f"share of {resamples} resamples that have both in one group; the darker, the more",
        f"Share of {resamples} resamples in which neighbours are in one group: {'; '.join(often)}.",
    )


def _chances(
    names: Sequence[str],
    columns: tuple[str, ...],
    shares: Array,
    width: Width,
    title: str,
    reading: str,
    alt: str,
) -> Chances:
    """Return the layout of a tile for each share above 0, with its number where there is room."""
    numbered = len(names) <= _NUMBERED and is_wide(width)
    shown = row_names(names, len(columns), width)
    return Chances(
        tiles=tuple(
            Chance(row, column, float(shares[row, column]))
            for row, column in np.argwhere(shares > 0).tolist()
        ),
        rows=tuple(shown.values()),
        columns=columns,
        numbered=numbered,
        title=title,
        notes=(
            reading,
            "numbers: per cent; empty: never" if numbered else "empty: never",
            *key(shown),
        ),
        width=width,
        alt=alt,
    )


size_chances = size_tiles


def _shade(share: float) -> int:
    return min(int(share * len(SHADES)), len(SHADES) - 1)


def draw_chances(chances: Chances, ax: Axes) -> None:
    """Draw the shares into an Axes."""
    for n, fill in enumerate(SHADES):
        places = [(t.column, t.row) for t in chances.tiles if _shade(t.share) == n]
        squares(ax, places, fill)
    for tile in chances.tiles if chances.numbered else ():
        ax.text(
            tile.column,
            tile.row,
            "<1" if tile.share < 0.005 else f"{100 * tile.share:.0f}",
            ha="center",
            va="center_baseline",
            fontsize=pt(7.5),
            color="white" if _shade(tile.share) > 4 else INK,
        )
    frame(chances, ax, upright=max(map(len, chances.columns)) <= _SHORT)


FILL = {
    Verdict.FIRST: "#CFE4F2",
    Verdict.SECOND: "#F8DCC6",
    Verdict.EQUIVALENT: "#CDEBDD",
    Verdict.UNDECIDED: "#F3F4F6",
    Verdict.MISSING: "#FFFFFF",
}


@dataclass(frozen=True, slots=True)
class Tile:
    """The verdict on one data set (`row`) about one pair (`column`)."""

    row: int
    column: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Verdicts(Layout):
    """Layout of the figure."""

    tiles: tuple[Tile, ...]  # one per data set and pair
    # rows, columns: names of the data sets and of the pairs, the first algorithm of a pair first
    rows: tuple[str, ...]
    columns: tuple[str, ...]


def tallied(tiles: Sequence[Tile]) -> str:
    """Return the number of tiles of each verdict as text."""
    counts = {v: sum(tile.verdict == v for tile in tiles) for v in Verdict}
    return ", ".join(f"{n} {v.label}" for v, n in sorted(counts.items(), reverse=True) if n)


size_verdicts = size_tiles


def draw_verdicts(verdicts: Verdicts, ax: Axes) -> None:
    """Draw the verdicts into an Axes."""
    m = _measured(verdicts)
    size = pt(min(9.5, 0.5 * 72 * min(m.across, m.down)))
    signs = size > _LEGIBLE
    for verdict, fill in FILL.items():
        places = [(t.column, t.row) for t in verdicts.tiles if t.verdict == verdict]
        squares(ax, places, fill)
        symbols(ax, places, SYMBOLS[verdict] if signs else "", MARKS[verdict].ink, size)
    frame(verdicts, ax)
