"""Distances between relations.

States are coded 0 missing, 1 undecided, 2 equivalent, 3 first, 4 second.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from benchinfer.numerics.types import Array, Codes, States

type Kind = Literal["symdiff", "cks", "emond-mason", "jmb", "discrete", "cook-seiford", "spearman"]


def _table(opposed: int, tied: int, open_: int, tied_open: int) -> Codes:
    """Return the (5, 5) distances between two states of a pair, 0 where a state is missing.

    The distances are of opposed strict states, strict and equivalent, strict and undecided, and
    equivalent and undecided ones.
    """
    return np.array(
        [
            [0, 0, 0, 0, 0],
            [0, 0, tied_open, open_, open_],
            [0, tied_open, 0, tied, tied],
            [0, open_, tied, 0, opposed],
            [0, open_, tied, opposed, 0],
        ],
        dtype=np.int64,
    )


# Whole numbers, which add without error, and what their sum is divided by.
PAIRWISE: dict[str, tuple[Codes, int]] = {
    "symdiff": (_table(2, 1, 1, 2), 1),
    "cks": (_table(2, 1, 2, 1), 1),
    "emond-mason": (_table(2, 1, 1, 1), 1),
    "jmb": (_table(5, 3, 4, 4), 3),
    "discrete": (_table(1, 1, 1, 1), 1),
}
BY_RANK = ("cook-seiford", "spearman")
KINDS = (*PAIRWISE, *BY_RANK)


def twice_ranks(states: States) -> Codes:
    """Return ``K + 1 + better - worse`` for each element, of (..., K, K) states.

    `better` counts those preferred to it.
    """
    better, worse = (states == 4).sum(axis=-1), (states == 3).sum(axis=-1)
    return states.shape[-1] + 1 + better - worse


def generalised_ranks(states: States) -> Array:
    """Return half of `twice_ranks`: the midrank of a ranking; 1 is best."""
    return twice_ranks(states) / 2


def compared(states: States) -> Array:
    """Return (B, B) the number of pairs that two relations both hold, of (B, K, K) states."""
    i, j = np.triu_indices(states.shape[-1], 1)
    known = (states[:, i, j] != 0).astype(np.float64)
    return known @ known.T


def distances(states: States, kind: str) -> Array:
    """Return the distances between relations.

    Parameters
    ----------
    states
        (B, K, K) states. A pair that one of two relations lacks adds nothing to their distance.
    kind
        One of `KINDS`.

    Returns
    -------
    numpy.ndarray
        (B, B).

    Notes
    -----
    Discrepancies of a pair:

    ===================== ============ ================= ================ ====================
    kind                  first-second strict-equivalent strict-undecided equivalent-undecided
    ===================== ============ ================= ================ ====================
    symdiff               2            1                 1                2
    cks                   2            1                 2                1
    emond-mason           2            1                 1                1
    jmb                   5/3          1                 4/3              4/3
    discrete              1            1                 1                1
    ===================== ============ ================= ================ ====================

    They are the symmetric difference (Kemeny and Snell), and those of Cook, Kress and Seiford, of
    Emond and Mason, and of Jabeur, Martel and Khelifa. Cook and Seiford's distance is the sum of
    the absolute differences of the generalised ranks, Spearman's that of their squares.

    References
    ----------
    Cook, W. D., Kress, M. & Seiford, L. M. (1986). An axiomatic approach to distance on partial
    orderings. RAIRO - Operations Research 20, 115-122. https://doi.org/10.1051/ro/1986200201151

    Emond, E. J. & Mason, D. W. (2002). A new rank correlation coefficient with application to the
    consensus ranking problem. Journal of Multi-Criteria Decision Analysis 11, 17-28.
    https://doi.org/10.1002/mcda.313

    Jabeur, K., Martel, J.-M. & Khelifa, S. B. (2004). A distance-based collective preorder
    integrating the relative importance of the group's members. Group Decision and Negotiation 13,
    327-349. https://doi.org/10.1023/B:GRUP.0000042894.00775.75

    Cook, W. D. & Seiford, L. M. (1978). Priority ranking and consensus formation. Management
    Science 24, 1721-1732. https://doi.org/10.1287/mnsc.24.16.1721
    """
    if kind in BY_RANK:
        ranks = generalised_ranks(states)
        apart = np.abs(ranks[:, None] - ranks[None])
        return (apart if kind == "cook-seiford" else apart**2).sum(axis=-1)
    table, divisor = PAIRWISE[kind]
    i, j = np.triu_indices(states.shape[-1], 1)
    pairs = states[:, i, j]
    # States of a pair one by one: rows of the table against the states themselves.
    total = np.zeros((len(states), len(states)))
    for state in range(1, 5):
        total += (pairs == state).astype(np.float64) @ table[state][pairs].T.astype(np.float64)
    return total / divisor


def largest(states: States, kind: str) -> Array:
    """Return (B, B) the largest distance that the pairs compared by both allow."""
    if kind in PAIRWISE:
        table, divisor = PAIRWISE[kind]
        return compared(states) * table.max() / divisor
    k = states.shape[-1]
    most = k**2 // 2 if kind == "cook-seiford" else (k**3 - k) / 3
    return np.full((len(states), len(states)), float(most))


def concordance(ranks: Array, weights: Array) -> float:
    """Return Kendall's W: the spread of the mean ranks as a share of the mean spread of ranks.

    `ranks` (B, K) are generalised ranks, `weights` (B,) those of the relations. The result lies
    between 0 and 1, and is NaN where no relation prefers anything; for rankings with ties it is W
    with the usual correction for ties.

    References
    ----------
    Kendall, M. G. & Babington Smith, B. (1939). The problem of m rankings. Annals of Mathematical
    Statistics 10, 275-287. https://doi.org/10.1214/aoms/1177732186
    """
    centred = ranks - (ranks.shape[1] + 1) / 2
    spread = float(weights @ (centred**2).sum(axis=1)) / weights.sum()
    mean = weights @ centred / weights.sum()
    return float((mean**2).sum() / spread) if spread else float("nan")


def linkage(distances: Array, method: Literal["average", "complete", "single"]) -> Array:
    """Return the merges (B - 1, 4) of hierarchical clustering, as scipy's ``linkage`` does.

    `distances` (B, B) are symmetric, zero on the diagonal.
    """
    from scipy.cluster import hierarchy
    from scipy.spatial.distance import squareform

    if len(distances) == 1:
        return np.zeros((0, 4))
    return hierarchy.linkage(squareform(distances), method)


def cut(merges: Array, n: int) -> Codes:
    """Return the cluster (0, 1, ...) of each item after all but the last n - 1 merges.

    Clusters are numbered in the order of their first members.
    """
    size = len(merges) + 1
    of = np.arange(size)
    for step, (a, b) in enumerate(merges[: size - n, :2].astype(np.int64)):
        of[np.isin(of, (a, b))] = size + step
    _, first, number = np.unique(of, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]


def flat_map(distances: Array) -> tuple[Array, float]:
    """Return points in the plane whose distances come close to those given (classical scaling).

    `distances` (B, B) are symmetric. Of the (B, 2) points the one farthest out in each direction,
    the first among equals, is positive. The second result is the share of the sum of all absolute
    eigenvalues that the two directions hold.

    References
    ----------
    Gower, J. C. (1966). Some distance properties of latent root and vector methods used in
    multivariate analysis. Biometrika 53, 325-338. https://doi.org/10.1093/biomet/53.3-4.325
    """
    b = len(distances)
    centring = np.eye(b) - 1 / b
    values, vectors = np.linalg.eigh(-0.5 * centring @ distances**2 @ centring)
    length = np.clip(values[::-1][:2], 0, None)
    # The root of a rounding error would look like a small distance.
    length[length < 1e-12 * np.abs(values).max()] = 0
    points = np.zeros((b, 2))
    points[:, : len(length)] = vectors[:, ::-1][:, :2] * np.sqrt(length)
    far = np.argmax(np.round(np.abs(points), 9), axis=0)
    points *= np.where(points[far, [0, 1]] < 0, -1.0, 1.0)
    total = np.abs(values).sum()
    return points, float(length.sum() / total) if total else 1.0
