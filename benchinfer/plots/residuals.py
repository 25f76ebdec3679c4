"""Residuals: their quantiles against the normal ones, and where they spread more."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from benchinfer.errors import DesignError, message
from benchinfer.numerics.residuals import PROBABILITIES
from benchinfer.plots import bars
from benchinfer.plots.bars import Bar, Bars
from benchinfer.plots.style import (
    FAINT,
    HAIR,
    INK,
    Width,
    measure_name,
    plain,
    short,
    signed,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from benchinfer.compare.mixed_comparison import MixedComparison

type Array = NDArray[np.float64]

_MOST = 12  # data sets that spread most
_POINT = "#0072B2"


@dataclass(frozen=True, slots=True)
class ResidualFigure:
    """Where everything stands.

    Attributes
    ----------
    normal, found
        (99,) quantiles of the normal distribution and of the residuals in their standard
        deviation; empty where only means of cells are known.
    spreads
        Standard deviations of algorithms and data sets; None where there are no replications.
    title, axis
        Heading, and what the quantiles are.
    width
        ``"wide"`` sets both side by side, ``"narrow"`` one above the other.
    alt
        Text alternative.
    """

    normal: Array
    found: Array
    spreads: Bars | None
    title: str
    axis: tuple[str, str]
    width: Width
    alt: str


def layout(mixed: "MixedComparison", width: Width = "wide") -> ResidualFigure:
    """Lay out the residuals of a mixed model.

    Parameters
    ----------
    mixed
        A comparison across data sets.
    width
        Of the figure.

    Raises
    ------
    DesignError
        Residuals are not known.
    """
    residuals, measure = mixed.fitted.residuals, mixed.measure
    spreads = None if residuals is None else _spreads(mixed, width)
    if residuals is None or not (len(residuals.quantiles) or spreads):
        raise DesignError(
            message(
                "residuals of this model are not kept.",
                hint="they are for several data sets, one variance per source, and no covariates or"
                " domains.",
            )
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
        found=residuals.quantiles,
        spreads=spreads,
        title=f"Residuals: {name}",
        axis=("normal quantile", "residual / SD, up is better"),
        width=width,
        alt="; ".join(said) + ".",
    )


def _spreads(mixed: "MixedComparison", width: Width) -> Bars | None:
    """Lay out the standard deviations that are known."""
    residuals, measure = mixed.fitted.residuals, mixed.measure
    if residuals is None:
        return None
    spread, names = residuals.spread, mixed.setting.coverage.datasets
    rows = [*_group("algorithms", mixed.algorithms, spread.algorithm)]
    rows += _group("data sets", names, spread.dataset)
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


def _group(title: str, names: "Sequence[str]", values: Array) -> list[Bar]:
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return []
    order = [int(i) for i in known[np.argsort(-values[known], kind="stable")][:_MOST]]
    heading = title if len(order) == len(known) else f"{len(order)} of {len(known)} {title}"
    labels = short([names[i] for i in order], 18)
    return [
        Bar(heading, "", None),
        *(
            Bar(labels[names[i]], signed(float(f"{values[i]:.3g}")), float(values[i]), marker="o")
            for i in order
        ),
    ]


_SIDE, _EDGE = 2.5, 0.6  # inches of the quantile plot, and of what is written beside an axis


def size(figure: ResidualFigure) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    wide = figure.width == "wide"
    if figure.spreads is None:
        return 3.75, 3.6
    if not len(figure.found):
        across, down = bars.size(figure.spreads)
        return across, down + 0.2
    down = _rows(figure.spreads) + _EDGE
    across = 6.9 if wide else 3.75
    return across, 0.4 + (max(_SIDE + _EDGE, down) if wide else _SIDE + 1.6 * _EDGE + down)


def _rows(spreads: Bars) -> float:
    return 0.22 * len(spreads.rows)


def draw(figure: ResidualFigure, ax: "Axes") -> None:
    """Draw residuals into an Axes."""
    both = len(figure.found) > 0 and figure.spreads is not None
    if both and figure.spreads is not None:
        ax.set_axis_off()
        one, two = _places(figure, figure.spreads)
        _quantiles(figure, ax.inset_axes(one))
        bars.draw(figure.spreads, ax.inset_axes(two), beside=True)
    elif figure.spreads is not None:
        bars.draw(figure.spreads, ax)
    else:
        _quantiles(figure, ax)
    title = plain(wrapped(figure.title, 70 if figure.width == "wide" else 40))
    ax.set_title(title, loc="left", fontsize=10, fontweight="bold", color=INK, pad=8)


type Place = tuple[float, float, float, float]


def _places(figure: ResidualFigure, spreads: Bars) -> tuple[Place, Place]:
    """Return the places of both parts, in shares of the whole."""
    across, down = size(figure)
    down -= 0.4
    labels = 0.075 * max(len(row.label) for row in spreads.rows) + 0.15
    rows, wide = _rows(spreads), figure.width == "wide"
    left = labels + (_EDGE + _SIDE if wide else 0.0)
    bottom = down - rows if wide else _EDGE
    return (
        (_EDGE / across, 1 - _SIDE / down, _SIDE / across, _SIDE / down),
        (left / across, bottom / down, (across - left - _EDGE) / across, rows / down),
    )


def _quantiles(figure: ResidualFigure, ax: "Axes") -> None:
    ends = np.array([figure.normal, figure.found])
    low, high = 1.06 * min(-2.5, float(ends.min())), 1.06 * max(2.5, float(ends.max()))
    ax.plot([low, high], [low, high], color=FAINT, lw=0.9, dashes=(4, 3), zorder=1)
    ax.plot(figure.normal, figure.found, color=_POINT, lw=1.6, zorder=2)
    # Deciles are marked: a mark for each of the 99 says no more.
    ax.plot(figure.normal[9::10], figure.found[9::10], "o", ms=4, mfc="white", mec=_POINT, zorder=3)
    ax.set_xlim(-2.6, 2.6)
    ax.set_ylim(low, high)
    ax.grid(color=HAIR, lw=0.7)
    ax.set_axisbelow(True)
    ax.spines[["right", "top"]].set_visible(False)
    ax.tick_params(labelsize=8.5, color=FAINT, labelcolor=INK)
    ax.set_xlabel(figure.axis[0], fontsize=8.5, color=INK)
    ax.set_ylabel(figure.axis[1], fontsize=8.5, color=INK)
