"""Figures of Bayesian comparisons: ranks, simplex, shrinkage, leave-one-out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.bayes.comparison import BayesComparison
from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.pairwise.comparison import BayesPairsComparison
from benchinfer.analyses.bayes.predictive_checks import STATISTICS
from benchinfer.comparison.figures import COMPARISON
from benchinfer.comparison.figures.forest import axis_title, band, band_note
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import unknown
from benchinfer.core.numbers import count
from benchinfer.core.verdict import MIRROR, Verdict
from benchinfer.numerics.posterior.outcome_probabilities import directional
from benchinfer.plots import bars
from benchinfer.plots.arviz import DRAWS, PREDICTIONS
from benchinfer.plots.bars import Bar, Bars, Interval, Intervals, arrows, outside, reach
from benchinfer.plots.draw import Handed, Kind
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
    is_wide,
    lines,
    measure_name,
)
from benchinfer.plots.text import across, axis_height, axis_room, fitted, plain, pt, versus, wrapped
from benchinfer.plots.tiles import Chances, draw_chances, layout_of, size_chances

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.analyses.bayes.numerics.contrasts import ContrastData
    from benchinfer.analyses.bayes.pairwise.numerics.pair_model import Votes
    from benchinfer.numerics.posterior.outcome_probabilities import Outcomes
    from benchinfer.numerics.types import Array
    from benchinfer.plots.style import Box


type Point = tuple[float, float]


def layout_ranks(result: BayesComparison, width: Width = PAGE) -> Chances:
    """Return the layout of the rank probabilities of the quantity that the verdicts are about."""
    following = result.ranks_following if result.quantity == "next" else None
    where = result.average_words if following is None else "on the next data set"
    return layout_of(
        result.algorithms,
        (following or result.ranks).distribution,
        width,
        title=f"Probabilities of ranks {where}",
        reading="across: rank, 1 is best; the darker, the more probable",
    )


_MOST = 20  # rows that a reader can take in


def layout_left_out(result: BayesComparison, width: Width = PAGE) -> Bars:
    """Return the layout of the Pareto k of each data set, the most influential first."""
    left = result.loo(refit=False)
    order = np.argsort(-left.pareto_k, kind="stable")[:_MOST]
    names = fitted(left.datasets, 0.38 * width)
    many, above = len(left.datasets), int((left.pareto_k > left.good_k).sum())
    rows: list[Bar] = []
    for m in order.tolist():
        k = float(left.pareto_k[m])
        verdict, marker = (Verdict.SECOND, "D") if k > left.good_k else (Verdict.UNDECIDED, "o")
        name, colour = names[left.datasets[m]], MARKS[verdict].colour
        rows.append(Bar(name, f"{k:.2f}", max(k, 0.0), colour=colour, marker=marker))
    limit = f"{left.good_k:.2f}"
    notes = [f"\N{BLACK DIAMOND} above {limit}: influential, the posterior without it differs much"]
    if len(rows) < many:
        notes.append(f"{len(rows):,} of {count(many, 'data set')}: those with the largest k")
    return Bars(
        rows=tuple(rows),
        top=1.05 * max(1.0, float(left.pareto_k.max())),
        title=f"Influence of each data set on the posterior: {result.measure.noun}",
        axis="Pareto k of leaving it out",
        notes=tuple(notes),
        width=width,
        alt=f"Bars of the Pareto k of {count(many, 'data set')} in {result.measure.noun}:"
        f" {above or 'none'} above {left.good_k:.2f}, the largest {left.pareto_k.max():.2f}.",
    )


def layout_predicted(result: BayesComparison, width: Width = PAGE) -> Intervals:
    """Return the layout of each data set's spread, observed and predicted from the others."""
    predictions = result.predictive_check(result.loo(refit=False))
    tail, value = predictions.tail[0], predictions.observed[0]
    order = np.argsort(tail, kind="stable")[:_MOST]
    names = fitted(predictions.datasets, 0.38 * width)
    rows = tuple(
        Interval(
            names[predictions.datasets[m]],
            f"p = {tail[m]:.3f}",
            float(value[m]),
            float(predictions.low[0, m]),
            float(predictions.high[0, m]),
            filled=not predictions.beyond[0, m],
        )
        for m in order.tolist()
    )
    many, beyond = len(predictions.datasets), int(predictions.beyond[0].sum())
    positive = [x for row in rows for x in (row.value, row.low, row.high) if x > 0]
    limits = bars.room(positive, log=True)
    notes = ["lines: what the model without the data set predicts, 95 %; dots: observed"]
    if not all(row.filled for row in rows):
        notes.append("open marks: beyond it, so many data sets considered")
    notes += outside([row.value for row in rows], limits)
    if len(rows) < many:
        notes.append(f"{len(rows):,} of {count(many, 'data set')}: the least expected")
    scale = "" if result.measure.scale == "identity" else f", {result.measure.scale} scale"
    return Intervals(
        rows=rows,
        limits=limits,
        log=True,
        reference=None,
        sides=("", ""),
        title=f"Data sets as the others predict them: {result.measure.noun}",
        axis=f"{STATISTICS[0]} (standard deviation{scale})",
        notes=tuple(notes),
        width=width,
        alt=f"Spread of the algorithms on {count(many, 'data set')} in {result.measure.noun}, with"
        f" what the others predict: {beyond or 'none'} beyond that.",
    )


_MOST_LINES = 40  # data sets that have a line of their own
_MARK = MARKS[Verdict.FIRST]


@dataclass(frozen=True, slots=True)
class Pulled:
    """A data set: the difference as observed (None without both algorithms), and by the model."""

    label: str
    observed: float | None
    shrunken: float


@dataclass(frozen=True, slots=True)
class Shrinkage(Layout):
    """Layout in the measure's own unit."""

    rows: tuple[Pulled, ...]  # data sets, the smallest difference first
    # average, low, high: average difference with its credible interval
    average: float
    low: float
    high: float
    # neutral, band, log: the effect of no difference, effects within the tolerance, and whether the
    # axis is logarithmic
    neutral: float
    band: tuple[float, float] | None
    log: bool
    limits: tuple[float, float]  # ends of the axis


def observed(data: ContrastData, contrast: Array) -> Array:
    """Return a contrast estimated from each data set alone, NaN where it is not identified."""
    wanted = helmert(data.n_algorithms) @ contrast
    weights = data.design @ wanted
    back = np.einsum("mij,mi->mj", data.design, weights)
    known = np.abs(back - wanted).max(axis=1) < 1e-9
    return np.where(known, data.scale * (weights * data.z).sum(axis=1), np.nan)


def layout_shrinkage(
    result: BayesComparison, width: Width = PAGE, *, pair: tuple[str, str] | None = None
) -> Shrinkage:
    """Return the layout of a pair's observed and shrunk differences on the data sets.

    The pair is by default that of the two best-ranked algorithms.
    """
    measure, k = result.measure, len(result.algorithms)
    first, second = result.ranking()[:2] if pair is None else pair
    if strange := [name for name in (first, second) if name not in result.algorithms]:
        raise ArgumentError(unknown("algorithm", strange[0], result.algorithms))
    first, second = result.pairs.oriented([(first, second)])[0]
    i, j = result.algorithms.index(first), result.algorithms.index(second)
    contrast = np.eye(k)[i] - np.eye(k)[j]
    shrunken = result.draws.dataset_mean @ helmert(k) @ contrast
    raw = observed(result.data, contrast)
    datasets = [result.setting.coverage.datasets[d] for d in result.data.dataset]
    names = fitted(datasets, 0.38 * width)
    order = np.argsort(measure.sign * shrunken, kind="stable")
    labels = list(names.values())
    rows = [
        Pulled(
            labels[m],
            None if np.isnan(raw[m]) else float(measure.effect(raw[m])),
            float(measure.effect(shrunken[m])),
        )
        for m in order.tolist()
    ]
    effects = result.draws.effects @ contrast
    tail = (1 - result.level) / 2
    ends = measure.effect_interval(*np.quantile(effects, [tail, 1 - tail]))
    average, (low, high) = float(measure.effect(effects.mean())), (float(end) for end in ends)
    step = max(1, -(-len(rows) // _MOST_LINES))
    effects_by_dataset = [
        x for row in rows[::step] for x in (row.observed, row.shrunken) if x is not None
    ]
    log, near = measure.scale != "identity", band(measure)
    limits = reach(effects_by_dataset, [measure.neutral, low, high, *(near or ())], log=log)
    reading = (
        "hollow: as observed; filled: by the model, shrunk to the line the more the less is known;"
        f" line: {result.average_words}, with its {100 * result.level:g} % credible interval"
    )
    notes = [
        reading,
        *([f"every {step}th of {len(rows)} data sets is drawn"] if step > 1 else []),
        *outside(effects_by_dataset, limits),
        *(["the two best-ranked; another pair can be chosen"] if pair is None and k > 2 else []),
        band_note(measure),
    ]
    return Shrinkage(
        rows=tuple(rows[::step]),
        average=average,
        low=low,
        high=high,
        neutral=measure.neutral,
        band=near,
        log=log,
        limits=limits,
        title=f"{versus(first, second, width)} by data set: {measure_name(measure)}",
        axis=axis_title(measure),
        notes=tuple(filter(None, notes)),
        alt=f"Differences of {first} and {second} on {count(len(rows), 'data set')},"
        f" {axis_title(measure)}, as observed and by the model; average {average:.3g}, from"
        f" {low:.3g} to {high:.3g}.",
        width=width,
    )


def draw_shrinkage(shrinkage: Shrinkage, ax: Axes) -> None:
    """Draw the differences into an Axes."""
    s, n = shrinkage, len(shrinkage.rows)
    ax.set_ylim(n - 0.3, -0.7)
    if s.band:
        ax.axvspan(*s.band, color=BAND, lw=0, zorder=0)
    ax.axvline(s.neutral, color=INK, lw=0.9, zorder=1)
    ax.axvspan(s.low, s.high, color=_MARK.colour, alpha=0.13, lw=0, zorder=0)
    ax.axvline(s.average, color=_MARK.colour, lw=1.2, zorder=1)
    both = [(row.observed, y, row.shrunken) for y, row in enumerate(s.rows)]
    pulled = [(a, y, b) for a, y, b in both if a is not None]
    lines(ax, [(a, y, b, y) for a, y, b in pulled], FAINT, 1.0, zorder=2)
    seen = [(a, y) for a, y, _ in pulled]
    ax.plot([a for a, _ in seen], [y for _, y in seen], "o", color=FAINT, mfc="white", ms=6.5)
    shrunken = [row.shrunken for row in s.rows]
    ax.plot(shrunken, range(n), "o", color=_MARK.colour, ms=4, zorder=4)
    for x, at, mark in arrows([*seen, *zip(shrunken, range(n), strict=True)], s.limits):
        ax.plot([x], [at], mark, color=_MARK.colour, ms=5, clip_on=False, zorder=5)
    ax.set_yticks(range(n), [plain(row.label) for row in s.rows], fontsize=pt(8.5), color=INK)
    ax.tick_params(axis="y", length=0)
    bars.draw_axis(
        ax, s.axis, s.limits, axis_room(s.width, [row.label for row in s.rows]), log=s.log
    )
    ax.spines["left"].set_visible(False)


_LISTED = 29  # pairs that have a line in the key
_SMALL, _WIDEST = 7.5, 0.8  # points of numbers and key, and inches that several numbers may be wide
_ROW = 0.17  # inches of a line of the key
_LEFT, _BELOW = 0.14, 0.2  # sides beside and below the triangle
_BESIDE, _UNDER = 1.2, 0.3  # sides to the right and down to the key
_TOP = 3**0.5 / 2


def _side(width: Width) -> float:
    """Return the inches of a side of the triangle."""
    return 3.2 if is_wide(width) else min(2.4, width - 0.8)


@dataclass(frozen=True, slots=True)
class NumberLabel:
    """Numbers of pairs as one text, and the dots (from 0) that they are of."""

    text: Text
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dot:
    """One pair."""

    label: str  # number and names of the pair
    # average, following: places in the triangle of the probabilities on average and on the next
    # data set, or for the tests of the literature on the next data set and of being the most
    # probable outcome; None where claims are about these data sets
    average: Point
    following: Point | None
    verdict: Verdict  # what decides the colour


@dataclass(frozen=True, slots=True)
class Simplex(Layout):
    """Layout in a triangle with corners (0, 0), (1, 0) and (1/2, 0.87).

    Attributes
    ----------
    dots
        One for each pair, in the order of the forest; of many, for those with the best algorithm.
    direction, equivalence
        Probabilities at which a pair is decided: of either direction, and of equivalence, None
        where there is no tolerance.
    numbers
        Numbers of the pairs beside their dots, as in the key, those of near dots as one text; none
        where there is no room.
    """

    dots: tuple[Dot, ...]
    direction: float
    equivalence: float | None
    numbers: tuple[NumberLabel, ...]

    @property
    def listed(self) -> bool:
        """True if there is room for numbers and a key."""
        return bool(self.numbers)


def place(first: float, equivalent: float, second: float) -> Point:
    """Return the position of three probabilities in the triangle: the first left, the second right.

    Examples
    --------
    >>> place(1.0, 0.0, 0.0), place(0.0, 0.0, 1.0)
    ((0.0, 0.0), (1.0, 0.0))
    """
    return second + equivalent / 2, _TOP * equivalent / (first + equivalent + second)


def layout_simplex(result: BayesComparison, width: Width = PAGE) -> Simplex:
    """Return the layout of the outcome probabilities of the pairs of a hierarchical model."""
    average = _places(result.average)
    following = None if result.following is None else _places(result.following)
    reading = "on average over these data sets"
    if following is not None:
        reading = f"filled: {result.average_words}; hollow, joined to it: on the next data set"
    return _laid(result, average, following, directional(result.level), reading, width)


def layout_pairs(result: BayesPairsComparison, width: Width = PAGE) -> Simplex:
    """Return the layout of the outcome probabilities of the pairs of a published Bayesian test."""
    reading = (
        f"filled: on the {result.next_words}; hollow, joined: that the outcome is the likeliest"
    )
    average, ahead = _places(result.following), _places(result.votes)
    return _laid(result, average, ahead, result.level, reading, width)


def _laid(
    result: BayesComparison | BayesPairsComparison,
    average: list[Point],
    following: list[Point] | None,
    direction: float,
    reading: str,
    width: Width,
) -> Simplex:
    """Return the layout of a triangle with a filled dot per pair, and a hollow dot joined to it.

    A direction is decided at its probability, equivalence at the level.
    """
    # Inches of a line of the key, beside or below the triangle.
    line = width - 0.3 - (_BESIDE + _LEFT) * _side(width) * is_wide(width)
    room = (line - across(f"{_LISTED}   vs ", _SMALL)) / 2
    names = fitted(result.algorithms, room, _SMALL)
    dots, sides = list[Dot](), result.pairs.sides
    shown, best = result.pairs.oriented(), result.ranking()[0]
    if len(shown) > max(_LISTED, 2 * len(names)):
        shown = {p: pair for p, pair in shown.items() if best in pair} or shown
    for p, pair in shown.items():
        at, then = average[p], None if following is None else following[p]
        code = int(result.pairs.codes[p])
        if pair != sides[p]:
            at, then = (1 - at[0], at[1]), None if then is None else (1 - then[0], then[1])
            code = MIRROR[code]
        label = f"{len(dots) + 1}  {' vs '.join(names.get(name, name) for name in pair)}"
        dots.append(Dot(label=label, average=at, following=then, verdict=Verdict(code)))
    measure, level = result.measure, result.level
    decided = sum(dot.verdict != Verdict.UNDECIDED for dot in dots)
    name = measure_name(measure)
    equivalence = level if measure.tolerance > 0 else None
    limits = f"{direction:g}"
    if equivalence is not None and equivalence != direction:
        limits = f"{direction:g} of a direction, {equivalence:g} of equivalence"
    notes = [f"lines near the corners: verdicts, at probability {limits}", reading]
    if equivalence is None:
        notes.append("no tolerance is set, so nothing is equivalent and all lie on one side")
    if len(dots) > _LISTED:
        notes.append("pairs are too many to be named: the table of contrasts has them")
    if len(dots) < len(sides):
        notes.append(
            f"{len(dots):,} of {len(sides):,} pairs, those with the best by its estimate, {best}"
        )
    return Simplex(
        dots=tuple(dots),
        direction=direction,
        equivalence=equivalence,
        numbers=_numbers(dots, _side(width)) if len(dots) <= _LISTED else (),
        title=f"Probabilities of the pairs: {name}",
        notes=tuple(notes),
        alt=f"Triangle of the probabilities of {count(len(dots), 'pair')} of algorithms in {name}:"
        f" {decided} of them decided, which takes a probability of {limits}. The table of contrasts"
        " holds the same numbers.",
        width=width,
    )


def _places(outcomes: Outcomes | Votes) -> list[Point]:
    columns: tuple[Array, ...] = (outcomes.first, outcomes.equivalent, outcomes.second)
    return [place(*three) for three in zip(*(c.tolist() for c in columns), strict=True)]


_NEAR = (0.1, 0.2, 0.3, 0.45)  # inches between dots that share a text, tried in this order


def _numbers(dots: Sequence[Dot], side: float) -> tuple[NumberLabel, ...]:
    """Place the numbers next to the hollow dots (or the only ones), where they cover no dot."""
    named = np.array([dot.following or dot.average for dot in dots])
    others = [dot.average for dot in dots if dot.following is not None]
    # Room around the triangle, so that numbers may stand outside of it.
    at = side * (np.array([*named, *others]) + 0.1)
    extent = (1.2 * side, (_TOP + 0.2) * side)
    groups, texts = _joined(at, len(dots), _NEAR[0], extent)
    for near in _NEAR[1:]:
        if _overlapping(texts):
            groups, texts = _joined(at, len(dots), near, extent)
    return tuple(
        NumberLabel(replace(text, x=text.x / side - 0.1, y=text.y / side - 0.1), tuple(group))
        for text, group in zip(texts, groups, strict=True)
    )


def _joined(
    at: Array, n: int, near: float, extent: tuple[float, float]
) -> tuple[list[list[int]], tuple[Text, ...]]:
    """Return which of the first n points share a text, and these texts.

    A point joins the group whose first point is near.
    """
    groups: list[list[int]] = []
    for m, point in enumerate(at[:n]):
        far = [float(np.hypot(*(at[group[0]] - point))) for group in groups]
        if far and min(far) <= near:
            groups[int(np.argmin(far))].append(m)
        else:
            groups.append([m])
    leaders = [group[0] for group in groups]
    rest = [m for m in range(len(at)) if m not in leaders]
    texts = [wrapped(_runs(group), _WIDEST, _SMALL) for group in groups] + [""] * len(rest)
    return groups, dodge(at[[*leaders, *rest]], texts, extent)[: len(leaders)]


def _runs(group: Sequence[int]) -> str:
    """Write numbers from 1, three or more in a row as the first and the last."""
    runs: list[list[int]] = []
    for n in group:
        if runs and runs[-1][-1] == n:
            runs[-1].append(n + 1)
        else:
            runs.append([n + 1])
    parts = [[f"{run[0]}\N{EN DASH}{run[-1]}"] if len(run) > 2 else map(str, run) for run in runs]
    return ", ".join(text for part in parts for text in part)


def _overlapping(texts: Sequence[Text]) -> bool:
    boxes: list[Box] = []
    for text in texts:
        wide, tall = across(text.text, _SMALL), 0.14 * (text.text.count("\n") + 1)
        left = text.x - wide * {"left": 0.0, "center": 0.5, "right": 1.0}[text.ha]
        low = text.y - tall * {"bottom": 0.0, "center": 0.5, "top": 1.0}[text.va]
        boxes.append((left, low, left + wide, low + tall))
    return any(
        a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
        for a, b in combinations(boxes, 2)
    )


def _limits(simplex: Simplex) -> tuple[float, float, float, float]:
    """Return left, right, lower and upper end in sides of the triangle."""
    high, side = _TOP + 0.12, _side(simplex.width)
    if not simplex.listed:
        return -_LEFT, 1 + _LEFT, -0.12, high
    step = _ROW / side
    if is_wide(simplex.width):
        right = (simplex.width - 0.2) / side - _LEFT
        return -_LEFT, right, min(-_BELOW, _TOP - step * len(simplex.dots)), high
    return -_LEFT, 1 + _LEFT, -_UNDER - step * len(simplex.dots), high


def size_simplex(simplex: Simplex) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    _, _, low, high = _limits(simplex)
    return simplex.width, _side(simplex.width) * (high - low) + 0.1


def draw_simplex(simplex: Simplex, ax: Axes) -> None:
    """Draw the triangle into an Axes, with the list of the pairs on its right or below it."""
    _triangle(simplex, ax)
    # Few artists for thousands of pairs, and still drawn in their order.
    for verdict, run in groupby(simplex.dots, attrgetter("verdict")):
        colour, dots = MARKS[verdict].colour, list(run)
        joined = [(*dot.average, *dot.following) for dot in dots if dot.following is not None]
        if joined:
            x, y = zip(*(ends[2:] for ends in joined), strict=True)
            lines(ax, joined, colour, 0.8, zorder=2)
            ax.plot(x, y, "o", color=colour, mfc="white", ms=5, clip_on=False, zorder=3)
        x, y = zip(*(dot.average for dot in dots), strict=True)
        ax.plot(x, y, "o", color=colour, ms=6, clip_on=False, zorder=4)
    for label in simplex.numbers:
        _draw_number(simplex, label, ax)
    if not simplex.listed:
        return
    wide, step = is_wide(simplex.width), _ROW / _side(simplex.width)
    for n, dot in enumerate(simplex.dots):
        x, y = (_BESIDE, _TOP - step * n) if wide else (-_LEFT, -_UNDER - step * n)
        text = plain(dot.label)
        ax.text(x, y, text, fontsize=pt(_SMALL), va="center", color=MARKS[dot.verdict].ink)


def _draw_number(simplex: Simplex, label: NumberLabel, ax: Axes) -> None:
    """Write the numbers of near dots, with a line to each dot that does not touch them."""
    dots, text = [simplex.dots[n] for n in label.members], label.text
    if text.led or len(dots) > 1:
        ends = [dot.following or dot.average for dot in dots]
        lines(ax, [(x, y, text.x, text.y) for x, y in ends], HAIR, 0.7, zorder=1)
    same_verdict = len({dot.verdict for dot in dots}) == 1
    ax.text(
        text.x,
        text.y,
        text.text,
        ha=text.ha,
        va=text.va,
        fontsize=pt(_SMALL),
        linespacing=1.1,
        color=MARKS[dots[0].verdict].ink if same_verdict else INK,
        # An edge of the triangle stops at a number, which itself covers no dot.
        bbox={"fc": "white", "lw": 0, "pad": 0.4},
        zorder=2.5,
    )


def decision_lines(simplex: Simplex) -> list[tuple[float, float, float, float]]:
    """Return the ends of the lines beyond which a pair is decided, one near each corner."""
    p, q = simplex.direction, 1 - simplex.direction
    ends = [((p, q, 0.0), (p, 0.0, q)), ((0.0, q, p), (q, 0.0, p))]
    if simplex.equivalence is not None:
        p, q = simplex.equivalence, 1 - simplex.equivalence
        ends.append(((q, p, 0.0), (0.0, p, q)))
    return [(*place(*a), *place(*b)) for a, b in ends]


def _triangle(simplex: Simplex, ax: Axes) -> None:
    """Draw sides, the lines of decision, and the names of the corners."""
    ax.fill([0, 1, 0.5], [0, 0, _TOP], fc="none", ec=INK, lw=0.9, zorder=1)
    lines(ax, decision_lines(simplex), FAINT, 0.8, zorder=1)
    half = (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5)
    middle = place(1 / 3, 1 / 3, 1 / 3)
    lines(ax, [(*place(*h), *middle) for h in half], HAIR, 0.8, zorder=0)
    low = -35 if simplex.listed else -14  # below the numbers of pairs on the lower side
    for x, y, down, verdict, text in (
        (0.0, 0.0, low, Verdict.FIRST, "first better"),
        (1.0, 0.0, low, Verdict.SECOND, "second better"),
        (0.5, _TOP, 6, Verdict.EQUIVALENT, "equivalent"),
    ):
        ax.annotate(
            text,
            (x, y),
            (0, down),
            textcoords="offset points",
            ha="center",
            fontsize=pt(8.5),
            color=MARKS[verdict].ink,
        )
    left, right, bottom, top = _limits(simplex)
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind | Handed]] = {
    BayesComparison: {
        **COMPARISON,
        "ranks": Kind(layout_ranks, size_chances, draw_chances),
        "simplex": Kind(layout_simplex, size_simplex, draw_simplex),
        "shrinkage": Kind(
            layout_shrinkage,
            lambda laid: (
                laid.width,
                0.5
                + axis_height(laid.axis, axis_room(laid.width, [row.label for row in laid.rows]))
                + 0.2 * len(laid.rows),
            ),
            draw_shrinkage,
        ),
        "left-out": Kind(layout_left_out, bars.size_bars, bars.draw_bars),
        "predicted": Kind(layout_predicted, bars.size_intervals, bars.draw_intervals),
        **DRAWS,
        **PREDICTIONS,
    },
    BayesPairsComparison: {
        **COMPARISON,
        "simplex": Kind(layout_pairs, size_simplex, draw_simplex),
    },
}
