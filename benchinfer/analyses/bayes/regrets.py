"""Expected regrets in the unit of the measure."""

import math
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core.frames import frame

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.bayes.comparison import BayesComparison
    from benchinfer.comparison.evidence import Array
    from benchinfer.core.measure import Measure


def cap_of(measure: "Measure", means: "Array", least: float) -> float:
    """Return what regrets are cut off at, on the modelling scale.

    That is the range of the measure where it is declared and finite, else the largest difference
    between two algorithms' means on one data set.
    """
    if measure.bounds is not None and measure.scale == "identity":
        low, high = measure.bounds
        if math.isfinite(high - low):
            return high - low
    spread = np.fmax.reduce(means, axis=1) - np.fmin.reduce(means, axis=1)
    return max(float(np.fmax.reduce(spread, initial=0.0)), least)


def in_unit(measure: "Measure", regret: "Array | float") -> "Array":
    """Return regrets in the unit of the tolerance: relative on the log scale."""
    return np.expm1(regret) if measure.scale == "log" else np.asarray(regret)


def regret_table(result: "BayesComparison") -> "pd.DataFrame":
    """Tabulate what choosing an algorithm is expected to cost; see `BayesComparison.regrets`."""
    parts = [("average", result.regret, result.ranks)]
    if result.regret_following is not None and result.ranks_following is not None:
        parts.append(("next", result.regret_following, result.ranks_following))
    k = len(result.algorithms)
    regret = in_unit(result.measure, np.concatenate([r.expected for _, r, _ in parts]))
    error = np.concatenate([r.error for _, r, _ in parts])
    return frame(
        {
            "measure": [result.measure.name] * (k * len(parts)),
            "quantity": [quantity for quantity, _, _ in parts for _ in range(k)],
            "algorithm": list(result.algorithms) * len(parts),
            "expected_regret": regret,
            "regret_error": error * (1 + regret) if result.measure.scale == "log" else error,
            "prob_near_best": np.concatenate([ranks.near for _, _, ranks in parts]),
            "prob_error": np.concatenate([ranks.error for _, _, ranks in parts]),
        }
    )
