"""Power curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from benchinfer.analyses.plan.result import Plan, shown
from benchinfer.core.numbers import count
from benchinfer.numerics.types import Array
from benchinfer.plots.curves import STYLES
from benchinfer.plots.draw import Kind
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import FAINT, HAIR, INK, PAGE, Width, name_axis
from benchinfer.plots.text import axis_height, plain, pt, widest

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """Power over a number."""

    label: str  # what is held
    # power, low, high: (G,) power and its band; a line without a band has three equal ones
    power: Array
    low: Array
    high: Array


@dataclass(frozen=True, slots=True)
class PowerCurves(Layout):
    """Layout of the figure."""

    across: Array  # (G,) numbers of data sets, or of replications
    curves: tuple[PowerCurve, ...]  # the design's own curve first
    design: tuple[float, float]  # its number and its power
    wanted: float  # the power wanted
    # Data sets that no number of replications can do without, if they are in sight
    floor: float | None


def layout(plan: Plan, width: Width = PAGE) -> PowerCurves:
    """Return the layout of the power curves of the design and of neighbouring designs."""
    domain = plan.question.target == "domain"
    over, held = "n_datasets", "n_replications"
    if not domain:
        over, held = held, over
    table = plan.curve()
    across = np.unique(table[over].to_numpy(dtype=np.float64))
    chosen = getattr(plan, held)
    noun = "replication" if domain else "data set"
    numbers = sorted(set(table[held].tolist()), key=lambda value: (value != chosen, value))
    curves: list[PowerCurve] = []
    for value in numbers:
        part, columns = table[table[held] == value], ["power"] * 3
        if value == chosen and "power_low" in part:
            columns = ["power", "power_low", "power_high"]
        ends = (part[name].to_numpy(dtype=np.float64) for name in columns)
        curves.append(PowerCurve(count(value, noun), *ends))
    at = getattr(plan, over)
    what = "data sets" if domain else "replications per data set"
    notes = ["dot: the design; dashed across: the power wanted"]
    if plan.floor is not None:
        notes.append(f"upright line: no number of replications does with fewer than {plan.floor}")
    if plan.question.bounds is not None:
        notes.append("shaded: what the uncertainty of the pilot leaves (95 %)")
    if plan.question.n_contrasts > 1:
        notes.append(f"of one pair among {count(plan.question.n_contrasts, 'pair')}")
    return PowerCurves(
        across=across,
        curves=tuple(curves),
        design=(at, plan.power),
        wanted=plan.question.power,
        floor=plan.floor if plan.floor is not None and plan.floor <= across[-1] else None,
        title=f"Power to show {shown(plan.question)}",
        axis=f"number of {what}",
        notes=("; ".join(notes),),
        width=width,
        alt=f"Curves of power over the number of {what}; the design has {at:g} and a power of"
        f" {plan.power:.2f} for one pair, {plan.question.power:g} was wanted.",
    )


def draw(laid: PowerCurves, ax: Axes) -> None:
    """Draw the curves into an Axes."""
    ax.set_xlim(0, laid.across[-1] * 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(HAIR)
    ax.grid(axis="y", color=HAIR, lw=0.7)
    ax.set_axisbelow(True)
    room = widest([f"{laid.across[-1]:.0f}"]) + 0.15
    ax.xaxis.set_major_locator(MaxNLocator(min(10, int((laid.width - 0.6) / room)), integer=True))
    ax.tick_params(length=0, labelsize=pt(8.5), labelcolor=FAINT)
    name_axis(ax, laid.axis, laid.width - 0.6)
    ax.axhline(laid.wanted, color=INK, lw=0.9, ls=(0, (4, 2)), zorder=2)
    if laid.floor is not None:
        ax.axvline(laid.floor, color=FAINT, lw=0.9, zorder=2)
    for curve, (colour, dash) in zip(laid.curves, STYLES, strict=False):
        if not np.array_equal(curve.low, curve.high):
            ax.fill_between(laid.across, curve.low, curve.high, color=colour, alpha=0.14, lw=0)
        ax.plot(laid.across, curve.power, color=colour, ls=dash, lw=1.7, label=plain(curve.label))
    ax.plot(*laid.design, "o", color=STYLES[0][0], ms=7, mec="white", mew=1.2, zorder=4)
    ax.legend(loc="lower right", frameon=False, fontsize=pt(8.5), labelcolor=INK, handlelength=3.2)


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    Plan: {
        "power": Kind(
            layout,
            lambda laid: (laid.width, 2.9 + axis_height(laid.axis, laid.width - 0.6)),
            draw,
        ),
    },
}
