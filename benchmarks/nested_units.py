"""Answers reduced to items and passages, beside the plain read of as many scores.

Run as ``python benchmarks/nested_units.py [ROWS ...]``; by default a hundred thousand and a million
rows. Tables of 10 data sets and 5 algorithms, with five answers to each of four items of a
passage, from Parquet and from a pandas frame. The plain read takes the same scores as replications
that are numbered throughout; it keeps them all, nested units are reduced to their sums. Each read
is a fresh process on one thread, and those that are compared take turns; the best of three counts.
CPU time is user and system time after the imports, memory the peak of the process.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from read_million import best

DATASETS, ALGORITHMS, ITEMS, ANSWERS = 10, 5, 4, 5
COLUMNS = {
    "plain": ["dataset", "replication", "algorithm", "value"],
    "item, answer": ["dataset", "item", "answer", "algorithm", "value"],
    "passage, item, answer": ["dataset", "passage", "question", "answer", "algorithm", "value"],
}
UNITS = {
    "plain": (),
    "item, answer": ("item", "answer"),
    "passage, item, answer": ("passage", "question", "answer"),
}
READ = """
import pandas, pyarrow.acero, pyarrow.compute, pyarrow.dataset, pyarrow.parquet, numba
import benchinfer, benchinfer.scores, benchinfer.analyses.pair
from pathlib import Path
path = Path(path, "{name}.parquet")
source = {source}
start = cpu()
scores = benchinfer.read_scores(source, measures={{"value": "higher"}}, units={units})
done(start)
"""
SOURCES = {"Parquet": "path", "pandas": "pandas.read_parquet(path)"}


def write(folder: Path, rows: int) -> None:
    """Write the same scores with the columns of each layout."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    passages = rows // (DATASETS * ALGORITHMS * ITEMS * ANSWERS)
    shape = (DATASETS, passages, ITEMS, ANSWERS, ALGORITHMS)
    d, p, q, a, k = (index.ravel() for index in np.indices(shape, dtype=np.int32))
    rng = np.random.default_rng(1)
    item = p * ITEMS + q
    hard = rng.normal(size=(DATASETS, passages * ITEMS))[d, item]
    columns = {
        "dataset": pa.array([f"dataset-{i}" for i in range(DATASETS)]).take(pa.array(d)),
        "algorithm": pa.array([f"algorithm-{i}" for i in range(ALGORITHMS)]).take(pa.array(k)),
        "passage": pa.array(p),
        "question": pa.array(q),
        "item": pa.array(item),
        "answer": pa.array(a),
        "replication": pa.array(item * ANSWERS + a),
        "value": pa.array(hard + rng.normal(size=d.size)),
    }
    for name, chosen in COLUMNS.items():
        table = pa.table({column: columns[column] for column in chosen})
        pq.write_table(table, folder / f"{name}.parquet")


def main() -> None:
    """Print a table for each number of rows."""
    if sys.argv[1:2] == ["write"]:  # a process of its own, whose memory no task inherits
        write(Path(sys.argv[2]), int(sys.argv[3]))
        return
    print("| rows | from | units | CPU s | plain, CPU s | ratio | MB | plain, MB |")
    print("|--:|---|---|--:|--:|--:|--:|--:|", flush=True)
    for rows in map(int, sys.argv[1:] or ("100000", "1000000")):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, __file__, "write", folder, str(rows)], check=True)
            for kind, source in SOURCES.items():
                codes = [
                    READ.format(name=name, source=source, units=units)
                    for name, units in UNITS.items()
                ]
                plain, *nested = best(codes, Path(folder), 3)
                for name, one in zip(list(UNITS)[1:], nested, strict=True):
                    show([f"{rows:,}", kind, name], one, plain)


def show(labels: list[str], one: dict[str, float], plain: dict[str, float]) -> None:
    """Print one row."""
    cells = [
        *labels,
        f"{one['cpu']:.2f}",
        f"{plain['cpu']:.2f}",
        f"{one['cpu'] / plain['cpu']:.1f}",
        f"{one['peak']:.0f}",
        f"{plain['peak']:.0f}",
    ]
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
