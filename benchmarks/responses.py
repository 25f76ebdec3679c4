"""The Bayesian model of right and wrong answers over sizes of tables: CPU time and gates.

Run as ``python benchmarks/responses.py``. Each size runs in a process of its own, whose first call
compiles nothing but in a new installation: 8 chains of 1,000 draws and 1,000 to warm up, verdicts
and ranks. CPU time is over all threads, without reading and imports; ESS is the smaller one of bulk
and tails. Items differ in difficulty, algorithms by data set.
"""

import subprocess
import sys
import time

import numpy as np
import pandas as pd

import benchinfer as bi

# Data sets, algorithms, answers of each in a data set, and whether they are to shared items.
SIZES = ((6, 3, 40, True), (6, 10, 500, True), (20, 6, 200, True), (59, 3, 3, False))
HEADS = "data sets | algorithms | answers | items | first call, CPU s | second | R-hat | ESS"


def simulated(d: int, k: int, n: int, *, shared: bool) -> bi.ScoreTable:
    """Return right and wrong answers."""
    rng = np.random.default_rng([7, d, k, n])
    m, i, a = (x.ravel() for x in np.indices((d, n, k)))
    effect = (
        0.7 * rng.standard_normal((d, 1)) + 0.3 * rng.standard_normal((d, k)) + 0.1 * np.arange(k)
    )
    item = rng.standard_normal((d, n)) if shared else np.zeros((d, n))
    right = rng.random(m.size) < 1 / (1 + np.exp(-effect[m, a] - item[m, i]))
    frame = pd.DataFrame(
        {
            "dataset": np.char.add("d", m.astype(str)),
            "replication": i,
            "algorithm": np.char.add("a", a.astype(str)),
            "value": right.astype(float),
        }
    )
    return bi.read_scores(frame, measures="value:higher:0.02", paired=shared)


def one(d: int, k: int, n: int, *, shared: bool) -> str:
    """Fit a table of one size twice, and return a row."""
    import nutpie  # noqa: F401 - what is imported late

    scores, spent = simulated(d, k, n, shared=shared), []
    for _ in range(2):
        start = time.process_time()
        result = bi.compare_bayes(scores, likelihood="binomial", seed=1, progress=False)
        spent.append(f"{time.process_time() - start:.1f}")
    at = result.convergence
    again = " (extended)" if result.extended else ""
    row = [d, k, n, "shared" if shared else "of each", spent[0], spent[1] + again]
    return f"| {' | '.join(map(str, [*row, f'{at.r_hat:.4f}', f'{min(at.bulk, at.tail):,.0f}']))} |"


def main() -> None:
    """Print a row for each size."""
    if len(sys.argv) > 1:
        d, k, n, shared = map(int, sys.argv[1:])
        print(one(d, k, n, shared=bool(shared)))
        return
    print(f"| {HEADS} |")
    print("|" + "--:|" * 8)
    for size in SIZES:
        command = [sys.executable, __file__, *(str(int(x)) for x in size)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        print(done.stdout.strip(), flush=True)


if __name__ == "__main__":
    main()
