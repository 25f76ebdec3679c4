from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.relations.numerics import distances

MISSING, UNDECIDED, EQUIVALENT, FIRST, SECOND = range(5)
PENALTY = {
    # first-second, strict-equivalent, strict-undecided, equivalent-undecided
    "symdiff": (2, 1, 1, 2),
    "cks": (2, 1, 2, 1),
    "emond-mason": (2, 1, 1, 1),
    "jmb": (5 / 3, 1, 4 / 3, 4 / 3),
    "discrete": (1, 1, 1, 1),
}


def mirrored(upper, k):
    states = np.full((k, k), EQUIVALENT, dtype=np.int8)
    i, j = np.triu_indices(k, 1)
    states[i, j] = upper
    states[j, i] = np.array([0, 1, 2, 4, 3], dtype=np.int8)[np.asarray(upper, dtype=np.int8)]
    return states


def ensembles(least=0, k=4, n=3):
    pairs = k * (k - 1) // 2
    one = st.lists(st.integers(least, 4), min_size=pairs, max_size=pairs)
    return st.lists(one, min_size=n, max_size=n).map(
        lambda rows: np.stack([mirrored(row, k) for row in rows])
    )


def penalty(kind, a, b):
    opposed, tied, open_, tied_open = PENALTY[kind]
    if a == b or MISSING in {a, b}:
        return 0
    return {
        frozenset((FIRST, SECOND)): opposed,
        frozenset((FIRST, EQUIVALENT)): tied,
        frozenset((SECOND, EQUIVALENT)): tied,
        frozenset((FIRST, UNDECIDED)): open_,
        frozenset((SECOND, UNDECIDED)): open_,
        frozenset((EQUIVALENT, UNDECIDED)): tied_open,
    }[frozenset((a, b))]


@given(ensembles())
def test_distances_are_sums_over_pairs(states):
    for kind in PENALTY:
        found = distances.distances(states, kind)
        for b, c in combinations(range(len(states)), 2):
            expected = sum(
                penalty(kind, int(states[b, i, j]), int(states[c, i, j]))
                for i, j in combinations(range(4), 2)
            )
            assert found[b, c] == pytest.approx(expected, abs=1e-12)


@given(ensembles())
def test_rank_distances_are_those_of_the_generalised_ranks(states):
    def rank(s, i):
        better = sum(s[i, j] == SECOND for j in range(4))
        return (5 + better - sum(s[i, j] == FIRST for j in range(4))) / 2

    ranks = np.array([[rank(s, i) for i in range(4)] for s in states])
    np.testing.assert_array_equal(ranks, distances.generalised_ranks(states))
    a, b = ranks[:2]
    assert distances.distances(states, "cook-seiford")[0, 1] == np.abs(a - b).sum()
    assert distances.distances(states, "spearman")[0, 1] == ((a - b) ** 2).sum()


@given(ensembles(least=1))
def test_each_table_is_a_metric_where_nothing_is_missing(states):
    for kind in PENALTY:
        d = distances.distances(states, kind)
        assert (d == d.T).all()
        assert (d.diagonal() == 0).all()
        assert d[0, 1] <= d[0, 2] + d[2, 1] + 1e-12
        same = (states[0] == states[1]).all()
        assert (d[0, 1] == 0) == same
        assert (d <= distances.largest(states, kind) + 1e-12).all()


@given(ensembles(least=2))
def test_three_distances_agree_where_all_is_decided(states):
    d = distances.distances(states, "symdiff")
    for kind in ("cks", "emond-mason"):
        np.testing.assert_array_equal(distances.distances(states, kind), d)


def test_the_largest_distance_is_reached_by_opposite_orders():
    for k in (2, 3, 4, 5, 6):
        pairs = k * (k - 1) // 2
        states = np.stack([mirrored([code] * pairs, k) for code in (FIRST, SECOND)])
        for kind in distances.KINDS:
            far = distances.distances(states, kind)[0, 1]
            assert far == pytest.approx(distances.largest(states, kind)[0, 1])


def test_concordance_is_kendalls_w():
    from scipy.stats import rankdata

    scores = np.random.default_rng(2).integers(0, 4, size=(7, 5))
    ranks = np.array([rankdata(row) for row in scores])
    m, n = ranks.shape
    ties = sum((np.unique(row, return_counts=True)[1] ** 3).sum() - n for row in ranks)
    spread = ((ranks.sum(axis=0) - m * (n + 1) / 2) ** 2).sum()
    expected = 12 * spread / (m**2 * (n**3 - n) - m * ties)
    assert distances.concordance(ranks, np.ones(m)) == pytest.approx(expected)
    # A weight of 2 is the relation twice.
    twice = distances.concordance(np.vstack([ranks, ranks[:1]]), np.ones(m + 1))
    assert distances.concordance(ranks, np.array([2, *[1] * (m - 1)])) == pytest.approx(twice)
    assert np.isnan(distances.concordance(np.full((2, 3), 2.0), np.ones(2)))
