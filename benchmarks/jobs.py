"""Work on one and on two processes or threads: CPU seconds, and seconds by the clock.

Run as ``python benchmarks/jobs.py``, or with the names of some rows. Each task is done once before
it is timed, by one and then by two. CPU seconds are over all threads, and over all processes, which
import benchinfer anew. *At best* is what the clock would show on two idle cores that share evenly
what is done beside the main thread; the clock itself depends on the load of the machine.
"""

import copy
import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

import sys
import time
from collections.abc import Callable

from computing import read, simulated
from meta import published
from subgroups import simulated as with_features

import benchinfer as bi

type Task = Callable[[int], object]


def data_sets_left_out(datasets: int) -> Task:
    """Return refits of a mixed model without each data set."""
    mixed = bi.compare_mixed(read(simulated(datasets, 10, 10, 0.1)))
    # A result keeps what it has worked out; a copy has not.
    return lambda n: copy.copy(mixed).influence(n_jobs=n)


def algorithms_left_out(algorithms: int) -> Task:
    """Return refits of a mixed model without each algorithm."""
    scores = read(simulated(54, 10, algorithms, 0.1))
    mixed = bi.compare_mixed(scores)
    return lambda n: mixed.influence("algorithm", scores, n_jobs=n)


def studies_left_out(studies: int) -> Task:
    """Return refits of a network meta-analysis without each data set."""
    effects = bi.read_effects(published(2, 8, studies), measures={"accuracy": "higher"})
    meta = bi.compare_meta(effects)
    return lambda n: meta.influence(n_jobs=n)


def archetypes(datasets: int) -> Task:
    """Return archetypes of every number from one to six."""
    scores = read(simulated(datasets, 1, 10))
    return lambda n: bi.archetypes(scores, seed=1, n_jobs=n)


def resampled_archetypes(resamples: int) -> Task:
    """Return archetypes of resamples of 100 data sets."""
    found = bi.archetypes(read(simulated(100, 1, 10)), k=3, seed=1)
    return lambda n: found.stability(resamples, seed=1, n_jobs=n)


def trees(resamples: int) -> Task:
    """Return trees of subsamples of 200 data sets with 20 characteristics."""
    found = bi.compare_subgroups(with_features(200, 10, 20, planted=True), seed=1)
    return lambda n: found.stability(resamples, seed=1, n_jobs=n)


def bootstrapped_consensus(resamples: int) -> Task:
    """Return consensus orders of resamples of 54 relations of 8 algorithms."""
    votes = bi.per_dataset(bi.compare_points, read(simulated(54, 5, 8))).relations()
    return lambda n: bi.stability.bootstrap_consensus(votes, resamples=resamples, seed=1, n_jobs=n)


def resampled_relations(resamples: int) -> Task:
    """Return relations by mixed models of 20 data sets whose replications are drawn again."""
    scores = read(simulated(20, 10, 5))

    def task(n: int) -> object:
        drawn = bi.stability.resample_relations(
            bi.compare_mixed, scores, resamples=resamples, seed=1, n_jobs=n
        )
        return list(drawn)

    return task


def each_by_permutation(datasets: int) -> Task:
    """Return permutation tests of 10 algorithms on each data set by itself."""
    scores = read(simulated(datasets, 100, 10))
    return lambda n: bi.per_dataset(bi.compare_permutation, scores, n_jobs=n, seed=1)


def permutations(blocks: int) -> Task:
    """Return permutation tests of 20 algorithms, on threads."""
    scores = read(simulated(blocks, 1, 20))
    return lambda n: bi.compare_permutation(scores, seed=1, n_jobs=n)


def interquartile_means(replications: int) -> Task:
    """Return bootstrapped interquartile means of 20 data sets and 5 algorithms, on threads."""
    scores = read(simulated(20, replications, 5))
    return lambda n: bi.compare_bootstrap(scores, seed=1, n_jobs=n)


TASKS: dict[str, tuple[Callable[[int], Task], tuple[int, ...]]] = {
    "mixed.influence(), data sets": (data_sets_left_out, (20, 60, 150)),
    'mixed.influence("algorithm")': (algorithms_left_out, (5, 15, 40)),
    "meta.influence(), data sets": (studies_left_out, (30, 100, 300)),
    "archetypes, data sets": (archetypes, (30, 100, 200)),
    "archetypes.stability, resamples": (resampled_archetypes, (20, 60, 200)),
    "subgroups.stability, subsamples": (trees, (5, 20, 80)),
    "bootstrap_consensus, resamples": (bootstrapped_consensus, (50, 200, 800)),
    "resample_relations, resamples": (resampled_relations, (2, 8, 30)),
    "per_dataset(compare_permutation), data sets": (each_by_permutation, (6, 20, 60)),
    "compare_permutation, data sets": (permutations, (100, 1000, 5000)),
    "compare_bootstrap, replications": (interquartile_means, (10, 50, 200)),
}


def timed(task: Task, n: int) -> tuple[float, float, float]:
    """Return CPU seconds, the fewest seconds that two cores would take, and those by the clock."""
    clock, main_thread, before = time.perf_counter(), time.thread_time(), sum(os.times()[:4])
    task(n)
    total, alone = sum(os.times()[:4]) - before, time.thread_time() - main_thread
    return total, alone + (total - alone) / 2, time.perf_counter() - clock


def main() -> None:
    """Print one row per task and size."""
    print("| work | size | CPU s, 1 job | 2 jobs | at best | clock, 1 job | 2 jobs | load |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for name in sys.argv[1:] or TASKS:
        make, sizes = TASKS[name]
        for size in sizes:
            task = make(size)
            task(1)
            one, two = timed(task, 1), timed(task, 2)
            times = f"{one[0]:.2f} | {two[0]:.2f} | {two[1]:.2f} | {one[2]:.2f} | {two[2]:.2f}"
            print(f"| {name} | {size:,} | {times} | {os.getloadavg()[0]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
