"""An ensemble taken apart into the costs of each relation, so that it can be weighed anew."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics.consensus.costs import METHODS, Costs, of_votes, tally, whole_weights
from benchinfer.numerics.consensus.families import FAMILIES
from benchinfer.numerics.consensus.families import Family as Members
from benchinfer.order.ensemble import Ensemble
from benchinfer.order.relation import Relation, Verdict
from benchinfer.order.verdicts import unrelated

type Distance = Literal["symdiff", "cks", "emond-mason", "jmb"]
type Order = Literal["linear", "weak"]
type MissingPairs = Literal["ignore", "undecided"]

ORDERS = ("linear", "weak")
# By state of a solver; the last is that of pairs left open, -1.
_VERDICTS = np.array(
    [Verdict.FIRST, Verdict.SECOND, Verdict.EQUIVALENT, Verdict.UNDECIDED], dtype=np.int8
)


@dataclass(frozen=True, slots=True)
class Asked:
    """Which consensus is meant: one that minimises a distance."""

    method: Distance
    family: Order
    missing_pairs: MissingPairs

    def check(self) -> None:
        """Refuse what is not known.

        Raises
        ------
        DesignError
            An argument is not one of those named.
        """
        for what, value, known in (
            ("method", self.method, METHODS),
            ("family", self.family, ORDERS),
            ("missing_pairs", self.missing_pairs, ("ignore", "undecided")),
        ):
            if value not in known:
                raise DesignError(unknown(what, value, known))

    @property
    def members(self) -> Members:
        """The relations among which to choose."""
        return FAMILIES[self.family]

    def relation(self, algorithms: tuple[str, ...], states: NDArray[np.int8]) -> Relation:
        """Return a relation of states that a solver found."""
        verdicts = _VERDICTS[states]
        np.fill_diagonal(verdicts, Verdict.EQUIVALENT)
        return Relation(algorithms, verdicts, f"consensus by {self.method} ({self.family})")

    def tensors(
        self, ensemble: Ensemble, names: tuple[str, ...] | None = None
    ) -> tuple[Costs, int]:
        """Return the weighted costs (B, 4, K, K) of each relation by itself, and their divisor.

        `names` are the K algorithms in order; by default those of the ensemble.
        """
        whole, divisor = whole_weights(ensemble.weights) or (ensemble.weights, 1)
        scale = 1
        parts: list[Costs] = []
        for states, weight in zip(_aligned(ensemble, names), whole, strict=True):
            votes = tally(states[None], np.array([weight]))
            costs, scale = of_votes(
                votes, self.method, missing_as_undecided=self.missing_pairs == "undecided"
            )
            parts.append(costs)
        return cast("Costs", np.stack(parts)), divisor * scale


def _aligned(ensemble: Ensemble, names: tuple[str, ...] | None) -> NDArray[np.int8]:
    """Return the verdicts (B, K, K) on the algorithms that are named; what lacks is missing."""
    if names is None or names == ensemble.algorithms:
        return ensemble.states
    if strange := [name for name in ensemble.algorithms if name not in names]:
        raise DesignError(unknown("algorithm in an ensemble:", strange[0], names))
    own = [names.index(name) for name in ensemble.algorithms]
    states = np.repeat(unrelated(len(names))[None], len(ensemble), axis=0)
    states[:, np.array(own)[:, None], own] = ensemble.states
    return states


def require_ensemble(given: object) -> Ensemble:
    """Return an ensemble of at least two relations that count.

    Raises
    ------
    DesignError
        It is something else, or too small.
    """
    if not isinstance(given, Ensemble):
        hint = "relations per data set: per_dataset(...).relations()."
        if isinstance(given, Mapping):
            hint = "Ensemble(relations) makes one of relations by name."
        raise DesignError(message(f"a {type(given).__name__} is not an ensemble.", hint=hint))
    if np.count_nonzero(given.weights) < 2:
        zero = "" if len(given) < 2 else " of weight above 0"
        raise DesignError(
            message(
                f"there is one relation{zero}, and relations are to be weighed against each other.",
                hint="an ensemble has one for each data set: per_dataset(...).relations().",
            )
        )
    return given
