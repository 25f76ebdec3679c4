"""Network meta-analysis of 500 data sets and 30 algorithms.

Run as ``python benchmarks/meta.py``. CPU time over all threads of the whole comparison: effects
from published differences, heterogeneity by restricted maximum likelihood, simultaneous intervals
of all 435 pairs, probabilities to be best. Each data set compares 2 to 8 algorithms, or all 30.
"""

import time

import numpy as np
import pandas as pd

import benchinfer as bi

DATASETS, ALGORITHMS, TAU, NOISE = 500, 30, 0.05, 0.02


def published(low: int, high: int, datasets: int = DATASETS) -> pd.DataFrame:
    """Return differences of all pairs on data sets that compare some of the algorithms."""
    rng = np.random.default_rng([7, low, high])
    level = rng.normal(0.0, 0.05, ALGORITHMS)
    rows: list[tuple[str, str, str, float, float]] = []
    for d in range(datasets):
        size = int(rng.integers(low, high + 1))
        arms = np.sort(rng.choice(ALGORITHMS, size, replace=False))
        true = level[arms] + rng.normal(0.0, TAU / np.sqrt(2), size)
        error = rng.uniform(0.5, 1.5) * NOISE
        found = true + rng.normal(0.0, error, size)
        rows += [
            (f"d{d:03}", f"a{arms[i]:02}", f"a{arms[j]:02}", found[i] - found[j], error * 2**0.5)
            for i in range(size)
            for j in range(i + 1, size)
        ]
    return pd.DataFrame(rows, columns=["study", "first", "second", "estimate", "std_error"])


def main() -> None:
    """Print a table of CPU seconds."""
    print("| algorithms of a data set | effects | reading | comparing, CPU s |")
    print("|---|---|---|---|")
    for low, high in ((2, 8), (ALGORITHMS, ALGORITHMS)):
        frame = published(low, high)
        start = time.process_time()
        effects = bi.read_effects(frame, measures={"accuracy": "higher"})
        read = time.process_time()
        result = bi.compare_meta(effects)
        result.contrasts(all=True)
        result.summary()
        end = time.process_time()
        print(f"| {low} to {high} | {len(frame)} | {read - start:.1f} | {end - read:.1f} |")


if __name__ == "__main__":
    main()
