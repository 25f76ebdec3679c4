"""Points of consecutive significance, and random orders."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.monitor.reordering import consecutive_point, quartiles
from benchinfer.analyses.monitor.stagewise import fixed_p


@pytest.mark.parametrize(
    ("p", "point"),
    [((0.2, 0.04, 0.06, 0.03, 0.01), 4), ((0.01, 0.02), 1), ((0.01, 0.2), np.inf)],
)
def test_points_by_their_definition(p, point):
    assert consecutive_point(np.array(p), 0.05) == point


def test_point_of_t_tests():
    d = np.array([2, 1, 3, -1, 2, 4, 0, 3, 1, 2, 2, 3, -2, 1, 5, 2, 1, 3, 2, 0]) / 100
    p = fixed_p(d[None], "t", (1,))
    np.testing.assert_allclose(p[:4], [1, 0.102416382349567, 0.037089950113724, 0.119721299318001])
    assert consecutive_point(p, 0.05) == 6


def test_quartiles_are_observed_points():
    assert quartiles(np.array([3.0, 7.0, np.inf, 5.0])).tolist() == [3.0, 5.0, 7.0]
    assert quartiles(np.array([3.0, np.inf, np.inf])).tolist() == [3.0, np.inf, np.inf]


@pytest.mark.parametrize("method", ["recursive", "anytime", "group-sequential"])
@pytest.mark.parametrize("test", ["t", "signed-rank", "sign-flip"])
def test_clear_differences_are_found_in_any_order(draw, table, method, test):
    scores = table(draw(60, {"a": 0.0, "b": 2.0, "c": 0.0}))
    found = bi.monitor(scores, method=method, test=test, stage=20)
    whole = found.consecutive(scores, permutations=20, seed=1)
    orders = whole.summary().set_index(["first", "second"])
    clear = orders.loc[("a", "b")]
    assert clear["share_second"] == 1.0
    assert clear["share_first"] == 0.0
    assert clear["q25"] <= clear["median"] <= clear["q75"] < 20
    assert orders.loc[("a", "c"), "share_first"] < 0.5
    again = found.consecutive(scores, permutations=20, seed=1)
    assert whole.summary().equals(again.summary())


def test_another_table_is_refused(draw, table):
    found = bi.monitor(table(draw(60, {"a": 0.0, "b": 2.0})))
    with pytest.raises(bi.DesignError, match="not the scores that were monitored"):
        found.consecutive(table(draw(61, {"a": 0.0, "b": 2.0})))
