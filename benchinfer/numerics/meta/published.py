"""Published differences of pairs as blocks of effects with their covariance."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from benchinfer.errors import FitError
from benchinfer.numerics.meta.rows import Block

type Array = NDArray[np.float64]
type Codes = NDArray[np.int64]


def blocks_of(
    first: Codes, second: Codes, y: Array, error: Array, correlation: float | None
) -> list[Block]:
    """Turn the differences that one data set of one study reports into blocks.

    Parameters
    ----------
    first, second
        (m,) codes of the algorithms; no pair comes twice.
    y, error
        (m,) differences, first minus second, and their standard errors.
    correlation
        Of two differences from a common baseline, where not all pairs are given.

    Returns
    -------
    list of Block
        One for each connected set of algorithms. Three or more algorithms need all pairs, whose
        standard errors tell the covariance, ``cov(a - c, b - c) = (v_ac + v_bc - v_ab) / 2``, or
        differences from one baseline with a correlation.

    Raises
    ------
    FitError
        The covariance is not known, or there is none with these standard errors.
    """
    arms, index = np.unique(np.r_[first, second], return_inverse=True)
    i, j = index[: len(first)], index[len(first) :]
    graph = coo_array((np.ones(len(i)), (i, j)), shape=(len(arms), len(arms)))
    part = connected_components(graph, directed=False)[1]
    found: list[Block] = []
    for p in range(int(part.max()) + 1):
        own, rows = np.flatnonzero(part == p), np.flatnonzero(part[i] == p)
        pairs = {(int(i[r]), int(j[r])): (float(y[r]), float(error[r]) ** 2) for r in rows}
        block = _block([int(a) for a in own], pairs, correlation)
        found.append(Block(arms[block.arms], block.y, block.cov))
    return found


def _block(
    arms: Sequence[int], pairs: dict[tuple[int, int], tuple[float, float]], rho: float | None
) -> Block:
    both = pairs | {(b, a): (-y, v) for (a, b), (y, v) in pairs.items()}
    k = len(arms)
    if len(pairs) == k * (k - 1) // 2:
        base, *others = arms
        y = np.array([both[a, base][0] for a in others])
        v = np.array([both[a, base][1] for a in others])
        cov = np.diag(v)
        for m, n in combinations(range(k - 1), 2):
            cov[m, n] = cov[n, m] = (v[m] + v[n] - both[others[m], others[n]][1]) / 2
        if np.linalg.eigvalsh(cov)[0] < -1e-9 * v.max():
            raise FitError("no covariance has these standard errors.")
        return Block(np.array(arms), _reconciled(arms, both), cov)
    centres = [a for a in arms if all((a, b) in both for b in arms if b != a)]
    if len(pairs) != k - 1 or not centres:
        raise FitError("neither all pairs nor all differences from one baseline.")
    if rho is None:
        raise FitError("differences from one baseline, whose correlation is not known.")
    base = centres[0]
    others = [a for a in arms if a != base]
    y = np.array([both[a, base][0] for a in others])
    error = np.sqrt([both[a, base][1] for a in others])
    cov = np.outer(error, error) * (rho + (1 - rho) * np.eye(k - 1))
    return Block(np.array([base, *others]), y, cov)


def _reconciled(arms: Sequence[int], both: dict[tuple[int, int], tuple[float, float]]) -> Array:
    """Return differences from the first algorithm: the mean over all paths takes out rounding."""
    level = [sum(both[a, b][0] for b in arms if b != a) / len(arms) for a in arms]
    return np.array(level[1:]) - level[0]
