"""Trees of data sets: CPU seconds against the size of the table.

Run as ``python benchmarks/subgroups.py``. CPU time over all threads of ``compare_subgroups``, from
the table to the tests and contrasts of all leaves: without any dependence on characteristics, and
where the order of the algorithms is reversed on 40 % of the data sets and mixed on half of the
others.
"""

import time

import numpy as np
import pandas as pd

import benchinfer as bi

SIZES = ((60, 5, 3), (200, 10, 20), (500, 10, 50), (200, 30, 20))


def simulated(datasets: int, algorithms: int, features: int, *, planted: bool) -> bi.ScoreTable:
    """Return scores with features, a quarter of them categories."""
    rng = np.random.default_rng([21, datasets, algorithms])
    names = [f"d{n:03}" for n in range(datasets)]
    known = pd.DataFrame({"dataset": names})
    for n in range(features):
        number = rng.normal(size=datasets)
        names_of = np.array(["low", "mid", "high", "top"])
        known[f"x{n:02}"] = number if n % 4 else names_of[np.digitize(number, [-0.7, 0, 0.7])]
    level = np.tile(np.linspace(1.2, -1.4, algorithms), (datasets, 1))
    if planted:
        large = known["x01"].to_numpy() > 0.25
        level[large] *= -1
        mixed = ~large & (known["x02"].to_numpy() > 0)
        level[mixed] = np.roll(level[mixed], algorithms // 2, axis=1)
    scores = level + rng.normal(scale=0.8, size=level.shape)
    table = pd.DataFrame(scores, columns=[f"a{k:02}" for k in range(algorithms)])
    table.insert(0, "dataset", names)
    return bi.read_scores(
        table, layout="wide-algorithms", measures={"score": "higher"}, features=known
    )


def main() -> None:
    """Print one row per size and model."""
    print("datasets algorithms features  model  stable  divided (leaves)")
    for size in SIZES:
        for model in ("wins", "mixed"):
            row: list[str] = []
            for planted in (False, True):
                scores = simulated(*size, planted=planted)
                start = time.process_time()
                found = bi.compare_subgroups(scores, model=model)  # pyright: ignore[reportArgumentType]
                found.tests()
                found.contrasts(all=True)
                row.append(f"{time.process_time() - start:.2f} ({len(found)})")
            print(*size, model, *row, sep="  ")


if __name__ == "__main__":
    main()
