"""Archetypes: CPU seconds and sums of squares beside a plain implementation.

Run as ``python benchmarks/archetypes.py``. The plain one alternates as Cutler and Breiman describe:
shares of archetypes by scipy's non-negative least squares, one data set after the other, with a
heavy row for their sum; archetypes by least squares, and the shares of data sets in them in the
same way. Both have one start from the same seed; three archetypes.
"""

import time

import numpy as np
from scipy.optimize import nnls

from benchinfer.analyses.subgroups.numerics.alternating import fit_archetypes

SIZES = ((50, 5), (200, 10), (1000, 20))
HEAVY, TURNS, K = 200.0, 100, 3


def shares(targets: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return the mixtures of corners nearest to each target."""
    design = np.vstack([corners.T, np.full(len(corners), HEAVY)])
    return np.array([nnls(design, np.append(x, HEAVY))[0] for x in targets])


def plain(points: np.ndarray, seed: int) -> float:
    """Return the sum of squares that a plain implementation reaches."""
    corners = points[np.random.default_rng(seed).choice(len(points), K, replace=False)]
    before = reached = np.inf
    for _ in range(TURNS):
        alphas = shares(points, corners)
        corners = shares(np.linalg.lstsq(alphas, points, rcond=None)[0], points) @ points
        reached = float(((points - shares(points, corners) @ corners) ** 2).sum())
        if before - reached < 1e-6 * reached:
            break
        before = reached
    return reached


def main() -> None:
    """Print one row per size."""
    print("datasets algorithms  CPU s  plain CPU s  sum of squares  plain sum of squares")
    for n, m in SIZES:
        rng = np.random.default_rng([n, m])
        points = rng.dirichlet(np.full(K, 0.7), n) @ rng.normal(size=(K, m))
        points += 0.1 * rng.normal(size=points.shape)
        start = time.process_time()
        found = fit_archetypes(points, K, weights=np.ones(n), robust=False, starts=1, seed=1)
        middle = time.process_time()
        other = plain(points, 1)
        end = time.process_time()
        own = found.objective
        print(f"{n} {m}  {middle - start:.2f}  {end - middle:.2f}  {own:.4f}  {other:.4f}")


if __name__ == "__main__":
    main()
