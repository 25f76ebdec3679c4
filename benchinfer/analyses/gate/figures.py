"""Measures of a gate between their tolerances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.gate.result import Gate, Outcome
from benchinfer.analyses.gate.sections import effect, margin
from benchinfer.core.numbers import level_percent
from benchinfer.core.verdict import Verdict
from benchinfer.plots.draw import Kind
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import FAINT, HAIR, INK, MARKS, PAGE, Width, is_wide
from benchinfer.plots.text import plain, pt, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.analyses.gate.result import GatedMeasure


_FAR = 6.0  # tolerances beyond which a measure is at the edge, so that others can be seen
_MARKS = {
    "pass": MARKS[Verdict.FIRST],
    "fail": MARKS[Verdict.SECOND],
    "undecided": MARKS[Verdict.UNDECIDED],
}


@dataclass(frozen=True, slots=True)
class GateRow:
    """One measure."""

    # label, said: the measure, and the verdict with the estimate
    label: str
    said: str
    verdict: Outcome  # pass, fail or undecided
    # estimate, low, high: larger is better, in units of the tolerance, of measures without one in
    # units of the longer arm of the interval
    estimate: float
    low: float
    high: float
    # The worst difference that is tolerated, in the same unit: -1, or 0 without a tolerance
    limit: float
    ahead: float  # what better has to exceed, in the same unit; 0 where that is equality


@dataclass(frozen=True, slots=True)
class GateFigure(Layout):
    """Layout of the figure."""

    rows: tuple[GateRow, ...]  # the measures, from top to bottom


def layout(gate: Gate, width: Width = PAGE) -> GateFigure:
    """Return the layout of the differences of a gate, one row for each measure."""
    level = level_percent(gate.level)
    said = "; ".join(f"{name} {row.verdict}, {effect(row)}" for name, row in gate.items())
    return GateFigure(
        rows=tuple(_row(name, row, gate.by_more_than, width) for name, row in gate.items()),
        title=f"{gate.candidate} against {gate.baseline}: {gate.verdict}",
        notes=(
            f"candidate minus baseline in units of {_unit(gate)}, to the right better",
            "shaded: worse by more than the tolerance",
            *(["dashed: what a candidate that is better has to exceed"] * bool(gate.by_more_than)),
            f"ends of lines: one-sided {level} bounds; arrow: out of sight",
        ),
        width=width,
        alt=f"Differences of {gate.candidate} and {gate.baseline} with one-sided bounds: {said}.",
    )


def _unit(gate: Gate) -> str:
    """Return the unit of the axis in words."""
    if gate.by_more_than and not any(row.measure.margin for row in gate.values()):
        return "what has to be exceeded"
    return "the tolerance"


def _row(name: str, row: GatedMeasure, by_more_than: float, width: Width) -> GateRow:
    wide = is_wide(width)
    ahead = replace(row.measure, tolerance=by_more_than).margin
    reach = max(abs(row.high - row.estimate), abs(row.low - row.estimate))
    size = row.measure.margin or ahead or reach
    size = size if np.isfinite(size) and size > 0 else 1.0
    return GateRow(
        label=short([name], 30 if wide else 16)[name]
        + (f" ({row.measure.better} is better)" if wide else ""),
        said=f"{row.verdict}: {effect(row)}" + (f", tolerance {margin(row)}" if wide else ""),
        verdict=row.verdict,
        estimate=row.estimate / size,
        low=row.low / size,
        high=row.high / size,
        limit=-1.0 if row.measure.margin else 0.0,
        ahead=ahead / size,
    )


def draw(laid: GateFigure, ax: Axes) -> None:
    """Draw the measures into an Axes."""
    each = [(row.low, row.estimate, row.high, row.ahead) for row in laid.rows]
    ends = [e for row in each for e in row if np.isfinite(e)]
    low, high = max(min([-1.5, *ends]), -_FAR), min(max([1.0, *ends]), _FAR)
    pad = 0.04 * (high - low)
    left, right = low - pad, high + pad
    ax.set_xlim(left, right)
    ax.set_ylim(len(laid.rows) - 0.45, -0.55)
    ax.set_yticks([])
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    ax.tick_params(axis="x", labelsize=pt(8.5), color=FAINT, labelcolor=INK)
    for y, row in enumerate(laid.rows):
        at, mark = y + 0.22, _MARKS[row.verdict]
        ends = [at - 0.17, at + 0.17]
        ax.fill_betweenx(ends, left, row.limit, color=HAIR, lw=0, zorder=0)
        ax.plot([0, 0], ends, color=INK, lw=0.9, zorder=1)
        if row.ahead:
            ax.plot([min(row.ahead, right)] * 2, ends, color=INK, lw=0.9, ls=(0, (3, 2)), zorder=1)
        shown = np.clip([row.low, row.high], left, right)
        ax.plot(shown, [at, at], color=mark.colour, lw=1.8, solid_capstyle="butt")
        beyond = "<" if row.estimate < left else ">" if row.estimate > right else mark.marker
        ax.plot([np.clip(row.estimate, left, right)], [at], beyond, color=mark.colour, ms=6,
                mfc=mark.colour if mark.filled else "white", mew=1.3, clip_on=False)  # fmt: skip
        for x, align, text, ink in (
            (0, "left", row.label, INK),
            (1, "right", row.said, mark.ink),
        ):
            ax.text(x, y - 0.05, plain(text), transform=ax.get_yaxis_transform(), ha=align,
                    va="bottom", fontsize=pt(8.5), color=ink)  # fmt: skip


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    Gate: {
        "measures": Kind(layout, lambda laid: (laid.width, 0.5 + 0.5 * len(laid.rows)), draw),
    },
}
