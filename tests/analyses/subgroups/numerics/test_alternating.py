"""Archetypes of points: known vertices, closed forms, optimality."""

import numpy as np
import pytest
from scipy.optimize import minimize

from benchinfer.analyses.subgroups.numerics.alternating import (
    elbow,
    fit_archetypes,
    furthest_sum,
    mixture,
    mixtures,
)


def planted(seed, n=40, k=3, m=5, noise=0.0):
    rng = np.random.default_rng(seed)
    corners = rng.normal(size=(k, m)) * 3
    shares = rng.dirichlet(np.full(k, 0.8), size=n)
    shares[:k] = np.eye(k)
    return corners, shares, shares @ corners + noise * rng.normal(size=(n, m))


def test_nearest_mixture_of_two_points_is_on_the_segment():
    rng = np.random.default_rng(1)
    for _ in range(50):
        a, b, target = rng.normal(size=(3, 4)) * rng.choice([1e-3, 1.0, 100.0])
        step = np.clip((target - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        np.testing.assert_allclose(mixture(np.array([a, b]), target), [1 - step, step], atol=1e-9)


@pytest.mark.parametrize("size", [(12, 4), (5, 1)])  # SciPy 1.15 fails in few points
def test_nearest_mixture_satisfies_the_conditions_of_an_optimum(size):
    rng = np.random.default_rng(2)
    for _ in range(200):
        points, target = rng.normal(size=size), 2 * rng.normal(size=size[1])
        share = mixture(points, target)
        assert share.min() >= 0
        assert share.sum() == pytest.approx(1)
        slope = points @ (share @ points - target)
        # No shift of weight to another point comes nearer.
        assert slope.min() >= slope @ share - 1e-9


def test_planted_vertices_are_found():
    corners, shares, points = planted(3)
    best = fit_archetypes(points, 3, starts=6)
    order = [int(np.linalg.norm(best.archetypes - c, axis=1).argmin()) for c in corners]
    np.testing.assert_allclose(best.archetypes[order], corners, atol=1e-6)
    np.testing.assert_allclose(best.alphas[:, order], shares, atol=1e-6)
    assert best.objective < 1e-10


def test_one_archetype_is_the_mean():
    points = np.random.default_rng(4).normal(size=(15, 3))
    fit = fit_archetypes(points, 1, starts=2)
    np.testing.assert_allclose(fit.archetypes[0], points.mean(axis=0), atol=1e-9)
    assert fit.objective == pytest.approx(((points - points.mean(axis=0)) ** 2).sum())


def test_no_other_optimiser_comes_lower():
    points = np.random.default_rng(5).normal(size=(7, 2))
    found = fit_archetypes(points, 2, starts=10).objective

    def objective(logits):
        weights = np.exp(np.clip(logits.reshape(2, 7), -50, 50))
        corners = weights / weights.sum(axis=1, keepdims=True) @ points
        return ((points - mixtures(corners, points) @ corners) ** 2).sum()

    rng = np.random.default_rng(6)
    tried = [
        minimize(objective, 3 * rng.normal(size=14), method="Powell", options={"maxiter": 30}).fun
        for _ in range(4)
    ]
    assert found <= min(tried) + 1e-9
    assert min(tried) <= found * 1.02  # and they come near it


def test_shares_and_parts_are_optimal_given_each_other():
    _, _, points = planted(7, noise=0.5)
    fit = fit_archetypes(points, 3, starts=4)
    residuals = points - fit.alphas @ fit.archetypes
    assert fit.objective == pytest.approx((residuals**2).sum())
    for slope, share in (
        (-residuals @ fit.archetypes.T, fit.alphas),
        (-(fit.alphas.T @ residuals) @ points.T, fit.betas),
    ):
        gap = (slope * share).sum(axis=1) - slope.min(axis=1)
        assert gap.max() < 1e-3 * np.abs(slope).max()


def test_a_weight_of_two_is_a_point_twice():
    _, _, points = planted(8, n=20, noise=0.5)
    weights = np.r_[np.full(5, 2.0), np.ones(10), np.zeros(5)]
    twice = np.vstack([points[:15], points[:5]])
    one = fit_archetypes(points, 3, weights=weights, starts=12)
    two = fit_archetypes(twice, 3, starts=12)
    assert one.objective == pytest.approx(two.objective, rel=1e-6)
    assert (one.betas[:, 15:] == 0).all()


@pytest.mark.slow
def test_robust_archetypes_are_not_outliers():
    _, _, points = planted(9, noise=0.1)
    away = np.vstack([points, [60.0] * 5])
    plain = fit_archetypes(away, 3, starts=10)
    robust = fit_archetypes(away, 3, starts=10, robust=True)
    assert plain.betas[:, -1].max() > 0.9
    assert robust.betas[:, -1].max() == 0
    assert robust.weights[-1] == 0
    alone = fit_archetypes(points, 3, starts=10)
    apart = np.linalg.norm(robust.archetypes[:, None] - alone.archetypes, axis=2).min(axis=1)
    assert apart.max() < 0.5


def test_units_and_places_change_nothing_but_the_unit():
    _, _, points = planted(10, noise=0.3)
    one = fit_archetypes(points, 3, starts=4)
    two = fit_archetypes(1e-3 * points + 7, 3, starts=4)
    np.testing.assert_allclose(two.archetypes, 1e-3 * one.archetypes + 7, atol=1e-7)
    assert two.objective == pytest.approx(1e-6 * one.objective, rel=1e-5)


def test_furthest_points_are_corners():
    square = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0.5]])
    assert set(furthest_sum(square, 4, 4)) == {0, 1, 2, 3}


def test_points_that_are_the_same_are_met_exactly():
    fit = fit_archetypes(np.repeat(np.eye(2), 3, axis=0), 2, starts=3)
    assert fit.objective == pytest.approx(0, abs=1e-12)
    assert elbow(np.array([4.0, 1.0, 0.9])) == 2
