"""Layers and edges of a Hasse diagram.

After Sugiyama, Tagawa & Toda (1981), Methods for visual understanding of hierarchical system
structures, https://doi.org/10.1109/TSMC.1981.4308636: a line that passes a row gets a place of its
own there, so that it never runs behind a name.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from benchinfer.core.verdict import Verdict
from benchinfer.relations.numerics import posets
from benchinfer.relations.relation import Relation

GAP = 3.0  # between boxes in a row, in characters


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
    relation: "Relation", labels: Sequence[str], limit: float, apart: Collection[int] = ()
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


def _rows(strict: "NDArray[np.bool_]") -> list[list[int]]:
    """Return the algorithms by how far down the longest chain through them they stand."""
    above, below = posets.depths(strict), posets.depths(strict.T)
    chain = above + below
    # What is undecided from anything is placed in the middle, not on top.
    share = np.where(chain > 0, above / np.maximum(chain, 1), 0.5)
    return [[int(i) for i in np.flatnonzero(share == value)] for value in np.unique(share)]


def _width(boxes: Sequence[Box]) -> float:
    return sum(2 * box.half + GAP for box in boxes) - GAP


def _shared(
    row: Sequence[int],
    relation: "Relation",
    labels: Sequence[str],
    limit: float,
    *,
    undecided: bool,
) -> list[Box]:
    """Put those into one box that have the same verdict with each other and with all others.

    Without `undecided` those alone that are equivalent.
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


_MANY = 30  # preferences that need not follow from each other


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
    """Return the relation itself or, if it has too many lines, its chains and circles."""
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


def label(names: "Sequence[str]") -> str:
    """Write the members of a class, a line each, with a mark if they run in a circle."""
    return "\n".join(["\N{CLOCKWISE OPEN CIRCLE ARROW} circle", *names] if names[1:] else names)


def isolated(relation: Relation) -> list[int]:
    """Return the algorithms that are compared with none, if others are.

    Compared is what is preferred or equivalent to some other one.
    """
    comparable = relation.strict | relation.strict.T | (relation.states == Verdict.EQUIVALENT)
    alone = np.flatnonzero(comparable.sum(axis=1) == 1).tolist()
    return alone if 0 < len(alone) < len(comparable) else []


_SWEEPS = 8
_PASS, _LEAST = 0.6, 0.3  # half the room of a passing line, in characters, and in crowds


@dataclass(frozen=True, slots=True)
class Placed:
    """Places of nodes and lines.

    Attributes
    ----------
    x, y
        (K,) position of each node in characters, and its row, 0 at the top.
    paths
        Line (a, b) to the points that it goes through, from a to b.
    """

    x: NDArray[np.float64]
    y: NDArray[np.int64]
    paths: Mapping[tuple[int, int], tuple[tuple[float, float], ...]]


def place(
    rows: Sequence[Sequence[int]],
    lines: Sequence[tuple[int, int]],
    half: Sequence[float],
    together: NDArray[np.bool_],
    gap: float,
    limit: float,
) -> Placed:
    """Place nodes in rows so that lines are short and pass between the names.

    Lines that pass a row move closer to each other where its limit asks for it.
    """
    k = len(half)
    y = np.zeros(k, dtype=np.int64)
    for i, row in enumerate(rows):
        y[list(row)] = i
    items, room, chains = (
        [list(row) for row in rows],
        [h + gap / 2 for h in half],
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
    return Placed(x[:k], y, paths)


def _ordered(
    items: list[list[int]], linked: list[list[int]], together: NDArray[np.bool_]
) -> list[list[int]]:
    """Order each row by the mean place of what its items are linked with; the unlinked go right."""
    x = np.zeros(len(linked))
    for _ in range(_SWEEPS):
        for i, row in enumerate(items):
            mean = {m: float(x[linked[m]].mean()) if linked[m] else np.inf for m in row}
            items[i] = _chained(sorted(row, key=lambda m: (round(mean[m], 9), m)), together)
            for n, m in enumerate(items[i]):
                x[m] = n - (len(row) - 1) / 2
    return items


def _chained(row: list[int], together: NDArray[np.bool_]) -> list[int]:
    """Move what belongs together side by side, otherwise keeping the order."""
    k = len(together)
    left, chain = row[1:], row[:1]
    while left:
        last = chain[-1]
        follow = next((m for m in left if last < k and m < k and together[last, m]), left[0])
        chain.append(follow)
        left.remove(follow)
    return chain


def _squeezed(
    items: list[list[int]], room: NDArray[np.float64], k: int, limit: float
) -> NDArray[np.float64]:
    """Take room from the lines that pass rows wider than the limit; items from k on are lines."""
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
    room: NDArray[np.float64],
    limit: float,
) -> NDArray[np.float64]:
    """Pull each item to the mean of its links, as far as order, room and limit allow."""
    x = np.zeros(len(room))
    for _ in range(_SWEEPS):
        for row in (*items, *items[::-1]):
            half = room[row]
            offset = np.r_[0.0, np.cumsum(half[:-1] + half[1:])]
            offset -= offset.mean()
            wish = np.array([x[linked[m]].mean() if linked[m] else x[m] for m in row])
            # Within bounds the best is the best without them, cut off at the bounds.
            low, high = half[0] - limit / 2 - offset[0], limit / 2 - half[-1] - offset[-1]
            middle = (low + high) / 2
            bounds = min(low, middle), max(high, middle)
            x[row] = isotonic_regression(wish - offset).x.clip(*bounds) + offset
    return x - ((x - room).min() + (x + room).max()) / 2


def _free(
    path: tuple[tuple[float, float], ...],
    x: NDArray[np.float64],
    y: NDArray[np.int64],
    half: Sequence[float],
) -> bool:
    """Return whether the straight line between the ends meets no node."""
    (x0, y0), (x1, y1) = path[0], path[-1]
    inside = (y > min(y0, y1)) & (y < max(y0, y1))
    at = x0 + (x1 - x0) * (y - y0) / ((y1 - y0) or 1.0)
    return not (inside & (np.abs(x - at) < np.asarray(half) + _PASS)).any()
