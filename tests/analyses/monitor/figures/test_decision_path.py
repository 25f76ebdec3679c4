"""Stages and looks between their boundaries."""

import numpy as np
import pytest
from scipy.stats import norm

import benchinfer as bi
from benchinfer.analyses.monitor import figures
from benchinfer.analyses.monitor.stagewise import bounds_of
from benchinfer.core.errors import DesignError


def test_points_and_zones_are_the_p_values_and_boundaries_of_the_stages(running):
    found = bi.monitor(running(120, {"a": 0.0, "b": 0.05}))
    laid = figures.layout_decision_path(found)
    (panel,) = laid.panels
    stages = found.stages()
    for side, name in zip((1, -1), panel.names, strict=True):
        rows = stages[stages["side"] == name]
        (zone,) = [zone for zone in panel.zones if zone.side == side]
        known = zone.stages <= rows["stage"].max()
        np.testing.assert_allclose(side * panel.z, norm.isf(rows["p_stage"]), rtol=1e-9)
        np.testing.assert_allclose(zone.reject[known], norm.isf(rows["reject_at"]))
        np.testing.assert_allclose(zone.futile[known], norm.isf(rows["accept_above"]))
        assert zone.stages.tolist() == [1, 2, 3]  # the next one is known as well
    assert laid.last == 5
    assert laid.reach > max(zone.reject.max() for zone in panel.zones)
    assert "*" in panel.note
    assert any("provisional" in note for note in laid.notes)


def test_looks_have_all_their_boundaries_from_the_start(running):
    found = bi.monitor(running(100, {"a": 0.0, "b": 0.05}), method="group-sequential")
    (panel,) = figures.layout_decision_path(found).panels
    assert panel.names == ("b", "a")  # the better-ranked first; stored pairs keep their order
    np.testing.assert_allclose(panel.z, -found.stages()["statistic"])
    for zone in panel.zones:
        np.testing.assert_allclose(zone.reject, bounds_of(found.design))
        assert np.isnan(zone.futile).all()


def test_the_last_stage_does_not_stop_for_futility(running):
    found = bi.monitor(running(100, {"a": 0.0, "b": 0.05}), stage=20)
    (panel,) = figures.layout_decision_path(found).panels
    assert any(np.isnan(zone.futile[-1]) for zone in panel.zones if zone.stages[-1] == 5)
    assert "*" not in panel.note


def test_data_sets_by_themselves(running):
    scores = running(100, {"a": 0.0, "b": 0.05}, datasets=3)
    for method, name in (("recursive", "p_dataset"), ("group-sequential", "statistic_dataset")):
        found = bi.monitor(scores, method=method)
        (panel,) = figures.layout_decision_path(found).panels
        assert panel.each.shape == (3, len(panel.stages))
        rows = found.stages()
        rows = rows[rows["side"] == "a"] if "side" in rows else rows
        first = rows[rows["stage"] == 1][name]
        towards_a = norm.isf(first) if name == "p_dataset" else first
        expected = towards_a if panel.names[0] == "a" else -towards_a
        np.testing.assert_allclose(panel.each[:, 0], expected, rtol=1e-9)


def test_pairs_that_go_on_come_first_and_the_rest_is_counted(running):
    means = {"a": 0.0, "b": 0.0, "c": 3.0, "d": 6.0}
    found = bi.monitor(running(50, means))
    laid = figures.layout_decision_path(found)
    assert laid.panels[0].label == "a vs b"
    assert len(laid.panels) == 6
    five = bi.monitor(running(50, {**means, "e": 9.0}))
    laid = figures.layout_decision_path(five)
    assert len(laid.panels) == 6
    assert any(note.startswith("6 of 10 pairs") for note in laid.notes)


def test_one_direction_has_one_zone(running):
    scores = running(60, {"a": 0.0, "b": 1.0})
    (panel,) = figures.layout_decision_path(
        bi.monitor(scores, alternative="worse", stage=20)
    ).panels
    assert [zone.side for zone in panel.zones] == [-1]
    assert (panel.z < 0).all()


def test_before_the_first_stage(running):
    found = bi.monitor(running(20, {"a": 0.0, "b": 1.0}))
    (panel,) = figures.layout_decision_path(found).panels
    assert len(panel.z) == 0
    assert panel.note == "nothing was looked at yet"
    assert panel.zones[0].stages.tolist() == [1]
    assert bi.plot(found, "path").axes


def test_e_processes_have_none(running):
    found = bi.monitor(running(20, {"a": 0.0, "b": 1.0}), method="anytime")
    with pytest.raises(DesignError, match="no boundaries of stages"):
        bi.plot(found, "path")
