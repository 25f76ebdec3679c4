"""Hasse diagram of a relation: preferred algorithms stand higher, lines say for which pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import FancyArrowPatch
from numpy.typing import NDArray

from benchinfer.numerics import poset
from benchinfer.order.relation import Verdict
from benchinfer.plots import caption
from benchinfer.plots.boxes import GAP, Box, arrange
from benchinfer.plots.rows import place
from benchinfer.plots.style import FAINT, INK, MARKS, Width, plain, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.order.relation import Relation

_ARC = 0.35  # bend of a line that goes around what stands between its ends


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
        ``FIRST`` for a preference, ``EQUIVALENT`` for an equivalence.
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
    """Where everything in a Hasse diagram stands.

    Attributes
    ----------
    nodes, links
        Boxes and lines.
    arrows
        Whether lines need arrow heads, because preferences run in a circle.
    columns, rows
        Extent, in characters and rows.
    title, legend
        Heading, and how to read it.
    alt
        Text alternative.
    """

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    arrows: bool
    columns: float
    rows: float
    title: str
    legend: tuple[str, ...]
    alt: str


def layout(relation: "Relation", width: Width = "wide") -> Hasse:
    """Lay out the Hasse diagram of a relation.

    Parameters
    ----------
    relation
        Any relation, also one that is not transitive or runs in a circle.
    width
        ``"narrow"`` keeps rows shorter.
    """
    wide = width == "wide"
    names = short(relation.algorithms, 20 if wide else 14)
    rows = arrange(relation, [names[n] for n in relation.algorithms], 62.0 if wide else 40.0)
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
    nodes = tuple(
        Node(
            tuple(relation.algorithms[m] for m in box.members),
            box.lines,
            float(placed.x[n]),
            float(middle[level[n]]),
            box.half,
        )
        for n, box in enumerate(boxes)
    )
    links = [_link(pair, Verdict.FIRST, placed.paths[pair], middle) for pair in covers]
    links += [_link(pair, Verdict.EQUIVALENT, placed.paths[pair], middle) for pair in across]
    links += _beside(equal, nodes)
    extent = [abs(node.x) + node.half for node in nodes]
    extent += [abs(x) for link in links for x, _ in link.path]
    return Hasse(
        nodes=nodes,
        links=tuple(links),
        arrows=not poset.is_acyclic(relation.strict),
        columns=2 * max(extent, default=1.0),
        rows=float(heights.sum()),
        title="Order of the algorithms",
        legend=_legend(relation, links, boxes),
        alt=f"Hasse diagram, best first (> preferred to, ~ equivalent, ? not told apart):"
        f" {relation}.",
    )


def _link(
    pair: tuple[int, int],
    verdict: Verdict,
    path: tuple[tuple[float, float], ...],
    middle: NDArray[np.float64],
) -> Link:
    """Return the line along a path; one within a row goes around what stands between."""
    points = tuple((x, float(middle[int(row)])) for x, row in path)
    return Link(*pair, verdict, points, _ARC if path[0][1] == path[-1][1] else 0.0)


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


def _legend(relation: "Relation", links: Sequence[Link], boxes: Sequence[Box]) -> tuple[str, ...]:
    if not poset.is_acyclic(relation.strict):
        first = "arrows lead from the preferred one, in a circle"
    elif not poset.is_transitive(relation.strict):
        first = "a line leads down from the preferred algorithm; chains imply nothing"
    else:
        first = "lines lead down from the preferred algorithm"
    dashed = any(link.verdict == Verdict.EQUIVALENT for link in links)
    rest = "dashed: equivalent; no line: not told apart" if dashed else "no line: not told apart"
    shared = any(len(box.members) > 1 for box in boxes)
    return (first, rest, *(["within a box: ? not told apart, ~ equivalent"] if shared else []))


def size(hasse: Hasse) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    across = max(3.5, 0.085 * hasse.columns + 0.3)
    return across, 0.2 + caption.height(hasse.title, hasse.legend, across) + 0.56 * hasse.rows


def draw(hasse: Hasse, ax: "Axes") -> None:
    """Draw a Hasse diagram into an Axes."""
    half = max(hasse.columns / 2 + 0.5, 20)
    ax.set_xlim(-half, half)
    ax.set_ylim(hasse.rows, 0)
    ax.spines[:].set_visible(False)
    ax.set_xticks([])
    ax.set_yticks([])
    caption.write(ax, hasse.title, hasse.legend, size(hasse)[0])
    for link in hasse.links:
        _draw_link(link, ax, arrow=hasse.arrows)
    for node in hasse.nodes:
        ax.text(
            node.x,
            node.y,
            plain("\n".join(node.lines)),
            ha="center",
            va="center",
            fontsize=9.5,
            color=INK,
            zorder=2,
            bbox={"boxstyle": "round,pad=0.35", "fc": "white", "ec": FAINT, "lw": 0.8},
        )


def _draw_link(link: Link, ax: "Axes", *, arrow: bool) -> None:
    strict = link.verdict == Verdict.FIRST
    colour = INK if strict else MARKS[Verdict.EQUIVALENT].colour
    dashes, weight = ("-", 1.1) if strict else ((0, (3, 2)), 1.6)
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
