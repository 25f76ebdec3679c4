"""A relation as chains, where drawing each of its preferences would be too much to see."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.numerics import poset
from benchinfer.order.relation import Relation, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

_MANY = 30  # preferences that need not follow from each other


@dataclass(frozen=True, slots=True)
class Chains:
    """What is drawn of a relation.

    Attributes
    ----------
    relation
        The relation of the classes: what chains of preferences lead to. A class has the name of its
        first member.
    members
        Indices of the members of each class; several run in a circle.
    broken
        Pairs of classes (better, worse) that a chain joins, but of which not all pairs are
        preferences by themselves.
    """

    relation: Relation
    members: tuple[tuple[int, ...], ...]
    broken: tuple[tuple[int, int], ...]


def chains(relation: Relation) -> Chains:
    """Return the relation itself or, if it has too many lines, its chains and circles.

    Parameters
    ----------
    relation
        Any relation. One that is transitive is drawn by few lines as it is.
    """
    strict = relation.strict
    if poset.is_transitive(strict) or strict.sum() <= _MANY:
        own = tuple((i,) for i in range(len(relation.algorithms)))
        return Chains(relation, own, ())
    members = tuple(tuple(m) for m in poset.classes(strict))
    first = [m[0] for m in members]
    closed = poset.transitive_closure(strict)[np.ix_(first, first)]
    np.fill_diagonal(closed, val=False)
    states = np.full(closed.shape, Verdict.UNDECIDED, dtype=np.int8)
    own = np.array([len(m) == 1 for m in members])
    equal = (relation.states == Verdict.EQUIVALENT)[np.ix_(first, first)]
    states[equal & np.outer(own, own)] = Verdict.EQUIVALENT
    states[closed], states[closed.T] = Verdict.FIRST, Verdict.SECOND
    np.fill_diagonal(states, Verdict.EQUIVALENT)
    broken = [
        (a, b)
        for a, b in np.argwhere(closed).tolist()
        if not strict[np.ix_(members[a], members[b])].all()
    ]
    names = tuple(relation.algorithms[i] for i in first)
    return Chains(Relation(names, states), members, tuple(broken))


def label(names: "Sequence[str]") -> str:
    """Write the members of a class, a line each, with a mark if they run in a circle."""
    return "\n".join(["\N{CLOCKWISE OPEN CIRCLE ARROW} circle", *names] if names[1:] else names)


def isolated(relation: Relation) -> list[int]:
    """Return the algorithms that are compared with none, if others are.

    Compared is what is preferred or equivalent to some other one.
    """
    told = relation.strict | relation.strict.T | (relation.states == Verdict.EQUIVALENT)
    alone = np.flatnonzero(told.sum(axis=1) == 1).tolist()
    return alone if 0 < len(alone) < len(told) else []
