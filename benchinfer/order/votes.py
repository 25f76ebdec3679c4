"""What the relations of an ensemble say of each pair, by weight."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.frames import frame
from benchinfer.order.verdicts import States, Verdict, unrelated

if TYPE_CHECKING:
    import pandas as pd

type Floats = NDArray[np.float64]

_ORDER = (
    Verdict.FIRST,
    Verdict.EQUIVALENT,
    Verdict.SECOND,
    Verdict.UNDECIDED,
    Verdict.MISSING,
)


def weights_of(states: States, weights: Floats) -> Floats:
    """Return the weight (5, K, K) of each verdict, by its code."""
    return np.stack(
        [(weights[:, None, None] * (states == verdict)).sum(axis=0) for verdict in sorted(Verdict)]
    )


def tally(names: tuple[str, ...], states: States, weights: Floats) -> "pd.DataFrame":
    """Tabulate the weight of each verdict, pair by pair."""
    i, j = np.triu_indices(len(names), 1)
    found = weights_of(states, weights)[:, i, j]
    sides: dict[str, object] = {
        "first": [names[a] for a in i],
        "second": [names[b] for b in j],
    }
    return frame(sides | {f"weight_{verdict.label}": found[verdict] for verdict in _ORDER})


def majority(states: States, weights: Floats) -> States:
    """Return the verdicts (K, K) that more than half the weight of those who compared share."""
    found = weights_of(states, weights)
    known = found[1:].sum(axis=0)
    result = unrelated(states.shape[-1])
    result[known > 0] = Verdict.UNDECIDED
    for verdict in (Verdict.EQUIVALENT, Verdict.FIRST, Verdict.SECOND):
        result[found[verdict] > known / 2] = verdict
    return result
