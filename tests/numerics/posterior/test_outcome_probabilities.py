from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from benchinfer.analyses.bayes.numerics import next_dataset
from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.numerics.gibbs import GibbsDraws
from benchinfer.numerics.posterior import outcome_probabilities

PAIRS = np.array([[1.0, -1, 0], [1, 0, -1], [0, 1, -1]])


@pytest.fixture
def draws():
    rng = np.random.default_rng(1)
    root = rng.standard_normal((4, 500, 2, 2)) / 2
    return GibbsDraws(
        average=np.array([0.3, -0.2]) + 0.1 * rng.standard_normal((4, 500, 2)),
        these=np.zeros((4, 500, 2)),
        covariance=root @ root.swapaxes(2, 3) + 0.1 * np.eye(2),
        scale=np.full((4, 500), 0.5),
        effect_scale=None,
        shrinkage=np.ones((4, 500)),
        df=3 + rng.random((4, 500)),
        residual_centre=None,
        residual_spread=None,
        domain=None,
        domain_scale=None,
        log_likelihood=np.zeros((4, 500, 1)),
        mean=np.zeros((2, 4, 1, 2)),
        square=np.zeros((2, 4, 1, 2)),
    )


@pytest.mark.parametrize("kind", ["t", "normal", "common"])
def test_next_data_set_by_simulation(draws, kind):
    if kind != "t":
        draws = replace(draws, df=None)
    if kind == "common":
        draws = replace(draws, covariance=None)
    rng = np.random.default_rng(2)
    found = next_dataset.next_outcomes(
        draws, next_dataset.next_effects(draws, rng), PAIRS, margin=0.1, level=0.9
    )
    new = np.concatenate([next_dataset.next_effects(draws, rng) for _ in range(50)], axis=1)
    d = new @ PAIRS.T
    for name, hits in (
        ("first", d > 0.1),
        ("equivalent", np.abs(d) <= 0.1),
        ("second", d < -0.1),
    ):
        np.testing.assert_allclose(getattr(found, name), hits.mean(axis=(0, 1)), atol=0.006)
    np.testing.assert_allclose(found.first + found.equivalent + found.second, 1)
    average = (draws.average @ helmert(3)).mean(axis=(0, 1)) @ PAIRS.T
    np.testing.assert_allclose(found.estimate, average)
    assert (found.low < np.quantile(d, 0.06, axis=(0, 1))).all()
    assert (found.high > np.quantile(d, 0.94, axis=(0, 1))).all()
    assert (found.error < 0.02).all()


def test_average_outcomes_of_normal_draws():
    rng = np.random.default_rng(1)
    effects = np.array([0.2, 0.0, -0.2]) + 0.1 * rng.standard_normal((8, 5000, 3))
    found = outcome_probabilities.average_outcomes(effects, PAIRS, margin=0.1, level=0.9)
    sd = np.sqrt(0.02)
    gap = np.array([0.2, 0.4, 0.2])
    np.testing.assert_allclose(found.first, norm.sf((0.1 - gap) / sd), atol=0.01)
    np.testing.assert_allclose(found.second, norm.cdf((-0.1 - gap) / sd), atol=0.01)
    np.testing.assert_allclose(found.low, gap - 1.645 * sd, atol=0.01)
    np.testing.assert_allclose(
        found.error, np.sqrt(found.first * (1 - found.first) / 4e4), rtol=0.4
    )


def test_without_margin_nothing_is_equivalent():
    effects = np.random.default_rng(1).standard_normal((4, 200, 3))
    found = outcome_probabilities.average_outcomes(effects, PAIRS, margin=0.0, level=0.9)
    assert found.equivalent.tolist() == [0, 0, 0]
    np.testing.assert_allclose(found.first + found.second, 1)


def test_ranks_count_places_and_share_ties():
    effects = np.array([[[3.0, 2, 1], [1, 3, 2], [2, 2, 1], [3, 2.5, 0]]])
    effects = np.repeat(effects, 40, axis=1)
    found = outcome_probabilities.ranks(effects, margin=0.6)
    np.testing.assert_allclose(found.best, [0.625, 0.375, 0.0])
    np.testing.assert_allclose(found.near, [0.75, 0.75, 0.0])
    np.testing.assert_allclose(found.distribution.sum(axis=1), 1)
    np.testing.assert_allclose(found.distribution[2], [0, 0.25, 0.75])
    assert found.expected[2] == pytest.approx(2.75)


def test_monte_carlo_error_sees_autocorrelation():
    rng = np.random.default_rng(1)
    white = rng.standard_normal((8, 2000))
    slow = np.repeat(white[:, :200], 10, axis=1)
    assert outcome_probabilities.monte_carlo_error(white) == pytest.approx(
        1 / np.sqrt(16000), rel=0.25
    )
    assert outcome_probabilities.monte_carlo_error(slow) == pytest.approx(
        1 / np.sqrt(1600), rel=0.25
    )


def test_next_data_set_is_one_of_a_new_domain(draws):
    rng = np.random.default_rng(3)
    assert next_dataset.new_domain(draws, rng) is None
    apart = replace(draws, domain_scale=np.full((4, 500), 2.0))
    centre = next_dataset.new_domain(apart, rng)
    np.testing.assert_allclose((centre - draws.average).std(), 2.0, rtol=0.05)
    matrix = np.array([[1.0, -1.0, 0.0]])
    new = next_dataset.next_effects(apart, rng, centre)
    found = next_dataset.next_outcomes(apart, new, matrix, 0.1, 0.9, centre)
    difference = new @ matrix[0]
    np.testing.assert_allclose(found.first, (difference > 0.1).mean(), atol=0.04)
    np.testing.assert_allclose(found.second, (difference < -0.1).mean(), atol=0.04)
    assert found.dominant is None
