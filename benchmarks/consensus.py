"""Exact consensus of simulated ensembles, beside the R package relations.

Run as ``OMP_NUM_THREADS=1 python benchmarks/consensus.py``. Relations are those of noisy scores of
algorithms whose means differ (Thurstone), where small differences are equivalent or undecided.
With R and its package relations the same problems of 10 and 17 algorithms are given to it.
"""

import shutil
import subprocess
import time

import numpy as np
from numpy.typing import NDArray

from benchinfer.relations.consensus.numerics import dynamic
from benchinfer.relations.consensus.numerics.costs import FAMILIES, of_votes, tally
from benchinfer.relations.consensus.numerics.solve import solve

SIZES = ((10, 20), (17, 21), (25, 50), (40, 50), (80, 50))
LIMIT = 60.0


def simulated(n: int, size: int, seed: int) -> NDArray[np.int8]:
    """Return relations (size, n, n) of n algorithms."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n) + rng.normal(size=(size, n))
    d = x[:, :, None] - x[:, None, :]
    found = np.where(d > 0.5, 3, np.where(d < -0.5, 4, 2)).astype(np.int8)
    open_ = np.triu(rng.random(found.shape) < 0.3, 1)
    found[(found == 2) & (open_ | open_.transpose(0, 2, 1))] = 1
    found[:, np.arange(n), np.arange(n)] = 2
    return found


def theirs(verdicts: NDArray[np.int8], code: str) -> float | None:
    """Return the CPU seconds that R takes for all optima, if its package is there."""
    n = verdicts.shape[1]
    # There the better of two stands for the larger incidence: transposed "at least as good".
    arcs = np.isin(verdicts, (2, 3)).transpose(0, 2, 1).astype(int)
    rows = ",".join(map(str, arcs.transpose(0, 2, 1).ravel()))
    script = f"""
    suppressMessages(library(relations))
    a <- array(c({rows}), c({n}, {n}, {len(verdicts)}))
    r <- lapply(seq_len(dim(a)[3]), function(b) as.relation(a[, , b]))
    e <- relation_ensemble(list = r)
    cat(system.time(relation_consensus(e, "SD/{code}", control = list(n = "all")))[1])
    """
    if shutil.which("Rscript") is None:
        return None
    command = ["Rscript", "-"]
    done = subprocess.run(command, input=script, check=False, capture_output=True, text=True)
    return float(done.stdout) if done.returncode == 0 else None


def main() -> None:
    """Print one row per problem."""
    codes = {"linear": "L", "weak": "W", "partial": "O", "preorder": "P"}
    print("| problem | family | CPU s | cost | optima | proved | R CPU s |")
    print("|---|---|--:|--:|--:|---|--:|")
    missing = False
    for n, size in SIZES:
        verdicts = simulated(n, size, 0)
        votes = tally(verdicts, np.ones(size, int))
        costs, _ = of_votes(votes, "symdiff", missing_as_undecided=False)
        for name, family in FAMILIES.items():
            begun = time.process_time()
            found = solve(costs, family, deadline=time.monotonic() + LIMIT)
            taken = time.process_time() - begun
            peer = theirs(verdicts, codes[name]) if n < 20 and name in codes else None
            missing |= peer is None
            count = f"{found.count:,}" if found.exact else f"at least {found.count:,}"
            beside = "" if peer is None else f"{peer:.2f}"
            print(
                f"| {n} algorithms, {size} relations | {name} | {taken:.3f} | {found.cost:g}"
                f" | {count} | {'yes' if found.optimal else 'no'} | {beside} |",
                flush=True,
            )
    above = np.random.default_rng(0).integers(0, 10, (20, 20)) * ~np.eye(20, dtype=np.bool_)
    begun = time.process_time()
    cost, paths = dynamic.cheapest_linear_order(above, 0)
    taken = time.process_time() - begun
    print(f"| 20 algorithms, tables | linear | {taken:.3f} | {cost:g} | {paths.count()} | yes | |")
    if missing:
        print("\nR or its package relations is not installed, or has no such family.")


if __name__ == "__main__":
    main()
