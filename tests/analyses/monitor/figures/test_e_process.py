"""E-processes on a logarithmic axis."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.monitor import figures
from benchinfer.core.errors import DesignError


def test_lines_are_those_of_the_path(running):
    found = bi.monitor(running(60, {"a": 0.0, "b": 0.1, "c": 1.0}), method="anytime")
    laid = figures.layout_e_process(found)
    assert laid.limits == pytest.approx((60, 20))
    path = found.pairs.in_order(found.path())  # the better-ranked first
    for panel in laid.panels:
        first, second = panel.label.split(" vs ")
        mine = path[(path["first"] == first) & (path["second"] == second)]
        np.testing.assert_allclose(panel.log10_e, mine["log_e"] / np.log(10))
        np.testing.assert_array_equal(panel.n, mine["n"])
    assert laid.panels[0].label == "b vs a"  # goes on
    assert laid.reach[1] > np.log10(60)


def test_capital_far_beyond_the_limits_leaves_them_visible(running):
    for shift, beyond in ((0.5, False), (9.0, True)):
        found = bi.monitor(running(100, {"a": 0.0, "b": 0.1, "c": shift}), method="anytime")
        laid = figures.layout_e_process(found)
        assert laid.reach[1] <= np.log10(60) + 9
        assert any(panel.log10_e[-1] > laid.reach[1] for panel in laid.panels) == beyond
        assert ("triangle: beyond the axis" in laid.notes) == beyond
        (ax,) = bi.plot(found, "e-process").axes
        ends = [inside.lines[-1] for inside in ax.child_axes]
        assert ("^" in [end.get_marker() for end in ends]) == beyond
        assert max(end.get_ydata()[-1] for end in ends) < laid.reach[1]


def test_one_pair_has_one_limit(running):
    found = bi.monitor(running(30, {"a": 0.0, "b": 0.1}), method="anytime")
    laid = figures.layout_e_process(found)
    assert laid.limits[0] == laid.limits[1]
    assert laid.notes[0].startswith("dashed: at 20 the pair is decided")
    (ax,) = bi.plot(found, "e-process").axes
    (inside,) = ax.child_axes
    assert len(inside.lines) == 4  # one, the limit, the line and its end


def test_evidence_of_data_sets(running):
    found = bi.monitor(running(30, {"a": 0.0, "b": 0.1}, datasets=3), method="anytime")
    (panel,) = figures.layout_e_process(found).panels
    ends = [log10_e[-1] for _, log10_e in panel.each]
    expected = found.stages()["log_e_dataset"] / np.log(10)
    np.testing.assert_allclose(ends, expected)


def test_stages_have_none(running):
    found = bi.monitor(running(60, {"a": 0.0, "b": 0.1}))
    for kind in ("e-process", "sequence"):
        with pytest.raises(DesignError, match='"path" is the figure of stages'):
            bi.plot(found, kind)
