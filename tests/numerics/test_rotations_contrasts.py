"""Closed tests of contrasts: numbers of pairs, the control, the margin, and p-values alone."""

import numpy as np
import pytest

from benchinfer.numerics.closed_testing import bergmann_hommel
from benchinfer.numerics.multiplicity import SPENT, holm
from benchinfer.numerics.rotations import ClosedTest, closed_pairs
from tests.numerics.test_rotations import alone, table


def closed(pairs, k, x, **options):
    contrasts = np.eye(k)[[i for i, _ in pairs]] - np.eye(k)[[j for _, j in pairs]]
    settings = {"side": 0, "alpha": 0.05, "spent": SPENT, "reference": "rotation"}
    settings |= {"directions": 999, "seed": 1, **options}
    return ClosedTest.of(contrasts, x, **settings)


@pytest.mark.parametrize("k", [2, 3, 5, 8])
def test_pairs_have_their_numbers_whichever_stands_first(k):
    every = list(zip(*np.triu_indices(k, 1), strict=True))
    turned = [(j, i) if (i + j) % 2 else (i, j) for i, j in every[::-1]]
    assert closed(turned, k, None).pair.tolist() == [*range(len(every))][::-1]


def test_pairs_in_any_order_have_the_p_values_of_all_pairs():
    x = table(9, 4)
    p, pairs = alone(x), [(3, 1), (0, 2), (1, 0), (2, 3), (0, 3), (2, 1)]
    silent = np.zeros(6, np.bool_)
    test = closed(pairs, 4, x)
    expected = closed_pairs(x, p, 0.05, directions=999, spent=SPENT)
    adjusted, error = test.adjusted(p[[4, 1, 0, 5, 2, 3]], silent)
    np.testing.assert_array_equal(adjusted, expected.p_value[[4, 1, 0, 5, 2, 3]])
    np.testing.assert_array_equal(error, expected.error[[4, 1, 0, 5, 2, 3]])
    silent[2] = True  # the pair of 0 and 1
    adjusted, _ = test.adjusted(p[[4, 1, 0, 5, 2, 3]], silent)
    assert adjusted[2] == 1 > expected.p_value[0]


@pytest.mark.parametrize("side", [1, -1])
def test_one_sided_tests_with_a_margin_are_those_of_a_shifted_control(side):
    x = table(12, 3)
    pairs, p, none = [(0, 1), (2, 1)], np.array([1e-4, 1e-3]), np.zeros(2, np.bool_)
    before = x.copy()
    adjusted, _ = closed(pairs, 3, x, side=side).adjusted(p, none, margin=0.3)
    np.testing.assert_array_equal(x, before)
    shifted = x - side * 0.3 * np.eye(3)[1]
    at_zero, _ = closed(pairs, 3, shifted, side=side).adjusted(p, none)
    np.testing.assert_array_equal(adjusted, at_zero)
    unmoved, _ = closed(pairs, 3, x, side=side).adjusted(p, none)
    assert (adjusted <= unmoved).all()
    assert (adjusted < unmoved).any()


def test_without_rows_p_values_are_adjusted_by_the_inequality():
    p, none = np.array([0.001, 0.03, 0.4]), np.zeros(3, np.bool_)
    for_all, error = closed([(0, 1), (0, 2), (1, 2)], 3, None).adjusted(p, none)
    np.testing.assert_array_equal(for_all, bergmann_hommel(p, 3, SPENT))
    assert not error.any()
    with_control, _ = closed([(0, 1), (2, 1), (3, 1)], 4, None).adjusted(p, none)
    np.testing.assert_array_equal(with_control, holm(p, SPENT))
