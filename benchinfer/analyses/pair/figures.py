"""Q-Q plot of differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.pair.comparison import PairComparison
from benchinfer.comparison.figures import COMPARISON
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import p_clause
from benchinfer.numerics.types import Array
from benchinfer.plots import panels
from benchinfer.plots.draw import Kind
from benchinfer.plots.style import FAINT, HAIR, PAGE, Width, is_wide, measure_name, signed
from benchinfer.plots.text import across, fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.analyses.pair.diagnostics import Normality


_MOST, _FEW = 6, 3  # panels, and those of a narrow figure
_POINT = "#0072B2"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantilePanel(panels.GridPanel):
    """The quantiles of one pair: normal and observed, (q,) each."""

    normal: Array
    observed: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileFigure(panels.PanelGrid[QuantilePanel]):
    """Layout of the figure: a panel for each pair, and how far axes go on either side of zero."""

    reach: float


def layout(
    pair: PairComparison,
    width: Width = PAGE,
    *,
    algorithms: Sequence[str] | None = None,
) -> QuantileFigure:
    """Return the layout of the normal Q-Q plots of the differences, one panel for each pair."""
    if strange := [name for name in algorithms or () if name not in pair.algorithms]:
        raise ArgumentError(unknown("algorithm", strange[0], pair.algorithms))
    rows = [(names, look) for names, look in zip(pair.pairs.sides, pair.looks, strict=False)]
    known = [
        (names, look)
        for names, look in rows
        if len(look.observed) and (algorithms is None or {*names} <= {*algorithms})
    ]
    if not known:
        raise DesignError(
            "there are no quantiles of differences.",
            hint="they are of algorithms that share replications, and whose differences are"
            " not all the same.",
        )
    shown = tuple(_panel(*row, width) for row in known[: _MOST if is_wide(width) else _FEW])
    ends = [np.abs([p.normal, p.observed]).max() for p in shown]
    label = pair.measure.noun
    more = f"{len(shown):,} of {len(known):,} pairs; other algorithms can be chosen"
    said = "; ".join(f"{p.label}: {p.note}" for p in shown)
    return QuantileFigure(
        panels=shown,
        reach=1.08 * max(2.0, *map(float, ends)),
        x_label="normal quantile",
        y_label="difference / SD, centred",
        title=f"Are differences of {measure_name(pair.measure)} normal?",
        notes=(more,) if len(known) > len(shown) else (),
        width=width,
        alt=f"Quantiles of the differences of {label} against normal ones. {said}.",
    )


def _panel(names: tuple[str, str], look: Normality, width: Width) -> QuantilePanel:
    note = f"n = {look.n:,}"
    if len(look.p_values):
        note += f", {look.tests[0]} {p_clause(float(look.p_values[0]))}"
    minus = " \N{MINUS SIGN} "
    room = 1.7 if is_wide(width) else width - 0.9
    brief = fitted(names, (room - across(minus, 9, bold=True)) / 2, 9, bold=True)
    return QuantilePanel(
        label=minus.join(brief[name] for name in names),
        note=note,
        normal=look.normal,
        observed=look.observed,
    )


size = panels.size_grids


def draw(figure: QuantileFigure, ax: Axes) -> None:
    """Draw the panels into an Axes."""
    reach = figure.reach
    ends = (-reach, reach)
    ticks = np.arange(-int(reach), int(reach) + 1, 1 if reach < 4 else math.ceil(reach / 4))
    for panel, inside in zip(figure.panels, panels.places(figure, ax), strict=True):
        inside.plot(ends, ends, color=FAINT, lw=0.9, dashes=(4, 3), zorder=1)
        inside.plot(
            panel.normal, panel.observed, "o", ms=3.6, mfc="white", mec=_POINT, mew=1.1, zorder=2
        )
        inside.set_xlim(*ends)
        inside.set_ylim(*ends)
        for axis in (inside.xaxis, inside.yaxis):
            axis.set_ticks(ticks, [signed(float(t)) for t in ticks])
        inside.grid(color=HAIR, lw=0.7)


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    PairComparison: {
        **COMPARISON,
        "quantiles": Kind(layout, size, draw),
    },
}
