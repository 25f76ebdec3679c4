"""Predictions for a new data set: closed forms on complete tables, and coverage by simulation."""

import numpy as np
import pytest
from scipy import stats as distributions

from benchinfer.analyses.mixed.numerics import degrees
from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS
from benchinfer.analyses.mixed.numerics.moments import from_blocks, from_cells
from benchinfer.analyses.mixed.numerics.new_dataset import predict_common, predict_pairwise
from benchinfer.analyses.mixed.numerics.optimum import fit
from benchinfer.analyses.mixed.numerics.robust import cr2_errors
from benchinfer.numerics import covariance, max_t
from benchinfer.numerics.posterior.outcome_probabilities import (
    NewDatasetDistribution,
    probability_above,
)

_, PAIRS = max_t.all_pairs(4)


def simulate(rng, d, b, interaction, residual, miss=0.0):
    k = len(interaction)
    dataset = np.repeat(np.arange(d), b)
    shared = rng.normal(size=(d, 1))[dataset] + 0.7 * rng.normal(size=(d * b, 1))
    own = (rng.normal(size=(d, k)) * interaction)[dataset] + rng.normal(size=(d * b, k)) * residual
    count = (rng.random((d * b, k)) >= miss).astype(int)
    return dataset, count, np.where(count, shared + own, 0.0)


def fitted(dataset, count, mean):
    stats = from_blocks(dataset, count, mean, np.zeros(dataset.max() + 1))
    model = fit(stats, COMPONENTS[:3])
    return stats, model, cr2_errors(stats, model, PAIRS)


def test_common_prediction_of_a_complete_table_is_satterthwaites():
    d, b, k = 12, 5, 4
    data = simulate(np.random.default_rng(1), d, b, np.ones(k), np.ones(k))
    _, model, _ = fitted(*data)
    y = data[2].reshape(d, b, k)
    cell = y.mean(axis=1)
    apart = cell - cell.mean(axis=0) - cell.mean(axis=1, keepdims=True) + cell.mean()
    within = y - y.mean(axis=1, keepdims=True) - y.mean(axis=2, keepdims=True)
    within += y.mean(axis=(1, 2), keepdims=True)
    ms_a = b * (apart**2).sum() / ((d - 1) * (k - 1))
    ms_e = (within**2).sum() / (d * (b - 1) * (k - 1))
    first, second = 2 / b * ms_a * (1 + 1 / d), 2 / b * ms_e
    df = (first - second) ** 2 / (
        first**2 / ((d - 1) * (k - 1)) + second**2 / (d * (b - 1) * (k - 1))
    )
    found = predict_common(model, degrees.kenward_roger(model, PAIRS), PAIRS)
    np.testing.assert_allclose(found.variance, first - second, rtol=1e-6)
    np.testing.assert_allclose(found.df, df, rtol=1e-5)
    np.testing.assert_allclose(found.between, 2 * (ms_a - ms_e) / b, rtol=1e-6)
    mean_of_b = predict_common(
        model, degrees.satterthwaite(model, PAIRS), PAIRS, "satterthwaite", replications=b
    )
    np.testing.assert_allclose(mean_of_b.variance, first, rtol=1e-6)
    np.testing.assert_allclose(mean_of_b.df, (d - 1) * (k - 1), rtol=1e-5)
    sure = predict_common(model, degrees.asymptotic(model, PAIRS), PAIRS, "asymptotic")
    assert np.isinf(sure.df).all()


def test_pairwise_prediction_of_a_complete_table_is_the_paired_one():
    d, b = 12, 6
    scale = np.array([0.5, 1.0, 1.0, 2.0])
    data = simulate(np.random.default_rng(2), d, b, 2 * scale, np.ones(4))
    stats, model, own = fitted(*data)
    y = data[2].reshape(d, b, 4)
    difference = y @ PAIRS.T
    spread = difference.mean(axis=1).var(axis=0, ddof=1)
    removed = 2 * model.variances[3] / b
    found = predict_pairwise(stats, model, own, PAIRS)
    np.testing.assert_allclose(found.between, spread - removed, rtol=1e-7)
    np.testing.assert_allclose(found.variance, spread * (1 + 1 / d) - removed, rtol=1e-7)
    below = (spread * (1 + 1 / d)) ** 2 / (d - 1) + removed**2 / (d * (b - 1))
    np.testing.assert_allclose(found.df, found.variance**2 / below, rtol=1e-7)
    # The mean of as many replications: paired prediction, D - 1 degrees of freedom.
    again = predict_pairwise(stats, model, own, PAIRS, replications=b)
    np.testing.assert_allclose(again.variance, spread * (1 + 1 / d), rtol=1e-7)
    np.testing.assert_allclose(again.df, d - 1, rtol=1e-7)


@pytest.mark.slow
def test_a_variance_that_noise_hides_is_not_taken_for_known():
    """Where noise explains the spread, the prediction has the variance of that noise."""
    hidden = 0
    for seed in range(60):
        data = simulate(np.random.default_rng(seed), 12, 5, np.full(4, 0.2), np.full(4, 3.0))
        stats, model, own = fitted(*data)
        found = predict_pairwise(stats, model, own, PAIRS)
        whole = (data[2].reshape(12, 5, 4).mean(axis=1) @ PAIRS.T).var(axis=0, ddof=1)
        assert (found.df > 2).all()
        none, noise = found.between == 0, 2 * model.variances[3] / 5
        hidden += none.sum()
        np.testing.assert_allclose(found.variance[none], whole[none] / 12 + noise, rtol=1e-6)
    assert hidden > 60


def test_pairs_have_their_own_noise():
    d, b = 15, 6
    data = simulate(np.random.default_rng(3), d, b, np.ones(4), np.array([0.2, 0.5, 1.0, 2.0]))
    stats, model, own = fitted(*data)
    inner = data[2].reshape(d, b, 4)
    cov = np.cov((inner - inner.mean(axis=1, keepdims=True)).reshape(-1, 4).T, ddof=d)
    noise = cov.diagonal()[:, None] + cov.diagonal() - 2 * cov
    found = predict_pairwise(stats, model, own, PAIRS, noise)
    i, j = max_t.all_pairs(4)[0].T
    np.testing.assert_allclose(found.noise, noise[i, j], rtol=1e-9)
    spread = (inner.mean(axis=1) @ PAIRS.T).var(axis=0, ddof=1)
    np.testing.assert_allclose(found.between, spread - noise[i, j] / b, rtol=1e-7)


def test_one_score_per_cell_predicts_scores():
    rng = np.random.default_rng(4)
    y = rng.normal(size=(10, 4)) * [1, 2, 0.5, 1]
    stats = from_cells(np.ones(y.shape, int), y, np.zeros_like(y))
    model = fit(stats, ("dataset",))
    common = predict_common(model, degrees.kenward_roger(model, PAIRS), PAIRS)
    np.testing.assert_allclose(common.variance, 2 * model.variances[3] * 1.1, rtol=1e-7)
    np.testing.assert_allclose(common.df, 27, rtol=1e-6)
    own = cr2_errors(stats, model, PAIRS)
    found = predict_pairwise(stats, model, own, PAIRS)
    np.testing.assert_allclose(found.variance, (y @ PAIRS.T).var(axis=0, ddof=1) * 1.1, rtol=1e-7)
    np.testing.assert_allclose(found.df, 9, rtol=1e-7)


def test_thin_cells_weigh_less():
    # Data set 0 has one replication: its difference says less about the spread.
    rng = np.random.default_rng(5)
    dataset, count, mean = simulate(rng, 10, 20, np.full(4, 0.1), np.ones(4))
    keep = (dataset > 0) | (np.arange(len(dataset)) == 0)
    mean[0] += [3.0, 0, 0, -3.0]
    stats, model, own = fitted(dataset[keep], count[keep], mean[keep])
    errors = covariance.Adjusted(own.cov, own.df[[2]])
    found = predict_pairwise(stats, model, errors, PAIRS[[2]])
    raw = np.array([mean[keep][dataset[keep] == m].mean(axis=0) for m in range(10)]) @ PAIRS[2]
    assert found.between[0] < raw.var(ddof=1) / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("d", "miss"),
    [
        (10, 0.0),
        pytest.param(20, 0.0, marks=pytest.mark.calibration),
        pytest.param(10, 0.25, marks=pytest.mark.calibration),
    ],
)
def test_intervals_cover_the_difference_on_a_new_data_set(d, miss):
    rng = np.random.default_rng(d)
    scale, tables = np.array([0.5, 1.0, 1.0, 2.0]), 300
    hit = np.zeros((3, 6))
    for _ in range(tables):
        new = rng.normal(size=4)
        observed = new * scale + rng.normal(size=(5, 4)).mean(axis=0)
        like = fitted(*simulate(rng, d, 5, np.ones(4), np.ones(4), miss))
        unlike = fitted(*simulate(rng, d, 5, scale, np.ones(4), miss))
        predictions = (
            predict_common(like[1], degrees.kenward_roger(like[1], PAIRS), PAIRS),
            predict_pairwise(*unlike, PAIRS),
            predict_pairwise(*unlike, PAIRS, replications=5),
        )
        truth = (new @ PAIRS.T, (new * scale) @ PAIRS.T, observed @ PAIRS.T)
        levels = (like[1].beta, unlike[1].beta, unlike[1].beta)
        for i, (one, value, beta) in enumerate(zip(predictions, truth, levels, strict=True)):
            reach = distributions.t.ppf(0.975, one.df) * np.sqrt(one.variance)
            hit[i] += np.abs(PAIRS @ beta - value) <= reach
    # Pairs of a table hang together: four standard errors as if there were two pairs in each.
    share, error = hit.mean(axis=1) / tables, np.sqrt(0.95 * 0.05 / (2 * tables))
    assert (share > 0.95 - 4 * error).all()
    # Where noise is a good part of the spread, intervals are a little wide.
    assert share[0] < 0.95 + 4 * error
    assert (share[1:] < 0.99).all()


def test_probabilities():
    one = NewDatasetDistribution(
        np.array([4.0, 0, 0, 0]), np.array([7.0, 5, 5, 5]), np.ones(4), np.ones(4)
    )
    estimate = np.array([1.0, 0.5, -0.5, 0.2])
    found = probability_above(estimate, one, 0.2)
    np.testing.assert_allclose(found, [distributions.t.cdf(0.4, 7), 1, 0, 0.5])
