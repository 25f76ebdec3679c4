"""Operations on relations against loops over orders and chains."""

from itertools import combinations, permutations

import numpy as np

from benchinfer.relations.numerics import posets


def random_relations(n=120, seed=3):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        k = int(rng.integers(1, 6))
        yield rng.random((k, k)) < rng.choice([0.15, 0.3, 0.6])


def leads(r, start):
    seen = set()
    todo = [start]
    while todo:
        for m in np.flatnonzero(r[todo.pop()]).tolist():
            if m not in seen:
                seen.add(m)
                todo.append(m)
    return seen


def test_the_closure_holds_where_a_chain_leads():
    for r in random_relations():
        closed = posets.transitive_closure(r)
        for i in range(len(r)):
            assert set(np.flatnonzero(closed[i]).tolist()) == leads(r, i)


def test_classes_lead_to_each_other_and_stand_before_what_they_lead_to():
    for r in random_relations(seed=4):
        found = posets.classes(r)
        assert sorted(m for c in found for m in c) == list(range(len(r)))
        together = {(i, j) for c in found for i in c for j in c}
        for i, j in permutations(range(len(r)), 2):
            both = j in leads(r, i) and i in leads(r, j)
            assert ((i, j) in together) == both
        at = {m: n for n, c in enumerate(found) for m in c}
        assert all(at[i] <= at[j] for i, j in np.argwhere(r).tolist())


def test_positions_are_those_in_all_orders_that_keep_the_preferences():
    for r in random_relations(seed=5):
        strict = np.triu(r, 1)
        k = len(strict)
        orders = [
            p
            for p in permutations(range(k))
            if all(not strict[b, a] for a, b in combinations(p, 2))
        ]
        places = np.array([[p.index(i) + 1 for i in range(k)] for p in orders])
        best, worst = posets.positions(strict)
        assert best.tolist() == places.min(axis=0).tolist()
        assert worst.tolist() == places.max(axis=0).tolist()


def test_large_relations_are_closed_in_time():
    chain = np.eye(500, k=1, dtype=bool)
    closed = posets.transitive_closure(chain)
    assert closed.sum() == 500 * 499 / 2
    assert (posets.transitive_reduction(closed) == chain).all()


def test_acyclic_is_that_the_closure_is_irreflexive() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        k = rng.integers(0, 8)
        r = rng.random((k, k)) < 0.4 * rng.random()
        closed = posets.transitive_closure(r)
        assert posets.is_acyclic(r) == posets.is_irreflexive(closed)
