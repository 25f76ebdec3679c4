"""Archetypes of resampled points."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from benchinfer.analyses.subgroups.archetypes.numerics.alternating import fit_archetypes
from benchinfer.numerics.stability import bootstrapped
from benchinfer.numerics.types import Array


@dataclass(frozen=True, slots=True)
class ResampledArchetypes:
    """Archetypes of R samples of n points, each matched to those of the points themselves.

    Attributes
    ----------
    archetypes
        (R, k, m) the archetypes in the order of those that they are matched to.
    groups
        (R, n) archetype of which each point has the largest share, whether it was drawn or not;
        -1 in samples with fewer than k different points.
    recurs
        (R, k) whether the matched archetype is nearer to its own than to any other.
    """

    archetypes: Array
    groups: NDArray[np.int64]
    recurs: NDArray[np.bool_]


def resample_archetypes(
    points: Array,
    archetypes: Array,
    weights: Array,
    *,
    robust: bool,
    resamples: int,
    starts: int,
    seed: int,
    n_jobs: int = 1,
) -> ResampledArchetypes:
    """Find archetypes in samples of points drawn with replacement.

    A point that is drawn twice has twice its weight; one that is not drawn is no part of an
    archetype.
    """
    n, k = len(points), len(archetypes)

    refitted = partial(_refitted, points, k, weights, robust, starts, seed)
    fits = bootstrapped(refitted, n, resamples, seed, n_jobs)
    moved = np.full((resamples, *archetypes.shape), np.nan)
    groups = np.full((resamples, n), -1, dtype=np.int64)
    recurs = np.zeros((resamples, k), dtype=np.bool_)
    for r, one in enumerate(fits):
        if one is not None:
            apart = cdist(archetypes, one[0])
            _, order = linear_sum_assignment(apart**2)
            moved[r] = one[0][order]
            groups[r] = np.argsort(order)[one[1]]
            recurs[r] = apart[:, order].argmin(axis=0) == np.arange(k)
    return ResampledArchetypes(moved, groups, recurs)


def _refitted(
    points: Array,
    k: int,
    weights: Array,
    robust: bool,  # noqa: FBT001 (the one argument that varies comes last)
    starts: int,
    seed: int,
    drawn: NDArray[np.int64],
) -> tuple[Array, NDArray[np.int64]] | None:
    """Return the archetypes of the points drawn and who is nearest to which, None of too few."""
    counts = np.bincount(drawn, minlength=len(points)) * weights
    if len(np.unique(points[counts > 0], axis=0)) < k:
        return None
    best = fit_archetypes(points, k, weights=counts, robust=robust, starts=starts, seed=seed)
    return best.fit.archetypes, best.fit.alphas.argmax(axis=1)
