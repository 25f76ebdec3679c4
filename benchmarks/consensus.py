"""Exact consensus of simulated ensembles, beside the R package relations.

Run as ``OMP_NUM_THREADS=1 python benchmarks/consensus.py``. Relations are those of noisy scores of
algorithms whose means differ (Thurstone), where small differences are equivalent or undecided; the
last ones are of algorithms whose means are the same, which are the hardest. Work is limited as it
is in `bi.consensus`. With R and its package relations problems of up to 20 algorithms are given to
it, too.
"""

import shutil
import subprocess
import time

import numpy as np
from numpy.typing import NDArray

from benchinfer.relations.consensus.numerics import dynamic
from benchinfer.relations.consensus.numerics.costs import FAMILIES, Effort, of_votes, tally
from benchinfer.relations.consensus.numerics.solve import solve

# Algorithms, relations, and the standard deviation of the means.
SIZES = (
    *((10, 20, 1), (17, 21, 1), (25, 50, 1), (40, 50, 1), (80, 50, 1)),
    *((20, 7, 0), (40, 11, 0), (60, 11, 0), (93, 54, 0)),
)


def simulated(n: int, size: int, spread: float) -> NDArray[np.int8]:
    """Return relations (size, n, n) of n algorithms."""
    rng = np.random.default_rng(0)
    x = spread * rng.normal(size=n) + rng.normal(size=(size, n))
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
    print("| problem | family | CPU s | cost | bound | optima | R CPU s |")
    print("|---|---|--:|--:|--:|--:|--:|")
    missing = False
    for n, size, spread in SIZES:
        verdicts = simulated(n, size, spread)
        votes = tally(verdicts, np.ones(size, int))
        costs, _ = of_votes(votes, "symdiff", missing_as_undecided=False)
        for name, family in FAMILIES.items():
            begun = time.process_time()
            found = solve(costs, family, effort=Effort.of(None))
            taken = time.process_time() - begun
            peer = theirs(verdicts, codes[name]) if n <= 20 and name in codes else None
            missing |= peer is None
            count = f"{found.count:,}" if found.exact else f"at least {found.count:,}"
            beside = "" if peer is None else f"{peer:.2f}"
            title = f"{n} algorithms, {size} relations{'' if spread else ', equal means'}"
            print(
                f"| {title} | {name} | {taken:.3f} | {found.cost:g} | {found.bound:g} | {count}"
                f" | {beside} |",
                flush=True,
            )
    above = np.random.default_rng(0).integers(0, 10, (20, 20)) * ~np.eye(20, dtype=np.bool_)
    begun = time.process_time()
    cost, paths = dynamic.cheapest_linear_order(above, 0)
    taken = time.process_time() - begun
    count = paths.count()
    print(f"| 20 algorithms, tables | linear | {taken:.3f} | {cost:g} | {cost:g} | {count} | |")
    if missing:
        print("\nR or its package relations is not installed, or has no such family.")


if __name__ == "__main__":
    main()
