"""Rows read, checked and reduced, beside a group-by of the engine that holds them.

Run as ``python benchmarks/read_million.py [ROWS ...]``; by default a million and ten million rows.
A hundred million (100000000) take 900 MB of disk as Parquet; CSV and frames are left out there,
and each process, the peer too, may have 2 GiB of memory (RLIMIT_DATA: what the system would have
to back, whether it is used or not).
Each task runs in a fresh process on one thread; CPU time is user and system time, counted from
after the imports; memory is the peak of the process, imports included. The peer groups by measure,
data set and algorithm (count, mean, standard deviation, smallest, largest), checks nothing and
keeps no rows; the table of scores keeps all of them, eight bytes each, for digests, quartiles and
blocks. A peer's runs alternate with those that it is compared with.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

DATASETS, ALGORITHMS = 100, 10
MEASURES = ("error", "seconds")

METER = """
import json, resource, sys
path = sys.argv[1]
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
def done(start):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu": cpu() - start, "peak": peak}))
"""
READ = """
import pandas, pyarrow.acero, pyarrow.compute, pyarrow.csv, pyarrow.dataset, pyarrow.parquet
import benchinfer, benchinfer.scores, benchinfer.analyses.points, benchinfer.analyses.mixed
import benchinfer.comparison.checks, scipy.stats, numba
{before}
start = cpu()
scores = benchinfer.read_scores({source}, measures={{"error": "lower", "seconds": "lower"}})
{then}
done(start)
"""
SQL = """
import duckdb
connection = duckdb.connect()
connection.execute("SET threads = 1")
connection.execute("SET enable_progress_bar = false")
{before}
start = cpu()
connection.sql(
    "SELECT measure, dataset, algorithm, count(*), avg(value), stddev_samp(value), min(value),"
    " max(value) FROM " + {table} + " GROUP BY ALL"
).fetchall()
done(start)
"""
PANDAS = "frame = pandas.read_parquet(path)"
DUCKDB = 'connection.execute(f"CREATE TABLE rows AS FROM {path!r}")'
CONNECT = 'import duckdb; connection = duckdb.connect(); connection.execute("SET threads = 1")\n'
KEYS = '["measure", "dataset", "algorithm"]'
POLARS = """import polars
value = polars.col("value")
statistics = [polars.len(), value.mean(), value.std().alias("sd"), value.min().alias("low")]
statistics.append(value.max().alias("high"))
"""

LIMIT = """
resource.setrlimit(resource.RLIMIT_DATA, (1 << 31, 1 << 31))
"""

# Task to its code and the file that it reads.
PEERS = {
    "Parquet": (SQL.format(before="", table="repr(path)"), "parquet"),
    "CSV": (SQL.format(before="", table="repr(path)"), "csv"),
    "DuckDB relation": (SQL.format(before=DUCKDB, table="'rows'"), "parquet"),
    "Polars, lazy": (
        (
            f"{POLARS}start = cpu()\n"
            f"polars.scan_parquet(path).group_by({KEYS}).agg(statistics).collect()\ndone(start)"
        ),
        "parquet",
    ),
    "pandas": (
        (
            f"import pandas\n{PANDAS}\nstart = cpu()\n"
            f'frame.groupby({KEYS})["value"].agg(["count", "mean", "std", "min", "max"])\n'
            "done(start)"
        ),
        "parquet",
    ),
}
SOURCES = {
    "Parquet": ("", "path", "parquet"),
    "CSV": ("", "path", "csv"),
    "DuckDB relation": (CONNECT + DUCKDB, 'connection.table("rows")', "parquet"),
    "Polars, lazy": ("import polars", "polars.scan_parquet(path)", "parquet"),
    "pandas": (PANDAS, "frame", "parquet"),
}
POINTS = 'benchinfer.compare_points(scores, "error").contrasts(all=True)'
STATISTICS = "scores.statistics()"
THEN = {
    "digest": "start = cpu(); scores.digest",
    "describe, of a frame": 'scores.describe("error")',
    "compare_points, of a frame": POINTS,
    "compare_mixed, of a frame": 'benchinfer.compare_mixed(scores, "error").contrasts(all=True)',
}
LARGE = {
    "Parquet to statistics()": STATISTICS,
    "read and compare_points": POINTS,
    "the same and compare_mixed of statistics": (
        f'{POINTS}; benchinfer.compare_mixed(scores.statistics(), "error").contrasts(all=True)'
    ),
}


def write(folder: Path, rows: int) -> None:
    """Write a balanced table as Parquet, up to ten million rows as CSV, too."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow import csv

    replications = rows // (DATASETS * ALGORITHMS * len(MEASURES))
    shape = (replications, ALGORITHMS, len(MEASURES))
    r, k, m = (index.ravel() for index in np.indices(shape, dtype=np.int32))
    rng = np.random.default_rng(1)
    writer = None
    for d in range(DATASETS):
        table = pa.table(
            {
                "dataset": pa.array([f"dataset-{d:03d}"]).take(pa.array(np.zeros_like(r))),
                "replication": pa.array(r),
                "algorithm": pa.array([f"algorithm-{i}" for i in range(ALGORITHMS)]).take(
                    pa.array(k)
                ),
                "measure": pa.array(MEASURES).take(pa.array(m)),
                "value": pa.array(rng.uniform(0.01, 1.0, r.size)),
            }
        )
        writer = writer or pq.ParquetWriter(folder / "scores.parquet", table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
    if rows <= 10**7:
        csv.write_csv(pq.read_table(folder / "scores.parquet"), folder / "scores.csv")


def run(code: str, path: Path) -> dict[str, float]:
    """Return CPU seconds and peak memory of a process."""
    one = dict.fromkeys(["OMP_NUM_THREADS", "POLARS_MAX_THREADS"], "1")
    if code.startswith(LIMIT):
        one["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # the default one reserves a gibibyte
    command = [sys.executable, "-c", METER + code, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, env=os.environ | one)
    return json.loads(done.stdout.splitlines()[-1])


def best(codes: list[str], path: Path, times: int) -> list[dict[str, float]]:
    """Return the best runs of several codes, which take turns, by CPU seconds."""
    turns = [[run(code, path) for code in codes] for _ in range(times)]
    return [min(runs, key=lambda one: one["cpu"]) for runs in zip(*turns, strict=True)]


def main() -> None:
    """Measure every task and print it beside its peer."""
    if sys.argv[1:2] == ["write"]:  # a process of its own, whose memory no task inherits
        write(Path(sys.argv[2]), int(sys.argv[3]))
        return
    for rows in map(int, sys.argv[1:] or ("1000000", "10000000")):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            subprocess.run([sys.executable, __file__, "write", name, str(rows)], check=True)
            print(f"\n{rows:,} rows")
            print("| task | CPU s | peer | ratio | peak MB | peer |\n|---|--:|--:|--:|--:|--:|")
            if rows > 10**7:
                measure_limited(folder / "scores.parquet")
            else:
                measure(folder)


def measure(folder: Path) -> None:
    """Measure every source beside its peer, and calls of a table in memory."""
    for source, (before, given, kind) in SOURCES.items():
        codes = [READ.format(before=before, source=given, then=""), PEERS[source][0]]
        if source == "Parquet":
            codes.append(READ.format(before=before, source=given, then=STATISTICS))
        own, peer, *reduced = best(codes, folder / f"scores.{kind}", 3)
        show(source, own, peer)
        for one in reduced:
            show("Parquet to statistics()", one, peer)
    for task, then in THEN.items():
        before, given, kind = SOURCES["Parquet" if task == "digest" else "pandas"]
        code = READ.format(before=before, source=given, then=then)
        show(task, *best([code], folder / f"scores.{kind}", 3))


def measure_limited(path: Path) -> None:
    """Measure a file that is read and compared in little memory beside its peer."""
    before, given, _ = SOURCES["Parquet"]
    tasks = {"Parquet": ""} | LARGE
    codes = [LIMIT + READ.format(before=before, source=given, then=then) for then in tasks.values()]
    *found, peer = best([*codes, LIMIT + PEERS["Parquet"][0]], path, 2)
    for task, own in zip(tasks, found, strict=True):
        show(f"{task}, in 2 GiB", own, peer)


def show(task: str, own: dict[str, float], peer: dict[str, float] | None = None) -> None:
    """Print one row."""
    beside = (
        [f"{peer['cpu']:.2f}", f"{own['cpu'] / peer['cpu']:.1f}", f"{peer['peak']:.0f}"]
        if peer
        else [""] * 3
    )
    cells = [task, f"{own['cpu']:.2f}", *beside[:2], f"{own['peak']:.0f}", beside[2]]
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
