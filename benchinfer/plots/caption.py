"""Heading above and notes below a figure, wrapped to the room that it has."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchinfer.plots.style import FAINT, INK, plain, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BOLD, _SMALL = 0.088, 0.064  # inches of a letter of the heading, and of the notes


def heading(title: str, room: float) -> str:
    """Wrap a heading to a number of inches."""
    return wrapped(title, int(room / _BOLD))


def below(notes: Sequence[str], room: float) -> str:
    """Wrap notes, each from a new line, to a number of inches."""
    return "\n".join(wrapped(line, int(room / _SMALL)) for line in notes)


def height(title: str, notes: Sequence[str], room: float) -> float:
    """Return the inches that heading and notes take."""
    lines = below(notes, room).count("\n") + 1 if notes else 0
    return 0.37 + 0.17 * heading(title, room).count("\n") + 0.16 * lines


def write(ax: "Axes", title: str, notes: Sequence[str], room: float) -> None:
    """Write the heading above and the notes below an Axes, from its left end on."""
    ax.set_title(
        plain(heading(title, room)),
        loc="left",
        fontsize=10,
        fontweight="bold",
        color=INK,
        pad=8,
    )
    said = plain(below(notes, room))
    ax.set_xlabel(said, loc="left", fontsize=8, color=FAINT, linespacing=1.35)
