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
        told = {at: verdict for (r, at), verdict in laid.breaks.items() if r == row}
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
    assert set(laid.breaks.values()) <= {Verdict.FIRST, Verdict.EQUIVALENT}


def test_the_first_places_are_shown_where_not_all_names_have_room(local):
    names = set(next(iter(local.values())).algorithms)
    wide, narrow = datasets.layout_podium(local), datasets.layout_podium(local, 2.0)
    assert {p.text for p in wide.places} == names
    assert (wide.positions, narrow.positions) == (4, 3)
    assert {p.column for p in narrow.places} == {0, 1, 2}
    assert max(column for _, column in narrow.breaks) == 1
    assert "the first 3 of 4 places" in narrow.notes
    few = datasets.layout_podium(local, top=2)
    assert few.rows == wide.rows[:2]
    assert few.notes[-1] == f"2 of {len(wide.rows)} data sets"


def test_nothing_to_draw():
    with pytest.raises(bi.DesignError, match="no data set was compared"):
        datasets.layout_podium(Comparisons({}))
