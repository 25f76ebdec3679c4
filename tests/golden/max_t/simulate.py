"""Shares of 10 million simulated families whose largest statistic exceeds thresholds.

Writes simulated.json beside this file. From the repository:
python tests/golden/max_t/simulate.py
"""

import json
from pathlib import Path

import numpy as np

DRAWS, BATCH = 10_000_000, 500_000
THRESHOLDS = [0.4, 1.5, 2.5, 3.5, 5.0]


def families() -> dict[str, tuple[np.ndarray, np.ndarray, float, int]]:
    """Return contrasts, covariance, degrees of freedom and sides."""
    rng = np.random.default_rng(5)
    root = rng.normal(size=(5, 5))
    cov = np.round(root @ root.T, 3)
    mean, steps = np.eye(5) - 0.2, np.eye(5)[1:] - np.eye(5)[:-1]
    control = np.hstack([np.eye(4), -np.ones((4, 1))])
    first, second = np.triu_indices(5, 1)
    pairs = np.eye(5)[first] - np.eye(5)[second]
    repeated = np.array(
        [
            [1, -1, 0, 0, 0],
            [1, 0, -1, 0, 0],
            [0, 1, -1, 0, 0],
            [-1, 1, 0, 0, 0],
            [1, -1, 0, 0, 0],
            [1, -0.5, -0.5, 0, 0],
            [2, -1, -1, 0, 0],
        ]
    )
    own = np.diag([0.1, 1.0, 2.0, 4.0, 1.0])
    found = {}
    for sides in (1, 2):
        found |= {
            f"pairs, any covariance, {sides}": (pairs, cov, 7.0, sides),
            f"pairs, own variances, {sides}": (pairs, own, np.inf, sides),
            f"pairs in no order, {sides}": (
                pairs * np.resize([1, -1, 1], (10, 1)),
                own,
                6.0,
                sides,
            ),
            f"pairs, equal variances, {sides}": (pairs, np.eye(5), 6.0, sides),
            f"repeated, rank two, {sides}": (repeated, cov, 7.0, sides),
            f"mean, equal variances, {sides}": (mean, np.eye(5), 9.0, sides),
            f"mean, own variances, {sides}": (mean, own, np.inf, sides),
            f"sequential, {sides}": (steps, cov, 4.0, sides),
            f"control, own variances, {sides}": (control, own + 3, 4.0, sides),
            f"control, any covariance, {sides}": (control, cov, np.inf, sides),
        }
    return found


def shares(contrasts: np.ndarray, cov: np.ndarray, df: float, sides: int) -> list[float]:
    """Return the share of draws beyond each threshold."""
    rng = np.random.default_rng(20)
    values, vectors = np.linalg.eigh(cov)
    root = contrasts @ (vectors * np.sqrt(np.maximum(values, 0)))
    root /= np.linalg.norm(root, axis=1)[:, None]
    count = np.zeros(len(THRESHOLDS), dtype=int)
    for _ in range(DRAWS // BATCH):
        t = rng.standard_normal((BATCH, root.shape[1])) @ root.T
        largest = (np.abs(t) if sides == 2 else t).max(axis=1)
        if np.isfinite(df):
            largest /= np.sqrt(rng.chisquare(df, BATCH) / df)
        count += (largest[:, None] > THRESHOLDS).sum(axis=0)
    return (count / DRAWS).tolist()


if __name__ == "__main__":
    record = {
        name: {
            "contrasts": contrasts.tolist(),
            "cov": cov.tolist(),
            "df": None if np.isinf(df) else df,
            "sides": sides,
            "share": shares(contrasts, cov, df, sides),
        }
        for name, (contrasts, cov, df, sides) in families().items()
    }
    text = json.dumps({"draws": DRAWS, "thresholds": THRESHOLDS, "families": record}, indent=1)
    Path(__file__).with_name("simulated.json").write_text(text + "\n", encoding="utf-8")
