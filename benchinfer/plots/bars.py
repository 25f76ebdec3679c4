"""Bars with a number or words beside each: what several figures draw."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.ticker import FixedLocator, FuncFormatter

from benchinfer.plots.forest import ticks
from benchinfer.plots.style import FAINT, HAIR, INK, Width, lines, plain, signed, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FILL = "#5B7FA3"
_BESIDE = 60  # characters of label and words that leave enough of the width to the bars


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
        labels, said = max(len(r.label) for r in self.rows), max(len(r.said) for r in self.rows)
        return self.width == "wide" and labels + said <= _BESIDE


def size(bars: Bars) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    wide = bars.width == "wide"
    pitch = 0.25 if bars.fits else 0.4
    below = sum(text.count("\n") + 1 for text in _below(bars))
    return 6.9 if wide else 3.75, 0.6 + 0.16 * below + pitch * len(bars.rows)


def _below(bars: Bars) -> list[str]:
    columns = 90 if bars.width == "wide" else 46
    return [wrapped(line, columns) for line in (bars.axis, *bars.notes)]


def draw(bars: Bars, ax: "Axes", *, beside: bool | None = None) -> None:
    """Draw the bars into an Axes, with the words beside or above them as there is room."""
    if beside is None:
        beside = bars.fits
    _frame(bars, ax)
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
    _words(bars, ax, beside=beside)


def _frame(bars: Bars, ax: "Axes") -> None:
    wide = bars.width == "wide"
    ax.set_xlim(0, bars.top)
    ax.set_ylim(len(bars.rows) - 0.45, -0.55)
    ax.xaxis.set_major_locator(FixedLocator(ticks(0, bars.top, 6 if wide else 4, log=False)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value)))
    ax.tick_params(axis="x", labelsize=8.5, color=FAINT, labelcolor=INK)
    ax.spines[["right", "top"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    ax.spines["left"].set_color(INK)
    ax.grid(axis="x", color=HAIR, lw=0.7)
    ax.set_axisbelow(True)
    ax.set_xlabel(
        plain("\n".join(_below(bars))), loc="left", fontsize=8.5, color=INK, linespacing=1.35
    )
    if bars.title:
        title = plain(wrapped(bars.title, 76 if wide else 40))
        ax.set_title(title, loc="left", fontsize=10, fontweight="bold", color=INK, pad=8)


def _words(bars: Bars, ax: "Axes", *, beside: bool) -> None:
    """Write labels and words; texts take a tenth of the time that ticks take."""
    ax.set_yticks([])
    ax.spines["left"].set_visible(beside)
    for y, row in enumerate(bars.rows):
        for text, x, align in (
            (row.label, 0, "right" if beside else "left"),
            (row.said, 1, "left" if beside else "right"),
        ):
            if not text:
                continue
            ax.annotate(
                plain(text),
                (x, y),
                ((8 * x - 4 if beside else 0), 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                ha=align,
                va="center" if beside else "bottom",
                fontsize=8.5,
                fontweight="bold" if row.value is None else "normal",
                color=INK,
                bbox=None if beside else {"fc": "white", "lw": 0, "pad": 0.5},
            )
