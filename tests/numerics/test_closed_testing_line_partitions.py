import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.numerics import closed_testing


@given(st.lists(st.integers(0, 12), min_size=2, max_size=9).map(sorted), st.integers(0, 12))
def test_as_for_the_graph_of_near_pairs(places, reach):
    place = np.array(places)
    near = np.abs(place[:, None] - place) <= reach
    first, second = np.nonzero(np.triu(near, 1))
    counted = closed_testing.most_together_on_line(place, first, second, np.full(len(first), reach))
    expected = closed_testing.most_together(near)[first, second]
    np.testing.assert_array_equal(counted, expected)


def test_many_questions_are_asked_in_slices(monkeypatch):
    place = np.arange(6) * 2
    first, second = np.triu_indices(6, 1)
    reach = np.full(len(first), 10)
    whole = closed_testing.most_together_on_line(place, first, second, reach)
    monkeypatch.setattr(closed_testing, "_SLICE", 4)
    sliced = closed_testing.most_together_on_line(place, first, second, reach)
    np.testing.assert_array_equal(sliced, whole)
    assert (whole == 15).all()
