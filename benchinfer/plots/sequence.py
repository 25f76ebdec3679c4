"""Confidence sequences: the interval of each pair after each replication, and the tolerance."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FixedLocator, NullLocator
from numpy.typing import NDArray

from benchinfer.compare.wording import margin
from benchinfer.order.relation import Verdict
from benchinfer.plots import grids, watched
from benchinfer.plots.e_process import refuse_stages
from benchinfer.plots.forest import ticks
from benchinfer.plots.grids import Grid, GridPanel
from benchinfer.plots.style import BAND, FAINT, INK, MARKS, Width, measure_name, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.sequential.monitor_comparison import MonitorComparison

type Array = NDArray[np.float64]

_ROOM = 0.7  # of what the last intervals span, for earlier ones that are wider


@dataclass(frozen=True, slots=True, kw_only=True)
class SequencePanel(GridPanel):
    """The confidence sequence of one pair.

    Attributes
    ----------
    verdict
        How the pair stands.
    n, low, high
        (q,) replications, and the ends of the interval in the unit of contrasts.
    estimate
        The difference so far.
    """

    verdict: Verdict
    n: Array
    low: Array
    high: Array
    estimate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequences(Grid[SequencePanel]):
    """All panels.

    Attributes
    ----------
    neutral, tolerance
        The effect of no difference, and both ends of what does not matter (None: there is none).
    most
        The largest number of replications.
    reach
        Ends of the axis of effects.
    log
        Whether effects are ratios.
    """

    neutral: float
    tolerance: tuple[float, float] | None
    most: int
    reach: tuple[float, float]
    log: bool


def layout(result: "MonitorComparison", width: Width = "wide") -> Sequences:
    """Lay out the confidence sequences of the pairs of a monitored experiment.

    Parameters
    ----------
    result
        Of the anytime route.
    width
        Of the figure.

    Raises
    ------
    DesignError
        The experiment is watched by stages, which have none.
    """
    refuse_stages(result)
    measure, shown = result.measure, watched.chosen(result)
    panels = tuple(_panel(result, pair) for pair in shown)
    ends = measure.effect_interval(-measure.margin, measure.margin)
    tolerance = (float(ends[0]), float(ends[1])) if measure.margin > 0 else None
    log = measure.scale != "identity"
    name = measure_name(measure)
    level = f"{100 * result.level:g} %"
    shade = [f"green: differences within {margin(measure)}, which do not matter"]
    return Sequences(
        panels=panels,
        title=f"What the {measure.effect_name} may be: {name}",
        notes=(
            f"band: {level} confidence sequences, valid for all pairs and at all times at once",
            *(shade if tolerance else []),
            *watched.notes(result, shown),
        ),
        x_label="replications",
        y_label=f"{measure.effect_name}, first {'/' if log else 'minus'} second",
        width=width,
        alt=f"Confidence sequences after each replication, in {name}. {grids.described(panels)}.",
        neutral=measure.neutral,
        tolerance=tolerance,
        most=max([2, *(int(p.n.max(initial=0)) for p in panels)]),
        reach=_reach(panels, measure.neutral, tolerance, log=log),
        log=log,
    )


def _panel(result: "MonitorComparison", pair: int) -> SequencePanel:
    n, low, high = watched.path(result, pair, "n", "low", "high")
    low, high = result.measure.effect_interval(low, high)
    first, second = watched.names(result, pair)
    return SequencePanel(
        label=f"{first} vs {second}",
        note=watched.standing(result, pair),
        verdict=Verdict(int(result.codes[pair])),
        n=n,
        low=low,
        high=high,
        estimate=float(result.measure.effect(result.course.estimate[pair])),
    )


def _reach(
    panels: tuple[SequencePanel, ...],
    neutral: float,
    tolerance: tuple[float, float] | None,
    *,
    log: bool,
) -> tuple[float, float]:
    """Return the ends of the axis: the last intervals, and room for the ones before."""
    known = [neutral, *(tolerance or ())]
    for panel in panels:
        known += [panel.estimate, *panel.low[-1:], *panel.high[-1:]]
    values = np.array([v for v in known if np.isfinite(v) and not (log and v <= 0)])
    values = np.log(values) if log else values
    low, high = float(values.min()), float(values.max())
    room = _ROOM * (high - low) or 1.0
    ends = np.array([low - room, high + room])
    ends = np.exp(ends) if log else ends
    return float(ends[0]), float(ends[1])


size = grids.size


def draw(sequences: Sequences, ax: "Axes") -> None:
    """Draw the panels into an Axes."""
    s = sequences
    for panel, inside in zip(s.panels, grids.places(s, ax), strict=True):
        inside.set_xlim(0, s.most * 1.04)
        if s.log:
            inside.set_yscale("log")
        inside.set_ylim(*s.reach)
        at = ticks(*s.reach, 5, log=s.log)
        inside.yaxis.set_major_locator(FixedLocator(at))
        inside.yaxis.set_minor_locator(NullLocator())
        inside.set_yticklabels([signed(t) for t in at])
        inside.locator_params(axis="x", nbins=4, integer=True)
        _draw(panel, s, inside)


def _draw(panel: SequencePanel, s: Sequences, ax: "Axes") -> None:
    if s.tolerance:
        ax.axhspan(*s.tolerance, color=BAND, lw=0, zorder=0)
    ax.axhline(s.neutral, color=FAINT, lw=0.9, ls=(0, (4, 3)), zorder=1)
    if not len(panel.n):
        return
    mark = MARKS[panel.verdict]
    low, high = (np.clip(ends, *s.reach) for ends in (panel.low, panel.high))
    ax.fill_between(panel.n, low, high, step="post", color=mark.colour, alpha=0.18, lw=0, zorder=2)
    for ends in (panel.low, panel.high):
        ax.step(panel.n, ends, where="post", color=mark.ink, lw=1.2, zorder=3)
    face = mark.colour if mark.filled else "white"
    ax.plot(panel.n[-1], panel.estimate, "o", ms=6, mfc=face, mec=INK, mew=0.9, zorder=4)
