"""Tiles of verdicts and probabilities."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from numpy.typing import NDArray

from benchinfer.core.verdict import SYMBOLS, Verdict
from benchinfer.plots import style
from benchinfer.plots.style import INK, MARKS, Width, plain, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_HALF = 0.46
_LEAST = 2.4  # inches that heading and notes need


class TileGrid(Protocol):
    """Names of rows and columns, heading, lines below, and the room."""

    @property
    def rows(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def columns(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def note(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def width(self) -> Width: ...  # noqa: D102


def size_tiles(grid: TileGrid) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    across, down = (0.32, 0.26) if grid.width == "wide" else (0.15, 0.19)
    heads = 0.075 * max(map(len, grid.columns), default=0)
    tall = 0.35 + heads + down * len(grid.rows)
    room = max(across * len(grid.columns), 3.75 - _names(grid), _LEAST)
    return _names(grid) + room, tall + style.height(grid.title, grid.note, room)


def _names(grid: TileGrid) -> float:
    return 0.073 * max(map(len, grid.rows), default=0) + 0.2


def squares(ax: "Axes", places: Iterable[tuple[float, float]], fill: str) -> None:
    """Fill tiles (column, row) with a colour: one compound path, smaller than a patch each."""
    paths = [_square(x, y) for x, y in places]
    if paths:
        ax.add_patch(PathPatch(Path.make_compound_path(*paths), lw=0, fc=fill))


def _square(x: float, y: float) -> Path:
    left, right, top, bottom = x - _HALF, x + _HALF, y - _HALF, y + _HALF
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    return Path([*corners, corners[0]], closed=True)


def frame(grid: TileGrid, ax: "Axes", *, upright: bool = False) -> None:
    """Draw all but the tiles."""
    small = 8.5 if grid.width == "wide" else 7.5
    ax.set_xlim(-0.5, len(grid.columns) - 0.5)
    ax.set_ylim(len(grid.rows) - 0.5, -0.5)
    ax.spines[:].set_visible(False)
    ax.xaxis.tick_top()
    across, down = ([plain(name) for name in names] for names in (grid.columns, grid.rows))
    turned = 0 if upright else 90
    ax.set_xticks(range(len(across)), across, rotation=turned, fontsize=small, color=INK)
    ax.set_yticks(range(len(down)), down, fontsize=small, color=INK)
    ax.tick_params(length=0)
    style.write(ax, grid.title, grid.note, size_tiles(grid)[0] - _names(grid))


def symbols(
    ax: "Axes", places: Sequence[tuple[float, float]], text: str, colour: str, points: float
) -> None:
    """Write the same bold text into tiles: as a mark, in a tenth of the time that texts take."""
    if not places or not text:
        return
    outline = TextPath((0, 0), text, size=points, prop=FontProperties(weight="bold"))
    corners = np.asarray(outline.vertices)
    corners = corners - (corners.min(axis=0) + corners.max(axis=0)) / 2
    mark = Path(corners, outline.codes)
    across, down = zip(*places, strict=True)
    reach = 2 * float(abs(corners).max())
    ax.plot(across, down, linestyle="", marker=mark, ms=reach, color=colour, mew=0, zorder=4)


# From hardly ever to always.
_SHADES = ("#F3F7FB", "#DCE9F5", "#C3DAEE", "#A3C7E3", "#7DAFD5", "#5694C5", "#3279B3", "#165F9E")
_NUMBERED = 20  # of more algorithms shades alone are shown
_LARGE = 24
_SHORT = 3  # letters of a head that has room upright


@dataclass(frozen=True, slots=True)
class Chance:
    """The share (0 to 1) of an algorithm (`row`) at a position (`column`)."""

    row: int
    column: int
    share: float


@dataclass(frozen=True, slots=True)
class Chances:
    """Layout of the figure.

    Attributes
    ----------
    tiles
        One per algorithm and position, but those of share 0.
    rows, columns
        The algorithms by mean position, and the positions.
    numbered
        Whether tiles have their share in per cent.
    title, note
        Heading, and how to read it.
    width
        Narrow figures have smaller tiles.
    alt
        Text alternative.
    """

    tiles: tuple[Chance, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    numbered: bool
    title: str
    note: tuple[str, ...]
    width: Width
    alt: str


def layout_of(
    names: Sequence[str],
    shares: NDArray[np.float64],
    width: Width = "wide",
    *,
    title: str = "Positions over the resampled ensembles",
    reading: str = "across: position, 1 is best; the darker, the more often",
) -> Chances:
    """Lay out the positions of algorithms."""
    k = len(names)
    mean = shares @ np.arange(1, k + 1)
    order = [int(i) for i in np.lexsort((np.arange(k), np.round(mean, 9)))]
    label = short(names, 22)
    numbered = k <= _NUMBERED and width == "wide"
    said = "; ".join(
        f"{names[i]} mostly {int(shares[i].argmax()) + 1} ({100 * shares[i].max():.0f} %)"
        for i in order
    )
    return Chances(
        tiles=tuple(
            Chance(row, column, float(shares[i, column]))
            for row, i in enumerate(order)
            for column in np.flatnonzero(shares[i] > 0).tolist()
        ),
        rows=tuple(label[n] for n in (names[i] for i in order)),
        columns=tuple(str(n) for n in range(1, k + 1)),
        numbered=numbered,
        title=title,
        note=(
            reading,
            "numbers: per cent; empty: never" if numbered else "empty: never",
        ),
        width="narrow" if k > _LARGE else width,
        alt=f"Positions of {k} algorithms, by mean position: {said}.",
    )


size_chances = size_tiles


def _shade(share: float) -> int:
    return min(int(share * len(_SHADES)), len(_SHADES) - 1)


def draw_chances(chances: Chances, ax: "Axes") -> None:
    """Draw the shares into an Axes."""
    for n, fill in enumerate(_SHADES):
        own = [(t.column, t.row) for t in chances.tiles if _shade(t.share) == n]
        squares(ax, own, fill)
    for tile in chances.tiles if chances.numbered else ():
        ax.text(
            tile.column,
            tile.row,
            _percent(tile.share),
            ha="center",
            va="center_baseline",
            fontsize=7.5,
            color="white" if _shade(tile.share) > 4 else INK,
        )
    frame(chances, ax, upright=max(map(len, chances.columns)) <= _SHORT)


def _percent(share: float) -> str:
    return "<1" if 0 < share < 0.005 else f"{100 * share:.0f}"


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
class Verdicts:
    """Layout of the figure.

    Attributes
    ----------
    tiles
        One per data set and pair.
    rows, columns
        Names of the data sets and of the pairs, the first algorithm of a pair first.
    title, note
        Heading, and how to read it.
    width
        Narrow figures have smaller tiles.
    alt
        Text alternative.
    """

    tiles: tuple[Tile, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    title: str
    note: tuple[str, ...]
    width: Width
    alt: str


def tallied(found: Sequence[Tile]) -> str:
    """Say how many tiles have each verdict."""
    counts = {v: sum(tile.verdict == v for tile in found) for v in Verdict}
    return ", ".join(f"{n} {v.label}" for v, n in sorted(counts.items(), reverse=True) if n)


size_verdicts = size_tiles


def draw_verdicts(verdicts: Verdicts, ax: "Axes") -> None:
    """Draw the verdicts into an Axes."""
    points = 9.5 if verdicts.width == "wide" else 7.5
    for verdict, fill in FILL.items():
        own = [(t.column, t.row) for t in verdicts.tiles if t.verdict == verdict]
        squares(ax, own, fill)
        symbols(ax, own, SYMBOLS[verdict], MARKS[verdict].ink, points)
    frame(verdicts, ax)
