"""Runs that were needed, and those that were saved."""

import benchinfer as bi
from benchinfer.analyses.monitor.course import decided, runs


def test_algorithms_whose_pairs_are_decided_run_no_more(draw, table):
    scores = table(draw(100, {"a": 0.0, "b": 0.1, "c": 4.0}, datasets=2, seed=3))
    found = bi.monitor(scores, stage=20)
    # a and b use 100 replications on both data sets, c is decided after 20.
    assert found.contrasts(all=True)["n_used"].tolist() == [100, 20, 20]
    counted = runs(found)
    assert (counted.counted, counted.most, counted.planned) == (440, 440, 600)
    assert str(counted) == "440 of 600 planned runs were enough; 160 (27 %) are saved."
    assert decided(found) == [("c is better than a", 20), ("c is better than b", 20)]


def test_while_pairs_go_on(draw, table):
    scores = table(draw(40, {"a": 0.0, "b": 0.0, "c": 4.0}))
    assert str(runs(bi.monitor(scores, stage=20))) == (
        "100 runs counted so far; at most 220 of 300 will be needed, 80 (27 %) are saved."
    )
    alone = bi.monitor(scores, pairs=("a", "b"), stage=20)
    assert str(runs(alone)) == "80 runs counted so far, of at most 200."
    none = bi.monitor(scores, stage=50)
    assert str(runs(none)) == "Nothing is counted before the first stage is whole."
    any_ = bi.monitor(scores, pairs=("a", "b"), method="anytime")
    assert str(runs(any_)) == "80 runs counted so far; there is no last stage."


def test_nothing_saved(draw, table):
    found = bi.monitor(table(draw(100, {"a": 0.0, "b": 0.0}, seed=3)), stage=20)
    assert str(runs(found)) == "All 200 planned runs were needed."
