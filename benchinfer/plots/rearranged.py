"""Consecutive significance: p-values of growing samples, and what other orders would have shown."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.phrases import count
from benchinfer.order.relation import Verdict
from benchinfer.plots import grids
from benchinfer.plots.grids import Grid, GridPanel
from benchinfer.plots.style import FAINT, INK, MARKS, Width, measure_name, short
from benchinfer.plots.watched import MOST

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.sequential.consecutive import Orders
    from benchinfer.sequential.rearranged import Consecutive

type Array = NDArray[np.float64]

_LOWEST = 1e-6  # of the axis: smaller p-values all say the same
_BLUE = MARKS[Verdict.FIRST].colour


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPanel(GridPanel):
    """The p-values of one pair.

    Attributes
    ----------
    n, p
        (q,) replications, and p-values in the order as it is.
    low, middle, high
        (q,) quartiles over random orders.
    point
        Point of consecutive significance, infinite where there is none.
    """

    n: Array
    p: Array
    low: Array
    middle: Array
    high: Array
    point: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFigure(Grid[OrderPanel]):
    """All panels.

    Attributes
    ----------
    alpha
        The level.
    lowest
        Lower end of the axis of p-values.
    most
        The largest number of replications.
    """

    alpha: float
    lowest: float
    most: int


def layout(found: "Consecutive", width: Width = "wide") -> OrderFigure:
    """Lay out the p-values of the pairs.

    Parameters
    ----------
    found
        What random orders lead to.
    width
        Of the figure.
    """
    # First the pairs whose decision owes most to the order.
    doubt = [-min(max(one.first, one.second), 1 - one.first - one.second) for one in found.orders]
    shown = [int(i) for i in np.argsort(doubt, kind="stable")[:MOST]]
    panels = tuple(_panel(found.sides[i], found.orders[i]) for i in shown)
    name = measure_name(found.measure)
    many = len(found.sides)
    over = count(found.permutations, "random order")
    below = f"dashed: {found.alpha:g}; triangle: from here on it stays below"
    notes = [
        "line: p-value of a plain test so far, not adjusted for the looks: it decides nothing",
        f"shade: its quartiles and median over {over}; {below}",
    ]
    if len(shown) < many:
        notes.append(
            f"{len(shown)} of {count(many, 'pair')}: those whose decision owes most to the order"
        )
    smallest = min(float(min(p.p.min(), p.low.min())) for p in panels)
    return OrderFigure(
        panels=panels,
        title=f"What is owed to the order of replications: {name}",
        notes=tuple(notes),
        x_label="replications",
        y_label="p-value",
        width=width,
        alt=f"P-values of growing numbers of replications, and their spread over random orders, in"
        f" {name}. {grids.described(panels)}.",
        alpha=found.alpha,
        lowest=max(_LOWEST, min(smallest, found.alpha / 3)) / 1.5,
        most=max(2, *(one.n for one in found.orders)),
    )


def _panel(sides: tuple[str, str], one: "Orders") -> OrderPanel:
    brief = short(list(sides), 14)
    first, second = (brief[name] for name in sides)
    shares = [(first, one.first), (second, one.second)]
    better = [f"{name} better in {100 * share:.0f} %" for name, share in shares if share > 0]
    found = "; ".join(better)
    return OrderPanel(
        label=f"{first} vs {second}",
        note=f"{found} of orders" if better else "no difference found in any order",
        n=one.at.astype(float),
        p=one.p,
        low=one.band[0],
        middle=one.band[1],
        high=one.band[2],
        point=one.point,
    )


size = grids.size


def draw(figure: OrderFigure, ax: "Axes") -> None:
    """Draw the panels into an Axes."""
    low = math.floor(math.log10(figure.lowest))
    powers = range(0, low - 1, -2 if low < -4 else -1)
    for panel, inside in zip(figure.panels, grids.places(figure, ax), strict=True):
        inside.set_xlim(0, figure.most * 1.04)
        inside.set_yscale("log")
        inside.set_ylim(figure.lowest, 1.3)
        inside.set_yticks([10.0**k for k in powers], [grids.power_of_ten(k) for k in powers])
        inside.set_yticks([], minor=True)
        inside.locator_params(axis="x", nbins=4, integer=True)
        _draw(panel, figure, inside)


def _draw(panel: OrderPanel, figure: OrderFigure, ax: "Axes") -> None:
    low, middle, high, p = (
        np.maximum(values, figure.lowest)
        for values in (panel.low, panel.middle, panel.high, panel.p)
    )
    ax.fill_between(panel.n, low, high, color=_BLUE, alpha=0.16, lw=0, zorder=1)
    ax.plot(panel.n, middle, "-", color=_BLUE, lw=0.9, alpha=0.8, zorder=2)
    ax.axhline(figure.alpha, color=FAINT, lw=0.9, ls=(0, (4, 3)), zorder=2)
    ax.plot(panel.n, p, "-", color=INK, lw=1.2, zorder=3)
    if math.isfinite(panel.point):
        ax.plot(panel.point, figure.alpha, "v", ms=7, mfc="white", mec=INK, mew=1.0, zorder=4)
