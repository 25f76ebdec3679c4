"""Residual diagnostics against dense matrices, closed forms and simulation."""

import numpy as np
import pytest
from scipy import stats as distributions

from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS
from benchinfer.analyses.mixed.numerics.moments import from_blocks, from_cells
from benchinfer.analyses.mixed.numerics.optimum import fit
from benchinfer.analyses.mixed.numerics.residuals import PROBABILITIES, residuals_of
from tests.analyses.mixed.numerics.test_likelihood import ragged
from tests.analyses.mixed.numerics.test_new_dataset import simulate


def diagnose(dataset, count, mean):
    stats = from_blocks(dataset, count, mean, np.zeros(dataset.max() + 1))
    model = fit(stats, COMPONENTS[:3])
    return model, residuals_of(stats, model, count, mean, np.zeros_like(mean), dataset)


def test_residuals_are_those_of_dense_matrices():
    dataset, count, mean = ragged(np.random.default_rng(1), d=6)
    count = np.minimum(count, 1)
    mean = np.where(count, mean, 0.0)
    model, found = diagnose(dataset, count, mean)
    row, k = np.nonzero(count)
    y, m, n_k = mean[row, k], dataset[row], count.shape[1]
    groups = (m, m * n_k + k, row)
    parts = [v * (g[:, None] == g) for v, g in zip(model.variances[:3], groups, strict=True)]
    v = sum(parts) + model.variances[3] * np.eye(len(y))
    e = model.variances[3] * np.linalg.solve(v, y - model.beta[k])
    assert found.shape.n == len(y)
    assert found.shape.skewness == pytest.approx(distributions.skew(e), abs=1e-6)
    assert found.shape.kurtosis == pytest.approx(distributions.kurtosis(e), abs=1e-6)
    np.testing.assert_allclose(found.quantiles, np.quantile(e, PROBABILITIES) / e.std(), atol=1e-6)


def test_variances_of_differences_and_of_algorithms():
    d, b = 30, 40
    scale = np.array([0.5, 1.0, 1.0, 3.0])
    data = simulate(np.random.default_rng(2), d, b, np.ones(4), scale)
    model, found = diagnose(*data)
    y = data[2].reshape(d, b, 4)
    for i in range(4):
        for j in range(i):
            expected = (y[:, :, i] - y[:, :, j]).var(axis=1, ddof=1).mean()
            assert found.spread.difference[i, j] == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(found.spread.algorithm, scale, rtol=0.1)
    assert found.spread.p_algorithm < 1e-6
    assert found.spread.p_dataset > 1e-3
    # Their mean is that of the model.
    cells = found.spread.cell
    assert (cells**2).mean() == pytest.approx(model.variances[3], rel=1e-9)


def test_differences_with_gaps_use_shared_replications_alone():
    dataset, count, mean = simulate(np.random.default_rng(3), 8, 6, np.ones(4), np.ones(4), 0.3)
    _, found = diagnose(dataset, count, mean)
    square = free = 0
    for m in range(8):
        both = (dataset == m) & (count[:, 0] > 0) & (count[:, 2] > 0)
        if both.sum() > 1:
            difference = mean[both, 0] - mean[both, 2]
            square += ((difference - difference.mean()) ** 2).sum()
            free += both.sum() - 1
    assert found.spread.difference[0, 2] == pytest.approx(square / free, rel=1e-9)


def test_spread_of_data_sets():
    rng = np.random.default_rng(4)
    dataset, count, mean = simulate(rng, 60, 20, np.ones(4), np.ones(4))
    factor = np.exp(0.7 * rng.normal(size=60))
    mean += (factor[dataset] - 1)[:, None] * rng.normal(size=mean.shape)
    y = simulate(rng, 60, 20, np.ones(4), np.zeros(4))[2]
    y += factor[dataset][:, None] * rng.normal(size=y.shape)
    _, found = diagnose(dataset, count, y)
    assert found.spread.p_dataset < 1e-6
    assert found.spread.p_algorithm > 1e-3
    low, high = np.quantile(factor, [0.1, 0.9])
    assert found.spread.deciles == pytest.approx(high / low, rel=0.25)
    assert np.corrcoef(found.spread.dataset, factor)[0, 1] > 0.95


def test_cells_alone():
    rng = np.random.default_rng(8)
    y = rng.normal(size=(10, 3, 6)) * np.array([1, 1, 4])[:, None] + rng.normal(size=(10, 3, 1))
    n, mean = np.full((10, 3), 6), y.mean(axis=2)
    within = ((y - mean[:, :, None]) ** 2).sum(axis=2)
    stats = from_cells(n, mean, within)
    found = residuals_of(stats, fit(stats, ("dataset", "dataset:algorithm")), n, mean, within)
    assert found.shape.n == 0
    assert len(found.quantiles) == 0
    np.testing.assert_allclose(found.spread.algorithm**2, within.sum(axis=0) / 50, rtol=1e-6)
    own = found.spread.algorithm**2
    assert found.spread.difference[0, 2] == pytest.approx(own[0] + own[2])
    assert found.spread.p_algorithm < 1e-3


def test_two_algorithms():
    model, found = diagnose(*simulate(np.random.default_rng(9), 12, 8, np.ones(2), np.ones(2)))
    assert found.effects.interaction_shape.n == 12
    # What replications share is in both: only the ratio tells.
    ratio = found.spread.algorithm[0] / found.spread.algorithm[1]
    assert ratio == pytest.approx(1, abs=0.3)
    assert np.isfinite([found.spread.p_algorithm, found.spread.p_dataset]).all()
    assert model.variances[3] > 0
