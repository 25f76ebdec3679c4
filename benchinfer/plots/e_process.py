"""E-processes: the capital of a bet on each pair after each replication, on a logarithmic axis."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import DesignError, message
from benchinfer.order.relation import Verdict
from benchinfer.plots import grids, watched
from benchinfer.plots.grids import Grid, GridPanel
from benchinfer.plots.style import FAINT, HAIR, INK, MARKS, Width, measure_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.sequential.monitor_comparison import MonitorComparison

type Array = NDArray[np.float64]

_LOW = -2.5  # powers of ten: whether a bet has lost more than that is of no interest
_HIGH = 8.0  # powers of ten beyond what decides: nor how much it has won
_ROOM = 0.4  # above the highest point
_MOST_LINES = 20  # data sets


@dataclass(frozen=True, slots=True, kw_only=True)
class CapitalPanel(GridPanel):
    """The capital of one pair.

    Attributes
    ----------
    verdict
        How the pair stands.
    n, log10_e
        (q,) replications, and the capital as a power of ten.
    each
        The same of each data set, if there are several.
    """

    verdict: Verdict
    n: Array
    log10_e: Array
    each: tuple[tuple[Array, Array], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capitals(Grid[CapitalPanel]):
    """All panels.

    Attributes
    ----------
    limits
        1 over the levels of the first and of the last of Holm's steps; the same of one pair.
    most
        The largest number of replications.
    reach
        Powers of ten at the ends of the axis.
    """

    limits: tuple[float, float]
    most: int
    reach: tuple[float, float]


def layout(result: "MonitorComparison", width: Width = "wide") -> Capitals:
    """Lay out the e-processes of the pairs of a monitored experiment.

    Parameters
    ----------
    result
        Of the anytime route.
    width
        Of the figure.

    Raises
    ------
    DesignError
        The experiment is watched by stages.
    """
    refuse_stages(result)
    design, shown = result.design, watched.chosen(result)
    panels = tuple(_panel(result, pair) for pair in shown)
    limits = (1 / design.alpha_pair, 1 / design.alpha)
    top = max([math.log10(limits[0]), *(float(p.log10_e.max(initial=0.0)) for p in panels)])
    highest = min(top, math.log10(limits[0]) + _HIGH)
    low = min([-0.5, *(float(p.log10_e.min(initial=0.0)) for p in panels)])
    name = measure_name(result.measure)
    return Capitals(
        panels=panels,
        title=f"Evidence of a difference: {name}",
        notes=(
            *_notes(result, limits),
            *(["triangle: beyond the axis"] if top > highest else []),
            *watched.notes(result, shown),
        ),
        x_label="replications",
        y_label="e-value",
        width=width,
        alt=f"E-values after each replication, in {name}. {grids.described(panels)}.",
        limits=limits,
        most=max([2, *(int(p.n.max(initial=0)) for p in panels)]),
        reach=(max(low, _LOW) - 0.15, highest + _ROOM),
    )


def refuse_stages(result: "MonitorComparison") -> None:
    """Refuse an experiment that is watched by stages.

    Raises
    ------
    DesignError
        It names the figure of these.
    """
    if result.design.method != "anytime":
        raise DesignError(
            message(
                "there are no e-processes and confidence sequences where an experiment is watched"
                " by stages.",
                hint='"path" is the figure of stages; method="anytime" has e-processes.',
            )
        )


def _panel(result: "MonitorComparison", pair: int) -> CapitalPanel:
    n, log_e = watched.path(result, pair, "n", "log_e")
    each = result.course.path_each
    first, second = watched.names(result, pair)
    parts: list[tuple[Array, Array]] = []
    if each:
        own = each["pair"] == pair
        for d in np.unique(each["dataset"][own])[:_MOST_LINES]:
            at = own & (each["dataset"] == d)
            parts.append((each["n"][at].astype(float), each["log_e_dataset"][at] / math.log(10)))
    return CapitalPanel(
        label=f"{first} vs {second}",
        note=watched.standing(result, pair),
        verdict=Verdict(int(result.codes[pair])),
        n=n,
        log10_e=log_e / math.log(10),
        each=tuple(parts),
    )


def _notes(result: "MonitorComparison", limits: tuple[float, float]) -> list[str]:
    many, d = result.design.n_pairs, len(result.setting.coverage.datasets)
    found = [f"dashed: at {limits[1]:.4g} the pair is decided, whenever one looks"]
    if many > 1:
        first, last = (f"{limit:.4g}" for limit in limits)
        whose = "" if result.design.n_measures == 1 else " of all measures"
        step = f"dotted: at {last} it is, once all other pairs{whose} are (Holm's steps)"
        found = [f"dashed: at {first} a pair is decided, whenever one looks; {step}"]
    if d > 1:
        more = f", {_MOST_LINES} of {d}" if d > _MOST_LINES else ""
        found.append(f"faint: data sets by themselves, whose evidence multiplies{more}")
    return found


size = grids.size


def draw(capitals: Capitals, ax: "Axes") -> None:
    """Draw the panels into an Axes."""
    low, high = capitals.reach
    step = max(1, math.ceil((high - low) / 6))
    ticks = [t for t in range(math.ceil(low), math.floor(high) + 1) if t % step == 0]
    for panel, inside in zip(capitals.panels, grids.places(capitals, ax), strict=True):
        inside.set_xlim(0, capitals.most * 1.04)
        inside.set_ylim(low, high)
        inside.set_yticks(ticks, [grids.power_of_ten(t) for t in ticks])
        inside.locator_params(axis="x", nbins=4, integer=True)
        _draw(panel, capitals, inside)


def _draw(panel: CapitalPanel, capitals: Capitals, ax: "Axes") -> None:
    low, top = capitals.reach[0], capitals.reach[1] - _ROOM
    ax.axhline(0, color=HAIR, lw=0.8, zorder=1)
    dashes = ("--", ":") if capitals.limits[0] > capitals.limits[1] else ("--",)
    for limit, dash in zip(capitals.limits, dashes, strict=False):
        ax.axhline(math.log10(limit), color=INK, lw=1.0, ls=dash, zorder=2)
    for n, log10_e in panel.each:
        ax.plot(n, np.clip(log10_e, low, top), "-", color=FAINT, lw=0.6, alpha=0.6, zorder=2)
    if not len(panel.n):
        return
    mark = MARKS[panel.verdict]
    beyond = bool(panel.log10_e[-1] > top)
    shown = np.clip(panel.log10_e, low, top)
    ax.plot(panel.n, shown, "-", color=mark.ink, lw=1.5, zorder=3)
    face, end = mark.colour if mark.filled else "white", "^" if beyond else "o"
    ax.plot(panel.n[-1], shown[-1], end, ms=6, mfc=face, mec=INK, mew=0.9, zorder=4)
