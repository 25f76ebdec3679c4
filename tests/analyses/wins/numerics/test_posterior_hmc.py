import numpy as np

from benchinfer.analyses.wins.numerics import posterior

COV = np.array([[4.0, 1.9, 0.0], [1.9, 1.0, 0.0], [0.0, 0.0, 1e-4]])


def _normal(x):
    slope = -x @ np.linalg.inv(COV)
    return (x * slope).sum(axis=1) / 2, slope


def test_a_skew_normal_of_very_different_scales():
    rng = np.random.default_rng(5)
    tuned = posterior.warm_up(_normal, rng.standard_normal((8, 3)), 600, rng)
    paths = posterior.sample(_normal, tuned, 800, rng)
    flat = paths.draws.reshape(-1, 3)
    error = np.sqrt(COV.diagonal())
    np.testing.assert_allclose(flat.mean(axis=0) / error, 0, atol=0.06)
    unit = np.outer(error, error)
    np.testing.assert_allclose(np.cov(flat.T) / unit, COV / unit, atol=0.08)
    assert paths.accepted > 0.8
    assert not paths.astray.any()


def test_many_dimensions_have_scales_without_correlations():
    scale = np.geomspace(0.01, 10, 100)

    def density(x):
        return -((x / scale) ** 2).sum(axis=1) / 2, -x / scale**2

    rng = np.random.default_rng(6)
    tuned = posterior.warm_up(density, scale * rng.standard_normal((4, 100)), 400, rng)
    assert tuned.root.ndim == 1
    draws = posterior.sample(density, tuned, 500, rng).draws.reshape(-1, 100)
    np.testing.assert_allclose(draws.std(axis=0) / scale, 1, atol=0.25)


def test_the_same_seed_gives_the_same_draws_and_told_counts():
    told = []

    def run():
        rng = np.random.default_rng(7)
        tuned = posterior.warm_up(_normal, np.zeros((4, 3)), 100, rng)
        return posterior.sample(_normal, tuned, 50, rng, told.append).draws

    np.testing.assert_array_equal(run(), run())
    assert sum(told) == 100


def test_a_density_that_is_nothing_beyond_a_wall_is_kept_within():
    def density(x):
        inside = (np.abs(x) < 1).all(axis=1)
        return np.where(inside, 0.0, -np.inf), np.zeros_like(x)

    rng = np.random.default_rng(8)
    tuned = posterior.warm_up(density, np.zeros((8, 1)), 200, rng)
    paths = posterior.sample(density, tuned, 400, rng)
    assert np.abs(paths.draws).max() < 1
    np.testing.assert_allclose(paths.draws.std(), 1 / np.sqrt(3), atol=0.06)
