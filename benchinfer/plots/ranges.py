"""Best and worst rank of each algorithm over all optima of a consensus."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.plots import strips
from benchinfer.plots.agreed import optima
from benchinfer.plots.intervals import COLOUR
from benchinfer.plots.style import Width, lines, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.order.consensus import Consensus


@dataclass(frozen=True, slots=True)
class Range:
    """One algorithm: its name, its ranks in words, the best and the worst one."""

    label: str
    said: str
    value: float
    high: float


@dataclass(frozen=True, slots=True)
class Ranges:
    """Where everything stands.

    Attributes
    ----------
    rows
        From the best on.
    title, axis, notes
        Heading, name of the axis, and the lines below it.
    width
        The room that there is.
    alt
        Text alternative.
    """

    rows: tuple[Range, ...]
    title: str
    axis: str
    notes: tuple[str, ...]
    width: Width
    alt: str


def layout(consensus: "Consensus", width: Width = "wide") -> Ranges:
    """Lay out the ranks of the algorithms of a consensus."""
    low, high = consensus.ranks.T
    names = short(consensus.algorithms)
    rows = tuple(
        Range(names[consensus.algorithms[i]], _said(int(low[i]), int(high[i])), low[i], high[i])
        for i in np.lexsort((high, low)).tolist()
    )
    spoken = "; ".join(f"{row.label} {row.said}" for row in rows)
    return Ranges(
        rows=rows,
        title="Ranks in the consensus",
        axis=f"rank, 1 is best, in {optima(consensus)}",
        notes=("a line: several ranks, by ties or because optima differ",),
        width=width,
        alt=f"Ranks in {optima(consensus)}: {spoken}.",
    )


def _said(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


size = strips.size


def draw(ranges: Ranges, ax: "Axes") -> None:
    """Draw the ranges into an Axes."""
    beside = strips.fits(ranges)
    shift = 0.0 if beside else 0.2
    strips.frame(ranges, ax, (0.6, len(ranges.rows) + 0.4))
    at = [(row.value, row.high, y + shift) for y, row in enumerate(ranges.rows)]
    lines(ax, [(low, y, high, y) for low, high, y in at], COLOUR, 1.6)
    ends = [end for low, high, y in at for end in dict.fromkeys(((low, y), (high, y)))]
    ax.plot(*zip(*ends, strict=True), "o", color=COLOUR, ms=5.5, zorder=4, clip_on=False)
    strips.write(ranges, ax, beside=beside)
    ax.spines["left"].set_visible(False)
