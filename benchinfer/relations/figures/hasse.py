"""Hasse diagram."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import FancyArrowPatch
from numpy.typing import NDArray

from benchinfer.core.errors import DesignError
from benchinfer.core.verdict import Verdict
from benchinfer.plots.draw import MOST
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import FAINT, INK, MARKS, PAGE, Width, bare
from benchinfer.plots.text import across, fitted, plain, pt
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
_PART = 0.5  # of the width is for the others, where there are some of these
_LOW, _KEY = 0.25, 0.15  # inches that a row takes at least, and a line of the key
_SHARES = (1.0, 0.6, 0.35)  # of the width that boxes with numbers may take; lines pass in the rest
_PENS = {
    Verdict.FIRST: (INK, "-", 1.1),
    Verdict.EQUIVALENT: (MARKS[Verdict.EQUIVALENT].colour, (0, (3, 2)), 1.6),
    Verdict.UNDECIDED: (MARKS[Verdict.UNDECIDED].colour, (0, (1, 2)), 1.1),
}
_CHARACTER, _EDGES, _SIZE = 0.085, 0.3, 9.5  # inches of a character and of edges, points
_LETTERS = (22, 16)  # lengths of names that are tried before numbers with a key
_TALLER = 1.5  # times the rows with numbers is what names may take beside a column of others
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
class Hasse(Layout):
    """Layout of a Hasse diagram.

    Attributes
    ----------
    nodes, links
        Boxes and lines.
    arrows
        Whether lines need arrow heads, because preferences run in a circle.
    columns, rows
        Extent, in characters and rows.
    apart
        Where the heading of those that are compared with none begins, and its text.
    """

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    arrows: bool
    columns: float
    rows: float
    apart: tuple[float, float, str] | None = None


def suits(result: "Relation | Consensus") -> bool:
    """Say whether there are few enough algorithms for a diagram that a reader can take in."""
    return len(result.algorithms) <= MOST_IN_ORDER


def layout(relation: "Relation", width: Width = PAGE) -> Hasse:
    """Lay out the Hasse diagram of a relation, with names or, where they are too long, a key.

    Raises
    ------
    DesignError
        It does not fit the width, or a page's height.
    """
    room = (width - _EDGES) / _CHARACTER
    drawn = chains(relation)
    numbers = {name: str(n) for n, name in enumerate(relation.standing, 1)}
    tried = [_laid(relation, drawn, numbers, room, share * room) for share in _SHARES]
    short = next((one for one in tried if one.columns <= room), None)
    for letters in _LETTERS:
        names = fitted(relation.algorithms, letters * _CHARACTER, _SIZE)
        laid = _laid(relation, drawn, names, room, room)
        tall = short is not None and laid.apart and laid.rows > _TALLER * short.rows
        if laid.columns <= room and not tall:
            return replace(laid, width=width)
    if short is None or _LOW * short.rows + _KEY * len(numbers) > MOST:
        raise _too_large(short or tried[-1], room, len(numbers))
    full = fitted(relation.standing, width - 0.2 - across(f"{len(numbers)} ; ", 8), 8)
    # A name stays with its number.
    items = (
        f"{numbers[name]} {text}".replace(" ", "\N{NO-BREAK SPACE}") for name, text in full.items()
    )
    key = "; ".join(items)
    return replace(short, width=width, notes=(*short.notes, key))


def _too_large(hasse: Hasse, room: float, k: int) -> DesignError:
    inches = np.ceil((_CHARACTER * hasse.columns + _EDGES) * 10) / 10
    wider = f"a width of {inches:.1f} draws it; " if hasse.columns > room else ""
    what = f"a Hasse diagram of these {k} algorithms does not fit."
    hint = f"{wider}the kind matrix shows all verdicts in any width."
    return DesignError(what, hint=hint)


def _laid(
    relation: "Relation", drawn: Chains, names: Mapping[str, str], room: float, limit: float
) -> Hasse:
    """Lay out names in rows of `limit` characters; lines lead around them within `room`."""
    shown = drawn.relation
    members = [[relation.algorithms[i] for i in m] for m in drawn.members]
    labels = [label([names[name] for name in m]) for m in members]
    rank = {name: n for n, name in enumerate(relation.standing)}
    alone = sorted(isolated(shown), key=lambda m: rank[members[m][0]])
    if alone:
        room, limit = _PART * room, _PART * limit
    rows = arrange(shown, labels, limit, alone)
    boxes, nodes, links, middle = _main(shown, rows, room)
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
    if not alone:
        return hasse
    return _beside_it(hasse, [(members[m], labels[m]) for m in alone], room / _PART)


def _main(
    relation: "Relation", rows: list[list[Box]], room: float
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
    lines = [*covers, *across]
    placed = place([row.tolist() for row in numbers], lines, half, equal, GAP, room)
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


def _beside_it(hasse: Hasse, alone: Sequence[tuple[list[str], str]], room: float) -> Hasse:
    """Put what is compared with none into columns of its own on the right, under a heading."""
    lines = [tuple(text.split("\n")) for _, text in alone]
    half = max(len(line) for text in lines for line in text) / 2 + 1
    wide = 2 * half + GAP
    most = max(int((room - hasse.columns - GAP) // wide), 1)  # columns that there is room for
    down = max(6, int(hasse.rows) - 1, -(-len(alone) // most))
    right = -(-len(alone) // down) * wide
    one_line = hasse.columns + len(_APART) + GAP <= room
    heading = _APART if one_line else _APART.replace(" ", "\n", 1)
    right = max(right, max(map(len, heading.split("\n"))) + GAP)
    left = hasse.columns / 2 + GAP
    shift = right / 2
    extra = [
        Node(tuple(names), text, left + half + (n // down) * wide, 1.5 + n % down, half)
        for n, ((names, _), text) in enumerate(zip(alone, lines, strict=True))
    ]
    return replace(
        hasse,
        nodes=tuple(replace(node, x=node.x - shift) for node in (*hasse.nodes, *extra)),
        links=tuple(
            replace(link, path=tuple((x - shift, y) for x, y in link.path)) for link in hasse.links
        ),
        columns=hasse.columns + right,
        rows=max(hasse.rows, 1.0 + min(len(alone), down) + 0.5),
        apart=(left - shift, 0.5, heading),
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
    return hasse.width, 0.1 + 0.56 * hasse.rows


def draw(hasse: Hasse, ax: "Axes") -> None:
    """Draw a Hasse diagram into an Axes."""
    half = (hasse.width - _EDGES) / _CHARACTER / 2
    ax.set_xlim(-half, half)
    ax.set_ylim(hasse.rows, 0)
    bare(ax)
    for link in hasse.links:
        _draw_link(link, ax, arrow=hasse.arrows)
    if hasse.apart:
        ax.text(*hasse.apart, ha="left", va="center", fontsize=pt(8.5), color=FAINT)
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
