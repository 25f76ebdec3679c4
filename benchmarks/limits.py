"""Runs with a limit: CPU seconds of their statistics beyond reading the table.

Run as ``python benchmarks/limits.py``. CPU time over all threads of counts of stopped runs, means
up to the limit, virtual best, penalties at which pairs turn, running times, PAR10 and shares
solved; for 50 algorithms on 2,000 instances, 100,000 runs, and for 15 on 300.
"""

import time

import numpy as np
import pandas as pd

import benchinfer as bi

SIZES = ((15, 300), (50, 2000))
LIMIT = 3600.0


def simulated(algorithms: int, instances: int) -> bi.ScoreTable:
    """Return times of which about a third is stopped."""
    rng = np.random.default_rng([7, algorithms, instances])
    level = rng.normal(6.5, 2.0, (instances, 1)) + rng.normal(0, 0.3, algorithms)
    seconds = np.minimum(np.exp(level + rng.normal(0, 1.0, level.shape)), LIMIT)
    m, k = np.indices(seconds.shape)
    rows = {
        "dataset": [f"i{i:04}" for i in m.ravel()],
        "algorithm": [f"s{i:02}" for i in k.ravel()],
        "seconds": seconds.ravel(),
    }
    return bi.read_scores(pd.DataFrame(rows), measures=f"seconds:lower:0:identity:limit={LIMIT}")


def main() -> None:
    """Print CPU seconds of each statistic."""
    for algorithms, instances in SIZES:
        scores = simulated(algorithms, instances)
        print(f"{algorithms} algorithms, {instances:,} instances")
        total = 0.0
        for name, statistic in (
            ("stopped_runs", scores.runs().stopped),
            ("runs", scores.runs().summary),
            ("virtual_best", scores.runs().virtual_best),
            ("penalties", scores.runs().penalties),
            ("running_times", scores.runs().running_times),
            ("penalise", lambda scores=scores: scores.penalise(10)),
            ("solved", scores.solved),
        ):
            start = time.process_time()
            statistic()
            spent = time.process_time() - start
            total += spent
            print(f"  {name:14} {spent:.3f}")
        print(f"  {'all':14} {total:.3f}")


if __name__ == "__main__":
    main()
