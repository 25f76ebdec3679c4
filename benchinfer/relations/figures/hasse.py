"""Hasse diagram."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import FancyArrowPatch
from numpy.typing import NDArray

from benchinfer.core.verdict import Verdict
from benchinfer.plots.style import FAINT, INK, MARKS, PAGE, Width
from benchinfer.plots.text import fitted, plain, pt
from benchinfer.relations.figures.layers import (
    GAP,
    Box,
    Chains,
    arrange,
    chains,
    isolated,
    label,
    place,
)
from benchinfer.relations.numerics import posets
from benchinfer.relations.sections import MOST_IN_ORDER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.relations.consensus.consensus import Consensus
    from benchinfer.relations.relation import Relation


type _Path = tuple[tuple[float, float], ...]
_APART = "comparable with none"
_PENS = {
    Verdict.FIRST: (INK, "-", 1.1),
    Verdict.EQUIVALENT: (MARKS[Verdict.EQUIVALENT].colour, (0, (3, 2)), 1.6),
    Verdict.UNDECIDED: (MARKS[Verdict.UNDECIDED].colour, (0, (1, 2)), 1.1),
}
_CHARACTER, _EDGES, _SIZE = 0.085, 0.3, 9.5  # inches of a character and of edges, points
_LETTERS = (22, 16)  # lengths of names that are tried before numbers with a key
_ARC = 0.35  # bend of a line that goes around nodes between its ends


@dataclass(frozen=True, slots=True)
class Node:
    """A box with one algorithm, or with several that have the same verdicts.

    Attributes
    ----------
    names, lines
        The algorithms, and the text in the box.
    x, y
        Centre: in characters, 0 in the middle, and in rows, 0 at the top.
    half
        Half the width, in characters.
    """

    names: tuple[str, ...]
    lines: tuple[str, ...]
    x: float
    y: float
    half: float


@dataclass(frozen=True, slots=True)
class Link:
    """A line between two nodes (indices), the better one first.

    Attributes
    ----------
    verdict
        ``FIRST`` for a preference, ``EQUIVALENT`` for an equivalence, ``UNDECIDED`` where chains
        lead from one to the other, but not all pairs are preferences by themselves.
    path
        The points that it goes through, from a to b.
    bend
        0 for a straight line; what would run through a neighbour goes around it.
    """

    a: int
    b: int
    verdict: Verdict
    path: tuple[tuple[float, float], ...]
    bend: float = 0.0


@dataclass(frozen=True, slots=True)
class Hasse:
    """Layout of a Hasse diagram.

    Attributes
    ----------
    nodes, links
        Boxes and lines.
    arrows
        Whether lines need arrow heads, because preferences run in a circle.
    columns, rows
        Extent, in characters and rows.
    title, notes
        Heading, and how to read it.
    width
        The room that there is.
    alt
        Text alternative.
    apart
        Where the heading of those that are compared with none begins, if there are any.
    """

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    arrows: bool
    columns: float
    rows: float
    title: str
    notes: tuple[str, ...]
    width: Width
    alt: str
    apart: tuple[float, float] | None = None


def suits(result: "Relation | Consensus") -> bool:
    """Say whether there are few enough algorithms for a diagram that a reader can take in."""
    return len(result.algorithms) <= MOST_IN_ORDER


def layout(relation: "Relation", width: Width = PAGE) -> Hasse:
    """Lay out the Hasse diagram of a relation, with names or, where they are too long, a key."""
    room = (width - _EDGES) / _CHARACTER
    drawn = chains(relation)
    for letters in _LETTERS:
        names = fitted(relation.algorithms, letters * _CHARACTER, _SIZE)
        laid = _laid(relation, drawn, names, room)
        if laid.columns <= room:
            return replace(laid, width=width)
    numbers = {name: str(n) for n, name in enumerate(relation.standing, 1)}
    laid = _laid(relation, drawn, numbers, room)
    full = fitted(relation.standing, 0.9 * width, 8)
    # A name stays with its number.
    items = (
        f"{numbers[name]} {text}".replace(" ", "\N{NO-BREAK SPACE}") for name, text in full.items()
    )
    key = "; ".join(items)
    return replace(laid, width=width, notes=(*laid.notes, key))


def _laid(relation: "Relation", drawn: Chains, names: Mapping[str, str], room: float) -> Hasse:
    """Lay out names in rows of so many characters; lines may lead further out."""
    shown = drawn.relation
    members = [[relation.algorithms[i] for i in m] for m in drawn.members]
    labels = [label([names[name] for name in m]) for m in members]
    alone = isolated(shown)
    rows = arrange(shown, labels, room, alone)
    boxes, nodes, links, middle = _main(shown, rows)
    nodes = [
        replace(node, names=tuple(name for m in box.members for name in members[m]))
        for node, box in zip(nodes, boxes, strict=True)
    ]
    of = {m: n for n, box in enumerate(boxes) for m in box.members}
    broken = dict.fromkeys((of[a], of[b]) for a, b in drawn.broken)
    links += [_link(pair, Verdict.UNDECIDED, _straight(nodes, *pair)) for pair in broken]
    extent = [abs(node.x) + node.half for node in nodes]
    extent += [abs(x) for link in links for x, _ in link.path]
    hasse = Hasse(
        nodes=tuple(nodes),
        links=tuple(links),
        arrows=not posets.is_acyclic(shown.strict),
        columns=2 * max(extent, default=1.0),
        rows=middle,
        title="Order of the algorithms",
        notes=_legend(shown, links, boxes, circles=len(members) < len(names)),
        width=PAGE,
        alt=f"Hasse diagram, best first (> preferred to, ~ equivalent, ? undecided): {relation}.",
    )
    return _beside_it(hasse, [(members[m], labels[m]) for m in alone]) if alone else hasse


def _main(
    relation: "Relation", rows: list[list[Box]]
) -> tuple[list[Box], list[Node], list[Link], float]:
    """Place the boxes and their lines; also return how many rows they take."""
    boxes = [box for row in rows for box in row]
    numbers = np.split(np.arange(len(boxes)), np.cumsum([len(row) for row in rows])[:-1])
    of = {m: n for n, box in enumerate(boxes) for m in box.members}
    index = {name: i for i, name in enumerate(relation.algorithms)}
    covers = list(dict.fromkeys((of[index[a]], of[index[b]]) for a, b in relation.covers()))
    first = [box.members[0] for box in boxes]
    equal = (relation.states == Verdict.EQUIVALENT)[np.ix_(first, first)]
    level = {int(n): y for y, row in enumerate(numbers) for n in row}
    across = [
        (int(a), int(b))
        for a, b in np.argwhere(np.triu(equal, 1))
        if level[int(a)] != level[int(b)]
    ]
    half = [box.half for box in boxes]
    placed = place([row.tolist() for row in numbers], [*covers, *across], half, equal, GAP)
    heights = np.array([0.55 + 0.45 * max(len(box.lines) for box in row) for row in rows])
    middle = np.cumsum(heights) - heights / 2
    nodes = [
        Node((), box.lines, float(placed.x[n]), float(middle[level[n]]), box.half)
        for n, box in enumerate(boxes)
    ]
    paths = {
        pair: tuple((x, float(middle[int(row)])) for x, row in path)
        for pair, path in placed.paths.items()
    }
    links = [_link(pair, Verdict.FIRST, paths[pair]) for pair in covers]
    links += [_link(pair, Verdict.EQUIVALENT, paths[pair]) for pair in across]
    return boxes, nodes, [*links, *_beside(equal, nodes)], float(heights.sum())


def _straight(nodes: Sequence[Node], a: int, b: int) -> _Path:
    return ((nodes[a].x, nodes[a].y), (nodes[b].x, nodes[b].y))


def _link(pair: tuple[int, int], verdict: Verdict, points: _Path) -> Link:
    """Return the line along a path; one within a row goes around nodes between."""
    return Link(*pair, verdict, points, _ARC if points[0][1] == points[-1][1] else 0.0)


def _beside_it(hasse: Hasse, alone: Sequence[tuple[list[str], str]]) -> Hasse:
    """Put what is compared with none into columns of its own on the right, under a heading."""
    down = max(6, int(hasse.rows) - 1)
    lines = [tuple(text.split("\n")) for _, text in alone]
    half = max(len(line) for text in lines for line in text) / 2 + 1
    across = -(-len(alone) // down) * (2 * half + GAP)
    across = max(across, len(_APART) + GAP)
    left = hasse.columns / 2 + 2 * GAP
    shift = (across + 2 * GAP) / 2
    extra = [
        Node(tuple(names), text, left + half + (n // down) * (2 * half + GAP), 1.5 + n % down, half)
        for n, ((names, _), text) in enumerate(zip(alone, lines, strict=True))
    ]
    return replace(
        hasse,
        nodes=tuple(replace(node, x=node.x - shift) for node in (*hasse.nodes, *extra)),
        links=tuple(
            replace(link, path=tuple((x - shift, y) for x, y in link.path)) for link in hasse.links
        ),
        columns=hasse.columns + across + 2 * GAP,
        rows=max(hasse.rows, 1.0 + min(len(alone), down) + 0.5),
        apart=(left - shift, 0.5),
    )


def _beside(equal: NDArray[np.bool_], nodes: Sequence[Node]) -> list[Link]:
    """Return the equivalences within rows: straight along runs that are equivalent as a whole."""
    links: list[Link] = []
    for y in sorted({node.y for node in nodes}):
        row = sorted((m for m, n in enumerate(nodes) if n.y == y), key=lambda m: nodes[m].x)
        runs: list[list[int]] = []
        for m in row:
            if runs and all(equal[m, other] for other in runs[-1]):
                runs[-1].append(m)
            else:
                runs.append([m])
        run_of = {m: n for n, run in enumerate(runs) for m in run}
        neighbours = set(pairwise(row))
        for a, b in combinations(row, 2):
            same = run_of[a] == run_of[b]
            if equal[a, b] and (not same or (a, b) in neighbours):
                path = tuple((nodes[m].x, nodes[m].y) for m in (a, b))
                links.append(Link(a, b, Verdict.EQUIVALENT, path, 0.0 if same else _ARC))
    return links


def _legend(
    relation: "Relation", links: Sequence[Link], boxes: Sequence[Box], *, circles: bool
) -> tuple[str, ...]:
    if not posets.is_acyclic(relation.strict):
        first = "arrows lead from the preferred one, in a circle"
    elif not posets.is_transitive(relation.strict):
        first = "a line leads down from the preferred algorithm; chains imply nothing"
    else:
        first = "lines lead down from the preferred algorithm"
    dashed = any(link.verdict == Verdict.EQUIVALENT for link in links)
    rest = "dashed: equivalent; no line: undecided" if dashed else "no line: undecided"
    shared = any(len(box.members) > 1 for box in boxes)
    if any(link.verdict == Verdict.UNDECIDED for link in links):
        rest = f"{rest}; dotted: joined by a chain, but undecided by themselves or in part"
    if circles:
        rest = f"{rest}; in a box marked as a circle, preferences run round"
    return (first, rest, *(["within a box: ? undecided, ~ equivalent"] if shared else []))


def size(hasse: Hasse) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return max(hasse.width, _CHARACTER * hasse.columns + _EDGES), 0.1 + 0.56 * hasse.rows


def draw(hasse: Hasse, ax: "Axes") -> None:
    """Draw a Hasse diagram into an Axes."""
    half = max(hasse.columns, (hasse.width - _EDGES) / _CHARACTER) / 2
    ax.set_xlim(-half, half)
    ax.set_ylim(hasse.rows, 0)
    ax.spines[:].set_visible(False)
    ax.set_xticks([])
    ax.set_yticks([])
    for link in hasse.links:
        _draw_link(link, ax, arrow=hasse.arrows)
    if hasse.apart:
        ax.text(*hasse.apart, _APART, ha="left", va="center", fontsize=pt(8.5), color=FAINT)
    for node in hasse.nodes:
        ax.text(
            node.x,
            node.y,
            plain("\n".join(node.lines)),
            ha="center",
            va="center",
            fontsize=pt(_SIZE),
            color=INK,
            zorder=2,
            bbox={"boxstyle": "round,pad=0.35", "fc": "white", "ec": FAINT, "lw": 0.8},
        )


def _draw_link(link: Link, ax: "Axes", *, arrow: bool) -> None:
    strict = link.verdict == Verdict.FIRST
    colour, dashes, weight = _PENS[link.verdict]
    *before, (x0, y0), end = link.path
    if before:
        xs, ys = zip(*before, (x0, y0), strict=True)
        ax.plot(xs, ys, color=colour, lw=weight, linestyle=dashes, zorder=1)
    ax.add_patch(
        FancyArrowPatch(
            (x0, y0),
            end,
            arrowstyle="-|>" if arrow and strict else "-",
            mutation_scale=11,
            connectionstyle=f"arc3,rad={link.bend}",
            shrinkA=0,
            shrinkB=11 if arrow and strict else 0,
            color=colour,
            linestyle=dashes,
            lw=weight,
            zorder=1,
        )
    )
