"""Figure of a Pareto front: two measures on the axes, and what is shown of dominance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from benchinfer.analyses.pareto.front import Pareto, dominates
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import count, join, level_percent
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array
from benchinfer.plots import bars
from benchinfer.plots.draw import Kind
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import (
    FAINT,
    HAIR,
    INK,
    MARKS,
    PAGE,
    Text,
    Width,
    dodge,
    keyed,
    measure_name,
    signed,
)
from benchinfer.plots.text import axis_height, fitted, key, plain, pt, widest, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.core.measure import Measure


_TALL, _LEFT, _RIGHT = 3.6, 0.85, 0.2  # inches of the plane's height, and beside it
_NAMED = 15  # algorithms that are all named; of more, those that may be on the front
_KEYED = 20  # largest number of names
_BETTER = "better"
_CORNER = 0.16  # inches from the corner to the word in it
# Marks of what is on the front of the means, of what is not decided, and of what is off the front.
_ON, _OPEN, _OFF = Verdict.FIRST, Verdict.UNDECIDED, Verdict.SECOND


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPlot(Layout):
    """Layout of the figure.

    Attributes
    ----------
    points
        (K, 2) means on the two measures, in their own units.
    verdicts
        Of each algorithm: ``FIRST`` where no other dominates it by means, ``UNDECIDED`` where one
        does and that is not shown, ``SECOND`` where it is shown to be dominated.
    step
        (S, 2) corners of the front of the means; empty where there are more than two measures.
    texts
        Name or number of each algorithm, placed in inches from the lower left corner of the plane;
        empty where there is none.
    limits, logs
        Ends of both axes, and whether they are logarithmic.
    names
        Names of the axes, across and up.
    best
        The corner that is better on both: 0 or 1 across, and 0 or 1 up.
    plane
        Inches across and up.
    """

    points: Array
    verdicts: tuple[Verdict, ...]
    step: Array
    texts: tuple[Text, ...]
    limits: tuple[tuple[float, float], tuple[float, float]]
    logs: tuple[bool, bool]
    names: tuple[str, str]
    best: tuple[int, int]
    plane: tuple[float, float]


def layout(
    front: Pareto,
    width: Width = PAGE,
    *,
    pair: tuple[str, str] | None = None,
    highlight: Sequence[str] = (),
) -> FrontPlot:
    """Return the layout of the algorithms in the plane of two measures.

    Raises
    ------
    DesignError
        There are more than two measures, and no two of them are chosen.
    """
    shown = _chosen(front, pair)
    first, second = (front.measures[m] for m in shown)
    points = np.column_stack([front.measures[m].level_of(front.levels[:, m]) for m in shown])
    verdicts = _verdicts(front)
    plane = width - _LEFT - _RIGHT, _height(width - _LEFT - _RIGHT)
    logs = first.scale == "log", second.scale == "log"
    limits = _limits(points[:, 0], log=logs[0]), _limits(points[:, 1], log=logs[1])
    best = int(first.better == "higher"), int(second.better == "higher")
    limits = _with_corner(points, limits, logs, plane, best)
    at = np.column_stack(
        [_placed(points[:, n], limits[n], plane[n], log=logs[n]) for n in range(2)]
    )
    two = len(front.measures) == 2
    step = _step(points, best) if two else np.empty((0, 2))
    line = [_placed(step[:, n], limits[n], plane[n], log=logs[n]) for n in range(2)]
    occupied = _occupied(np.column_stack(line), plane, best)
    texts, keys, unnamed = _texts(front, verdicts, at, occupied, plane[0], highlight)
    on, still, off = (
        [n for n, v in zip(front.algorithms, verdicts, strict=True) if v == state]
        for state in (_ON, _OPEN, _OFF)
    )
    level = level_percent(front.level)
    by = "" if two else f" on all {len(front.measures)} measures"
    return FrontPlot(
        points=points,
        verdicts=verdicts,
        step=step,
        texts=texts,
        limits=limits,
        logs=logs,
        names=(_axis(first), _axis(second)),
        best=best,
        plane=plane,
        title=f"Pareto front: {measure_name(first)} and {measure_name(second)}",
        axis=_axis(first),
        notes=(
            f"\N{BLACK CIRCLE} no other dominates it by means{by}",
            *(("\N{WHITE CIRCLE} another does, which is not decided: it may be on the front",)
              if still else ()),
            *((f"\N{BLACK DIAMOND} shown to be dominated ({level}): off the front",)
              if off else ()),
            *((f"line: the front of the means of {count(front.n_datasets, 'data set')}",)
              if two else ()),
            *((f"without a name: {unnamed}",) if unnamed else ()),
            *keys,
        ),
        width=width,
        alt=f"Pareto front of {count(len(front.algorithms), 'algorithm')} on {_axis(first)}, and"
        f" {_axis(second)}: not dominated by means: {join(on) if on else 'none'};"
        f" {f'not decided of {join(still)}' if still else 'nothing is undecided'};"
        f" {f'shown to be dominated: {join(off)}' if off else 'none is shown to be dominated'}"
        f" ({level}).",
    )  # fmt: skip


def _chosen(front: Pareto, pair: tuple[str, str] | None) -> tuple[int, int]:
    """Return the positions of the two measures that are shown."""
    names = [measure.name for measure in front.measures]
    if pair is None:
        if len(names) == 2:
            return 0, 1
        raise DesignError(
            f"the front is of {len(names)} measures, and a plane shows two of them.",
            hint=f'pair=("{names[0]}", "{names[1]}") chooses two; dominance is still of all.',
        )
    for name in pair:
        if name not in names:
            raise ArgumentError(unknown("measure", name, names))
    if pair[0] == pair[1]:
        raise ArgumentError(f"pair={pair!r} names one measure twice.")
    return names.index(pair[0]), names.index(pair[1])


def _verdicts(front: Pareto) -> tuple[Verdict, ...]:
    """Return what is known of each algorithm; what is shown goes before what the means say."""
    members = set(front.front())
    behind = dominates(front.levels).any(axis=0)
    return tuple(
        _OFF if name not in members else _OPEN if dominated else _ON
        for name, dominated in zip(front.algorithms, behind.tolist(), strict=True)
    )


def _axis(measure: Measure) -> str:
    return f"{measure_name(measure)}{measure.unit_mark}, {measure.better} is better"


def _limits(values: Array, *, log: bool) -> tuple[float, float]:
    """Return ends of an axis with room for marks and names at both."""
    low, high = bars.room(values.tolist(), log=log)
    if log:
        wide = (high / low) ** 0.06
        return low / wide, high * wide
    wide = 0.06 * (high - low)
    return low - wide, high + wide


def _with_corner(
    points: Array,
    limits: tuple[tuple[float, float], tuple[float, float]],
    logs: tuple[bool, bool],
    plane: tuple[float, float],
    best: tuple[int, int],
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ends of both axes, the second with room for the word in the best corner."""
    x, y = (_placed(points[:, n], limits[n], plane[n], log=logs[n]) for n in range(2))
    x, y = (plane[0] - x if best[0] else x), (plane[1] - y if best[1] else y)
    deep = _CORNER + 0.13  # the word and half a mark
    near = (x < widest([_BETTER]) + 0.2) & (y < deep)
    if not near.any():
        return limits
    low, high = np.log(limits[1]) if logs[1] else limits[1]
    pad = (high - low) * (deep - float(y[near].min())) / (plane[1] - deep)
    low, high = (low, high + pad) if best[1] else (low - pad, high)
    return limits[0], (float(np.exp(low)), float(np.exp(high))) if logs[1] else (low, high)


def _placed(values: Array, limits: tuple[float, float], inches: float, *, log: bool) -> Array:
    """Return the places of values along an axis, in inches."""
    low, high = np.log(limits) if log else limits
    return ((np.log(values) if log else values) - low) / (high - low) * inches


def _step(points: Array, best: tuple[int, int]) -> Array:
    """Return the corners of the front of the means, from the best on the first measure on."""
    sign = np.array([1.0 if corner else -1.0 for corner in best])
    oriented = points * sign
    on = [i for i in range(len(points)) if not dominates(oriented)[:, i].any()]
    along = oriented[sorted(on, key=lambda i: (-oriented[i, 0], -oriented[i, 1]))]
    corners = [along[0]]
    for point in along[1:]:
        corners += [np.array([point[0], corners[-1][1]]), point]
    return np.array(corners) * sign


def _occupied(step: Array, plane: tuple[float, float], best: tuple[int, int]) -> Array:
    """Return places of the line of the front and of the word in the best corner, in inches."""
    side = plane[0] - 0.1 if best[0] else 0.1
    up = plane[1] - _CORNER if best[1] else _CORNER
    inward = -1 if best[0] else 1
    places = [np.array([(side + inward * 0.1 * n, up) for n in range(5)])]
    for start, end in pairwise(step):
        n = int(abs(end - start).sum() / 0.1) + 1
        places.append(start + (end - start) * ((np.arange(n) + 0.5) / n)[:, None])
    return np.concatenate(places)


def _named(front: Pareto, verdicts: tuple[Verdict, ...], highlight: Sequence[str]) -> list[int]:
    """Return who is named: of many those that may be on the front, or those that the means have."""
    names = front.algorithms
    stressed = {i for i, name in enumerate(names) if name in highlight}
    named = [*range(len(names))]
    if len(named) > _NAMED:
        named = [i for i in named if verdicts[i] != _OFF or i in stressed]
    if len(named) > _KEYED:
        named = [i for i in named if verdicts[i] == _ON or i in stressed]
    return named if len(named) <= _KEYED else sorted(stressed)


def _texts(
    front: Pareto,
    verdicts: tuple[Verdict, ...],
    at: Array,
    occupied: Array,
    room: float,
    highlight: Sequence[str],
) -> tuple[tuple[Text, ...], tuple[str, ...], str]:
    """Return placed names, or numbers with their key, and who has none."""
    names, named = front.algorithms, _named(front, verdicts, highlight)
    without = {verdicts[i] for i in range(len(names)) if i not in named}
    unnamed = "" if not without else "shown to be dominated" if without == {_OFF} else "all others"
    short = fitted([names[i] for i in named], 0.4 * room)
    labels = [short.get(name, "") for name in names]
    plane, nothing = (room, _height(room)), [""] * len(occupied)
    everything = np.r_[at, occupied]
    texts, keys = keyed(everything, [*labels, *nothing], plane)
    if not keys:
        return texts[: len(names)], key(short), unnamed
    numbers = {n: text.text for n, text in enumerate(texts[: len(names)]) if text.text}
    in_order = sorted(numbers, key=lambda n: int(numbers[n]))
    note = "; ".join(f"{numbers[n]}\N{NO-BREAK SPACE}{names[n]}" for n in in_order)
    # A number says nothing of a name that is to stand out.
    labels = [
        f"{numbers.get(n, '')} {short[name]}" if name in highlight else numbers.get(n, "")
        for n, name in enumerate(names)
    ]
    return dodge(everything, [*labels, *nothing], plane)[: len(names)], (note,), unnamed


def _height(across: float) -> float:
    """Return the height of a plane of some inches across."""
    return min(_TALL, 0.85 * across)


def size(laid: FrontPlot) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return laid.width, laid.plane[1] + 0.45 + axis_height(laid.names[0], laid.plane[0])


def draw(laid: FrontPlot, ax: Axes) -> None:
    """Draw a Pareto front into an Axes."""
    bars.draw_axis(ax, laid.names[0], laid.limits[0], laid.plane[0], log=laid.logs[0])
    if laid.logs[1]:
        ax.set_yscale("log")
    ax.set_ylim(*laid.limits[1])
    across = bars.spaced(laid.limits[1], laid.plane[1] * 2, log=laid.logs[1])
    ax.yaxis.set_major_locator(FixedLocator(across))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value)))
    ax.yaxis.set_minor_locator(FixedLocator([]))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(axis="y", labelsize=pt(8.5), color=FAINT, labelcolor=INK)
    label = plain(wrapped(laid.names[1], laid.plane[1]))
    ax.set_ylabel(label, fontsize=pt(8.5), color=INK)
    ax.spines["left"].set_color(FAINT)
    ax.grid(color=HAIR, lw=0.5)
    ax.set_axisbelow(True)
    if len(laid.step):
        ax.plot(*laid.step.T, color=MARKS[_ON].colour, lw=1.0, alpha=0.6, zorder=2)
    for state in (_OFF, _OPEN, _ON):
        mark, at = MARKS[state], [v == state for v in laid.verdicts]
        ax.plot(
            *laid.points[at].T,
            mark.marker,
            color=mark.colour,
            mfc=mark.colour if mark.filled else "white",
            mec="white" if mark.filled else mark.colour,
            mew=0.6 if mark.filled else 1.3,
            ms=6 if mark.filled else 5.5,
            zorder=3,
        )
    _write(laid, ax)


def _write(laid: FrontPlot, ax: Axes) -> None:
    """Write the names, lines to those that stand away from their marks, and the better corner."""
    wide, tall = laid.plane
    places = ax.transAxes
    across, up = (
        _placed(laid.points[:, n], laid.limits[n], laid.plane[n], log=laid.logs[n])
        for n in range(2)
    )
    for text, x, y in zip(laid.texts, across.tolist(), up.tolist(), strict=True):
        if not text.text:
            continue
        if text.led:
            ends = [x / wide, text.x / wide], [y / tall, text.y / tall]
            ax.plot(*ends, color=FAINT, lw=0.5, transform=places, zorder=2)
        ax.text(
            text.x / wide,
            text.y / tall,
            plain(text.text),
            ha=text.ha,
            va=text.va,
            fontsize=pt(8.5),
            color=INK,
            linespacing=1.1,
            transform=places,
            zorder=5,
        )
    ax.text(
        1 - 0.06 / wide if laid.best[0] else 0.06 / wide,
        1 - 0.06 / tall if laid.best[1] else 0.06 / tall,
        _BETTER,
        ha="right" if laid.best[0] else "left",
        va="top" if laid.best[1] else "bottom",
        style="italic",
        fontsize=pt(8.5),
        color=FAINT,
        transform=places,
        zorder=5,
    )


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {Pareto: {"front": Kind(layout, size, draw)}}
