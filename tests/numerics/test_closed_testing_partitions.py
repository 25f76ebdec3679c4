from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.numerics import closed_testing


def test_possible_counts():
    assert closed_testing.possible_counts(5) == (0, 1, 2, 3, 4, 6, 10)
    assert closed_testing.possible_counts(6) == (0, 1, 2, 3, 4, 6, 7, 10, 15)
    # As many as García & Herrera's recursion gives.
    assert [len(closed_testing.possible_counts(k)) for k in (10, 20, 40)] == [27, 118, 538]


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_possible_counts_are_those_of_all_partitions(k):
    counts = set()
    for labels in product(range(k), repeat=k):
        sizes = np.bincount(labels)
        counts.add(int((sizes * (sizes - 1) // 2).sum()))
    assert tuple(sorted(counts)) == closed_testing.possible_counts(k)


@given(st.integers(1, 5), st.integers(0, 2**10 - 1))
def test_most_together_of_any_graph(k, bits):
    first, second = np.triu_indices(k, 1)
    equal = np.zeros((k, k), dtype=bool)
    equal[first, second] = [bits >> i & 1 for i in range(len(first))]
    equal |= equal.T
    expected = np.zeros((k, k), dtype=int)
    for labels in product(range(k), repeat=k):
        label = np.array(labels)
        inside = (label[:, None] == label) & ~np.eye(k, dtype=bool)
        if not (inside & ~equal).any():
            expected[inside] = np.maximum(expected[inside], inside.sum() // 2)
    np.testing.assert_array_equal(closed_testing.most_together(equal), expected)
