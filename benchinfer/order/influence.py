"""Which relations a consensus hangs on: what leaving out each of them changes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.frames import frame
from benchinfer.numerics.consensus.resampled import reweighted, without_each
from benchinfer.numerics.consensus.summary import summarise
from benchinfer.order.ensemble import Ensemble
from benchinfer.order.reweighed import Asked, Distance, MissingPairs, Order, require_ensemble
from benchinfer.saving import savable
from benchinfer.showable import Showable

if TYPE_CHECKING:
    import pandas as pd

type Array = NDArray[np.float64]

# Shares of optima that differ by less are the same.
_SAME = 1e-9


@savable
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ConsensusInfluence(Showable):
    """What leaving out each of B relations changes in the consensus.

    Attributes
    ----------
    algorithms, relations
        The K and B names.
    method, family, missing_pairs
        Of the consensus.
    weights
        (B,) of the relations.
    above, count
        (K, K) share of the optima with i strictly above j, and the number of optima.
    above_without, count_without
        (B, K, K) and (B,) the same without each relation.
    """

    algorithms: tuple[str, ...]
    relations: tuple[str, ...]
    method: str
    family: str
    missing_pairs: str
    weights: Array
    above: Array
    count: int
    above_without: Array
    count_without: tuple[int, ...]

    @property
    def influence(self) -> Array:
        """(B,) half the sum of the changes: how many pairs are turned."""
        return np.abs(self.above_without - self.above).sum(axis=(1, 2)) / 2

    def summary(self) -> "pd.DataFrame":
        """One row per relation, the most influential first.

        Returns
        -------
        pandas.DataFrame
            ``relation weight influence n_changed n_optima``: the number of pairs that are turned
            (a pair that becomes open counts half), of pairs that change at all, and of optima
            without the relation.
        """
        influence = np.round(self.influence, 9)
        order = np.argsort(-influence, kind="stable")
        changed = (self._moved() | self._moved().transpose(0, 2, 1)).sum(axis=(1, 2)) // 2
        return frame(
            {
                "relation": [self.relations[b] for b in order],
                "weight": self.weights[order],
                "influence": influence[order],
                "n_changed": changed[order],
                "n_optima": [self.count_without[b] for b in order],
            }
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return `summary`."""
        return self.summary()

    def pairs(self) -> "pd.DataFrame":
        """Return the pairs that change: ``relation first second observed without``.

        The shares are those of the optima with the first strictly above the second, with all
        relations and without that one; the first was the one above in more of them.
        """
        moved = self._moved()
        found: list[tuple[int, int, int]] = []
        for b, i, j in np.argwhere(np.triu(moved | moved.transpose(0, 2, 1), 1)).tolist():
            found.append((b, i, j) if self.above[i, j] >= self.above[j, i] else (b, j, i))
        b, i, j = np.array(found, dtype=np.intp).reshape(-1, 3).T
        return frame(
            {
                "relation": [self.relations[x] for x in b],
                "first": [self.algorithms[x] for x in i],
                "second": [self.algorithms[x] for x in j],
                "observed": self.above[i, j],
                "without": self.above_without[b, i, j],
            }
        )

    def _moved(self) -> NDArray[np.bool_]:
        return np.abs(self.above_without - self.above) > _SAME

    def __repr__(self) -> str:
        """Return how many relations change something."""
        some = int((self.influence > _SAME).sum())
        return (
            f"<ConsensusInfluence: leaving out one of {len(self.relations)} relations changes the"
            f" consensus for {some} of them>"
        )


def consensus_influence(
    ensemble: Ensemble,
    *,
    method: Distance = "symdiff",
    family: Order = "weak",
    missing_pairs: MissingPairs = "ignore",
) -> ConsensusInfluence:
    """Leave out one relation (data set) after the other and find the consensus anew.

    Parameters
    ----------
    ensemble
        One relation per data set.
    method, family, missing_pairs
        As in `bootstrap_consensus`.

    Returns
    -------
    ConsensusInfluence

    Raises
    ------
    DesignError
        There are fewer than two relations of weight above 0, or an argument is not one of those
        named.

    Notes
    -----
    The influence of a relation is ``sum |P(i above j) - P(i above j without it)| / 2`` over ordered
    pairs, where P is the share of the optimal orders.

    Examples
    --------
    >>> from benchinfer import Ensemble, Relation
    >>> one, two = Relation.from_text("a > b > c"), Relation.from_text("b > a > c")
    >>> votes = Ensemble({"d1": one, "d2": one, "d3": two})
    >>> consensus_influence(votes, family="linear").summary()
      relation  weight  influence  n_changed  n_optima
    0       d1     1.0        0.5          1         2
    1       d2     1.0        0.5          1         2
    2       d3     1.0        0.0          0         1
    """
    asked = Asked(method, family, missing_pairs)
    asked.check()
    ensemble = require_ensemble(ensemble)
    tensors, _ = asked.tensors(ensemble)
    whole = summarise(tensors.sum(axis=0), asked.members)
    rest = list(reweighted(tensors, without_each(len(ensemble)), asked.members))
    return ConsensusInfluence(
        algorithms=ensemble.algorithms,
        relations=tuple(ensemble),
        method=method,
        family=family,
        missing_pairs=missing_pairs,
        weights=ensemble.weights,
        above=whole.above,
        count=whole.count,
        above_without=np.stack([one.above for one in rest]),
        count_without=tuple(one.count for one in rest),
    )
