"""Verdict matrix and compact letters.

The columns are the groups of `Relation.letters`: two algorithms share one if and only if they were
compared and neither is preferred.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core.numbers import count
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array, Codes, Flags, States
from benchinfer.plots import tiles
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import FAINT, HAIR, INK, PAGE, Width, bare, lines
from benchinfer.plots.text import fitted, key, plain, pt, widest
from benchinfer.plots.tiles import Tile, Verdicts
from benchinfer.relations.numerics.distances import generalised_ranks
from benchinfer.relations.numerics.posets import letters
from benchinfer.relations.ranks import indistinct, letter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.relations.relation import Relation


# Ranks this close are equal: means of the same numbers in another order.
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Groups:
    """Layout of verdicts next to mean ranks.

    Attributes
    ----------
    ties
        Algorithms from the best mean rank on; those of equal rank in one tuple.
    kind
        ``"bars"``, ``"letters"``, ``"ranks"`` in place of many letters, or ``"control"`` where each
        pair known has the control in it.
    bars
        Of bars: first and last index into `ties`, and the level that it is drawn on.
    letters
        Of letters: those of each algorithm, K texts; of ``"ranks"``, those that are left to it.
    control
        Index of the control, -1 if none.
    missing
        (M, 2) pairs without a verdict.
    """

    ties: tuple[tuple[int, ...], ...]
    kind: str
    bars: tuple[tuple[int, int, int], ...]
    letters: tuple[str, ...]
    control: int
    missing: Codes


def group(states: States, ranks: Array) -> Groups:
    """Return the groups of algorithms as bars or, where these are not exact, as letters.

    Notes
    -----
    A pair is joined where its verdict is "undecided" or "equivalent". Bars join runs of mean ranks
    of which all pairs are to be joined; they are exact if that covers each such pair. A pair
    without a verdict is not joined.
    """
    ties = _ties(ranks)
    unknown = np.argwhere(np.triu(states == Verdict.MISSING, 1))
    control = _control(states)
    if control >= 0:
        return Groups(ties, "control", (), (), control, unknown)
    same = (states == Verdict.UNDECIDED) | (states == Verdict.EQUIVALENT)
    runs = _runs(same, ties)
    covered = np.eye(len(states), dtype=np.bool_)
    for first, last in runs:
        members = [m for tie in ties[first : last + 1] for m in tie]
        covered[np.ix_(members, members)] = True
    if (covered | ~same).all():
        return Groups(ties, "bars", _levels(runs), (), -1, unknown)
    order = [m for tie in ties for m in tie]
    texts = [""] * len(order)
    for m, text in zip(
        order, spelled(letters(~same[np.ix_(order, order)]), len(order)), strict=True
    ):
        texts[m] = text
    return Groups(ties, "letters", (), tuple(texts), -1, unknown)


def spelled(groups: Sequence[Sequence[int]], k: int) -> list[str]:
    """Return the letters of each of k items; four or more in a row as the first and the last.

    Examples
    --------
    >>> spelled([(0, 1), (1, 2), (1,), (1,), (1, 2)], 3)
    ['a', 'a\N{EN DASH}e', 'be']
    """
    texts: list[str] = []
    for m in range(k):
        runs: list[list[int]] = []
        for n in (n for n, group in enumerate(groups) if m in group):
            if runs and runs[-1][-1] == n - 1:
                runs[-1].append(n)
            else:
                runs.append([n])
        texts.append(
            "".join(
                f"{letter(run[0])}\N{EN DASH}{letter(run[-1])}"
                if len(run) > 3
                else "".join(map(letter, run))
                for run in runs
            )
        )
    return texts


def _ties(ranks: Array) -> tuple[tuple[int, ...], ...]:
    ties: list[list[int]] = []
    for m in np.argsort(ranks, kind="stable").tolist():
        if ties and ranks[m] - ranks[ties[-1][-1]] <= _SAME:
            ties[-1].append(m)
        else:
            ties.append([m])
    return tuple(tuple(sorted(tie)) for tie in ties)


def _control(states: States) -> int:
    """Return the control: the algorithm in all compared pairs, of three or more; -1 without one."""
    known = states != Verdict.MISSING
    np.fill_diagonal(known, val=False)
    k, times = len(states), known.sum(axis=1)
    n = int(known.sum()) // 2
    if k > 2 and n and n < k * (k - 1) // 2 and times.max() == n and (times == n).sum() == 1:
        return int(times.argmax())
    return -1


def _runs(same: Flags, ties: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """Return maximal runs of two or more algorithms whose pairs are all in `same`."""

    def tied(first: int, last: int) -> bool:
        members = [m for tie in ties[first : last + 1] for m in tie]
        return bool((same | np.eye(len(same), dtype=np.bool_))[np.ix_(members, members)].all())

    runs: list[tuple[int, int]] = []
    for first in range(len(ties)):
        last = first
        while last + 1 < len(ties) and tied(first, last + 1):
            last += 1
        several = last > first or len(ties[first]) > 1
        if several and tied(first, last) and not (runs and runs[-1][1] >= last):
            runs.append((first, last))
    return runs


def _levels(runs: Sequence[tuple[int, int]]) -> tuple[tuple[int, int, int], ...]:
    """Return each run (first, last) with the first level on which it overlaps no earlier run."""
    ends: list[int] = []
    levels: list[tuple[int, int, int]] = []
    for first, last in runs:
        level = next((n for n, end in enumerate(ends) if end < first), len(ends))
        ends[level : level + 1] = [last]
        levels.append((first, last, level))
    return tuple(levels)


_PITCH, _ROW = 0.2, 0.25  # inches of a column and a row
_MANY = 200  # letters in columns
_LINED = 0.05  # inches of a column in which a line and its neighbour are two


@dataclass(frozen=True, slots=True)
class Letters(Layout):
    """Layout of the figure."""

    rows: tuple[str, ...]  # names by mean rank in the relation, best first
    ranks: tuple[str, ...]  # these ranks in words
    columns: tuple[tuple[int, ...], ...]  # rows of the members of each group
    bars: bool  # whether each group is a run of rows, so that bars say all
    dots: bool = False  # whether members have dots on a line, as letters have no room


def layout_letters(
    relation: Relation, width: Width = PAGE, *, order: Sequence[str] | None = None
) -> Letters:
    """Return the layout of the compact letter display of a relation, with bars where possible."""
    order = order or relation.order
    ranks = generalised_ranks(relation.states)
    number = "number: rank, of wins and losses; 1 is best"
    if order:
        ranks = np.array([1.0 + order.index(name) for name in relation.algorithms])
        number = "number: place by the estimate"
    best_first = np.argsort(ranks, kind="stable")
    missing = relation.states[np.ix_(best_first, best_first)] == Verdict.MISSING
    groups = indistinct(relation, [relation.algorithms[i] for i in best_first.tolist()])
    bars = all(group[-1] - group[0] == len(group) - 1 for group in groups)
    shown = [group for group in groups if len(group) > 1] if bars else groups
    columns = _PITCH * min(len(shown), 8)
    names = fitted(relation.algorithms, max(0.45 * width, width - 0.72 - columns))
    best = [relation.algorithms[i] for i in best_first.tolist()]
    rows = [names[name] for name in best]
    marks = ["\N{MULTIPLICATION SIGN} " if row.any() else "" for row in missing]
    what = "neither is preferred: undecided, or equivalent"
    widest_letter = widest([letter(n) for n in range(len(shown))]) + 0.02
    crowded = sum(map(len, shown)) > _MANY or _pitch(width, rows, len(shown)) < widest_letter
    dots = not bars and crowded
    if bars:
        note = f"of two that a bar joins, {what}" if shown else "no bar: all pairs are decided"
        said = "; ".join(", ".join(best[m] for m in group) for group in shown) or "none"
        said = f"Bars join: {said}"
    else:
        note = f"of two that share a letter, {what}; bars could not show all of it"
        if dots:
            note = f"of two with a dot on the same line, {what}"
        said = "Letters: " + ", ".join(
            f"{name} {''.join(letter(n) for n, group in enumerate(shown) if m in group)}"
            for m, name in enumerate(best)
        )
    left = count(int(missing.sum()) // 2, "pair")
    absent = f"\N{MULTIPLICATION SIGN} has pairs not compared ({left}), which nothing joins"
    return Letters(
        rows=tuple(mark + row for mark, row in zip(marks, rows, strict=True)),
        ranks=tuple(f"{ranks[i]:g}" for i in best_first.tolist()),
        columns=tuple(shown),
        bars=bars,
        dots=dots,
        title="What is undecided or equivalent",
        notes=(
            note,
            number,
            *((absent,) if missing.any() else ()),
            *key(names),
        ),
        width=width,
        alt=f"Algorithms by rank, best first: {', '.join(best)}. {said}.",
    )


def _pitch(width: Width, rows: Sequence[str], columns: int) -> float:
    """Return the inches of a column."""
    return min(_PITCH, (width - widest(rows) - 0.62 - 0.2) / max(columns, 1))


def size_letters(laid: Letters) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return laid.width, 0.1 + _ROW * len(laid.rows)


def draw_letters(laid: Letters, ax: Axes) -> None:
    """Draw names and groups into an Axes."""
    across, names, k = laid.width, widest(laid.rows) + 0.62, len(laid.rows)
    pitch = _pitch(across, laid.rows, len(laid.columns))
    ax.set_xlim(0, across)
    ax.set_ylim(k - 0.5, -0.5)
    bare(ax)
    for y, (name, rank) in enumerate(zip(laid.rows, laid.ranks, strict=True)):
        for x, text, align, colour in (
            (0.35, rank, "right", FAINT),
            (0.45, name, "left", INK),
        ):
            ax.text(x, y, plain(text), ha=align, va="center", fontsize=pt(8.5), color=colour)
    at = [names + (n + 0.5) * pitch for n in range(len(laid.columns))]
    if laid.bars:
        ends = zip(at, laid.columns, strict=True)
        lines(ax, [(x, g[0] - 0.3, x, g[-1] + 0.3) for x, g in ends], INK, 3.6)
        return
    lines(ax, [(0.0, y + 0.5, across, y + 0.5) for y in range(k - 1)], HAIR, 0.5, zorder=0)
    if laid.dots:
        ends = zip(at, laid.columns, strict=True)
        if pitch > _LINED:
            lines(ax, [(x, g[0], x, g[-1]) for x, g in ends], FAINT, 0.8)
        dots = [(x, y) for x, group in zip(at, laid.columns, strict=True) for y in group]
        size = min(4.0, 50 * pitch)
        ax.plot(*zip(*dots, strict=True), "o", color=INK, ms=size, mew=0, zorder=3)
        return
    for n, (x, group) in enumerate(zip(at, laid.columns, strict=True)):
        for y in group:
            ax.text(x, y, letter(n), ha="center", va="center_baseline", fontsize=pt(8.5), color=INK)


def layout_matrix(
    relation: Relation, width: Width = PAGE, *, order: Sequence[str] | None = None
) -> Verdicts:
    """Return the layout of the matrix of the verdicts of a relation."""
    order = relation.standing if order is None else order
    index = [relation.algorithms.index(name) for name in order]
    names = tiles.row_names(order, len(order), width)
    tiles_of_pairs = tuple(
        Tile(row, column, Verdict(relation.states[i, j]))
        for row, i in enumerate(index)
        for column, j in enumerate(index)
        if row != column
    )
    upper = [tile for tile in tiles_of_pairs if tile.row < tile.column]
    pairs = count(len(upper), "pair")
    shown = tuple(names[name] for name in order)
    return Verdicts(
        tiles=tiles_of_pairs,
        rows=shown,
        columns=shown,
        title="Verdicts of the pairs, best first",
        notes=(
            "> (blue) the row's, < (orange) the column's algorithm preferred",
            "~ (green) equivalent, ? (grey) undecided, empty: not compared",
            *key(names),
        ),
        width=width,
        alt=f"Verdicts about {pairs} of {count(len(order), 'algorithm')}, best first:"
        f" {tiles.tallied(upper)}. {relation}.",
    )
