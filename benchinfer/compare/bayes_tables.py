"""Tables of a hierarchical Bayesian comparison beyond its contrasts and summary."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.bayes_rules import in_unit
from benchinfer.frames import frame

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.bayes_comparison import BayesComparison


def regrets(result: "BayesComparison") -> "pd.DataFrame":
    """Tabulate what choosing an algorithm is expected to cost; see `BayesComparison.regrets`.

    Parameters
    ----------
    result
        The comparison.
    """
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
