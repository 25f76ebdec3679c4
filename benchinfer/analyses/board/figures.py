"""The record of a board over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from benchinfer.analyses.board.result import Board
from benchinfer.comparison.evidence import alpha_of
from benchinfer.core.numbers import level_percent
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array, Flags
from benchinfer.plots.draw import Kind
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import (
    FAINT,
    HAIR,
    INK,
    MARKS,
    PAGE,
    Box,
    Width,
    is_wide,
    name_axis,
    signed,
)
from benchinfer.plots.text import across, plain, pt, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_HEIGHT = 3.0  # inches
_LINE = 0.16  # inches of a name
_MANY = 60  # entries from which on marks are small
_BEYOND = 1.5  # heights of the records and what is open, beyond which entries are at the edge
_RECORD, _OPEN = MARKS[Verdict.FIRST], MARKS[Verdict.UNDECIDED]


@dataclass(frozen=True, slots=True)
class RecordName:
    """Place of the name of a record holder beside its mark."""

    x: float
    y: float
    text: str
    left: bool  # whether it stands to the left of its mark


@dataclass(frozen=True, slots=True)
class BoardFigure(Layout):
    """Layout of the figure; places are numbers of entries and means in the measure's unit."""

    # record, open, worse: (n, 2) marks of records, and of entries that are not shown, or are shown,
    # to be worse than the record of their day
    record: tuple[tuple[float, float], ...]
    open: tuple[tuple[float, float], ...]
    worse: tuple[tuple[float, float], ...]
    edge: tuple[float, ...]  # entries that are worse and out of sight
    names: tuple[RecordName, ...]
    # ends of both axes, the better end of the second one on top
    across: tuple[float, float]
    upright: tuple[float, float]
    low_is_better: bool


def layout(result: Board, width: Width = PAGE) -> BoardFigure:
    """Return the layout of the record over the entries."""
    n = len(result.algorithms)
    at, mean = np.arange(1.0, n + 1), result.measure.level_of(result.levels)
    worse = result.p_worse <= alpha_of(result.level)
    open_ = ~worse & ~result.record
    seen = mean[result.record | open_]
    size = float(np.ptp(seen)) or float(np.ptp(mean)) or abs(float(mean[0])) or 1.0
    low, high = float(seen.min()) - _BEYOND * size, float(seen.max()) + _BEYOND * size
    shown = (mean >= low) & (mean <= high)
    low, high = float(mean[shown].min()), float(mean[shown].max())
    pad = 0.1 * ((high - low) or size)
    ends = (low - pad, high + pad)
    room = 0.03 * (n - 1) + 0.4
    sides = (1 - room, n + room)
    alone = level_percent(1 - result.level)
    records = result.records
    return BoardFigure(
        record=_marks(at, mean, result.record),
        open=_marks(at, mean, open_),
        worse=_marks(at, mean, worse & shown),
        edge=tuple(at[~shown].tolist()),
        names=_names(result, at, mean, sides, ends, width),
        across=sides,
        upright=ends,
        low_is_better=result.measure.better == "lower",
        title=f"{result.measure.title}: {len(records)} of {n:,} entries are records",
        notes=(
            "filled: records, each better than the one before it; hollow: no record, and not shown"
            f" to be worse than the record of the day (at {alone} alone); grey: shown to be worse"
            + ("; triangles: worse, and out of sight" if not shown.all() else ""),
        ),
        axis="entry",
        width=width,
        alt=f"Means of {n:,} entries in their order, with the record as steps:"
        f" {', then '.join(records[-12:])}.",
    )


def _marks(at: Array, mean: Array, which: Flags) -> tuple[tuple[float, float], ...]:
    return tuple(zip(at[which].tolist(), mean[which].tolist(), strict=True))


def _names(
    result: Board,
    at: Array,
    mean: Array,
    sides: tuple[float, float],
    ends: tuple[float, float],
    width: Width,
) -> tuple[RecordName, ...]:
    """Return names of records on the better side of their steps, the last ones first.

    A name that would touch one that stands is left out.
    """
    inch_x = (width - 0.7) / (sides[1] - sides[0])
    inch_y = _HEIGHT / (ends[1] - ends[0])
    below = _LINE * (1 if result.measure.better == "lower" else -1)
    boxes: list[Box] = []
    names: list[RecordName] = []
    known = short(result.records, 24 if is_wide(width) else 14)
    for i in np.flatnonzero(result.record)[::-1]:
        text = known[result.algorithms[i]]
        x, y, wide = float(at[i]) * inch_x, float(mean[i]) * inch_y, across(text) + 0.1
        for left in (True, False):
            # On the right it stands below the line of the record that it names.
            start, middle = (x - wide, y) if left else (x + 0.05, y + below)
            box = (start, middle - _LINE / 2, start + wide, middle + _LINE / 2)
            if box[0] < sides[0] * inch_x or box[2] > sides[1] * inch_x + 0.6 * (not left):
                continue
            if any(_touch(box, other) for other in boxes):
                continue
            boxes.append(box)
            names.append(RecordName(float(at[i]), float(mean[i]), text, left))
            break
    return tuple(names)


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def draw(laid: BoardFigure, ax: Axes) -> None:
    """Draw the record over the entries into an Axes."""
    n = len(laid.record) + len(laid.open) + len(laid.worse) + len(laid.edge)
    size = 6.0 if n <= _MANY else 4.0 if n <= 10 * _MANY else 2.4
    low, high = laid.upright
    ax.set_xlim(*laid.across)
    ax.set_ylim(*((high, low) if laid.low_is_better else (low, high)))
    ax.spines[["right", "top"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(FAINT)
    ax.tick_params(labelsize=pt(8.5), color=FAINT, labelcolor=INK)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(lambda value, _: signed(value))
    for marks, colour, filled, z in (
        (laid.worse, HAIR, True, 1),
        (laid.open, _OPEN.colour, False, 2),
        (laid.record, _RECORD.colour, True, 4),
    ):
        if marks:
            ax.plot(*zip(*marks, strict=True), "o", color=colour, ms=size + (z > 3), mew=0.9,
                    mfc=colour if filled else "white", zorder=z, clip_on=False)  # fmt: skip
    if laid.edge:
        worst = high if laid.low_is_better else low
        ax.plot(laid.edge, [worst] * len(laid.edge), "v", color=HAIR, ms=size, clip_on=False)
    x, y = (list(each) for each in zip(*laid.record, strict=True))
    ax.step([*x, laid.across[1]], [*y, y[-1]], where="post", color=_RECORD.colour, lw=1.4, zorder=3)
    for name in laid.names:
        at, align, shift = ("right", "center", (-6, 0)) if name.left else ("left", "top", (4, -4))
        ax.annotate(plain(name.text), (name.x, name.y), ha=at, va=align, xytext=shift,
                    textcoords="offset points", fontsize=pt(8.5), color=_RECORD.ink, zorder=5,
                    path_effects=[withStroke(linewidth=2.5, foreground="white")])  # fmt: skip
    name_axis(ax, laid.axis, laid.width)


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    Board: {"record": Kind(layout, lambda laid: (laid.width, _HEIGHT), draw)},
}
