"""Critical-difference diagram of any comparison.

After Demsar (2006), Journal of Machine Learning Research 7, 1-30; bars and letters are those of the
comparison's own verdicts, whatever test they come from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison.effects import level_writer
from benchinfer.comparison.wording import level_title, reversals
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count, join
from benchinfer.core.verdict import SHAPES, Verdict
from benchinfer.numerics.types import Array
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import (
    FAINT,
    INK,
    MARKS,
    PAGE,
    Width,
    bare,
    lines,
    measure_name,
    signed,
    ticks,
)
from benchinfer.plots.text import across, fitted, key, plain, pt, widest, wrapped
from benchinfer.relations.figures.pairs import Groups, group
from benchinfer.relations.ranks import LETTERED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.comparison.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers of the algorithms on the axis.

    Attributes
    ----------
    values, quality
        (K,) the numbers, and numbers in the same or in the opposite order of which larger is
        better.
    texts
        (K,) the numbers as text.
    name, axis
        What they are, and the name of the axis.
    integer
        Whether the axis goes from whole number to whole number.
    ruler
        The difference that decides each pair, and what it is; None where there is none.
    log
        Whether the axis is logarithmic.
    """

    values: Array
    quality: Array
    texts: tuple[str, ...]
    name: str
    axis: str
    integer: bool = False
    ruler: tuple[float, str] | None = None
    log: bool = False


def levels(comparison: Comparison) -> Scale:
    """Return the scale of the axis for the estimated levels."""
    measure, quality = comparison.measure, comparison.levels.estimate
    table = comparison.summary()
    values = table["estimate"].to_numpy(dtype=np.float64)
    if not np.isfinite(values).all():
        raise DesignError(
            f"{count(int((~np.isfinite(values)).sum()), 'algorithm')} of {len(values)} have no"
            " level that an axis could show.",
            hint='the "forest" figure shows the contrasts.',
        )
    write = level_writer(comparison, table)
    against = ", relative to the mean of the algorithms" if comparison._relative else ""
    return Scale(
        values=values,
        quality=quality,
        texts=tuple(write(value) for value in values),
        name="level",
        axis=f"{level_title(comparison)}{against}",
        log=measure.scale == "log" and not comparison.levels.better and bool((values > 0).all()),
    )


def layout(comparison: Comparison, width: Width = PAGE) -> CriticalDifference:
    """Return the layout of a critical-difference diagram over the estimated levels."""
    return layout_on(comparison, levels, width)


@dataclass(frozen=True, slots=True)
class Label:
    """Label of tied algorithms, which share a stem of the diagram.

    Attributes
    ----------
    text
        Lines.
    x
        Place on the axis.
    y
        Row of the first line, counted down from the axis.
    side
        1 on the right, -1 on the left.
    symbol, colour
        The verdict against the control, and its colour.
    bold
        Whether it is the control.
    """

    text: tuple[str, ...]
    x: float
    y: float
    side: int
    symbol: str = ""
    colour: str = INK
    bold: bool = False


@dataclass(frozen=True, slots=True)
class CriticalDifference(Layout):
    """Layout of the figure: across in inches from the left end of the axis, down in rows.

    Attributes
    ----------
    labels
        One for each number, the best first.
    bars
        From, to, and row.
    ticks
        Place and text.
    ruler
        From, to and words of the critical difference; None if verdicts do not come from one.
    length, margins
        Inches of the axis, and on its left and its right.
    rows
        Down to the last label.
    """

    labels: tuple[Label, ...]
    bars: tuple[tuple[float, float, float], ...]
    ticks: tuple[tuple[float, str], ...]
    ruler: tuple[float, float, str] | None
    length: float
    margins: tuple[float, float]
    rows: float


_ROW = 0.2  # inches
_BAR = 0.42  # rows between two bars
_OVER = 0.05  # inches that a bar goes beyond its stems
_LEAST = 0.28  # of the width that an axis needs
_TICKS = 1.1  # inches in which two ticks have room
_FREE = 0.2  # inches on the side of the axis that has no labels
_MOST = 60  # labels below each other


def layout_on(
    comparison: Comparison, scale_of: Callable[..., Scale], width: Width
) -> CriticalDifference:
    """Return the layout of a critical-difference diagram on the axis of a scale."""
    if not comparison.pairs.real.any():
        raise DesignError(
            "no pair of algorithms has a verdict that an axis could join.",
            hint='contrasts="tukey" compares all pairs.',
        )
    scale, measure = scale_of(comparison), comparison.measure
    groups = group(comparison.relation().states, -scale.quality)
    if groups.kind == "letters" and len(comparison.algorithms) > LETTERED:
        groups = replace(groups, kind="ranks", letters=_ranks(comparison))
    # The better side is that of all figures of the measure.
    right = measure.better == "higher"
    ends = _ends(scale)
    top = 0.5 + _BAR * (1 + max((level for *_, level in groups.bars), default=-1)) + 0.4
    labels, margins, names = _labels_in(comparison, groups, scale, top, width, right=right)
    length = max(width - sum(margins) - 0.1, 0.5)

    order = np.argsort(scale.quality)
    larger_is_better = bool(scale.values[order[-1]] >= scale.values[order[0]])

    def place(value: float) -> float:
        low, value, high = (math.log(x) if scale.log else x for x in (ends[0], value, ends[1]))
        share = (value - low) / (high - low)
        return length * (share if right == larger_is_better else 1 - share)

    at = [place(float(value)) for value in scale.values]
    labels = tuple(replace(label, x=at[groups.ties[k][0]]) for k, label in enumerate(labels))
    name = measure_name(measure)
    cd = scale.ruler
    fits = cd is not None and cd[0] <= ends[1] - ends[0]
    side = "right" if right else "left"
    ruler = None
    if cd is not None and fits:
        long = length * cd[0] / (ends[1] - ends[0])
        ruler = (length - long, length, cd[1]) if right else (0.0, long, cd[1])
    return CriticalDifference(
        labels=labels,
        bars=_bars(groups, at),
        ticks=tuple((place(value), signed(value)) for value in _ticks(scale, ends, length)),
        ruler=ruler,
        length=length,
        margins=margins,
        rows=max(label.y + len(label.text) for label in labels),
        title=f"{scale.name.capitalize()}s and verdicts: {name}",
        axis=f"{scale.axis}: better to the {side}",
        notes=(
            *_notes(comparison, groups, scale),
            *key(names),
            *filter(None, [reversals(comparison, scale.quality, mark="")]),
            *([f"{cd[1]}: longer than the axis"] if cd and not fits else []),
        ),
        width=width,
        alt=_alt(comparison, groups, scale, name),
    )


def _ranks(comparison: Comparison) -> tuple[str, ...]:
    """Return the ranks that the verdicts leave to each algorithm, in words."""
    left = comparison.pairs.possible_ranks
    ends = [left[name] for name in comparison.algorithms]
    return tuple(f"{low}" if low == high else f"{low}\N{EN DASH}{high}" for low, high in ends)


def _ends(scale: Scale) -> tuple[float, float]:
    """Return the ends of the axis, with room for the ruler on an integer scale."""
    low, high = float(scale.values.min()), float(scale.values.max())
    if scale.integer:
        start = math.floor(low)
        room = start + math.ceil(scale.ruler[0]) if scale.ruler else start
        return start, max(math.ceil(high), min(room, len(scale.values)), start + 1)
    if scale.log:
        pad = (high / low) ** 0.03 if high > low else 1.1
        return low / pad, high * pad
    pad = 0.03 * (high - low) or 0.1 * abs(low) or 1.0
    return low - pad, high + pad


def _ticks(scale: Scale, ends: tuple[float, float], length: float) -> list[float]:
    """Return as many round ticks as fit on the axis without overlap."""
    low, high = ends
    marks = list[float]()
    for most in (8, 6, 5, 4, 3, 2):
        marks = (
            _integer_ticks(low, high, most)
            if scale.integer
            else ticks(low, high, most, log=scale.log)
        )
        if sum(across(signed(value)) + 0.15 for value in marks) <= length:
            return marks
    if scale.integer:
        return [low, high]
    outer = marks[:: max(len(marks) - 1, 1)]
    return outer if sum(across(signed(value)) + 0.1 for value in outer) <= length else []


def _integer_ticks(low: float, high: float, most: int) -> list[float]:
    steps = (1, 2, 5, 10, 20, 50, 100, 10**6)
    step = next(step for step in steps if (high - low) / step <= most)
    marks = [float(n) for n in range(math.ceil(low / step) * step, int(high) + 1, step)]
    # The best rank there can be is a mark of its own where the next one is not close.
    return [1.0, *marks] if low == 1 and step > 2 else marks


def _labels_in(
    comparison: Comparison, groups: Groups, scale: Scale, top: float, width: Width, *, right: bool
) -> tuple[list[Label], tuple[float, float], dict[str, str]]:
    """Return labels that leave room for the axis, its margins in inches, and the fitted names.

    On both sides, else on both without numbers, which the axis has too, else all on the better
    side; names are cut where that is not enough.
    """
    bare = replace(scale, texts=("",) * len(scale.texts))
    sides = (2, 1) if len(groups.ties) <= _MOST else (2,)
    full = fitted(comparison.algorithms, math.inf)
    labels, margins = list[Label](), (0.0, 0.0)
    for n, one in ((n, one) for n in sides for one in (scale, bare)):
        labels = _labels(comparison, groups, one, top, full, n, right=right)
        margins = _margins(labels)
        if width - sum(margins) - 0.1 >= _LEAST * width:
            return labels, margins, full
    other = sides[-1] * (max(margins) - widest(list(full.values()))) + (2 - sides[-1]) * _FREE
    room = (width - max(_LEAST * width, _TICKS) - other - 0.1) / sides[-1]
    names = fitted(comparison.algorithms, max(room, 0.45))
    labels = _labels(comparison, groups, bare, top, names, sides[-1], right=right)
    return labels, _margins(labels), names


def _margins(labels: Sequence[Label]) -> tuple[float, float]:
    """Return the inches that labels take on the left and on the right of the axis."""
    left, right = (
        [
            across(line, bold=label.bold) + 0.1 * bool(label.symbol)
            for label in labels
            for line in label.text
            if label.side == side
        ]
        for side in (-1, 1)
    )
    both = max(left + right) + 0.3  # an axis between labels is in the middle
    return both if left else _FREE, both if right else _FREE


def _labels(
    comparison: Comparison,
    groups: Groups,
    scale: Scale,
    top: float,
    names: Mapping[str, str],
    sides: int,
    *,
    right: bool,
) -> list[Label]:
    """Return the labels, the better half on the better side of the axis, outermost on top.

    With one side all are on the better one, the best on top.
    """
    algorithms = comparison.algorithms
    without = set(groups.missing.ravel().tolist()) if groups.kind != "control" else set[int]()
    half = (len(groups.ties) + 1) // 2 if sides == 2 else len(groups.ties)
    better = 1 if right else -1
    placed: list[Label] = []
    for side, ties in ((better, groups.ties[:half]), (-better, groups.ties[half:][::-1])):
        y = top
        for tie in ties:
            text = [
                names[algorithms[m]]
                + (f" ({groups.letters[m]})" if groups.letters else "")
                + (" \N{MULTIPLICATION SIGN}" if m in without else "")
                for m in tie
            ]
            number = scale.texts[tie[0]]
            text[0] = (f"{text[0]}  {number}" if side < 0 else f"{number}  {text[0]}").strip()
            symbol, colour = _against(comparison, groups.control, tie)
            placed.append(Label(tuple(text), 0.0, y, side, symbol, colour, groups.control in tie))
            y += len(text)
    return [*placed[:half], *placed[half:][::-1]]


def _against(comparison: Comparison, control: int, tie: tuple[int, ...]) -> tuple[str, str]:
    """Return symbol and colour of the verdict against the control, if tied algorithms share it."""
    codes = {int(comparison.relation().states[m, control]) for m in tie}
    if control < 0 or control in tie or len(codes) > 1:
        return "", INK
    verdict = Verdict(codes.pop())
    return SHAPES[verdict], MARKS[verdict].ink


def _bars(groups: Groups, at: list[float]) -> tuple[tuple[float, float, float], ...]:
    """Return the bars; none reaches halfway to a stem that it does not join."""
    place = [at[tie[0]] for tie in groups.ties]
    bars: list[tuple[float, float, float]] = []
    for first, last, level in groups.bars:
        before = abs(place[first - 1] - place[first]) if first else 3 * _OVER
        after = abs(place[last] - place[last + 1]) if last + 1 < len(place) else 3 * _OVER
        same_level = (
            (place[first], min(_OVER, before / 3)),
            (place[last], min(_OVER, after / 3)),
        )
        (low, under), (high, over) = sorted(same_level)
        bars.append((low - under, high + over, 0.5 + _BAR * level))
    return tuple(bars)


def _joined(comparison: Comparison) -> str:
    return "undecided" + (" or equivalent" if comparison.measure.tolerance > 0 else "")


def _notes(comparison: Comparison, groups: Groups, scale: Scale) -> tuple[str, ...]:
    """Return notes that explain bars, letters or marks, and count the pairs without a verdict."""
    what, k = _joined(comparison), len(comparison.algorithms)
    if groups.kind == "control":
        name = comparison.algorithms[groups.control]
        against = np.delete(comparison.relation().states[:, groups.control], groups.control)
        codes = sorted({int(c) for c in against}, reverse=True)
        word = comparison._comparative.words
        marks = [f"{SHAPES[c]} {word[c.label]}" for c in map(Verdict, codes)]
        first = f"bold: the control {name}; against it {', '.join(marks)}"
    elif groups.kind == "ranks":
        first = (
            f"in brackets: the ranks, of {k}, that verdicts leave; bars could not show all of them,"
            " and the matrix does"
        )
    elif groups.kind == "letters":
        runs = any("\N{EN DASH}" in text for text in groups.letters)
        short = " (a\N{EN DASH}d: a, b, c, d)" if runs else ""
        first = (
            f"algorithms that share a letter{short} are {what}; bars could not show all verdicts"
        )
    elif groups.bars:
        first = f"a bar joins algorithms of which each two are {what}"
    elif k == 2:
        first = "the two are decided"
    else:
        first = "no bar: each two that were compared are decided"
    decide = f"verdicts are those of the contrasts, not of the distance between {scale.name}s"
    notes = [first, *([decide] if scale.ruler is None else [])]
    if len(groups.missing) and groups.kind != "control":
        notes.append(
            f"\N{MULTIPLICATION SIGN}: {count(len(groups.missing), 'pair')} without a verdict;"
            " these are not joined"
        )
    return tuple(notes)


def _alt(comparison: Comparison, groups: Groups, scale: Scale, name: str) -> str:
    """Return the text alternative: numbers, groups, and the order."""
    algorithms = comparison.algorithms
    order = [m for tie in groups.ties for m in tie]
    said = join([f"{algorithms[m]} {scale.texts[m]}" for m in order])
    parts = ""
    if groups.kind == "bars":
        runs = [
            join([algorithms[m] for tie in groups.ties[first : last + 1] for m in tie])
            for first, last, _ in groups.bars
        ]
        parts = f" Bars join what is {_joined(comparison)}: {'; '.join(runs) or 'nothing'}."
    elif groups.kind == "letters":
        texts = join([f"{algorithms[m]} {groups.letters[m]}" for m in order])
        parts = f" Those that share a letter are {_joined(comparison)}: {texts}."
    elif groups.kind == "ranks":
        texts = join([f"{algorithms[m]} {groups.letters[m]}" for m in order])
        parts = f" Ranks that the verdicts leave: {texts}."
    head = f"{scale.name.capitalize()}s in {name}, best first"
    return f"{head}: {said}.{parts} {comparison.relation()}."


def _head(d: CriticalDifference) -> float:
    """Rows above the axis: tick labels, the name of the axis, the ruler."""
    return (3.6 if d.ruler else 2.3) + 0.85 * wrapped(d.axis, d.width - 0.3).count("\n")


def size(d: CriticalDifference) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return d.width, 0.1 + _ROW * (_head(d) + d.rows)


def draw(d: CriticalDifference, ax: Axes) -> None:
    """Draw the diagram into an Axes."""
    ax.set_xlim(-d.margins[0], d.length + d.margins[1])
    ax.set_ylim(d.rows - 0.3, -_head(d))
    bare(ax)
    lines(ax, [(0, 0, d.length, 0), *((x, -0.3, x, 0) for x, _ in d.ticks)], INK, 1.1)
    for x, text in d.ticks:
        ax.text(x, -0.4, text, fontsize=pt(8.5), color=INK, ha="center", va="bottom")
    named = plain(wrapped(d.axis, d.width - 0.3))
    # Where all labels are on one side, the name of the axis may go on above them.
    x, align = {_FREE: (0.0, "left")}.get(d.margins[0], (d.length / 2, "center"))
    x, align = {_FREE: (d.length, "right")}.get(d.margins[1], (x, align))
    ax.text(x, -1.35, named, fontsize=pt(8.5), color=INK, ha=align, va="bottom")
    for low, high, y in d.bars:
        ax.plot((low, high), (y, y), color=INK, lw=3.6, solid_capstyle="butt", zorder=4)
    _draw_labels(d, ax)
    if d.ruler:
        low, high, text = d.ruler
        y = -2.5 - 0.85 * named.count("\n")
        ends = [(low, y, high, y), *((x, y - 0.2, x, y + 0.2) for x in (low, high))]
        lines(ax, ends, INK, 1.4)
        left = low == 0
        ax.text(
            0 if left else d.length,
            y - 0.3,
            plain(text),
            fontsize=pt(8.5),
            color=INK,
            ha="left" if left else "right",
            va="bottom",
        )


def _draw_labels(d: CriticalDifference, ax: Axes) -> None:
    ends = [(0.0, d.length)[label.side > 0] + 0.12 * label.side for label in d.labels]
    segments = [
        part
        for label, end in zip(d.labels, ends, strict=True)
        for part in (
            (label.x, 0.0, label.x, label.y),
            (label.x, label.y, end, label.y),
            (end, label.y, end, label.y + len(label.text) - 1),  # joins those in one place
        )
    ]
    lines(ax, segments, FAINT, 0.8, zorder=2)
    for label, end in zip(d.labels, ends, strict=True):
        for n, line in enumerate(label.text):
            mark = label.symbol if n == 0 else ""
            text = f"{mark} {line}" if label.side > 0 else f"{line} {mark}"
            ax.text(
                end + 0.05 * label.side,
                label.y + n,
                plain(text.strip()),
                fontsize=pt(8.5),
                color=label.colour,
                fontweight="bold" if label.bold else "normal",
                ha="left" if label.side > 0 else "right",
                va="center",
            )
