from itertools import combinations

import numpy as np
import pytest

from benchinfer.core.verdict import Verdict
from benchinfer.relations.figures.pairs import group
from benchinfer.relations.relation import Relation


def states(k, verdicts):
    """Return the matrix of verdicts of pairs; pairs that are not named are told apart."""
    names = [str(n) for n in range(k)]
    pairs = {
        (names[i], names[j]): verdicts.get((i, j), "first") for i, j in combinations(range(k), 2)
    }
    return Relation.from_pairs(names, pairs).states


RANKS = np.array([1.0, 2.0, 3.0, 4.0])


def test_bars_where_they_say_all():
    found = group(states(4, dict.fromkeys([(0, 1), (1, 2), (2, 3)], "undecided")), RANKS)
    assert found.kind == "bars"
    # Bars that share a stem are on different levels.
    assert found.bars == ((0, 1, 0), (1, 2, 1), (2, 3, 0))


def test_letters_where_a_bar_would_join_what_is_told_apart():
    found = group(states(4, {(0, 2): "undecided", (2, 3): "equivalent"}), RANKS)
    assert (found.kind, found.bars) == ("letters", ())
    assert found.letters == ("a", "b", "ac", "c")


def test_letters_follow_the_ranks():
    found = group(states(4, {(0, 2): "undecided"}), RANKS[::-1])
    assert found.ties == ((3,), (2,), (1,), (0,))
    assert found.letters == ("b", "c", "b", "a")


def test_a_bar_takes_all_of_equal_rank():
    ranks = np.array([1.0, 1.0, 2.0])
    together = dict.fromkeys([(0, 1), (0, 2), (1, 2)], "undecided")
    assert group(states(3, together), ranks).bars == ((0, 1, 0),)
    # 1 and 2 differ: a bar from 0 to 2 would run over the stem of 1 as well.
    assert group(states(3, {(0, 1): "undecided", (0, 2): "undecided"}), ranks).kind == "letters"
    assert group(states(3, {(0, 1): "undecided"}), ranks).bars == ((0, 0, 0),)


@pytest.mark.parametrize("seed", range(30))
def test_what_is_joined_is_what_is_not_told_apart(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 8))
    words = ["undecided", "equivalent", "first", "second", "missing"]
    chosen = {pair: words[rng.integers(5)] for pair in combinations(range(k), 2)}
    if seed % 2:  # as from a critical difference
        chosen = {(i, j): "undecided" if j - i < 3 else "first" for i, j in chosen}
    codes, ranks = states(k, chosen), np.sort(rng.integers(2, 9, k) / 2.0)
    found = group(codes, ranks if not seed % 2 else np.arange(1.0, k + 1))
    joined = np.eye(k, dtype=bool)
    for first, last, _ in found.bars:
        members = [m for tie in found.ties[first : last + 1] for m in tie]
        joined[np.ix_(members, members)] = True
    if found.kind == "letters":
        joined |= np.array([[bool(set(a) & set(b)) for a in found.letters] for b in found.letters])
    if found.kind != "control":
        same = np.isin(codes, (Verdict.UNDECIDED, Verdict.EQUIVALENT))
        assert (joined == same).all()
    assert len(found.missing) == (codes == Verdict.MISSING).sum() // 2
    assert found.kind == "bars" or not seed % 2


def test_pairs_with_a_control():
    known = {(0, 1): "undecided", (1, 2): "first", (1, 3): "second"}
    others = dict.fromkeys([(0, 2), (0, 3), (2, 3)], "missing")
    found = group(states(4, known | others), RANKS)
    assert (found.kind, found.control, len(found.missing)) == ("control", 1, 3)


def test_more_groups_than_letters():
    k = 60
    found = group(states(k, {(i, i + 2): "undecided" for i in range(k - 2)}), np.arange(k) + 1.0)
    used = set(found.letters)
    assert "(aa)" in "".join(found.letters)
    assert len(used) > 52
