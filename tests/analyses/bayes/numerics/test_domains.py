"""Draws of average and domains against the dense normal distribution of both together."""

import numpy as np

from benchinfer.analyses.bayes.numerics.levels import DomainEffects, draw_levels, draw_normal
from benchinfer.analyses.bayes.numerics.priors import Priors

CHAINS = 40_000


def test_normal_from_precision():
    rng = np.random.default_rng(1)
    precision = np.array([[2.0, 0.7], [0.7, 1.0]])
    found = draw_normal(precision, np.array([1.0, -2.0]), rng.standard_normal((CHAINS, 2)))
    covariance = np.linalg.inv(precision)
    np.testing.assert_allclose(np.cov(found.T), covariance, atol=0.05)
    np.testing.assert_allclose(found.mean(axis=0), covariance @ [1.0, -2.0], atol=0.03)


def test_levels_given_the_scale(monkeypatch):
    """The scale is held, so that what is left is normal; one domain sees one contrast only."""
    monkeypatch.setattr("benchinfer.analyses.bayes.numerics.levels._given_effects", lambda s, *_: s)
    monkeypatch.setattr("benchinfer.analyses.bayes.numerics.levels._given_unit", lambda s, *_: s)
    rng = np.random.default_rng(2)
    root = rng.standard_normal((3, 2, 2))
    precision = root @ root.swapaxes(1, 2)
    precision[2] = np.outer([1.0, 0.5], [1.0, 0.5])
    shift = np.array([[1.0, 0.0], [-0.5, 2.0], [0.4, 0.2]])
    scale, sd = 0.7, 1.5
    now = DomainEffects(np.zeros((CHAINS, 3, 2)), np.full(CHAINS, scale), np.arange(3))
    average, domains, _ = draw_levels(
        np.broadcast_to(precision, (CHAINS, 3, 2, 2)),
        np.broadcast_to(shift, (CHAINS, 3, 2)),
        now,
        np.full(CHAINS, sd),
        np.ones(CHAINS),
        Priors(effect_sd=sd),
        rng,
    )
    found = np.hstack([average, domains.effects.reshape(CHAINS, -1)])
    dense = np.diag(np.r_[np.full(2, sd**-2), np.full(6, scale**-2)])
    linear = np.zeros(8)
    for g in range(3):
        map_ = np.zeros((2, 8))
        map_[:, :2] = map_[:, 2 + 2 * g : 4 + 2 * g] = np.eye(2)
        dense += map_.T @ precision[g] @ map_
        linear += map_.T @ shift[g]
    covariance = np.linalg.inv(dense)
    errors = 5 * np.sqrt(np.diag(covariance) / CHAINS)
    np.testing.assert_array_less(np.abs(found.mean(axis=0) - covariance @ linear), errors)
    np.testing.assert_allclose(np.cov(found.T), covariance, atol=0.03)


def test_data_sets_find_their_domain():
    effects = np.arange(12.0).reshape(2, 3, 2)
    domains = DomainEffects(effects, np.ones(2), np.array([2, 0, 2, 1]))
    np.testing.assert_array_equal(domains.of_datasets[:, 0], effects[:, 2])
    np.testing.assert_array_equal(domains.member, [[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0]])
