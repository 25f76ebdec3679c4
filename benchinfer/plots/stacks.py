"""Stacked bars: how the weight of an ensemble is shared among the verdicts of each pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.patches import Rectangle

from benchinfer.order.relation import Verdict
from benchinfer.plots import strips
from benchinfer.plots.style import HAIR, INK, MARKS, Width
from benchinfer.plots.verdicts import FILL, SYMBOLS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# From what speaks for the first to what speaks for the second, and what does not speak.
_ALONG = (
    Verdict.FIRST,
    Verdict.EQUIVALENT,
    Verdict.UNDECIDED,
    Verdict.SECOND,
    Verdict.MISSING,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a bar, from 0 to 1."""

    verdict: Verdict
    start: float
    stop: float


@dataclass(frozen=True, slots=True)
class Stack:
    """One row.

    Attributes
    ----------
    label, said
        The pair, and its bar in words.
    pieces
        From left to right.
    marked
        The verdict whose piece has a frame, if any.
    """

    label: str
    said: str
    pieces: tuple[Piece, ...]
    marked: Verdict | None = None

    @property
    def value(self) -> float:
        """Where the bar ends."""
        return self.pieces[-1].stop if self.pieces else 0.0


@dataclass(frozen=True, slots=True)
class Stacks:
    """Where everything stands.

    Attributes
    ----------
    rows
        From top to bottom.
    title, axis, notes
        Heading, name of the axis, and the lines below it.
    width
        The room that there is; without enough, words stand above the bars.
    alt
        Text alternative.
    """

    rows: tuple[Stack, ...]
    title: str
    axis: str
    notes: tuple[str, ...]
    width: Width
    alt: str


def pieces(weights: Sequence[float]) -> tuple[Piece, ...]:
    """Cut a bar by weights in the order of the codes of `Verdict`.

    Examples
    --------
    >>> [(piece.verdict.label, piece.stop) for piece in pieces([0, 1, 0, 3, 0])]
    [('first', 0.75), ('undecided', 1.0)]
    """
    whole, start = sum(weights), 0.0
    found: list[Piece] = []
    for verdict in _ALONG:
        if weights[verdict] > 0:
            stop = start + weights[verdict] / whole
            found.append(Piece(verdict, start, stop))
            start = stop
    return tuple(found)


size = strips.size


def draw(stacks: Stacks, ax: "Axes") -> None:
    """Draw the bars into an Axes, with the words beside or above them as there is room."""
    beside = strips.fits(stacks)
    strips.frame(stacks, ax, (0.0, 1.0))
    shift, half = (0.0, 0.34) if beside else (0.2, 0.2)
    for y, row in enumerate(stacks.rows):
        for piece in row.pieces:
            _piece(ax, piece, y + shift, half, marked=piece.verdict == row.marked)
    strips.write(stacks, ax, beside=beside)


def _piece(ax: "Axes", piece: Piece, y: float, half: float, *, marked: bool) -> None:
    across = piece.stop - piece.start
    box = Rectangle(
        (piece.start, y - half),
        across,
        2 * half,
        fc=FILL[piece.verdict],
        ec=INK if marked else HAIR,
        lw=1.3 if marked else 0.7,
        zorder=3 if marked else 2,
        hatch="////" if piece.verdict == Verdict.MISSING else None,
        clip_on=False,
    )
    ax.add_patch(box)
    if across > 0.04 and piece.verdict != Verdict.MISSING:
        ax.text(
            piece.start + across / 2,
            y,
            SYMBOLS[piece.verdict],
            ha="center",
            va="center_baseline",
            fontsize=8.5,
            fontweight="bold",
            color=MARKS[piece.verdict].ink,
            zorder=4,
        )
