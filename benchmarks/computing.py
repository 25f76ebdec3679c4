"""Computing beyond reading and imports: CPU seconds, first and again, and memory, row by row.

Run as ``python benchmarks/computing.py``, or with the names of some rows. Each size runs in a
process of its own, with one thread for linear algebra. CPU seconds are over all threads: of the
first call of a process, which imports what is imported late and loads compiled code, and of the
second one. Memory is the largest resident set of the process, imports and table included.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd

import benchinfer as bi

type Size = tuple[int, ...]
type Call = Callable[[], object]


def simulated(d: int, b: int, k: int, missing: float = 0.0) -> pd.DataFrame:
    """Return scores of data sets, replications and algorithms, some of them missing."""
    rng = np.random.default_rng(20261122)
    y = rng.normal(size=(d, 1, 1)) + 0.5 * rng.normal(size=(d, 1, k)) + 0.02 * np.arange(k)
    y = y + 0.3 * rng.normal(size=(d, b, 1)) + 0.5 * rng.normal(size=(d, b, k))
    m, r, a = (x.ravel() for x in np.indices((d, b, k)))
    names = [
        pd.Categorical.from_codes(codes, pd.Index([f"{letter}{i:06}" for i in range(n)]))
        for codes, n, letter in ((m, d, "d"), (r, b, "r"), (a, k, "a"))
    ]
    columns = dict(zip(("dataset", "replication", "algorithm"), names, strict=True))
    rows = pd.DataFrame(columns | {"value": y.ravel()})
    if b == 1:
        rows = rows.drop(columns="replication")
    keep = rng.random(len(rows)) >= missing
    return rows[keep]


def read(rows: pd.DataFrame) -> bi.ScoreTable:
    """Return a frame of scores as a table."""
    return bi.read_scores(rows, measures=[bi.Measure("value", "higher", tolerance=0.05)])


def reading_and_comparing(*, text: bool) -> Callable[..., Call]:
    """Return the maker of a call: `compare_mixed`, reading of a frame of text or codes included."""

    def make(d: int, b: int, k: int) -> Call:
        rows = simulated(d, b, k)
        if text:
            rows = rows.astype(dict.fromkeys(("dataset", "replication", "algorithm"), "str"))

        def call() -> object:
            result = bi.compare_mixed(read(rows))
            return result.contrasts(all=True), result.summary()

        return call

    return make


def comparing(name: str, missing: float = 0.0, **arguments: object) -> Callable[..., Call]:
    """Return the maker of a call: a comparison with its contrasts and summary."""

    def make(d: int, b: int, k: int) -> Call:
        scores = read(simulated(d, b, k, missing))

        def call() -> object:
            result = getattr(bi, name)(scores, **arguments)
            return result.contrasts(all=True), result.summary()

        return call

    return make


def single_step(k: int) -> Call:
    """Return a call for single-step quantile and p-values of all pairs, errors of each its own."""
    from benchinfer.numerics import max_t

    rng = np.random.default_rng(1)
    root = rng.normal(size=(k, 3 * k)) / np.sqrt(3 * k)
    _, contrasts = max_t.all_pairs(k)
    size = np.abs(rng.standard_t(20, len(contrasts)))

    def call() -> object:
        family = max_t.max_t(contrasts, root @ root.T, 20.0)
        return max_t.quantile(family, 0.05), max_t.survival(family, size)

    return call


def network(datasets: int, low: int, high: int) -> Call:
    """Return a call for a network of 30 algorithms, `low` to `high` of them on each data set."""
    from meta import published

    effects = bi.read_effects(published(low, high, datasets), measures={"accuracy": "higher"})

    def call() -> object:
        result = bi.compare_meta(effects)
        return result.contrasts(all=True), result.summary()

    return call


def noisy_orders(size: int, n: int) -> Call:
    """Return a call for the consensus of noisy rankings of `n` algorithms by `size` data sets."""
    rng = np.random.default_rng(3)
    names = [f"a{i:02}" for i in range(n)]
    level = 0.1 * np.arange(n)
    drawn = level + rng.normal(size=(size, n))
    ensemble = bi.Ensemble(
        {
            f"d{i}": bi.Relation.from_scores(dict(zip(names, row, strict=True)), better="higher")
            for i, row in enumerate(drawn.tolist())
        }
    )
    return lambda: bi.consensus(ensemble)


ROWS: dict[str, tuple[Callable[..., Call], tuple[Size, ...]]] = {
    "permutation, two algorithms": (
        comparing("compare_permutation"), ((100, 1, 2), (1_000, 1, 2), (5_000, 1, 2)),
    ),
    "permutation": (
        comparing("compare_permutation"),
        ((100, 1, 20), (1_400, 1, 20), (10_000, 1, 5), (100_000, 1, 5)),
    ),
    'permutation, target="datasets"': (
        comparing("compare_permutation", target="datasets"),
        ((10, 100, 5), (54, 100, 5), (200, 100, 5)),
    ),
    "single-step, pairs": (single_step, ((25,), (50,), (100,), (200,))),
    "mixed": (
        comparing("compare_mixed"), ((54, 5, 50), (54, 5, 100), (54, 5, 200), (100, 2_000, 10)),
    ),
    "mixed, reading of codes included": (
        reading_and_comparing(text=False), ((100, 2_000, 10),),
    ),
    "mixed, reading of text included": (
        reading_and_comparing(text=True), ((100, 2_000, 10),),
    ),
    "mixed, 10 % missing": (
        comparing("compare_mixed", 0.1), ((1_000, 1, 3), (10_000, 1, 3), (100_000, 1, 3)),
    ),
    'mixed, structure="common"': (
        comparing("compare_mixed", structure="common"), ((54, 5, 50), (54, 5, 100), (54, 5, 200)),
    ),
    'mixed, structure="common", 10 % missing': (
        comparing("compare_mixed", 0.1, structure="common"),
        ((54, 5, 50), (54, 5, 100), (54, 5, 200)),
    ),
    'mixed, structure="unstructured"': (
        comparing("compare_mixed", structure="unstructured"),
        ((54, 5, 5), (54, 5, 10), (54, 5, 20), (54, 5, 24), (54, 5, 28)),
    ),
    "network meta-analysis": (
        network, ((200, 2, 8), (500, 2, 8), (200, 30, 30), (500, 30, 30)),
    ),
    "bayes": (
        comparing("compare_bayes", seed=1), ((10, 5, 3), (54, 100, 5), (112, 10, 40)),
    ),
    "consensus, noisy orders": (noisy_orders, ((15, 30), (30, 30), (60, 30))),
}  # fmt: skip


def one(name: str, size: Size) -> str:
    """Measure a row at one size, and return it."""
    make, _ = ROWS[name]
    call = make(*size)
    start = time.process_time()
    call()
    middle = time.process_time()
    call()
    end = time.process_time()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sizes = " x ".join(f"{n:,}" for n in size)
    return f"| {name} | {sizes} | {middle - start:.2f} | {end - middle:.2f} | {memory:,.0f} |"


def main() -> None:
    """Print a table, or one of its rows."""
    if len(sys.argv) > 2 and sys.argv[2].isdigit():
        print(one(sys.argv[1], tuple(map(int, sys.argv[2:]))))
        return
    print("| work | size | first call, CPU s | again | MB |\n|---|---|--:|--:|--:|")
    for name in sys.argv[1:] or ROWS:
        for size in ROWS[name][1]:
            command = [sys.executable, __file__, name, *map(str, size)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            print(done.stdout.strip(), flush=True)


if __name__ == "__main__":
    main()
