"""Scatter plot of two algorithms: a point for each data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison import wording
from benchinfer.comparison.figures.standing import Standing, standing
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array
from benchinfer.plots import bars
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import (
    BAND,
    FAINT,
    HAIR,
    INK,
    MARKS,
    PAGE,
    Text,
    Width,
    dodge,
    measure_name,
)
from benchinfer.plots.text import axis_height, fitted, key, plain, pt, versus, widest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.scores.table import ScoreTable


_SIDE, _LEFT, _BELOW, _ABOVE = 3.6, 0.62, 0.5, 0.3  # inches of the square, and around it
_NAMED = 6  # data sets that are named: those on which the two differ most
_WORDS, _MARK = 0.26, 0.06  # inches of a line of words with its margins, and of a mark
_FULL = 12  # data sets that are all named, on a page


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterPlot(Layout):
    """Layout of the figure.

    Attributes
    ----------
    names
        The two algorithms as they are written; the first one's scores run across.
    points
        (D, 2) their scores, in the measure's own unit.
    verdicts
        Which one is better on each data set: by more than the tolerance, or else neither.
    texts
        Names of data sets, placed in inches from the lower left corner of the square.
    limits
        Ends of both axes.
    log
        Whether both axes are logarithmic.
    band
        (2, G) places along the first axis, and (2, G) lowest and highest score of the second within
        the tolerance; None where there is none.
    words
        Which of the two is better above the diagonal, in words and as a verdict, and below it.
    side
        Inches of the square.
    """

    names: tuple[str, str]
    points: Array
    verdicts: tuple[Verdict, ...]
    texts: tuple[Text, ...]
    limits: tuple[float, float]
    log: bool
    band: tuple[Array, Array, Array] | None
    words: tuple[tuple[str, Verdict], tuple[str, Verdict]]
    side: float


def layout(
    scores: ScoreTable,
    width: Width = PAGE,
    *,
    pair: tuple[str, str] | None = None,
    highlight: Sequence[str] = (),
) -> ScatterPlot:
    """Return the layout of the scores of two algorithms, by default of the two best ones.

    One that is highlighted is the first of them, beside the best of the others.

    Raises
    ------
    DesignError
        No data set has scores of both.
    """
    table = standing(scores)
    if pair is not None and pair[0] == pair[1]:
        raise ArgumentError(f"pair={pair!r} names one algorithm twice.")
    table = table.of(
        [*dict.fromkeys([*highlight, *table.algorithms])][:2] if pair is None else pair
    )
    if len(table.algorithms) < 2:
        raise DesignError("there is one algorithm.", hint="a scatter plot shows two.")
    both = ~np.isnan(table.mean).any(axis=1)
    if not both.any():
        raise DesignError(
            f"no data set has scores of both {table.algorithms[0]} and {table.algorithms[1]}.",
            hint='pair=("A", "B") names others.',
        )
    measure, oriented = table.measure, table.mean[both]
    points = measure.level_of(oriented)
    datasets = [n for n, shared in zip(table.datasets, both, strict=True) if shared]
    verdicts = _verdicts(table, oriented)
    log = measure.scale == "log"
    side = min(_SIDE, width - _LEFT - 0.2)
    names = fitted(table.algorithms, 0.5 * side)
    first, second = (names[name] for name in table.algorithms)
    above = Verdict.SECOND if measure.better == "higher" else Verdict.FIRST
    words = _words((first, second), above, side)
    limits = _limits(points, words, side, log=log)
    won = [sum(v == verdict for v in verdicts) for verdict in (Verdict.FIRST, Verdict.SECOND)]
    neither = len(verdicts) - sum(won)
    within = f"within {wording.margin(measure)} of each other" if measure.tolerance else "equal"
    tally = f"{first} better on {won[0]}, {second} on {won[1]}, {within} on {neither}"
    missing = len(table.datasets) - len(datasets)
    return ScatterPlot(
        names=(first, second),
        points=points,
        verdicts=verdicts,
        texts=_texts(points, datasets, oriented, limits, side, log=log),
        limits=limits,
        log=log,
        band=_band(table, limits, log=log),
        words=words,
        side=side,
        title=versus(table.algorithms[0], table.algorithms[1], width),
        axis=f"{measure_name(measure)}{measure.unit_mark}, {measure.better} is better",
        notes=(
            "a point: a data set, by mean scores",
            f"{tally}: counts, not a test",
            *(
                (f"shaded: within the tolerance of {wording.margin(measure)}",)
                if measure.tolerance
                else ()
            ),
            *((f"{count(missing, 'data set')} without scores of both",) if missing else ()),
            *key(names),
        ),
        width=width,
        alt=f"Scatter plot of the scores of {first} and {second} on"
        f" {count(len(datasets), 'data set')}: {tally}.",
    )


def _words(
    names: tuple[str, str], above: Verdict, side: float
) -> tuple[tuple[str, Verdict], tuple[str, Verdict]]:
    """Return who is better above the diagonal and below it, by name where there is room."""
    by = {Verdict.FIRST: f"{names[0]} better", Verdict.SECOND: f"{names[1]} better"}
    below = Verdict.FIRST if above == Verdict.SECOND else Verdict.SECOND
    named = widest([*by.values()]) < 0.6 * side
    return (
        (by[above] if named else "better", above),
        (by[below] if named else "better", below),
    )


def _limits(
    points: Array, words: Sequence[tuple[str, Verdict]], side: float, *, log: bool
) -> tuple[float, float]:
    """Return ends of both axes, with room for the words in two corners where a mark is near."""
    low, high = bars.room(points.ravel().tolist(), log=log)
    ends = np.log([low, high]) if log else np.array([low, high])
    at = ((np.log(points) if log else points) - ends[0]) / (ends[1] - ends[0]) * side
    wide = [widest([text]) + 0.02 * side + _MARK for text, _ in words]
    corner = (at[:, 0] < wide[0]) & (at[:, 1] > side - _WORDS)
    corner |= (at[:, 0] > side - wide[1]) & (at[:, 1] < _WORDS)
    if not corner.any():
        return low, high
    pad = (ends[1] - ends[0]) * _WORDS / (side - 2 * _WORDS)
    ends += [-pad, pad]
    low, high = (np.exp(ends) if log else ends).tolist()
    return low, high


def _verdicts(table: Standing, oriented: Array) -> tuple[Verdict, ...]:
    """Return which of two algorithms is better on each data set by more than the tolerance."""
    measure, ahead = table.measure, oriented[:, 0] - oriented[:, 1]
    same = np.isclose(oriented[:, 0], oriented[:, 1], rtol=1e-9, atol=0)
    near = same | (abs(ahead) <= measure.margin * (1 + 1e-9))
    return tuple(
        Verdict.EQUIVALENT if close else Verdict.FIRST if x > 0 else Verdict.SECOND
        for x, close in zip(ahead.tolist(), near.tolist(), strict=True)
    )


def _band(
    table: Standing, limits: tuple[float, float], *, log: bool
) -> tuple[Array, Array, Array] | None:
    """Return places along the first axis, and the scores of the second within the tolerance."""
    measure = table.measure
    if measure.tolerance == 0:
        return None
    inside = limits
    if measure.scale == "logit":
        inside = max(limits[0], 1e-6), min(limits[1], 1 - 1e-6)
    along = np.geomspace(*inside, 60) if log else np.linspace(*inside, 60)
    oriented = measure.orient(along)
    ends = np.sort(
        [measure.level_of(oriented + m) for m in (-measure.margin, measure.margin)], axis=0
    )
    return along, ends[0], ends[1]


def _texts(
    points: Array,
    datasets: Sequence[str],
    oriented: Array,
    limits: tuple[float, float],
    side: float,
    *,
    log: bool,
) -> tuple[Text, ...]:
    """Return the placed names of the data sets on which two algorithms differ most."""
    far = np.argsort(-abs(oriented[:, 0] - oriented[:, 1]), kind="stable")
    all_fit = len(far) <= _FULL and side == _SIDE
    named = {int(d) for d in (far if all_fit else far[:_NAMED])}
    short = fitted([datasets[d] for d in sorted(named)], 0.35 * side, 7.5)
    labels = [short[name] if d in named else "" for d, name in enumerate(datasets)]
    low, high = np.log(limits) if log else limits
    at = ((np.log(points) if log else points) - low) / (high - low) * side
    # The words in two corners take room, too.
    along = np.arange(0.05, 0.5 * side, 0.1)
    corners = [(x, side - 0.1) for x in along] + [(side - x, 0.1) for x in along]
    every = [*labels, *[""] * len(corners)]
    placed = [text for text in dodge(np.r_[at, corners], every, (side, side)) if text.text]
    # Where there are many points, a name far from its own is read as that of another.
    return tuple(text for text in placed if all_fit or not text.led)


def size(laid: ScatterPlot) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    name = axis_height(f"{laid.names[0]}: {laid.axis}", laid.side)
    return laid.width, laid.side + _BELOW + name + _ABOVE


def draw(laid: ScatterPlot, ax: Axes) -> None:
    """Draw a scatter plot into an Axes."""
    if laid.log:
        ax.set_xscale("log")
        ax.set_yscale("log")
    low, high = laid.limits
    if laid.band is not None:
        along, least, most = laid.band
        ax.fill_between(along, least, most, color=BAND, lw=0, zorder=0)
    ax.plot([low, high], [low, high], color=INK, lw=0.9, zorder=1)
    for verdict in (Verdict.EQUIVALENT, Verdict.SECOND, Verdict.FIRST):
        with_verdict = [v == verdict for v in laid.verdicts]
        mark = MARKS[verdict]
        ax.plot(
            *laid.points[with_verdict].T,
            mark.marker,
            color=mark.colour,
            ms=5.5 if len(laid.points) <= 60 else 4,
            mec="white",
            mew=0.6,
            zorder=3,
        )
    _name_points(laid, ax)
    bars.draw_axis(ax, f"{laid.names[0]}: {laid.axis}", laid.limits, laid.side, log=laid.log)
    ax.set_ylim(low, high)
    ax.yaxis.set_major_locator(ax.xaxis.get_major_locator())
    ax.yaxis.set_major_formatter(ax.xaxis.get_major_formatter())
    ax.yaxis.set_minor_locator(ax.xaxis.get_minor_locator())
    ax.tick_params(axis="y", labelsize=pt(8.5), color=FAINT, labelcolor=INK)
    ax.set_ylabel(plain(laid.names[1]), fontsize=pt(8.5), color=INK)
    ax.spines["left"].set_color(FAINT)
    ax.grid(color=HAIR, lw=0.5)
    ax.set_axisbelow(True)
    ax.set_box_aspect(1)
    ax.set_anchor("W")


def _name_points(laid: ScatterPlot, ax: Axes) -> None:
    """Write the names of data sets, and which algorithm each side of the diagonal favours."""
    for text in laid.texts:
        ax.text(
            text.x / laid.side,
            text.y / laid.side,
            plain(text.text),
            ha=text.ha,
            va=text.va,
            transform=ax.transAxes,
            fontsize=pt(7.5),
            color=FAINT,
            zorder=4,
        )
    for (text, verdict), x, y, ha, va in (
        (laid.words[0], 0.02, 0.98, "left", "top"),
        (laid.words[1], 0.98, 0.02, "right", "bottom"),
    ):
        ax.text(
            x,
            y,
            plain(text),
            ha=ha,
            va=va,
            transform=ax.transAxes,
            fontsize=pt(8.5),
            color=MARKS[verdict].ink,
            zorder=5,
        )
