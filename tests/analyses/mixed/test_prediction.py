"""Predictions for a new data set as tables."""

import numpy as np
import pytest
from scipy import stats as distributions

from benchinfer.analyses.mixed.numerics.moments import from_blocks, from_cells
from benchinfer.analyses.mixed.numerics.optimum import fit
from benchinfer.analyses.mixed.prediction import check_predictable, predict
from benchinfer.core.errors import DesignError
from benchinfer.core.measure import Measure
from benchinfer.numerics import max_t
from tests.analyses.mixed.numerics.test_new_dataset import PAIRS, fitted, simulate

DATA = simulate(np.random.default_rng(1), 15, 5, np.array([0.5, 1, 1, 2]), np.ones(4))
STATS, MODEL, OWN = fitted(*DATA)


def fitted_two(data):
    stats = from_blocks(*data, np.zeros(15))
    return stats, fit(stats, ("dataset", "dataset:algorithm", "dataset:replication"))


@pytest.mark.parametrize("own", [True, False])
def test_intervals_and_probabilities_agree(own):
    found = predict(STATS, MODEL, PAIRS, robust=own, margin=0.2)
    total = found.prob_first + found.prob_equivalent + found.prob_second
    np.testing.assert_allclose(total, 1)
    sd = np.sqrt(found.predicted.variance)
    t = distributions.t(found.predicted.df)
    np.testing.assert_allclose(found.prob_first, t.sf((0.2 - found.estimate) / sd))
    np.testing.assert_allclose(found.low, found.estimate - t.ppf(0.975) * sd)
    assert found.best.best.sum() == pytest.approx(1)
    assert (found.best.near >= found.best.best - 1e-3).all()
    assert found.quantity == "difference"


def test_a_pair_of_two_algorithms_is_the_best_of_two():
    data = (DATA[0], DATA[1][:, :2], DATA[2][:, :2])
    stats = fitted_two(data)
    found = predict(*stats, max_t.all_pairs(2)[1], robust=True)
    assert found.best.best[0] == pytest.approx(found.prob_first[0])
    assert found.prob_equivalent[0] == 0


def test_a_mean_of_replications_is_less_certain():
    plain, mean = (predict(STATS, MODEL, PAIRS, robust=False, replications=b) for b in (None, 2))
    extra = mean.predicted.variance - plain.predicted.variance
    np.testing.assert_allclose(extra, MODEL.variances[3])
    assert mean.quantity == "mean"


def test_contrasts_of_their_own():
    against_mean = np.eye(4) - 0.25
    found = predict(STATS, MODEL, against_mean, robust=True, df="asymptotic")
    assert len(found.estimate) == 4
    assert np.isinf(found.predicted.df).all()


def test_columns_are_in_the_measures_unit():
    found = predict(STATS, MODEL, PAIRS, robust=True, margin=0.1)
    columns = found.pairs(Measure("seconds", better="lower", scale="log"))
    np.testing.assert_allclose(columns["estimate"], np.exp(-found.estimate))
    np.testing.assert_allclose(columns["conf_low"], np.exp(-found.high))
    assert list(found.algorithms()) == ["prob_best_next", "prob_near_best"]


def test_one_score_per_cell_predicts_scores():
    rng = np.random.default_rng(2)
    y = rng.normal(size=(9, 4))
    stats = from_cells(np.ones(y.shape, int), y, np.zeros_like(y))
    model = fit(stats, ("dataset",))
    check_predictable(stats, model, one_dataset=False)
    assert predict(stats, model, PAIRS, robust=True).quantity == "score"


def test_refusals():
    with pytest.raises(DesignError, match="one data set says nothing"):
        check_predictable(STATS, MODEL, one_dataset=True)
    with pytest.raises(DesignError, match="dataset:algorithm term"):
        check_predictable(STATS, fit(STATS, ("dataset",)), one_dataset=False)
    with pytest.raises(DesignError, match="replications is 0"):
        predict(STATS, MODEL, PAIRS, robust=True, replications=0)
