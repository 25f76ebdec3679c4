"""Figure of a difference along a covariate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from benchinfer.analyses.subgroups.regions.result import Regions
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.numbers import level_percent
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array
from benchinfer.plots.draw import Kind
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import HAIR, INK, MARKS, PAGE, Width, measure_name, name_axis
from benchinfer.plots.text import pt, versus

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class DifferenceBand(Layout):
    """Layout of the figure."""

    places: Array  # (G,) values of the covariate
    # estimate, low, high: (G,) difference and its band, in the measure's own unit
    estimate: Array
    low: Array
    high: Array
    stretches: tuple[tuple[float, float, Verdict], ...]  # both ends and the verdict of each region
    ticks: Array  # (D,) values of the data sets
    neutral: float  # value of no difference
    log: bool  # whether differences are ratios


def layout(
    result: Regions, width: Width = PAGE, *, pair: tuple[str, str] | None = None
) -> DifferenceBand:
    """Return the layout of the difference of a pair, by default the first, along the covariate."""
    if pair is not None and tuple(pair) not in result.pairs:
        known = ", ".join(map(str, result.pairs))
        raise ArgumentError(f"there are no regions of the pair {pair!r}.", hint=known)
    p = 0 if pair is None else result.pairs.index((pair[0], pair[1]))
    measure = result.measure
    low, high = measure.effect_interval(result.low[p], result.high[p])
    first, second = result.pairs[p]
    side = "above" if measure.better == "higher" else "below"
    what = f"{measure.effect_name} in {measure_name(measure)}"
    kind = "credible" if result.bayesian else "confidence"
    one = "" if len(result.pairs) == 1 else f", for {len(result.pairs)} pairs at once"
    return DifferenceBand(
        places=result.places,
        estimate=measure.effect(result.estimate[p]),
        low=low,
        high=high,
        stretches=tuple((r.low, r.high, r.verdict) for r in result.of_pair(p)),
        ticks=result.values,
        neutral=measure.neutral,
        log=measure.scale != "identity",
        title=versus(first, second, width),
        axis=result.covariate,
        notes=(
            f"{what}, {side} {measure.neutral:g}: {first} is better",
            f"band: {level_percent(result.level)} {kind}, of the whole line{one}; ticks: data sets",
            result.describe(p),
        ),
        width=width,
        alt=f"{measure.effect_name.capitalize()} along {result.covariate}: {result.describe(p)}.",
    )


def draw(laid: DifferenceBand, ax: Axes) -> None:
    """Draw the line, its band and its regions into an Axes."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["bottom", "left"]].set_color(HAIR)
    ax.tick_params(length=0, labelsize=pt(8.5), labelcolor=INK)
    if laid.log:
        ax.set_yscale("log")
    else:
        ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.xaxis.set_major_locator(MaxNLocator(6))
    ax.set_xlim(laid.places[0], laid.places[-1])
    ax.axhline(laid.neutral, color=INK, lw=0.9, zorder=2)
    for low, high, verdict in laid.stretches:
        mark = MARKS[verdict]
        inside = (laid.places >= low) & (laid.places <= high)
        ax.fill_between(laid.places[inside], laid.low[inside], laid.high[inside],
                        color=mark.colour, alpha=0.25, lw=0, zorder=1)  # fmt: skip
        ax.plot(laid.places[inside], laid.estimate[inside], color=mark.ink, lw=1.8, zorder=3)
    for low, _, _ in laid.stretches[1:]:
        ax.axvline(low, color=HAIR, lw=0.9, ls=(0, (4, 2)), zorder=1)
    foot = np.full(len(laid.ticks), 0.03)
    ax.plot(laid.ticks, foot, "|", transform=ax.get_xaxis_transform(), color=INK, ms=9, mew=0.8,
            clip_on=False, zorder=4)  # fmt: skip
    name_axis(ax, laid.axis, laid.width - 0.6)


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    Regions: {"regions": Kind(layout, lambda laid: (laid.width, 2.9), draw)}
}
