"""Shchur et al. (2025): fev-bench as of October 2025, 15 forecasters on 100 tasks."""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd

import benchinfer as bi
from benchinfer.reproductions.entry import Claims, Entry, SourceFile, numbers

_BASELINE, _IMPUTED = "Seasonal Naive", "Chronos-Bolt"
_CLIP = 0.01, 100.0  # of errors relative to the baseline's
# Win rates and skill scores, in percent.
_PUBLISHED = {
    "Chronos-2": (91.43, 47.28),
    "TiRex": (82.68, 42.58),
    "TimesFM-2.5": (77.57, 42.20),
    "Toto-1.0": (70.21, 40.75),
    "Chronos-Bolt": (64.43, 38.89),
    "Moirai-2.0": (64.43, 39.33),
    "TabPFN-TS": (62.96, 39.59),
    "Sundial-Base": (45.96, 33.42),
    "Stat. Ensemble": (45.54, 20.16),
    "AutoARIMA": (40.68, 20.56),
    "AutoETS": (33.68, -26.82),
    "AutoTheta": (27.14, 5.46),
    "Seasonal Naive": (20.18, 0.0),
    "Naive": (13.82, -45.40),
    "Drift": (9.29, -45.78),
}


def scores_of(folder: Path | str) -> bi.ScoreTable:
    """Read errors relative to the baseline's, with the board's two ways to fill gaps.

    A model that failed has the baseline's error; one that was trained on a task's data has the
    error of Chronos-Bolt, which was trained on none.
    """
    columns = ["model_name", "task_name", "SQL", "trained_on_this_dataset"]
    files = sorted(Path(folder).glob("*.csv"))
    rows = pd.concat([pd.read_csv(file, usecols=columns) for file in files])
    rows["seen"] = rows["trained_on_this_dataset"].astype(float)
    errors = rows.pivot_table("SQL", "task_name", "model_name")
    seen = rows.pivot_table("seen", "task_name", "model_name").fillna(0) > 0
    errors = pd.DataFrame(
        {
            name: column.mask(seen[name], errors[_IMPUTED]).fillna(errors[_BASELINE])
            for name, column in errors.items()
        }
    )
    relative = errors.div(errors[_BASELINE], axis=0).clip(*_CLIP)
    return bi.read_scores(
        relative.reset_index(),
        columns={"task_name": "dataset"},
        layout="wide-algorithms",
        measures=bi.Measure("SQL", better="lower", scale="log"),
    )


def figures_of(folder: Path | str) -> pd.DataFrame:
    """Return each model's win rate and skill score in percent, the highest rate first."""
    rows = scores_of(folder).to_frame()
    errors = rows.pivot_table("value", "dataset", "algorithm")
    values = errors.to_numpy()
    wins = (values[:, :, None] < values[:, None, :]).mean(0)
    wins += (values[:, :, None] == values[:, None, :]).mean(0) / 2
    np.fill_diagonal(wins, np.nan)
    table = pd.DataFrame(
        {
            "win rate": 100 * np.nanmean(wins, axis=1),
            "skill score": 100 * (1 - np.exp(np.log(values).mean(0))),
        },
        index=errors.columns,
    )
    return table.sort_values("win rate", ascending=False)


def _compute(folder: Path) -> Mapping[str, float]:
    table = figures_of(folder)
    return {f"{kind} of {name}": float(table[kind][name]) for name in _PUBLISHED for kind in table}


_NUMBERS = chain.from_iterable(
    ((f"win rate of {name}", rate), (f"skill score of {name}", skill))
    for name, (rate, skill) in _PUBLISHED.items()
)
ENTRY = Entry(
    name="shchur2025",
    study="shchur2025",
    title="fev-bench, forecasters of time series",
    files=(
        SourceFile(
            "fev_bench",
            "the folder benchmarks/fev_bench/results of autogluon/fev, commit d8aec58e",
            "05591e69a6706bd6e9ca7a063f501bb33fb80c806871d8ee8bddff7b057923f0",
            "*.csv",
        ),
    ),
    licence="Apache-2.0",
    published=numbers("the board, SQL", dict(_NUMBERS), 0.005),
    compute=_compute,
    claims=Claims("tasks", scores_of, lambda folder: figures_of(folder).index),
)
