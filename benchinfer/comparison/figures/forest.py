"""Forest plot of contrasts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

from benchinfer.comparison.wording import interval_words
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import unknown
from benchinfer.core.numbers import count
from benchinfer.core.verdict import Comparative, Verdict, code, words
from benchinfer.plots import bars
from benchinfer.plots.style import (
    BAND,
    HAIR,
    INK,
    MARKS,
    PAGE,
    Mark,
    Width,
    lines,
    measure_name,
    signed,
)
from benchinfer.plots.text import across, fitted, key, plain, pt, widest

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from benchinfer.comparison.comparison import Comparison, Order
    from benchinfer.core.measure import Measure


MANY = 12  # of more algorithms the pairs with one of them are shown


@dataclass(frozen=True, slots=True)
class Row:
    """One pair.

    Attributes
    ----------
    pair
        Index of the pair in the comparison.
    label
        The pair, the better-ranked algorithm first.
    verdict, said
        The verdict, and in words with the name of the better algorithm, or its place in the pair.
    estimate, low, high
        Effect and interval in the measure's own unit; the interval is None without inference.
    group
        The first algorithm of the pair; pairs of one group are together.
    """

    pair: int
    label: str
    verdict: Verdict
    said: str
    estimate: float
    low: float | None
    high: float | None
    group: str

    @property
    def value(self) -> float:
        """Value at which the mark is drawn."""
        return self.estimate


@dataclass(frozen=True, slots=True)
class Forest(bars.Strips[Row]):
    """Layout of a forest plot.

    Attributes
    ----------
    neutral
        The effect that means "no difference".
    band
        The effects within the tolerance, None where there is no tolerance.
    log
        Whether the axis is logarithmic.
    left
        The verdict that lies to the left of the neutral value.
    sides
        What the first and the second one of a pair are called above the axis.
    comparative
        Words for the one that is put first.
    """

    neutral: float
    band: tuple[float, float] | None
    log: bool
    left: Literal[Verdict.FIRST, Verdict.SECOND]
    sides: tuple[str, str]
    comparative: Comparative


def layout(
    comparison: Comparison,
    width: Width = PAGE,
    *,
    top: int | None = None,
    pair: tuple[str, str] | None = None,
    algorithms: Sequence[str] | None = None,
    order: Order | None = None,
) -> Forest:
    """Return the layout of a forest plot of contrasts, better-ranked algorithms first."""
    measure = comparison.measure
    contrasts = comparison.contrasts(order="result" if order is None else order, all=True)
    table, what = _chosen(comparison, contrasts, pair, algorithms)
    table = table.iloc[:top]
    sides = {
        (str(first), str(second))
        for first, second in zip(table["first"], table["second"], strict=True)
    }
    laid = Forest(
        rows=(),
        neutral=measure.neutral,
        band=band(measure),
        log=measure.scale != "identity",
        left=Verdict.FIRST if measure.better == "lower" else Verdict.SECOND,
        sides=sides.pop() if len(sides) == 1 else ("first", "second"),
        title=f"{comparison._heading}: {measure_name(measure)}",
        axis=axis_title(measure),
        notes=(),
        width=width,
        alt="",
        comparative=comparison._comparative,
    )
    rows, names = _rows_in(table, laid)
    more = f"{len(rows):,} of {len(contrasts):,} pairs, {what}; others can be chosen"
    left_out = (more,) if what and len(rows) < len(contrasts) else ()
    notes = *_notes(comparison, rows), *left_out, *key(names)
    return replace(laid, rows=rows, notes=notes, alt=_alt(comparison, rows))


def _chosen(
    comparison: Comparison,
    table: pd.DataFrame,
    pair: tuple[str, str] | None,
    algorithms: Sequence[str] | None,
) -> tuple[pd.DataFrame, str]:
    """Return the contrasts to show, and the criterion of their selection in words."""
    known = {*table["first"], *table["second"]}
    if strange := [name for name in (*(pair or ()), *(algorithms or ())) if name not in known]:
        raise ArgumentError(unknown("algorithm", strange[0], sorted(known)))
    if pair is not None:
        both = table["first"].isin(pair) & table["second"].isin(pair)
        if not both.any():
            raise ArgumentError(
                f"{pair[0]!r} and {pair[1]!r} were not compared.", hint="see contrasts()."
            )
        return table[both], ""
    if algorithms is not None:
        return table[table["first"].isin(algorithms) & table["second"].isin(algorithms)], ""
    best = comparison.ranking()[0]
    with_best = (table["first"] == best) | (table["second"] == best)
    if len(known) > MANY and len(table) > 2 * len(known) and with_best.any():
        return table[with_best], f"those with the best by its estimate, {best}"
    return table, "the first ones by the ranking"


def _rows_in(table: pd.DataFrame, laid: Forest) -> tuple[tuple[Row, ...], dict[str, str]]:
    """Return rows whose labels fit next to the intervals or above them, and the fitted names.

    Verdicts name the better one if that leaves both names of the pair whole, or else its place in
    the pair; where that is not enough, names are cut.
    """
    order, room = sorted({*table["first"], *table["second"]}), laid.width - 0.4
    names = fitted(order, math.inf)
    both = [_rows(table, names, laid.comparative, named=named) for named in (True, False)]
    for rows in both:
        if bars.fits(replace(laid, rows=rows)):
            return rows, names
    for rows in both:
        if widest([row.label + row.said for row in rows]) <= room:
            return rows, names
    room -= across(" vs ") + widest([row.said for row in both[1]])
    names = fitted(order, room / 2)
    return _rows(table, names, laid.comparative, named=False), names


def _rows(
    table: pd.DataFrame, names: Mapping[str, str], comparative: Comparative, *, named: bool
) -> tuple[Row, ...]:
    """Return a row for each contrast, its verdict worded by the winner's name or side."""
    bounded = "conf_low" in table
    rows: list[Row] = []
    for p, row in table.iterrows():
        first, second, verdict = names[row["first"]], names[row["second"]], code(row["verdict"])
        sides = (first, second) if named else ("first", "second")
        rows.append(
            Row(
                pair=int(p),  # pyright: ignore[reportArgumentType]
                label=f"{first} vs {second}",
                verdict=verdict,
                said=words(verdict, *sides, comparative),
                estimate=float(row["estimate"]),
                low=float(row["conf_low"]) if bounded else None,
                high=float(row["conf_high"]) if bounded else None,
                group=str(row["first"]),
            )
        )
    return tuple(rows)


def band(measure: Measure) -> tuple[float, float] | None:
    """Return the reported effects that lie within the tolerance."""
    if measure.tolerance == 0:
        return None
    ends = measure.effect([-measure.margin, measure.margin])
    return float(ends.min()), float(ends.max())


def axis_title(measure: Measure) -> str:
    """Return the title of the axis: the reported effect, its unit and its direction."""
    sign = "\N{MINUS SIGN}" if measure.scale == "identity" else "/"
    unit = measure.unit_mark if measure.scale == "identity" else ""
    return (
        f"{measure.effect_name} in {measure_name(measure)}{unit}, first {sign} second;"
        f" {measure.better} is better"
    )


def band_note(measure: Measure) -> str:
    """Return the note on the shaded tolerance band; empty without a tolerance."""
    ends = band(measure)
    if ends is None:
        return ""
    low, high = (signed(float(f"{end:.3g}")) for end in ends)
    return f"shaded: from {low} to {high}, within the tolerance"


def _notes(comparison: Comparison, rows: Sequence[Row]) -> tuple[str, ...]:
    tested = "p_value" in comparison._effects()
    none = "no intervals: tests decide" if tested else "no intervals: no inference"
    shown = [row.pair for row in rows]
    intervals = interval_words(comparison, shown) or none
    notes = intervals, comparison._interval_note(shown), band_note(comparison.measure)
    return tuple(note for note in notes if note)


def _alt(comparison: Comparison, rows: Sequence[Row]) -> str:
    counts = [
        (sum(row.verdict in kinds for row in rows), text)
        for kinds, text in (
            ({Verdict.FIRST, Verdict.SECOND}, "decided"),
            ({Verdict.EQUIVALENT}, "equivalent"),
            ({Verdict.UNDECIDED}, "undecided"),
            ({Verdict.MISSING}, "without data"),
        )
    ]
    said = ", ".join(f"{n} {text}" for n, text in counts if n)
    return (
        f"Forest plot of {count(len(rows), 'pair')} of algorithms,"
        f" {axis_title(comparison.measure)}: {said}. The table of contrasts holds the same numbers."
    )


def size(forest: Forest) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    wide, down = bars.size_strips(forest)
    return wide, down + 0.2


def draw(forest: Forest, ax: Axes) -> None:
    """Draw a forest into an Axes."""
    in_columns, n = bars.fits(forest), len(forest.rows)
    shift = 0.0 if in_columns else 0.2
    ends = limits(forest.rows, forest.neutral, forest.band, log=forest.log)
    bars.frame(forest, ax, ends, log=forest.log)
    ax.grid(visible=False)
    word = forest.comparative.first
    room = bars.room_of_axis(forest) / 2 - across(f"\N{LEFTWARDS ARROW}  {word}") - 0.1
    # Where there is no room for a name, rows or notes say which is first.
    sides = fitted(forest.sides, room)
    first, second = forest.sides if [*sides.values()] == [*forest.sides] else ("first", "second")
    named = {Verdict.FIRST: f"{first} {word}", Verdict.SECOND: f"{second} {word}"}
    name_sides(ax, forest.left, named)
    spans = [(-0.55, n - 0.45)] if in_columns else [(y + 0.02, y + 0.38) for y in range(n)]
    draw_reference(forest.neutral, forest.band, ax, spans)
    groups = [y for y in range(1, n) if forest.rows[y].group != forest.rows[y - 1].group]
    for y in groups:
        ax.axhline(y - 0.5, color=HAIR, lw=0.7, zorder=0)
    draw_marks([(y + shift, row) for y, row in enumerate(forest.rows)], ax)
    bars.write(forest, ax, aligned=in_columns, inks=[MARKS[row.verdict].ink for row in forest.rows])
    ax.spines["left"].set_visible(False)


class Contrast(Protocol):
    """An effect with its verdict, and an interval where there is inference."""

    @property
    def verdict(self) -> Verdict: ...  # noqa: D102
    @property
    def estimate(self) -> float: ...  # noqa: D102
    @property
    def low(self) -> float | None: ...  # noqa: D102
    @property
    def high(self) -> float | None: ...  # noqa: D102


def name_sides(ax: Axes, left: Verdict, texts: Mapping[Verdict, str]) -> None:
    """Write above the axis which algorithm each side of it favours."""
    for verdict, text in texts.items():
        x, align, said = 1, "right", f"{text} \N{RIGHTWARDS ARROW}"
        if verdict == left:
            x, align, said = 0, "left", f"\N{LEFTWARDS ARROW} {text}"
        ax.annotate(
            plain(said),
            (x, 1),
            (0, 5),
            xycoords="axes fraction",
            textcoords="offset points",
            ha=align,
            fontsize=pt(8.5),
            color=MARKS[verdict].ink,
        )


def draw_reference(
    neutral: float,
    near: tuple[float, float] | None,
    ax: Axes,
    spans: Sequence[tuple[float, float]],
) -> None:
    """Draw the neutral value and the band along spans of rows."""
    for top, bottom in spans:
        if near is not None:
            ax.fill_betweenx([top, bottom], *near, color=BAND, lw=0, zorder=0)
    lines(ax, [(neutral, top, neutral, bottom) for top, bottom in spans], INK, 0.9, zorder=1)


def draw_marks(rows: Sequence[tuple[float, Contrast]], ax: Axes, *, upright: bool = False) -> None:
    """Draw intervals and estimates at heights; an arrow where an end is off the axis.

    If `upright`, they run up the y axis, at places along the x axis.
    """
    for verdict in Verdict:
        same_verdict = [(at, row) for at, row in rows if row.verdict == verdict]
        if same_verdict:
            _draw_marks(same_verdict, MARKS[verdict], ax, -1 if upright else 1)


def _draw_marks(
    rows: Sequence[tuple[float, Contrast]], mark: Mark, ax: Axes, step: Literal[1, -1]
) -> None:
    """Draw marks of one verdict; coordinates are taken in the order of `step`."""
    left, right = ax.get_xlim() if step == 1 else ax.get_ylim()
    known = [(at, r.low, r.high) for at, r in rows if r.low is not None and r.high is not None]
    ends = [(max(low, left), at, min(high, right), at) for at, low, high in known]
    turned = [(y0, x0, y1, x1) for x0, y0, x1, y1 in ends]
    lines(ax, ends if step == 1 else turned, mark.colour, 1.6)
    for x, head, beyond in (
        (left, "<v"[step < 0], [at for at, low, _ in known if low < left]),
        (right, ">^"[step < 0], [at for at, _, high in known if high > right]),
    ):
        if beyond:
            places = ([x] * len(beyond), beyond)[::step]
            ax.plot(*places, head, color=mark.colour, ms=5, clip_on=False)
    finite = [(row.estimate, at)[::step] for at, row in rows if math.isfinite(row.estimate)]
    if finite:
        ax.plot(
            *zip(*finite, strict=True),
            mark.marker,
            color=mark.colour,
            mfc=mark.colour if mark.filled else "white",
            ms=5.5,
            mew=1.3,
            zorder=4,
        )


def limits(
    rows: Sequence[Contrast], neutral: float, near: tuple[float, float] | None, *, log: bool
) -> tuple[float, float]:
    """Return the range of the axis: everything finite, the neutral value and the band."""
    ends = [neutral, *(near or ())]
    for row in rows:
        ends += [end for end in (row.estimate, row.low, row.high) if end is not None]
    return bars.room(ends, log=log)
