"""Votes of relations."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core.frames import frame
from benchinfer.core.verdict import States, Verdict, unrelated
from benchinfer.numerics.types import Array
from benchinfer.relations.consensus.numerics import costs

if TYPE_CHECKING:
    import pandas as pd


_ORDER = (
    Verdict.FIRST,
    Verdict.EQUIVALENT,
    Verdict.SECOND,
    Verdict.UNDECIDED,
    Verdict.MISSING,
)


def tally(names: tuple[str, ...], states: States, weights: Array) -> "pd.DataFrame":
    """Tabulate the weight of each verdict, pair by pair."""
    i, j = np.triu_indices(len(names), 1)
    totals = costs.tally(states, weights)[:, i, j]
    sides: dict[str, object] = {
        "first": [names[a] for a in i],
        "second": [names[b] for b in j],
    }
    return frame(sides | {f"weight_{verdict.label}": totals[verdict] for verdict in _ORDER})


def majority(states: States, weights: Array) -> States:
    """Return the verdicts (K, K) that more than half the weight of those who compared share."""
    from benchinfer.relations.consensus.numerics import points  # brings solvers, which take long

    totals = costs.tally(states, weights)
    result = unrelated(states.shape[-1])
    result[totals[1:].any(axis=0)] = Verdict.UNDECIDED
    for verdict in (Verdict.EQUIVALENT, Verdict.FIRST, Verdict.SECOND):
        result[points.majority(totals, verdict)] = verdict
    return result
