"""Bars and interval strips."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter
from numpy.typing import ArrayLike

from benchinfer.numerics.types import Array
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import FAINT, HAIR, INK, Width, lines, name_axis, signed, ticks
from benchinfer.plots.text import across, axis_height, fitted, plain, pt, widest

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_LEAST = 0.42  # share of the width that marks next to their texts need
_GAP = 0.12  # inches between texts and marks
_MANY = 40  # rows that have a wide pitch


class Strip(Protocol):
    """Protocol of a row: label, text and value, which is None for a heading."""

    @property
    def label(self) -> str: ...  # noqa: D102
    @property
    def said(self) -> str: ...  # noqa: D102
    @property
    def value(self) -> float | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Strips[S: Strip](Layout):
    """Layout of the figure."""

    rows: tuple[S, ...]  # from top to bottom


def fits(strips: Strips[Strip]) -> bool:
    """Return whether the labels and texts of rows fit next to the marks."""
    return _room_of_marks(strips) >= max(_LEAST * strips.width, 1.6)


def _room_of_marks(strips: Strips[Strip]) -> float:
    """Return the width in inches that labels and texts leave for the marks between them."""
    texts = _longest(strips, "label") + _longest(strips, "said")
    return strips.width - texts - 2 * _GAP - 0.2


def size_strips(strips: Strips[Strip]) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    n = len(strips.rows)
    below = axis_height(strips.axis, room_of_axis(strips))
    return strips.width, 0.38 + below + n * (pitch(n) if fits(strips) else 0.4)


def pitch(rows: int) -> float:
    """Return the height of a row in inches, given the number of rows."""
    return 0.25 if rows <= _MANY else 0.19


def room_of_axis(strips: Strips[Strip]) -> float:
    """Return the width of the axis in inches."""
    return _room_of_marks(strips) if fits(strips) else strips.width - 0.3


def _longest(strips: Strips[Strip], words: Literal["label", "said"]) -> float:
    rows = [(getattr(row, words), row.value is None) for row in strips.rows]
    return max((across(text, bold=bold) for text, bold in rows), default=0.0)


def frame(
    strips: Strips[Strip],
    ax: Axes,
    limits: tuple[float, float],
    *,
    log: bool = False,
    integers: bool = False,
    room: float | None = None,
) -> None:
    """Draw axis and grid."""
    draw_axis(ax, strips.axis, limits, room or room_of_axis(strips), log=log, integers=integers)
    ax.set_ylim(len(strips.rows) - 0.45, -0.55)
    ax.spines["left"].set_color(INK)
    ax.grid(axis="x", color=HAIR, lw=0.7)
    ax.set_axisbelow(True)


def draw_axis(
    ax: Axes,
    name: str,
    limits: tuple[float, float],
    room: float,
    *,
    log: bool = False,
    integers: bool = False,
) -> None:
    """Draw an x axis of a width in inches, with its name and as many ticks as fit."""
    if log:
        ax.set_xscale("log")
    ax.set_xlim(*limits)
    ax.xaxis.set_major_locator(FixedLocator(spaced(limits, room, log=log, integers=integers)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value)))
    ax.xaxis.set_minor_locator(FixedLocator([]))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(axis="x", labelsize=pt(8.5), color=FAINT, labelcolor=INK)
    ax.spines[["right", "top"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    name_axis(ax, name, room)


def spaced(
    limits: tuple[float, float], room: float, *, log: bool, integers: bool = False
) -> list[float]:
    """Return as many round numbers, or integers, as fit side by side as ticks."""
    for n in (6, 5, 4, 3, 2):
        values = [v for v in ticks(*limits, n, log=log) if not integers or v.is_integer()]
        if sum(across(signed(value)) + 0.15 for value in values) <= room:
            return values
    return ticks(*limits, 1, log=log)[:2]


def write(
    strips: Strips[Strip], ax: Axes, *, aligned: bool, inks: Sequence[str] | None = None
) -> None:
    """Write labels and texts of the rows as annotations, which draw ten times as fast as ticks.

    Words have the colours `inks`, where there are any.
    """
    ax.set_yticks([])
    ax.spines["left"].set_visible(aligned)
    labels = [row.label for row in strips.rows] if aligned else _above(strips)
    for y, (row, label) in enumerate(zip(strips.rows, labels, strict=True)):
        for text, x, align, ink in (
            (label, 0, "right" if aligned else "left", INK),
            (row.said, 1, "left" if aligned else "right", inks[y] if inks else INK),
        ):
            if not text:
                continue
            ax.annotate(
                plain(text),
                (x, y),
                ((8 * x - 4 if aligned else 0), 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                ha=align,
                va="center" if aligned else "bottom",
                fontsize=pt(8.5),
                fontweight="bold" if row.value is None else "normal",
                color=ink,
                bbox=None if aligned else {"fc": "white", "lw": 0, "pad": 0.5},
            )


def labels(names: Iterable[str], said: Sequence[str], width: Width) -> dict[str, str]:
    """Return names shortened to fit on one line with their values."""
    return fitted(names, width - 0.4 - widest(said))


def pair_labels(
    names: Iterable[str], between: str, said: Sequence[str], width: Width
) -> dict[str, str]:
    """Return names shortened so that any two fit on one line with a text and their values."""
    return fitted(names, (width - 0.4 - widest(said) - across(between)) / 2)


def _above(strips: Strips[Strip]) -> list[str]:
    """Return the labels above the marks, shortened to fit next to their texts, yet distinct."""
    room = {row.label: strips.width - 0.4 - across(row.said) for row in strips.rows if row.label}
    labels = {label: fitted([label], inches)[label] for label, inches in room.items()}
    if len(set(labels.values())) < len(labels):
        labels = fitted(room, min(room.values()))
    return [labels.get(row.label, "") for row in strips.rows]


FILL = "#5B7FA3"


@dataclass(frozen=True, slots=True)
class Bar:
    """One row."""

    # label, said: what it is, and its value in words
    label: str
    said: str
    value: float | None  # how long it is; None for a heading of the rows below
    # How far an outline goes on, such as for a wider definition; None for none
    outline: float | None = None
    # colour, marker: of a bar with a head; without a marker it is a plain bar
    colour: str = FILL
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Bars(Strips[Bar]):
    """Layout of the figure."""

    top: float  # right end of the axis, which begins at 0


size_bars = size_strips


def draw_bars(bars: Bars, ax: Axes, *, room: float | None = None) -> None:
    """Draw the bars into an Axes, with texts next to them or, where these do not fit, above.

    If `room` says how many inches an axis among others has, the text is next to it.
    """
    aligned = room is not None or fits(bars)
    frame(bars, ax, (0.0, bars.top), room=room)
    shift, half = (0.0, 0.3) if aligned else (0.2, 0.15)
    rows = [(y + shift, row, row.value) for y, row in enumerate(bars.rows)]
    for colour, marker in dict.fromkeys((row.colour, row.marker) for row in bars.rows):
        group = [
            (v, at)
            for at, row, v in rows
            if v is not None and (row.colour, row.marker) == (colour, marker)
        ]
        x, y = [v for v, _ in group], [at for _, at in group]
        if marker:
            lines(ax, [(0.0, at, v, at) for v, at in group], colour, 1.4)
            ax.plot(x, y, marker, color=colour, ms=5.5, clip_on=False)
        else:
            ax.barh(y, x, 2 * half, color=colour, lw=0)
    wider = [(at, row.outline) for at, row, _ in rows if row.outline is not None]
    if wider:
        y, x = zip(*wider, strict=True)
        ax.barh(y, x, 2 * half, fc="none", ec=FILL, lw=1.0)
    write(bars, ax, aligned=aligned)


COLOUR = "#0072B2"


@dataclass(frozen=True, slots=True)
class Interval:
    """One row."""

    # label, said: what it is, and its value in words
    label: str
    said: str
    # value, low, high: the dot and the ends of its line
    value: float
    low: float
    high: float
    filled: bool = True  # whether the dot is; what an open one means is for the notes to say


@dataclass(frozen=True, slots=True)
class Intervals(Strips[Interval]):
    """Layout of the figure.

    Attributes
    ----------
    limits
        Ends of the axis; arrows stand for values beyond.
    log
        Whether the axis is logarithmic.
    reference
        The value that a line across the rows marks, if any.
    sides
        What the left and the right of the axis mean; may be empty. Without room for both the
        right is named.
    whole
        Whether only whole numbers have ticks.
    """

    limits: tuple[float, float]
    log: bool
    reference: float | None
    sides: tuple[str, str]
    integers: bool = False


def room(values: list[float], *, log: bool) -> tuple[float, float]:
    """Return limits of an axis that contain all finite values.

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


# Of axis limits robust to outliers.
_FAR = 3.0  # interquartile ranges beyond the quartiles
_FEW = 8  # values of which none is far out
_SQUEEZED = 1.5  # times the range of the others that all values take


def reach(
    values: ArrayLike, held: Sequence[float] = (), *, log: bool = False
) -> tuple[float, float]:
    """Return limits of an axis that contain `held` and all values except outliers.

    Examples
    --------
    >>> low, high = reach([1, 2, 3, 4, 5, 6, 7, 100.0])
    >>> round(low, 2), round(high, 2)
    (0.82, 7.18)
    """
    observed, required = _finite(values, log=log), _finite(held, log=log)
    inside = observed
    if len(observed) >= _FEW:
        low, high = np.quantile(observed, [0.25, 0.75])
        far = _FAR * (high - low)
        inside = observed[(observed >= low - far) & (observed <= high + far)]
    most, least = np.r_[observed, required], np.r_[inside, required]
    ends = least if np.ptp(most) > _SQUEEZED * np.ptp(least) > 0 else most
    pad = 0.03 * float(np.ptp(ends)) or 0.1 * abs(float(ends[0])) or 1.0
    low, high = float(ends.min()) - pad, float(ends.max()) + pad
    return (float(np.exp(low)), float(np.exp(high))) if log else (low, high)


def _finite(values: ArrayLike, *, log: bool) -> Array:
    finite = np.asarray(values, dtype=np.float64).ravel()
    finite = finite[np.isfinite(finite) & ((finite > 0) | (not log))]
    return np.log(finite) if log else finite


def outside(values: ArrayLike, limits: tuple[float, float]) -> tuple[str, ...]:
    """Return a note with the most extreme values beyond the limits of an axis.

    Examples
    --------
    >>> outside([1, 2, -100.0], (0.0, 3.0))
    ('arrow: beyond the axis, \N{MINUS SIGN}100',)
    """
    finite = np.asarray(values, dtype=np.float64).ravel()
    beyond = np.sort(finite[(finite < limits[0]) | (finite > limits[1])])
    if not len(beyond):
        return ()
    ends = [signed(float(f"{value:.3g}")) for value in dict.fromkeys((beyond[0], beyond[-1]))]
    return (f"arrow{'s' * (len(beyond) > 1)}: beyond the axis, {' to '.join(ends)}",)


def arrows(
    points: Iterable[tuple[float, float]], limits: tuple[float, float]
) -> list[tuple[float, float, str]]:
    """Return position and marker of an arrow for each point beyond the limits of the axis."""
    low, high = limits
    return [(low, y, "<") if x < low else (high, y, ">") for x, y in points if x < low or x > high]


def size_intervals(intervals: Intervals) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    wide, down = size_strips(intervals)
    return wide, down + (0.2 if any(intervals.sides) else 0.0)


def draw_intervals(intervals: Intervals, ax: Axes) -> None:
    """Draw the intervals into an Axes."""
    aligned = fits(intervals)
    shift = 0.0 if aligned else 0.2
    frame(intervals, ax, intervals.limits, log=intervals.log, integers=intervals.integers)
    _name_sides(intervals, ax)
    if intervals.reference is not None:
        ends = [(y + shift - 0.3, y + shift + 0.3) for y in range(len(intervals.rows))]
        if aligned:
            ends = [(-0.55, len(intervals.rows) - 0.45)]
        x = intervals.reference
        lines(ax, [(x, top, x, bottom) for top, bottom in ends], INK, 0.9, zorder=1)
    left, right = intervals.limits
    lines(
        ax,
        [
            (max(row.low, left), y + shift, min(row.high, right), y + shift)
            for y, row in enumerate(intervals.rows)
            if math.isfinite(row.low) or math.isfinite(row.high)
        ],
        COLOUR,
        1.6,
    )
    for filled in (True, False):
        dots = [
            (row.value, y + shift) for y, row in enumerate(intervals.rows) if row.filled == filled
        ]
        # A mark far beyond the axis, as of 0 on a logarithmic one, would take all room.
        marks = [(x, y, "o") for x, y in dots if left <= x <= right] + arrows(dots, (left, right))
        for mark in dict.fromkeys(mark for _, _, mark in marks):
            ax.plot(
                [x for x, _, m in marks if m == mark],
                [y for _, y, m in marks if m == mark],
                mark,
                color=COLOUR,
                mfc=COLOUR if filled else "white",
                ms=5.5,
                mew=1.3,
                zorder=4,
                clip_on=False,
            )
    write(intervals, ax, aligned=aligned)
    ax.spines["left"].set_visible(False)


def _name_sides(intervals: Intervals, ax: Axes) -> None:
    """Write the meaning of each direction of the axis above its ends."""
    both = sum(map(across, intervals.sides)) + _GAP <= room_of_axis(intervals)
    for x, align, text in zip((0, 1), ("left", "right"), intervals.sides, strict=True):
        if both or x:
            ax.annotate(
                text,
                (x, 1),
                (0, 5),
                xycoords="axes fraction",
                textcoords="offset points",
                ha=align,
                fontsize=pt(8.5),
                color=FAINT,
            )
