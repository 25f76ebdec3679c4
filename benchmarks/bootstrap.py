"""Bootstrapped aggregates and probabilities of improvement, beside rliable.

Run as ``python benchmarks/bootstrap.py [python]``, where the argument is a Python that has rliable
(``uv venv peer``, ``uv pip install --python peer/bin/python rliable "pandas<3"``); by default this
one. CPU time over all threads; ours is the best of three after compilation. Scores of 5 algorithms
on 26 data sets with 10 replications.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.bootstrap.numerics import aggregates, profiles, resampling
from benchinfer.analyses.bootstrap.numerics.aggregates import Statistic

DATASETS, REPLICATIONS, ALGORITHMS = 26, 10, 5
RESAMPLES, SIDE_RESAMPLES = 50_000, 2000
# rliable takes minutes for all resamples: its time grows with their number.
THEIRS = 2000

PEER = """
import itertools, json, sys, time
from importlib.metadata import version
import numpy as np
from rliable import library, metrics
d, b, k, n, few = map(int, sys.argv[1:])
scores = np.random.default_rng(1).normal(size=(d, b, k))
runs = {str(i): scores[:, :, i].T for i in range(k)}
pairs = {f"{i},{j}": (runs[i], runs[j]) for i, j in itertools.combinations(runs, 2)}
def cpu(*arguments, **options):
    start = time.process_time()
    library.get_interval_estimates(*arguments, **options)
    return time.process_time() - start
print(json.dumps({
    "aggregate": cpu(runs, lambda x: np.array([metrics.aggregate_iqm(x)]), reps=n) / n,
    "improvement": cpu(pairs, metrics.probability_of_improvement, reps=few) / few,
    "version": version("rliable"),
}))
"""


def cpu(run: Callable[[], object], times: int = 1) -> float:
    """Return the least CPU seconds of some runs."""
    found: list[float] = []
    for _ in range(times):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def layouts(scores: NDArray[np.float64]) -> dict[str, resampling.ScoreSample]:
    """Return the scores with replications shared by the algorithms, and each on its own."""
    d, b, k = scores.shape
    n = d * b
    own = np.tile(np.eye(k, dtype=bool), (n, 1))
    return {
        "shared": resampling.lay_out(
            scores.reshape(n, k), np.ones((n, k), dtype=bool), np.repeat(np.arange(d), b)
        ),
        "own": resampling.lay_out(
            np.where(own, scores.ravel()[:, None], 0.0), own, np.repeat(np.arange(d), b * k)
        ),
    }


def theirs() -> dict[str, float | str] | None:
    """Return the CPU seconds of rliable for both tasks, and its version, if it is there."""
    python = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    numbers = [DATASETS, REPLICATIONS, ALGORITHMS, THEIRS, THEIRS // 10]
    command = [python, "-c", PEER, *map(str, numbers)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def main() -> None:
    """Print one row per task."""
    scores = np.random.default_rng(1).normal(size=(DATASETS, REPLICATIONS, ALGORITHMS))
    pairs = np.array(list(combinations(range(ALGORITHMS), 2)))
    tasks: dict[str, tuple[Callable[[resampling.ScoreSample], object], str, int]] = {
        f"interquartile mean, {RESAMPLES:,} resamples": (
            lambda s: aggregates.draws(s, Statistic("iqm"), "replications", RESAMPLES, 1),
            "aggregate",
            RESAMPLES,
        ),
        f"median of means, {RESAMPLES:,} resamples": (
            lambda s: aggregates.draws(s, Statistic("quantile", 0.5), "replications", RESAMPLES, 1),
            "",
            RESAMPLES,
        ),
        f"probability of improvement, {len(pairs)} pairs, {SIDE_RESAMPLES:,} resamples": (
            lambda s: profiles.draws(s, pairs, "replications", SIDE_RESAMPLES, 1),
            "improvement",
            SIDE_RESAMPLES,
        ),
    }
    peer = theirs()
    print("| task | replications | benchinfer s | rliable s | ratio |")
    print("|---|---|--:|--:|--:|")
    for task, (run, name, n) in tasks.items():
        for drawn, sample in layouts(scores).items():
            run(sample)
            mine = cpu(lambda run=run, sample=sample: run(sample), 3)
            cells = [task, drawn, f"{mine:.2f}", "", ""]
            if peer is not None and name in peer:
                other = float(peer[name]) * n
                cells[3:] = [f"{other:.0f}", f"{other / mine:.0f}"]
            print("| " + " | ".join(cells) + " |", flush=True)
    if peer is None:
        print("\nThere is no rliable in that Python: ours alone.")
    else:
        print(f"\nrliable {peer['version']}: in proportion, from {THEIRS:,} and {THEIRS // 10:,}.")


if __name__ == "__main__":
    main()
