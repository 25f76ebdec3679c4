"""Where the nodes of a layered diagram stand: order within rows, and room for passing lines.

After Sugiyama, Tagawa & Toda (1981), Methods for visual understanding of hierarchical system
structures, https://doi.org/10.1109/TSMC.1981.4308636: a line that passes a row gets a place of its
own there, so that it never runs behind a name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

_SWEEPS = 8
_PASS = 0.6  # half the room of a passing line, in characters


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
) -> Placed:
    """Place nodes in rows so that lines are short and pass between the names.

    Parameters
    ----------
    rows
        Nodes (0 to K - 1) of each row.
    lines
        Pairs of nodes to connect.
    half
        (K,) half the width of each node.
    together
        Boolean (K, K): nodes that should stand side by side.
    gap
        Smallest distance between neighbours.
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
    x = _relaxed(_ordered(items, linked, together), linked, np.array(room))
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


def _relaxed(
    items: list[list[int]], linked: list[list[int]], room: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Pull each item to the mean of its links, as far as order and room allow."""
    x = np.zeros(len(room))
    for _ in range(_SWEEPS):
        for row in (*items, *items[::-1]):
            half = room[row]
            offset = np.r_[0.0, np.cumsum(half[:-1] + half[1:])]
            offset -= offset.mean()
            wish = np.array([x[linked[m]].mean() if linked[m] else x[m] for m in row])
            x[row] = isotonic_regression(wish - offset).x + offset
    return x - (x.max() + x.min()) / 2


def _free(
    path: tuple[tuple[float, float], ...],
    x: NDArray[np.float64],
    y: NDArray[np.int64],
    half: Sequence[float],
) -> bool:
    """Whether the straight line between the ends meets no node."""
    (x0, y0), (x1, y1) = path[0], path[-1]
    inside = (y > min(y0, y1)) & (y < max(y0, y1))
    at = x0 + (x1 - x0) * (y - y0) / ((y1 - y0) or 1.0)
    return not (inside & (np.abs(x - at) < np.asarray(half) + _PASS)).any()
