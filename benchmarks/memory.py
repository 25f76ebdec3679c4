"""Memory of mixed models beside the estimate by which too large ones are refused.

Run as ``python benchmarks/memory.py``, or with the names of some structures. Each model runs in a
process of its own, with one thread for linear algebra; a tenth of the scores is missing. Memory is
the largest resident set after the comparison less that before it, when a small one was made, which
imports what is imported late, and the table was read.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

import resource
import subprocess
import sys

from computing import comparing

from benchinfer.analyses.mixed.design import memory

# Structure to sizes: data sets, replications and algorithms.
ROWS = {
    "common": ((54, 5, 60), (54, 60, 60), (200, 5, 60), (54, 5, 120), (600, 2, 60), (54, 5, 200)),
    "pairwise": ((54, 5, 120), (600, 2, 60)),
    "unstructured": ((54, 5, 24), (54, 5, 28), (54, 5, 32), (54, 5, 36), (200, 5, 16)),
}


def resident() -> float:
    """Return the largest resident set so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def one(structure: str, d: int, b: int, k: int) -> str:
    """Measure a model, and return its row."""
    make = comparing("compare_mixed", 0.1, structure=structure)
    make(12, 3, 6 if structure == "unstructured" else 25)()
    call = make(d, b, k)
    before = resident()
    call()
    estimated, taken = memory(structure, k, d) / 2**20, resident() - before
    return f"| {structure} | {d} x {b} x {k} | {estimated:,.0f} | {taken:,.0f} |"


def main() -> None:
    """Print a table, or one of its rows."""
    if sys.argv[2:] and sys.argv[2].isdigit():
        print(one(sys.argv[1], *map(int, sys.argv[2:])))
        return
    print("| structure | D x B x K | estimate, MB | measured, MB |\n|---|--:|--:|--:|")
    for structure in sys.argv[1:] or ROWS:
        for size in ROWS[structure]:
            command = [sys.executable, __file__, structure, *map(str, size)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            print(done.stdout.strip(), flush=True)


if __name__ == "__main__":
    main()
