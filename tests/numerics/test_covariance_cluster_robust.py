"""Cluster-robust errors of groups of a few kinds, and of pairs, against the general computation."""

import numpy as np
import pytest
from scipy.linalg import helmert

from benchinfer.numerics.covariance import IndependentGroups, all_pairs, cluster_robust


def groups_of(n_kinds, level, k=6, m=15):
    rng = np.random.default_rng(n_kinds)
    kind = np.r_[np.arange(n_kinds), rng.integers(0, n_kinds, m - n_kinds)]
    root = np.sqrt(rng.integers(1, 6, (n_kinds, k)))
    working = np.eye(k) + root[:, :, None] * (level + 0.5 * np.eye(k)) * root[:, None, :]
    design = root[:, :, None] * np.eye(k)
    information = design.transpose(0, 2, 1) @ np.linalg.inv(working) @ design
    phi = np.linalg.inv(information[kind].sum(axis=0))
    return IndependentGroups(working, design, rng.normal(size=(m, k)), kind), phi


@pytest.mark.parametrize(("n_kinds", "level"), [(1, 0.0), (4, 1.0), (15, 1.0), (15, 100.0)])
def test_kinds_and_pairs_change_nothing(n_kinds, level):
    own, phi = groups_of(n_kinds, level)
    contrasts = np.vstack([all_pairs(6)[1], np.eye(6)])
    found = cluster_robust([own], phi, contrasts)
    each = IndependentGroups(
        own.working[own.kind], own.design[own.kind], own.residual, np.arange(len(own.residual))
    )
    # Half a difference is not recognised as one of two estimates.
    general = cluster_robust([each], phi, contrasts / 2)
    np.testing.assert_allclose(found.cov, general.cov, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(found.df, general.df, rtol=1e-10)


def test_groups_of_different_sizes():
    own, phi = groups_of(15, 1.0)
    first, second = np.arange(8), np.arange(8, 15)
    parts = [
        IndependentGroups(
            own.working[i], own.design[i], own.residual[own.kind.argsort()[i]], np.arange(len(i))
        )
        for i in (first, second)
    ]
    contrasts = all_pairs(6)[1]
    whole = cluster_robust([own], phi, contrasts)
    np.testing.assert_allclose(cluster_robust(parts, phi, contrasts).df, whole.df, rtol=1e-10)


@pytest.mark.parametrize("turn", [np.eye(3), helmert(3, full=True)])
def test_a_level_known_from_one_group_has_one_degree_of_freedom(turn):
    both, rng = np.eye(3)[None, :2] @ turn.T, np.random.default_rng(1)
    groups = [
        IndependentGroups(None, both, rng.normal(size=(5, 2)), np.zeros(5, int)),
        IndependentGroups(None, np.eye(3)[None, 2:] @ turn.T, np.zeros((1, 1)), np.zeros(1, int)),
    ]
    phi = turn @ np.diag([0.2, 0.2, 1.0]) @ turn.T
    found = cluster_robust(groups, phi, np.eye(3), turn.T)
    np.testing.assert_allclose(found.df, [4, 4, 1], rtol=1e-10)
