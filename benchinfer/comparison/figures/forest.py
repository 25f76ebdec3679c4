"""Forest plot of contrasts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from benchinfer.comparison.comparison import pair_order, pair_places
from benchinfer.core.numbers import count
from benchinfer.core.verdict import Verdict, words
from benchinfer.plots.style import (
    BAND,
    FAINT,
    HAIR,
    INK,
    MARKS,
    PAGE,
    Width,
    is_wide,
    measure_name,
    name_axis,
    signed,
    ticks,
)
from benchinfer.plots.text import plain, pt, short, widest, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.core.measure import Measure


_BESIDE = 52  # characters of label and verdict that leave enough of the width to the intervals


@dataclass(frozen=True, slots=True)
class Row:
    """One pair.

    Attributes
    ----------
    pair
        Index of the pair in the comparison.
    label
        The pair, first algorithm first.
    verdict, said
        The verdict, and in words with the name of the better algorithm.
    estimate, low, high
        Effect and interval in the measure's own unit; the interval is None without inference.
    group
        Place of the pair's better placed algorithm; pairs of one group are together.
    """

    pair: int
    label: str
    verdict: Verdict
    said: str
    estimate: float
    low: float | None
    high: float | None
    group: int


@dataclass(frozen=True, slots=True)
class Forest:
    """Layout of a forest plot.

    Attributes
    ----------
    rows
        Pairs from top to bottom.
    neutral
        The effect that means "no difference".
    band
        The effects within the tolerance, None where there is no tolerance.
    log
        Whether the axis is logarithmic.
    left
        The verdict that lies to the left of the neutral value.
    title, axis, notes
        Heading, name of the axis, and the lines below it.
    width
        The room that there is.
    beside
        Whether label and verdict are next to the interval; without room, they are above it.
    alt
        Text alternative.
    """

    rows: tuple[Row, ...]
    neutral: float
    band: tuple[float, float] | None
    log: bool
    left: Literal[Verdict.FIRST, Verdict.SECOND]
    title: str
    axis: str
    notes: tuple[str, ...]
    width: Width
    beside: bool
    alt: str


def layout(comparison: "Comparison", width: Width = PAGE) -> Forest:
    """Lay out the forest of a comparison's contrasts."""
    measure, effects = comparison.measure, comparison.effects()
    sides, places = comparison.named_sides(), pair_places(comparison, comparison.pairs)
    names = short(sorted({name for pair in sides for name in pair}), 22 if is_wide(width) else 12)
    low, high = effects.get("conf_low"), effects.get("conf_high")
    rows: list[Row] = []
    for p in pair_order(comparison):
        first, second = (names[name] for name in sides[p])
        verdict = Verdict(comparison.codes[p])
        rows.append(
            Row(
                pair=p,
                label=f"{first} vs {second}",
                verdict=verdict,
                said=words(verdict, first, second),
                estimate=float(effects["estimate"][p]),
                low=None if low is None else float(low[p]),
                high=None if high is None else float(high[p]),
                group=int(places[p].min()),
            )
        )
    return Forest(
        rows=tuple(rows),
        neutral=measure.neutral,
        band=band(measure),
        log=measure.scale != "identity",
        left=Verdict.FIRST if measure.better == "lower" else Verdict.SECOND,
        title=f"{comparison.heading}: {measure_name(measure)}",
        axis=axis_title(measure),
        notes=_notes(comparison),
        width=width,
        beside=is_wide(width) and _longest(rows) <= _BESIDE,
        alt=_alt(comparison, rows),
    )


def _longest(rows: Sequence[Row]) -> int:
    lengths = [(len(row.label), len(row.said)) for row in rows]
    return max(n for n, _ in lengths) + max(n for _, n in lengths)


def band(measure: "Measure") -> tuple[float, float] | None:
    """Return the reported effects that lie within the tolerance."""
    if measure.tolerance == 0:
        return None
    ends = measure.effect([-measure.margin, measure.margin])
    return float(ends.min()), float(ends.max())


def axis_title(measure: "Measure") -> str:
    """Name the reported effect with its direction."""
    sign = "\N{MINUS SIGN}" if measure.scale == "identity" else "/"
    unit = f" [{measure.unit}]" if measure.unit and measure.scale == "identity" else ""
    return (
        f"{measure.effect_name} in {measure_name(measure)}{unit}, first {sign} second;"
        f" {measure.better} is better"
    )


def band_note(measure: "Measure") -> str:
    """Say what the shaded band is, or nothing where there is none."""
    ends = band(measure)
    if ends is None:
        return ""
    low, high = (signed(float(f"{end:.3g}")) for end in ends)
    return f"shaded: from {low} to {high}, within the tolerance"


def _notes(comparison: "Comparison") -> tuple[str, ...]:
    tested = "p_value" in comparison.effects()
    none = "no intervals: tests decide" if tested else "no intervals: no inference"
    intervals = comparison.intervals or none
    return tuple(note for note in (intervals, band_note(comparison.measure)) if note)


def _alt(comparison: "Comparison", rows: Sequence[Row]) -> str:
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
    below = wrapped(forest.axis, _room(forest)).count("\n") + 1
    pitch = 0.25 if forest.beside else 0.38
    return forest.width, 0.55 + 0.165 * below + pitch * len(forest.rows)


def _room(forest: Forest) -> float:
    """Return the inches that the axis has."""
    if not forest.beside:
        return forest.width - 0.2
    labels, said = ([getattr(row, name) for row in forest.rows] for name in ("label", "said"))
    return forest.width - widest(labels, 9) - widest(said, 9) - 0.5


def draw(forest: Forest, ax: "Axes") -> None:
    """Draw a forest into an Axes."""
    _frame(forest, ax)
    for y, row in enumerate(forest.rows):
        mark = MARKS[row.verdict]
        at = y if forest.beside else y + 0.22  # words may have the upper half of the row
        if not forest.beside:
            _reference(forest, ax, at - 0.2, at + 0.2)
        if row.low is not None and row.high is not None:
            left, right = ax.get_xlim()
            ends = [max(row.low, left), min(row.high, right)]
            ax.plot(ends, [at, at], color=mark.colour, lw=1.6, solid_capstyle="butt")
            for x, end, head in ((left, row.low, "<"), (right, row.high, ">")):
                if not left <= end <= right:
                    ax.plot([x], [at], head, color=mark.colour, ms=5, clip_on=False)
        if math.isfinite(row.estimate):
            ax.plot(
                [row.estimate],
                [at],
                mark.marker,
                color=mark.colour,
                ms=5.5,
                mfc=mark.colour if mark.filled else "white",
                mew=1.3,
            )
    if forest.beside:
        _reference(forest, ax, -0.6, len(forest.rows) - 0.4)
    (_words_beside if forest.beside else _words_above)(forest, ax)


def _frame(forest: Forest, ax: "Axes") -> None:
    """Axes, reference lines, and which side favours whom."""
    low, high = _limits(forest)
    if forest.log:
        ax.set_xscale("log")
    ax.set_xlim(low, high)
    ax.set_ylim(len(forest.rows) - 0.4, -0.6)
    _ticks(forest, ax, low, high)
    for y, (above, below) in enumerate(zip(forest.rows, forest.rows[1:], strict=False)):
        if above.group != below.group:
            ax.axhline(y + 0.5, color=HAIR, lw=0.7, zorder=0)
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    name_axis(ax, forest.axis, _room(forest))
    right = Verdict.SECOND if forest.left == Verdict.FIRST else Verdict.FIRST
    for x, align, verdict, text in (
        (0, "left", forest.left, "\N{LEFTWARDS ARROW} {} better"),
        (1, "right", right, "{} better \N{RIGHTWARDS ARROW}"),
    ):
        ax.annotate(
            text.format(verdict.label),
            (x, 1),
            (0, 5),
            xycoords="axes fraction",
            textcoords="offset points",
            ha=align,
            fontsize=pt(8.5),
            color=MARKS[verdict].ink,
        )


def _reference(forest: Forest, ax: "Axes", top: float, bottom: float) -> None:
    """Draw the neutral value and the band, where there is no text."""
    ends = [top, bottom]
    if forest.band is not None:
        ax.fill_betweenx(ends, *forest.band, color=BAND, lw=0, zorder=0)
    ax.plot([forest.neutral] * 2, ends, color=INK, lw=0.9, zorder=1, solid_capstyle="butt")


def _limits(forest: Forest) -> tuple[float, float]:
    """Return the range of the axis: everything finite, the neutral value and the band."""
    ends = [forest.neutral, *(forest.band or ())]
    for row in forest.rows:
        ends += [end for end in (row.estimate, row.low, row.high) if end is not None]
    if forest.log:
        logs = [math.log(end) for end in ends if math.isfinite(end) and end > 0]
        pad = 0.04 * (max(logs) - min(logs)) or 0.1
        return math.exp(min(logs) - pad), math.exp(max(logs) + pad)
    finite = [end for end in ends if math.isfinite(end)]
    pad = 0.04 * (max(finite) - min(finite)) or 1.0
    return min(finite) - pad, max(finite) + pad


def _ticks(forest: Forest, ax: "Axes", low: float, high: float) -> None:
    n = 7 if is_wide(forest.width) else 5
    ax.xaxis.set_major_locator(FixedLocator(ticks(low, high, n, log=forest.log)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value)))
    ax.xaxis.set_minor_locator(FixedLocator([]))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(axis="x", labelsize=pt(8.5), color=FAINT, labelcolor=INK)


def _words_beside(forest: Forest, ax: "Axes") -> None:
    ax.set_yticks(
        range(len(forest.rows)),
        [plain(row.label) for row in forest.rows],
        fontsize=pt(9),
        color=INK,
    )
    ax.tick_params(axis="y", length=0)
    beside = ax.secondary_yaxis("right")
    beside.set_yticks(
        range(len(forest.rows)), [plain(row.said) for row in forest.rows], fontsize=pt(9)
    )
    beside.tick_params(axis="y", length=0)
    beside.spines["right"].set_visible(False)
    for row, label in zip(forest.rows, beside.get_yticklabels(), strict=True):
        label.set_color(MARKS[row.verdict].ink)


def _words_above(forest: Forest, ax: "Axes") -> None:
    ax.set_yticks([])
    for y, row in enumerate(forest.rows):
        for x, align, text, ink in (
            (0, "left", row.label, INK),
            (1, "right", row.said, MARKS[row.verdict].ink),
        ):
            ax.text(
                x,
                y - 0.06,
                plain(text),
                transform=ax.get_yaxis_transform(),
                ha=align,
                va="bottom",
                fontsize=pt(8.5),
                color=ink,
            )
