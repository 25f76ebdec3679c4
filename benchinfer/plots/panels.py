"""Panels and grids of panels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.numerics.types import Array
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import FAINT, HAIR, INK, Width, bare, lines, signed, ticks
from benchinfer.plots.text import across, fitted, plain, pt, widest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes


type Tick = tuple[float, str]  # position across a panel, from 0 to 1, and text
COLUMN = 0.86  # of a panel's pitch is used
HEAD = 3.0  # rows between two bands of panels


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A panel: its name, its ticks, and where it begins in panel widths and rows."""

    label: str
    ticks: tuple[Tick, ...]
    left: float
    top: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels[P: Panel](Layout):
    """Layout of the figure."""

    panels: tuple[P, ...]
    labels: tuple[str, ...]  # names of the rows of each panel, from top to bottom
    columns: int  # panels side by side

    @property
    def rows(self) -> int:
        """Rows of a panel."""
        return len(self.labels)

    @property
    def bands(self) -> int:
        """Number of rows of panels."""
        return math.ceil(len(self.panels) / self.columns)

    @property
    def pitch(self) -> float:
        """Rows from the top of one band of panels to the next."""
        return self.rows + HEAD


def start(n: int, columns: int, rows: int) -> tuple[float, float]:
    """Return the left and top position of panel n, in panel widths and rows."""
    return float(n % columns), (n // columns) * (rows + HEAD)


def scaled(values: Array, low: float, high: float, *, log: bool) -> Array:
    """Return values rescaled to positions between 0 and 1."""
    if log:
        values, low, high = np.log(values), math.log(low), math.log(high)
    return (values - low) / (high - low) if high > low else values * 0 + 0.5


def few_ticks(low: float, high: float, *, log: bool) -> tuple[tuple[float, str], ...]:
    """Return position and text of at most four round ticks, as panels are narrow."""
    values = ticks(low, high, 4, log=log) if high > low else [low]
    shown = values if len(values) <= 4 else [values[0], values[len(values) // 2], values[-1]]
    at = scaled(np.array(shown), low, high, log=log)
    return tuple((float(x), signed(value)) for x, value in zip(at, shown, strict=True))


def size_panels(panels: Panels[Panel]) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return panels.width, 0.3 + _pitch(panels) * panels.bands * panels.pitch


def _pitch(panels: Panels[Panel]) -> float:
    """Return the height of a row in inches."""
    return 0.2 if panels.rows <= 20 else 0.165 if panels.rows <= 60 else 0.125


def frame(panels: Panels[Panel], ax: Axes) -> None:
    """Draw all but the marks: names and ticks."""
    p = panels
    ax.set_xlim(-0.03, p.columns)
    ax.set_ylim(p.bands * p.pitch - 2.2, -1.6)
    ax.spines[:].set_visible(False)
    ax.set_xticks([])
    size = 8.5 if p.rows <= 20 else min(7.5, 72 * _pitch(p) / 1.2)
    rows = fitted(p.labels, 0.32 * p.width, size)
    room = (p.width - widest(list(rows.values()), size) - 0.3) / p.columns
    tops = [band * p.pitch for band in range(p.bands)]
    ax.set_yticks(
        [top + row for top in tops for row in range(p.rows)],
        [plain(rows[name]) for _ in tops for name in p.labels],
        fontsize=pt(size),
        color=INK,
    )
    ax.tick_params(axis="y", length=0)
    heads = fitted([panel.label for panel in p.panels], 0.95 * room, 9, bold=True)
    marked: list[tuple[float, float]] = []
    for panel in p.panels:
        shown = _kept(panel.ticks, room)
        _head(p, panel, heads[panel.label], shown, ax)
        marked += [(panel.left + at * COLUMN, panel.top - 0.5) for at, _ in shown]
    lines(ax, [(x, top, x, top + p.rows + 0.1) for x, top in marked], HAIR, 0.7, zorder=0)


def _kept(ticks: Sequence[Tick], room: float) -> list[Tick]:
    """Return the ticks whose texts overlap neither each other nor those of the next panel."""
    shown: list[Tick] = []
    for at, text in ticks:
        half = across(text, 7.5) / 2
        left, right = at * COLUMN * room - half, at * COLUMN * room + half
        first = shown[0] if shown else (at, text)
        next_panel = room + first[0] * COLUMN * room - across(first[1], 7.5) / 2
        before = shown[-1][0] * COLUMN * room + across(shown[-1][1], 7.5) / 2 if shown else -room
        if left > before + 0.05 and (right < next_panel - 0.05 or not shown):
            shown.append((at, text))
    return shown


def _head(p: Panels[Panel], panel: Panel, label: str, ticks: Sequence[Tick], ax: Axes) -> None:
    bottom = panel.top + p.rows - 0.4
    ax.text(
        panel.left,
        panel.top - 0.75,
        plain(label),
        fontsize=pt(9),
        fontweight="bold",
        color=INK,
        va="bottom",
    )
    for at, text in ticks:
        x = panel.left + at * COLUMN
        ax.text(x, bottom + 0.1, text, fontsize=pt(7.5), color=FAINT, ha="center", va="top")


def absent(panel: Panel, rows: Iterable[int], ax: Axes) -> None:
    """Write "no scores" into the empty rows of a panel."""
    for i in rows:
        ax.text(
            panel.left,
            panel.top + i,
            "no scores",
            fontsize=pt(7),
            color=FAINT,
            va="center",
            style="italic",
        )


# Inches: height of a panel, room left of it and for its ticks below, for the text above it, gap
# between panels, room for the name of the axis below the last ones, and least width of a panel.
_HIGH, _LEFT, _BELOW, _HEAD, _GAP, _NAME = 1.7, 0.62, 0.26, 0.46, 0.22, 0.22
_NARROW = 1.6


def _side_by_side(panels: int, width: Width) -> int:
    """Return how many panels of a grid stand in a row."""
    return max(min(panels, int((width - _LEFT) / (_NARROW + _GAP))), 1)


def panel_room(panels: int, width: Width) -> float:
    """Return the inches that each of some panels of a grid is wide."""
    columns = _side_by_side(panels, width)
    return min((width - _LEFT - 0.2 - (columns - 1) * _GAP) / columns, 4.6)


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPanel:
    """Protocol of a panel: its name, and a line about it."""

    label: str
    note: str


def described(panels: Sequence[GridPanel]) -> str:
    """Return the lines about all panels as one, for a text alternative."""
    return "; ".join(f"{panel.label}: {panel.note}" for panel in panels)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelGrid[P: GridPanel](Layout):
    """Layout of the figure."""

    panels: tuple[P, ...]  # in the order in which they are read
    # x_label, y_label: names of the axes, which all panels share
    x_label: str
    y_label: str

    @property
    def columns(self) -> int:
        """Panels side by side."""
        return _side_by_side(len(self.panels), self.width)

    @property
    def across(self) -> float:
        """Inches that a panel is wide."""
        return panel_room(len(self.panels), self.width)

    @property
    def rows(self) -> int:
        """Rows of panels."""
        return math.ceil(len(self.panels) / self.columns)


def size_grids[P: GridPanel](grid: PanelGrid[P]) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    across, down = _inner(grid)
    return across + 0.15, down + 0.1


def _inner[P: GridPanel](grid: PanelGrid[P]) -> tuple[float, float]:
    return (
        _LEFT + grid.columns * grid.across + (grid.columns - 1) * _GAP,
        grid.rows * (_HEAD + _HIGH + _BELOW) + _NAME,
    )


def places[P: GridPanel](grid: PanelGrid[P], ax: Axes) -> Sequence[Axes]:
    """Return an inset Axes for each panel, with its title and axis labels."""
    bare(ax)
    across, down = _inner(grid)
    axes: list[Axes] = []
    for i, panel in enumerate(grid.panels):
        row, column = divmod(i, grid.columns)
        left = _LEFT + column * (grid.across + _GAP)
        bottom = down - (row + 1) * (_HEAD + _HIGH + _BELOW) + _BELOW
        place = (left / across, bottom / down, grid.across / across, _HIGH / down)
        inside = ax.inset_axes(place)
        _dress(inside, panel, edge=column == 0)
        if column == 0:
            inside.set_ylabel(plain(grid.y_label), fontsize=pt(8), color=INK)
        if i + grid.columns >= len(grid.panels):
            inside.set_xlabel(plain(grid.x_label), fontsize=pt(8), color=INK)
        axes.append(inside)
    return axes


def _dress(ax: Axes, panel: GridPanel, *, edge: bool) -> None:
    ax.spines[["right", "top"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(HAIR)
    ax.tick_params(length=0, labelsize=pt(7.5), labelcolor=FAINT, labelleft=edge)
    ax.set_axisbelow(True)
    ax.set_title(
        plain(panel.label), loc="left", fontsize=pt(9), fontweight="bold", color=INK, pad=15
    )
    ax.text(0, 1.035, plain(panel.note), transform=ax.transAxes, fontsize=pt(7.5), color=FAINT)


def power_of_ten(exponent: int) -> str:
    """Write a power of ten without a formula.

    Examples
    --------
    >>> power_of_ten(2), power_of_ten(-3), power_of_ten(-6)
    ('100', '0.001', '1e\N{MINUS SIGN}6')
    """
    if -4 <= exponent <= 4:
        return f"{10.0**exponent:g}"
    return f"1e{exponent}".replace("-", "\N{MINUS SIGN}")
