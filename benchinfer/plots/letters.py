"""What a relation does not tell apart: bars, or letters where bars cannot say all.

The columns are the groups of `Relation.letters`: two algorithms share one if and only if they were
compared and neither is preferred.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.phrases import count
from benchinfer.numerics.distances import generalised_ranks
from benchinfer.numerics.letters import letters
from benchinfer.order.relation import Verdict
from benchinfer.plots import caption
from benchinfer.plots.rank_groups import letter
from benchinfer.plots.style import FAINT, HAIR, INK, Width, lines, plain, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.order.relation import Relation

_PITCH, _ROW, _LETTER = 0.2, 0.25, 0.072  # inches of a column, a row, and a letter of a name


@dataclass(frozen=True, slots=True)
class Letters:
    """Where everything stands.

    Attributes
    ----------
    rows
        Names by mean rank in the relation, best first.
    ranks
        These ranks in words.
    columns
        Rows of the members of each group.
    bars
        Whether each group is a run of rows, so that bars say all.
    title, note
        Heading, and how to read it.
    width
        Of the screen.
    alt
        Text alternative.
    """

    rows: tuple[str, ...]
    ranks: tuple[str, ...]
    columns: tuple[tuple[int, ...], ...]
    bars: bool
    title: str
    note: tuple[str, ...]
    width: Width
    alt: str


def layout(relation: "Relation", width: Width = "wide") -> Letters:
    """Lay out the groups of algorithms that a relation does not tell apart.

    Parameters
    ----------
    relation
        Any relation.
    width
        ``"narrow"`` for shorter names.
    """
    ranks = generalised_ranks(relation.states)
    order = np.argsort(ranks, kind="stable")
    states = relation.states[np.ix_(order, order)]
    missing = states == Verdict.MISSING
    groups = letters(np.isin(states, (Verdict.FIRST, Verdict.SECOND)) | missing)
    bars = all(group[-1] - group[0] == len(group) - 1 for group in groups)
    shown = [group for group in groups if len(group) > 1] if bars else groups
    names = short(relation.algorithms, 30 if width == "wide" else 18)
    rows = [names[relation.algorithms[i]] for i in order.tolist()]
    marks = ["\N{MULTIPLICATION SIGN} " if row.any() else "" for row in missing]
    what = "neither is preferred: not told apart, or equivalent"
    if bars:
        note = f"of two that a bar joins, {what}" if shown else "no bar: all are told apart"
        said = "; ".join(", ".join(rows[m] for m in group) for group in shown) or "none"
        said = f"Bars join: {said}"
    else:
        note = f"of two that share a letter, {what}; bars could not show all of it"
        said = "Letters: " + ", ".join(
            f"{row} {''.join(letter(n) for n, group in enumerate(shown) if m in group)}"
            for m, row in enumerate(rows)
        )
    left = count(int(missing.sum()) // 2, "pair")
    absent = f"\N{MULTIPLICATION SIGN} has pairs not compared ({left}), which nothing joins"
    return Letters(
        rows=tuple(mark + row for mark, row in zip(marks, rows, strict=True)),
        ranks=tuple(f"{ranks[i]:g}" for i in order.tolist()),
        columns=tuple(shown),
        bars=bars,
        title="What is not told apart",
        note=(
            note,
            "number: rank, of wins and losses; 1 is best",
            *((absent,) if missing.any() else ()),
        ),
        width=width,
        alt=f"Algorithms by rank, best first: {', '.join(rows)}. {said}.",
    )


def _names(laid: Letters) -> float:
    return _LETTER * max(map(len, laid.rows), default=0) + 0.55


def _across(laid: Letters) -> float:
    return max(3.75 if laid.width == "narrow" else 5.0, _names(laid) + _columns(laid) + 0.2)


def _columns(laid: Letters) -> float:
    return _PITCH * max(len(laid.columns), 1)


def size(laid: Letters) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    across = _across(laid)
    return across, 0.2 + caption.height(laid.title, laid.note, across) + _ROW * len(laid.rows)


def draw(laid: Letters, ax: "Axes") -> None:
    """Draw names and groups into an Axes."""
    across, names, k = _across(laid), _names(laid), len(laid.rows)
    ax.set_xlim(0, across)
    ax.set_ylim(k - 0.5, -0.5)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    caption.write(ax, laid.title, laid.note, across)
    for y, (name, rank) in enumerate(zip(laid.rows, laid.ranks, strict=True)):
        for x, text, align, colour in (
            (0.35, rank, "right", FAINT),
            (0.45, name, "left", INK),
        ):
            ax.text(x, y, plain(text), ha=align, va="center", fontsize=8.5, color=colour)
    at = [names + (n + 0.5) * _PITCH for n in range(len(laid.columns))]
    if laid.bars:
        ends = zip(at, laid.columns, strict=True)
        lines(ax, [(x, g[0] - 0.3, x, g[-1] + 0.3) for x, g in ends], INK, 3.6)
        return
    lines(ax, [(0.0, y + 0.5, across, y + 0.5) for y in range(k - 1)], HAIR, 0.5, zorder=0)
    for n, (x, group) in enumerate(zip(at, laid.columns, strict=True)):
        for y in group:
            ax.text(x, y, letter(n), ha="center", va="center_baseline", fontsize=8.5, color=INK)
