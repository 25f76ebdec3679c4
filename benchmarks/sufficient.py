"""Sufficient statistics over sizes of tables: reducing, adding, saving and comparing them.

Run as ``python benchmarks/sufficient.py``. Tables of 54 data sets and 5 algorithms whose
replications are paired, a tenth of the scores missing. CPU seconds of one thread, after a small
table; reading is not counted. The last column compares from the rows, for comparison.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa

import benchinfer as bi

SIZES = (400, 4_000, 40_000)  # replications
HEADS = "scores | reduce | add two halves | save and load | KB | compare statistics | compare rows"


def simulated(replications: int) -> bi.ScoreTable:
    """Return a table with gaps."""
    rng = np.random.default_rng([5, replications])
    d, r, k = (i.ravel() for i in np.indices((54, replications, 5)))
    value = rng.standard_normal((54, 5))[d, k] + rng.standard_normal((54, replications))[d, r]
    value += rng.standard_normal(d.size)
    kept = rng.random(d.size) > 0.1
    names = {"dataset": (d, "d"), "algorithm": (k, "a"), "replication": (r, "")}
    columns = {
        name: pa.DictionaryArray.from_arrays(
            pa.array(codes[kept].astype(np.int32)),
            pa.array([f"{letter}{i}" for i in range(int(codes.max()) + 1)]),
        )
        for name, (codes, letter) in names.items()
    }
    return bi.read_scores(
        pa.table({**columns, "value": value[kept]}), measures={"value": "higher"}, paired=True
    )


def timed[T](work: Callable[[], T]) -> tuple[float, T]:
    """Return CPU seconds, and what was worked out."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def row(replications: int) -> str:
    """Measure one size."""
    scores = simulated(replications)
    halves = [scores.subset(datasets=scores.datasets[i::2]).statistics() for i in range(2)]
    reducing, statistics = timed(scores.statistics)
    adding, _ = timed(lambda: halves[0] + halves[1])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "statistics.json")
        saving, found = timed(lambda: bi.load(statistics.save(path)))
        size = path.stat().st_size / 1024
    comparing, a = timed(lambda: bi.compare_mixed(found))
    whole, b = timed(lambda: bi.compare_mixed(scores))
    apart = np.abs(a.contrasts(all=True)["p_value"] - b.contrasts(all=True)["p_value"]).max()
    if apart > 1e-10:
        raise SystemExit(f"p-values are {apart} apart")
    return (
        f"| {scores.n_rows:,} | {reducing:.3f} | {adding:.3f} | {saving:.3f} | {size:.0f} |"
        f" {comparing:.3f} | {whole:.3f} |"
    )


def main() -> None:
    """Print a table."""
    row(20)
    print(f"| {HEADS} |\n" + "|" + "--:|" * 7)
    for replications in SIZES:
        print(row(replications), flush=True)


if __name__ == "__main__":
    main()
