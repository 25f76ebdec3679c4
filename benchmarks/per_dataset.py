"""One comparison per data set, on tables of many data sets: all, and each by itself.

Wall seconds, best of three, from a score table in memory to the relations. "alone" narrows the
table to each data set and compares there, for the first 20 data sets, and is scaled up.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import benchinfer as bi

# (data sets, replications, algorithms), share of scores missing
TABLES = [
    ((100, 10, 5), 0.0),
    ((500, 10, 5), 0.0),
    ((50, 10, 5), 0.1),
    ((500, 30, 10), 0.0),
    ((2000, 10, 5), 0.0),
]
ALONE = 20


def table(shape: tuple[int, int, int], missing: float) -> bi.ScoreTable:
    """Draw a table of scores."""
    d, b, k = shape
    rng = np.random.default_rng(20120314)
    y = rng.normal(size=(d, 1, 1)) + 0.5 * rng.normal(size=(d, 1, k))
    y = y + 0.3 * rng.normal(size=(d, b, 1)) + 0.5 * rng.normal(size=(d, b, k))
    dataset, replication, algorithm = np.indices(shape).reshape(3, -1)
    rows = pd.DataFrame(
        {
            "dataset": [f"d{i:04d}" for i in dataset],
            "replication": replication,
            "algorithm": [f"a{i:02d}" for i in algorithm],
            "value": y.ravel(),
        }
    )
    rows = rows[rng.random(len(rows)) >= missing]
    return bi.read_scores(rows, measures={"score": "higher"}, paired=True)


def best(run: Callable[[], object]) -> float:
    """Return the least time of three runs."""
    times: list[float] = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def alone(scores: bi.ScoreTable) -> None:
    """Compare on the first data sets, each by itself."""
    for name in scores.datasets[:ALONE]:
        bi.compare_mixed(scores.subset(datasets=name)).relation()


def main() -> None:
    """Print one row per table."""
    print("| D, B, K | missing | per_dataset s | ms per data set | alone s | ratio |")
    print("|---|---|---|---|---|---|")
    with threadpool_limits(1):
        for shape, missing in TABLES:
            scores = table(shape, missing)
            mine = best(lambda s=scores: bi.per_dataset(bi.compare_mixed, s).relations())
            each = best(lambda s=scores: alone(s)) / ALONE * shape[0]
            cells = [", ".join(map(str, shape)), f"{missing:.0%}", f"{mine:.2f}"]
            cells += [f"{1000 * mine / shape[0]:.1f}", f"{each:.1f}", f"{each / mine:.0f}"]
            print("| " + " | ".join(cells) + " |", flush=True)
    print(f"\nPython {sys.version.split()[0]}, numpy {np.__version__}")


if __name__ == "__main__":
    main()
