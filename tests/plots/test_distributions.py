import numpy as np

from benchinfer.plots import distributions


def test_boxes_are_the_quantiles(mixed):
    setting, laid = mixed.setting, distributions.layout(mixed.setting)
    low, high = np.nanmin(setting.quantiles), np.nanmax(setting.quantiles)
    for panel in laid.panels:
        k = setting.algorithms.index(panel.label)
        rows = [setting.coverage.datasets.index(name) for name in laid.datasets]
        np.testing.assert_allclose(panel.boxes * (high - low) + low, setting.quantiles[rows, k])


def test_best_algorithm_first(mixed):
    laid = distributions.layout(mixed.setting)
    best = mixed.summary().sort_values("rank")["algorithm"].iloc[0]
    assert laid.panels[0].label == best


def test_log_scale(seconds):
    laid, q = distributions.layout(seconds.setting), np.log(seconds.setting.quantiles)
    k = seconds.algorithms.index(laid.panels[0].label)
    rows = [seconds.setting.coverage.datasets.index(name) for name in laid.datasets]
    expected = (q[rows, k] - q.min()) / (q.max() - q.min())
    np.testing.assert_allclose(laid.panels[0].boxes, expected)


def test_narrow_panels_start_new_lines(seconds):
    laid = distributions.layout(seconds.setting, "narrow")
    assert (laid.columns, laid.bands) == (2, 3)
    assert len({(panel.left, panel.top) for panel in laid.panels}) == 6


def test_empty_cells_stay_empty(nasty):
    laid = distributions.layout(nasty.setting)
    assert sum(int(np.isnan(panel.boxes).all(axis=1).sum()) for panel in laid.panels) == 1


def test_ticks_are_within_the_panel(mixed):
    laid = distributions.layout(mixed.setting)
    assert 1 <= len(laid.ticks) <= 4
    assert all(0 <= at <= 1 for at, _ in laid.ticks)
