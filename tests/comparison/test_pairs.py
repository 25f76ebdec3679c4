"""What is read off the verdicts on pairs, against a plain count over tables of verdicts."""

import itertools

import numpy as np
import pytest

from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.core.verdict import Verdict

NAMES = ("a", "b", "c", "d")


def pairs_of(codes, quality=(4.0, 3.0, 2.0, 1.0), **options):
    index = np.array([*itertools.combinations(range(4), 2)])
    sides = tuple((NAMES[i], NAMES[j]) for i, j in index)
    codes = np.array(codes, np.int8)
    return ComparedPairs(NAMES, 0.0, index, codes, sides, np.array(quality), **options)


@pytest.mark.parametrize("seed", range(60))
def test_ranks_and_the_best_are_counts_of_verdicts(seed):
    codes = np.random.default_rng(seed).integers(1, 5, 6)
    pairs = pairs_of(codes)
    beaten, beats = dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, 0)
    for (first, second), code in zip(pairs.sides, codes, strict=True):
        winner = {Verdict.FIRST: first, Verdict.SECOND: second}.get(code)
        if winner:
            beats[winner] += 1
            beaten[second if winner == first else first] += 1
    assert pairs.possible_ranks == {n: (1 + beaten[n], 4 - beats[n]) for n in NAMES}
    assert pairs.may_be_best.tolist() == [beaten[n] == 0 for n in NAMES]
    assert pairs.decided.tolist() == [code >= Verdict.FIRST for code in codes]
    if pairs.may_be_best.any():
        assert 1 in {low for low, _ in pairs.possible_ranks.values()}


def test_the_order_is_of_levels_then_of_verdicts_then_of_names():
    codes = [Verdict.UNDECIDED] * 5 + [Verdict.SECOND]
    assert pairs_of(codes, (1.0, 2.0, 3.0, 3.0)).ranking == ("d", "c", "b", "a")
    assert pairs_of([Verdict.UNDECIDED] * 6, (1.0, 1.0, 1.0, np.nan)).ranking == NAMES


def test_rows_are_turned_unless_sides_keep_their_places():
    codes, quality = [Verdict.FIRST] * 6, (1.0, 2.0, 3.0, 4.0)
    assert pairs_of(codes, quality).oriented()[5] == ("d", "c")
    assert pairs_of(codes, quality, directed=True).oriented()[5] == ("c", "d")
    assert pairs_of(codes, quality, names=tuple("uvwxyz")).oriented()[5] == ("c", "d")


def test_averages_have_no_relation():
    index = np.array([[0, -1], [1, 2]])
    sides = (("a", "mean of all"), ("b", "c"))
    codes = np.array([Verdict.FIRST, Verdict.FIRST], np.int8)
    pairs = ComparedPairs(NAMES, 0.0, index, codes, sides, np.arange(4.0))
    assert pairs.averages
    assert pairs.real.tolist() == [False, True]
    assert np.argwhere(pairs.better).tolist() == [[1, 2]]
    assert pairs.letters() == {}
