"""Stability of clusters over resamples."""

from collections.abc import Callable

import numpy as np

from benchinfer.core.parallel import in_order, workers
from benchinfer.numerics.types import Array, Codes

type Labels = Codes


def bootstrapped[T](
    fit: Callable[[Labels], T], n: int, resamples: int, seed: int, n_jobs: int | None = None
) -> list[T]:
    """Return the values of a function on bootstrap samples of n items.

    Parameters
    ----------
    fit
        Takes (n,) positions of the things that were drawn.
    n, resamples, seed
        Number of things, of samples, and the seed of the draws.
    n_jobs
        Number of processes; more than one need a function of a module.

    Examples
    --------
    >>> most = bootstrapped(lambda drawn: int(drawn.max()), 4, resamples=3, seed=1)
    >>> most
    [3, 3, 3]
    """
    rng = np.random.default_rng(seed)
    drawn = [np.sort(rng.integers(n, size=n)) for _ in range(resamples)]
    return list(in_order(fit, drawn, workers(n_jobs), processes=True))


def together(labels: Labels) -> Array:
    """Return the share of resamples with two items in one cluster, of those that have both.

    Parameters
    ----------
    labels
        (R, n) cluster of each thing in each resample, -1 where it was not drawn.

    Returns
    -------
    numpy.ndarray
        (n, n) shares; NaN of things that no resample has both of.

    Examples
    --------
    >>> together(np.array([[0, 0, 1], [0, 1, -1]]))
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 1. ]])
    """
    n = labels.shape[1]
    same, both = np.zeros((n, n)), np.zeros((n, n))
    for row in labels:
        there = row >= 0
        pair = there[:, None] & there
        both += pair
        same += pair & (row[:, None] == row)
    with np.errstate(invalid="ignore"):
        return np.where(both > 0, same / both, np.nan)


def jaccard(reference: Labels, labels: Labels) -> Array:
    """Return the Jaccard similarity of each cluster to the most similar cluster of a resample.

    Parameters
    ----------
    reference
        (n,) cluster of each thing, 0 to k - 1.
    labels
        (R, n) as in `together`.

    Returns
    -------
    numpy.ndarray
        (R, k): of the things in the resample, the number in both clusters divided by the number in
        either of them; NaN where the resample has no thing of the cluster.

    References
    ----------
    Hennig, C. (2007). Cluster-wise assessment of cluster stability. Computational Statistics &
    Data Analysis 52, 258-271. https://doi.org/10.1016/j.csda.2006.11.025

    Examples
    --------
    >>> jaccard(np.array([0, 0, 1, 1]), np.array([[5, 5, 5, 2]])).round(3)
    array([[0.667, 0.5  ]])
    """
    k = int(reference.max()) + 1
    similarity = np.full((len(labels), k), np.nan)
    for r, row in enumerate(labels):
        there = row >= 0
        clusters = [there & (row == c) for c in np.unique(row[there])]
        for c in range(k):
            members = there & (reference == c)
            if members.any():
                similarity[r, c] = max(
                    (members & one).sum() / (members | one).sum() for one in clusters
                )
    return similarity
