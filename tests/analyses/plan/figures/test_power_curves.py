import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.plan import figures
from benchinfer.analyses.plan.result import Plan


def test_the_design_stands_on_its_curve(table):
    plan = bi.plan(table, 0.02)
    laid = figures.layout(plan)
    own = laid.curves[0]
    assert own.label == f"{plan.n_replications} replications"
    at = np.flatnonzero(laid.across == plan.n_datasets)
    assert laid.design == (plan.n_datasets, plan.power)
    assert own.power[at] == plan.power
    assert (own.low[at], own.high[at]) == (plan.power_low, plan.power_high)
    assert (laid.floor, laid.wanted) == (plan.floor, 0.8)
    assert [curve.label for curve in laid.curves[1:]] == ["2 replications", "32 replications"]
    assert (np.diff([curve.power for curve in laid.curves], axis=1) >= -1e-12).all()
    assert "a power of 0.85 for one pair, 0.8 was wanted" in laid.alt


def test_known_variances_have_no_band():
    laid = figures.layout(bi.plan(bi.Components(4e-4, 6e-4), 0.01, n_replications=10))
    assert all(np.array_equal(curve.low, curve.high) for curve in laid.curves)
    assert "shaded" not in laid.notes[0]


def test_given_data_sets_are_planned_over_replications(table):
    plan = bi.plan(table, 0.01, target="datasets")
    laid = figures.layout(plan)
    assert laid.axis == "number of replications per data set"
    assert laid.design == (plan.n_replications, plan.power)
    assert [curve.label for curve in laid.curves] == ["10 data sets"]
    assert laid.floor is None


@pytest.mark.parametrize("width", [6.9, 3.3])
def test_the_figure_says_what_it_shows(table, width):
    laid = figures.layout(bi.plan(table, 0.02), width)
    across, down = figures.FIGURES[Plan]["power"].size(laid)
    assert across == width
    assert down > 2.9
    figure = bi.plan(table, 0.02).plot()
    ax = figure.axes[0]
    assert len(ax.collections) == 1
    assert len(ax.lines) == 6
