"""Ties: chained within rows, each row by its own scores, and the same in any unit."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchinfer.analyses.permutation.numerics import blocks
from benchinfer.analyses.permutation.numerics.blocks import lay_out
from benchinfer.analyses.wins.numerics.tally import count
from benchinfer.numerics import ties


def groups_by_hand(row, within):
    """Number the chains of ties of a short row, by going through all of it."""
    reach = {value: max(within[row == value]) for value in row}
    label = dict.fromkeys(sorted(reach), 0)
    for before, now in pairwise(label):
        label[now] = label[before] + (now - before > max(reach[now], reach[before]))
    return np.array([label[value] for value in row])


def rough(rng, shape):
    """Simulate scores of five values, which rounding tells apart here and there."""
    return rng.integers(1, 6, shape) / 4 * (1 + rng.integers(0, 3, shape) * 2e-13)


def test_chains_are_within_rows_and_transitive():
    step = 1 + 0.9e-12
    table = np.array([[1.0, step, step**2, step**3], [0.0, 0.5, 0.5 * step, 1.0]])
    found = ties.joined_rows(table)
    assert found[0].tolist() == [1.0] * 4
    assert found[1].tolist() == [0.0, 0.5, 0.5, 1.0]


@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_joined_scores_are_those_of_a_loop(gaps):
    rng = np.random.default_rng(4)
    table = rough(rng, (40, 7)) * 10.0 ** rng.integers(-9, 9, (40, 1))
    table[rng.random(table.shape) < gaps] = np.nan
    within = ties.rounding(table) * rng.choice([0.3, 3.0], table.shape)
    for asked, reach in ((None, ties.rounding(table)), (within, within)):
        found = ties.joined_rows(table, asked)
        for row, its, joined in zip(table, reach, found, strict=True):
            held = np.isfinite(row)
            label = groups_by_hand(row[held], its[held])
            expected = [row[held][label == chain].min() for chain in label]
            assert joined[held].tolist() == expected
            assert np.isnan(joined[~held]).all()
        # The same of rows of unequal length, one after the other.
        held = np.isfinite(table)
        group = np.nonzero(held)[0]
        mixed = rng.permutation(len(group))
        again = ties.joined(table[held][mixed], reach[held][mixed], group[mixed])
        assert again.tolist() == found[held][mixed].tolist()


@pytest.mark.parametrize("unit", [1.0, 1e-7, 3e8])
@pytest.mark.parametrize("zero", [0.0, 100.0])
def test_ranks_and_wins_tie_alike_in_any_unit(unit, zero):
    rng = np.random.default_rng(5)
    table = rng.integers(1, 6, (30, 4)) / 4 * (1 + rng.integers(0, 2, (30, 4)) * 1e-13)
    layout = lay_out(np.repeat(np.arange(30), 4), np.tile(np.arange(4), 30), 4)
    exact = ties.midranks(np.rint(4 * table).ravel(), 0.0, layout.blocks)
    ranks = blocks.score((unit * (table + zero)).ravel(), layout, "ranks")
    assert ranks.tied == exact.tied
    assert (ranks.values == exact.values).all()
    tally = count(unit * (table + zero), np.arange(30), tie=0.0)
    place = ranks.values.reshape(30, 4)
    for p, (i, j) in enumerate(tally.pairs):
        assert (tally.ties[:, p] == (place[:, i] == place[:, j])).all()
        assert (tally.wins[:, p] == (place[:, i] > place[:, j])).all()


def test_a_tolerance_is_met_up_to_rounding():
    values = np.array([[0.3, 0.1, 0.5], [3e8, 1e8, 5e8]])
    for row, tie in zip(values, (0.2, 2e8), strict=True):
        assert count(row[None], np.zeros(1, int), tie=tie).ties.tolist() == [[1, 1, 0]]
        assert count(row[None], np.zeros(1, int), tie=tie * (1 - 1e-9)).ties.sum() == 0


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([1e15, -1e15, 1e-300, 3.9e14]))
def test_one_score_changes_no_tie_elsewhere(seed, other):
    rng = np.random.default_rng(seed)
    b, k = int(rng.integers(2, 9)), int(rng.integers(3, 8))
    table = rough(rng, (b, k)) * 10.0 ** rng.integers(-6, 7)
    changed, row, column = table.copy(), int(rng.integers(b)), int(rng.integers(k))
    changed[row, column] = other
    rest = np.delete(np.arange(k), column)
    for rows in (ties.joined_rows, ties.ranked_rows):
        before, after = rows(table), rows(changed)
        assert np.delete(before, row, 0).tolist() == np.delete(after, row, 0).tolist()

        def same(ranks):
            return ranks[row, rest][:, None] == ranks[row, rest]

        # In its own row no two others are newly tied; the score may have tied them by its chain.
        assert (same(after) <= same(before)).all()
    layout = lay_out(np.repeat(np.arange(b), k), np.tile(np.arange(k), b), k)
    before, after = (blocks.score(x.ravel(), layout, "ranks").values for x in (table, changed))
    others = layout.blocks != row
    assert before[others].tolist() == after[others].tolist()
    before, after = (count(x, np.arange(b), tie=0.0) for x in (table, changed))
    for name in ("wins", "ties", "losses"):
        one, two = getattr(before, name), getattr(after, name)
        assert np.delete(one, row, 0).tolist() == np.delete(two, row, 0).tolist()


@pytest.mark.parametrize("unit", [1000.0, 2.0**-40, 2.0**200])
def test_a_unit_changes_no_tie(unit):
    rng = np.random.default_rng(8)
    table = rough(rng, (200, 9))
    table[::7] *= -1
    found = ties.ranked_rows(table)
    np.testing.assert_array_equal(ties.ranked_rows(unit * table), found)
    np.testing.assert_array_equal(ties.ranked_rows(-unit * table), 10 - found)


def test_last_digits_are_ties_however_small_the_scores():
    for unit in (1.0, 1e-200, 1e200):
        pair = unit * np.array([0.1 + 0.2, 0.3])
        assert len(np.unique(ties.joined_rows(pair[None]))) == 1
        assert ties.differences(*pair[:, None]).tolist() == [0.0]
    assert ties.differences(np.array([1.0]), np.array([1 - 1e-11])) > 0


def test_infinities_tie_with_each_other_alone():
    table = np.array([[np.inf, 1.0, np.inf, -np.inf, np.nan, 1e300]])
    np.testing.assert_array_equal(ties.joined_rows(table), table)
    np.testing.assert_array_equal(ties.ranked_rows(table), [[4.5, 2, 4.5, 1, np.nan, 3]])


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e9])
def test_levels_that_rounding_tells_apart_are_joined(size):
    rng = np.random.default_rng(1)
    # Wherever the last digits fall, on a boundary of rounded numbers, too.
    for middle in [*rng.random(50), 0.5 + 0.5e-12]:
        levels = size * np.array([1.0, middle, np.nextafter(middle, 1), middle - 3e-16, -np.inf])
        joined = ties.joined_levels(levels)
        assert joined[1] == joined[2] == joined[3]
        assert joined[0] == levels[0]
        assert joined[4] == -np.inf
    apart = size * np.array([1.0, 1 - 1e-9, np.nan])
    np.testing.assert_array_equal(ties.joined_levels(apart), apart)
    # One level far off ties no others; 0 has the digits of the others.
    far = size * np.array([1e15, 0.5, 0.7, 0.5 * (1 + 1e-14)])
    assert len(np.unique(ties.joined_levels(far))) == 3
    zero = size * np.array([1.0, 0.0, 1e-17, -2.0])
    assert len(np.unique(ties.joined_levels(zero))) == 3


def test_ranks_within_rows_tie_what_rounding_tells_apart():
    table = np.array([[0.3, 0.1 + 0.2, 0.5, 0.1], [4.0, 3.0, 1.0, 2.0]])
    expected = [[2.5, 2.5, 4, 1], [4, 3, 1, 2]]
    np.testing.assert_array_equal(ties.ranked_rows(table), expected)
    np.testing.assert_array_equal(ties.ranked_rows(7 - table), 5 - np.array(expected))
