"""Null distribution of the global statistic: what it would be if all algorithms were alike."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray
from scipy.special import chdtri, gammaln, xlogy

from benchinfer.order.relation import Verdict
from benchinfer.plots.style import (
    FAINT,
    INK,
    MARKS,
    Width,
    measure_name,
    plain,
    signed,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.compare.permutation_comparison import PermutationComparison

type Array = NDArray[np.float64]

_BAR = "#8DB9D6"
_KINDS = {
    "exact": ("exact", "all {n} arrangements within blocks"),
    "monte-carlo": ("Monte Carlo", "{n} random arrangements within blocks"),
    "asymptotic": ("asymptotic", ""),
}


@dataclass(frozen=True, slots=True)
class NullDistribution:
    """What is drawn.

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
    title, axis, note
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
    note: tuple[str, ...]
    width: Width
    alt: str


def layout(comparison: "PermutationComparison", width: Width = "wide") -> NullDistribution:
    """Lay out the null distribution of the first of the global tests.

    Parameters
    ----------
    comparison
        Any permutation comparison.
    width
        Of the screen.
    """
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
        note=tuple(note),
        width=width,
        alt=f"Null distribution of the {test.test} of {name}, {kind}: the scores at hand have"
        f" {found.quadratic:.4g}, {p}; the limit is chi-squared with {found.df} df.",
    )


def _density(x: Array, df: int) -> Array:
    """Return the density of chi-squared."""
    half = df / 2
    return np.exp(xlogy(half - 1, x) - x / 2 - half * np.log(2) - gammaln(half))


def _words(null: NullDistribution) -> tuple[str, str]:
    columns = 84 if null.width == "wide" else 44
    below = [wrapped(null.axis, columns), *(wrapped(line, columns) for line in null.note)]
    return wrapped(null.title, 70 if null.width == "wide" else 38), "\n".join(below)


def size(null: NullDistribution) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    above, below = (text.count("\n") + 1 for text in _words(null))
    return 6.4 if null.width == "wide" else 3.75, 1.9 + 0.17 * (above + below)


def draw(null: NullDistribution, ax: "Axes") -> None:
    """Draw the distribution into an Axes."""
    title, below = _words(null)
    ax.set_xlim(0, null.right)
    ax.set_ylim(0, null.top)
    if len(null.heights):
        edges = np.arange(len(null.heights) + 1) * null.step
        ax.stairs(null.heights, edges, fill=True, color=_BAR, lw=0)
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
        ax.text(0.85 * null.right, y, said, color=colour.ink, fontsize=8.5, ha="right", va="center")
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
            fontsize=8.5,
        )
    ax.set_yticks([])
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value)))
    ax.tick_params(axis="x", labelsize=8.5, color=FAINT, labelcolor=INK)
    ax.set_xlabel(plain(below), loc="left", fontsize=8.5, color=INK, linespacing=1.35)
    ax.set_title(plain(title), loc="left", fontsize=10, fontweight="bold", color=INK, pad=8)
