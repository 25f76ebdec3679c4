"""Style of figures: sizes, colours, axes.

Colours are those of Okabe & Ito, which colour-blind readers distinguish; every verdict has a shape
as well, so that figures read in grey.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.ticker import LogLocator, MaxNLocator

from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array
from benchinfer.plots.text import across, plain, pt, short, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.core.measure import Measure


# Inches across that a figure may take, at a font of 10 points.
type Width = float
PAGE, COLUMN = 6.9, 3.3
_WIDE = 5.0


type Box = tuple[float, float, float, float]
type _Across = Literal["left", "right", "center"]
type _Down = Literal["top", "bottom", "center"]


INK = "#1f2328"
FAINT = "#5c6370"
HAIR = "#d5d9de"
HIGHLIGHT = "#A5005F"  # of names that are asked for; no verdict has it
BAND = "#e4efe9"


@dataclass(frozen=True, slots=True)
class Mark:
    """Colour and shape of a verdict."""

    colour: str  # of marks
    ink: str  # of words: the same hue, dark enough to read on white
    marker: str  # shape, as matplotlib names it
    filled: bool  # whether the shape is filled


MARKS: dict[Verdict, Mark] = {
    Verdict.FIRST: Mark("#0072B2", "#00598C", "o", filled=True),
    Verdict.SECOND: Mark("#D55E00", "#A34700", "D", filled=True),
    Verdict.EQUIVALENT: Mark("#009E73", "#006B4F", "s", filled=True),
    Verdict.UNDECIDED: Mark("#7A8089", "#5C6370", "o", filled=False),
    Verdict.MISSING: Mark("#A0A5AC", "#5C6370", "x", filled=False),
}


def is_wide(width: Width) -> bool:
    """Return whether a width leaves room for texts next to marks, rather than above them."""
    return width >= _WIDE


def measure_name(measure: Measure) -> str:
    """Return the label of a measure, or its name, short enough for a title."""
    return next(iter(short([measure.display_name], 40).values()))


def signed(value: float) -> str:
    """Return a number as text for an axis, with a true minus sign.

    Examples
    --------
    >>> signed(0.05), signed(1500.0)
    ('0.05', '1500')
    """
    value += 0.0  # no minus before zero
    if 1e-5 <= abs(value) < 1e7:
        text = f"{value:.7f}".rstrip("0").rstrip(".")
    else:
        text = f"{value:g}"
    return text.replace("-", "\N{MINUS SIGN}")


def bare(ax: Axes) -> None:
    """Remove ticks and frame from an Axes."""
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)


def lines(
    ax: Axes,
    segments: Sequence[tuple[float, float, float, float]],
    colour: str,
    lw: float,
    *,
    zorder: float = 3,
) -> None:
    """Draw segments x0, y0, x1, y1 of one colour.

    As one line with gaps, which takes a tenth of the room and time of as many lines.
    """
    ends = np.array(segments, dtype=np.float64).reshape(-1, 4)
    gap = np.full(len(ends), np.nan)
    ax.plot(
        np.c_[ends[:, 0], ends[:, 2], gap].ravel(),
        np.c_[ends[:, 1], ends[:, 3], gap].ravel(),
        color=colour,
        lw=lw,
        solid_capstyle="butt",
        zorder=zorder,
    )


def ticks(low: float, high: float, n: int, *, log: bool) -> list[float]:
    """Return round numbers within a range, about `n` of them or fewer."""
    if log and high / low > 4:
        fine = LogLocator(subs=(1.0, 2.0, 5.0), numticks=99).tick_values(low, high)
        inside = [float(t) for t in fine if low <= t <= high]
        if len(inside) <= n + 2:
            return inside
        coarse = LogLocator(numticks=n).tick_values(low, high)
        return [float(t) for t in coarse if low <= t <= high]
    values = MaxNLocator(n, steps=[1, 2, 5, 10]).tick_values(low, high)
    return [float(t) for t in values if low <= t <= high]


def name_axis(ax: Axes, text: str, room: float) -> None:
    """Write the name of the x axis, left-aligned and wrapped to a width in inches."""
    said = plain(wrapped(text, room))
    ax.set_xlabel(said, loc="left", fontsize=pt(8.5), color=INK, linespacing=1.35)


_LINE = 0.15  # inches
_DOT = 0.06  # inches that a point reaches
_APART = 0.04  # inches between two texts of a line


@dataclass(frozen=True, slots=True)
class Text:
    """Text with its position and alignment, and whether a line connects it with its point."""

    text: str
    x: float
    y: float
    ha: Literal["left", "right", "center"]
    va: Literal["top", "bottom", "center"]
    led: bool


_SIDES: tuple[tuple[int, int, _Across, _Down], ...] = (
    (1, 0, "left", "center"),
    (-1, 0, "right", "center"),
    (0, 1, "center", "bottom"),
    (0, -1, "center", "top"),
    (1, 1, "left", "bottom"),
    (-1, 1, "right", "bottom"),
    (1, -1, "left", "top"),
    (-1, -1, "right", "top"),
)


def dodge(points: Array, labels: Sequence[str], extent: tuple[float, float]) -> tuple[Text, ...]:
    """Return each text at the nearest position around its point without overlap."""
    occupied: list[Box] = [(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in points.tolist()]
    texts: list[Text] = []
    for (x, y), label in zip(points.tolist(), labels, strict=True):
        text = min(_around(x, y, label), key=lambda one: _covered(_box(one), occupied, extent))
        occupied.append(_box(text))
        texts.append(text)
    return tuple(texts)


def keyed(
    points: Array, labels: Sequence[str], extent: tuple[float, float]
) -> tuple[tuple[Text, ...], tuple[str, ...]]:
    """Return placed texts or, where these would overlap, numbers and a note as their key.

    Numbers run from top to bottom; what has no text has no number.
    """
    texts = dodge(points, labels, extent)
    boxes = [_box(text) for text in texts if text.text]
    if not any(_overlap(one, other) > 0 for one, other in combinations(boxes, 2)):
        return texts, ()
    named = [n for n, label in enumerate(labels) if label]
    numbers = {
        n: str(i)
        for i, n in enumerate(sorted(named, key=lambda n: (-points[n, 1], points[n, 0])), 1)
    }
    key = "; ".join(
        f"{number}\N{NO-BREAK SPACE}{' '.join(labels[n].split())}" for n, number in numbers.items()
    )
    return dodge(points, [numbers.get(n, "") for n in range(len(labels))], extent), (key,)


def _around(x: float, y: float, label: str) -> Iterator[Text]:
    """Yield candidate positions of a text around its point, nearest first."""
    for far in (0.08, 0.2, 0.35, 0.55, 0.8, 1.1, 1.5):
        for right, up, ha, va in _SIDES:
            slant = 0.75 if right and up else 1.0
            yield Text(label, x + right * far * slant, y + up * far * slant, ha, va, led=far > 0.1)


def _box(text: Text) -> Box:
    """Return the bounding box of a text."""
    wide, tall = across(text.text) + _APART, _LINE * (text.text.count("\n") + 1)
    left = text.x - wide * {"left": 0.0, "center": 0.5, "right": 1.0}[text.ha]
    low = text.y - tall * {"bottom": 0.0, "center": 0.5, "top": 1.0}[text.va]
    return left, low, left + wide, low + tall


def _covered(box: Box, occupied: Sequence[Box], extent: tuple[float, float]) -> float:
    """Return the area of a box that overlaps others or lies outside, outside counting twice."""
    left, low, right, high = box
    inside = _overlap(box, (0.0, 0.0, *extent))
    outside = (right - left) * (high - low) - inside
    return round(sum(_overlap(box, other) for other in occupied) + 2 * outside, 9)


def _overlap(a: Box, b: Box) -> float:
    across = min(a[2], b[2]) - max(a[0], b[0])
    tall = min(a[3], b[3]) - max(a[1], b[1])
    return max(across, 0.0) * max(tall, 0.0)


def spread_apart(at: Array, apart: float) -> Array:
    """Return places as near to those given as they can be with a distance between any two.

    Neighbours that are too near are moved apart around their mean, until none is.
    """
    order = np.argsort(at, kind="stable")
    groups: list[list[float]] = []  # number and sum of the places less their offsets
    for n, y in enumerate(at[order].tolist()):
        groups.append([1, y - n * apart])
        while len(groups) > 1 and groups[-1][1] / groups[-1][0] < groups[-2][1] / groups[-2][0]:
            n_last, sum_last = groups.pop()
            groups[-1] = [groups[-1][0] + n_last, groups[-1][1] + sum_last]
    starts = np.repeat([total / n for n, total in groups], [int(n) for n, _ in groups])
    placed = np.empty(len(at))
    placed[order] = starts + apart * np.arange(len(at))
    return placed
