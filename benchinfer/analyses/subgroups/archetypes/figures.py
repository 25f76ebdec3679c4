"""Figures of archetypes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.subgroups.archetypes.result import Archetypes
from benchinfer.analyses.subgroups.archetypes.stability import ArchetypeStability
from benchinfer.core.numbers import count, join
from benchinfer.numerics.ties import joined_levels
from benchinfer.numerics.types import Array
from benchinfer.plots import tiles
from benchinfer.plots.draw import Kind
from benchinfer.plots.layout import Layout, PointMap, draw_map, size_map
from benchinfer.plots.style import (
    FAINT,
    HAIR,
    INK,
    PAGE,
    Text,
    Width,
    is_wide,
    keyed,
    lines,
    measure_name,
    name_axis,
    ticks,
)
from benchinfer.plots.text import fitted, plain, pt

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Colour and marker of each archetype.
_MARKS = (
    ("#0072B2", "o"),
    ("#D55E00", "D"),
    ("#009E73", "s"),
    ("#CC79A7", "^"),
    ("#E69F00", "v"),
    ("#56B4E9", "P"),
)
_NAMED = 40  # of more data sets the nearest to each archetype alone have their names
_AROUND = 0.42  # inches above and below the corners
_LINE = 1.0  # the same where the corners are on a line
_LEGEND = 0.55  # of the width is for the names of archetypes
_POINT = 0.004  # share of the corners' distance that is the same place


@dataclass(frozen=True, slots=True, kw_only=True)
class SimplexMap(PointMap):
    """Layout of the figure."""

    groups: tuple[int, ...]  # archetype of which each data set has the largest share
    # Places of the archetypes, in the order of their numbers
    corners: tuple[tuple[float, float], ...]


def layout_simplex(result: Archetypes, width: Width = PAGE) -> SimplexMap:
    """Return the layout of data sets between archetypes, placed by their shares.

    Archetypes are the corners of a regular polygon, and each data set is at the mean of the
    corners, weighted by its shares: with more than three archetypes this is a projection.
    """
    across = min(width - 0.2, 5.6)
    side = 1.0 if is_wide(width) else 0.65
    places = _polygon(result.k)
    reach = float(np.ptp(places[:, 0])) or 1.0
    places = (places - places.min(axis=0)) * (across - 2 * side) / reach
    around = _AROUND if result.k > 2 else _LINE
    tall = float(places[:, 1].max()) + 2 * around
    places = places + np.array([side, around])
    points = result.alphas @ places
    texts, key = _named(result, points, places, (across, tall), 1.3 if is_wide(width) else 0.8)
    groups = [
        f"{j + 1}: {result.describe(j)}; like {join(result.nearest(j))}" for j in range(result.k)
    ]
    flat = () if result.k <= 3 else ("places are a projection: coordinates() has the shares",)
    return SimplexMap(
        points=tuple((float(x), float(y)) for x, y in points),
        groups=tuple(int(j) for j in result.alphas.argmax(axis=1)),
        texts=texts,
        corners=tuple((float(x), float(y)) for x, y in places),
        extent=(across, tall),
        title=f"Data sets between {count(result.k, 'archetype')} in {measure_name(result.measure)}",
        notes=(*groups, *flat, *key),
        width=width,
        alt=f"{result.sentence()} {'. '.join(groups)}.",
    )


def _polygon(k: int) -> Array:
    """Return (k, 2) corners of a regular polygon, the first one on top."""
    if k == 2:
        return np.array([[0.0, 0.0], [1.0, 0.0]])
    turn = np.pi / 2 - 2 * np.pi * np.arange(k) / k
    return np.column_stack([np.cos(turn), np.sin(turn)]).round(12)


def _named(
    result: Archetypes, points: Array, places: Array, extent: tuple[float, float], room: float
) -> tuple[tuple[Text, ...], tuple[str, ...]]:
    """Return names next to their points, away from the numbers of the corners, and their key."""
    names = fitted(result.datasets, room)
    chosen = list(range(len(points)))
    if len(points) > (_NAMED if result.k > 2 else _NAMED // 4):
        near = {name for j in range(result.k) for name in result.nearest(j)}
        chosen = [d for d in chosen if result.datasets[d] in near]
    groups: dict[tuple[float, float], list[str]] = {}
    for d in chosen:
        x, y = (points[d] / _POINT).round() * _POINT
        groups.setdefault((x, y), []).append(names[result.datasets[d]])
    middle = places.mean(axis=0)
    away = places + 0.17 * (places - middle) / np.linalg.norm(places - middle, axis=1)[:, None]
    at = np.vstack([away, np.array(list(groups))])
    labels = ["" for _ in places]
    for group in groups.values():
        more = [f"and {len(group) - 4} more"] if len(group) > 5 else []
        labels.append("\n".join([*group[: 4 if more else 5], *more]))
    texts, key = keyed(at, labels, extent)
    return tuple(text for text in texts if text.text), key


def draw_simplex(laid: SimplexMap, ax: Axes) -> None:
    """Draw the data sets between the archetypes into an Axes."""
    draw_map(laid, ax)
    ax.axis("off")
    ends = [(*a, *b) for a, b in combinations(laid.corners, 2)]
    lines(ax, ends, HAIR, 1.0, zorder=1)
    middle = np.mean(laid.corners, axis=0)
    for j, corner in enumerate(laid.corners):
        colour, marker = _MARKS[j % len(_MARKS)]
        away = np.array(corner) - middle
        x, y = np.array(corner) + 0.19 * away / (np.linalg.norm(away) or 1.0)
        ax.text(x, y, str(j + 1), ha="center", va="center", fontsize=pt(11), fontweight="bold",
                color=colour)  # fmt: skip
        members = [p for p, group in zip(laid.points, laid.groups, strict=True) if group == j]
        if members:
            ax.plot(*zip(*members, strict=True), marker, ls="", color=colour, ms=5.5, mec="white",
                    mew=0.6, zorder=4, clip_on=False)  # fmt: skip
    for text in laid.texts:
        if text.led:
            nearest = min(laid.points, key=lambda p: (p[0] - text.x) ** 2 + (p[1] - text.y) ** 2)
            lines(ax, [(text.x, text.y, *nearest)], FAINT, 0.5, zorder=2)


@dataclass(frozen=True, slots=True)
class ProfileLines(Layout):
    """Layout of the figure."""

    rows: tuple[str, ...]  # names of the algorithms, from top to bottom
    # (k, K) values of the archetypes in the order of the rows, in the measure's own unit
    values: Array
    labels: tuple[str, ...]  # names of the archetypes
    neutral: float | None  # value of no difference, if values are differences
    log: bool  # whether the axis is logarithmic


def layout_profiles(result: Archetypes, width: Width = PAGE) -> ProfileLines:
    """Return the layout of the profiles of the archetypes, one line for each."""
    order = np.argsort(-joined_levels(result.corners.mean(axis=0)), kind="stable")
    table = result.profiles()
    values = table["estimate"].to_numpy().reshape(result.k, -1)[:, order]
    names = fitted(result.algorithms, 0.3 * width)
    labels = [f"{j + 1}: like {result.nearest(j)[0]}" for j in range(result.k)]
    measure = result.measure
    what = (
        measure.title if result.levels else f"{measure.effect_name} from the mean of all algorithms"
    )
    return ProfileLines(
        rows=tuple(names[result.algorithms[a]] for a in order),
        values=values,
        labels=tuple(fitted(labels, _LEGEND * width)[text] for text in labels),
        neutral=None if result.levels else measure.neutral,
        log=measure.scale == "log" or (measure.scale == "logit" and not result.levels),
        title=f"Profiles of {count(result.k, 'archetype')} in {measure_name(measure)}",
        axis=f"{what}: {measure.better} is better",
        notes=("algorithms from top: by the mean of the archetypes",),
        width=width,
        alt="; ".join(f"archetype {j + 1}: {result.describe(j)}" for j in range(result.k)) + ".",
    )


def draw_profiles(laid: ProfileLines, ax: Axes) -> None:
    """Draw the profiles into an Axes, one line for each archetype."""
    rows = np.arange(len(laid.rows))
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_yticks(rows, [plain(name) for name in laid.rows], fontsize=pt(8.5), color=INK)
    _open(ax)
    ax.set_axisbelow(True)
    if laid.log:
        ax.set_xscale("log")
    else:
        low, high = float(laid.values.min()), float(laid.values.max())
        ax.set_xticks(ticks(low, high, 5 if is_wide(laid.width) else 3, log=False))
    if laid.neutral is not None:
        ax.axvline(laid.neutral, color=INK, lw=0.9, zorder=1)
    for j, (values, label) in enumerate(zip(laid.values, laid.labels, strict=True)):
        colour, marker = _MARKS[j % len(_MARKS)]
        ax.plot(values, rows, marker=marker, color=colour, ms=5.5, lw=1.3, mec="white", mew=0.6,
                label=plain(label), zorder=3, clip_on=False)  # fmt: skip
    name_axis(ax, laid.axis, (_LEGEND + 0.05) * laid.width)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False, fontsize=pt(8.5),
              labelcolor=INK, borderaxespad=0.2)  # fmt: skip


def _open(ax: Axes) -> None:
    """Keep the lower line of the frame, with a line at each tick of the other axis."""
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(HAIR)
    ax.grid(axis="y", color=HAIR, lw=0.6)
    ax.tick_params(length=0, labelsize=pt(8.5), labelcolor=INK)


@dataclass(frozen=True, slots=True)
class ElbowCurve(Layout):
    """Layout of the figure."""

    # numbers, explained: numbers of archetypes, and the share that they explain
    numbers: tuple[int, ...]
    explained: tuple[float, ...]
    chosen: int  # the number that was chosen


def layout_curve(result: Archetypes, width: Width = PAGE) -> ElbowCurve:
    """Return the layout of the variation explained, by the number of archetypes."""
    table = result.curve()
    explained = tuple(table["explained"].tolist())
    shares = ", ".join(
        f"{n}: {100 * e:.0f} %" for n, e in zip(result.tried, explained, strict=True)
    )
    ring = "the elbow" if result.options.k is None else "as requested"
    return ElbowCurve(
        numbers=tuple(table["n_archetypes"].tolist()),
        explained=explained,
        chosen=result.k,
        title="Variation that archetypes give back",
        axis="number of archetypes",
        notes=(f"share of the distance of data sets from a single archetype; ring: {ring}",),
        width=min(width, 4.5),
        alt=f"Share of the variation by number of archetypes: {shares}; chosen: {result.k}.",
    )


def draw_curve(laid: ElbowCurve, ax: Axes) -> None:
    """Draw the curve into an Axes."""
    ax.set_ylim(-0.03, 1.03)
    ax.set_yticks(np.linspace(0, 1, 6))
    ax.set_xticks(laid.numbers)
    _open(ax)
    ax.plot(laid.numbers, laid.explained, "o-", color=_MARKS[0][0], lw=1.5, ms=5)
    at = laid.explained[laid.numbers.index(laid.chosen)]
    ax.plot([laid.chosen], [at], "o", ms=12, mfc="none", mec=INK, mew=1.2)
    name_axis(ax, laid.axis, laid.width - 0.6)


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    Archetypes: {
        "simplex": Kind(layout_simplex, size_map, draw_simplex, lambda result: result.k > 1),
        "profiles": Kind(
            layout_profiles,
            lambda laid: (laid.width, 0.65 + 0.24 * len(laid.rows) + 0.18 * len(laid.labels)),
            draw_profiles,
        ),
        "curve": Kind(layout_curve, lambda laid: (laid.width, 2.6), draw_curve),
    },
    ArchetypeStability: {
        "together": Kind(
            lambda result, width=PAGE: tiles.layout_together(
                result.datasets, result.together, width, resamples=result.resamples
            ),
            tiles.size_chances,
            tiles.draw_chances,
        ),
    },
}
