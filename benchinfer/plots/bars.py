"""Bars with a number or words beside each: what several figures draw."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.ticker import FixedLocator, FuncFormatter

from benchinfer.plots.forest import ticks
from benchinfer.plots.style import FAINT, HAIR, INK, Width, plain, signed, wrapped

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
    for y, row in enumerate(bars.rows):
        at, half = (y, 0.3) if beside else (y + 0.2, 0.15)
        if row.value is None:
            continue
        if row.outline is not None:
            ax.barh(at, row.outline, 2 * half, fc="none", ec=FILL, lw=1.0)
        if row.marker:
            ax.plot([0, row.value], [at, at], color=row.colour, lw=1.4, solid_capstyle="butt")
            ax.plot([row.value], [at], row.marker, color=row.colour, ms=5.5, clip_on=False)
        else:
            ax.barh(at, row.value, 2 * half, color=row.colour, lw=0)
    (_beside if beside else _above)(bars, ax)


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
        title = plain(wrapped(bars.title, 70 if wide else 40))
        ax.set_title(title, loc="left", fontsize=10, fontweight="bold", color=INK, pad=8)


def _beside(bars: Bars, ax: "Axes") -> None:
    rows = range(len(bars.rows))
    ax.set_yticks(rows, [plain(row.label) for row in bars.rows], fontsize=9, color=INK)
    beside = ax.secondary_yaxis("right")
    beside.set_yticks(rows, [plain(row.said) for row in bars.rows], fontsize=9, color=INK)
    beside.spines["right"].set_visible(False)
    for axis in (ax, beside):
        axis.tick_params(axis="y", length=0)
    for row, label in zip(bars.rows, ax.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if row.value is None else "normal")


def _above(bars: Bars, ax: "Axes") -> None:
    ax.set_yticks([])
    for y, row in enumerate(bars.rows):
        for x, align, text in ((0, "left", row.label), (1, "right", row.said)):
            ax.text(
                x,
                y - 0.02,
                plain(text),
                transform=ax.get_yaxis_transform(),
                ha=align,
                va="bottom",
                fontsize=8.5,
                fontweight="bold" if row.value is None else "normal",
                color=INK,
                bbox={"fc": "white", "lw": 0, "pad": 0.5},
            )
