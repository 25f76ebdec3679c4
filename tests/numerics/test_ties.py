"""Ties: chained within rows, and the same in any unit."""

from itertools import pairwise

import numpy as np
import pytest

from benchinfer.analyses.permutation.numerics import blocks
from benchinfer.analyses.permutation.numerics.blocks import lay_out
from benchinfer.analyses.wins.numerics.tally import count
from benchinfer.numerics import ties


def groups_by_hand(row, within):
    """Number the chains of ties of a short row, by going through all of it."""
    order = sorted(range(len(row)), key=row.__getitem__)
    label, chain = np.zeros(len(row), int), 0
    for before, now in pairwise(order):
        chain += row[now] - row[before] > within
        label[now] = chain
    return label


def test_chains_are_within_rows_and_transitive():
    step = 0.9e-10
    table = np.array([[0.0, step, 2 * step, 3 * step], [0.0, 0.5, 0.5 + step, 1.0]])
    found = ties.joined_rows(table)
    assert found[0].tolist() == [0.0] * 4
    assert found[1].tolist() == [0.0, 0.5, 0.5, 1.0]


def test_joined_scores_are_those_of_a_loop():
    rng = np.random.default_rng(4)
    table = rng.integers(0, 6, (40, 7)) / 5 + rng.integers(0, 4, (40, 7)) * 4e-11
    table[rng.random(table.shape) < 0.1] = np.nan
    found = ties.joined_rows(table)
    within = ties.resolution(table)
    assert within == pytest.approx(1e-10, rel=1e-6)
    for row, joined in zip(table, found, strict=True):
        there = np.isfinite(row)
        label = groups_by_hand(row[there], within)
        expected = [row[there][label == chain].min() for chain in label]
        assert joined[there].tolist() == expected
        assert np.isnan(joined[~there]).all()


@pytest.mark.parametrize(("unit", "zero"), [(1.0, 0.0), (1e-7, 0.0), (3e8, 0.0), (1.0, 100.0)])
def test_ranks_and_wins_tie_alike_in_any_unit(unit, zero):
    rng = np.random.default_rng(5)
    table = rng.integers(0, 5, (30, 4)) / 4 + rng.integers(0, 2, (30, 4)) * 1e-12
    layout = lay_out(np.repeat(np.arange(30), 4), np.tile(np.arange(4), 30), 4)
    exact = ties.midranks(np.rint(4 * table).ravel(), 0.0, layout.blocks)
    ranks = blocks.score((unit * table + zero).ravel(), layout, "ranks")
    assert ranks.tied == exact.tied
    assert (ranks.values == exact.values).all()
    tally = count(unit * table + zero, np.arange(30), tie=0.0)
    place = ranks.values.reshape(30, 4)
    for p, (i, j) in enumerate(tally.pairs):
        assert (tally.ties[:, p] == (place[:, i] == place[:, j])).all()
        assert (tally.wins[:, p] == (place[:, i] > place[:, j])).all()


def test_last_digits_are_ties_however_small_the_range():
    assert len(np.unique(ties.joined_rows(np.array([[0.1 + 0.2, 0.3]])))) == 1
    assert ties.resolution(np.array([np.nan])) == 0.0


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


def test_ranks_within_rows_tie_what_rounding_tells_apart():
    table = np.array([[0.3, 0.1 + 0.2, 0.5, 0.1], [4.0, 3.0, 1.0, 2.0]])
    expected = [[2.5, 2.5, 4, 1], [4, 3, 1, 2]]
    np.testing.assert_array_equal(ties.ranked_rows(table), expected)
    np.testing.assert_array_equal(ties.ranked_rows(7 - table), 5 - np.array(expected))
