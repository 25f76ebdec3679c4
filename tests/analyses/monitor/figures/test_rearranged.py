"""P-values in random orders."""

import numpy as np

import benchinfer as bi
from benchinfer.analyses.monitor import figures


def test_what_owes_most_to_the_order_comes_first(running):
    scores = running(60, {"a": 0.0, "b": 0.3, "c": 3.0})
    found = bi.monitor(scores, stage=20).consecutive(scores, permutations=40, seed=1)
    laid = figures.layout_rearranged(found)
    assert laid.panels[0].label == "b vs a"  # the better-ranked first
    shares = found.summary().iloc[0]
    assert 0.05 < shares["share_second"] < 0.95
    assert f"b better in {100 * shares['share_second']:.0f} % of orders" in laid.panels[0].note
    np.testing.assert_array_equal(laid.panels[0].p, found.orders[0].p)
    assert laid.panels[1].note.endswith("better in 100 % of orders")
    figure = bi.plot(found)
    assert figure.get_label() == laid.alt
    assert len(figure.axes[0].child_axes) == 3


def test_no_difference_in_any_order(running):
    scores = running(40, {"a": 0.0, "b": 0.0}, seed=5)
    found = bi.monitor(scores, stage=20).consecutive(scores, permutations=5, seed=1)
    laid = figures.layout_rearranged(found)
    assert laid.panels[0].note == "no difference found in any order"
    assert laid.reach[0] < found.alpha
