import numpy as np
import pytest

from benchinfer.analyses.bayes import figures
from benchinfer.plots import tiles

SHARES = np.array([[0.1, 0.9, 0.0], [0.9, 0.1, 0.0], [0.0, 0.0, 1.0]])


def test_rows_stand_by_mean_position_and_zeros_are_empty():
    laid = tiles.layout_of(["a", "b", "c"], SHARES)
    assert laid.rows == ("b", "a", "c")
    assert laid.columns == ("1", "2", "3")
    values = {(laid.rows[t.row], int(laid.columns[t.column])): t.share for t in laid.tiles}
    assert values == {("a", 1): 0.1, ("a", 2): 0.9, ("b", 1): 0.9, ("b", 2): 0.1, ("c", 3): 1.0}
    assert laid.numbered
    assert "b mostly 1 (90 %)" in laid.alt


def test_many_algorithms_have_shades_alone():
    laid = tiles.layout_of([f"a{i}" for i in range(40)], np.eye(40))
    assert not laid.numbered
    assert tiles.size_chances(laid)[0] == 6.9


@pytest.mark.slow
def test_ranks_are_of_what_verdicts_are_about(sampled):
    for result, ranks, where in (
        (sampled, sampled.ranks, "on a typical data set"),
        (sampled.of("next"), sampled.ranks_following, "on the next data set"),
    ):
        laid = figures.layout_ranks(result)
        assert laid.title == f"Probabilities of ranks {where}"
        values = np.zeros((4, 4))
        for tile in laid.tiles:
            values[sampled.algorithms.index(laid.rows[tile.row]), tile.column] = tile.share
        np.testing.assert_array_equal(values, ranks.distribution)
        assert laid.notes[0].startswith("across: rank")
