from itertools import combinations

import numpy as np
import pytest

from benchinfer.relations.numerics import posets as module
from benchinfer.relations.numerics.posets import letters


def shared(groups, k):
    """Return which items share a group."""
    found = np.zeros((k, k), bool)
    for group in groups:
        found[np.ix_(group, group)] = True
    return found


def random(rng, k, share):
    upper = np.triu(rng.random((k, k)) < share, 1)
    return upper | upper.T


@pytest.mark.parametrize("seed", range(60))
def test_items_share_a_letter_where_they_are_not_different(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 9))
    different = random(rng, k, rng.random())
    groups = letters(different)
    assert (shared(groups, k) == ~different).all()
    # No group is inside another one, and none could be left out.
    assert not any(set(a) <= set(b) for a, b in combinations(groups, 2))
    for n in range(len(groups)):
        assert not (shared(groups[:n] + groups[n + 1 :], k) == ~different).all()
    assert groups == sorted(groups)


def test_columns_of_a_worked_example():
    # By hand: 0-2, 1-3 and 2-3 are not different, and no three items are alike.
    different = np.zeros((4, 4), bool)
    for i, j in ((0, 1), (0, 3), (1, 2)):
        different[i, j] = different[j, i] = True
    assert letters(different) == [(0, 2), (1, 3), (2, 3)]


@pytest.mark.parametrize(
    ("different", "expected"),
    [(np.zeros((0, 0), bool), []), (np.zeros((3, 3), bool), [(0, 1, 2)])],
)
def test_nothing_and_nothing_different(different, expected):
    assert letters(different) == expected


def test_all_different_have_a_letter_each():
    assert letters(~np.eye(3, dtype=bool)) == [(0,), (1,), (2,)]


def test_disjoint_pairs_do_not_take_two_to_the_power_of_their_number():
    k = 40
    different = np.zeros((k, k), bool)
    for i in range(0, k, 2):
        different[i, i + 1] = different[i + 1, i] = True
    groups = letters(different)
    assert (shared(groups, k) == ~different).all()
    assert len(groups) < module._MOST


def test_letters_of_a_semiorder_are_runs():
    at = np.arange(500)
    groups = letters(np.abs(at[:, None] - at) > 20)
    assert groups == [tuple(range(i, i + 21)) for i in range(480)]
