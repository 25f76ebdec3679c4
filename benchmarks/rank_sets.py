"""Sets of the best, of ranks and of fronts: CPU seconds and sizes against the number of algorithms.

Run as ``python benchmarks/rank_sets.py``. Normal tables of 20 data sets, levels evenly spread over
1.5 standard deviations; fronts of two measures that trade off. CPU time over all threads, and the
mean number of ranks in a set and of algorithms that may be the best or on the front, as shares of
all algorithms.
"""

import time
from collections.abc import Callable

import numpy as np

from benchinfer.numerics.directions.fronts import dominance, dominated
from benchinfer.numerics.directions.rank_sets import RowReference, n_draws, rank_sets

DATASETS = 20


def seconds[T](call: Callable[[], T]) -> tuple[float, T]:
    """Return the CPU time of a call and its result."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def main() -> None:
    """Print one row per number of algorithms."""
    print("algorithms  draws  sets  best  simultaneous  marginal  front  on it")
    for k in (5, 10, 30, 60, 90, 120, 200):
        rng = np.random.default_rng([38, k])
        steps = np.linspace(0, 1.5, k)
        tables = np.stack([steps, -steps])[:, None] + rng.standard_normal((2, DATASETS, k))
        cost, sets = seconds(lambda: rank_sets(RowReference(tables[0]), 0.05))  # noqa: B023
        of_front, tests = seconds(lambda: dominance(tables, np.zeros(2)))  # noqa: B023
        sizes = (
            sets.best.mean(),
            (sets.high - sets.low + 1).mean() / k,
            (sets.marginal_high - sets.marginal_low + 1).mean() / k,
        )
        on = 1 - dominated(tests.p_value <= 0.05).mean()
        row = (f"{cost:.2f}", *(f"{size:.2f}" for size in sizes), f"{of_front:.2f}", f"{on:.2f}")
        print(k, n_draws(k), *row, sep="  ")


if __name__ == "__main__":
    main()
