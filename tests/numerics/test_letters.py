from itertools import combinations

import numpy as np

from benchinfer.numerics.letters import letters


def cliques(same):
    """Return all maximal sets no two of whose members differ, by looking at every set."""
    k = len(same)
    whole = [
        set(members)
        for size in range(1, k + 1)
        for members in combinations(range(k), size)
        if all(same[i, j] for i, j in combinations(members, 2))
    ]
    return [c for c in whole if not any(c < other for other in whole)]


def pairs_in(groups):
    return {pair for group in groups for pair in combinations(sorted(group), 2)}


def test_letters_say_exactly_which_pairs_differ():
    rng = np.random.default_rng(0)
    swept = 0
    for _ in range(300):
        k = int(rng.integers(1, 9))
        different = np.triu(rng.random((k, k)) < rng.random(), 1)
        different |= different.T
        groups = letters(different)
        same = {p for p in combinations(range(k), 2) if not different[p]}
        assert pairs_in(groups) == same
        assert {m for g in groups for m in g} == set(range(k))
        maximal = cliques(~different)
        assert all(set(g) in maximal for g in groups)
        swept += len(maximal) > len(groups)
        for g in groups:
            rest = [other for other in groups if other != g]
            assert pairs_in(rest) != same or {m for o in rest for m in o} != set(range(k))
        assert groups == sorted(groups)
    assert swept > 5


def test_letters_of_a_semiorder_are_runs():
    at = np.array([0, 1, 2, 3, 4])
    assert letters(np.abs(at[:, None] - at) > 2) == [(0, 1, 2), (1, 2, 3), (2, 3, 4)]
    assert letters(np.zeros((0, 0), dtype=bool)) == []
    assert letters(~np.eye(3, dtype=bool)) == [(0,), (1,), (2,)]


def test_many_algorithms_with_few_groups():
    at = np.arange(500)
    assert len(letters(np.abs(at[:, None] - at) > 20)) == 480
