"""Evaluations of Stable-Baselines3 while an agent learns."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Results

_ARRAYS = {"timesteps": "timesteps", "results": "mean_reward", "ep_lengths": "mean_ep_length"}


def evaluations(arrays: Mapping[str, Any]) -> Results | None:
    """Return the mean reward of the episodes of each evaluation, as the tool prints it."""
    if not _ARRAYS.keys() <= arrays.keys() or arrays["timesteps"].ndim != 1:
        return None
    means: dict[str, list[float]] = {}
    for name in (*_ARRAYS, "successes"):
        if name in arrays:
            episodes = np.asarray(arrays[name], dtype=float).reshape(len(arrays[name]), -1)
            means[_ARRAYS.get(name, "success_rate")] = episodes.mean(axis=1).tolist()
    if len({len(column) for column in means.values()}) > 1:
        return None
    rows = [dict(zip(means, row, strict=True)) for row in zip(*means.values(), strict=True)]
    measures = [Measure(n, "higher") for n in ("mean_reward", "success_rate") if n in means]
    return Format(
        "Stable-Baselines3, evaluations",
        layout="wide-measures",
        measures=tuple(measures),
        note="a score is the mean over the episodes of one evaluation",
    ), rows
