"""Tally of wins and ties.

References
----------
Ford, L. R. (1957). Solution of a ranking problem from binary comparisons. The American Mathematical
Monthly 64, 28-33. https://doi.org/10.1080/00029890.1957.11989117
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from benchinfer.core.saving import savable, shaped
from benchinfer.numerics import ties
from benchinfer.numerics.covariance import pairs_of
from benchinfer.numerics.types import Array, Codes, Flags

type Ties = Literal["davidson", "half", "drop"]

# Odds that estimates and bounds may reach, whatever the number of contests.
_ODDS = 1000


@savable
@shaped(pairs="p 2", wins="M p [0,inf)", ties="M p [0,inf)", losses="M p [0,inf)")
@dataclass(frozen=True)
class Tally:
    """Outcomes of the P pairs of K algorithms in M clusters of contests."""

    pairs: Codes  # (P, 2) index pairs into the algorithms, the first below the second
    # wins, ties, losses: (M, P) how often the first of a pair wins, neither does, and the second
    # wins. Contests of one cluster, as a rule of one data set, depend on each other
    wins: Array
    ties: Array
    losses: Array

    @property
    def n_algorithms(self) -> int:
        """Number of algorithms."""
        return int(self.pairs.max()) + 1

    @property
    def n(self) -> Array:
        """(M, P) number of contests."""
        return self.wins + self.ties + self.losses

    @property
    def most_odds(self) -> int:
        """Limit of finite odds: 1,000, or the number of contests if that is larger.

        Of n contests that all are won, none shows odds beyond n: those come from the model, the
        penalty and the tails of t distributions of few degrees of freedom.
        """
        return max(_ODDS, int(self.total.n.sum()))

    @cached_property
    def met(self) -> Flags:
        """(M,) whether a cluster has a contest."""
        return self.wins.any(axis=1) | self.ties.any(axis=1) | self.losses.any(axis=1)

    @property
    def clusters(self) -> int:
        """Number of clusters with a contest."""
        return int(self.met.sum())

    @property
    def with_contests(self) -> Tally:
        """The tally of the clusters that have contests."""
        return Tally(self.pairs, *(x[self.met] for x in (self.wins, self.ties, self.losses)))

    @cached_property
    def total(self) -> Tally:
        """The tally summed over all clusters."""
        sums = (x.sum(axis=0, keepdims=True) for x in (self.wins, self.ties, self.losses))
        return Tally(self.pairs, *sums)

    def with_ties(self, ties: Ties) -> Tally:
        """Return the tally with ties unchanged, counted as half a win for each side, or dropped."""
        if ties == "davidson":
            return self
        half = self.ties / 2 if ties == "half" else 0.0
        none = np.zeros_like(self.ties)
        return replace(self, wins=self.wins + half, ties=none, losses=self.losses + half)

    def beaten(self) -> Flags:
        """Return (K, K) whether the row's algorithm has a win or tie against the column's."""
        k, total = self.n_algorithms, self.total
        beaten = np.zeros((k, k), dtype=np.bool_)
        i, j = self.pairs.T
        beaten[i, j] = (total.wins + total.ties)[0] > 0
        beaten[j, i] = (total.losses + total.ties)[0] > 0
        return beaten

    def groups(self) -> list[list[int]]:
        """Return the algorithms in groups that no chain of wins and ties leads out of and back.

        With one group worths are finite (Ford 1957 [1]_); else no algorithm of some group ever
        wins, or ties, against one of another, or they never meet. Groups that beat others come
        first.
        """
        beaten = self.beaten()
        n, label = connected_components(
            csr_array(beaten.astype(np.int64)), directed=True, connection="strong"
        )
        members = [np.flatnonzero(label == g) for g in range(n)]
        reach = [int(_reached(beaten, group).sum()) for group in members]
        order = sorted(range(n), key=lambda g: (-reach[g], members[g][0]))
        return [members[g].tolist() for g in order]

    def boundless(self) -> bool:
        """Return whether Davidson's parameter of ties grows without limit, and worths with it.

        With the log of nu 1/2 and differences of log worths at least 1 where one wins and at most 1
        where neither does, nothing that was observed gets less likely as all are multiplied. Such
        worths exist unless some circle of algorithms, each of which beat or tied with the next, has
        more wins than ties.
        """
        total, k, (i, j) = self.total, self.n_algorithms, self.pairs.T
        wins, ties, losses = (x[0] > 0 for x in (total.wins, total.ties, total.losses))
        if not ties.any() or (wins & losses).any():
            return False
        # Lengths of paths: -1 for a win, 1 for a tie; without a circle none is below -(k - 1).
        step = np.full((k, k), np.inf)
        step[i[ties], j[ties]] = step[j[ties], i[ties]] = 1.0
        step[i[wins], j[wins]] = step[j[losses], i[losses]] = -1.0
        shortest = np.zeros(k)
        while shortest.min() > -k:
            shorter = np.minimum(shortest, (shortest[:, None] + step).min(axis=0))
            if (shorter == shortest).all():
                return True
            shortest = shorter
        return False

    def parts(self) -> list[list[int]]:
        """Return the algorithms in parts that no chain of contests connects."""
        n, label = connected_components(csr_array(self.beaten().astype(np.int64)), directed=False)
        return [np.flatnonzero(label == g).tolist() for g in range(n)]


def _reached(beaten: Flags, start: NDArray[np.intp]) -> Flags:
    """Return which algorithms can be reached by some chain of wins."""
    reached = np.zeros(len(beaten), dtype=np.bool_)
    reached[start] = True
    for _ in range(len(beaten)):
        reached |= beaten[reached].any(axis=0)
    return reached


def count(
    values: Array,
    cluster: Codes,
    tie: float,
    local: Array | None = None,
    rounding: Array | None = None,
) -> Tally:
    """Count wins between all pairs of columns.

    Parameters
    ----------
    values
        (B, K) scores of B blocks, larger is better, NaN where there is none: such an algorithm has
        no contest there.
    cluster
        (B,) cluster of each block, non-decreasing, from 0.
    tie
        Differences of at most this are ties; values within rounding are in any case.
    local
        (B, P) differences that are ties in a block and pair, where they are larger.
    rounding
        (B, K) rounding of the values, by default `ties.rounding`.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.8, 0.7], [0.9, 0.9, np.nan]])
    >>> found = count(scores, np.array([0, 1]), tie=0.0)
    >>> found.total.wins, found.total.ties, found.total.losses
    (array([[1., 1., 1.]]), array([[1., 0., 0.]]), array([[0., 0., 0.]]))
    """
    pairs = pairs_of(values.shape[1])
    starts = np.flatnonzero(np.r_[True, np.diff(cluster) > 0])
    rounding = ties.rounding(values) if rounding is None else rounding
    values = ties.joined_rows(values, rounding)
    outcomes = np.empty((3, len(starts), len(pairs)))
    # A handful of pairs at a time: blocks may be many.
    for at in range(0, len(pairs), _AT_ONCE):
        some = slice(at, at + _AT_ONCE)
        i, j = pairs[some].T
        # Values that rounding tells apart are equal by now; a tolerance is met up to rounding.
        reach = np.maximum(rounding[:, i], rounding[:, j]) + tie if tie else 0.0
        reach = reach if local is None else np.maximum(reach, local[:, some])
        d = values[:, i] - values[:, j]  # NaN compares as false: no contest
        three = np.stack([d > reach, np.abs(d) <= reach, d < -reach]).astype(np.float64)
        outcomes[:, :, some] = np.add.reduceat(three, starts, axis=1)
    return Tally(pairs, *outcomes)


_AT_ONCE = 64


def spread(values: Array, cluster: Codes) -> Array:
    """Return (M, P) standard deviations of the differences of pairs within clusters.

    `values` (B, K) are NaN where there is none, and `cluster` (B,) is non-decreasing, from 0. The
    result is 0 where a cluster has fewer than two differences of the pair.
    """
    pairs = pairs_of(values.shape[1])
    starts = np.flatnonzero(np.r_[True, np.diff(cluster) > 0])
    d = values[:, pairs[:, 0]] - values[:, pairs[:, 1]]
    there = ~np.isnan(d)
    n = np.add.reduceat(there.astype(np.float64), starts, axis=0)
    mean = np.add.reduceat(np.where(there, d, 0.0), starts, axis=0) / np.maximum(n, 1)
    centred = np.where(there, d - mean[cluster], 0.0)
    squares = np.add.reduceat(centred**2, starts, axis=0)
    return np.sqrt(squares / np.maximum(n - 1, 1)) * (n > 1)
