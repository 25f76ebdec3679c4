"""Figures of permutation tests: critical differences, null distribution.

After Demsar (2006), Journal of Machine Learning Research 7, 1-30; bars and letters are those of the
comparison's own verdicts, whatever test they come from.
"""

import math
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray
from scipy.special import chdtri, gammaln, xlogy

from benchinfer.analyses.permutation.comparison import PermutationComparison
from benchinfer.comparison.figures import COMPARISON
from benchinfer.core.errors import DesignError, message
from benchinfer.core.hints import Option
from benchinfer.core.numbers import count, join
from benchinfer.core.verdict import SHAPES, Verdict, words
from benchinfer.plots.draw import Kind
from benchinfer.plots.style import (
    FAINT,
    INK,
    MARKS,
    PAGE,
    Width,
    is_wide,
    lines,
    measure_name,
    name_axis,
    signed,
)
from benchinfer.plots.text import plain, pt, short, wrapped
from benchinfer.relations.figures.pairs import Groups, group

if TYPE_CHECKING:
    from matplotlib.axes import Axes


type Array = NDArray[np.float64]


def ruler(comparison: "PermutationComparison") -> tuple[float, str] | None:
    """Return the critical difference in ranks if it is what decided each pair."""
    asked, ranks = comparison.options, comparison.ranks
    adjust = "single-step" if asked.adjust == "auto" else asked.adjust
    kinds = {
        ("tukey", "single-step"): ("nemenyi", "Nemenyi"),
        ("dunnett", "bonferroni"): ("bonferroni-dunn", "Bonferroni-Dunn"),
    }
    named = kinds.get((str(asked.contrasts), adjust))
    if (
        named is None
        or (asked.pairs, asked.on, asked.control == "best") != ("pooled", "ranks", False)
        or (comparison.alternative, set(comparison.kinds)) != ("two-sided", {"asymptotic"})
        or not ranks.complete
        or ranks.tied
    ):
        return None
    cd = comparison.critical_difference(named[0])
    i, j = comparison.pairs.T
    apart = np.abs(ranks.mean_ranks[i] - ranks.mean_ranks[j]) >= cd
    if not (apart == np.isin(comparison.codes, (Verdict.FIRST, Verdict.SECOND))).all():
        return None
    return cd, f"critical difference {cd:.2f} ({named[1]}, {100 * comparison.level:g} %)"


def _joined(comparison: "PermutationComparison") -> str:
    return "not told apart" + (" or equivalent" if comparison.measure.tolerance > 0 else "")


def note(comparison: "PermutationComparison", found: "Groups") -> tuple[str, ...]:
    """Say how to read bars, letters or marks, and which pairs have no verdict."""
    what, k = _joined(comparison), len(comparison.algorithms)
    if found.kind == "control":
        name = comparison.algorithms[found.control]
        against = np.delete(comparison.relation().states[:, found.control], found.control)
        codes = sorted({int(c) for c in against}, reverse=True)
        marks = [f"{SHAPES[Verdict(c)]} {_verdict(Verdict(c))}" for c in codes]
        first = f"bold: the control {name}; against it {', '.join(marks)}"
    elif found.kind == "letters":
        first = f"algorithms that share a letter are {what}; bars could not show all verdicts"
    elif found.bars:
        first = f"a bar joins algorithms of which each two are {what}"
    elif k == 2:
        first = "the two are told apart"
    else:
        first = "no bar: each two that were compared are told apart"
    notes = [first, "verdicts are those of the contrasts, not of the distance between mean ranks"]
    if ruler(comparison) is not None:
        notes[1:] = []
    if len(found.missing) and found.kind != "control":
        notes.append(
            f"\N{MULTIPLICATION SIGN}: {count(len(found.missing), 'pair')} without a verdict;"
            " these are not joined"
        )
    return tuple(notes)


def _verdict(verdict: Verdict) -> str:
    return {Verdict.FIRST: "better", Verdict.SECOND: "worse"}.get(
        verdict, words(verdict, "", "").replace("undecided", "not told apart")
    )


def alt(comparison: "PermutationComparison", found: "Groups", name: str) -> str:
    """Return the text alternative: ranks, groups, and the order."""
    ranks, algorithms = comparison.ranks.mean_ranks, comparison.algorithms
    order = [m for tie in found.ties for m in tie]
    said = join([f"{algorithms[m]} {ranks[m]:.2f}" for m in order])
    groups = ""
    if found.kind == "bars":
        runs = [
            join([algorithms[m] for tie in found.ties[first : last + 1] for m in tie])
            for first, last, _ in found.bars
        ]
        groups = f" Bars join what is {_joined(comparison)}: {'; '.join(runs) or 'nothing'}."
    elif found.kind == "letters":
        texts = join([f"{algorithms[m]} {found.letters[m]}" for m in order])
        groups = f" Those that share a letter are {_joined(comparison)}: {texts}."
    return f"Mean ranks in {name}, 1 is best: {said}.{groups} {comparison.relation()}."


_ROW = 0.2  # inches
_LETTER = 0.07  # inches of a character of a label
_BAR = 0.42  # rows between two bars
_OVER = 0.05  # inches that a bar goes beyond its stems


@dataclass(frozen=True, slots=True)
class Label:
    """The names that share a stem.

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
class CriticalDifference:
    """Layout of the figure: across in inches from the left end of the axis, down in rows.

    Attributes
    ----------
    labels
        One for each mean rank, the best first.
    bars
        From, to, and row.
    ticks
        Place and text.
    ruler
        From, to and words of the critical difference; None if verdicts do not come from one.
    length, margin
        Inches of the axis and on either side of it.
    rows
        Down to the last label.
    title, axis, notes
        Heading, what the axis is, and how to read the rest.
    width
        Of the screen.
    alt
        Text alternative.
    """

    labels: tuple[Label, ...]
    bars: tuple[tuple[float, float, float], ...]
    ticks: tuple[tuple[float, str], ...]
    ruler: tuple[float, float, str] | None
    length: float
    margin: float
    rows: float
    title: str
    axis: str
    notes: tuple[str, ...]
    width: Width
    alt: str


def layout_critical_difference(
    comparison: "PermutationComparison", width: Width = PAGE
) -> CriticalDifference:
    """Lay out the mean ranks and what the verdicts join."""
    states, ranks = comparison.relation().states, comparison.ranks.mean_ranks
    _refuse(comparison)
    found = group(states, ranks)
    length = 4.0 if is_wide(width) else 1.55
    cd = ruler(comparison)
    low, high = _ends(ranks, cd)

    def place(rank: float) -> float:
        return length * (high - rank) / (high - low)

    top = 0.5 + _BAR * (1 + max((level for *_, level in found.bars), default=-1)) + 0.4
    labels = _labels(comparison, found, [place(r) for r in ranks], top, width)
    longest = max(len(line) for label in labels for line in label.text)
    name = measure_name(comparison.measure)
    fits = cd is not None and cd[0] <= high - low
    return CriticalDifference(
        labels=labels,
        bars=_bars(found, [place(float(ranks[tie[0]])) for tie in found.ties]),
        ticks=tuple((place(r), str(r)) for r in _ticks(low, high, 8 if is_wide(width) else 4)),
        ruler=(length - length * cd[0] / (high - low), length, cd[1]) if cd and fits else None,
        length=length,
        margin=0.3 + _LETTER * longest,
        rows=max(label.y + len(label.text) for label in labels),
        title=f"Mean ranks: {name}",
        axis="mean rank, 1 is best: better to the right",
        notes=(
            *note(comparison, found),
            *([f"{cd[1]}: longer than the axis"] if cd and not fits else []),
        ),
        width=width,
        alt=alt(comparison, found, name),
    )


def _ends(ranks: NDArray[np.float64], cd: tuple[float, str] | None) -> tuple[int, int]:
    """Return whole ranks around all, with room for the critical difference if there are enough."""
    low = math.floor(ranks.min())
    room = low + math.ceil(cd[0]) if cd else low
    return low, max(math.ceil(ranks.max()), min(room, len(ranks)), low + 1)


def _ticks(low: int, high: int, most: int) -> list[int]:
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 10**6) if (high - low) / step <= most)
    found = list(range(math.ceil(low / step) * step, high + 1, step))
    # The best rank there can be is a mark of its own where the next one is not close.
    return [1, *found] if low == 1 and step > 2 else found


def _refuse(comparison: "PermutationComparison") -> None:
    if not (comparison.pairs >= 0).all(axis=1).any():
        raise DesignError(
            message(
                "no pair of algorithms has a verdict that ranks could be joined by.",
                hint=f"{Option('contrasts', 'tukey')} compares all pairs.",
            )
        )
    if comparison.on == "dispersion" and comparison.target == "datasets":
        raise DesignError(
            message(
                "mean ranks are of scores, but the verdicts are about their spread.",
                hint='the "forest" figure shows the spreads.',
            )
        )


def _labels(
    comparison: "PermutationComparison",
    found: Groups,
    place: list[float],
    top: float,
    width: Width,
) -> tuple[Label, ...]:
    """Set the better half on the right and the others on the left, outermost on top."""
    limit = 24 if is_wide(width) else 13
    names, algorithms = short(comparison.algorithms, limit), comparison.algorithms
    without = set(found.missing.ravel().tolist()) if found.kind != "control" else set[int]()
    half = (len(found.ties) + 1) // 2
    sides = [(1, found.ties[:half]), (-1, found.ties[half:][::-1])]
    placed: list[Label] = []
    for side, ties in sides:
        y = top
        for tie in ties:
            said = [
                names[algorithms[m]]
                + (f" ({found.letters[m]})" if found.letters else "")
                + (" \N{MULTIPLICATION SIGN}" if m in without else "")
                for m in tie
            ]
            rank = f"{comparison.ranks.mean_ranks[tie[0]]:.2f}"
            text = textwrap.wrap(", ".join(said), 2 * limit, break_long_words=False)
            text[0] = f"{text[0]}  {rank}" if side < 0 else f"{rank}  {text[0]}"
            symbol, colour = _against(comparison, found.control, tie)
            bold = found.control in tie
            placed.append(Label(tuple(text), place[tie[0]], y, side, symbol, colour, bold))
            y += len(text)
    best, others = placed[:half], placed[half:]
    return (*best, *others[::-1])


def _against(
    comparison: "PermutationComparison", control: int, tie: tuple[int, ...]
) -> tuple[str, str]:
    """Return symbol and colour of the verdict against the control; of several, if it is one."""
    codes = {int(comparison.relation().states[m, control]) for m in tie}
    if control < 0 or control in tie or len(codes) > 1:
        return "", INK
    verdict = Verdict(codes.pop())
    return SHAPES[verdict], MARKS[verdict].ink


def _bars(found: Groups, place: list[float]) -> tuple[tuple[float, float, float], ...]:
    """Return the bars; none reaches halfway to a stem that it does not join."""
    bars: list[tuple[float, float, float]] = []
    for first, last, level in found.bars:
        # Better ranks are on the right.
        right = place[first] + min(_OVER, (place[first - 1] - place[first]) / 3 if first else _OVER)
        after = place[last] - place[last + 1] if last + 1 < len(place) else 3 * _OVER
        bars.append((place[last] - min(_OVER, after / 3), right, 0.5 + _BAR * level))
    return tuple(bars)


def _head(d: CriticalDifference) -> float:
    """Rows above the axis: tick labels, the name of the axis, the ruler."""
    return 3.6 if d.ruler else 2.3


def size_critical_difference(d: CriticalDifference) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return d.length + 2 * d.margin + 0.1, 0.1 + _ROW * (_head(d) + d.rows)


def draw_critical_difference(d: CriticalDifference, ax: "Axes") -> None:
    """Draw the diagram into an Axes."""
    ax.set_xlim(-d.margin, d.length + d.margin)
    ax.set_ylim(d.rows - 0.3, -_head(d))
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    lines(ax, [(0, 0, d.length, 0), *((x, -0.3, x, 0) for x, _ in d.ticks)], INK, 1.1)
    for x, text in d.ticks:
        ax.text(x, -0.4, text, fontsize=pt(8.5), color=INK, ha="center", va="bottom")
    ax.text(d.length / 2, -1.35, d.axis, fontsize=pt(8.5), color=INK, ha="center", va="bottom")
    for low, high, y in d.bars:
        ax.plot((low, high), (y, y), color=INK, lw=3.6, solid_capstyle="butt", zorder=4)
    _draw_labels(d, ax)
    if d.ruler:
        low, high, text = d.ruler
        ends = [(low, -2.5, high, -2.5), *((x, -2.7, x, -2.3) for x in (low, high))]
        lines(ax, ends, INK, 1.4)
        ax.text(d.length, -2.8, plain(text), fontsize=pt(8.5), color=INK, ha="right", va="bottom")


def _draw_labels(d: CriticalDifference, ax: "Axes") -> None:
    ends = [(0.0, d.length)[label.side > 0] + 0.12 * label.side for label in d.labels]
    segments = [
        part
        for label, end in zip(d.labels, ends, strict=True)
        for part in ((label.x, 0.0, label.x, label.y), (label.x, label.y, end, label.y))
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


_BAR_COLOUR = "#8DB9D6"
_KINDS = {
    "exact": ("exact", "all {n} arrangements within blocks"),
    "monte-carlo": ("Monte Carlo", "{n} random arrangements within blocks"),
    "asymptotic": ("asymptotic", ""),
}


@dataclass(frozen=True, slots=True)
class NullDistribution:
    """Layout of the figure.

    Attributes
    ----------
    heights, step
        Density in each bin, and its width; no heights if asymptotic.
    curve
        (2, n) points of the density of chi-squared.
    observed
        The statistic of the scores at hand.
    right
        End of the axis; a statistic beyond is an arrow.
    top
        Height of the axis.
    title, axis, notes
        Heading, what the axis is, and how to read the rest.
    width
        Of the screen.
    alt
        Text alternative.
    """

    heights: Array
    step: float
    curve: Array
    observed: float
    right: float
    top: float
    title: str
    axis: str
    notes: tuple[str, ...]
    width: Width
    alt: str


def layout_null(comparison: "PermutationComparison", width: Width = PAGE) -> NullDistribution:
    """Lay out the null distribution of the first of the global tests."""
    found, test = comparison.pooled, comparison.rows[0]
    heights, df = found.bins[:-1] / (max(found.n, 1) * (found.bin_width or 1.0)), max(found.df, 1)
    used = float((np.flatnonzero(heights).max(initial=-1) + 1) * found.bin_width)
    end = max(used, float(chdtri(df, 1e-3)))
    # Far beyond, the scores at hand would squeeze the distribution into a corner.
    right = 1.04 * (max(end, found.quadratic) if found.quadratic <= 2.5 * end else end)
    x = np.linspace(0.0, right, 161)[1:]
    curve = np.vstack([x, _density(x, df)])
    # With one degree of freedom the density has no upper end at 0.
    peak = max(heights.max(initial=0.0), curve[1].max() if df > 1 else 0.0) or _density(x, df)[2]
    p = "p < 0.0001" if test.p_value < 1e-4 else f"p = {test.p_value:.4f}"
    kind, how = _KINDS[test.null]
    name = measure_name(comparison.measure)
    bars = [f"bars: {how.format(n=f'{found.n:,.0f}')}"] if len(heights) else []
    blocks = "if all algorithms were alike"
    note = [*bars, f"curve: its limit of many blocks, chi-squared with {found.df} df"]
    if len(heights) and found.bins[-1]:
        note.append(f"{found.bins[-1]:,} further to the right")
    return NullDistribution(
        heights=heights,
        step=found.bin_width,
        curve=curve,
        observed=found.quadratic,
        right=right,
        top=1.2 * float(peak),
        title=f"{name}: all algorithms alike? {p} ({kind})",
        axis=f"{test.test}, {blocks}",
        notes=tuple(note),
        width=width,
        alt=f"Null distribution of the {test.test} of {name}, {kind}: the scores at hand have"
        f" {found.quadratic:.4g}, {p}; the limit is chi-squared with {found.df} df.",
    )


def _density(x: Array, df: int) -> Array:
    """Return the density of chi-squared."""
    half = df / 2
    return np.exp(xlogy(half - 1, x) - x / 2 - half * np.log(2) - gammaln(half))


def size_null(null: NullDistribution) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    below = wrapped(null.axis, null.width - 0.3).count("\n") + 1
    return null.width, 1.8 + 0.165 * below


def draw_null(null: NullDistribution, ax: "Axes") -> None:
    """Draw the distribution into an Axes."""
    ax.set_xlim(0, null.right)
    ax.set_ylim(0, null.top)
    if len(null.heights):
        edges = np.arange(len(null.heights) + 1) * null.step
        ax.stairs(null.heights, edges, fill=True, color=_BAR_COLOUR, lw=0)
    ax.plot(*null.curve, color=FAINT, lw=1.2)
    colour, beyond = MARKS[Verdict.SECOND], null.observed > null.right
    said = f"observed {null.observed:.4g}"
    if beyond:
        y = 0.55 * null.top
        ax.annotate(
            "",
            (null.right, y),
            (0.86 * null.right, y),
            arrowprops={"arrowstyle": "-|>", "color": colour.colour},
        )
        ax.text(
            0.85 * null.right,
            y,
            said,
            color=colour.ink,
            fontsize=pt(8.5),
            ha="right",
            va="center",
        )
    else:
        left = null.observed > 0.7 * null.right
        ax.plot([null.observed] * 2, [0, 0.93 * null.top], color=colour.colour, lw=1.8)
        ax.annotate(
            said,
            (null.observed, 0.93 * null.top),
            (-4 if left else 4, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="top",
            color=colour.ink,
            fontsize=pt(8.5),
        )
    ax.set_yticks([])
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value)))
    ax.tick_params(axis="x", labelsize=pt(8.5), color=FAINT, labelcolor=INK)
    name_axis(ax, null.axis, null.width - 0.3)


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    PermutationComparison: {
        **COMPARISON,
        "critical-difference": Kind(
            layout_critical_difference, size_critical_difference, draw_critical_difference
        ),
        "null": Kind(layout_null, size_null, draw_null),
    },
}
