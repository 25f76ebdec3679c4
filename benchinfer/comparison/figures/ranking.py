"""Ranking of the algorithms: differences from the best one, with letters, ranks and levels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.transforms import Affine2D, ScaledTranslation, blended_transform_factory

from benchinfer.comparison.effects import level_writer
from benchinfer.comparison.figures import forest
from benchinfer.comparison.figures.forest import MANY, band, band_note
from benchinfer.comparison.wording import (
    LEFT_OPEN,
    interval_words,
    level_marks,
    level_title,
    reversals,
)
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.frames import turned
from benchinfer.core.numbers import count
from benchinfer.core.verdict import Comparative, Verdict, code
from benchinfer.numerics.types import Codes
from benchinfer.plots import bars
from benchinfer.plots.bars import Interval, Intervals
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import FAINT, HAIR, INK, PAGE, Width, measure_name
from benchinfer.plots.text import (
    across,
    axis_height,
    fitted,
    key,
    plain,
    pt,
    scale,
    widest,
)
from benchinfer.relations.figures.pairs import spelled
from benchinfer.relations.ranks import indistinct

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Transform

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.relations.relation import Relation


type Groups = tuple[tuple[int, ...], ...]
_GAP, _BAR = 0.14, 0.09  # inches between columns, and of a bar or letter
_HEAD = 0.7  # inches of the name of a column
_LEAST, _TICKS = 0.3, 1.0  # share of the width, and inches, that the axis needs


@dataclass(frozen=True, slots=True)
class Ranked:
    """One algorithm.

    Attributes
    ----------
    pair
        Index of its contrast with the reference in the comparison, -1 for none.
    name, label
        The algorithm, and its name as it is written.
    said
        Its level, rounded to its uncertainty.
    verdict
        Of the algorithm against the reference: first is better than it, second worse.
    estimate, low, high
        Its difference from the reference; NaN where the two were not compared, None of an interval
        without inference.
    marks
        Its letters, or the ranks that it may have; empty for none.
    """

    name: str
    label: str
    said: str
    pair: int
    verdict: Verdict
    estimate: float
    low: float | None
    high: float | None
    marks: str


@dataclass(frozen=True, slots=True)
class Ranking(Layout):
    """Layout of the figure.

    Attributes
    ----------
    rows
        Algorithms, best first.
    reference
        Row of the one that others are compared with: the best, or the control.
    groups
        Rows that a bar joins; empty where letters or ranks stand in their place.
    heads
        Names of the two columns on the right: letters or ranks, and levels.
    neutral, band, log, left
        As of a forest.
    role
        ``"best"`` or ``"control"``.
    comparative
        Words for the one of a pair that is put first, and for the other.
    """

    rows: tuple[Ranked, ...]
    reference: int
    groups: Groups
    heads: tuple[str, str]
    neutral: float
    band: tuple[float, float] | None
    log: bool
    left: Verdict
    role: str
    comparative: Comparative


def suits(comparison: Comparison) -> bool:
    """Return whether some algorithm, such as a control, was compared with all the others."""
    k = len(comparison.algorithms)
    return k > 1 and _compared(comparison)[1].max() == k - 1


def _compared(comparison: Comparison) -> tuple[Codes, Codes]:
    """Return the pairs of single algorithms, and the number of pairs of each algorithm."""
    pairs = comparison.pairs.index[comparison.pairs.real]
    return pairs, np.bincount(pairs.ravel(), minlength=len(comparison.algorithms))


def layout(
    comparison: Comparison,
    width: Width = PAGE,
    *,
    top: int | None = None,
    algorithms: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
) -> Ranking:
    """Return the layout of a ranking: each algorithm's difference from the best or the control."""
    shown = _shown(comparison, top, algorithms, order)
    reference, role = _reference(comparison, shown)
    table = _against(comparison, reference)
    measure, relation = comparison.measure, comparison.relation()
    groups, marks, head, read = _joined(comparison, relation, role, shown)
    level, levels = _levels(comparison, shown)
    right = _width(marks, head, groups) + _width(levels, level)
    room = max(0.3 * width, width - right - 0.35 - max(_LEAST * width, _TICKS))
    names = fitted(dict.fromkeys([*shown, reference]), room)
    if across(names[reference], bold=True) > room:
        names = fitted(names, room, bold=True)
    rows = tuple(
        Ranked(name, names[name], said, *table.get(name, _ALONE), mark)
        for name, said, mark in zip(shown, levels, marks, strict=True)
    )
    pairs = [row.pair for row in rows]
    axis = f"{measure.effect_name} in {measure_name(measure)} to"
    if measure.scale == "identity":
        axis = f"difference in {measure_name(measure)}{measure.unit_mark} from"
    total = len(comparison.algorithms)
    more = [f"{len(rows):,} of {count(total, 'algorithm')}; others can be chosen"]
    return Ranking(
        rows=rows,
        reference=shown.index(reference) if reference in shown else -1,
        groups=groups,
        heads=(head, level),
        neutral=measure.neutral,
        band=band(measure),
        log=measure.scale != "identity",
        left=Verdict.FIRST if measure.better == "lower" else Verdict.SECOND,
        role=role,
        comparative=comparison._comparative,
        title=f"{comparison._heading}: {measure_name(measure)}, {measure.better} is better",
        axis=f"{axis} {names[reference]} ({role})",
        notes=(
            *filter(None, (_reading(comparison, rows, role), comparison._interval_note(pairs))),
            *filter(None, (reversals(comparison),)),
            *filter(None, (read, band_note(measure))),
            *(more if len(rows) < total else []),
            *key(names),
        ),
        width=width,
        alt=_alt(rows, reference, level_title(comparison), comparison._comparative),
    )


_ALONE = (-1, Verdict.MISSING, math.nan, None, None)


def _shown(
    comparison: Comparison,
    top: int | None,
    algorithms: Sequence[str] | None,
    order: Sequence[str] | None,
) -> list[str]:
    """Return the algorithms that are shown, best first."""
    ranking = list(comparison.ranking() if order is None else order)
    known = comparison.algorithms
    if strange := [name for name in (*ranking, *(algorithms or ())) if name not in known]:
        raise ArgumentError(unknown("algorithm", strange[0], known))
    chosen = ranking if algorithms is None else [name for name in ranking if name in algorithms]
    return chosen[:top]


def _reference(comparison: Comparison, shown: Sequence[str]) -> tuple[str, str]:
    """Return the algorithm that the others are compared with, and its role, such as control."""
    names, k = comparison.algorithms, len(comparison.algorithms)
    pairs, times = _compared(comparison)
    if k > 2 and len(pairs) == k - 1 == times.max():
        return names[int(times.argmax())], "control"
    best = next((n for n in shown if times[names.index(n)] == k - 1), None)
    if best is None:
        raise DesignError(
            "no algorithm was compared with all others, so that there is nothing to rank by.",
            hint='the "forest" figure shows the contrasts.',
        )
    return best, "best" if best == shown[0] else "reference"


def _against(
    comparison: Comparison, reference: str
) -> dict[str, tuple[int, Verdict, float, float | None, float | None]]:
    """Return number, verdict, estimate and interval of each contrast with the reference."""
    table = comparison.contrasts(all=True)
    table = table[(table["first"] == reference) | (table["second"] == reference)]
    flipped = (table["first"] == reference).to_numpy()
    table = turned(
        table, flipped, comparison.measure.neutral, undirected=comparison.pairs.undirected
    )
    low, high = (
        table[end].tolist() if end in table else [None] * len(table)
        for end in ("conf_low", "conf_high")
    )
    verdicts = map(code, table["verdict"])
    intervals = zip(table.index, verdicts, table["estimate"].tolist(), low, high, strict=True)
    return dict(zip(table["first"], intervals, strict=True))


def _levels(comparison: Comparison, shown: Sequence[str]) -> tuple[str, list[str]]:
    """Return the name of the levels, and each as text."""
    if comparison._relative:
        return "", [""] * len(shown)
    table = comparison.summary()
    write = level_writer(comparison, table)
    levels = {
        name: f"{write(value)}{level_marks(comparison)[name]}"
        for name, value in zip(table["algorithm"], table["estimate"], strict=True)
    }
    noun, statistic = comparison.measure.display_name, comparison.levels.name
    names = (statistic.replace("{}", noun) or noun, statistic.replace("{}", "").strip(), "level")
    return next(n for n in names if n and across(n, 7.5) <= _HEAD), [levels[n] for n in shown]


def _joined(
    comparison: Comparison,
    relation: Relation,
    role: str,
    shown: Sequence[str],
) -> tuple[Groups, list[str], str, str]:
    """Return bars, letters or ranks, with the head of their column and an explanation."""
    k = len(shown)
    if role == "control" or k < 3:
        return (), [""] * k, "", ""
    if k > MANY:
        ranges = comparison.pairs.possible_ranks
        said = ["\N{EN DASH}".join(map(str, dict.fromkeys(ranges[name]))) for name in shown]
        return (), said, "ranks", f"ranks: {LEFT_OPEN}"
    what = "undecided" + (" or equivalent" if comparison.measure.tolerance > 0 else "")
    groups = indistinct(relation, shown)
    if all(group[-1] - group[0] == len(group) - 1 for group in groups):
        several = tuple(group for group in groups if len(group) > 1)
        read = f"a bar joins algorithms of which each two are {what}" if several else ""
        return several, [""] * k, "", read
    return (), spelled(groups, k), "", f"algorithms that share a letter are {what}"


def _reading(comparison: Comparison, rows: Sequence[Ranked], role: str) -> str:
    tested = "p_value" in comparison._effects()
    none = "no intervals: tests decide" if tested else "no intervals: no inference"
    codes = sorted({row.verdict for row in rows if not math.isnan(row.estimate)})
    signs = {
        Verdict.FIRST: "\N{BLACK CIRCLE}",
        Verdict.SECOND: "\N{BLACK DIAMOND}",
        Verdict.EQUIVALENT: "\N{BLACK SQUARE}",
        Verdict.UNDECIDED: "\N{WHITE CIRCLE}",
    }
    word = comparison._comparative.words
    said = ", ".join(f"{signs[v]} {word[v.label]}" for v in codes if v in signs)
    intervals = interval_words(comparison, [row.pair for row in rows if row.pair >= 0])
    return f"{said} (than the {role}); {intervals or none}"


def _alt(rows: Sequence[Ranked], reference: str, level: str, comparative: Comparative) -> str:
    word = comparative.words
    said = "; ".join(
        f"{row.name} {row.said}".strip()
        + ("" if row.name == reference else f" ({word[row.verdict.label]})")
        for row in rows
    )
    return (
        f"Ranking of {count(len(rows), 'algorithm')} by {level}, best"
        f" first, with differences from {reference}: {said}."
    )


def _columns(ranking: Ranking) -> tuple[float, float]:
    """Return the inches of the two columns on the right, each with the gap before it."""
    head, level = ranking.heads
    marks = _width([row.marks for row in ranking.rows], head, ranking.groups)
    return marks, _width([row.said for row in ranking.rows], level)


def _width(texts: Sequence[str], head: str, groups: Groups = ()) -> float:
    """Return the inches of a column of texts or bars, with the gap before it."""
    inches = _BAR * _lanes(groups)[1] if groups else max(widest(texts), widest([head], 7.5))
    return inches + _GAP if inches else 0.0


def _room(ranking: Ranking) -> float:
    """Return the width of the axis in inches."""
    labels = widest([row.label for row in ranking.rows])
    return ranking.width - labels - sum(_columns(ranking)) - 0.35


def size(ranking: Ranking) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    n = len(ranking.rows)
    below = axis_height(ranking.axis, _room(ranking))
    return ranking.width, 0.6 + below + bars.pitch(n) * n


def draw(ranking: Ranking, ax: Axes) -> None:
    """Draw the ranking into an Axes."""
    r, n = ranking, len(ranking.rows)
    limits = forest.limits(r.rows, r.neutral, r.band, log=r.log)
    bars.draw_axis(ax, r.axis, limits, _room(r), log=r.log)
    ax.set_ylim(n - 0.45, -0.55)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.hlines(np.arange(n - 1) + 0.5, 0, 1, HAIR, lw=0.5, transform=ax.get_yaxis_transform())
    forest.draw_reference(r.neutral, r.band, ax, [(-0.55, n - 0.45)])
    sides = {Verdict.FIRST: r.comparative.first, Verdict.SECOND: r.comparative.second}
    if sum(map(across, sides.values())) + 0.6 > _room(r):
        del sides[Verdict.FIRST]
    forest.name_sides(ax, r.left, sides)
    forest.draw_marks([(y, row) for y, row in enumerate(r.rows) if y != r.reference], ax)
    if r.reference >= 0:
        right = r.left == Verdict.FIRST
        ax.annotate(
            r.role,
            (r.neutral, r.reference),
            (5 if right else -5, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center",
            fontsize=pt(8.5),
            color=FAINT,
        )
    _write(r, ax)


def _write(ranking: Ranking, ax: Axes) -> None:
    """Write the names on the left, and letters, ranks and levels on the right."""
    marks, levels = _columns(ranking)
    left, right = _offset(ax, 0, -0.08), _offset(ax, 1, marks + levels + 0.05)
    middle = _offset(ax, 1, _GAP + 0.05)
    for y, row in enumerate(ranking.rows):
        weight = "bold" if y == ranking.reference else "normal"
        for text, place, align in (
            (row.label, left, "right"),
            (row.marks, middle, "left"),
            (row.said, right, "right"),
        ):
            if text:
                ax.text(
                    0,
                    y,
                    plain(text),
                    transform=place,
                    ha=align,
                    va="center",
                    fontsize=pt(8.5),
                    fontweight=weight if place is left else "normal",
                    color=INK,
                )
    for text, place, align in zip(ranking.heads, (middle, right), ("left", "right"), strict=True):
        top = blended_transform_factory(place, ax.transAxes)
        ax.annotate(
            plain(text),
            (0, 1),
            (0, 5),
            xycoords=top,
            textcoords="offset points",
            ha=align,
            fontsize=pt(7.5),
            color=FAINT,
        )
    lanes, _ = _lanes(ranking.groups)
    for lane, group in zip(lanes, ranking.groups, strict=True):
        ax.plot(
            [0, 0],
            [group[0] - 0.3, group[-1] + 0.3],
            transform=_offset(ax, 1, 0.05 + _GAP + _BAR * (lane + 0.5)),
            color=INK,
            lw=3,
            solid_capstyle="butt",
            clip_on=False,
        )


def _offset(ax: Axes, share: float, inches: float) -> Transform:
    """Return the transform to a share of the axis plus inches, at a font of 10 points."""
    figure = ax.get_figure(root=True)
    shift = ScaledTranslation(inches * scale(), 0, figure.dpi_scale_trans)  # pyright: ignore[reportOptionalMemberAccess]
    at = Affine2D().translate(share, 0) + ax.transAxes + shift
    return blended_transform_factory(at, ax.transData)


def _lanes(groups: Groups) -> tuple[list[int], int]:
    """Return the first lane free of overlap for each bar, and the number of lanes."""
    ends: list[int] = []
    lanes: list[int] = []
    for group in groups:
        lane = next((n for n, end in enumerate(ends) if end < group[0]), len(ends))
        ends[lane : lane + 1] = [group[-1]]
        lanes.append(lane)
    return lanes, len(ends)


def layout_ranks(
    comparison: Comparison, width: Width = PAGE, *, order: Sequence[str] | None = None
) -> Intervals:
    """Return the layout of the intervals of ranks that the verdicts leave open."""
    ranges = comparison.pairs.possible_ranks
    words = {name: f"{a}" if a == b else f"{a} to {b}" for name, (a, b) in ranges.items()}
    names = bars.labels(comparison.algorithms, list(words.values()), width)
    shown = comparison.ranking() if order is None else order
    rows = tuple(
        Interval(
            names[name],
            words[name],
            n,
            low,
            high,
            filled=low == high,
        )
        for n, name in enumerate(shown, 1)
        for low, high in (ranges[name],)
    )
    said = "; ".join(f"{name} {words[name]}" for name in shown)
    return Intervals(
        rows=rows,
        limits=(0.5, len(rows) + 0.5),
        log=False,
        reference=None,
        sides=("", ""),
        title=f"Ranks by {measure_name(comparison.measure)}",
        axis="rank, 1 is best",
        notes=(
            f"line: {LEFT_OPEN}",
            "dot: place by the estimate, filled where one rank is left",
            *key({name: names[name] for name in shown}),
        ),
        width=width,
        alt=f"Ranks of {count(len(rows), 'algorithm')}: {said}.",
        integers=True,
    )
