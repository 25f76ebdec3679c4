"""Figures of ensembles: support, map, clusters, verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import unknown
from benchinfer.core.numbers import count, join
from benchinfer.core.verdict import SYMBOLS, Verdict
from benchinfer.numerics.types import Array
from benchinfer.plots import bars, tiles
from benchinfer.plots.bars import Strips
from benchinfer.plots.layout import Layout, PointMap, draw_map
from benchinfer.plots.style import (
    FAINT,
    HAIR,
    INK,
    MARKS,
    PAGE,
    Width,
    is_wide,
    keyed,
    lines,
    name_axis,
    signed,
    ticks,
)
from benchinfer.plots.text import across, axis_height, axis_room, fitted, key, plain, pt, wrapped
from benchinfer.plots.tiles import FILL, Tile, Verdicts, tallied

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from benchinfer.relations.consensus.consensus import Consensus
    from benchinfer.relations.ensemble import Clusters, Ensemble
    from benchinfer.relations.relation import Relation


type Segment = tuple[float, float, float, float]


type _Placed = list[tuple[float, BarSegment]]


@dataclass(frozen=True, slots=True)
class Dendrogram(Layout):
    """Layout of the figure: across by distance, down by rows."""

    rows: tuple[str, ...]  # the relations, like ones side by side
    segments: tuple[Segment, ...]  # lines x0, y0, x1, y1
    top: float  # the largest distance of a merge


def leaves(merges: Array) -> list[int]:
    """Return the leaves of a dendrogram in an order in which no lines cross.

    Of two clusters the one with the smaller first number is first.

    Examples
    --------
    >>> leaves(np.array([[0, 2, 1.0, 2], [1, 3, 2.0, 3]]))
    [0, 2, 1]
    """
    members = [[i] for i in range(len(merges) + 1)]
    for a, b in merges[:, :2].astype(int).tolist():
        first, second = sorted((members[a], members[b]), key=min)
        members.append(first + second)
    return members[-1]


def layout_dendrogram(ensemble: Ensemble, width: Width = PAGE) -> Dendrogram:
    """Return the layout of the dendrogram of the relations of an ensemble."""
    clusters = ensemble.clusters()
    order = leaves(clusters.merges)
    names = fitted(clusters.names, 0.38 * width)
    top = float(clusters.merges[:, 2].max(initial=0.0))
    n = min(3, len(order))
    members = "; ".join(join(cluster) for cluster in clusters.cut(n))
    return Dendrogram(
        rows=tuple(names[clusters.names[i]] for i in order),
        segments=tuple(_segments(clusters, order)),
        top=top,
        title="Relations that are alike",
        axis="distance at which clusters join: mean symmetric difference",
        notes=("the sooner two are joined, the more of their verdicts agree", *key(names)),
        width=width,
        alt=f"Dendrogram of {len(order)} relations, joined by mean symmetric difference up to"
        f" {top:.3g}. In {n} clusters: {members}.",
    )


def _segments(clusters: Clusters, order: list[int]) -> list[Segment]:
    """Return for each merge the lines of both clusters and the line that joins them."""
    place = {leaf: (0.0, float(row)) for row, leaf in enumerate(order)}
    segments: list[Segment] = []
    for step, (a, b, far, _) in enumerate(clusters.merges.tolist()):
        (xa, ya), (xb, yb) = place[int(a)], place[int(b)]
        segments += [(xa, ya, far, ya), (xb, yb, far, yb), (far, ya, far, yb)]
        place[len(order) + step] = (far, (ya + yb) / 2)
    return segments


def size_dendrogram(dendrogram: Dendrogram) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    below = axis_height(dendrogram.axis, axis_room(dendrogram.width, dendrogram.rows))
    return dendrogram.width, 0.4 + below + 0.25 * len(dendrogram.rows)


def draw_dendrogram(dendrogram: Dendrogram, ax: Axes) -> None:
    """Draw the dendrogram into an Axes."""
    d = dendrogram
    end = 1.04 * d.top or 1.0
    lines(ax, d.segments, INK, 1.1)
    ax.set_xlim(0, end)
    ax.set_ylim(len(d.rows) - 0.45, -0.55)
    at = ticks(0.0, end, 6 if is_wide(d.width) else 3, log=False)
    ax.set_xticks(at, [signed(x) for x in at], fontsize=pt(8.5), color=INK)
    ax.set_yticks(range(len(d.rows)), [plain(n) for n in d.rows], fontsize=pt(8.5), color=INK)
    ax.tick_params(axis="y", length=0)
    ax.spines[["right", "top", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    ax.grid(axis="x", color=HAIR, lw=0.7)
    ax.set_axisbelow(True)
    name_axis(ax, d.axis, axis_room(d.width, d.rows))


_SAME = 1e-9  # points this close, of the extent, are one


@dataclass(frozen=True, slots=True, kw_only=True)
class Landscape(PointMap):
    """Layout of the figure; `unit` is how many inches a distance of 1 takes."""

    unit: float


def layout_landscape(ensemble: Ensemble, width: Width = PAGE) -> Landscape:
    """Return the layout of `Ensemble.map`, with numbers where there is no room for names."""
    scaling = ensemble.map()
    across, margin = width - 0.2, 0.9 if is_wide(width) else 0.6
    reach = float(np.abs(scaling.points).max(initial=0.0))
    groups = _groups(scaling.points, _SAME * (reach or 1.0))
    points = scaling.points[[group[0] for group in groups]]
    low, high = points.min(axis=0), points.max(axis=0)
    spread = high - low
    unit = (across - 2 * margin) / (spread[0] or 1.0)
    # Both axes have the same unit; what is flat keeps room for the names.
    unit = min(unit, (across - 2 * margin) / (spread[1] or 1.0))
    tall = max(1.6, unit * float(spread[1]) + 2 * 0.5)
    middle = (low + high) / 2
    at = (points - middle) * unit + np.array([across / 2, tall / 2])
    names = fitted(scaling.names, 1.6 if is_wide(width) else 0.75)
    labels = [_label([names[scaling.names[i]] for i in group]) for group in groups]
    texts, numbers = keyed(at, labels, (across, tall))
    return Landscape(
        points=tuple((float(x), float(y)) for x, y in at),
        texts=texts,
        extent=(across, tall),
        unit=float(unit),
        title="Map of the relations",
        notes=(
            "near: alike in their verdicts (classical scaling of the symmetric differences)",
            f"the plane shows {100 * scaling.share:.0f} % of the distances",
            *numbers,
            *key(names),
        ),
        width=width,
        alt=f"Map of {len(scaling.names)} relations in {len(groups)} places, showing"
        f" {100 * scaling.share:.0f} % of the distances: "
        + "; ".join(
            f"{label.replace(chr(10), ' ')} at {x + 0.0:.3g}, {y + 0.0:.3g}"
            for label, (x, y) in zip(labels, points.tolist(), strict=True)
        )
        + ".",
    )


def _groups(points: Array, near: float) -> list[list[int]]:
    """Group points that coincide."""
    groups: list[list[int]] = []
    for i, point in enumerate(points):
        for group in groups:
            if np.abs(points[group[0]] - point).max() <= near:
                group.append(i)
                break
        else:
            groups.append([i])
    return groups


def _label(names: Sequence[str]) -> str:
    if len(names) > 6:
        names = [*names[:5], f"and {len(names) - 5} more"]
    return wrapped(", ".join(names), 2.1)


def draw_landscape(landscape: Landscape, ax: Axes) -> None:
    """Draw the map into an Axes."""
    m = landscape
    draw_map(m, ax)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_color(HAIR)
    led = [(text.x, text.y, *point) for text, point in zip(m.texts, m.points, strict=True)]
    lines(ax, [ends for ends, text in zip(led, m.texts, strict=True) if text.led], FAINT, 0.6)
    ax.plot(*zip(*m.points, strict=True), "o", color="#0072B2", ms=5.5, zorder=4)


def layout_verdicts(
    ensemble: Ensemble,
    width: Width = PAGE,
    *,
    top: int | None = None,
    algorithms: Sequence[str] | None = None,
) -> Verdicts:
    """Return the layout of the verdicts of each relation of an ensemble."""
    where = f"in {count(len(ensemble), 'relation')}"
    title = "Verdicts of each relation"
    return verdict_tiles(ensemble, title, where, width, top=top, algorithms=algorithms)


_TILES, _COLUMN = 0.62, 0.115  # share of the width that tiles may take, inches of a legible head
_HEAD, _LONG = 1.45, 2.8  # inches that a head may be long, and one of few
_FEW = 3  # pairs


def verdict_tiles(
    relations: Mapping[str, Relation],
    title: str,
    where: str,
    width: Width,
    *,
    top: int | None = None,
    algorithms: Sequence[str] | None = None,
) -> Verdicts:
    """Return the layout of a tile for each relation and pair; of many pairs, those of the best."""
    order = standing(relations)
    if strange := [name for name in algorithms or () if name not in order]:
        raise ArgumentError(unknown("algorithm", strange[0], order))
    chosen = [name for name in order if algorithms is None or name in algorithms]
    every = list(combinations(chosen, 2))
    most = max(int((_TILES * width - 0.3) / _COLUMN), 1)
    pairs = every if len(every) <= most else [(chosen[0], name) for name in chosen[1 : most + 1]]
    shown = list(relations)[:top]
    cells = tuple(
        Tile(row, column, _verdict(relations[name], *pair))
        for row, name in enumerate(shown)
        for column, pair in enumerate(pairs)
    )
    short_rows = len(relations) - len(shown)
    return Verdicts(
        tiles=cells,
        rows=tuple(shown),
        columns=_heads(pairs, second_only=pairs is not every),
        title=title,
        notes=(
            *_sides(chosen, len(pairs), len(every)),
            "~ equivalent, ? undecided",
            *([f"the first {len(shown):,} of {len(relations):,} rows"] if short_rows else ()),
        ),
        width=width,
        alt=f"Verdicts about {count(len(pairs), 'pair')} of algorithms {where}: {tallied(cells)}.",
    )


def _heads(pairs: Sequence[tuple[str, str]], *, second_only: bool) -> tuple[str, ...]:
    """Return the column heads: both names of each pair, or only the second one."""
    if second_only:
        return tuple(name for _, name in pairs)
    room = ((_LONG if len(pairs) <= _FEW else _HEAD) - across(" : ")) / 2
    names = fitted(dict.fromkeys(name for pair in pairs for name in pair), room)
    return tuple(f"{names[a]} : {names[b]}" for a, b in pairs)


def _sides(chosen: Sequence[str], shown: int, total: int) -> tuple[str, ...]:
    """Return the notes on the direction of the signs in tiles and on the selection of pairs."""
    if shown == total:
        return ("> first, < second preferred",)
    best = f"{chosen[0]}, first by wins less losses, with each column's algorithm"
    return (
        f"{best}: > the former, < the latter preferred",
        f"{shown:,} of {total:,} pairs; other algorithms can be chosen",
    )


def standing(relations: Mapping[str, Relation]) -> list[str]:
    """Return the algorithms by wins less losses, so that most tiles favour the first of a pair."""
    balance: Counter[str] = Counter()
    for relation in relations.values():
        won = relation.strict.sum(axis=1) - relation.strict.sum(axis=0)
        balance.update(dict(zip(relation.algorithms, won.tolist(), strict=True)))
    return sorted(balance, key=lambda name: (-balance[name], name))


def _verdict(relation: Relation, a: str, b: str) -> Verdict:
    if a not in relation.algorithms or b not in relation.algorithms:
        return Verdict.MISSING
    i, j = relation.algorithms.index(a), relation.algorithms.index(b)
    return Verdict(relation.states[i, j])


# From what speaks for the first to what speaks for the second, and what does not speak.
_ALONG = (
    Verdict.FIRST,
    Verdict.EQUIVALENT,
    Verdict.UNDECIDED,
    Verdict.SECOND,
    Verdict.MISSING,
)


@dataclass(frozen=True, slots=True)
class BarSegment:
    """A stretch of a bar, from 0 to 1."""

    verdict: Verdict
    start: float
    stop: float


@dataclass(frozen=True, slots=True)
class Stack:
    """One row of a chart of stacked bars."""

    # label, said: the pair, and its bar in words
    label: str
    said: str
    pieces: tuple[BarSegment, ...]  # from left to right
    marked: Verdict | None = None  # the verdict whose piece has a frame, if any

    @property
    def value(self) -> float:
        """End of the bar."""
        return self.pieces[-1].stop if self.pieces else 0.0


def pieces(weights: Sequence[float]) -> tuple[BarSegment, ...]:
    """Cut a bar by weights in the order of the codes of `Verdict`.

    Examples
    --------
    >>> [(piece.verdict.label, piece.stop) for piece in pieces([0, 1, 0, 3, 0])]
    [('first', 0.75), ('undecided', 1.0)]
    """
    total, start = sum(weights), 0.0
    segments: list[BarSegment] = []
    for verdict in _ALONG:
        if weights[verdict] > 0:
            stop = start + weights[verdict] / total
            segments.append(BarSegment(verdict, start, stop))
            start = stop
    return tuple(segments)


size_stacks = bars.size_strips


def draw_stacks(stacks: Strips[Stack], ax: Axes) -> None:
    """Draw the bars into an Axes, with the text next to or above them, by the room there is."""
    aligned = bars.fits(stacks)
    bars.frame(stacks, ax, (0.0, 1.0))
    shift, half = (0.0, 0.34) if aligned else (0.2, 0.2)
    segments = [(y + shift, piece) for y, row in enumerate(stacks.rows) for piece in row.pieces]
    for verdict in _ALONG:
        _fill(ax, [(y, piece) for y, piece in segments if piece.verdict == verdict], half)
    marked = [
        (y + shift, piece)
        for y, row in enumerate(stacks.rows)
        for piece in row.pieces
        if piece.verdict == row.marked
    ]
    ax.barh(*_bars(marked, half), fc="none", ec=INK, lw=1.3, zorder=3, clip_on=False)
    bars.write(stacks, ax, aligned=aligned)


def _bars(placed: _Placed, half: float) -> tuple[list[float], list[float], float, list[float]]:
    """Return rows, lengths, height and left ends of bars."""
    along = [piece.stop - piece.start for _, piece in placed]
    return [y for y, _ in placed], along, 2 * half, [piece.start for _, piece in placed]


def _fill(ax: Axes, placed: _Placed, half: float) -> None:
    """Draw the pieces of one verdict, with its sign where there is room."""
    if not placed:
        return
    verdict = placed[0][1].verdict
    hatch = "////" if verdict == Verdict.MISSING else None
    ax.barh(*_bars(placed, half), fc=FILL[verdict], ec=HAIR, lw=0.7, zorder=2, hatch=hatch)
    at = [((p.start + p.stop) / 2, y) for y, p in placed if p.stop - p.start > 0.04]
    tiles.symbols(ax, at, SYMBOLS[verdict], MARKS[verdict].ink, 8.5)


_PAIRS = 45  # of more pairs neighbours alone are shown
size_support = size_stacks
draw_support = draw_stacks


def layout_support(ensemble: Ensemble, width: Width = PAGE) -> Strips[Stack]:
    """Return the layout of a bar per pair that divides the weight of the relations by verdict."""
    index = {name: i for i, name in enumerate(ensemble.algorithms)}
    order = standing(ensemble)
    every = list(combinations(order, 2))
    pairs = every if len(every) <= _PAIRS else list(pairwise(order))
    states = ensemble.states
    stacks: dict[tuple[str, str], Stack] = {}
    for a, b in pairs:
        codes = states[:, index[a], index[b]]
        weights = np.bincount(codes, weights=ensemble.weights, minlength=len(Verdict)).tolist()
        said = ", ".join(
            f"{SYMBOLS[verdict] or chr(0xD7)} {weights[verdict]:.3g}"
            for verdict in _ALONG
            if weights[verdict] > 0
        )
        stacks[a, b] = Stack(" : ", said, pieces(weights))
    rows, names = _labelled(stacks, width)
    shown = _shown(len(every), len(pairs), "the order of wins less losses")
    return Strips(
        rows=tuple(rows),
        title=f"What {count(len(ensemble), 'relation')} say of each pair",
        axis="share of the weight of the relations",
        notes=(*_READ, *shown, *key(names)),
        width=width,
        alt=f"Weight of {count(len(ensemble), 'relation')} for each verdict: {_spoken(rows)}.",
    )


def _labelled(
    stacks: Mapping[tuple[str, str], Stack], width: Width
) -> tuple[list[Stack], dict[str, str]]:
    """Return the rows labelled by pairs, with their marks between the names, and short names."""
    said, marks = [row.said for row in stacks.values()], [row.label for row in stacks.values()]
    mark = max(marks, key=across, default="")
    names = bars.pair_labels(dict.fromkeys(n for pair in stacks for n in pair), mark, said, width)
    rows = [
        replace(row, label=f"{names[a]}{row.label}{names[b]}") for (a, b), row in stacks.items()
    ]
    return rows, names


_READ = (
    "> first, < second preferred, ~ equivalent, ? undecided",
    "hatched, \N{MULTIPLICATION SIGN}: not compared",
)


def _shown(total: int, shown: int, order: str) -> tuple[str, ...]:
    return () if shown == total else (f"{shown:,} of {total:,} pairs: neighbours in {order}",)


def _spoken(rows: Sequence[Stack]) -> str:
    return "; ".join(f"{row.label} {row.said}" for row in rows) or "no pair"


def layout_consensus(consensus: Consensus, width: Width = PAGE) -> Strips[Stack]:
    """Return the layout of the votes on each pair of neighbours in the order of a consensus."""
    order = np.lexsort((consensus.ranks[:, 1], consensus.ranks[:, 0]))
    table = consensus.support()
    regret = _square(consensus, table["regret"]) if "regret" in table else None
    exact = _square(consensus, table["regret_exact"]) if regret is not None else None
    stacks: dict[tuple[str, str], Stack] = {}
    for i, j in pairwise(order.tolist()):
        weights = consensus.votes[:, i, j].tolist()
        certain = bool(consensus.certain[i, j])
        verdict = Verdict(consensus.common[i, j])
        mark = f" {SYMBOLS[verdict]} " if certain else " : "
        compared = sum(weights[1:])
        said = f"{100 * weights[verdict] / compared:.0f} % agree" if compared else "never compared"
        said = said if certain else "open"
        if certain and regret is not None and exact is not None:
            least = "" if exact[i, j] else "at least "
            said += f", regret {least}{regret[i, j]:.3g}"
        pair = consensus.algorithms[i], consensus.algorithms[j]
        stacks[pair] = Stack(mark, said, pieces(weights), verdict if certain else None)
    rows, names = _labelled(stacks, width)
    k = len(order)
    regrets = ("regret: what the cheapest order with the pair turned round costs more",)
    return Strips(
        rows=tuple(rows),
        title="What speaks for the consensus, pair by pair",
        axis="share of the weight of the relations",
        notes=(
            *_READ,
            "framed: agrees with the consensus; its share is of the weight that compared the pair",
            *(("open: the optima disagree",) if not consensus.certain.all() else ()),
            *(regrets if regret is not None else ()),
            *_shown(k * (k - 1) // 2, k - 1, "the consensus"),
            *key(names),
        ),
        width=width,
        alt=f"Support of the consensus: {_spoken(rows)}.",
    )


def _square(consensus: Consensus, values: pd.Series) -> Array:
    """Return a symmetric matrix of the values of the pairs i < j."""
    k = len(consensus.algorithms)
    square = np.zeros((k, k))
    square[np.triu_indices(k, 1)] = values
    return square + square.T
