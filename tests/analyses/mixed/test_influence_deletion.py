"""Leaving out a data set or an algorithm against tables that never had it."""

import numpy as np
import pytest

from benchinfer.analyses.mixed.fit import ScoreReduction
from benchinfer.analyses.mixed.influence import deletion
from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS, CommonModel
from benchinfer.analyses.mixed.numerics.moments import from_blocks, from_cells
from benchinfer.analyses.mixed.numerics.optimum import fit
from tests.analyses.mixed.numerics.test_likelihood import ragged

TERMS = COMPONENTS[:3]


def table(seed=0, d=9):
    dataset, count, mean = ragged(np.random.default_rng(seed), d=d)
    return dataset, count, mean, np.zeros(d)


def assert_same_fit(one, other):
    np.testing.assert_allclose(one.variances, other.variances, rtol=2e-6, atol=1e-10)
    np.testing.assert_allclose(one.beta, other.beta, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(one.cov, other.cov, rtol=2e-6, atol=1e-10)
    assert one.criterion == pytest.approx(other.criterion, rel=1e-9)


@pytest.mark.parametrize("m", range(9))
def test_without_a_data_set_equals_the_smaller_table(m):
    dataset, count, mean, within = table()
    rest = dataset != m
    home = np.unique(dataset[rest], return_inverse=True)[1]
    direct = fit(from_blocks(home, count[rest], mean[rest], within[1:]), TERMS)
    smaller = from_blocks(dataset, count, mean, within).without(m)
    assert_same_fit(fit(smaller, TERMS), direct)


def test_without_a_data_set_of_cells():
    rng = np.random.default_rng(1)
    n, mean, within = rng.integers(1, 5, (7, 3)), rng.normal(size=(7, 3)), rng.random((7, 3))
    stats = from_cells(n, mean, within)
    direct = from_cells(n[1:], mean[1:], within[1:])
    terms = ("dataset", "dataset:algorithm")
    assert_same_fit(fit(stats.without(0), terms), fit(direct, terms))


def test_without_an_algorithm_equals_the_smaller_table():
    dataset, count, mean, within = table(2)
    # A data set that only algorithm 1 was run on goes with it.
    dataset = np.r_[dataset, 9, 9]
    alone = np.zeros((2, count.shape[1]), int)
    alone[:, 1] = 1
    whole_count, whole_mean = np.vstack([count, alone]), np.vstack([mean, alone * 3.0])
    blocks = ScoreReduction(whole_count, whole_mean, np.zeros((10, count.shape[1])), dataset)
    found = blocks.without(1).statistics()
    held = np.delete(count, 1, axis=1).any(axis=1)
    direct = from_blocks(
        dataset[:-2][held],
        np.delete(count, 1, axis=1)[held],
        np.delete(mean, 1, axis=1)[held],
        within,
    )
    assert_same_fit(fit(found, TERMS), fit(direct, TERMS))


def test_repeats_of_the_algorithm_leave_with_it():
    rng = np.random.default_rng(3)
    n, mean, within = rng.integers(1, 5, (7, 3)), rng.normal(size=(7, 3)), rng.random((7, 3))
    direct = from_cells(n[:, 1:], mean[:, 1:], within[:, 1:])
    cells = ScoreReduction(n, mean, within, None).without(0).statistics()
    blocks = ScoreReduction(n, mean, within, np.arange(7)).without(0).statistics()
    terms = ("dataset", "dataset:algorithm")
    assert_same_fit(fit(cells, terms), fit(direct, terms))
    assert_same_fit(fit(blocks, terms), fit(direct, terms))


def test_deletion_at_held_variances_equals_refitted_fixed_effects():
    stats = from_blocks(*table(4))
    model = fit(stats, TERMS)
    shift, cooks = deletion(stats, model)
    theta = model.variances / stats.scale**2
    metric = np.linalg.inv(
        (model.cov[:-1] - model.cov[1:])[:, :-1] - (model.cov[:-1] - model.cov[1:])[:, 1:]
    )
    for m in range(9):
        beta = CommonModel(stats.without(m)).evaluate(theta).beta + stats.offset
        np.testing.assert_allclose(shift[m], model.beta - beta * stats.scale, atol=1e-9)
        moved = -np.diff(shift[m])
        cook = moved @ metric @ moved / (len(model.beta) - 1)
        assert cooks[m] == pytest.approx(cook, rel=1e-8)


def test_complete_table_has_the_closed_form():
    # b - b_without = (y_m - mean) / (D - 1) for differences on a complete table.
    rng = np.random.default_rng(5)
    y = rng.normal(size=(8, 4)) + rng.normal(size=(8, 1))
    stats = from_cells(np.ones(y.shape, int), y, np.zeros_like(y))
    shift, _ = deletion(stats, fit(stats, ("dataset",)))
    expected = (y - y.mean(axis=0)) / 7
    np.testing.assert_allclose(np.diff(shift), np.diff(expected), atol=1e-10)


def test_what_the_others_cannot_estimate_is_missing():
    rng = np.random.default_rng(6)
    n = np.ones((6, 3), int)
    n[1:, 2] = 0
    stats = from_cells(n, np.where(n, rng.normal(size=n.shape), np.nan), np.zeros(n.shape))
    shift, _ = deletion(stats, fit(stats, ("dataset",)))
    assert np.isnan(shift[0]).all()
    assert np.isfinite(shift[1:]).all()
