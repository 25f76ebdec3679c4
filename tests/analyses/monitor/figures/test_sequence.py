"""Confidence sequences as they narrow."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.monitor import figures
from benchinfer.analyses.monitor.sections import standing
from benchinfer.core.errors import DesignError
from benchinfer.core.sections import Request


@pytest.mark.parametrize("scale", ["identity", "log"])
def test_bands_are_those_of_the_path(running, scale):
    scores = running(80, {"a": 0.0, "b": 0.4}, tolerance=0.1, scale=scale)
    found = bi.monitor(scores, method="anytime")
    laid = figures.layout_sequence(found)
    (panel,) = laid.panels
    assert panel.label == "b vs a"  # the better-ranked first; stored pairs keep their order
    path = found.pairs.in_order(found.path())
    np.testing.assert_allclose(panel.low, path["conf_low"], rtol=1e-12)
    np.testing.assert_allclose(panel.high, path["conf_high"], rtol=1e-12)
    row = found.contrasts(order="result", all=True).iloc[0]
    assert panel.estimate == pytest.approx(row["estimate"], rel=1e-12)
    assert laid.reach[0] < row["conf_low"] < row["conf_high"] < laid.reach[1]
    assert laid.log == (scale == "log")
    expected = (-0.1, 0.1) if scale == "identity" else (1 / 1.1, 1.1)
    assert laid.tolerance == pytest.approx(expected)
    assert any("which do not matter" in note for note in laid.notes)
    assert bi.plot(found, "sequence").get_label() == laid.alt


def test_intervals_that_are_still_open_say_nothing(running):
    found = bi.monitor(running(3, {"a": 0.0, "b": 0.1}), method="anytime")
    with pytest.raises(DesignError, match='"e-process"'):
        bi.plot(found, "sequence")
    assert [figure.kind for figure in standing(found, Request()).figures] == ["e-process"]


def test_pairs_without_any_bound_have_no_panel(running):
    means = {name: 0.2 * i for i, name in enumerate("abcde")}
    found = bi.monitor(running(40, means), method="anytime")
    low, high = (ends.copy() for ends in (found.course.low, found.course.high))
    low[2:], high[2:] = -np.inf, np.inf
    found = replace(found, course=replace(found.course, low=low, high=high))
    laid = figures.layout_sequence(found)
    sides = {frozenset(panel.label.split(" vs ")) for panel in laid.panels}
    assert sides == {frozenset(pair) for pair in found.pairs.sides[:2]}
    assert "8 pairs without any bound yet" in laid.notes


def test_bets_on_a_mean_have_one_too():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.random(20), "b": rng.random(20)})
    scores = bi.read_scores(
        frame.rename_axis("replication").reset_index(),
        layout="wide-algorithms",
        measures=bi.Measure("acc", "higher", bounds=(0, 1)),
        resampling=bi.Resampling("independent", paired=True),
    )
    found = bi.monitor(scores, method="anytime", null="mean")
    (panel,) = figures.layout_sequence(found).panels
    row = found.contrasts(order="result", all=True).iloc[0]
    assert (panel.low[-1], panel.high[-1]) == (row["conf_low"], row["conf_high"])
    assert -1 <= panel.low[0] <= panel.low[-1] < panel.high[-1] <= panel.high[0] <= 1
    assert bi.plot(found, "sequence").axes
