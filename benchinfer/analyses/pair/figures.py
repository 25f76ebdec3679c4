"""Q-Q plot of differences."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.pair.comparison import PairComparison
from benchinfer.comparison.figures import COMPARISON
from benchinfer.core.errors import DesignError, message
from benchinfer.plots.draw import Kind
from benchinfer.plots.style import FAINT, HAIR, INK, PAGE, Width, is_wide, measure_name, signed
from benchinfer.plots.text import plain, pt, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.analyses.pair.diagnostics import Normality


type Array = NDArray[np.float64]
_MOST = 6  # panels
_POINT = "#0072B2"
_SIDE, _EDGE, _HEAD = 1.9, 0.5, 0.5  # inches of a panel, of its labels, and of what is above it


@dataclass(frozen=True, slots=True)
class QuantilePanel:
    """The quantiles of one pair: normal and found, (q,) each, and the text above them."""

    label: str
    note: str
    normal: Array
    found: Array


@dataclass(frozen=True, slots=True)
class QuantileFigure:
    """Layout of the figure.

    Attributes
    ----------
    panels
        One for each pair, six at most.
    reach
        How far the axes go on either side of zero.
    columns
        Panels side by side.
    title, notes
        Heading, and lines below.
    width
        The room that there is.
    alt
        Text alternative.
    """

    panels: tuple[QuantilePanel, ...]
    reach: float
    columns: int
    title: str
    notes: tuple[str, ...]
    width: Width
    alt: str


def layout(pair: "PairComparison", width: Width = PAGE) -> QuantileFigure:
    """Lay out the differences of the pairs of a comparison."""
    rows = [(names, look) for names, look in zip(pair.named_sides(), pair.looks, strict=False)]
    known = [(names, look) for names, look in rows if len(look.found)]
    if not known:
        raise DesignError(
            message(
                "there are no quantiles of differences.",
                hint="they are of algorithms that share replications, and whose differences are"
                " not all the same.",
            )
        )
    shown = known[:_MOST]
    panels = tuple(_panel(*row) for row in shown)
    ends = [np.abs([p.normal, p.found]).max() for p in panels]
    label, name = pair.measure.label or pair.measure.name, measure_name(pair.measure)
    more = f" {len(shown)} of {len(known)} pairs" if len(known) > len(shown) else ""
    said = "; ".join(f"{p.label}: {p.note}" for p in panels)
    return QuantileFigure(
        panels=panels,
        reach=1.08 * max(2.0, *map(float, ends)),
        columns=min(len(panels), 3 if is_wide(width) else 1),
        title=f"Are differences of {name} normal?{more}",
        notes=(),
        width=width,
        alt=f"Quantiles of the differences of {label} against normal ones. {said}.",
    )


def _panel(names: tuple[str, str], look: "Normality") -> QuantilePanel:
    brief = short(list(names), 14)
    note = f"n = {look.n:,}"
    if len(look.p_values):
        p = float(look.p_values[0])
        note += f", {look.tests[0]} p {'< 0.0001' if p < 1e-4 else f'= {p:.4f}'}"
    first, second = (brief[name] for name in names)
    label = f"{first} \N{MINUS SIGN} {second}"
    return QuantilePanel(label, note, look.normal, look.found)


def size(figure: QuantileFigure) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    rows = math.ceil(len(figure.panels) / figure.columns)
    across = figure.columns * (_SIDE + _EDGE) + 0.2
    return max(across, figure.width), rows * (_SIDE + _EDGE + _HEAD)


def draw(figure: QuantileFigure, ax: "Axes") -> None:
    """Draw the panels into an Axes."""
    ax.set_axis_off()
    across, down = size(figure)
    for i, panel in enumerate(figure.panels):
        left = (i % figure.columns) * (_SIDE + _EDGE) + _EDGE
        top = (i // figure.columns) * (_SIDE + _EDGE + _HEAD) + _HEAD
        place = (left / across, 1 - (top + _SIDE) / down, _SIDE / across, _SIDE / down)
        _draw(panel, figure.reach, ax.inset_axes(place), labelled=i % figure.columns == 0)


def _draw(panel: QuantilePanel, reach: float, ax: "Axes", *, labelled: bool) -> None:
    ends = (-reach, reach)
    ax.plot(ends, ends, color=FAINT, lw=0.9, dashes=(4, 3), zorder=1)
    ax.plot(panel.normal, panel.found, "o", ms=3.6, mfc="white", mec=_POINT, mew=1.1, zorder=2)
    ax.set_xlim(*ends)
    ax.set_ylim(*ends)
    ticks = np.arange(-int(reach), int(reach) + 1, 1 if reach < 4 else math.ceil(reach / 4))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(ticks, [signed(float(t)) for t in ticks])
    ax.grid(color=HAIR, lw=0.7)
    ax.set_axisbelow(True)
    ax.spines[["right", "top"]].set_visible(False)
    ax.tick_params(labelsize=pt(8), color=FAINT, labelcolor=INK)
    ax.set_title(plain(panel.label), loc="left", fontsize=pt(8.5), color=INK, pad=14)
    ax.text(0, 1.03, panel.note, transform=ax.transAxes, fontsize=pt(7.5), color=FAINT)
    ax.set_xlabel("normal quantile", fontsize=pt(8), color=INK)
    if labelled:
        ax.set_ylabel("difference / SD, centred", fontsize=pt(8), color=INK)


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    PairComparison: {
        **COMPARISON,
        "quantiles": Kind(layout, size, draw),
    },
}
