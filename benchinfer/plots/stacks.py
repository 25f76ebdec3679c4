"""Stacked bars: how the weight of an ensemble is shared among the verdicts of each pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchinfer.order.relation import Verdict
from benchinfer.plots import strips, tiles
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
    own = [(y + shift, piece) for y, row in enumerate(stacks.rows) for piece in row.pieces]
    for verdict in _ALONG:
        _fill(ax, [(y, piece) for y, piece in own if piece.verdict == verdict], half)
    marked = [
        (y + shift, piece)
        for y, row in enumerate(stacks.rows)
        for piece in row.pieces
        if piece.verdict == row.marked
    ]
    ax.barh(*_bars(marked, half), fc="none", ec=INK, lw=1.3, zorder=3, clip_on=False)
    strips.write(stacks, ax, beside=beside)


type _Placed = list[tuple[float, Piece]]


def _bars(placed: _Placed, half: float) -> tuple[list[float], list[float], float, list[float]]:
    """Return rows, lengths, height and left ends of bars."""
    along = [piece.stop - piece.start for _, piece in placed]
    return [y for y, _ in placed], along, 2 * half, [piece.start for _, piece in placed]


def _fill(ax: "Axes", placed: _Placed, half: float) -> None:
    """Draw the pieces of one verdict, with its sign where there is room."""
    if not placed:
        return
    verdict = placed[0][1].verdict
    hatch = "////" if verdict == Verdict.MISSING else None
    ax.barh(*_bars(placed, half), fc=FILL[verdict], ec=HAIR, lw=0.7, zorder=2, hatch=hatch)
    at = [((p.start + p.stop) / 2, y) for y, p in placed if p.stop - p.start > 0.04]
    tiles.symbols(ax, at, SYMBOLS[verdict], MARKS[verdict].ink, 8.5)
