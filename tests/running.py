"""Tables of experiments with shared replications, as they run."""

import numpy as np
import pandas as pd

import benchinfer as bi


def running(n, means, *, datasets=1, seed=1, tolerance=0.0, scale="identity", label=""):
    """Return n replications on each data set, of algorithms with these means."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(datasets, n, len(means)))
    y = rng.normal(size=(datasets, n, 1)) + noise / np.sqrt(2) + list(means.values())
    d, r, a = np.indices(y.shape).reshape(3, -1)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{i + 1}" for i in d],
            "replication": r + 1,
            "algorithm": np.array(list(means), dtype=object)[a],
            "value": y.ravel() if scale == "identity" else np.exp(0.1 * y.ravel()),
        }
    )
    measure = bi.Measure("acc", "higher", tolerance, scale, label=label)
    shared = bi.Resampling("independent", paired=True)
    return bi.read_scores(frame, measures=measure, resampling=shared)
