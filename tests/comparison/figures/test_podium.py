import itertools

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.comparison.figures import datasets
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.core.verdict import Verdict


def test_each_data_set_has_its_order_and_the_verdicts_about_neighbours(local):
    laid = datasets.layout_podium(local)
    assert sorted(laid.rows) == sorted(local)
    for row, name in enumerate(laid.rows):
        result = local[name]
        best = np.argsort(-result.levels.estimate)
        places = sorted((p for p in laid.places if p.row == row), key=lambda p: p.column)
        assert [p.text for p in places] == [result.algorithms[i] for i in best]
        states = result.relation().states
        told = {b.column: b.verdict for b in laid.breaks if b.row == row}
        pairs = itertools.pairwise(best)
        assert [told[n] for n in range(3)] == [states[i, j] for i, j in pairs]


def test_lower_is_better_where_it_is():
    table = bi.load_example("sklearn_bootstrap")
    found = bi.per_dataset(bi.compare_points, table, "seconds")
    laid = datasets.layout_podium(found)
    name = laid.rows[0]
    first = next(p.text for p in laid.places if (p.row, p.column) == (0, 0))
    summary = found[name].summary()
    assert first == summary.loc[summary["estimate"].idxmin(), "algorithm"]
    assert {b.verdict for b in laid.breaks} <= {Verdict.FIRST, Verdict.EQUIVALENT}


def test_names_without_room_become_numbers_with_a_key(local):
    wide, narrow = datasets.layout_podium(local), datasets.layout_podium(local, 3.3)
    texts = {p.text for p in wide.places}
    assert texts == set(next(iter(local.values())).algorithms)
    if narrow.notes[-1] != wide.notes[-1]:
        assert {p.text for p in narrow.places} == {"1", "2", "3", "4"}
        assert all(name in narrow.notes[-1] for name in texts)


def test_nothing_to_draw():
    with pytest.raises(bi.DesignError, match="no data set was compared"):
        datasets.layout_podium(Comparisons({}))
