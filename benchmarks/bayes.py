"""The hierarchical Bayesian model by default over sizes of tables: CPU time, memory and gates.

Run as ``python benchmarks/bayes.py``. Each size runs in a process of its own: 8 chains of 1,000
draws and 500 to warm up, verdicts and ranks. CPU time is over all threads, without reading
and imports; ESS is the smaller one of bulk and tails; memory is the largest resident set of the
process, imports and table included. Tables are simulated: interactions and noise whose size differs
between data sets.
"""

import resource
import subprocess
import sys
import time

import numpy as np
import pandas as pd

import benchinfer as bi

# Data sets, algorithms, replications.
SIZES = (
    (10, 3, 5),
    (54, 5, 5),
    (54, 5, 100),
    (54, 5, 1000),
    (30, 10, 10),
    (112, 20, 10),
    (112, 40, 10),
    (500, 10, 5),
)
HEADS = (
    "data sets | algorithms | replications | fit, CPU s | with other models | MB | R-hat | ESS"
    " | ESS per CPU s"
)


def simulated(d: int, k: int, b: int) -> bi.ScoreTable:
    """Return a table with interactions and noise of unequal size."""
    rng = np.random.default_rng([11, d, k, b])
    m, r, a = (x.ravel() for x in np.indices((d, b, k)))
    size, noise = rng.gamma(2.0, 0.5, (d, 1)), np.exp(0.3 * rng.standard_normal(d))
    effect = size * rng.standard_normal((d, k)) + 0.05 * np.arange(k)
    shared = 0.3 * rng.standard_normal((d, b))
    frame = pd.DataFrame(
        {
            "dataset": np.char.add("d", m.astype(str)),
            "replication": r,
            "algorithm": np.char.add("a", a.astype(str)),
            "value": effect[m, a] + shared[m, r] + noise[m] * rng.standard_normal(m.size),
        }
    )
    return bi.read_scores(frame, measures=[bi.Measure("value", "higher", tolerance=0.1)])


def one(d: int, k: int, b: int) -> str:
    """Fit a table of one size, and return a row."""
    bi.compare_bayes(simulated(5, 3, 2), draws=100, seed=1)  # what is imported late
    scores = simulated(d, k, b)
    start = time.process_time()
    found = bi.compare_bayes(scores, seed=1)
    fitted = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.process_time()
    bi.compare_bayes(scores, seed=1, sensitivity="quick")
    both = time.process_time() - start
    gates = found.convergence
    ess = min(gates.bulk, gates.tail)
    r_hat = max(gates.r_hat, gates.r_hat_effects)
    again = " (extended)" if found.extended else ""
    return (
        f"| {d} | {k} | {b:,} | {fitted:.1f}{again} | {both:.1f} | {memory:,.0f} | {r_hat:.4f}"
        f" | {ess:,.0f} | {ess / fitted:,.0f} |"
    )


def main() -> None:
    """Print a table."""
    if len(sys.argv) > 1:
        print(one(*(int(x) for x in sys.argv[1:])))
        return
    print(f"| {HEADS} |")
    print("|" + "--:|" * 9)
    for size in SIZES:
        command = [sys.executable, __file__, *map(str, size)]
        found = subprocess.run(command, check=True, capture_output=True, text=True)
        print(found.stdout.strip(), flush=True)


if __name__ == "__main__":
    main()
