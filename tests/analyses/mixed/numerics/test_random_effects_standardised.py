"""Standardised random effects against closed forms and healthy tables."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as distributions

from benchinfer.analyses.mixed.numerics.moments import from_cells
from benchinfer.analyses.mixed.numerics.optimum import fit
from benchinfer.analyses.mixed.numerics.random_effects import effects_of, shape_of, shapiro_francia
from tests.analyses.mixed.numerics.test_new_dataset import fitted, simulate


def test_profiles_of_one_score_per_cell_have_the_closed_form():
    rng = np.random.default_rng(5)
    y = rng.normal(size=(12, 4)) + rng.normal(size=(12, 1))
    y[3, 2] += 9
    stats = from_cells(np.ones(y.shape, int), y, np.zeros_like(y))
    found = effects_of(stats, fit(stats, ("dataset",)))
    rest = y - y.mean(axis=0) - y.mean(axis=1, keepdims=True) + y.mean()
    # Studentised by the spread of the other rows, as in a regression on a constant.
    inner = rest / np.sqrt((rest**2).sum(axis=0) / 12)
    t = inner * np.sqrt(10 / (11 - inner**2))
    expected = np.sign(t) * distributions.norm.isf(distributions.t.sf(np.abs(t), 10))
    np.testing.assert_allclose(found.interaction, expected, rtol=1e-6)
    centred = expected - expected.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(found.distance, (centred**2).sum(axis=1) * 0.75, rtol=1e-6)
    assert found.distance.argmax() == 3
    assert found.p_distance[3] < 0.005
    assert found.p_interaction[3, 2] < 0.005
    assert np.delete(found.p_distance, 3).min() > 0.05
    level = y.mean(axis=1)
    np.testing.assert_allclose(
        np.diff(found.dataset),
        np.diff(level) / level.std(ddof=1) / np.sqrt(11 / 12),
        rtol=1e-5,
    )


@pytest.mark.slow
def test_standardised_effects_of_healthy_tables_are_standard_normal():
    rng = np.random.default_rng(6)
    interaction, distance, effect = [], [], []
    for _ in range(60):
        dataset, count, mean = simulate(rng, 15, 4, np.array([0.3, 1, 1, 2]), np.ones(4), 0.15)
        stats, model, _ = fitted(dataset, count, mean)
        found = effects_of(stats, model)
        interaction.append(found.interaction)
        distance.append(found.distance)
        effect.append(found.dataset)
    for k in range(4):
        assert distributions.kstest(np.concatenate(interaction)[:, k], "norm").pvalue > 1e-3
    assert np.mean(distance) == pytest.approx(3, abs=0.25)
    assert np.quantile(np.concatenate(distance), 0.99) < distributions.chi2.isf(0.002, 3)
    assert np.std(np.concatenate(effect)) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("shift", [0.0, 1 / 3])
def test_an_algorithm_that_differs_by_as_much_everywhere_has_no_interaction(shift):
    # Two algorithms that differ by 0.5 on both data sets, up to rounding.
    cells = np.array([[1.0, 1.5], [3.0, 3.5]]) + shift
    stats = from_cells(np.full((2, 2), 2), cells, np.full((2, 2), 0.5))
    found = effects_of(stats, fit(stats, ("dataset", "dataset:algorithm")))
    np.testing.assert_array_equal(found.interaction, 0.0)
    np.testing.assert_array_equal(found.distance, 0.0)
    assert found.interaction_shape.n == 0


def test_empty_and_lonely_cells_have_no_profile():
    rng = np.random.default_rng(7)
    n = np.ones((9, 3), int)
    n[0, 1] = n[1, 0] = n[1, 1] = 0
    y = np.where(n, rng.normal(size=n.shape), np.nan)
    stats = from_cells(n, y, np.zeros(n.shape))
    found = effects_of(stats, fit(stats, ("dataset",)))
    assert found.interaction[0, 1] == found.interaction[1, 0] == 0
    assert found.p_distance[1] == 1
    assert np.isfinite(found.distance).all()


GOLDEN = json.loads((Path(__file__).parents[3] / "golden/normality/normality.json").read_text())


@pytest.mark.parametrize("name", GOLDEN["samples"])
def test_shapiro_francia_as_nortest(name):
    # Both evaluate one formula in double precision; samples are written with 15 digits.
    found = shapiro_francia(np.array(GOLDEN["samples"][name], dtype=float))
    assert found == pytest.approx(GOLDEN["p_value"][name], rel=1e-9)


def test_shapiro_francia_holds_its_level_in_normal_samples_and_finds_skewed_ones():
    rng = np.random.default_rng(9)
    p = [shapiro_francia(values) for values in rng.normal(size=(2_000, 12))]
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.02)
    assert np.isnan(shapiro_francia(np.arange(4.0)))
    assert np.isnan(shapiro_francia(np.arange(5_001.0)))
    assert shapiro_francia(rng.normal(size=12) + 1e6) > 1e-4


def test_shape_of_a_sample():
    values = np.random.default_rng(8).exponential(size=500)
    found = shape_of(values)
    assert found.skewness == pytest.approx(distributions.skew(values))
    assert found.kurtosis == pytest.approx(distributions.kurtosis(values))
    assert found.p_normal < 1e-10
    assert np.isnan(shape_of(values, test=False).p_normal)
    assert shape_of(np.ones(9)).n == 0
