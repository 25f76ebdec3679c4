"""Layouts of figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchinfer.plots.style import INK, Text, Width
from benchinfer.plots.text import plain, pt

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Texts and width of a figure; base class of all layouts."""

    # title, notes: heading, and the lines below
    title: str
    notes: tuple[str, ...]
    axis: str = ""  # name of the axis; empty where there is none
    # The room that there is. Without enough of it, tiles are smaller and texts stand above the
    # marks that they belong to
    width: Width
    alt: str  # text alternative


@dataclass(frozen=True, slots=True, kw_only=True)
class PointMap(Layout):
    """Layout of named points, in inches from the lower left corner."""

    points: tuple[tuple[float, float], ...]  # centres
    texts: tuple[Text, ...]  # names of points, or of several that are the same point
    extent: tuple[float, float]  # width and height of the map


def size_map(laid: PointMap) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    across, tall = laid.extent
    return across + 0.2, tall + 0.15


def draw_map(laid: PointMap, ax: Axes) -> None:
    """Set the limits of an Axes to the extent of a map, and write the texts of the map."""
    ax.set_xlim(0, laid.extent[0])
    ax.set_ylim(0, laid.extent[1])
    ax.set_aspect("equal")
    for text in laid.texts:
        ax.text(
            text.x,
            text.y,
            plain(text.text),
            ha=text.ha,
            va=text.va,
            fontsize=pt(8.5),
            color=INK,
            linespacing=1.1,
            zorder=5,
        )
