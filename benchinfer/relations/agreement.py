"""Agreement of and distance between relations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.verdict import States, merged, unrelated
from benchinfer.numerics.types import Array
from benchinfer.relations.numerics import distances

if TYPE_CHECKING:
    from benchinfer.relations.relation import Relation


def stacked(relations: Sequence["Relation"]) -> tuple[tuple[str, ...], States]:
    """Return the algorithms of all relations, as they are first named, and states (B, K, K).

    Pairs with an algorithm that a relation lacks are missing in it.
    """
    names = tuple(dict.fromkeys(name for r in relations for name in r.algorithms))
    index = {name: i for i, name in enumerate(names)}
    states = np.stack([unrelated(len(names)) for _ in relations])
    for b, relation in enumerate(relations):
        at = [index[name] for name in relation.algorithms]
        states[np.ix_([b], at, at)] = relation.states
    return names, states


def between(states: States, kind: str, undecided: str, missing: str) -> Array:
    """Return the distances (B, B) between relations in a common order of algorithms."""
    if kind not in distances.KINDS:
        raise DesignError(unknown("distance", kind, distances.KINDS))
    return distances.distances(merged(states, undecided, missing), kind)


def agreements(states: States, kind: str, undecided: str, missing: str) -> Array:
    """Return 1 - distance / largest distance, or tau_x, (B, B); NaN where nothing is shared."""
    known = merged(states, undecided, missing)
    tau = kind == "tau-x"
    name = "symdiff" if tau else kind
    far = between(states, name, undecided, missing)
    most = distances.largest(known, name)
    share = np.divide(far, most, out=np.full(far.shape, np.nan), where=most > 0)
    return 1 - (2 if tau else 1) * share
