"""Clusters and maps of things of which distances are known."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float64]


def linkage(distances: Floats, method: Literal["average", "complete", "single"]) -> Floats:
    """Return the merges (B - 1, 4) of hierarchical clustering, as scipy's ``linkage`` does.

    Parameters
    ----------
    distances
        (B, B) symmetric, zero on the diagonal.
    method
        ``"average"``, ``"complete"`` or ``"single"``.
    """
    from scipy.cluster import hierarchy
    from scipy.spatial.distance import squareform

    if len(distances) == 1:
        return np.zeros((0, 4))
    return hierarchy.linkage(squareform(distances), method)


def cut(merges: Floats, n: int) -> NDArray[np.int64]:
    """Return the cluster (0, 1, ...) of each thing after all but the last n - 1 merges.

    Clusters are numbered in the order of their first members.
    """
    size = len(merges) + 1
    of = np.arange(size)
    for step, (a, b) in enumerate(merges[: size - n, :2].astype(np.int64)):
        of[np.isin(of, (a, b))] = size + step
    _, first, number = np.unique(of, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]


def flat_map(distances: Floats) -> tuple[Floats, float]:
    """Return points in the plane whose distances come close to those given (classical scaling).

    Parameters
    ----------
    distances
        (B, B) symmetric.

    Returns
    -------
    tuple
        (B, 2) points, of which in each direction the one farthest out, the first among equals, is
        positive, and the share of the sum of all absolute eigenvalues that the two directions hold.

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
    whole = np.abs(values).sum()
    return points, float(length.sum() / whole) if whole else 1.0
