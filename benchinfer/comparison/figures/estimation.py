"""Estimation plot: scores, and the differences from one algorithm on an aligned axis.

After Ho, Tumkaya, Aryal, Choi & Claridge-Chang (2019), Moving beyond P values: data analysis with
estimation graphics, Nature Methods, https://doi.org/10.1038/s41592-019-0470-3. Of one pair it is
the plot of Gardner and Altman, of several that of Cumming; here verdicts give colours and shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison import wording
from benchinfer.comparison.figures import forest
from benchinfer.comparison.figures.pair import place_of, row_of
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import count, significant
from benchinfer.core.verdict import SHAPES, Verdict, words
from benchinfer.numerics.types import Array, Codes
from benchinfer.plots import bars
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import (
    BAND,
    FAINT,
    HAIR,
    INK,
    PAGE,
    Width,
    bare,
    lines,
    measure_name,
    signed,
)
from benchinfer.plots.text import fitted, key, plain, pt, widest, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.comparison.comparison import Comparison


# Inches: height of the scores and of the differences below them, gap between the two, room for the
# axis on one side, above and below; least room of an algorithm, and the longest name below it.
_SCORES, _EFFECTS, _GAP, _SIDE, _ABOVE, _BELOW = 2.1, 1.7, 0.12, 0.72, 0.1, 0.1
_LEAST, _NAMES = 0.19, 1.5
_SLIM = 0.7  # of one pair: inches of its difference, as a share of those of an algorithm
_DOT = 0.05  # inches of a point
_SMALL, _ASIDE = 7.5, 0.09  # points of a value, and its inches from the middle of a mark


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimationPlot(Layout):
    """Layout of the figure.

    Attributes
    ----------
    names
        K algorithms as they are written, the reference first.
    scores
        (D, K) median of each algorithm on each data set, in the measure's own unit; NaN where it
        has none.
    means
        (K,) the levels of the algorithms.
    effects
        Differences of the others from the reference, with intervals and verdicts.
    band
        The differences within the tolerance, None where there is no tolerance.
    limits
        Ends of the axis of scores, and of that of differences: of one pair these are the same less
        the level of the reference.
    labels
        Names of the two axes.
    """

    names: tuple[str, ...]
    scores: Array
    means: Array
    effects: tuple[forest.Row, ...]
    band: tuple[float, float] | None
    limits: tuple[tuple[float, float], tuple[float, float]]
    labels: tuple[str, str]

    @property
    def single(self) -> bool:
        """Whether one pair is shown, the scores beside its difference."""
        return len(self.names) == 2


def layout(
    comparison: Comparison,
    width: Width = PAGE,
    *,
    top: int | None = None,
    pair: tuple[str, str] | None = None,
    algorithms: Sequence[str] | None = None,
    highlight: Sequence[str] = (),
) -> EstimationPlot:
    """Return the layout of scores and of differences from the second of a pair, or from one of all.

    That one is the control or the best algorithm; one that is highlighted goes before them.

    Raises
    ------
    DesignError
        Scores are not known, or effects are not differences of them.
    """
    _refuse(comparison)
    known, measure = comparison.algorithms, comparison.measure
    for name in (*(pair or ()), *(algorithms or ()), *highlight):
        if name not in known:
            raise ArgumentError(unknown("algorithm", name, known))
    reference = _reference(comparison, pair, algorithms, highlight)
    others = _others(comparison, reference, [*pair] if pair else algorithms, highlight)
    shown, left_out = _with_room(others, width, top, highlight)
    at = [known.index(name) for name in (reference, *shown)]
    scores = comparison.setting.quantiles[:, at, 2]
    level = comparison.levels
    means = measure.level_of(level.estimate if level.mean is None else level.mean)[at]
    room = _pitch(width) - 0.06 if len(shown) == 1 else _NAMES
    names = fitted((reference, *shown), room)
    effects = tuple(
        row_of(comparison, p, (name, reference), names[name])
        for name in shown
        if (p := place_of(comparison, (name, reference))) is not None
    )
    band = forest.band(measure)
    notes = [
        _what(comparison, (~np.isnan(scores)).sum(axis=0)),
        *_verdicts(comparison, effects, names[reference]),
        *_intervals(comparison, effects),
        *([forest.band_note(measure)] if band else []),
        *left_out,
        *key(names),
    ]
    return EstimationPlot(
        names=tuple(names.values()),
        scores=scores,
        means=means,
        effects=effects,
        band=band,
        limits=_limits(scores, means, effects, band),
        labels=(
            f"{measure_name(measure)}{measure.unit_mark}, {measure.better} is better",
            f"difference from {names[reference]}",
        ),
        title=f"{comparison._heading}: {measure_name(measure)}",
        notes=tuple(notes),
        width=width,
        alt=f"Estimation plot of {count(len(shown), 'algorithm')} against {reference}: "
        + "; ".join(_sentence(row, names[reference], comparison) for row in effects)
        + ".",
    )


def _pitch(width: Width) -> float:
    """Return the inches of an algorithm where one pair is shown."""
    return (width - 2 * _SIDE - 0.1) / (2 + _SLIM)


def _refuse(comparison: Comparison) -> None:
    """Raise a DesignError where effects have no place on an axis of scores."""
    measure = comparison.measure
    hint = 'kind="forest" shows the effects.'
    if measure.scale != "identity":
        raise DesignError(
            f"effects are {measure.effect_name}s, which an axis of scores does not show.", hint=hint
        )
    if not comparison.setting.has_quartiles:
        raise DesignError("published effects and statistics come without scores.", hint=hint)
    if len(comparison.setting.coverage.datasets) == 1:
        raise DesignError("there is one data set: a point for each algorithm.", hint=hint)
    level = comparison.levels
    if level.mean is None and (level.better or comparison._relative):
        raise DesignError(
            f"levels are not in the unit of {measure.name}, and an axis of scores has no place for"
            " effects.",
            hint=hint,
        )


def _reference(
    comparison: Comparison,
    pair: tuple[str, str] | None,
    algorithms: Sequence[str] | None,
    highlight: Sequence[str],
) -> str:
    """Return the algorithm from which differences are."""
    if pair is not None:
        return pair[1]
    if highlight:
        return highlight[0]
    sides = [side for side in comparison.pairs.sides if {*side} <= {*comparison.algorithms}]
    if len(sides) == 1 and comparison.pairs.directed:
        return sides[0][1]
    common = set.intersection(*map(set, sides)) if sides else set()
    ranking = [name for name in comparison.ranking() if algorithms is None or name in algorithms]
    if len(sides) > 1 and common:
        return common.pop()
    return ranking[-1] if len(ranking) == 2 else ranking[0]


def _others(
    comparison: Comparison,
    reference: str,
    algorithms: Sequence[str] | None,
    highlight: Sequence[str],
) -> list[str]:
    """Return those that are compared with the reference, best first."""
    others = [
        name
        for name in comparison.ranking()
        if name != reference
        and (algorithms is None or name in (*algorithms, *highlight))
        and place_of(comparison, (name, reference)) is not None
    ]
    if not others:
        raise DesignError(
            f"{reference} is compared with none of the others.", hint="contrasts() has the pairs."
        )
    return others


def _with_room(
    others: Sequence[str], width: Width, top: int | None, highlight: Sequence[str]
) -> tuple[list[str], tuple[str, ...]]:
    """Return as many of the others as have room, and a note on those that have none."""
    room = int((width - _SIDE - 0.2) / _LEAST) - 1
    shown = [name for name in others if name in highlight]
    shown += [name for name in others if name not in highlight]
    shown = shown[: min(room, room if top is None else top)]
    if len(shown) == len(others):
        return [*others], ()
    note = f"{len(shown)} of {len(others)} others, the best ones; algorithms= chooses"
    return [name for name in others if name in shown], (note,)


def _what(comparison: Comparison, counts: Codes) -> str:
    """Return what points and lines are; counts are those of the algorithms' data sets."""
    level = comparison.levels
    several = comparison.setting.coverage.counts.max() > 1
    by_level = level.mean is None and level.name
    line = comparison.level_name if by_level else comparison.measure.mean_name
    point = "the median of the scores" if several else "the score"
    low, high = int(counts.min()), int(counts.max())
    many = f"{high:,}" if low == high else f"{low:,} to {high:,}"
    return f"a point: {point} on one of {many} data sets; a dash: {line}"


def _verdicts(
    comparison: Comparison, effects: Sequence[forest.Row], reference: str
) -> tuple[str, ...]:
    """Return the difference of one pair in words, or what the marks of several mean."""
    if len(effects) == 1:
        return (_sentence(effects[0], reference, comparison),)
    marks = {Verdict.FIRST: "the other", Verdict.SECOND: reference}
    better = comparison._comparative.first
    texts = [
        f"{SHAPES[v]} {f'{marks[v]} {better}' if v in marks else v.label}"
        for v in Verdict
        if any(row.verdict == v for row in effects)
    ]
    return (", ".join(texts),)


def _sentence(row: forest.Row, reference: str, comparison: Comparison) -> str:
    """Return a difference with its interval and verdict in words."""
    numbers = [row.estimate] + ([] if row.low is None or row.high is None else [row.low, row.high])
    texts = [significant(x, 3).replace("-", "\N{MINUS SIGN}") for x in numbers]
    interval = f" from {texts[1]} to {texts[2]}" if len(texts) > 1 else ""
    verdict = words(row.verdict, row.label, reference, comparison._comparative)
    sign = "\N{MINUS SIGN}"
    return f"{row.label} {sign} {reference}: {texts[0]}{interval}, {verdict}"


def _intervals(comparison: Comparison, effects: Sequence[forest.Row]) -> tuple[str, ...]:
    """Return what the intervals are."""
    shown = [row.pair for row in effects]
    said = wording.interval_words(comparison, shown) or "no intervals"
    return tuple(note for note in (said, comparison._interval_note(shown)) if note)


def _limits(
    scores: Array,
    means: Array,
    effects: Sequence[forest.Row],
    band: tuple[float, float] | None,
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ends of the axis of scores and of that of differences."""
    ends = [0.0, *(band or ())]
    for row in effects:
        ends += [end for end in (row.estimate, row.low, row.high) if end is not None]
    values = [*scores.ravel().tolist(), *means.tolist()]
    if len(effects) > 1:
        return bars.room(values, log=False), bars.room(ends, log=False)
    base = float(means[0])
    ends += differences(scores).tolist()
    low, high = bars.room([*values, *(base + end for end in ends)], log=False)
    return (low, high), (low - base, high - base)


def differences(scores: Array) -> Array:
    """Return the differences of two algorithms on the data sets that both are on, sorted."""
    ahead = scores[:, 1] - scores[:, 0]
    return np.sort(ahead[~np.isnan(ahead)])


def size(laid: EstimationPlot) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return laid.width, _down(laid) + 0.1


def _down(laid: EstimationPlot) -> float:
    """Return the height of all panels and names in inches."""
    if laid.single:
        return _ABOVE + _SCORES + _EFFECTS / 2 + 0.25
    return _ABOVE + _SCORES + _GAP + _EFFECTS + _BELOW + _height_of_names(laid)


def _height_of_names(laid: EstimationPlot) -> float:
    return 0.15 if _flat(laid) else widest(laid.names)


def _flat(laid: EstimationPlot) -> bool:
    """Return whether names have room side by side."""
    return widest(laid.names) + 0.1 <= (laid.width - _SIDE - 0.2) / len(laid.names)


def draw(laid: EstimationPlot, ax: Axes) -> None:
    """Draw an estimation plot into an Axes: scores first, then differences."""
    bare(ax)
    down, across = _down(laid), laid.width
    k = len(laid.names)
    if laid.single:
        wide = _pitch(across)
        high = down - _ABOVE - 0.25
        places = ((_SIDE, 2 * wide), (_SIDE + 2 * wide, _SLIM * wide))
        boxes = [(left / across, 0.25 / down, w / across, high / down) for left, w in places]
    else:
        wide, high = (across - _SIDE - 0.2) / k, _SCORES
        bottom = _BELOW + _height_of_names(laid)
        rows = ((bottom + _EFFECTS + _GAP, _SCORES), (bottom, _EFFECTS))
        boxes = [(_SIDE / across, y / down, k * wide / across, h / down) for y, h in rows]
    upper, lower = (ax.inset_axes(box) for box in boxes)
    for axes, limits, label in zip((upper, lower), laid.limits, laid.labels, strict=True):
        _dress(axes, limits, label, high if axes is upper or laid.single else _EFFECTS)
    _draw_scores(laid, upper, wide, high)
    if laid.single:
        _draw_differences(laid, lower, _SLIM * wide, high)
    _draw_effects(laid, lower)
    ticks = [plain(name) for name in laid.names]
    named = upper if laid.single else lower
    named.set_xticks(range(k), ticks, fontsize=pt(8.5), color=INK)
    named.tick_params(axis="x", length=0, rotation=0 if laid.single or _flat(laid) else 90)


def _dress(ax: Axes, limits: tuple[float, float], label: str, high: float) -> None:
    """Set the ends, ticks and name of a y axis."""
    ax.set_ylim(*limits)
    ax.set_xticks([])
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    ax.spines["left"].set_color(FAINT)
    at = bars.spaced(limits, 2 * high, log=False)
    ax.set_yticks(at, [signed(value) for value in at])
    ax.tick_params(axis="y", labelsize=pt(8), color=FAINT, labelcolor=INK)
    ax.set_ylabel(plain(wrapped(label, high)), fontsize=pt(8.5), color=INK)


def _draw_scores(laid: EstimationPlot, ax: Axes, wide: float, high: float) -> None:
    """Draw the scores: of one pair a line for each data set, of several points."""
    k, base = len(laid.names), float(laid.means[0])
    ax.set_xlim(-0.5, k - 0.5)
    lines(ax, [(-0.3, base, k - 0.5, base)], FAINT, 0.8, zorder=1)
    if laid.single:
        mean = float(laid.means[1])
        lines(ax, [(0.7, mean, 1.5, mean)], FAINT, 0.8, zorder=1)
        both = laid.scores[~np.isnan(laid.scores).any(axis=1)]
        lines(ax, [(0.0, one, 1.0, other) for one, other in both.tolist()], "#9AA5B1", 0.8)
    low, top = laid.limits[0]
    for i, column in enumerate(laid.scores.T):
        heights = np.sort(column[~np.isnan(column)])
        aside = np.zeros(len(heights))
        if not laid.single:
            aside = swarm((heights - low) / (top - low) * high, 0.42 * wide) / wide
        ax.plot(i + aside, heights, "o", color="#5B7FA3", ms=3.2, mew=0, zorder=4)
        lines(ax, [(i - 0.3, laid.means[i], i + 0.3, laid.means[i])], INK, 1.8, zorder=5)


def _draw_differences(laid: EstimationPlot, ax: Axes, wide: float, high: float) -> None:
    """Draw the difference of one pair on each data set, beside the place of its interval."""
    heights, (low, top) = differences(laid.scores), laid.limits[1]
    aside = abs(swarm((heights - low) / (top - low) * high, 0.3 * wide)) / wide
    ax.plot(0.15 + aside, heights, "o", color="#9AA5B1", ms=2.6, mew=0, zorder=2)


def swarm(heights: Array, room: float) -> Array:
    """Return places beside a centre at which sorted points do not cover each other, if they can.

    Examples
    --------
    >>> swarm(np.array([0.0, 0.01, 1.0]), 0.2).tolist()
    [0.0, 0.05, 0.0]
    """
    steps = int(room / _DOT)
    places = _DOT * np.array([0, *(sign * n for n in range(1, steps + 1) for sign in (1, -1))])
    aside = np.zeros(len(heights))
    for i, height in enumerate(heights.tolist()):
        near = np.flatnonzero(heights[:i] > height - _DOT)
        gaps = np.hypot(
            places[:, None] - aside[near], (height - heights[near]) * np.ones((len(places), 1))
        )
        nearest = gaps.min(axis=1, initial=_DOT)
        aside[i] = places[int(np.argmax(nearest > 0.99 * _DOT))]
        if nearest.max() <= 0.99 * _DOT:
            aside[i] = places[int(np.argmax(nearest))]
    return aside


def _draw_effects(laid: EstimationPlot, ax: Axes) -> None:
    """Draw the differences from the reference, on an axis whose zero is the reference."""
    k = len(laid.names)
    places = [0.0] if laid.single else [float(laid.names.index(row.label)) for row in laid.effects]
    ends = (-0.5, 0.5) if laid.single else (-0.5, k - 0.5)
    ax.set_xlim(*ends)
    if laid.band is not None:
        ax.fill_between(ends, *laid.band, color=BAND, lw=0, zorder=0)
    lines(ax, [(ends[0], 0.0, ends[1], 0.0)], INK, 0.9, zorder=1)
    if laid.single:
        effect = laid.effects[0].estimate
        lines(ax, [(-0.5, effect, 0.0, effect)], FAINT, 0.8, zorder=1)
        ax.yaxis.tick_right()
        ax.yaxis.set_label_position("right")
        ax.spines["left"].set_visible(False)
        ax.spines["right"].set(visible=True, color=FAINT)
    else:
        lines(
            ax,
            [(x, *laid.limits[1][:1], x, laid.limits[1][1]) for x in places],
            HAIR,
            0.5,
            zorder=0,
        )
        _write_values(laid, ax, places)
    forest.draw_marks([*zip(places, laid.effects, strict=True)], ax, upright=True)


def _write_values(laid: EstimationPlot, ax: Axes, places: Sequence[float]) -> None:
    """Write the differences beside their marks, where algorithms are far enough apart."""
    wide = (laid.width - _SIDE - 0.2) / len(laid.names)
    texts = [_value(row.estimate) for row in laid.effects]
    # Up to the next mark, and of the last one up to the edge of the figure.
    if widest(texts, _SMALL) + _ASIDE > min(wide - _ASIDE, wide / 2 + 0.15):
        return
    for x, row, text in zip(places, laid.effects, texts, strict=True):
        ax.text(
            x + _ASIDE / wide, row.estimate, text, va="center", fontsize=pt(_SMALL), color=FAINT
        )


def _value(difference: float) -> str:
    """Write a difference with its sign in two digits."""
    text = significant(difference, 2).replace("-", "\N{MINUS SIGN}")
    return f"+{text}" if difference > 0 else text
