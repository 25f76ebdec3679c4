"""Tables drawn as tiles: squares of few colours, names above and beside them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from benchinfer.plots import caption
from benchinfer.plots.style import INK, Width, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HALF = 0.46
_LEAST = 2.4  # inches that heading and notes need


class Grid(Protocol):
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


def size(grid: Grid) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    across, down = (0.32, 0.26) if grid.width == "wide" else (0.15, 0.19)
    heads = 0.075 * max(map(len, grid.columns), default=0)
    tall = 0.35 + heads + down * len(grid.rows)
    room = max(across * len(grid.columns), 3.75 - _names(grid), _LEAST)
    return _names(grid) + room, tall + caption.height(grid.title, grid.note, room)


def _names(grid: Grid) -> float:
    return 0.073 * max(map(len, grid.rows), default=0) + 0.2


def squares(ax: "Axes", places: Iterable[tuple[float, float]], fill: str) -> None:
    """Fill tiles (column, row) with a colour: one compound path, less to write than a patch each.

    Parameters
    ----------
    ax
        Where.
    places
        Centres of the tiles.
    fill
        The colour.
    """
    paths = [_square(x, y) for x, y in places]
    if paths:
        ax.add_patch(PathPatch(Path.make_compound_path(*paths), lw=0, fc=fill))


def _square(x: float, y: float) -> Path:
    left, right, top, bottom = x - _HALF, x + _HALF, y - _HALF, y + _HALF
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    return Path([*corners, corners[0]], closed=True)


def frame(grid: Grid, ax: "Axes", *, upright: bool = False) -> None:
    """Draw all but the tiles.

    Parameters
    ----------
    grid
        The names and words.
    ax
        Where.
    upright
        Whether heads of columns are short enough to stand upright.
    """
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
    caption.write(ax, grid.title, grid.note, size(grid)[0] - _names(grid))


def symbols(
    ax: "Axes", places: Sequence[tuple[float, float]], text: str, colour: str, points: float
) -> None:
    """Write the same bold text into tiles: as a mark, in a tenth of the time that texts take.

    Parameters
    ----------
    ax
        Where.
    places
        Centres of the tiles.
    text
        What to write; may be empty.
    colour
        Its colour.
    points
        Size of the font.
    """
    if not places or not text:
        return
    outline = TextPath((0, 0), text, size=points, prop=FontProperties(weight="bold"))
    corners = np.asarray(outline.vertices)
    corners = corners - (corners.min(axis=0) + corners.max(axis=0)) / 2
    mark = Path(corners, outline.codes)
    across, down = zip(*places, strict=True)
    reach = 2 * float(abs(corners).max())
    ax.plot(across, down, linestyle="", marker=mark, ms=reach, color=colour, mew=0, zorder=4)
