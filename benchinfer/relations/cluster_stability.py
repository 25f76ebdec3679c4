"""Stability of clusters and map of relations over resamples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from benchinfer.core.arguments import check_count, seed_of
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import frame
from benchinfer.core.numbers import count
from benchinfer.core.result import Showable
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes
from benchinfer.relations.numerics.distances import cut, flat_map, linkage
from benchinfer.relations.numerics.stability import bootstrapped, jaccard, together

if TYPE_CHECKING:
    import pandas as pd

type Labels = Codes


@savable
@shaped(
    names="B",
    groups="B [0,inf)",
    likeness="n [0,1] nan",
    together="B B [0,1] nan",
    moved="B [0,inf) nan",
)
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ClusterStability(Showable):
    """Stability of the clusters of B relations over bootstrap resamples.

    Attributes
    ----------
    names
        The B relations.
    groups
        (B,) cluster of each, from 0.
    likeness
        (n,) mean Jaccard coefficient of each cluster with the one that is most like it.
    together
        (B, B) share of the resamples with both in which two relations are in one cluster.
    moved
        (B,) root of the mean squared distance from their place on the map, after resamples are
        turned and shifted to fit it, divided by the map's own root of mean squares.
    resamples, seed
        How many, and the seed of the draws.
    """

    _home: ClassVar[str] = "benchinfer.relations"

    names: tuple[str, ...]
    groups: Labels
    likeness: Array
    together: Array
    moved: Array
    resamples: int
    seed: int

    def summary(self) -> pd.DataFrame:
        """One row per cluster: ``group members n_relations jaccard``."""
        members = [np.flatnonzero(self.groups == g) for g in range(len(self.likeness))]
        return frame(
            {
                "group": np.arange(1, len(members) + 1),
                "members": [", ".join(self.names[i] for i in cluster) for cluster in members],
                "n_relations": [len(cluster) for cluster in members],
                "jaccard": self.likeness,
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per relation: ``relation group moved``."""
        return frame({"relation": list(self.names), "group": self.groups + 1, "moved": self.moved})

    def pairs(self) -> pd.DataFrame:
        """One row per pair of relations: ``relation other share``, most often together first."""
        i, j = np.triu_indices(len(self.names), 1)
        order = np.argsort(-np.nan_to_num(self.together[i, j]), kind="stable")
        return frame(
            {
                "relation": [self.names[b] for b in i[order]],
                "other": [self.names[b] for b in j[order]],
                "share": self.together[i, j][order],
            }
        )

    def description(self) -> str:
        """Return the mean likeness of each cluster over the resamples, as text."""
        shares = ", ".join(f"{value:.2f}" for value in self.likeness)
        return f"<ClusterStability: likeness {shares} in {count(self.resamples, 'resample')}>"


def cluster_stability(
    names: tuple[str, ...],
    distances: Array,
    n: int,
    method: Literal["average", "complete", "single"],
    resamples: int,
    seed: int | None,
) -> ClusterStability:
    """Cluster and map resampled relations; see `Ensemble.cluster_stability`."""
    check_count("resamples", resamples, 2, "at least 2 resamples, as in 200.")
    check_count("n", n, 1, "a whole number of clusters, as in 3.")
    b = len(names)
    if n > b:
        raise DesignError(f"{b} relations make 1 to {b} clusters, not {n}.")
    seed = seed_of(seed)
    groups = cut(linkage(distances, method), n)
    points, _ = flat_map(distances)

    def drawn_again(drawn: Labels) -> tuple[Labels, Array]:
        part = distances[np.ix_(drawn, drawn)]
        distinct, first = np.unique(drawn, return_index=True)
        labels = np.full(b, -1)
        labels[distinct] = cut(linkage(part, method), min(n, len(distinct)))[first]
        moved = np.full(b, np.nan)
        fitted = _fitted(flat_map(part)[0], points[drawn])
        moved[distinct] = ((fitted - points[drawn]) ** 2).sum(axis=1)[first]
        return labels, moved

    results = bootstrapped(drawn_again, b, resamples, seed)
    labels = np.array([labels for labels, _ in results])
    moved = np.array([moved for _, moved in results])
    extent = float(np.sqrt((points**2).sum(axis=1).mean())) or 1.0
    seen = np.maximum((~np.isnan(moved)).sum(axis=0), 1)
    return ClusterStability(
        names=names,
        groups=groups,
        likeness=np.nanmean(jaccard(groups, labels), axis=0),
        together=together(labels),
        moved=np.sqrt(np.nansum(moved, axis=0) / seen) / extent,
        resamples=resamples,
        seed=seed,
    )


def _fitted(points: Array, target: Array) -> Array:
    """Return points turned, mirrored and shifted to come nearest to a target (Procrustes)."""
    middle = target.mean(axis=0)
    centred = points - points.mean(axis=0)
    u, _, v = np.linalg.svd(centred.T @ (target - middle))
    return centred @ u @ v + middle
