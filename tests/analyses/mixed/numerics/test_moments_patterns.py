"""The sufficient statistics rebuild the moments of the rows."""

import numpy as np
import pytest

from benchinfer.analyses.mixed.numerics.moments import structured_from_blocks, structured_from_cells
from benchinfer.core.errors import FitError


def ragged(rng, d=6, k=3, *, repeats=False):
    """Blocks with unequal numbers of replications, missing scores and, if asked, repeats."""
    dataset = np.repeat(np.arange(d), rng.integers(3, 6, d))
    count = (rng.random((len(dataset), k)) < 0.75).astype(np.int64)
    count[count.sum(axis=1) == 0, 0] = 1
    count[0] = 1
    if repeats:
        count *= rng.integers(1, 3, count.shape)
    mean = rng.normal(size=count.shape) + 2 * rng.normal(size=(d, 1))[dataset] + np.arange(k)
    return dataset, count, mean + rng.normal(size=(d, k))[dataset]


@pytest.mark.parametrize("repeats", [True, False])
def test_classes_hold_the_moments_of_their_blocks(repeats):
    dataset, count, mean = ragged(np.random.default_rng(1), repeats=repeats)
    stats = structured_from_blocks(dataset, count, mean, np.zeros((6, 3)))
    centred = mean / stats.scale - stats.offset - stats.delta[dataset][:, None]
    seen = 0
    for m, home in enumerate(stats.dataset):
        chosen = (dataset == home) & (count == stats.counts[m]).all(axis=1)
        values = np.where(count > 0, centred, 0.0)[chosen]
        assert stats.rows[m] == chosen.sum()
        np.testing.assert_allclose(stats.mean[m], values.mean(axis=0), atol=1e-14)
        apart = values - values.mean(axis=0)
        np.testing.assert_allclose(stats.cross[m], apart.T @ apart, atol=1e-13)
        seen += chosen.sum()
    assert seen == len(dataset)
    assert stats.n_scores == count.sum()
    np.testing.assert_array_equal(stats.n, np.add.reduceat(count, stats_first(dataset), axis=0))


def stats_first(dataset):
    return np.flatnonzero(np.r_[True, np.diff(dataset) != 0])


def test_a_class_per_data_set_and_row_of_counts():
    dataset, count, mean = ragged(np.random.default_rng(2))
    stats = structured_from_blocks(dataset, count, mean, np.zeros((6, 3)))
    assert len(stats.rows) == len(np.unique(np.column_stack([dataset, count]), axis=0))
    complete = structured_from_blocks(dataset, np.ones_like(count), mean, np.zeros((6, 3)))
    assert len(complete.rows) == 6


def test_empty_blocks_are_left_out():
    dataset, count, mean = np.array([0, 0, 1]), np.array([[1, 1], [0, 0], [1, 0]]), np.ones((3, 2))
    assert structured_from_blocks(dataset, count, mean, np.zeros((2, 2))).rows.sum() == 2
    with pytest.raises(FitError, match="no scores"):
        structured_from_blocks(dataset, count * [[1], [1], [0]], mean, np.zeros((2, 2)))


def test_what_is_missing_may_hold_anything():
    n, mean = np.array([[2, 1], [3, 0]]), np.array([[1.0, 2.0], [4.0, np.nan]])
    stats = structured_from_cells(n, mean, np.array([[0.5, 0.0], [1.0, np.nan]]))
    assert all(np.isfinite(v).all() for v in (stats.mean, stats.cross, stats.square, stats.delta))
    np.testing.assert_array_equal(stats.free, [[1, 0], [2, 0]])
