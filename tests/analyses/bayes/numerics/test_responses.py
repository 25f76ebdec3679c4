import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

from benchinfer.analyses.bayes.numerics.responses import (
    count_items,
    mean_response,
    nodes,
    population_response,
)


def test_items_collapse_by_who_tried_them():
    dataset = np.array([0, 0, 0, 1, 1])
    trials = np.array([[1, 1], [1, 0], [1, 1], [1, 1], [2, 1]])
    right = np.array([[1, 0], [1, 0], [1, 1], [0, 0], [1, 1]])
    items = count_items(dataset, trials, right)
    groups = [tuple(row) for row in np.column_stack([items.dataset, items.trials]).tolist()]
    assert groups == [(0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 2, 1)]
    assert items.items.tolist() == [1, 2, 1, 1]
    assert items.right.tolist() == [[1, 0], [2, 1], [0, 0], [1, 1]]
    rows = np.column_stack([items.group, items.total, items.count]).tolist()
    assert rows == [[0, 1, 1], [1, 1, 1], [1, 2, 1], [2, 0, 1], [3, 2, 1]]
    assert items.answers.tolist() == [[1, 0], [2, 2], [1, 1], [2, 1]]


def test_many_items_are_few_numbers():
    rng = np.random.default_rng(1)
    right = (rng.random((10_000, 8)) < 0.7).astype(int)
    items = count_items(np.zeros(10_000, int), np.ones_like(right), right)
    assert len(items.dataset) == 1
    assert len(items.total) <= 9
    assert items.count.sum() == 10_000


def test_nodes_integrate_over_a_normal_variable():
    for answers in (2, 40):
        z, log_weights = nodes(answers)
        weights = np.exp(log_weights)
        np.testing.assert_allclose([weights.sum(), weights @ z**2, weights @ z**4], [1, 1, 3], 1e-5)


@pytest.mark.parametrize(("location", "variance"), [(0.3, 0.0), (1.0, 4.0), (2.0, 25.0)])
def test_mean_by_quadrature(location, variance):
    def density(z):
        return stats.norm.pdf(z) * expit(location + np.sqrt(variance) * z)

    wanted = integrate.quad(density, -12, 12)[0]
    values = mean_response(np.array([location]), np.array([variance]))
    np.testing.assert_allclose(values, wanted, atol=2e-5)


def test_population_by_simulation():
    rng = np.random.default_rng(1)
    t = stats.t(1.5).rvs(400_000, random_state=rng) * np.sqrt(0.7)
    wanted = expit(1 + t + np.sqrt(0.5) * rng.standard_normal(t.size))
    one = np.ones((1, 1, 1))
    values = population_response(one, 0.5 * one, 0.7 * one, np.full((1, 1), 1.5))
    assert values.item() == pytest.approx(wanted.mean(), abs=4 * wanted.std() / np.sqrt(t.size))
    normal = population_response(one, 0.5 * one, 0.7 * one)
    np.testing.assert_allclose(normal, mean_response(one, 1.2 * one))
