"""Bars with a number or words beside each: what several figures draw."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchinfer.plots import strips
from benchinfer.plots.style import Width, lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FILL = "#5B7FA3"


@dataclass(frozen=True, slots=True)
class Bar:
    """One row.

    Attributes
    ----------
    label, said
        What it is, and its value in words.
    value
        How long it is; None for a heading of the rows below.
    outline
        How far an outline goes on, such as for a wider definition; None for none.
    colour, marker
        Of a bar with a head; without a marker it is a plain bar.
    """

    label: str
    said: str
    value: float | None
    outline: float | None = None
    colour: str = FILL
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """Where everything stands.

    Attributes
    ----------
    rows
        From top to bottom.
    top
        Right end of the axis, which begins at 0.
    title, axis, notes
        Heading, name of the axis, and the lines below it.
    width
        The room that there is; without enough, words stand above the bars.
    alt
        Text alternative.
    """

    rows: tuple[Bar, ...]
    top: float
    title: str
    axis: str
    notes: tuple[str, ...]
    width: Width
    alt: str

    @property
    def fits(self) -> bool:
        """Whether label and words can stand beside the bar."""
        return strips.fits(self)


size = strips.size


def draw(bars: Bars, ax: "Axes", *, beside: bool | None = None) -> None:
    """Draw the bars into an Axes, with the words beside or above them as there is room."""
    if beside is None:
        beside = bars.fits
    strips.frame(bars, ax, (0.0, bars.top))
    shift, half = (0.0, 0.3) if beside else (0.2, 0.15)
    rows = [(y + shift, row, row.value) for y, row in enumerate(bars.rows)]
    for colour, marker in dict.fromkeys((row.colour, row.marker) for row in bars.rows):
        own = [
            (v, at)
            for at, row, v in rows
            if v is not None and (row.colour, row.marker) == (colour, marker)
        ]
        x, y = [v for v, _ in own], [at for _, at in own]
        if marker:
            lines(ax, [(0.0, at, v, at) for v, at in own], colour, 1.4)
            ax.plot(x, y, marker, color=colour, ms=5.5, clip_on=False)
        else:
            ax.barh(y, x, 2 * half, color=colour, lw=0)
    wider = [(at, row.outline) for at, row, _ in rows if row.outline is not None]
    if wider:
        y, x = zip(*wider, strict=True)
        ax.barh(y, x, 2 * half, fc="none", ec=FILL, lw=1.0)
    strips.write(bars, ax, beside=beside)
