"""Distributions of the scores: a panel per algorithm, a thin box per data set."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import LineCollection
from numpy.typing import NDArray

from benchinfer.compare.phrases import count
from benchinfer.plots.forest import ticks
from benchinfer.plots.style import FAINT, HAIR, INK, Width, plain, short, signed, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.compare.evidence import Setting

_COLUMN = 0.86  # of a panel's pitch is used for scores
_BOX = "#0072B2"
_RANGE = "#8DB9D6"


@dataclass(frozen=True, slots=True)
class Panel:
    """The boxes of one algorithm.

    Attributes
    ----------
    label
        Name of the algorithm.
    left, top
        Where the panel begins, in panel widths and rows.
    boxes
        (D, 5) minimum, quartiles and maximum as positions from 0 to 1 across the panel, NaN where
        there is no score.
    """

    label: str
    left: float
    top: float
    boxes: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Distributions:
    """Where everything stands.

    Attributes
    ----------
    panels
        One per algorithm, best first.
    datasets
        Names of the D rows of each panel, from top to bottom.
    middle
        (D,) position of each data set's middle: the median of the algorithms' medians.
    ticks
        Position across a panel and text.
    columns, rows, bands
        Panels side by side, rows of a panel, and how many times panels start on a new line.
    single
        Whether each cell holds one score, so that there is nothing to spread.
    title, note
        Heading, and how to read it.
    alt
        Text alternative.
    """

    panels: tuple[Panel, ...]
    datasets: tuple[str, ...]
    middle: NDArray[np.float64]
    ticks: tuple[tuple[float, str], ...]
    columns: int
    rows: int
    bands: int
    single: bool
    title: str
    note: tuple[str, ...]
    alt: str

    @property
    def pitch(self) -> float:
        """Rows from the top of one band of panels to the next."""
        return self.rows + 3.0


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
    some_d, some_k = np.flatnonzero(found.sum(axis=1)), np.flatnonzero(found.sum(axis=0))
    quantiles = setting.quantiles[np.ix_(some_d, some_k)]
    algorithms = [setting.algorithms[k] for k in some_k]
    in_order = [setting.coverage.datasets[d] for d in some_d]
    low, high = float(np.nanmin(quantiles)), float(np.nanmax(quantiles))
    log = measure.scale == "log" and low > 0
    boxes, middle = _scaled(quantiles, low, high, log=log), np.nanmedian(quantiles[:, :, 2], axis=1)
    rows = np.argsort(measure.sign * middle, kind="stable")
    standing = np.nanmean(boxes[:, :, 2] - _scaled(middle, low, high, log=log)[:, None], axis=0)
    most = 6 if width == "wide" else 2
    columns = min(len(algorithms), most)
    names, datasets = short(algorithms, 18), short(in_order, 22)
    single = bool((found <= 1).all())
    best_first = np.argsort(-measure.sign * standing, kind="stable")
    return Distributions(
        panels=tuple(
            Panel(
                label=names[algorithms[k]],
                left=float(n % columns),
                top=(n // columns) * (len(rows) + 3.0),
                boxes=boxes[rows, k],
            )
            for n, k in enumerate(best_first)
        ),
        datasets=tuple(datasets[in_order[d]] for d in rows),
        middle=_scaled(middle, low, high, log=log)[rows],
        ticks=_ticks(low, high, log=log),
        columns=columns,
        rows=len(rows),
        bands=math.ceil(len(algorithms) / columns),
        single=single,
        title=f"Scores: {next(iter(short([measure.title], 44).values()))},"
        f" {measure.better} is better",
        note=_note(single=single, linear=measure.scale == "log" and not log),
        alt=f"Distributions of the scores of {count(len(algorithms), 'algorithm')} on"
        f" {count(len(rows), 'data set')}, from {signed(float(f'{low:.3g}'))} to"
        f" {signed(float(f'{high:.3g}'))}; {measure.better} is better.",
    )


def _scaled(
    values: NDArray[np.float64], low: float, high: float, *, log: bool
) -> NDArray[np.float64]:
    """Bring scores to positions between 0 and 1."""
    if log:
        values, low, high = np.log(values), math.log(low), math.log(high)
    return (values - low) / (high - low) if high > low else values * 0 + 0.5


def _ticks(low: float, high: float, *, log: bool) -> tuple[tuple[float, str], ...]:
    """Return few round numbers: a panel is narrow."""
    found = ticks(low, high, 4, log=log) if high > low else [low]
    kept = found if len(found) <= 4 else [found[0], found[len(found) // 2], found[-1]]
    at = _scaled(np.array(kept), low, high, log=log)
    return tuple((float(x), signed(value)) for x, value in zip(at, kept, strict=True))


def _note(*, single: bool, linear: bool) -> tuple[str, ...]:
    own = "dot: the score" if single else "line: range; bar: quartiles; dot: median"
    note = (own, "grey tick: middle of all algorithms on that data set")
    return (*note, "linear axis: not all scores are above 0") if linear else note


def size(distributions: Distributions) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    d = distributions
    names = 0.075 * max(map(len, d.datasets), default=0) + 0.3
    pitch = 0.165 if d.rows > 20 else 0.2
    return (max(3.75, names + 1.3 * d.columns), 0.9 + pitch * d.bands * d.pitch)


def draw(distributions: Distributions, ax: "Axes") -> None:
    """Draw the distributions into an Axes."""
    d = distributions
    ax.set_xlim(-0.03, d.columns)
    ax.set_ylim(d.bands * d.pitch - 2.2, -1.6)
    ax.spines[:].set_visible(False)
    ax.set_title(
        plain(wrapped(d.title, 20 * d.columns)),
        loc="left",
        fontsize=10,
        fontweight="bold",
        color=INK,
        pad=8,
    )
    ax.set_xticks([])
    tops = [band * d.pitch for band in range(d.bands)]
    ax.set_yticks(
        [top + row for top in tops for row in range(d.rows)],
        [plain(name) for _ in tops for name in d.datasets],
        fontsize=8.5 if d.rows <= 20 else 7.5,
        color=INK,
    )
    ax.tick_params(axis="y", length=0)
    for panel in d.panels:
        _draw_panel(d, panel, ax)
    ax.set_xlabel(
        "; ".join(d.note) if d.columns > 3 else "\n".join(d.note),
        loc="left",
        fontsize=8,
        color=FAINT,
    )


def _draw_panel(d: Distributions, panel: Panel, ax: "Axes") -> None:
    y = panel.top + np.arange(d.rows)
    bottom = panel.top + d.rows - 0.4
    ax.text(
        panel.left,
        panel.top - 0.75,
        plain(panel.label),
        fontsize=9,
        fontweight="bold",
        color=INK,
        va="bottom",
    )
    for at, text in d.ticks:
        x = panel.left + at * _COLUMN
        ax.plot([x, x], [panel.top - 0.5, bottom], color=HAIR, lw=0.7, zorder=0)
        ax.text(x, bottom + 0.1, text, fontsize=7.5, color=FAINT, ha="center", va="top")
    middle = panel.left + d.middle * _COLUMN
    _lines(ax, [(m, i - 0.42, m, i + 0.42) for m, i in zip(middle, y, strict=True)], FAINT, 1.0)
    held = ~np.isnan(panel.boxes[:, 2])
    x = panel.left + panel.boxes * _COLUMN
    if not d.single:
        _lines(ax, [(x[i, 0], y[i], x[i, 4], y[i]) for i in np.flatnonzero(held)], _RANGE, 1.4)
        _lines(ax, [(x[i, 1], y[i], x[i, 3], y[i]) for i in np.flatnonzero(held)], _BOX, 4.0)
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
    for i in np.flatnonzero(~held):
        ax.text(panel.left, y[i], "no scores", fontsize=7, color=FAINT, va="center", style="italic")


def _lines(
    ax: "Axes", segments: list[tuple[float, float, float, float]], colour: str, lw: float
) -> None:
    ax.add_collection(
        LineCollection(
            [[(x0, y0), (x1, y1)] for x0, y0, x1, y1 in segments],
            colors=colour,
            linewidths=lw,
            zorder=3 if lw > 1 else 2,
        )
    )
