"""Bootstrapped aggregates and probabilities of improvement, beside rliable.

Run as ``python benchmarks/bootstrap.py [folder]``; the folder holds rliable where it is not
installed (``uv pip install --target folder rliable arch``). CPU time over all threads; ours is the
best of three after compilation. Scores of 5 algorithms on 26 data sets with 10 replications.
"""

import importlib.util
import sys
import time
from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchinfer.numerics import aggregates, bootstrap, improvement
from benchinfer.numerics.aggregates import Statistic

DATASETS, REPLICATIONS, ALGORITHMS = 26, 10, 5
RESAMPLES, SIDE_RESAMPLES = 50_000, 2000
# rliable takes minutes for all resamples: its time grows with their number.
THEIRS = 2000


def cpu(run: Callable[[], object], times: int = 1) -> float:
    """Return the least CPU seconds of some runs."""
    found: list[float] = []
    for _ in range(times):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def layouts(scores: NDArray[np.float64]) -> dict[str, bootstrap.Sample]:
    """Return the scores with replications shared by the algorithms, and each on its own."""
    d, b, k = scores.shape
    n = d * b
    own = np.tile(np.eye(k, dtype=bool), (n, 1))
    return {
        "shared": bootstrap.lay_out(
            scores.reshape(n, k), np.ones((n, k), dtype=bool), np.repeat(np.arange(d), b)
        ),
        "own": bootstrap.lay_out(
            np.where(own, scores.ravel()[:, None], 0.0), own, np.repeat(np.arange(d), b * k)
        ),
    }


def theirs(scores: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the CPU seconds of rliable for all aggregates and all pairs, if it is there."""
    if importlib.util.find_spec("rliable") is None or importlib.util.find_spec("arch") is None:
        return None
    from rliable import library, metrics

    names = [f"a{i}" for i in range(ALGORITHMS)]
    runs = {name: scores[:, :, i].T for i, name in enumerate(names)}
    pairs = {f"{i},{j}": (runs[i], runs[j]) for i, j in combinations(names, 2)}
    aggregate = cpu(
        lambda: library.get_interval_estimates(
            runs, lambda x: np.array([metrics.aggregate_iqm(x)]), reps=THEIRS
        )
    )
    better = cpu(
        lambda: library.get_interval_estimates(
            pairs, metrics.probability_of_improvement, reps=THEIRS // 10
        )
    )
    return aggregate * RESAMPLES / THEIRS, better * SIDE_RESAMPLES / (THEIRS // 10)


def main() -> None:
    """Print one row per task."""
    if len(sys.argv) > 1:
        sys.path.append(sys.argv[1])
    scores = np.random.default_rng(1).normal(size=(DATASETS, REPLICATIONS, ALGORITHMS))
    pairs = np.array(list(combinations(range(ALGORITHMS), 2)))
    tasks: dict[str, tuple[Callable[[bootstrap.Sample], object], int]] = {
        f"interquartile mean, {RESAMPLES:,} resamples": (
            lambda s: aggregates.draws(s, Statistic("iqm"), "replications", RESAMPLES, 1),
            0,
        ),
        f"median of means, {RESAMPLES:,} resamples": (
            lambda s: aggregates.draws(s, Statistic("quantile", 0.5), "replications", RESAMPLES, 1),
            -1,
        ),
        f"probability of improvement, {len(pairs)} pairs, {SIDE_RESAMPLES:,} resamples": (
            lambda s: improvement.draws(s, pairs, "replications", SIDE_RESAMPLES, 1),
            1,
        ),
    }
    with threadpool_limits(1):
        peer = theirs(scores)
        print("| task | replications | benchinfer s | rliable s | ratio |")
        print("|---|---|--:|--:|--:|")
        for task, (run, index) in tasks.items():
            for name, sample in layouts(scores).items():
                run(sample)
                mine = cpu(lambda run=run, sample=sample: run(sample), 3)
                cells = [task, name, f"{mine:.2f}", "", ""]
                if peer is not None and index >= 0:
                    cells[3:] = [f"{peer[index]:.0f}", f"{peer[index] / mine:.0f}"]
                print("| " + " | ".join(cells) + " |", flush=True)
    if peer is None:
        print("\nrliable and arch are not installed: ours alone.")
    else:
        print(f"\nrliable: from {THEIRS:,} and {THEIRS // 10:,} resamples, in proportion.")


if __name__ == "__main__":
    main()
