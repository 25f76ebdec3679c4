"""Boards that the tests share."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi


def runs(
    means: Sequence[float], n: int = 8, sd: float = 0.002, seed: int = 1, day: float = 0.0
) -> pd.DataFrame:
    """Draw losses of entries e0, e1, ... with these means; `day` is the spread of shared seeds."""
    rng = np.random.default_rng(seed)
    k = len(means)
    shared = np.tile(rng.normal(0, day, n) if day else np.zeros(n), k)
    loss = np.repeat(means, n) + shared + rng.normal(0, sd, k * n)
    entries = [f"e{i}" for i in range(k)]
    return pd.DataFrame(
        {"algorithm": np.repeat(entries, n), "seed": np.tile(range(n), k), "loss": loss}
    )


@pytest.fixture
def table() -> Callable[..., bi.ScoreTable]:
    """Read losses of one data set, each entry with seeds of its own unless they are paired."""

    def read(rows: pd.DataFrame, *, paired: bool = False, **options: object) -> bi.ScoreTable:
        return bi.read_scores(rows, measures="loss:lower", dataset="text", paired=paired, **options)

    return read
