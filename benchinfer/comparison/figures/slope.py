"""Slope chart of ranks: a line for each algorithm over the data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.cluster import hierarchy

from benchinfer.comparison.figures.standing import standing
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.numerics.types import Array
from benchinfer.plots.curves import STYLES
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import (
    FAINT,
    HAIR,
    HIGHLIGHT,
    INK,
    PAGE,
    Width,
    is_wide,
    lines,
    measure_name,
    spread_apart,
)
from benchinfer.plots.text import fitted, key, plain, pt, widest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.scores.table import ScoreTable


_MANY = 6  # algorithms that are shown unless more are asked for, of more than so many and two
_MOST = {True: 24, False: 10}  # data sets by whether a figure is wide: more lines are a tangle
_ROW, _HEADS, _NAMES = 0.24, 1.3, 1.5  # inches of a rank, of names of data sets, of algorithms


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope(Layout):
    """Layout of the figure.

    Attributes
    ----------
    algorithms
        Names as they are written, best mean rank first.
    datasets
        Names as they are written; those with like ranks side by side.
    rank
        (D, K) ranks among all algorithms of the table.
    mean
        (K,) mean ranks.
    highlight
        Which algorithms have the colour of highlights, all others being grey; empty for none.
    """

    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    rank: Array
    mean: Array
    highlight: frozenset[int]


def layout(
    scores: ScoreTable,
    width: Width = PAGE,
    *,
    top: int | None = None,
    algorithms: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
    highlight: Sequence[str] = (),
) -> Slope:
    """Return the layout of the ranks of the best algorithms on each data set.

    Raises
    ------
    DesignError
        There is one data set, or there are more than lines can be followed over.
    """
    table = standing(scores, algorithms, order)
    d, most = len(table.datasets), _MOST[is_wide(width)]
    if d < 2 or d > most:
        raise DesignError(
            f"a slope chart is of 2 to {most} data sets at this width, and there are {d:,}.",
            hint='kind="heatmap" shows the scores of all.' if d > 1 else 'kind="boxes" shows one.',
        )
    few = None if algorithms is not None or len(table.algorithms) <= _MANY + 2 else _MANY
    shown = table.algorithms[: few if top is None else top]
    shown = (
        *shown,
        *(name for name in highlight if name in table.algorithms and name not in shown),
    )
    part = table.of(shown)
    by = hierarchy.leaves_list(hierarchy.average(np.nan_to_num(part.rank, nan=part.of_all)))
    names = fitted(shown, _NAMES if is_wide(width) else 0.9)
    heads = fitted(part.datasets, _HEADS)
    measure = table.measure
    return Slope(
        algorithms=tuple(names[name] for name in shown),
        datasets=tuple(heads[part.datasets[i]] for i in by),
        rank=part.rank[by],
        mean=np.nanmean(part.rank, axis=0),
        highlight=frozenset(a for a, name in enumerate(shown) if name in highlight),
        title=f"Ranks on each data set: {measure_name(measure)}",
        notes=(
            (
                f"1 is best, {measure.better} {measure_name(measure)} is better; equal scores share"
                " the mean of their ranks"
            ),
            "at the right: mean rank; data sets with like ranks stand together",
            *(
                (f"the {len(shown)} of {table.of_all} algorithms with the best mean ranks",)
                if len(shown) < table.of_all and algorithms is None
                else (f"ranks among all {table.of_all} algorithms",)
                if len(shown) < table.of_all
                else ()
            ),
            *(("gap in a line: no score",) if np.isnan(part.rank).any() else ()),
            *key(names),
            *key(heads),
        ),
        width=width,
        alt=f"Ranks of {count(len(shown), 'algorithm')} on {count(d, 'data set')}; by mean rank: "
        + ", ".join(
            f"{a} {m:.2f}" for a, m in zip(shown, np.nanmean(part.rank, axis=0), strict=True)
        )
        + ".",
    )


def _ends(laid: Slope) -> tuple[float, float]:
    """Return the best and the worst rank that a line reaches."""
    return float(np.nanmin(laid.rank)), float(np.nanmax(laid.rank))


def _rows(laid: Slope) -> float:
    low, high = _ends(laid)
    return max(len(laid.algorithms), min(high - low + 1, 2.0 * len(laid.algorithms)))


def size(laid: Slope) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    heads = widest(list(laid.datasets)) if _turned(laid) else 0.2
    return laid.width, 0.35 + heads + _ROW * _rows(laid)


def _turned(laid: Slope) -> bool:
    room = (laid.width - (1 + is_wide(laid.width)) * widest(list(laid.algorithms)) - 0.8) / len(
        laid.datasets
    )
    return widest(list(laid.datasets)) > room - 0.08


def draw(laid: Slope, ax: Axes) -> None:
    """Draw the lines of ranks into an Axes."""
    d, k = laid.rank.shape
    low, high = _ends(laid)
    lines(ax, [(x, low, x, high) for x in range(d)], HAIR, 0.7, zorder=0)
    for a in reversed(range(k)):
        colour, dash = _style(laid, a)
        wide, above = (2.6, 1) if a in laid.highlight else (1.6, 0)
        ax.plot(range(d), laid.rank[:, a], color=colour, ls=dash, lw=wide, zorder=2 + above)
        ax.plot(
            range(d),
            laid.rank[:, a],
            "o",
            color=colour,
            ms=4.5,
            mec="white",
            mew=0.6,
            zorder=3 + above,
        )
    pad = 0.5 * (high - low + 1) / _rows(laid)
    ax.set_ylim(high + pad, low - pad)
    ax.set_xlim(-0.15, d - 0.85)
    _name_lines(laid, ax)
    ax.xaxis.tick_top()
    ax.set_xticks(range(d), [plain(n) for n in laid.datasets], fontsize=pt(8.5), color=INK)
    ax.tick_params(axis="x", rotation=90 if _turned(laid) else 0)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def _style(laid: Slope, a: int) -> tuple[str, Any]:
    """Return colour and dashes of a line."""
    if a in laid.highlight:
        return HIGHLIGHT, "-"
    return ("#A0A5AC", "-") if laid.highlight or a >= len(STYLES) else STYLES[a]


def _name_lines(laid: Slope, ax: Axes) -> None:
    """Write names at the ends of the lines, apart from each other, and mean ranks at the right."""
    k = len(laid.algorithms)
    apart = (_ends(laid)[1] - _ends(laid)[0] + 1) / _rows(laid) * 0.82
    ends = ((0, "left"), (len(laid.datasets) - 1, "right"))
    for x, side in ends if is_wide(laid.width) else ends[1:]:
        at = np.where(np.isnan(laid.rank[x]), laid.mean, laid.rank[x])
        for a, y in zip(range(k), spread_apart(at, apart), strict=True):
            said = (
                laid.algorithms[a]
                if side == "left"
                else f"{laid.algorithms[a]}  {laid.mean[a]:.2f}"
            )
            ax.annotate(
                plain(said),
                (x, y),
                (-8 if side == "left" else 8, 0),
                textcoords="offset points",
                ha="right" if side == "left" else "left",
                va="center",
                fontsize=pt(8.5),
                color=INK if a < len(STYLES) else FAINT,
            )
    ax.set_yticks([])
