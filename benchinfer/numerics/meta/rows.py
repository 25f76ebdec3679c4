r"""Effects of several algorithms on many data sets as independent rows.

Data set d gives contrasts ``y_d = A_d (theta + u_d) + e_d``, with ``u_dk ~ N(0, tau^2 / 2)`` for
each algorithm, so that every difference has the variance tau^2 between data sets and two that share
a baseline have the correlation 1/2, and ``e_d ~ N(0, S_d)`` known. With ``G_d = A_d A_d' / 2``
there is a ``T_d`` such that ``T_d G_d T_d' = I`` and ``T_d S_d T_d' = diag(v)``: the rows
``T_d y_d`` are independent with variances ``v_i + tau^2``. A network meta-analysis thus is a
meta-regression of rows, and all that is known about that applies. It does not depend on the choice
of the baselines.

References
----------
Lu, G. & Ades, A. E. (2004). Combination of direct and indirect evidence in mixed treatment
comparisons. Statistics in Medicine 23, 3105-3124. https://doi.org/10.1002/sim.1875

Rücker, G. (2012). Network meta-analysis, electrical networks and graph theory. Research Synthesis
Methods 3, 312-324. https://doi.org/10.1002/jrsm.1058
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from benchinfer.numerics.meta.pooling import Part
from benchinfer.saving import savable

type Array = NDArray[np.float64]
type Codes = NDArray[np.int64]

# Sampling variances below this share of the largest are rounding of 0.
_TINY = 1e-12


@savable
@dataclass(frozen=True, slots=True)
class Block:
    """Effects of one data set.

    Attributes
    ----------
    arms
        (k,) codes of its algorithms, the first one is the baseline.
    y
        (k - 1,) effects of the others against it.
    cov
        (k - 1, k - 1) their sampling covariance.
    """

    arms: Codes
    y: Array
    cov: Array

    def matrix(self, k: int) -> Array:
        """Return the (k - 1, K) contrasts."""
        found = np.zeros((len(self.y), k))
        found[:, self.arms[0]] = -1.0
        found[np.arange(len(self.y)), self.arms[1:]] = 1.0
        return found

    def kept(self, arms: Codes) -> "Block":
        """Return the effects of some of the algorithms, the first of which is the baseline."""
        own = np.zeros((len(arms) - 1, len(self.y)))
        for r, arm in enumerate(arms[1:]):
            own[r] = (self.arms[1:] == arm).astype(np.float64) - (self.arms[1:] == arms[0])
        return Block(arms, own @ self.y, own @ self.cov @ own.T)


@dataclass(frozen=True, slots=True)
class Direct:
    """Effects of one pair of algorithms where a data set holds both.

    Attributes
    ----------
    held
        (n,) positions of the data sets.
    y, v
        (n,) effects of the first against the second, and their sampling variances.
    """

    held: Codes
    y: Array
    v: Array


def direct(blocks: Sequence[Block], pairs: Codes, k: int) -> list[Direct]:
    """Return the direct evidence of each of (P, 2) pairs of K algorithms; -1 is in no data set."""
    if not len(pairs):
        return []
    found: list[tuple[Codes, Codes, Array, Array]] = []
    for d, block in enumerate(blocks):
        place = np.full(k + 1, -1)  # the last one is for algorithms that are none
        place[block.arms] = np.arange(len(block.arms))
        i, j = place[pairs].T
        p = np.flatnonzero((i >= 0) & (j >= 0))
        i, j = i[p], j[p]
        # The baseline has the level 0, without error.
        level, cov = np.r_[0.0, block.y], np.pad(block.cov, ((1, 0), (1, 0)))
        own = cov.diagonal()
        found.append((p, np.full(len(p), d), level[i] - level[j], own[i] + own[j] - 2 * cov[i, j]))
    pair, dataset, y, v = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(pair, kind="stable")
    ends = np.cumsum(np.bincount(pair, minlength=len(pairs)))[:-1]
    split = (np.split(column[order], ends) for column in (dataset, y, v))
    return [Direct(*one) for one in zip(*split, strict=True)]


@dataclass(frozen=True, slots=True)
class Rows:
    """Independent rows of effects.

    Attributes
    ----------
    y
        (n,) effects.
    x
        (n, K) the same combinations of the algorithms' levels; rows sum to 0.
    v
        (n,) sampling variances; the row has ``v + tau^2``.
    dataset
        (n,) position of the data set.
    lifted
        How many variances were 0 and were set to the smallest that is not.
    """

    y: Array
    x: Array
    v: Array
    dataset: Codes
    lifted: int

    def part(self, extra: Array | None = None) -> Part:
        """Return the rows with the first algorithm's level set to 0, and more columns if given."""
        x = self.x[:, 1:]
        return Part(self.y, x if extra is None else np.column_stack([x, extra]), self.v)

    def without(self, dataset: int) -> "Rows":
        """Return the rows of all data sets but one."""
        kept = self.dataset != dataset
        return Rows(self.y[kept], self.x[kept], self.v[kept], self.dataset[kept], self.lifted)


def rows_of(blocks: Sequence[Block], k: int) -> Rows:
    """Turn effects into independent rows.

    Parameters
    ----------
    blocks
        One per data set.
    k
        Number of algorithms.
    """
    y: list[Array] = []
    x: list[Array] = []
    v: list[Array] = []
    for block in blocks:
        a = block.matrix(k)
        root = np.linalg.cholesky(a @ a.T / 2)
        half = solve_triangular(root, block.cov, lower=True)
        values, vectors = np.linalg.eigh(solve_triangular(root, half.T, lower=True))
        turn = vectors.T @ solve_triangular(root, np.eye(len(root)), lower=True)
        y.append(turn @ block.y)
        x.append(turn @ a)
        v.append(values)
    found = np.concatenate(v)
    none = found <= _TINY * found.max(initial=0.0)
    if not none.all():
        found = np.where(none, found[~none].min(), found)
    counts = [len(block.y) for block in blocks]
    dataset = np.repeat(np.arange(len(blocks)), counts)
    return Rows(np.concatenate(y), np.vstack(x), found, dataset, int(none.sum()))


def together(blocks: Sequence[Block], k: int) -> Codes:
    """Return (K, K) the number of data sets that hold both algorithms."""
    there = np.zeros((len(blocks), k), np.int64)
    for row, block in zip(there, blocks, strict=True):
        row[block.arms] = 1
    return there.T @ there


def components(blocks: Sequence[Block], k: int) -> Codes:
    """Return (K,) codes of the connected parts of the network."""
    pairs = np.array([(b.arms[0], arm) for b in blocks for arm in b.arms[1:]]).reshape(-1, 2)
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(k, k))
    return connected_components(graph, directed=False)[1].astype(np.int64)
