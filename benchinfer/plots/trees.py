"""Trees of hierarchical clustering beside the rows and columns of a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.cluster.hierarchy import dendrogram, linkage
from scipy.spatial.distance import squareform

from benchinfer.core.errors import DesignError
from benchinfer.plots.style import FAINT, lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.numerics.types import Array, Codes


TREE = 0.55  # inches that a tree takes


@dataclass(frozen=True, slots=True)
class ClusterTree:
    """Clusters of n items.

    Attributes
    ----------
    order
        (n,) items in an order in which no lines cross, and neighbours are alike.
    links
        (n - 1, 4, 2) place in that order, from 0, and height, from 0 to 1, of the four corners of
        the line that joins two clusters.
    """

    order: Codes
    links: Array


def tree_of(rows: Array, what: str) -> ClusterTree:
    """Cluster rows by average linkage of their Euclidean distances; see `distances`."""
    n = len(rows)
    if n < 2:
        return ClusterTree(np.arange(n), np.empty((0, 4, 2)))
    merges = linkage(squareform(distances(rows, what)), "average", optimal_ordering=True)
    drawn = dendrogram(merges, no_plot=True)
    order = np.array(drawn["leaves"], np.int64)
    place = (np.array(drawn["icoord"]) - 5) / 10
    if order[0] > order[-1]:  # of two directions the one whose first item is the earlier one
        order, place = order[::-1], n - 1 - place
    height = np.array(drawn["dcoord"])
    return ClusterTree(order, np.stack([place, height / (height.max() or 1.0)], axis=-1))


def distances(rows: Array, what: str) -> Array:
    """Return Euclidean distances (n, n), scaled up from the columns that both of two rows have.

    Raises
    ------
    DesignError
        Two rows have no column in common.
    """
    filled, known = np.nan_to_num(rows), (~np.isnan(rows)).astype(float)
    common = known @ known.T
    if not common.all():
        raise DesignError(
            f"two {what} have no scores in common, and their distance is not defined.",
            hint='without order="clusters" the heat map has the order of ranks.',
        )
    squares = np.array([(known * (filled - row) ** 2 * here).sum(axis=1)
                        for row, here in zip(filled, known, strict=True)])  # fmt: skip
    far = np.sqrt(squares * rows.shape[1] / common)
    return (far + far.T) / 2


def draw_beside(tree: ClusterTree, ax: Axes, edge: float, height: float, *, upright: bool) -> None:
    """Draw a tree from an edge of its items on: below columns (upright) or right of rows."""
    along, away = tree.links[..., 0], edge + height * tree.links[..., 1]
    x, y = (along, away) if upright else (away, along)
    ends = np.stack([x[:, :-1], y[:, :-1], x[:, 1:], y[:, 1:]], axis=-1).reshape(-1, 4)
    lines(ax, [(a, b, c, d) for a, b, c, d in ends.tolist()], FAINT, 0.8)
