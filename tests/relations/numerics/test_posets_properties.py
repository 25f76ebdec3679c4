"""Properties and their violations against loops over the definitions."""

from itertools import combinations, product

import numpy as np
import pytest

from benchinfer.relations.numerics import posets
from benchinfer.relations.numerics.posets import VIOLATIONS, kind, properties


def random_relations(n=200, seed=1):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        k = int(rng.integers(1, 7))
        r = rng.random((k, k)) < rng.choice([0.2, 0.5, 0.8])
        if rng.random() < 0.3:
            r = posets.transitive_closure(np.triu(r, 1))
        if rng.random() < 0.3:
            np.fill_diagonal(r, val=bool(rng.random() < 0.5))
        if rng.random() < 0.3:
            r = ~r.T
        yield r


def reachable(r, i, j):
    seen, todo = set(), [i]
    while todo:
        for m in np.flatnonzero(r[todo.pop()]).tolist():
            if m not in seen:
                seen.add(m)
                todo.append(m)
    return j in seen


def by_definition(r):
    k = range(len(r))
    pairs = list(product(k, k))
    off = [(i, j) for i, j in pairs if i != j]
    strict = np.array([[r[i, j] and not r[j, i] for j in k] for i in k])
    no_loops = np.array([[r[i, j] and i != j for j in k] for i in k])
    triples, quadruples = list(product(k, k, k)), list(product(k, k, k, k))

    def transitive(b):
        return all(b[i, m] for i, j, m in triples if b[i, j] and b[j, m])

    p = {
        "reflexive": all(r[i, i] for i in k),
        "irreflexive": not any(r[i, i] for i in k),
        "symmetric": all(r[j, i] for i, j in pairs if r[i, j]),
        "asymmetric": not any(r[i, j] and r[j, i] for i, j in pairs),
        "antisymmetric": not any(r[i, j] and r[j, i] for i, j in off),
        "transitive": transitive(r),
        "negatively transitive": all(r[i, j] or r[j, m] for i, j, m in triples if r[i, m]),
        "complete": all(r[i, j] or r[j, i] for i, j in off),
        "strongly complete": all(r[i, j] or r[j, i] for i, j in pairs),
        "quasi-transitive": transitive(strict),
        "Ferrers": all(r[x, w] or r[z, y] for x, y, z, w in quadruples if r[x, y] and r[z, w]),
        "semitransitive": all(
            r[x, w] or r[w, z] for x, y, z, w in quadruples if r[x, y] and r[y, z]
        ),
        "acyclic": not any(reachable(no_loops, i, i) for i in k),
        "strictly acyclic": not any(reachable(strict, i, i) for i in k),
    }
    preorder = p["reflexive"] and p["transitive"]
    interval, strict_interval = p["complete"] and p["Ferrers"], p["irreflexive"] and p["Ferrers"]
    return p | {
        "preorder": preorder,
        "equivalence": preorder and p["symmetric"],
        "weak order": preorder and p["complete"],
        "partial order": preorder and p["antisymmetric"],
        "linear order": preorder and p["antisymmetric"] and p["complete"],
        "interval order": interval,
        "semiorder": interval and p["semitransitive"],
        "strict partial order": p["asymmetric"] and p["transitive"],
        "strict interval order": strict_interval,
        "strict semiorder": strict_interval and p["semitransitive"],
        "strict weak order": p["asymmetric"] and p["negatively transitive"],
        "strict linear order": p["asymmetric"] and p["transitive"] and p["complete"],
        "tournament": p["asymmetric"] and p["complete"],
    }


def violations_by_definition(r):
    k = range(len(r))
    triples = list(product(k, k, k))
    strict = {(i, j) for i, j in product(k, k) if r[i, j] and not r[j, i]}
    apart = strict | {(j, i) for i, j in strict}
    return {
        "transitive": [t for t in triples if r[t[0], t[1]] and r[t[1], t[2]] and not r[t[0], t[2]]],
        "negatively transitive": [
            t for t in triples if not r[t[0], t[1]] and not r[t[1], t[2]] and r[t[0], t[2]]
        ],
        "symmetric": [(i, j) for i, j in product(k, k) if r[i, j] and not r[j, i]],
        "antisymmetric": [(i, j) for i, j in combinations(k, 2) if r[i, j] and r[j, i]],
        "complete": [(i, j) for i, j in combinations(k, 2) if not r[i, j] and not r[j, i]],
        "circles of three": [
            (a, b, c)
            for a, b, c in triples
            if {(a, b), (b, c), (c, a)} <= strict and a == min(a, b, c)
        ],
        "transitive ties": [
            (a, b, c)
            for a, b, c in triples
            if a < c and (a, b) not in apart and (b, c) not in apart and (a, c) in apart
        ],
    }


def test_properties_are_as_defined():
    held = dict.fromkeys(properties(np.eye(2, dtype=bool)), 0)
    for r in random_relations():
        found = properties(r)
        assert found == by_definition(r)
        for name, holds in found.items():
            held[name] += holds
    # Each property was both there and not there.
    assert all(0 < n < 200 for n in held.values()), held


def test_violations_are_as_defined():
    for r in random_relations(seed=2):
        expected = violations_by_definition(r)
        without_loops = r.copy()
        for name, found in VIOLATIONS.items():
            pairs = [t for t in found(r) if len(set(t)) > 1 or len(t) == 3]
            assert sorted(pairs) == sorted(expected[name]), name
        np.fill_diagonal(without_loops, val=True)
        assert not [t for t in VIOLATIONS["complete"](without_loops) if t[0] == t[1]]


def test_families_on_four_elements_are_as_many_as_known():
    counts = dict.fromkeys(["linear", "weak", "semi", "interval", "partial"], 0)
    strict_kinds = {
        "linear": "strict linear order",
        "weak": "strict weak order",
        "semi": "strict semiorder",
        "interval": "strict interval order",
        "partial": "strict partial order",
    }
    i, j = np.triu_indices(4, 1)
    for states in product((0, 1, 2), repeat=6):
        r, s = np.zeros((4, 4), dtype=bool), np.array(states)
        r[i, j], r[j, i] = s == 1, s == 2
        found = properties(r)
        for name, full in strict_kinds.items():
            counts[name] += found[full]
    assert counts == {"linear": 24, "weak": 75, "semi": 183, "interval": 207, "partial": 219}
    a, b = np.nonzero(~np.eye(4, dtype=bool))
    preorders = equivalences = 0
    for bits in product((False, True), repeat=12):
        r = np.eye(4, dtype=bool)
        r[a, b] = bits
        if posets.is_transitive(r):
            preorders += 1
            equivalences += properties(r)["equivalence"]
    assert (preorders, equivalences) == (355, 15)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], "linear order"),
        ([(0, 2), (0, 3), (1, 2), (1, 3)], "weak order"),
        ([(0, 2), (0, 3), (1, 3)], "semiorder"),
        ([(0, 1), (1, 2), (0, 2)], "interval order"),
        ([(0, 1), (2, 3)], "partial order"),
        ([(0, 1), (1, 2)], "acyclic"),
        ([(0, 1), (1, 2), (2, 0)], "cyclic"),
    ],
)
def test_the_strongest_kind_is_named(pairs, expected):
    r = np.zeros((4, 4), dtype=bool)
    for pair in pairs:
        r[pair] = True
    assert kind(r) == expected
