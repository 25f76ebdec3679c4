"""Published differences as blocks."""

import numpy as np
import pytest

from benchinfer.analyses.meta.numerics.effects import blocks_of
from benchinfer.core.errors import FitError


def test_all_pairs_tell_their_covariance():
    arm = np.array([0.02, 0.05, 0.01])  # variances of independent algorithms
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    y = np.array([0.1, 0.4, 0.3])
    (block,) = blocks_of(first, second, y, np.sqrt(arm[first] + arm[second]), None)
    assert block.arms.tolist() == [0, 1, 2]
    np.testing.assert_allclose(block.y, [-0.1, -0.4])
    np.testing.assert_allclose(block.cov, arm[0] + np.diag(arm[1:]))


def test_rounding_is_spread_over_all_pairs():
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    (block,) = blocks_of(first, second, np.array([0.1, 0.4, 0.33]), np.ones(3), None)
    level = np.array([0.5, 0.23, -0.73]) / 3
    np.testing.assert_allclose(block.y, level[1:] - level[0])


def test_one_baseline_needs_a_correlation():
    first, second = np.array([4, 2]), np.array([1, 1])
    error = np.array([0.2, 0.3])
    (block,) = blocks_of(first, second, np.array([0.5, 0.1]), error, 0.5)
    assert block.arms.tolist() == [1, 2, 4]
    np.testing.assert_allclose(block.y, [0.1, 0.5])
    np.testing.assert_allclose(block.cov, [[0.09, 0.03], [0.03, 0.04]])
    with pytest.raises(FitError, match="not known"):
        blocks_of(first, second, np.array([0.5, 0.1]), error, None)


def test_separate_pairs_are_separate_blocks():
    found = blocks_of(np.array([0, 3]), np.array([1, 2]), np.ones(2), np.ones(2), None)
    assert [b.arms.tolist() for b in found] == [[0, 1], [2, 3]]


def test_what_has_no_covariance_is_refused():
    with pytest.raises(FitError, match="neither all pairs"):
        blocks_of(np.array([0, 1, 2]), np.array([1, 2, 3]), np.ones(3), np.ones(3), 0.5)
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    with pytest.raises(FitError, match="no covariance"):
        blocks_of(first, second, np.ones(3), np.array([0.1, 0.1, 5.0]), None)
