"""Permutation tests beside R's coin on the same tables, in one run.

Run as ``python benchmarks/permutation.py``. CPU time over all threads, best of three, compiled code
at hand, unless the table says otherwise. R with coin is installed by apt-get where it is absent and
that is allowed; else its columns stay empty.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import benchinfer as bi
from benchinfer.analyses.permutation.numerics import arrangements, blocks, nulls
from benchinfer.analyses.permutation.numerics.blocks import lay_out
from benchinfer.numerics import max_t, signs

type Array = NDArray[np.float64]

# (blocks, algorithms), and resamples of coin's two tests: about a second each.
BESIDE = [((250, 6), (100_000, 50_000)), ((1400, 20), (2000, 60))]
SIZES = [(20, 5), (100, 5), (250, 6), (1000, 6), (1400, 20), (10_000, 20), (30_000, 20)]
# Scores that are moved per measurement: about a second.
MOVES = 1_000_000_000

R_SCRIPT = """
suppressMessages(library(coin))
arguments <- commandArgs(TRUE)
data <- read.csv(arguments[1], colClasses = c("numeric", "factor", "factor"))
n <- as.integer(arguments[2:3])
cpu <- function(run) {
  best <- Inf
  for (i in 1:3) {
    used <- system.time(run())
    best <- min(best, sum(used[c("user.self", "sys.self")]))
  }
  best
}
friedman <- function() friedman_test(value ~ algorithm | block, data,
  distribution = approximate(nresample = n[1]))
tukey <- function() independence_test(value ~ algorithm | block, data, teststat = "maximum",
  xtrafo = mcp_trafo(algorithm = "Tukey"), distribution = approximate(nresample = n[2]))
cat(sprintf('{"friedman": %.3f, "tukey": %.3f, "versions": "coin %s, %s"}',
  n[1] / cpu(friedman), n[2] / cpu(tukey), packageVersion("coin"), R.version$version.string))
"""

COLD = """
import time
import numpy as np
from benchinfer.analyses.permutation.numerics import arrangements, nulls
from benchinfer.analyses.permutation.numerics import blocks as align
from benchinfer.analyses.permutation.numerics import arrangements as resample
from benchinfer.numerics import max_t as tukey
from benchinfer.analyses.permutation.numerics.blocks import lay_out
layout = lay_out(np.repeat(np.arange(5), 3), np.tile(np.arange(3), 5), 3)
scores = np.random.default_rng(0).normal(size=15)
question = nulls.PermutationProblem.of(scores, layout, tukey.all_pairs(3)[1])
start = time.process_time()
resample.monte_carlo(question, 10, 1)
middle = time.process_time()
arrangements.exact(question)
print(start, middle - start, time.process_time() - middle)
"""


def table(b: int, k: int, effect: float = 0.0) -> Array:
    """Draw a table of blocks and algorithms, the first worse by an effect."""
    values = np.random.default_rng(20051201).normal(size=(b, k))
    values[:, 0] -= effect
    return values


def question(values: Array, on: blocks.Kind, contrasts: Array) -> nulls.PermutationProblem:
    """Ask what `compare_permutation` asks of a table."""
    b, k = values.shape
    layout = lay_out(np.repeat(np.arange(b), k), np.tile(np.arange(k), b), k)
    return nulls.PermutationProblem.of(
        blocks.score(values.ravel(), layout, on).values, layout, contrasts
    )


def cpu(run: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Return the least time of three runs."""
    least = np.inf
    for _ in range(3):
        start = clock()
        run()
        least = min(least, clock() - start)
    return least


def with_numpy(asked: nulls.PermutationProblem, resamples: int) -> Array:
    """Do without compiled code: global and single-step counts, labels permuted by numpy."""
    generator = np.random.default_rng(1)
    blocks = asked.centred.reshape(-1, asked.layout.n_labels)
    root, rows = (
        nulls.root(asked.moments.cov),
        nulls.scaled_contrasts(asked.moments.cov, asked.contrasts),
    )
    length, observed = nulls.quadratic(asked.moments).statistic, np.abs(asked.observed)
    counts = np.zeros(1 + len(rows))
    step = max(1, 4_000_000 // blocks.size)
    for first in range(0, resamples, step):
        several = np.broadcast_to(blocks, (min(step, resamples - first), *blocks.shape))
        sums = generator.permuted(several, axis=2).sum(axis=1)
        counts[0] += (((sums @ root.T) ** 2).sum(axis=1) >= length).sum()
        if len(rows):
            largest = np.abs(sums @ rows.T).max(axis=1)
            counts[1:] += (largest[:, None] >= observed).sum(axis=0)
    return (1 + counts) / (resamples + 1)


def has_coin() -> bool:
    """Whether R has coin; installs it from Debian packages where that is allowed."""

    def there() -> bool:
        test = ["Rscript", "-e", "library(coin)"]
        found = shutil.which("Rscript")
        return bool(found) and not subprocess.run(test, capture_output=True, check=False).returncode

    if not there() and shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "install", "-y", "-q", "r-cran-coin"], check=False)
    return there()


def coin(values: Array, resamples: tuple[int, int], folder: Path) -> dict[str, float | str]:
    """Return resamples per CPU second of coin's two tests, and versions."""
    b, k = values.shape
    columns = {"value": values.ravel(), "algorithm": np.tile(np.arange(k), b)}
    rows = pd.DataFrame(columns | {"block": np.repeat(np.arange(b), k)})
    rows.to_csv(folder / "rows.csv", index=False)
    (folder / "coin.R").write_text(R_SCRIPT)
    command = ["Rscript", str(folder / "coin.R"), str(folder / "rows.csv"), *map(str, resamples)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def heading(title: str, columns: list[str]) -> None:
    """Print a title and the head of a table."""
    print(f"\n{title}\n\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))


def row(cells: Iterable[object]) -> None:
    """Print a row, numbers with thousands separators."""

    def shown(cell: object) -> str:
        if not isinstance(cell, float):
            return str(cell)
        return f"{cell:,.0f}" if cell >= 100 else f"{cell:.3g}"

    print("| " + " | ".join(map(shown, cells)) + " |", flush=True)


def beside_coin() -> None:
    """Print resamples per CPU second: ours compiled, numpy alone, coin."""
    available = has_coin()
    heading(
        "Resamples per CPU second",
        ["B, K", "test", "benchinfer", "numpy alone", "ratio", "coin", "ratio"],
    )
    versions = "coin was not measured: R or coin is absent (Debian: r-cran-coin)"
    with tempfile.TemporaryDirectory() as folder:
        for (b, k), resamples in BESIDE:
            values = table(b, k)
            theirs = coin(values, resamples, Path(folder)) if available else {}
            versions = theirs.get("versions", versions)
            pairs = max_t.all_pairs(k)[1]
            n = MOVES // (b * k)
            # Ours of all pairs also gives global, raw and step-down p-values.
            for name, key, on, family in (
                ("Friedman", "friedman", "ranks", pairs[:0]),
                ("largest of all pairs", "tukey", "values", pairs),
            ):
                asked = question(values, on, family)
                ours = n / cpu(lambda q=asked, n=n: arrangements.monte_carlo(q, n, 1, threads=1))
                few = n // 20
                plain = few / cpu(lambda q=asked, n=few: with_numpy(q, n))
                cells = [f"{b}, {k}", name, ours, plain, ours / plain]
                cells += [theirs[key], ours / float(theirs[key])] if theirs else ["", ""]
                row(cells)
    print(f"\n{versions}")


def by_size() -> None:
    """Print the cost against the size of the table, and what a second thread gains."""
    heading(
        "All pairs, 1 and 2 threads",
        [
            "B, K", "resamples per CPU second", "ns per score", "per second", "2 threads", "CPU",
            "call of 100,000 resamples, CPU s",
        ],
    )  # fmt: skip
    for b, k in SIZES:
        asked = question(table(b, k), "values", max_t.all_pairs(k)[1])
        n = min(MOVES // (b * k), 1_000_000)
        runs = [
            lambda q=asked, n=n, threads=threads: arrangements.monte_carlo(q, n, 1, threads=threads)
            for threads in (1, 2)
        ]
        one, two = (cpu(run) for run in runs)
        wall_one, wall_two = (cpu(run, time.perf_counter) for run in runs)
        whole = one / n * 100_000
        cells = [f"{b}, {k}", n / one, 1e9 * one / (n * b * k), n / wall_one]
        row([*cells, f"{wall_one / wall_two:.2f} x", f"{two / one:.2f} x", whole])


def stopping() -> None:
    """Print how many of 100,000 resamples `stop=True` draws."""
    heading(
        "Resamples drawn of 100,000 if stopped when certain, 40 tables of 40 blocks, 5 algorithms",
        ["first worse by (sd)", "median", "largest", "stopped", "CPU s", "CPU s without"],
    )
    pairs = max_t.all_pairs(5)[1]
    for effect in (0.0, 0.4, 0.6, 1.0):
        drawn, cost, full = [], 0.0, 0.0
        for seed in range(40):
            values = np.random.default_rng(seed).normal(size=(40, 5))
            values[:, 0] -= effect
            asked = question(values, "aligned-ranks", pairs)
            start = time.process_time()
            drawn.append(arrangements.monte_carlo(asked, 100_000, 1, threads=1, alpha=0.05).n)
            middle = time.process_time()
            arrangements.monte_carlo(asked, 100_000, 1, threads=1)
            cost, full = cost + middle - start, full + time.process_time() - middle
        early = sum(n < 100_000 for n in drawn)
        row([effect, float(np.median(drawn)), float(max(drawn)), early, cost, full])


def starting() -> None:
    """Print what compilation costs, and loading of compiled code."""
    heading("CPU s of a process", ["compiled code", "imports", "Monte Carlo", "exact"])
    with tempfile.TemporaryDirectory() as folder:
        for name in ("absent", "at hand"):
            environment = os.environ | {"NUMBA_CACHE_DIR": folder}
            command = [sys.executable, "-c", COLD]
            done = subprocess.run(command, env=environment, check=True, capture_output=True)
            row([name, *map(float, done.stdout.split())])


def exactly() -> None:
    """Print the time of exact signed ranks and of whole comparisons."""
    heading("Exact signed ranks of one pair, and whole comparisons", ["task", "CPU s"])
    for b in (200, 1000, 2000):
        d = np.random.default_rng(b).normal(0.02, 1, size=b)
        row([f"signed ranks, {b:,} blocks", cpu(lambda d=d: signs.signed_rank(d))])
    for d, b, k in ((20, 25, 6), (1, 250, 6), (54, 100, 5)):
        values = np.random.default_rng(d).normal(size=(d, b, k))
        index = pd.MultiIndex.from_product(
            [range(d), range(b), [f"a{i}" for i in range(k)]],
            names=["dataset", "replication", "algorithm"],
        )
        rows = pd.Series(values.ravel(), index=index, name="value").reset_index()
        scores = bi.read_scores(rows.astype({"dataset": str}), measures={"value": "higher"})
        for target in ("domain", "datasets") if d > 1 else ("datasets",):
            seconds = cpu(lambda s=scores, t=target: bi.compare_permutation(s, target=t, seed=1))
            row([f'compare_permutation, {d} x {b} x {k}, target="{target}"', seconds])


def main() -> None:
    """Print all tables."""
    beside_coin()
    by_size()
    stopping()
    starting()
    exactly()
    print(f"\nPython {sys.version.split()[0]}, numpy {np.__version__}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
