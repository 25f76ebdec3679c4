"""Time and memory of the inference of roles: large tables, and one of many instances.

Run: python benchmarks/roles.py
"""

import resource
import time

import numpy as np
import pandas as pd

from benchinfer.scores.roles.readings import readings


def large() -> pd.DataFrame:
    """Return a million rows of 30 columns: 10 algorithms, 1,000 data sets and 100 seeds."""
    g = np.random.default_rng(0)
    a, d, r = (x.ravel() for x in np.meshgrid(range(10), range(1000), range(100), indexing="ij"))
    n = len(a)
    columns = {
        "model": np.array([f"m{i}" for i in range(10)])[a],
        "dataset": np.array([f"d{i}" for i in range(1000)])[d],
        "seed": r,
        "domain": np.array([f"g{i}" for i in range(20)])[d % 20],
        "family": np.array(["u", "v", "w"])[a % 3],
        "note": [f"t{i:07d}" for i in range(n)],
    }
    columns |= {f"x{i}": g.normal(size=n) + 0.3 * a for i in range(20)}
    return pd.DataFrame(columns | {f"k{i}": g.integers(0, 500, n) for i in range(4)})


def instances() -> pd.DataFrame:
    """Return 65,000 rows of 22,000 instances and 3 solvers."""
    n = 22_000
    frame = pd.DataFrame(
        {
            "instance": np.repeat([f"p{i:05d}.smt2" for i in range(n)], 3),
            "solver": np.tile(["al", "be", "ga"], n),
            "family": np.repeat([f"f{i % 900}" for i in range(n)], 3),
            "seconds": np.random.default_rng(0).exponential(size=3 * n),
        }
    )
    return frame.iloc[:65_000]


def main() -> None:
    """Print the time of each table."""
    for name, frame in (("1,000,000 x 30", large()), ("65,000 x 4", instances())):
        wall, cpu = time.time(), time.process_time()
        first = readings(frame)[0]
        wall, cpu = time.time() - wall, time.process_time() - cpu
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{name}: {cpu:.1f} s of CPU, {wall:.1f} s, at most {memory:.2f} GB; {first.shape}")


if __name__ == "__main__":
    main()
