"""The order in which replications are handed out."""

import numpy as np

from benchinfer.analyses.monitor.feed import Feed, natural_ranks


def test_names_are_ordered_naturally():
    names = ["fold 10", "fold 2", "1", "fold 2b", "x", "02", "2"]
    order = [names[i] for i in np.argsort(natural_ranks(names))]
    assert order == ["1", "02", "2", "fold 2", "fold 2b", "fold 10", "x"]
    assert natural_ranks(["10", "9", "1"]).tolist() == [2, 1, 0]


def test_each_replication_is_handed_out_once(draw, table):
    scores = table(draw(23, {"a": 0.0, "b": 0.0}, datasets=2))
    feed, both = Feed(scores.blocks(), 10), np.array([True, True])
    first, second = (feed.take(both, 10, complete=True) for _ in range(2))
    assert feed.take(both, 10, complete=True) is None
    rest = feed.take(both, 10, complete=False)
    names = [feed.name(row) for part in (first, second, rest) for row in part[1]]
    assert names == [str(i) for i in range(1, 24)]
    assert feed.take(both, 10, complete=False) is None


def test_a_hole_holds_up_what_comes_after_it(draw, table):
    rows = draw(23, {"a": 0.0, "b": 0.0})
    rows = rows[(rows["algorithm"] == "a") | (rows["replication"] != 5)]
    feed, both = Feed(table(rows).blocks(), 10), np.array([True, True])
    assert feed.take(both, 10, complete=True) is None
    part = feed.take(both, 10, complete=False)
    assert [feed.name(row) for row in part[0]] == ["1", "2", "3", "4"]
    lacking = feed.lacking(both, feed.size)[0]
    assert [feed.name(row) for row in lacking[0]] == ["5"]
    assert lacking[1].tolist() == [1]
    # Of a alone nothing lacks.
    assert len(feed.take(np.array([True, False]), 10, complete=True)[0]) == 10
