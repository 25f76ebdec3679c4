"""Interaction plot: means at the levels of one factor by those of another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.analyses.factors.comparison import in_units
from benchinfer.analyses.factors.effects import CellEffects, Interaction
from benchinfer.analyses.factors.factors import Factors
from benchinfer.analyses.factors.figures.order import best_first, in_order
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import count, level_percent
from benchinfer.numerics.types import Array, Flags
from benchinfer.plots.curves import STYLES
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import (
    FAINT,
    HAIR,
    INK,
    PAGE,
    Width,
    bare,
    is_wide,
    lines,
    measure_name,
    signed,
    spread_apart,
    ticks,
)
from benchinfer.plots.text import across, fitted, key, plain, pt, widest

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Inches: height of a panel, of the texts above it, room for numbers left of it, largest width of
# names of lines, least distance of two levels, largest height of their names, and largest width of
# a panel of few levels.
_HIGH, _HEAD, _LEFT, _NAMES, _APART, _BELOW, _MOST = 1.7, 0.42, 0.6, 1.2, 0.14, 1.3, 3.6
_SMALL = 7.5  # points of names of levels
_SIDE_BY_SIDE = 8  # levels of each panel, of which two stand side by side
# Of the distance of two levels what marks of neighbouring lines are apart, and those of all lines.
_DODGED, _ALL_DODGED = 0.12, 0.36


@dataclass(frozen=True, slots=True)
class LevelLine:
    """Means at one level of a factor, by the levels of the other one.

    Attributes
    ----------
    label
        The level, as it is written.
    mean, low, high
        (M,) means in the measure's own unit, and the interval of the difference from the first
        line, drawn from that; NaN where there is none.
    decided
        (M,) whether the interval excludes equality with the first line.
    """

    label: str
    mean: Array
    low: Array
    high: Array
    decided: Flags


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionPanel:
    """Two factors: the levels of the one across, and a line for each level of the other one.

    Attributes
    ----------
    at, factor, note
        The factor across, the other one, and whether they interact.
    levels, lines
        Levels across, and those of the other factor, of which the others are differences from the
        first.
    left_out
        How many levels are shown of a factor that has more.
    """

    at: str
    factor: str
    note: str
    levels: tuple[str, ...]
    lines: tuple[LevelLine, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionPlot(Layout):
    """Layout of the figure; all panels have the same scale.

    Attributes
    ----------
    panels
        Pairs of factors, those with the most evidence of an interaction first.
    limits, log
        Least and largest value, and whether the axis is logarithmic.
    factors, names, heads
        Names of factors, of lines, and of levels across, as they are written.
    """

    panels: tuple[InteractionPanel, ...]
    limits: tuple[float, float]
    log: bool
    factors: Mapping[str, str]
    names: Mapping[str, str]
    heads: Mapping[str, str]

    @property
    def rows(self) -> int:
        """Rows of panels."""
        return math.ceil(len(self.panels) / self.columns)

    @property
    def columns(self) -> int:
        """Panels side by side."""
        return _columns(self.panels, self.width)


def _few(panels: Sequence[InteractionPanel]) -> bool:
    """Return whether panels have few levels across."""
    return max(len(panel.levels) for panel in panels) <= _SIDE_BY_SIDE


def _columns(panels: Sequence[InteractionPanel], width: Width) -> int:
    return 2 if _few(panels) and is_wide(width) and len(panels) > 1 else 1


def layout(
    result: Factors,
    width: Width = PAGE,
    *,
    top: int | None = None,
    pair: tuple[str, str] | None = None,
) -> InteractionPlot:
    """Return the layout of the means by two factors, for all pairs of factors or one pair.

    Of a pair that is given the first factor is across; else it is the one with more levels. The
    pairs with the most evidence of an interaction come first.
    """
    names = [*result.levels]
    effects = result._effects()
    chosen: list[tuple[str, str, Interaction]] = []
    for one in sorted(result.pairs_of_factors, key=lambda one: (one.p_omnibus, -_largest(one))):
        f, g = (names[place] for place in one.factors)
        chosen.append((g, f, one) if len(result.levels[f]) < len(result.levels[g]) else (f, g, one))
    if pair is not None:
        chosen = [(*pair, one) for f, g, one in chosen if {f, g} == set(_known(pair, names))]
    names_room = min(_NAMES, 0.3 * width)
    most = max(int((width - _LEFT - 0.25 - names_room) / _APART), 2)
    drawn = [_panel(result, effects, *each, most) for each in chosen[:top]]
    panels = [panel for panel in drawn if panel.lines]
    if not panels:
        raise DesignError("no cell has a mean on any data set, and there is nothing to draw.")
    parts = [np.r_[line.mean, line.low, line.high] for panel in panels for line in panel.lines]
    ends = np.concatenate(parts)
    first = "; ".join(dict.fromkeys(panel.lines[0].label for panel in panels))
    measure, unit = result.measure, in_units(result.setting, "data sets")
    all_ = count(len(chosen), "pair")
    of_lines = fitted({line.label for panel in panels for line in panel.lines}, names_room)
    title_room = (width / _columns(panels, width) - _LEFT - 0.1 - across(" by ", 9, bold=True)) / 2
    factors = fitted(names, title_room, 9, bold=True)
    heads = fitted({level for panel in panels for level in panel.levels}, _BELOW, _SMALL)
    return InteractionPlot(
        panels=tuple(panels),
        limits=(float(np.nanmin(ends)), float(np.nanmax(ends))),
        log=measure.scale == "log",
        factors=factors,
        names=of_lines,
        heads=heads,
        title=f"Interactions: {measure_name(measure)}{measure.unit_mark}, {measure.better} is"
        " better",
        notes=(
            f"means over {unit} and over all cells of the other factors",
            (
                f"bars: intervals of the difference from the line without bars ({first}),"
                f" {level_percent(result.level)} for all differences of a panel; filled: decided"
            ),
            *key({**factors, **of_lines, **heads}),
            *dict.fromkeys(text for panel in panels for text in panel.left_out),
            *((f"{len(panels)} of {all_} of factors",) if len(panels) < len(chosen) else ()),
        ),
        width=width,
        alt=f"Interaction plot of {measure_name(measure)}. "
        + "; ".join(f"{panel.factor} by {panel.at}: {panel.note}" for panel in panels)
        + ".",
    )


def _known(pair: tuple[str, str], names: list[str]) -> tuple[str, str]:
    for name in pair:
        if name not in names:
            raise ArgumentError(unknown("factor", name, names))
    if pair[0] == pair[1]:
        raise ArgumentError(f"{pair[0]} does not interact with itself.")
    return pair


def _largest(one: Interaction) -> float:
    return float(np.abs(one.statistic).max(initial=0.0))


def _panel(
    result: Factors, effects: CellEffects, at: str, factor: str, one: Interaction, most: int
) -> InteractionPanel:
    """Return the panel of the means at levels of a factor by those of another one.

    The first line is of the control, or of the level with the best mean.
    """
    names = [*result.levels]
    f, g = names.index(factor), names.index(at)
    levels, of_at = sorted(result.levels[factor]), sorted(result.levels[at])
    best, best_at = (best_first(effects.levels(place)) for place in (f, g))
    control = result.options.control.get(factor)
    first = best[0] if control is None else levels.index(control)
    shown = [first, *(level for level in best if level != first)][: len(STYLES)]
    columns = [level for level in in_order(of_at, effects.levels(g)) if level in best_at[:most]]
    base = effects.means(f, g)[first][columns]
    pairs, evidence = result._simple(effects, factor, at)
    ends = np.array([evidence.low, evidence.estimate, evidence.high])
    ends = ends.reshape(3, len(of_at), len(pairs))[:, columns]
    drawn = [_line(result, levels[first], base, None)]
    for level in shown[1:]:
        row = next(i for i, both in enumerate(pairs.tolist()) if set(both) == {first, level})
        of_pair = ends[..., row] if pairs[row, 0] == level else -ends[::-1, :, row]
        drawn.append(_line(result, levels[level], base, of_pair))
    return InteractionPanel(
        at=at,
        factor=factor,
        note=_verdict(result, one),
        levels=tuple(of_at[level] for level in columns),
        lines=tuple(line for line in drawn if np.isfinite(line.mean).any()),
        left_out=tuple(
            f"{name}: the best {len(part)} of {len(of)} levels"
            for name, part, of in ((at, columns, of_at), (factor, shown, levels))
            if len(part) < len(of)
        ),
    )


def _verdict(result: Factors, one: Interaction) -> str:
    if not one.n.any():
        return "cells are missing"
    if not one.tested:
        return "not tested"
    return "they interact" if one.p_omnibus <= result.options.alpha else "no interaction is shown"


def _line(result: Factors, label: str, base: Array, ends: Array | None) -> LevelLine:
    """Return a line by the first one, on its scale, and (3, M) differences with intervals."""
    level = result.measure.level_of
    if ends is None:
        nothing = np.full(len(base), np.nan)
        return LevelLine(label, level(base), nothing, nothing, np.ones(len(base), dtype=np.bool_))
    low, middle, high = base + ends
    known = np.isfinite(low) & np.isfinite(high)
    low, high = (level(np.where(known, end, np.nan)) for end in (low, high))
    return LevelLine(label, level(middle), low, high, (ends[0] > 0) | (ends[2] < 0))


def _across(laid: InteractionPlot) -> float:
    """Return the inches that a panel is wide."""
    right = widest([*laid.names.values()]) + 0.25
    room = laid.width / laid.columns - _LEFT - right
    return min(room, _MOST) if _few(laid.panels) else room


def _turned(laid: InteractionPlot, panel: InteractionPanel) -> bool:
    """Return whether the names of levels are turned."""
    heads = [laid.heads[level] for level in panel.levels]
    return widest(heads, _SMALL) > _across(laid) / len(heads) - 0.05


def _below(laid: InteractionPlot, row: int) -> float:
    """Return the inches below a row of panels."""
    panels = laid.panels[row * laid.columns : (row + 1) * laid.columns]
    turned = [level for panel in panels if _turned(laid, panel) for level in panel.levels]
    return max(widest([laid.heads[level] for level in turned], _SMALL), 0.12) + 0.16


def _down(laid: InteractionPlot) -> list[float]:
    """Return the inches from the top to the bottom of each row of panels."""
    return [_HEAD + _HIGH + _below(laid, row) for row in range(laid.rows)]


def size(laid: InteractionPlot) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return laid.width, sum(_down(laid)) + 0.1


def draw(laid: InteractionPlot, ax: Axes) -> None:
    """Draw the panels into an Axes."""
    bare(ax)
    rows, wide = _down(laid), _across(laid)
    high = sum(rows)
    for n, panel in enumerate(laid.panels):
        row, column = divmod(n, laid.columns)
        left = column * laid.width / laid.columns + _LEFT
        bottom = high - sum(rows[:row]) - _HEAD - _HIGH
        inside = ax.inset_axes((left / laid.width, bottom / high, wide / laid.width, _HIGH / high))
        _draw_panel(laid, panel, inside)


def _draw_panel(laid: InteractionPlot, panel: InteractionPanel, ax: Axes) -> None:
    """Draw the lines of two factors with their names at the right."""
    low, high = laid.limits
    if laid.log:
        ax.set_yscale("log")
    pad = 0.06 * (math.log(high / low) if laid.log else high - low) or 0.5
    ends = (low / math.exp(pad), high * math.exp(pad)) if laid.log else (low - pad, high + pad)
    ax.set_ylim(*ends)
    ax.set_xlim(-0.5, len(panel.levels) - 0.5)
    ax.spines[["right", "top"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(HAIR)
    at = ticks(*ends, 5, log=laid.log)
    ax.set_yticks(at, [signed(value) for value in at], fontsize=pt(_SMALL), color=FAINT)
    ax.minorticks_off()
    texts = [plain(laid.heads[level]) for level in panel.levels]
    ax.set_xticks(range(len(texts)), texts, fontsize=pt(_SMALL), color=INK)
    ax.tick_params(axis="x", rotation=90 if _turned(laid, panel) else 0)
    ax.tick_params(length=0)
    lines(ax, [(-0.5, value, len(texts) - 0.5, value) for value in at], HAIR, 0.6, zorder=0)
    k = len(panel.lines)
    for n, (line, style) in enumerate(zip(panel.lines, STYLES, strict=False)):
        offset = min(_DODGED, _ALL_DODGED / k) * (n - (k - 1) / 2)
        _draw_line(line, offset + np.arange(len(texts), dtype=np.float64), style, ax)
    ax.set_title(
        plain(f"{laid.factors[panel.factor]} by {laid.factors[panel.at]}"),
        loc="left",
        fontsize=pt(9),
        fontweight="bold",
        color=INK,
        pad=15,
    )
    ax.text(0, 1.035, plain(panel.note), transform=ax.transAxes, fontsize=pt(_SMALL), color=FAINT)
    _name_lines(laid, panel, ax)


def _draw_line(line: LevelLine, x: Array, style: tuple[str, Any], ax: Axes) -> None:
    colour, dash = style
    ax.plot(x, line.mean, color=colour, ls=dash, lw=1.4, zorder=2)
    bars = [each for each in zip(x, line.low, x, line.high, strict=True) if np.isfinite(each).all()]
    lines(ax, bars, colour, 1.1)
    for filled in (True, False):
        part = line.decided == filled
        face = colour if filled else "white"
        ax.plot(x[part], line.mean[part], "o", ms=4, mfc=face, mec=colour, mew=1.1, zorder=4)


def _name_lines(laid: InteractionPlot, panel: InteractionPanel, ax: Axes) -> None:
    """Write the names of lines at their ends, apart from each other."""
    ends = [
        next((y for y in line.mean[::-1] if np.isfinite(y)), laid.limits[0]) for line in panel.lines
    ]
    log = math.log if laid.log else float
    bottom, top = (log(end) for end in ax.get_ylim())
    inches = np.array([(log(y) - bottom) / (top - bottom) * _HIGH for y in ends])
    for line, y, style in zip(panel.lines, spread_apart(inches, 0.15), STYLES, strict=False):
        ax.text(
            1 + 0.06 / _across(laid),
            y / _HIGH,
            plain(laid.names[line.label]),
            transform=ax.transAxes,
            ha="left",
            va="center",
            fontsize=pt(8.5),
            color=style[0],
        )
