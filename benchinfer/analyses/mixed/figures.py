"""Figures of a mixed model: variances, random effects, residuals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from benchinfer.analyses.mixed.comparison import MixedComparison
from benchinfer.analyses.mixed.influence import left_out
from benchinfer.analyses.mixed.numerics.residuals import PROBABILITIES
from benchinfer.analyses.mixed.tables import CaterpillarLayout, caterpillar, source_words
from benchinfer.comparison.figures import COMPARISON, INFLUENCE, PREDICTION
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count, join
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array, Codes
from benchinfer.plots import bars, panels
from benchinfer.plots.bars import Bar, Bars
from benchinfer.plots.draw import Kind, of_part
from benchinfer.plots.layout import Layout
from benchinfer.plots.panels import COLUMN, scaled
from benchinfer.plots.style import (
    FAINT,
    HAIR,
    INK,
    MARKS,
    PAGE,
    Width,
    is_wide,
    lines,
    measure_name,
    signed,
    ticks,
)
from benchinfer.plots.text import across, fitted, pt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from benchinfer.core.measure import Measure


type Place = tuple[float, float, float, float]


_DATASETS = 20  # that a reader can take in
_ALGORITHMS, _FEW = 12, 4  # and in a narrow figure
_MARKS = {1: MARKS[Verdict.FIRST], -1: MARKS[Verdict.SECOND], 0: MARKS[Verdict.UNDECIDED]}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaterpillarPanel(panels.Panel):
    """The departures of one algorithm on D data sets."""

    ends: Array  # (D, 3) lower end, prediction and upper end as positions from 0 to 1
    side: Codes  # (D,) as `CaterpillarLayout.side`


@dataclass(frozen=True, slots=True, kw_only=True)
class Caterpillar(panels.Panels[CaterpillarPanel]):
    """Layout of the figure: largest departures first; `neutral` is no departure."""

    neutral: float


def layout_caterpillar(mixed: MixedComparison, width: Width = PAGE) -> Caterpillar:
    """Return the layout of the caterpillar plot of predicted departures, of many the largest."""
    departures = caterpillar(mixed)
    size, measure = departures.size, departures.measure
    most = _ALGORITHMS if is_wide(width) else _FEW
    rows = np.argsort(-size.max(axis=1), kind="stable")[:_DATASETS]
    shown = np.sort(np.argsort(-size[rows].max(axis=0), kind="stable")[:most])
    ends, side = departures.ends[np.ix_(rows, shown)], departures.side[np.ix_(rows, shown)]
    log = measure.scale != "identity"
    low, high = _range(ends, measure)
    at = scaled(ends, low, high, log=log)
    columns = math.ceil(len(shown) / math.ceil(len(shown) / (6 if is_wide(width) else 2)))
    places = [panels.start(n, columns, len(rows)) for n in range(len(shown))]
    ticks = panels.few_ticks(low, high, log=log)
    return Caterpillar(
        panels=tuple(
            CaterpillarPanel(
                label=departures.owners[k],
                ticks=ticks,
                left=left,
                top=top,
                ends=at[:, n],
                side=side[:, n],
            )
            for n, (k, (left, top)) in enumerate(zip(shown, places, strict=True))
        ),
        labels=tuple(departures.datasets[m] for m in rows),
        columns=columns,
        title=f"Departures of data sets: {measure_name(measure)}, {measure.better} is better",
        notes=_note(departures, len(rows), len(shown)),
        width=width,
        alt=_alt(departures),
        neutral=float(scaled(np.array([measure.neutral]), low, high, log=log)[0]),
    )


def _range(ends: Array, measure: Measure) -> tuple[float, float]:
    low, high = float(ends.min()), float(ends.max())
    return min(low, measure.neutral), max(high, measure.neutral)


def _note(departures: CaterpillarLayout, rows: int, columns: int) -> tuple[str, ...]:
    d, k = departures.size.shape
    parts = [
        text
        for text, some in (
            (f"{rows:,} of {count(d, 'data set')}", rows < d),
            (f"{columns:,} of {count(k, 'algorithm')}", columns < k),
        )
        if some
    ]
    level = f"{100 * departures.level:g} % interval of each alone"
    sides = "\N{BLACK CIRCLE} better, \N{BLACK DIAMOND} worse there, \N{WHITE CIRCLE} neither"
    return (
        f"{departures.measure.effect_name} from {departures.expected}, {level}",
        f"{sides} for certain",
        *([f"those that depart most: {', '.join(parts)}"] if parts else []),
    )


def _alt(departures: CaterpillarLayout) -> str:
    d, k = departures.size.shape
    better, worse = int((departures.side > 0).sum()), int((departures.side < 0).sum())
    low, high = (
        signed(float(f"{end:.3g}"))
        for end in _range(departures.ends[:, :, 1:2], departures.measure)
    )
    who = "" if departures.owners == ("all algorithms",) else f" of {count(k, 'algorithm')}"
    whose = f"{who} on {count(d, 'data set')}, from {low} to {high}"
    return (
        f"Caterpillar plot of the predicted departures{whose} ({departures.measure.effect_name},"
        f" {departures.measure.better} is better): {better} better and {worse} worse than expected,"
        " the others neither for certain."
    )


size_caterpillar = panels.size_panels


def draw_caterpillar(caterpillar: Caterpillar, ax: Axes) -> None:
    """Draw the departures into an Axes."""
    c = caterpillar
    panels.frame(c, ax)
    neutral = [(p.left + c.neutral * COLUMN, p.top - 0.5) for p in c.panels]
    lines(ax, [(x, top, x, top + c.rows + 0.1) for x, top in neutral], INK, 0.9, zorder=2)
    x = np.stack([p.left + p.ends * COLUMN for p in c.panels])
    y = np.stack([p.top + np.arange(c.rows) for p in c.panels])
    side = np.stack([p.side for p in c.panels])
    for sign, mark in _MARKS.items():
        (low, middle, high), rows = x[side == sign].T, y[side == sign]
        lines(ax, np.c_[low, rows, high, rows].tolist(), mark.colour, 1.5)
        fill = mark.colour if mark.filled else "white"
        ax.plot(middle, rows, mark.marker, ms=4, mfc=fill, mec=mark.colour, mew=1.0, zorder=4)


_MOST = 12  # data sets that spread most
_POINT = "#0072B2"


@dataclass(frozen=True, slots=True)
class ResidualFigure(Layout):
    """Layout of the figure.

    Attributes
    ----------
    normal, residual
        (99,) quantiles of the normal distribution and of the residuals in their standard
        deviation; empty where only means of cells are known.
    spreads
        Standard deviations of algorithms and data sets; None where there are no replications.
    """

    normal: Array
    residual: Array
    spreads: Bars | None


def layout_residuals(mixed: MixedComparison, width: Width = PAGE) -> ResidualFigure:
    """Return the layout of the quantiles and standard deviations of a mixed model's residuals."""
    residuals, measure = mixed.fitted.residuals, mixed.measure
    spreads = None if residuals is None else _spreads(mixed, width)
    if residuals is None or not (len(residuals.quantiles) or spreads):
        raise DesignError(
            "residuals of this model are not kept.",
            hint="they are for several data sets, one variance per source, and no covariates or"
            " domains.",
        )
    known = len(residuals.quantiles) > 0
    name = measure_name(measure)
    said = ["Residuals of the model of " + name]
    if known:
        low, high = (signed(float(f"{x:.2g}")) for x in residuals.quantiles[[0, -1]])
        said.append(
            f"their 1 % and 99 % quantiles are {low} and {high} standard deviations, where normal"
            " ones are \N{MINUS SIGN}2.3 and 2.3"
        )
    if spreads is not None:
        said.append(spreads.alt)
    return ResidualFigure(
        normal=ndtri(PROBABILITIES) if known else np.empty(0),
        residual=residuals.quantiles,
        spreads=spreads,
        title=f"Residuals: {name}",
        notes=(),
        width=width,
        alt="; ".join(said) + ".",
    )


def _spreads(mixed: MixedComparison, width: Width) -> Bars | None:
    """Return the layout of the residual standard deviations; None where there are none."""
    residuals, measure = mixed.fitted.residuals, mixed.measure
    if residuals is None:
        return None
    spread, names = residuals.spread, mixed.setting.coverage.datasets
    room = min(1.35, 0.4 * width)
    rows = [*_group("algorithms", mixed.algorithms, spread.algorithm, room)]
    rows += _group("data sets", names, spread.dataset, room)
    if not rows:
        return None
    scale = "" if measure.scale == "identity" else f", {measure.scale} scale"
    said = [row for row in rows if row.value is not None]
    values = [row.value or 0.0 for row in said]
    high, low = said[int(np.argmax(values))], said[int(np.argmin(values))]
    return Bars(
        rows=tuple(rows),
        top=1.05 * max(values) or 1.0,
        title="",
        axis=f"residual standard deviation{scale}",
        notes=(),
        width=width,
        alt=f"standard deviations from {low.said} ({low.label}) to {high.said} ({high.label})",
    )


def _group(title: str, names: Sequence[str], values: Array, room: float) -> list[Bar]:
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return []
    order = [int(i) for i in known[np.argsort(-values[known], kind="stable")][:_MOST]]
    heading = title if len(order) == len(known) else f"{len(order)} of {len(known)} {title}"
    labels = fitted([names[i] for i in order], room)
    return [
        Bar(heading, "", None),
        *(
            Bar(labels[names[i]], signed(float(f"{values[i]:.3g}")), float(values[i]), marker="o")
            for i in order
        ),
    ]


_SIDE, _EDGE = 2.5, 0.6  # inches of the quantile plot, and of text next to an axis


def size_residuals(figure: ResidualFigure) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    wide = is_wide(figure.width)
    if figure.spreads is None:
        return min(figure.width, 3.75), 3.2
    if not len(figure.residual):
        size = bars.size_bars(figure.spreads)
        return size[0], size[1] + 0.2
    down = _rows(figure.spreads) + _EDGE
    return figure.width, 0.1 + (max(_SIDE + _EDGE, down) if wide else _SIDE + 1.6 * _EDGE + down)


def _rows(spreads: Bars) -> float:
    return 0.22 * len(spreads.rows)


def draw_residuals(figure: ResidualFigure, ax: Axes) -> None:
    """Draw residuals into an Axes."""
    both = len(figure.residual) > 0 and figure.spreads is not None
    if both and figure.spreads is not None:
        ax.set_axis_off()
        one, two = _places(figure, figure.spreads)
        _quantiles(figure, ax.inset_axes(one))
        room = two[2] * size_residuals(figure)[0]
        bars.draw_bars(figure.spreads, ax.inset_axes(two), room=room)
    elif figure.spreads is not None:
        bars.draw_bars(figure.spreads, ax)
    else:
        _quantiles(figure, ax)


def _places(figure: ResidualFigure, spreads: Bars) -> tuple[Place, Place]:
    """Return the places of both parts, in shares of the whole."""
    width, down = size_residuals(figure)
    down -= 0.1
    labels = max(across(row.label, bold=row.value is None) for row in spreads.rows) + 0.2
    rows, wide = _rows(spreads), is_wide(figure.width)
    left = labels + (_EDGE + _SIDE if wide else 0.0)
    bottom = down - rows if wide else _EDGE
    return (
        (_EDGE / width, 1 - _SIDE / down, _SIDE / width, _SIDE / down),
        (left / width, bottom / down, (width - left - _EDGE) / width, rows / down),
    )


def _quantiles(figure: ResidualFigure, ax: Axes) -> None:
    ends = np.array([figure.normal, figure.residual])
    low, high = 1.06 * min(-2.5, float(ends.min())), 1.06 * max(2.5, float(ends.max()))
    ax.plot([low, high], [low, high], color=FAINT, lw=0.9, dashes=(4, 3), zorder=1)
    ax.plot(figure.normal, figure.residual, color=_POINT, lw=1.6, zorder=2)
    # Deciles are marked: a mark for each of the 99 says no more.
    ax.plot(
        figure.normal[9::10], figure.residual[9::10], "o", ms=4, mfc="white", mec=_POINT, zorder=3
    )
    ax.set_xlim(-2.6, 2.6)
    ax.set_ylim(low, high)
    ax.set_xticks(ticks(-2.6, 2.6, 6, log=False))
    ax.set_yticks(ticks(low, high, 6, log=False))
    ax.grid(color=HAIR, lw=0.7)
    ax.set_axisbelow(True)
    ax.spines[["right", "top"]].set_visible(False)
    ax.tick_params(labelsize=pt(8.5), color=FAINT, labelcolor=INK)
    ax.set_xlabel("normal quantile", fontsize=pt(8.5), color=INK)
    ax.set_ylabel("residual / SD, up is better", fontsize=pt(8.5), color=INK)


# Scales that scores are modelled on, as the axis names them.
_SCALES = {"identity": "", "log": " of the logarithms", "logit": " of the log odds"}


def layout_variances(mixed: MixedComparison, width: Width = PAGE) -> Bars:
    """Return the layout of the shares of the variance by source."""
    table, measure = mixed.variances(), mixed.measure
    shares = dict(zip(table["source"], table["share"], strict=True))
    rows = [
        Bar(source_words(source), f"{100 * share:.1f} %", max(100 * share, 0.0))
        for source, share in shares.items()
    ]
    name = measure_name(measure)
    return Bars(
        rows=tuple(rows),
        top=100.0,
        title=f"Where the spread comes from: {name}",
        axis=f"share of the variance{_SCALES[measure.scale]} [%]; the shares add up to 100",
        notes=(),
        width=width,
        alt=f"Bars of the shares of variance of {name}:"
        f" {join([f'{row.label} {row.said}' for row in rows])}.",
    )


size_variances, draw_variances = bars.size_bars, bars.draw_bars


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    MixedComparison: {
        **COMPARISON,
        "variances": Kind(layout_variances, size_variances, draw_variances),
        "caterpillar": Kind(layout_caterpillar, size_caterpillar, draw_caterpillar),
        "residuals": Kind(layout_residuals, size_residuals, draw_residuals),
        "influence": of_part(INFLUENCE, lambda mixed: left_out(mixed, "dataset", None)),
        "prediction": of_part(PREDICTION, lambda mixed: mixed.predict()),
    },
}
