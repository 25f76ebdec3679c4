"""Figures of permutation tests: critical differences of mean ranks, null distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import chdtri, gammaln, xlogy

from benchinfer.analyses.permutation.comparison import PermutationComparison
from benchinfer.comparison.figures import COMPARISON, critical_difference
from benchinfer.comparison.figures.critical_difference import CriticalDifference, Scale
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import p_clause
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array
from benchinfer.plots.draw import Kind
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import (
    FAINT,
    INK,
    MARKS,
    PAGE,
    Width,
    measure_name,
    name_axis,
    signed,
    ticks,
)
from benchinfer.plots.text import axis_height, pt

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def ruler(comparison: PermutationComparison) -> tuple[float, str] | None:
    """Return the critical difference in ranks if it is what decided each pair."""
    options, ranks = comparison.options, comparison.ranks
    adjust = "single-step" if options.adjust == "auto" else options.adjust
    kinds = {
        ("tukey", "single-step"): ("nemenyi", "Nemenyi"),
        ("dunnett", "bonferroni"): ("bonferroni-dunn", "Bonferroni-Dunn"),
    }
    named = kinds.get((str(options.contrasts), adjust))
    if (
        named is None
        or (options.pairs, options.on, options.control == "best") != ("pooled", "ranks", False)
        or (comparison.alternative, set(comparison.kinds)) != ("two-sided", {"asymptotic"})
        or not ranks.complete
        or ranks.tied
    ):
        return None
    cd = comparison.critical_difference(named[0])
    i, j = comparison.pairs.index.T
    apart = np.abs(ranks.mean_ranks[i] - ranks.mean_ranks[j]) >= cd
    if not (apart == np.isin(comparison.pairs.codes, (Verdict.FIRST, Verdict.SECOND))).all():
        return None
    return cd, f"critical difference {cd:.2f} ({named[1]}, {100 * comparison.level:g} %)"


def mean_ranks(comparison: PermutationComparison) -> Scale:
    """Return the mean ranks as the axis of a critical-difference diagram."""
    ranks = comparison.ranks.mean_ranks
    if comparison.on == "dispersion" and comparison.target == "datasets":
        raise DesignError(
            "mean ranks are of scores, but the verdicts are about their spread.",
            hint='the "forest" figure shows the spreads.',
        )
    return Scale(
        values=ranks,
        quality=-ranks,
        texts=tuple(f"{rank:.2f}" for rank in ranks),
        name="mean rank",
        axis="mean rank, 1 is best",
        integer=True,
        ruler=ruler(comparison),
    )


def layout_critical_difference(
    comparison: PermutationComparison, width: Width = PAGE
) -> CriticalDifference:
    """Return the layout of the critical-difference diagram of mean ranks."""
    return critical_difference.layout_on(comparison, mean_ranks, width)


_BAR_COLOUR = "#8DB9D6"
_KINDS = {
    "exact": ("exact", "all {n} arrangements within blocks"),
    "monte-carlo": ("Monte Carlo", "{n} random arrangements within blocks"),
    "asymptotic": ("asymptotic", ""),
}


@dataclass(frozen=True, slots=True)
class NullDistribution(Layout):
    """Layout of the figure."""

    # heights, step: density in each bin, and its width; no heights if asymptotic
    heights: Array
    step: float
    curve: Array  # (2, n) points of the density of chi-squared
    observed: float  # the statistic of the scores at hand
    right: float  # end of the axis; a statistic beyond is an arrow
    top: float  # height of the axis


def layout_null(comparison: PermutationComparison, width: Width = PAGE) -> NullDistribution:
    """Return the layout of the null distribution of the first global test."""
    pooled, test = comparison.pooled, comparison.rows[0]
    heights = pooled.bins[:-1] / (max(pooled.n, 1) * (pooled.bin_width or 1.0))
    df = max(pooled.df, 1)
    used = float((np.flatnonzero(heights).max(initial=-1) + 1) * pooled.bin_width)
    end = max(used, float(chdtri(df, 1e-3)))
    # Far beyond, the scores at hand would squeeze the distribution into a corner.
    right = 1.04 * (max(end, pooled.quadratic) if pooled.quadratic <= 2.5 * end else end)
    x = np.linspace(0.0, right, 161)[1:]
    curve = np.vstack([x, _density(x, df)])
    # With one degree of freedom the density has no upper end at 0.
    peak = max(heights.max(initial=0.0), curve[1].max() if df > 1 else 0.0) or _density(x, df)[2]
    p = p_clause(test.p_value)
    kind, how = _KINDS[test.null]
    name = measure_name(comparison.measure)
    bars = [f"bars: {how.format(n=f'{pooled.n:,.0f}')}"] if len(heights) else []
    blocks = "if all algorithms were alike"
    note = [*bars, f"curve: its limit of many blocks, chi-squared with {pooled.df} df"]
    if len(heights) and pooled.bins[-1]:
        note.append(f"{pooled.bins[-1]:,} further to the right")
    return NullDistribution(
        heights=heights,
        step=pooled.bin_width,
        curve=curve,
        observed=pooled.quadratic,
        right=right,
        top=1.2 * float(peak),
        title=f"{name}: all algorithms alike? {p} ({kind})",
        axis=f"{test.test}, {blocks}",
        notes=tuple(note),
        width=width,
        alt=f"Null distribution of the {test.test} of {name}, {kind}: the scores at hand have"
        f" {pooled.quadratic:.4g}, {p}; the limit is chi-squared with {pooled.df} df.",
    )


def _density(x: Array, df: int) -> Array:
    """Return the density of chi-squared."""
    half = df / 2
    return np.exp(xlogy(half - 1, x) - x / 2 - half * np.log(2) - gammaln(half))


def draw_null(null: NullDistribution, ax: Axes) -> None:
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
    at = ticks(0.0, null.right, 6, log=False)
    ax.set_xticks(at, [signed(value) for value in at])
    ax.tick_params(axis="x", labelsize=pt(8.5), color=FAINT, labelcolor=INK)
    name_axis(ax, null.axis, null.width - 0.3)


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    PermutationComparison: {
        **COMPARISON,
        "critical-difference": Kind(
            layout_critical_difference, critical_difference.size, critical_difference.draw
        ),
        "null": Kind(
            layout_null,
            lambda laid: (laid.width, 1.8 + axis_height(laid.axis, laid.width - 0.3)),
            draw_null,
        ),
    },
}
