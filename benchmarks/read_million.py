"""A million rows of CSV: read, checked and reduced, beside bare pandas.

Run as ``python benchmarks/read_million.py``. Each task runs in a fresh process; CPU time is user
and system time over all threads, counted from after the imports; memory is the peak of the process.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

DATASETS, REPLICATIONS, ALGORITHMS = 100, 500, 10
MEASURES = ("error", "seconds")

METER = """
import json, resource, sys
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
def done(start, **shown):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu": cpu() - start, "imports": start, "peak": peak, **shown}))
"""

# The modules that are loaded on first use are imported before the clock starts.
TASKS = {
    "benchinfer: read, check, coverage, findings, cells, blocks": """
import pandas, pyarrow.acero, pyarrow.compute, pyarrow.csv
import benchinfer.scores
start = cpu()
scores = benchinfer.scores.read_scores(sys.argv[1], measures={"error": "lower", "seconds": "lower"})
for measure in scores.measures:
    scores.coverage(measure.name), scores.findings(measure.name)
    scores.cells(measure.name), scores.blocks(measure.name)
done(start, rows=scores.n_rows)
""",
    "benchinfer: the same, and digest and describe": """
import pandas, pyarrow.acero, pyarrow.compute, pyarrow.csv
import benchinfer.scores
start = cpu()
scores = benchinfer.scores.read_scores(sys.argv[1], measures={"error": "lower", "seconds": "lower"})
for measure in scores.measures:
    scores.coverage(measure.name), scores.findings(measure.name)
    scores.cells(measure.name), scores.blocks(measure.name), scores.describe(measure.name)
scores.digest
done(start, rows=scores.n_rows)
""",
    "pandas: read_csv, groupby mean and std (no checks)": """
import pandas
start = cpu()
frame = pandas.read_csv(sys.argv[1])
frame.groupby(["measure", "dataset", "algorithm"])["value"].agg(["count", "mean", "std"])
done(start, rows=len(frame))
""",
    "pandas: the same, and duplicates and a pivot": """
import pandas
start = cpu()
frame = pandas.read_csv(sys.argv[1])
frame.groupby(["measure", "dataset", "algorithm"])["value"].agg(["count", "mean", "std"])
keys = ["measure", "dataset", "replication", "algorithm"]
frame.duplicated(keys).any()
frame.pivot(index=keys[:3], columns="algorithm", values="value")
done(start, rows=len(frame))
""",
}


def write(path: Path) -> None:
    """Write a balanced table of DATASETS x REPLICATIONS x ALGORITHMS x MEASURES rows."""
    shape = (DATASETS, REPLICATIONS, ALGORITHMS, len(MEASURES))
    d, r, k, m = (index.ravel() for index in np.indices(shape, dtype=np.int32))
    columns = {
        "dataset": pa.array([f"dataset-{i:03d}" for i in range(DATASETS)]).take(pa.array(d)),
        "replication": pa.array(r),
        "algorithm": pa.array([f"algorithm-{i}" for i in range(ALGORITHMS)]).take(pa.array(k)),
        "measure": pa.array(MEASURES).take(pa.array(m)),
        "value": pa.array(np.random.default_rng(1).uniform(0.01, 1.0, d.size)),
    }
    csv.write_csv(pa.table(columns), path)


def main() -> None:
    """Measure every task three times and print the best of each."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scores.csv")
        write(path)
        print(f"{path.stat().st_size / 1e6:.0f} MB")
        print(f"{'task':60} {'rows':>9} {'CPU s':>7} {'peak MB':>8} {'imports s':>10}")
        for name, code in TASKS.items():
            command = [sys.executable, "-c", METER + code, str(path)]
            runs = [
                json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
                for _ in range(3)
            ]
            best = min(runs, key=lambda run: run["cpu"])
            print(
                f"{name:60} {best['rows']:9} {best['cpu']:7.2f} {best['peak']:8.0f}"
                f" {best['imports']:10.2f}"
            )


if __name__ == "__main__":
    main()
