"""Multi-comparison matrix: difference, wins, ties and losses, and p-value of each pair.

After Ismail-Fawaz et al. (2023), https://arxiv.org/abs/2305.11921; here verdicts give the colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison import wording
from benchinfer.comparison.figures.forest import axis_title
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import count, p_value, significant
from benchinfer.core.verdict import Verdict, code
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import INK, MARKS, PAGE, Width, is_wide, measure_name
from benchinfer.plots.text import fitted, key, plain, pt, widest
from benchinfer.plots.tiles import FILL, squares

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.comparison.comparison import Comparison


# Points of the numbers; inches of a line, around the lines of a cell, and of heads at most.
_SIZE, _LINE, _PAD, _HEADS = 7.5, 0.135, 0.1, 1.6
_LEAST, _MOST = 0.5, 0.95  # inches across of a cell


@dataclass(frozen=True, slots=True)
class PairCell:
    """A pair: the row's algorithm against the column's, with its verdict and lines of text."""

    row: int
    column: int
    verdict: Verdict
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiComparison(Layout):
    """Layout of the figure.

    Attributes
    ----------
    cells
        One for each pair that was compared.
    rows, columns
        Algorithms as they are written, best first, that are the first or the second of some pair.
    tile
        Inches across and down of a cell.
    """

    cells: tuple[PairCell, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    tile: tuple[float, float]


def layout(
    comparison: Comparison,
    width: Width = PAGE,
    *,
    top: int | None = None,
    algorithms: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
    highlight: Sequence[str] = (),
) -> MultiComparison:
    """Return the layout of a cell for each pair of the best algorithms, as many as have room.

    Raises
    ------
    DesignError
        No two algorithms are compared, or more are asked for than have room.
    """
    texts = _texts(comparison, order)
    if not texts:
        raise DesignError(
            "no two single algorithms are compared, and there is no cell.",
            hint='kind="forest" shows all contrasts.',
        )
    wide = min(
        max(widest([t for _, content in texts.values() for t in content], _SIZE) + 0.1, _LEAST), 2
    )
    ranking = [*(order or ()), *(n for n in comparison.ranking() if n not in (order or ()))]
    names = _shown(comparison, ranking, _room(ranking, width, wide), top, algorithms, highlight)
    there = {pair: content for pair, content in texts.items() if {*pair} <= {*names}}
    rows = [name for name in names if any(first == name for first, _ in there)]
    columns = [name for name in names if any(second == name for _, second in there)]
    size_ = 8.5 if is_wide(width) else 7.5
    labels = fitted(names, min(0.3 * width, _HEADS), size_)
    across = (width - widest([labels[name] for name in rows], size_) - 0.3) / len(columns)
    tile = (
        min(across, max(_MOST, wide)),
        _PAD + _LINE * max(len(content) for _, content in there.values()),
    )
    cells = tuple(
        PairCell(rows.index(first), columns.index(second), verdict, content)
        for (first, second), (verdict, content) in there.items()
    )
    decided = sum(cell.verdict in (Verdict.FIRST, Verdict.SECOND) for cell in cells)
    return MultiComparison(
        cells=cells,
        rows=tuple(labels[name] for name in rows),
        columns=tuple(labels[name] for name in columns),
        tile=tile,
        title=f"Multi-comparison matrix: {measure_name(comparison.measure)}",
        notes=(*_notes(comparison, len(names)), *key(labels)),
        width=width,
        alt=f"Multi-comparison matrix of {count(len(names), 'algorithm')}, best first:"
        f" {', '.join(names)}; {decided} of {count(len(cells), 'pair')} decided.",
    )


def _texts(
    comparison: Comparison, order: Sequence[str] | None
) -> dict[tuple[str, str], tuple[Verdict, tuple[str, ...]]]:
    """Return verdict and lines of each pair of single algorithms, the better-ranked one first."""
    table = comparison.contrasts(order="result" if order is None else order, all=True)
    known = {name: k for k, name in enumerate(comparison.algorithms)}
    tested = "p_value" in table
    chance = "prob_first" in table and not tested
    texts: dict[tuple[str, str], tuple[Verdict, tuple[str, ...]]] = {}
    for row in table.to_dict("records"):
        pair = str(row["first"]), str(row["second"])
        if not {*pair} <= {*known}:
            continue
        content = [significant(float(row["estimate"]), 2).replace("-", "\N{MINUS SIGN}")]
        if comparison.setting.has_quartiles:
            content.append("/".join(map(str, _won(comparison, *(known[name] for name in pair)))))
        if tested:
            content.append(f"p {p_value(float(row['p_value']))}")
        if chance:
            content.append(f"P {float(row['prob_first']):.2f}")
        texts[pair] = code(row["verdict"]), tuple(content)
    return texts


def _won(comparison: Comparison, first: int, second: int) -> tuple[int, int, int]:
    """Return on how many data sets the first one's median is better, as good, and worse."""
    measure, middle = comparison.measure, comparison.setting.quantiles[..., 2]
    both = ~np.isnan(middle[:, [first, second]]).any(axis=1)
    one, other = measure.orient(middle[both, first]), measure.orient(middle[both, second])
    near = np.isclose(one, other, rtol=1e-9, atol=0)
    near |= abs(one - other) <= measure.margin * (1 + 1e-9)
    won = int((~near & (one > other)).sum())
    return won, int(near.sum()), len(near) - won - int(near.sum())


def _room(names: Sequence[str], width: Width, wide: float) -> int:
    """Return how many algorithms have room: one more than columns."""
    size_ = 8.5 if is_wide(width) else 7.5
    labels = fitted(names, min(0.3 * width, _HEADS), size_)
    room = width - widest([*labels.values()], size_) - 0.3
    return max(int(room / wide), 1) + 1


def _shown(
    comparison: Comparison,
    ranking: Sequence[str],
    room: int,
    top: int | None,
    algorithms: Sequence[str] | None,
    highlight: Sequence[str],
) -> list[str]:
    """Return the algorithms that are shown: the best ones, and those that are to stand out."""
    for name in algorithms or ():
        if name not in comparison.algorithms:
            raise ArgumentError(unknown("algorithm", name, comparison.algorithms))
    names = [name for name in ranking if algorithms is None or name in algorithms][:top]
    if len(names) <= room:
        return names
    if top is not None or algorithms is not None:
        raise DesignError(
            f"a multi-comparison matrix of this width has room for {room} algorithms, not"
            f" {len(names)}.",
            hint=f'top={room}, a larger width=, or kind="matrix", which has the verdicts alone.',
        )
    stressed = [name for name in highlight if name in names][:room]
    selection = {
        *stressed,
        *[name for name in names if name not in stressed][: room - len(stressed)],
    }
    return [name for name in names if name in selection]


def _notes(comparison: Comparison, shown: int) -> tuple[str, ...]:
    """Return what the lines of a cell and its colours are."""
    measure, setting = comparison.measure, comparison.setting
    effects = comparison._effects()
    tie = f"within {wording.margin(measure)}" if measure.tolerance else "equal"
    lines = [axis_title(measure).replace("first", "row").replace("second", "column")]
    if setting.has_quartiles:
        many = count(len(setting.coverage.datasets), "data set")
        lines.append(f"wins/ties/losses of the row on {many} by median scores, ties {tie}")
    if "p_value" in effects:
        lines.append("adjusted p-value")
    elif "prob_first" in effects:
        lines.append("probability that the row is better")
    best = f'the {shown} best of {len(comparison.algorithms)}; kind="matrix" has all'
    return (
        f"in a cell: {'; '.join(lines)}",
        "blue: the row is better, orange: the column; green: equivalent; grey: undecided",
        *((best,) if shown < len(comparison.algorithms) else ()),
    )


def size(laid: MultiComparison) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return laid.width, 0.12 + _head_room(laid) + laid.tile[1] * len(laid.rows)


def _font(laid: MultiComparison) -> float:
    return 8.5 if is_wide(laid.width) else 7.5


def _turned(laid: MultiComparison) -> bool:
    return widest(laid.columns, _font(laid)) > laid.tile[0] - 0.08


def _head_room(laid: MultiComparison) -> float:
    return widest(laid.columns, _font(laid)) + 0.1 if _turned(laid) else 0.22


def draw(laid: MultiComparison, ax: Axes) -> None:
    """Draw a multi-comparison matrix into an Axes."""
    across, down = laid.tile
    for verdict, fill in FILL.items():
        squares(ax, [(c.column, c.row) for c in laid.cells if c.verdict == verdict], fill)
    for cell in laid.cells:
        for n, text in enumerate(cell.texts):
            ax.text(
                cell.column,
                cell.row + (n - (len(cell.texts) - 1) / 2) * _LINE / down,
                plain(text),
                ha="center",
                va="center_baseline",
                fontsize=pt(_SIZE),
                fontweight="bold" if n == 0 else "normal",
                color=MARKS[cell.verdict].ink,
            )
    ax.set_xlim(-0.5, len(laid.columns) - 0.5)
    ax.set_ylim(len(laid.rows) - 0.5, -0.5)
    ax.spines[:].set_visible(False)
    ax.set_anchor("NW")
    ax.set_box_aspect(down * len(laid.rows) / (across * len(laid.columns)))
    ax.xaxis.tick_top()
    for axis, names in ((ax.xaxis, laid.columns), (ax.yaxis, laid.rows)):
        written = [plain(name) for name in names]
        axis.set_ticks(range(len(names)), written, fontsize=pt(_font(laid)), color=INK)
    ax.tick_params(axis="x", rotation=90 if _turned(laid) else 0)
    ax.tick_params(length=0)
