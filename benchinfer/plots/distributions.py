"""Distributions of the scores: a panel per algorithm, a thin box per data set."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.phrases import count
from benchinfer.errors import DesignError, message
from benchinfer.plots import panels
from benchinfer.plots.panels import COLUMN, scaled
from benchinfer.plots.style import FAINT, Width, lines, short, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.compare.evidence import Setting

_BOX = "#0072B2"
_RANGE = "#8DB9D6"


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel(panels.Panel):
    """The boxes of one algorithm.

    Attributes
    ----------
    boxes
        (D, 5) minimum, quartiles and maximum as positions from 0 to 1 across the panel, NaN where
        there is no score.
    """

    boxes: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Distributions(panels.Panels[Panel]):
    """Where everything stands: panels from the best algorithm on.

    Attributes
    ----------
    middle
        (D,) position of each data set's middle: the median of the algorithms' medians.
    single
        Whether each cell holds one score, so that there is nothing to spread.
    """

    middle: NDArray[np.float64]
    single: bool


def layout(setting: "Setting", width: Width = "wide") -> Distributions:
    """Lay out the distributions of the scores that were compared.

    Parameters
    ----------
    setting
        What was compared; its quantiles are drawn.
    width
        ``"narrow"`` sets fewer panels side by side.
    """
    measure, found = setting.measure, setting.coverage.found
    if np.isnan(setting.quantiles).all():
        raise DesignError(
            message("published effects come without scores.", hint="plot a comparison of scores.")
        )
    some_d, some_k = np.flatnonzero(found.sum(axis=1)), np.flatnonzero(found.sum(axis=0))
    quantiles = setting.quantiles[np.ix_(some_d, some_k)]
    algorithms = [setting.algorithms[k] for k in some_k]
    in_order = [setting.coverage.datasets[d] for d in some_d]
    low, high = float(np.nanmin(quantiles)), float(np.nanmax(quantiles))
    log = measure.scale == "log" and low > 0
    boxes, middle = scaled(quantiles, low, high, log=log), np.nanmedian(quantiles[:, :, 2], axis=1)
    rows = np.argsort(measure.sign * middle, kind="stable")
    standing = np.nanmean(boxes[:, :, 2] - scaled(middle, low, high, log=log)[:, None], axis=0)
    columns = min(len(algorithms), 6 if width == "wide" else 2)
    names, datasets = short(algorithms, 18), short(in_order, 22)
    single = bool((found <= 1).all())
    best_first = np.argsort(-measure.sign * standing, kind="stable")
    places = [panels.start(n, columns, len(rows)) for n in range(len(algorithms))]
    return Distributions(
        panels=tuple(
            Panel(label=names[algorithms[k]], left=left, top=top, boxes=boxes[rows, k])
            for k, (left, top) in zip(best_first, places, strict=True)
        ),
        datasets=tuple(datasets[in_order[d]] for d in rows),
        middle=scaled(middle, low, high, log=log)[rows],
        ticks=panels.few_ticks(low, high, log=log),
        columns=columns,
        single=single,
        title=f"Scores: {next(iter(short([measure.title], 44).values()))},"
        f" {measure.better} is better",
        note=_note(single=single, linear=measure.scale == "log" and not log),
        alt=f"Distributions of the scores of {count(len(algorithms), 'algorithm')} on"
        f" {count(len(rows), 'data set')}, from {signed(float(f'{low:.3g}'))} to"
        f" {signed(float(f'{high:.3g}'))}; {measure.better} is better.",
    )


def _note(*, single: bool, linear: bool) -> tuple[str, ...]:
    own = "dot: the score" if single else "line: range; bar: quartiles; dot: median"
    note = (own, "grey tick: middle of all algorithms on that data set")
    return (*note, "linear axis: not all scores are above 0") if linear else note


size = panels.size


def draw(distributions: Distributions, ax: "Axes") -> None:
    """Draw the distributions into an Axes."""
    panels.frame(distributions, ax)
    for panel in distributions.panels:
        _draw_panel(distributions, panel, ax)


def _draw_panel(d: Distributions, panel: Panel, ax: "Axes") -> None:
    y = panel.top + np.arange(d.rows)
    middle = panel.left + d.middle * COLUMN
    lines(
        ax,
        [(m, i - 0.42, m, i + 0.42) for m, i in zip(middle, y, strict=True)],
        FAINT,
        1.0,
        zorder=2,
    )
    held = ~np.isnan(panel.boxes[:, 2])
    x = panel.left + panel.boxes * COLUMN
    if not d.single:
        lines(ax, [(x[i, 0], y[i], x[i, 4], y[i]) for i in np.flatnonzero(held)], _RANGE, 1.4)
        lines(ax, [(x[i, 1], y[i], x[i, 3], y[i]) for i in np.flatnonzero(held)], _BOX, 4.0)
    ax.plot(
        x[held, 2],
        y[held],
        "o",
        ms=3.2 if not d.single else 4.5,
        mfc="white" if not d.single else _BOX,
        mec=_BOX,
        mew=0.9,
        zorder=4,
    )
    panels.absent(panel, np.flatnonzero(~held).tolist(), ax)
