"""Dominance against its definition, pair by pair and resample by resample."""

import numpy as np
import pytest

from benchinfer.analyses import pareto
from benchinfer.analyses.pareto import dominates, resampled_dominance


def test_dominance_by_definition() -> None:
    rng = np.random.default_rng(1)
    levels = rng.integers(0, 3, (40, 6, 3)).astype(float)
    found = dominates(levels)
    for table, got in zip(levels, found, strict=True):
        for i in range(6):
            for j in range(6):
                wanted = all(table[i] >= table[j]) and any(table[i] > table[j])
                assert got[i, j] == wanted


def test_equal_means_do_not_dominate_by_rounding() -> None:
    levels = np.array([[0.1 + 0.2, 1.0], [0.3, 1.0]])
    assert not dominates(levels).any()


def test_resamples_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    means = rng.normal(size=(7, 5, 2))
    found = resampled_dominance(means, 300, seed=9)
    draws = np.random.default_rng(9).multinomial(7, np.full(7, 1 / 7), 300)
    each = [dominates((w[:, None, None] * means).sum(axis=0) / 7) for w in draws]
    np.testing.assert_allclose(found.prob_dominates, np.mean(each, axis=0))
    front = [~one.any(axis=0) for one in each]
    np.testing.assert_allclose(found.prob_front, np.mean(front, axis=0))
    np.testing.assert_allclose(found.levels, means.mean(axis=0))
    assert 0 < found.prob_front.min() < 1
    # In chunks, the same draws.
    monkeypatch.setattr(pareto, "_CHUNK", 1000)
    again = resampled_dominance(means, 300, seed=9)
    np.testing.assert_array_equal(again.prob_dominates, found.prob_dominates)
    np.testing.assert_array_equal(again.prob_front, found.prob_front)
