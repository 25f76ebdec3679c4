"""Which relations of an ensemble are alike: clusters, and a map in the plane."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import DesignError, unknown
from benchinfer.frames import frame
from benchinfer.numerics import likeness

if TYPE_CHECKING:
    import pandas as pd

type Linkage = Literal["average", "complete", "single"]
LINKAGES = ("average", "complete", "single")


@dataclass(frozen=True, slots=True)
class Clusters:
    """A hierarchy of clusters of relations.

    Attributes
    ----------
    names
        The B relations.
    merges
        (B - 1, 4), as scipy's ``linkage``: the two clusters merged, their distance, and the number
        of members; it can be handed to ``scipy.cluster.hierarchy.dendrogram``.
    """

    names: tuple[str, ...]
    merges: NDArray[np.float64]

    def cut(self, n: int) -> list[list[str]]:
        """Return the members of n clusters, in the order of their first members."""
        if not 1 <= n <= len(self.names):
            raise DesignError(
                f"{len(self.names)} relations make 1 to {len(self.names)} clusters, not {n!r}."
            )
        of = likeness.cut(self.merges, n)
        return [[self.names[i] for i in np.flatnonzero(of == c)] for c in range(n)]


def clusters(names: tuple[str, ...], distances: NDArray[np.float64], method: Linkage) -> Clusters:
    """Return the hierarchy of clusters."""
    if method not in LINKAGES:
        raise DesignError(unknown("method", method, LINKAGES))
    return Clusters(names, likeness.linkage(distances, method))


@dataclass(frozen=True, slots=True)
class Map:
    """Points of relations in the plane, as far apart as the relations as can be.

    Attributes
    ----------
    names
        The B relations.
    points
        (B, 2).
    share
        How much of the distances the plane shows: 1 is all.
    """

    names: tuple[str, ...]
    points: NDArray[np.float64]
    share: float

    def to_frame(self) -> "pd.DataFrame":
        """One row per relation: ``relation x y``."""
        x, y = self.points.T
        return frame({"relation": list(self.names), "x": x, "y": y})
