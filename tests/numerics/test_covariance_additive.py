"""The additive fit of a table with gaps: least squares, and the spread between its rows."""

import numpy as np
import pytest

from benchinfer.numerics.covariance import additive_fit


def gappy(seed=0, shape=(20, 4), share=0.2):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(shape[0], 1)) + rng.normal(size=shape) + np.arange(shape[1])
    values[rng.random(shape) < share] = np.nan
    values[0] = 1.0, *values[0, 1:]
    return values[np.isfinite(values).any(axis=1)]


def least_squares(values, weight):
    """Return effects of rows and columns, rows weighted, with columns that add up to 0."""
    d, k = np.nonzero(np.isfinite(values))
    n, m = values.shape
    x = np.zeros((len(d), n + m))
    x[range(len(d)), d] = x[range(len(d)), n + k] = 1
    root = np.sqrt(weight[d])
    b = np.linalg.lstsq(x * root[:, None], values[d, k] * root, rcond=None)[0]
    return b[:n] + b[n:].mean(), b[n:] - b[n:].mean()


def levels(values, weight):
    row, column = least_squares(values, weight)
    return column + weight @ row / weight.sum()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.4])
def test_it_is_the_least_squares_fit(share):
    values = gappy(1, share=share)
    fit = additive_fit(values)
    row, column = least_squares(values, np.ones(len(values)))
    np.testing.assert_allclose(fit.row, row)
    np.testing.assert_allclose(fit.column, column)
    np.testing.assert_allclose(fit.levels, fit.filled.mean(axis=0))
    gaps = np.isnan(values)
    np.testing.assert_array_equal(fit.filled[~gaps], values[~gaps])
    np.testing.assert_allclose(fit.filled[gaps], (row[:, None] + column)[gaps])


def test_without_gaps_the_covariance_is_that_of_means():
    values = gappy(2, share=0.0)
    covariance = additive_fit(values).covariance()
    np.testing.assert_allclose(covariance, np.cov(values.T) / len(values), rtol=1e-12)


def test_the_covariance_is_that_of_the_influence_of_rows():
    values = gappy(3)
    d = len(values)
    step = 1e-5 * np.eye(d)
    influence = [(levels(values, 1 + s) - levels(values, 1 - s)) / 2e-5 for s in step]
    n = np.isfinite(values).sum(axis=0)
    influence = np.array(influence) * np.sqrt(n / (n - 1))
    np.testing.assert_allclose(
        additive_fit(values).covariance(), influence.T @ influence, atol=1e-8
    )


def test_columns_that_no_row_connects_are_fitted_apart():
    values = np.full((6, 4), np.nan)
    values[:3, :2] = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, np.nan]])
    values[3:, 2:] = np.array([[10.0, 8.0], [20.0, 18.0], [np.nan, 28.0]])
    assert additive_fit(values).levels.tolist() == pytest.approx([3, 4, 20, 18])
