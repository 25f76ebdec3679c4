import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.figures import datasets


def test_boxes_are_the_quantiles(mixed):
    setting, laid = mixed.setting, datasets.layout_distributions(mixed.setting)
    low, high = np.nanmin(setting.quantiles), np.nanmax(setting.quantiles)
    for panel in laid.panels:
        k = setting.algorithms.index(panel.label)
        rows = [setting.coverage.datasets.index(name) for name in laid.labels]
        np.testing.assert_allclose(panel.boxes * (high - low) + low, setting.quantiles[rows, k])


def test_best_algorithm_first(mixed):
    laid = datasets.layout_distributions(mixed.setting)
    best = mixed.summary().sort_values("rank")["algorithm"].iloc[0]
    assert laid.panels[0].label == best


def test_log_scale(seconds):
    laid, q = datasets.layout_distributions(seconds.setting), np.log(seconds.setting.quantiles)
    k = seconds.algorithms.index(laid.panels[0].label)
    rows = [seconds.setting.coverage.datasets.index(name) for name in laid.labels]
    expected = (q[rows, k] - q.min()) / (q.max() - q.min())
    np.testing.assert_allclose(laid.panels[0].boxes, expected)


def test_narrow_panels_start_new_lines(seconds):
    laid = datasets.layout_distributions(seconds.setting, 3.3)
    assert (laid.columns, laid.bands) == (2, 3)
    assert len({(panel.left, panel.top) for panel in laid.panels}) == 6


def test_empty_cells_stay_empty(nasty):
    laid = datasets.layout_distributions(nasty.setting)
    assert sum(int(np.isnan(panel.boxes).all(axis=1).sum()) for panel in laid.panels) == 1


def test_ticks_are_within_the_panel(mixed):
    laid = datasets.layout_distributions(mixed.setting)
    for panel in laid.panels:
        assert 1 <= len(panel.ticks) <= 4
        assert all(0 <= at <= 1 for at, _ in panel.ticks)


def below(figure):
    return figure.get_supxlabel()


def off_scale(scale, border):
    rows = [("d", a, r, border if (a, r) == ("a", 0) else 0.2 * r + 0.1) for a in "ab"
            for r in range(4)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "value"])
    return bi.read_scores(frame, measures=bi.Measure("value", "lower", 0.05, scale))


@pytest.mark.parametrize(("scale", "border"), [("log", 0.0), ("log", -1.0), ("logit", 0.0),
                                              ("logit", 1.0)])  # fmt: skip
def test_scores_off_the_scale_are_drawn_on_a_linear_axis(scale, border):
    scores = off_scale(scale, border)
    assert ("linear axis: not all scores are above 0" in below(bi.plot(scores))) == (scale == "log")
    laid = datasets.layout_distributions(Setting.of(scores)[0])
    boxes = np.stack([panel.boxes for panel in laid.panels])
    assert np.isfinite(boxes).all()
    assert 0 <= boxes.min() <= boxes.max() <= 1


def test_a_log_axis_is_not_called_linear(seconds):
    assert not any(
        "linear" in note for note in datasets.layout_distributions(seconds.setting).notes
    )


def test_boxes_within_data_sets_are_the_quantiles_on_an_axis_of_their_own(mixed):
    setting, laid = mixed.setting, datasets.layout_boxes(mixed.setting)
    assert len(laid.panels) == len(setting.coverage.datasets)
    for panel in laid.panels:
        own = setting.quantiles[setting.coverage.datasets.index(panel.label)]
        at = [setting.algorithms.index(name) for name in laid.labels]
        expected = (own[at] - own.min()) / np.ptp(own)
        np.testing.assert_allclose(panel.boxes, expected, atol=1e-12)
        middle = (np.median(own[:, 2]) - own.min()) / np.ptp(own)
        np.testing.assert_allclose(panel.middle, np.full(len(at), middle), atol=1e-12)


def test_boxes_within_data_sets_are_of_the_algorithms_that_are_asked_for(mixed):
    laid = datasets.layout_boxes(mixed.setting, top=2, order=("alg3", "alg1"), algorithms=["alg1"])
    assert (laid.labels, len(laid.panels)) == (("alg1",), 2)
    assert f"2 of {len(mixed.setting.coverage.datasets)} data sets" in laid.notes
