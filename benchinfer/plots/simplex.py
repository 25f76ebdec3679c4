"""Triangle of the three outcomes of each pair: first better, equivalent, second better."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.phrases import count
from benchinfer.order.relation import Verdict
from benchinfer.plots.dodging import Text, dodge
from benchinfer.plots.forest import order
from benchinfer.plots.studies import finish
from benchinfer.plots.style import (
    FAINT,
    HAIR,
    INK,
    MARKS,
    Width,
    lines,
    measure_name,
    plain,
    short,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.compare.bayes_comparison import BayesComparison
    from benchinfer.compare.bayes_pairs_comparison import BayesPairsComparison
    from benchinfer.compare.evidence import Array
    from benchinfer.numerics.bayes.outcomes import Outcomes
    from benchinfer.numerics.bayes.pair_outcomes import Votes

_LISTED = 28  # pairs that have a line in the key
_TOP = 3**0.5 / 2
_SIDE = {"wide": 3.2, "narrow": 2.5}  # inches of a side of the triangle

type Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Dot:
    """One pair.

    Attributes
    ----------
    label
        Number and names of the pair.
    average, following
        Places in the triangle of the probabilities on average and on the next data set, or for the
        tests of the literature on the next data set and of being the most probable outcome; None
        where claims are about these data sets.
    verdict
        What decides the colour.
    """

    label: str
    average: Point
    following: Point | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Simplex:
    """Where everything stands, in a triangle with corners (0, 0), (1, 0) and (1/2, 0.87).

    Attributes
    ----------
    dots
        One for each pair, in the order of the forest.
    level
        Probability that a verdict takes.
    numbers
        Numbers of the pairs beside their dots, as in the key; none where there is no room.
    title, notes, alt, width
        Words, and the room there is.
    """

    dots: tuple[Dot, ...]
    level: float
    numbers: tuple[Text, ...]
    title: str
    notes: tuple[str, ...]
    alt: str
    width: Width

    @property
    def listed(self) -> bool:
        """Whether there is room for numbers and a key."""
        return bool(self.numbers)


def place(first: float, equivalent: float, second: float) -> Point:
    """Return where three probabilities stand: the first left, the second right.

    Examples
    --------
    >>> place(1.0, 0.0, 0.0), place(0.0, 0.0, 1.0)
    ((0.0, 0.0), (1.0, 0.0))
    """
    return second + equivalent / 2, _TOP * equivalent / (first + equivalent + second)


def layout(result: "BayesComparison", width: Width = "wide") -> Simplex:
    """Lay out the pairs of a hierarchical model.

    Parameters
    ----------
    result
        The comparison.
    width
        ``"narrow"`` sets the key below the triangle.
    """
    average = _places(result.average)
    following = None if result.following is None else _places(result.following)
    return _laid(result, average, following, _notes(result), width)


def layout_pairs(result: "BayesPairsComparison", width: Width = "wide") -> Simplex:
    """Lay out the pairs of a test of the literature: what is next, and which outcome is ahead.

    Parameters
    ----------
    result
        The comparison.
    width
        ``"narrow"`` sets the key below the triangle.
    """
    notes = [
        f"lines near the corners: probability {result.level:g}",
        f"filled: on the {result.next_words}; hollow, joined: that the outcome is the likeliest",
    ]
    if result.measure.tolerance == 0:
        notes.append("no tolerance is set, so nothing is equivalent and all lie on one side")
    ahead = _places(result.votes)
    return _laid(result, _places(result.following), ahead, tuple(notes), width)


def _laid(
    result: "BayesComparison | BayesPairsComparison",
    average: list[Point],
    following: list[Point] | None,
    notes: tuple[str, ...],
    width: Width,
) -> Simplex:
    """Lay out filled dots and the hollow ones joined to them."""
    names = short(result.algorithms, 20 if width == "wide" else 14)
    sides = result.named_sides()
    dots = tuple(
        Dot(
            label=f"{n}  {names.get(sides[p][0], sides[p][0])} vs"
            f" {names.get(sides[p][1], sides[p][1])}",
            average=average[p],
            following=None if following is None else following[p],
            verdict=Verdict(result.codes[p]),
        )
        for n, p in enumerate(order(result), 1)
    )
    measure = result.measure
    decided = sum(dot.verdict != Verdict.UNDECIDED for dot in dots)
    name = measure_name(measure)
    return Simplex(
        dots=dots,
        level=result.level,
        numbers=_numbers(dots, _SIDE[width]) if len(dots) <= _LISTED else (),
        title=f"Probabilities of the pairs: {name}",
        notes=notes,
        alt=f"Triangle of the probabilities of {count(len(dots), 'pair')} of algorithms in {name}:"
        f" {decided} of them within {result.level:g} of a corner. The table of contrasts holds the"
        " same numbers.",
        width=width,
    )


def _places(found: "Outcomes | Votes") -> list[Point]:
    columns: tuple[Array, ...] = (found.first, found.equivalent, found.second)
    return [place(*three) for three in zip(*(c.tolist() for c in columns), strict=True)]


def _numbers(dots: Sequence[Dot], side: float) -> tuple[Text, ...]:
    """Place the numbers beside the hollow dots (or the only ones), where they cover no dot."""
    named = [dot.following or dot.average for dot in dots]
    others = [dot.average for dot in dots if dot.following is not None]
    texts = [str(n) for n in range(1, len(dots) + 1)] + [""] * len(others)
    # Room around the triangle, so that numbers may stand outside of it.
    points = side * (np.array(named + others) + 0.1)
    found = dodge(points, texts, (1.2 * side, (_TOP + 0.2) * side))
    return tuple(
        replace(text, x=text.x / side - 0.1, y=text.y / side - 0.1) for text in found[: len(named)]
    )


def _notes(result: "BayesComparison") -> tuple[str, ...]:
    notes = [
        f"lines near the corners: probability {result.level:g}",
        f"filled: {result.average_words}; hollow, joined to it: on the next data set",
    ]
    if result.following is None:
        notes[1] = "on average over these data sets"
    if result.measure.tolerance == 0:
        notes.append("no tolerance is set, so nothing is equivalent and all lie on one side")
    return tuple(notes)


def size(simplex: Simplex) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    if simplex.width == "wide":
        return 6.9, max(4.6, 1.3 + 0.17 * len(simplex.dots) * simplex.listed)
    return 3.75, 4.4 + 0.17 * len(simplex.dots) * simplex.listed


def draw(simplex: Simplex, ax: "Axes") -> None:
    """Draw the triangle into an Axes."""
    _triangle(simplex, ax)
    for dot in simplex.dots:
        mark = MARKS[dot.verdict]
        x, y = dot.average
        if dot.following is not None:
            lines(ax, [(x, y, *dot.following)], mark.colour, 0.8, zorder=2)
            ax.plot(
                *dot.following, "o", color=mark.colour, mfc="white", ms=5, clip_on=False, zorder=3
            )
        ax.plot(x, y, "o", color=mark.colour, ms=6, clip_on=False, zorder=4)
    for dot, text in zip(simplex.dots, simplex.numbers, strict=bool(simplex.numbers)):
        x, y = dot.following or dot.average
        if text.led:
            lines(ax, [(x, y, text.x, text.y)], HAIR, 0.7, zorder=1)
        ax.text(
            text.x,
            text.y,
            text.text,
            ha=text.ha,
            va=text.va,
            fontsize=7.5,
            color=MARKS[dot.verdict].ink,
            zorder=5,
        )
    if simplex.listed:
        _key(simplex, ax)


def _triangle(simplex: Simplex, ax: "Axes") -> None:
    """Draw sides, the lines of the level, and the names of the corners."""
    ax.fill([0, 1, 0.5], [0, 0, _TOP], fc="none", ec=INK, lw=0.9, zorder=1)
    p, q = simplex.level, 1 - simplex.level
    ends = (
        ((p, q, 0.0), (p, 0.0, q)),
        ((0.0, q, p), (q, 0.0, p)),
        ((q, p, 0.0), (0.0, p, q)),
    )
    lines(ax, [(*place(*a), *place(*b)) for a, b in ends], FAINT, 0.8, zorder=1)
    half = (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5)
    middle = place(1 / 3, 1 / 3, 1 / 3)
    lines(ax, [(*place(*h), *middle) for h in half], HAIR, 0.8, zorder=0)
    low = -26 if simplex.listed else -14  # below the numbers of pairs on the lower side
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
            fontsize=8.5,
            color=MARKS[verdict].ink,
        )
    beside = simplex.listed and simplex.width == "wide"
    ax.set_xlim(-0.14, 1.75 if beside else 1.14)
    below = 0.0 if beside or not simplex.listed else 0.055 * len(simplex.dots) + 0.06
    ax.set_ylim((-0.14 if simplex.listed else -0.1) - below, _TOP + 0.08)
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])
    finish(ax, simplex.title, simplex.notes, simplex.width)
    ax.spines["bottom"].set_visible(False)


def _key(simplex: Simplex, ax: "Axes") -> None:
    """List the pairs beside or below the triangle."""
    beside = simplex.width == "wide"
    step = min(0.055, (_TOP + 0.08) / len(simplex.dots)) if beside else 0.055
    for n, dot in enumerate(simplex.dots):
        x, y = (1.2, _TOP - step * n) if beside else (0.0, -0.19 - step * n)
        text = plain(wrapped(dot.label, 60))
        ax.text(x, y, text, fontsize=7.5, va="center", color=MARKS[dot.verdict].ink)
