"""Dots with intervals in rows: levels of algorithms, probabilities of pairs."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchinfer.plots import strips
from benchinfer.plots.style import FAINT, INK, Width, lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOUR = "#0072B2"


@dataclass(frozen=True, slots=True)
class Interval:
    """One row.

    Attributes
    ----------
    label, said
        What it is, and its value in words.
    value, low, high
        The dot and the ends of its line.
    filled
        Whether the dot is; what an open one means is for the notes to say.
    """

    label: str
    said: str
    value: float
    low: float
    high: float
    filled: bool = True


@dataclass(frozen=True, slots=True)
class Intervals:
    """Where everything stands.

    Attributes
    ----------
    rows
        From top to bottom.
    limits
        Ends of the axis.
    log
        Whether the axis is logarithmic.
    reference
        The value that a line across the rows marks, if any.
    sides
        What the left and the right of the axis mean; may be empty.
    title, axis, notes
        Heading, name of the axis, and the lines below it.
    width
        The room that there is; without enough, words stand above the intervals.
    alt
        Text alternative.
    """

    rows: tuple[Interval, ...]
    limits: tuple[float, float]
    log: bool
    reference: float | None
    sides: tuple[str, str]
    title: str
    axis: str
    notes: tuple[str, ...]
    width: Width
    alt: str

    @property
    def fits(self) -> bool:
        """Whether label and words can stand beside the interval."""
        return strips.fits(self)


def room(values: list[float], *, log: bool) -> tuple[float, float]:
    """Return ends of an axis that has all finite values inside.

    Examples
    --------
    >>> room([0.0, 10.0, float("inf")], log=False)
    (-0.4, 10.4)
    """
    finite = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
    if log:
        finite = [math.log(v) for v in finite]
    low, high = min(finite), max(finite)
    pad = 0.04 * (high - low) or 0.1 * abs(low) or 1.0
    return (math.exp(low - pad), math.exp(high + pad)) if log else (low - pad, high + pad)


def size(intervals: Intervals) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    across, down = strips.size(intervals)
    return across, down + (0.2 if any(intervals.sides) else 0.0)


def draw(intervals: Intervals, ax: "Axes") -> None:
    """Draw the intervals into an Axes."""
    beside = intervals.fits
    shift = 0.0 if beside else 0.2
    strips.frame(
        intervals, ax, intervals.limits, log=intervals.log, pad=22 if any(intervals.sides) else 8
    )
    for x, align, text in zip((0, 1), ("left", "right"), intervals.sides, strict=True):
        ax.annotate(
            text,
            (x, 1),
            (0, 5),
            xycoords="axes fraction",
            textcoords="offset points",
            ha=align,
            fontsize=8.5,
            color=FAINT,
        )
    if intervals.reference is not None:
        ends = [(y + shift - 0.3, y + shift + 0.3) for y in range(len(intervals.rows))]
        if beside:
            ends = [(-0.55, len(intervals.rows) - 0.45)]
        x = intervals.reference
        lines(ax, [(x, top, x, bottom) for top, bottom in ends], INK, 0.9, zorder=1)
    left, right = intervals.limits
    lines(
        ax,
        [
            (max(row.low, left), y + shift, min(row.high, right), y + shift)
            for y, row in enumerate(intervals.rows)
        ],
        COLOUR,
        1.6,
    )
    for filled in (True, False):
        own = [
            (row.value, y + shift) for y, row in enumerate(intervals.rows) if row.filled == filled
        ]
        if not own:
            continue  # a mark without a place would take room in the corner
        ax.plot(
            [x for x, _ in own],
            [y for _, y in own],
            "o",
            color=COLOUR,
            mfc=COLOUR if filled else "white",
            ms=5.5,
            mew=1.3,
            zorder=4,
            clip_on=False,
        )
    strips.write(intervals, ax, beside=beside)
    ax.spines["left"].set_visible(False)
