"""Ensembles: several relations with names and weights, one per data set as a rule."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import DesignError, message
from benchinfer.frames import frame
from benchinfer.order.relation import Relation, Verdict
from benchinfer.saving import savable
from benchinfer.showable import Showable

if TYPE_CHECKING:
    import pandas as pd

type Weights = Mapping[str, float] | Sequence[float] | NDArray[np.float64]


@savable
@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class Ensemble(Showable, Mapping[str, Relation]):
    """Named relations with weights: a mapping from name to relation.

    Parameters
    ----------
    relations
        Name (of a data set, a measure, a judge) to relation. Relations need not be about the
        same algorithms.
    weights
        Name to weight, or one weight per relation in their order; all 1 if not given.

    Attributes
    ----------
    relations
        The relations as they were given.
    weights
        (B,) weights in the order of the relations.

    Raises
    ------
    DesignError
        There is no relation, or the weights do not fit the relations.

    Examples
    --------
    >>> one = Relation.from_pairs(["a", "b"], {("a", "b"): "first"})
    >>> two = Relation.from_pairs(["b", "c"], {("b", "c"): "first"})
    >>> both = Ensemble({"d1": one, "d2": two}, weights={"d1": 2, "d2": 1})
    >>> both
    <Ensemble of 2 relations on 3 algorithms, weighted>
    >>> both.states[1].tolist()
    [[2, 0, 0], [0, 2, 3], [0, 4, 2]]
    """

    relations: Mapping[str, Relation]
    weights: NDArray[np.float64]

    def __init__(self, relations: Mapping[str, Relation], weights: Weights | None = None) -> None:
        if not relations:
            raise DesignError("an ensemble needs at least one relation.")
        object.__setattr__(self, "relations", dict(relations))
        object.__setattr__(self, "weights", _weights(list(relations), weights))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms of all relations, in the order in which they are first named."""
        return tuple(dict.fromkeys(a for r in self.relations.values() for a in r.algorithms))

    @property
    def states(self) -> NDArray[np.int8]:
        """(B, K, K) `Verdict` codes; an algorithm that a relation lacks has ``MISSING`` pairs."""
        names = self.algorithms
        index = {name: i for i, name in enumerate(names)}
        found = np.full((len(self), len(names), len(names)), Verdict.MISSING, dtype=np.int8)
        found[:, range(len(names)), range(len(names))] = Verdict.EQUIVALENT
        for b, relation in enumerate(self.relations.values()):
            at = [index[name] for name in relation.algorithms]
            found[np.ix_([b], at, at)] = relation.states
        return found

    def __getitem__(self, name: str) -> Relation:
        """Return one relation."""
        return self.relations[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.relations)

    def __len__(self) -> int:
        """Return the number of relations."""
        return len(self.relations)

    def __repr__(self) -> str:
        """Return the number of relations and algorithms."""
        weighted = ", weighted" if np.ptp(self.weights) else ""
        return (
            f"<Ensemble of {len(self)} relation{'s' * (len(self) != 1)} on"
            f" {len(self.algorithms)} algorithms{weighted}>"
        )

    def __str__(self) -> str:
        """Return one order per relation."""
        width = max(len(name) for name in self.relations)
        return "\n".join(f"{name.ljust(width)}  {order}" for name, order in self.items())

    def to_frame(self) -> "pd.DataFrame":
        """One row per relation and pair: ``relation weight first second verdict winner``."""
        import pandas as pd

        parts: list[pd.DataFrame] = []
        for (name, relation), weight in zip(self.items(), self.weights.tolist(), strict=True):
            table = relation.to_frame()
            parts.append(frame({"relation": [name] * len(table), "weight": weight}).join(table))
        return pd.concat(parts, ignore_index=True)


def _weights(names: list[str], weights: Weights | None) -> NDArray[np.float64]:
    """Return one weight per name."""
    if weights is None:
        return np.ones(len(names))
    if isinstance(weights, Mapping):
        wrong = sorted(set(names) ^ set(weights))
        if wrong:
            raise DesignError(
                message(
                    f"{len(wrong)} names are in the relations or in the weights, but not in both.",
                    where=[
                        ("name", "in"),
                        *((n, "weights" if n in weights else "relations") for n in wrong),
                    ],
                    hint="give each relation a weight; 0 leaves it out.",
                )
            )
        weights = [weights[name] for name in names]
    found = np.asarray(weights, dtype=np.float64)
    if found.shape != (len(names),):
        raise DesignError(f"{len(names)} relations need {len(names)} weights, not {found.size}.")
    bad = ~np.isfinite(found) | (found < 0)
    if bad.any() or not found.any():
        raise DesignError(
            message(
                f"{int(bad.sum()) or len(found)} of {len(found)} weights cannot be used.",
                where=[
                    ("relation", "weight"),
                    *(
                        (n, float(w))
                        for n, w, b in zip(names, found, bad | ~found.any(), strict=True)
                        if b
                    ),
                ],
                hint="weights are finite and not negative, and at least one is above 0.",
            )
        )
    return found
