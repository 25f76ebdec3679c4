"""Monitoring a history of a million rows: CPU seconds of one call, beyond the imports.

4 algorithms on 10 data sets with 25,000 shared replications each. Best of three; "update" is a call
that finds its state and one more stage of rows.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import benchinfer as bi

SHAPE = (10, 25_000, 4)
STAGE = 50


def rows(apart: float) -> pd.DataFrame:
    """Draw the scores."""
    rng = np.random.default_rng(20120314)
    dataset, replication, algorithm = np.indices(SHAPE).reshape(3, -1)
    y = rng.normal(size=SHAPE) + apart * np.arange(SHAPE[2])
    return pd.DataFrame(
        {
            "dataset": np.array([f"d{i}" for i in range(SHAPE[0])])[dataset],
            "replication": replication + 1,
            "algorithm": np.array(list("abcd"))[algorithm],
            "value": y.ravel(),
        }
    )


def read(source: object) -> bi.ScoreTable:
    """Read the scores."""
    measure = bi.Measure("score", "higher", tolerance=0.001)
    how = bi.Resampling("independent", paired=True)
    return bi.read_scores(source, measures=measure, resampling=how)


def best(run: Callable[[], object]) -> float:
    """Return the least CPU time of three runs."""
    times: list[float] = []
    for _ in range(3):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print one row per method."""
    table = rows(0.0)
    short = read(table[table["replication"] <= SHAPE[1] - STAGE])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        table.to_csv(path, index=False)
        scores = read(path)
        print(f"reading the CSV: {best(lambda: read(path)):.2f}\n")
        print("| method | monitor | with a new state | update |")
        print("|---|--:|--:|--:|")
        for method in ("recursive", "group-sequential", "anytime"):
            state = Path(folder) / f"{method}.json"

            def fresh(state: Path = state, method: str = method) -> None:
                state.unlink(missing_ok=True)
                bi.monitor(scores, method=method, stage=STAGE, state=state)  # pyright: ignore[reportArgumentType]

            def update(state: Path = state, method: str = method) -> None:
                bi.monitor(scores, method=method, stage=STAGE, state=state)  # pyright: ignore[reportArgumentType]

            bare = best(lambda method=method: bi.monitor(scores, method=method, stage=STAGE))
            new = best(fresh)
            state.unlink()
            bi.monitor(short, method=method, stage=STAGE, state=state)
            print(f"| {method} | {bare:.2f} | {new:.2f} | {best(update):.2f} |", flush=True)
    print(f"\nPython {sys.version.split()[0]}, numpy {np.__version__}")


if __name__ == "__main__":
    main()
