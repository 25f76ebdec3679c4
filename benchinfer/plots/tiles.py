"""Tables drawn as tiles: squares of few colours, names above and beside them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from matplotlib.patches import PathPatch
from matplotlib.path import Path

from benchinfer.plots.style import FAINT, INK, Width, plain, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HALF = 0.46


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
    names = 0.073 * max(map(len, grid.rows), default=0) + 0.2
    heads = 0.075 * max(map(len, grid.columns), default=0)
    lines = 0.14 * (len(grid.note) - 2) + 0.17 * _heading(grid).count("\n")
    return (
        max(3.75, names + across * len(grid.columns)),
        0.95 + heads + down * len(grid.rows) + lines,
    )


def _heading(grid: Grid) -> str:
    return wrapped(grid.title, 64 if grid.width == "wide" else 34)


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
    across, down = map(_names, (grid.columns, grid.rows))
    turned = 0 if upright else 90
    ax.set_xticks(range(len(across)), across, rotation=turned, fontsize=small, color=INK)
    ax.set_yticks(range(len(down)), down, fontsize=small, color=INK)
    ax.tick_params(length=0)
    title = plain(_heading(grid))
    ax.set_title(title, loc="left", fontsize=10, fontweight="bold", color=INK, pad=8)
    ax.set_xlabel(plain("\n".join(grid.note)), loc="left", fontsize=8, color=FAINT)


def _names(names: Sequence[str]) -> list[str]:
    return [plain(name) for name in names]
