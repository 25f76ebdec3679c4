"""Panels with axes of their own, one per pair, under one heading and above one set of notes."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchinfer.plots import caption
from benchinfer.plots.style import FAINT, HAIR, INK, Width, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

# Inches: height of a panel, room left of it and for its ticks below, for what stands above it, gap
# between panels, and room for the name of the axis below the last ones.
_HIGH, _LEFT, _BELOW, _HEAD, _GAP, _NAME = 1.7, 0.62, 0.26, 0.46, 0.22, 0.22
_ACROSS = {"wide": (4.6, 2.9, 1.95), "narrow": (2.95,)}


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPanel:
    """What every panel has: its name, and a line about it."""

    label: str
    note: str


def described(panels: "Sequence[GridPanel]") -> str:
    """Return the lines about all panels as one, for a text alternative."""
    return "; ".join(f"{panel.label}: {panel.note}" for panel in panels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid[P: GridPanel]:
    """Where everything stands.

    Attributes
    ----------
    panels
        In the order in which they are read.
    title, notes
        Heading, and the lines below.
    x_label, y_label
        Names of the axes, which all panels share.
    width
        The room that there is.
    alt
        Text alternative.
    """

    panels: tuple[P, ...]
    title: str
    notes: tuple[str, ...]
    x_label: str
    y_label: str
    width: Width
    alt: str

    @property
    def columns(self) -> int:
        """Panels side by side."""
        return min(len(self.panels), len(_ACROSS[self.width]))

    @property
    def across(self) -> float:
        """Inches that a panel is wide."""
        return _ACROSS[self.width][self.columns - 1]

    @property
    def rows(self) -> int:
        """Rows of panels."""
        return math.ceil(len(self.panels) / self.columns)


def size[P: GridPanel](grid: Grid[P]) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    across = _inner(grid)[0] + 0.15
    return across, _inner(grid)[1] + caption.height(grid.title, grid.notes, across - 0.2)


def _inner[P: GridPanel](grid: Grid[P]) -> tuple[float, float]:
    return (
        _LEFT + grid.columns * grid.across + (grid.columns - 1) * _GAP,
        grid.rows * (_HEAD + _HIGH + _BELOW) + _NAME,
    )


def places[P: GridPanel](grid: Grid[P], ax: "Axes") -> "Sequence[Axes]":
    """Write heading and notes, and return an Axes for each panel, with its name."""
    ax.spines[:].set_visible(False)
    ax.set_xticks([])
    ax.set_yticks([])
    across, down = _inner(grid)
    caption.write(ax, grid.title, grid.notes, across - 0.05)
    found: list[Axes] = []
    for i, panel in enumerate(grid.panels):
        row, column = divmod(i, grid.columns)
        left = _LEFT + column * (grid.across + _GAP)
        bottom = down - (row + 1) * (_HEAD + _HIGH + _BELOW) + _BELOW
        place = (left / across, bottom / down, grid.across / across, _HIGH / down)
        inside = ax.inset_axes(place)
        _dress(inside, panel, edge=column == 0)
        if column == 0:
            inside.set_ylabel(plain(grid.y_label), fontsize=8, color=INK)
        if i + grid.columns >= len(grid.panels):
            inside.set_xlabel(plain(grid.x_label), fontsize=8, color=INK)
        found.append(inside)
    return found


def _dress(ax: "Axes", panel: GridPanel, *, edge: bool) -> None:
    ax.spines[["right", "top"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(HAIR)
    ax.tick_params(length=0, labelsize=7.5, labelcolor=FAINT, labelleft=edge)
    ax.set_axisbelow(True)
    ax.set_title(plain(panel.label), loc="left", fontsize=9, fontweight="bold", color=INK, pad=15)
    ax.text(0, 1.035, plain(panel.note), transform=ax.transAxes, fontsize=7.5, color=FAINT)


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
