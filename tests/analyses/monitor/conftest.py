"""Running experiments to be watched."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi

type Draw = Callable[..., pd.DataFrame]


def experiment(
    n: int, better: Mapping[str, float], *, seed: int = 1, datasets: int = 1
) -> pd.DataFrame:
    """Draw accuracies of algorithms that share a replication effect; sd of a difference is 1."""
    rng = np.random.default_rng(seed)
    k = len(better)
    y = rng.normal(size=(datasets, n, 1)) + rng.normal(size=(datasets, n, k)) / np.sqrt(2)
    y += list(better.values())
    d, r, a = np.indices(y.shape).reshape(3, -1)
    return pd.DataFrame(
        {
            "dataset": [f"d{i + 1}" for i in d],
            "replication": r + 1,
            "algorithm": np.array(list(better))[a],
            "value": y.ravel(),
        }
    )


@pytest.fixture
def draw() -> Draw:
    return experiment


@pytest.fixture
def table() -> Callable[..., bi.ScoreTable]:
    def read(rows: pd.DataFrame, tolerance: float = 0.0, **options: object) -> bi.ScoreTable:
        measure = bi.Measure("acc", "higher", tolerance=tolerance)
        arguments = {"resampling": bi.Resampling("independent", paired=True), **options}
        return bi.read_scores(rows, measures=measure, **arguments)

    return read
