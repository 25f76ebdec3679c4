"""Exact consensus against the enumeration of all relations, and one route against another."""

from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from benchinfer.relations.consensus.numerics import solve as solving
from benchinfer.relations.consensus.numerics.costs import (
    FAMILIES,
    METHODS,
    RelationFamily,
    arcs,
    of_votes,
    scaled,
    tally,
    total,
)
from benchinfer.relations.consensus.numerics.solve import solve

States = NDArray[np.int8]
MIRRORED = (1, 0, 2, 3)
HOW_MANY = {
    "linear": 24,
    "weak": 75,
    "partial": 219,
    "preorder": 355,
    "equivalence": 15,
    "semiorder": 183,
    "interval": 207,
}


def is_member(states: States, family: RelationFamily) -> bool:
    """Return whether a relation of states (n, n) is one of the family, by the definitions."""
    off = ~np.eye(len(states), dtype=np.bool_)
    if not np.isin(states[off], family.states).all():
        return False
    x = arcs(states, family) > 0
    if not family.strict:
        closed = x | ~off
        return not ((closed @ closed) & ~closed).any()
    # Ferrers: a > b and c > d imply a > d or c > b.
    first, above = x[:, :, None, None], x[:, None, None, :]
    broken = first & x & ~above & ~x.T[None, :, :, None]
    # Semitransitive: a > b > c implies a > d or d > c.
    apart = first & x[:, :, None] & ~above & ~x.T
    return not (broken.any() or (family.semi and apart.any()))


def relations(name: str, n: int = 4) -> States:
    """Return all relations of a family on n objects."""
    pairs = list(combinations(range(n), 2))
    found: list[States] = []
    for choice in product(FAMILIES[name].states, repeat=len(pairs)):
        states = np.full((n, n), -1, dtype=np.int8)
        for (i, j), state in zip(pairs, choice, strict=True):
            states[i, j], states[j, i] = state, MIRRORED[state]
        if is_member(states, FAMILIES[name]):
            found.append(states)
    return np.array(found)


def ensemble(rng: np.random.Generator, n: int, size: int, codes: int = 5) -> States:
    """Return relations (size, n, n) with independent verdicts, some of them missing."""
    verdicts = np.zeros((size, n, n), dtype=np.int8)
    i, j = np.triu_indices(n, 1)
    verdicts[:, i, j] = rng.integers(0, codes, (size, len(i)))
    verdicts[:, j, i] = np.array([0, 1, 2, 4, 3], dtype=np.int8)[verdicts[:, i, j]]
    verdicts[:, np.arange(n), np.arange(n)] = 2
    return verdicts


@pytest.mark.parametrize("name", FAMILIES)
def test_families_have_as_many_relations_as_is_known(name: str) -> None:
    assert len(relations(name)) == HOW_MANY[name]


@pytest.mark.parametrize("program", [False, True])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", FAMILIES)
def test_all_optima_are_those_of_enumeration(
    name: str, method: str, *, program: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if program:
        # Without shortcuts for small parts.
        for limit in ("_SMALL", "_TABLED", "_CLASSED"):
            monkeypatch.setattr(solving, limit, 0)
    rng = np.random.default_rng([len(name), len(method), program])
    everything = relations(name)
    i, j = np.triu_indices(4, 1)
    for k in range(5):
        size = int(rng.integers(1, 8))
        weights = rng.integers(0, 4, size).astype(np.float64)
        if k % 3 == 0:
            weights = weights + 0.25
        verdicts = ensemble(rng, 4, size)
        votes = tally(verdicts, scaled(weights)[0])
        costs, _ = of_votes(votes, method, missing_as_undecided=k % 2 == 0)
        each = costs[everything[:, i, j], i, j].sum(axis=1)
        best = everything[each == each.min()]
        found = solve(costs, FAMILIES[name], limit=1000)
        assert found.optimal
        assert found.exact
        assert found.cost == found.bound == each.min()
        assert found.count == len(best) == len(found.states)
        assert {s.tobytes() for s in found.states} == {s.tobytes() for s in best}
        seen = np.bitwise_or.reduce(np.where(best < 0, 0, 1 << np.maximum(best, 0)), axis=0)
        np.testing.assert_array_equal(found.possible, seen)
        np.testing.assert_array_equal(found.above, (best == 1).sum(axis=2).min(axis=0))
        np.testing.assert_array_equal(found.below, (best == 0).sum(axis=2).min(axis=0))
        assert total(costs, found.states[0]) == found.cost
