"""Hasse diagrams.

After Sugiyama, Tagawa & Toda (1981), Methods for visual understanding of hierarchical system
structures, https://doi.org/10.1109/TSMC.1981.4308636: a line that passes a row gets a place of its
own there, so that it never runs behind a name.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import FancyArrowPatch
from scipy.optimize import isotonic_regression

from benchinfer.core.errors import DesignError
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array, Codes, Flags
from benchinfer.plots.draw import MOST
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import FAINT, INK, MARKS, PAGE, Width, bare
from benchinfer.plots.text import across, fitted, key, plain, pt
from benchinfer.relations.numerics import posets
from benchinfer.relations.relation import Relation
from benchinfer.relations.sections import MOST_IN_ORDER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.relations.consensus.consensus import Consensus


type _Path = tuple[tuple[float, float], ...]
_APART = "comparable with none"
_PART = 0.5  # of the width is for the others, where there are some of these
_LOW, _KEY = 0.32, 0.15  # inches that a row takes at least, and a line of the key
_SHARES = (1.0, 0.6, 0.35)  # of the width that boxes with numbers may take; lines pass in the rest
_PENS = {
    Verdict.FIRST: (INK, "-", 1.1),
    Verdict.EQUIVALENT: (MARKS[Verdict.EQUIVALENT].colour, (0, (3, 2)), 1.6),
    Verdict.UNDECIDED: (MARKS[Verdict.UNDECIDED].colour, (0, (1, 2)), 1.1),
}
_CHARACTER, _EDGES, _SIZE = 0.085, 0.3, 9.5  # inches of a character and of edges, points
_LETTERS = (np.inf, *range(48, 14, -4))  # lengths of names, tried before numbers with a key
_TALLER = 1.5  # times the rows with numbers is what names may take beside a column of others
_ARC = 0.35  # bend of a line that goes around nodes between its ends
_GAP = 3.0  # between boxes in a row, in characters
_MANY = 30  # preferences that need not follow from each other
_SWEEPS = 8
_PASS, _LEAST = 0.6, 0.3  # half the room of a passing line, in characters, and in crowds


@dataclass(frozen=True, slots=True)
class Box:
    """Algorithms (indices) drawn as one, and the lines of text in the box."""

    members: tuple[int, ...]
    lines: tuple[str, ...]

    @property
    def half(self) -> float:
        """Half the width in characters."""
        return (max(map(len, self.lines)) + 2) / 2


def arrange(
    relation: Relation, labels: Sequence[str], limit: float, apart: Collection[int] = ()
) -> list[list[Box]]:
    """Arrange the algorithms in rows of boxes, preferred ones higher.

    An algorithm is between those preferred to it and those it is preferred to. Algorithms that
    are equivalent and have the same verdicts share a box. Where a row is too wide, so do those that
    nothing distinguishes; what is still too wide is broken.
    """
    rows: list[list[Box]] = []
    for level in _rows(relation.strict):
        row = [m for m in level if m not in apart]
        if not row:
            continue
        boxes = _shared(row, relation, labels, limit, undecided=False)
        if _width(boxes) > limit:
            boxes = _shared(row, relation, labels, limit, undecided=True)
        rows += _broken(boxes, limit)
    return rows


def _rows(strict: Flags) -> list[list[int]]:
    """Return the algorithms in rows, by their relative depth in the longest chain through them."""
    above, below = posets.depths(strict), posets.depths(strict.T)
    chain = above + below
    # Algorithms with undecided pairs only are placed in the middle, not on top.
    share = np.where(chain > 0, above / np.maximum(chain, 1), 0.5)
    return [[int(i) for i in np.flatnonzero(share == value)] for value in np.unique(share)]


def _width(boxes: Sequence[Box]) -> float:
    return sum(2 * box.half + _GAP for box in boxes) - _GAP


def _shared(
    row: Sequence[int],
    relation: Relation,
    labels: Sequence[str],
    limit: float,
    *,
    undecided: bool,
) -> list[Box]:
    """Return the boxes of a row; algorithms whose verdicts are all the same share a box.

    Without `undecided`, only equivalent algorithms share a box.
    """
    strict, equal = relation.strict, relation.states == Verdict.EQUIVALENT
    groups: dict[tuple[bytes, ...], list[int]] = {}
    for m in row:
        others = equal[m] if equal[m].sum() > 1 else np.zeros(0, dtype=np.bool_)
        key = (strict[m].tobytes(), strict[:, m].tobytes(), others.tobytes())
        groups.setdefault(key, []).append(m)
    boxes: list[Box] = []
    for members in groups.values():
        tied = set(np.flatnonzero(equal[members[0]]).tolist())
        # An equivalence that leads out of the box needs a line, which needs a box of its own.
        if (tied != set(members)) if len(tied) > 1 else not undecided:
            boxes += [Box((m,), tuple(labels[m].split("\n"))) for m in members]
        else:
            mark = "~" if len(tied) > 1 else "?"
            boxes.append(Box(tuple(members), _text([labels[m] for m in members], mark, limit)))
    return boxes


def _text(names: Sequence[str], mark: str, limit: float) -> tuple[str, ...]:
    """Write names with a mark between them in lines."""
    lines = [names[0]]
    for name in names[1:]:
        if len(lines[-1]) + len(name) + 7 > limit:
            lines[-1] += f" {mark}"
            lines.append(name)
        else:
            lines[-1] += f" {mark} {name}"
    return tuple(lines)


def _broken(row: Sequence[Box], limit: float) -> list[list[Box]]:
    """Break a row that is too wide into several."""
    parts: list[list[Box]] = [[]]
    for box in row:
        if parts[-1] and _width([*parts[-1], box]) > limit:
            parts.append([])
        parts[-1].append(box)
    return parts


@dataclass(frozen=True, slots=True)
class Chains:
    """Layout of the chains of a relation.

    Attributes
    ----------
    relation
        The relation of the classes: what chains of preferences lead to. A class has the name of its
        first member.
    members
        Indices of the members of each class; several run in a circle.
    broken
        Pairs of classes (better, worse) that a chain joins, but of which not all pairs are
        preferences by themselves.
    """

    relation: Relation
    members: tuple[tuple[int, ...], ...]
    broken: tuple[tuple[int, int], ...]


def chains(relation: Relation) -> Chains:
    """Return the relation itself or, if it has too many lines, its chains and cycles."""
    strict = relation.strict
    if posets.is_transitive(strict) or strict.sum() <= _MANY:
        single = tuple((i,) for i in range(len(relation.algorithms)))
        return Chains(relation, single, ())
    members = tuple(tuple(m) for m in posets.classes(strict))
    first = [m[0] for m in members]
    closed = posets.transitive_closure(strict)[np.ix_(first, first)]
    np.fill_diagonal(closed, val=False)
    states = np.full(closed.shape, Verdict.UNDECIDED, dtype=np.int8)
    single = np.array([len(m) == 1 for m in members])
    equal = (relation.states == Verdict.EQUIVALENT)[np.ix_(first, first)]
    states[equal & np.outer(single, single)] = Verdict.EQUIVALENT
    states[closed], states[closed.T] = Verdict.FIRST, Verdict.SECOND
    np.fill_diagonal(states, Verdict.EQUIVALENT)
    broken = [
        (a, b)
        for a, b in np.argwhere(closed).tolist()
        if not strict[np.ix_(members[a], members[b])].all()
    ]
    names = tuple(relation.algorithms[i] for i in first)
    return Chains(Relation(names, states), members, tuple(broken))


def label(names: Sequence[str]) -> str:
    """Return the members of a class, a line each, with a mark if they form a cycle."""
    return "\n".join(["\N{CLOCKWISE OPEN CIRCLE ARROW} circle", *names] if names[1:] else names)


def isolated(relation: Relation) -> list[int]:
    """Return the algorithms comparable with no other, unless that holds for all.

    Two algorithms are comparable if one is preferred to the other or both are equivalent.
    """
    comparable = relation.strict | relation.strict.T | (relation.states == Verdict.EQUIVALENT)
    alone = np.flatnonzero(comparable.sum(axis=1) == 1).tolist()
    return alone if 0 < len(alone) < len(comparable) else []


def place(
    rows: Sequence[Sequence[int]],
    lines: Sequence[tuple[int, int]],
    half: Sequence[float],
    together: Flags,
    limit: float,
) -> tuple[Array, dict[tuple[int, int], _Path]]:
    """Place nodes in rows so that lines are short and pass between the names.

    Lines that pass a row move closer to each other where its limit asks for it. Return the (K,)
    positions of nodes in characters, and the points (position, row) that each line goes through.
    """
    k = len(half)
    y = np.zeros(k, dtype=np.int64)
    for i, row in enumerate(rows):
        y[list(row)] = i
    items, room, chains = (
        [list(row) for row in rows],
        [h + _GAP / 2 for h in half],
        dict[tuple[int, int], list[int]](),
    )
    for a, b in lines:
        step = 1 if y[a] < y[b] else -1
        passed = range(int(y[a]) + step, int(y[b]), step)
        chain = [a]
        for row in passed:
            items[row].append(len(room))
            chain.append(len(room))
            room.append(_PASS)
        chains[a, b] = [*chain, b]
    linked: list[list[int]] = [[] for _ in room]
    for chain in chains.values():
        for a, b in pairwise(chain):
            linked[a].append(b)
            linked[b].append(a)
    items = _ordered(items, linked, together)
    x = _relaxed(items, linked, _squeezed(items, np.array(room), k, limit), limit)
    level = dict(enumerate(y.tolist())) | {m: i for i, row in enumerate(items) for m in row}
    paths = {
        line: tuple((float(x[m]), float(level[m])) for m in chain) for line, chain in chains.items()
    }
    paths = {
        line: (path[0], path[-1]) if _free(path, x[:k], y, half) else path
        for line, path in paths.items()
    }
    return x[:k], paths


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """The linked items of the n items of a row, one after the other."""

    linked: Codes  # (L,) linked items
    of: Codes  # (L,) place in the row of the item that each is linked to
    number: Codes  # (n,) of links

    @classmethod
    def of_row(cls, row: Sequence[int], linked: Sequence[Sequence[int]]) -> _Neighbours:
        number = np.array([len(linked[m]) for m in row], dtype=np.int64)
        flat = np.array([other for m in row for other in linked[m]], dtype=np.int64)
        return cls(flat, np.repeat(np.arange(len(row)), number), number)

    def means(self, x: Array, alone: Array | float) -> Array:
        """Return the (n,) mean positions of the linked items, or others of those without links."""
        sums = np.bincount(self.of, weights=x[self.linked], minlength=len(self.number))
        return np.where(self.number > 0, sums / np.maximum(self.number, 1), alone)


def _ordered(items: list[list[int]], linked: list[list[int]], together: Flags) -> list[list[int]]:
    """Order each row by the mean position of the linked items, with unlinked items on the right."""
    x = np.zeros(len(linked))
    neighbours = [_Neighbours.of_row(row, linked) for row in items]
    ordered = items.copy()
    for _ in range(_SWEEPS):
        for i, (row, near) in enumerate(zip(items, neighbours, strict=True)):
            numbers = np.array(row, dtype=np.int64)
            order = np.lexsort((numbers, near.means(x, np.inf).round(9)))
            ordered[i] = _side_by_side(numbers[order].tolist(), together)
            x[ordered[i]] = np.arange(len(row)) - (len(row) - 1) / 2
    return ordered


def _side_by_side(row: list[int], together: Flags) -> list[int]:
    """Move linked members of a row next to each other, otherwise keeping the order."""
    k = len(together)
    nodes = np.array([m for m in row if m < k], dtype=np.int64)
    if together[np.ix_(nodes, nodes)].sum() == len(nodes):
        return row
    left, chain = row[1:], row[:1]
    while left:
        last = chain[-1]
        follow = next((m for m in left if last < k and m < k and together[last, m]), left[0])
        chain.append(follow)
        left.remove(follow)
    return chain


def _squeezed(items: list[list[int]], room: Array, k: int, limit: float) -> Array:
    """Return the half-widths of items, with lines narrowed that pass rows wider than the limit.

    Items from k on are lines.
    """
    room = room.copy()
    for row in items:
        passing = [m for m in row if m >= k]
        rest = limit / 2 - sum(room[m] for m in row if m < k)
        if passing and rest < _PASS * len(passing):
            room[passing] = max(rest / len(passing), _LEAST)
    return room


def _relaxed(
    items: list[list[int]],
    linked: list[list[int]],
    room: Array,
    limit: float,
) -> Array:
    """Pull each item to the mean of its links, as far as order, room and limit allow."""
    x = np.zeros(len(room))
    neighbours = [_Neighbours.of_row(row, linked) for row in items]
    both = [*zip(items, neighbours, strict=True)]
    for _ in range(_SWEEPS):
        for row, near in (*both, *both[::-1]):
            half = room[row]
            offset = np.r_[0.0, np.cumsum(half[:-1] + half[1:])]
            offset -= offset.mean()
            wish = near.means(x, x[row])
            # Within bounds the best is the best without them, cut off at the bounds.
            low, high = half[0] - limit / 2 - offset[0], limit / 2 - half[-1] - offset[-1]
            middle = (low + high) / 2
            bounds = min(low, middle), max(high, middle)
            x[row] = isotonic_regression(wish - offset).x.clip(*bounds) + offset
    return x - ((x - room).min() + (x + room).max()) / 2


def _free(
    path: _Path,
    x: Array,
    y: Codes,
    half: Sequence[float],
) -> bool:
    """Return whether the straight line between the ends meets no node."""
    (x0, y0), (x1, y1) = path[0], path[-1]
    inside = (y > min(y0, y1)) & (y < max(y0, y1))
    at = x0 + (x1 - x0) * (y - y0) / ((y1 - y0) or 1.0)
    return not (inside & (np.abs(x - at) < np.asarray(half) + _PASS)).any()


@dataclass(frozen=True, slots=True)
class Node:
    """A box with one algorithm, or with several that have the same verdicts."""

    # names, lines: the algorithms, and the text in the box
    names: tuple[str, ...]
    lines: tuple[str, ...]
    # x, y: centre: in characters, 0 in the middle, and in rows, 0 at the top
    x: float
    y: float
    half: float  # half the width, in characters


@dataclass(frozen=True, slots=True)
class Link:
    """A line between two nodes (indices), the better one first."""

    a: int
    b: int
    # ``FIRST`` for a preference, ``EQUIVALENT`` for an equivalence, ``UNDECIDED`` where chains lead
    # from one to the other, but not all pairs are preferences by themselves
    verdict: Verdict
    path: _Path  # the points that it goes through, from a to b
    bend: float = 0.0  # 0 for a straight line; what would run through a neighbour goes around it


@dataclass(frozen=True, slots=True)
class Hasse(Layout):
    """Layout of a Hasse diagram."""

    # nodes, links: boxes and lines
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    arrows: bool  # whether lines need arrow heads, because preferences run in a circle
    # columns, rows: extent, in characters and rows
    columns: float
    rows: float
    # Where the heading of those that are compared with none begins, and its text
    apart: tuple[float, float, str] | None = None


def suits(result: Relation | Consensus) -> bool:
    """Return whether there are few enough algorithms for a readable diagram."""
    return len(result.algorithms) <= MOST_IN_ORDER


def layout(
    relation: Relation,
    width: Width = PAGE,
    *,
    instead: str = "the kind matrix shows all verdicts in any width.",
) -> Hasse:
    """Return the layout of the Hasse diagram of a relation, with a key where names are too long.

    Parameters
    ----------
    relation
        What is drawn.
    width
        Inches.
    instead
        Advice where it does not fit: another kind.

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
        if laid.columns <= room and not tall and _LOW * laid.rows <= MOST:
            return replace(laid, width=width, notes=(*laid.notes, *key(names)))
    if short is None or _LOW * short.rows + _KEY * len(numbers) > MOST:
        columns = (short or tried[-1]).columns
        inches = np.ceil((_CHARACTER * columns + _EDGES) * 10) / 10
        wider = f"a width of {inches:.1f} draws it; " if columns > room else ""
        raise DesignError(
            f"a Hasse diagram of these {len(numbers)} algorithms does not fit.",
            hint=f"{wider}{instead}",
        )
    full = fitted(relation.standing, width - 0.2 - across(f"{len(numbers)} ; ", 8), 8)
    # A name stays with its number.
    items = (
        f"{numbers[name]} {text}".replace(" ", "\N{NO-BREAK SPACE}") for name, text in full.items()
    )
    return replace(short, width=width, notes=(*short.notes, "; ".join(items)))


def _laid(
    relation: Relation, drawn: Chains, names: Mapping[str, str], room: float, limit: float
) -> Hasse:
    """Return the layout of a Hasse diagram with rows of names of `limit` characters.

    Lines that pass around the names stay within `room` characters.
    """
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
    links += [
        _link(pair, Verdict.UNDECIDED, tuple((nodes[n].x, nodes[n].y) for n in pair))
        for pair in broken
    ]
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
    return _with_isolated(hasse, [(members[m], labels[m]) for m in alone], room / _PART)


def _main(
    relation: Relation, rows: list[list[Box]], room: float
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
    across_row, paths_by_row = place([row.tolist() for row in numbers], lines, half, equal, room)
    heights = np.array([0.55 + 0.45 * max(len(box.lines) for box in row) for row in rows])
    middle = np.cumsum(heights) - heights / 2
    nodes = [
        Node((), box.lines, float(across_row[n]), float(middle[level[n]]), box.half)
        for n, box in enumerate(boxes)
    ]
    paths = {
        pair: tuple((x, float(middle[int(row)])) for x, row in path)
        for pair, path in paths_by_row.items()
    }
    links = [_link(pair, Verdict.FIRST, paths[pair]) for pair in covers]
    links += [_link(pair, Verdict.EQUIVALENT, paths[pair]) for pair in across]
    return boxes, nodes, [*links, *_equivalences(equal, nodes)], float(heights.sum())


def _link(pair: tuple[int, int], verdict: Verdict, points: _Path) -> Link:
    """Return the line along a path; one within a row goes around nodes between."""
    return Link(*pair, verdict, points, _ARC if points[0][1] == points[-1][1] else 0.0)


def _with_isolated(hasse: Hasse, alone: Sequence[tuple[list[str], str]], room: float) -> Hasse:
    """Return the diagram with the algorithms comparable with no other in columns on the right."""
    lines = [tuple(text.split("\n")) for _, text in alone]
    half = max(len(line) for text in lines for line in text) / 2 + 1
    wide = 2 * half + _GAP
    most = max(int((room - hasse.columns - _GAP) // wide), 1)  # columns that there is room for
    down = max(6, int(hasse.rows) - 1, -(-len(alone) // most))
    right = -(-len(alone) // down) * wide
    one_line = hasse.columns + len(_APART) + _GAP <= room
    heading = _APART if one_line else _APART.replace(" ", "\n", 1)
    right = max(right, max(map(len, heading.split("\n"))) + _GAP)
    left = hasse.columns / 2 + _GAP
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


def _equivalences(equal: Flags, nodes: Sequence[Node]) -> list[Link]:
    """Return the lines of equivalences within rows, straight along runs that are all equivalent."""
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
    relation: Relation, links: Sequence[Link], boxes: Sequence[Box], *, circles: bool
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


def layout_undecided(relation: Relation, width: Width = PAGE) -> Hasse:
    """Return the layout of the Hasse diagram with dotted lines between undecided pairs of boxes."""
    diagram = layout(relation, width)
    index = {name: i for i, name in enumerate(relation.algorithms)}
    linked = {frozenset((link.a, link.b)) for link in diagram.links}
    links: list[Link] = []
    for (a, one), (b, other) in combinations(enumerate(diagram.nodes), 2):
        states = {int(relation.states[index[i], index[j]]) for i in one.names for j in other.names}
        if Verdict.UNDECIDED in states and frozenset((a, b)) not in linked:
            path = ((one.x, one.y), (other.x, other.y))
            bend = _ARC if one.y == other.y else 0.0
            links.append(Link(a, b, Verdict.UNDECIDED, path, bend))
    notes = tuple(text.replace("no line: undecided", "dotted: undecided") for text in diagram.notes)
    return replace(diagram, links=(*diagram.links, *links), notes=notes)


def size(hasse: Hasse) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return hasse.width, 0.1 + 0.56 * hasse.rows


def draw(hasse: Hasse, ax: Axes) -> None:
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


def _draw_link(link: Link, ax: Axes, *, arrow: bool) -> None:
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
