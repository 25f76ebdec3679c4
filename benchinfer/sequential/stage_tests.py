"""Tests of the differences of one stage, one-sided, and their combination over data sets."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr
from scipy.stats import rankdata

from benchinfer.numerics.paired_exact import signed_rank
from benchinfer.sequential.design import Test

type Array = NDArray[np.float64]

# Scores that differ by less of their size are equal: the noise of arithmetic. The rule of
# `numerics.ties` would take the range of all scores, which later ones change, and with it a past
# that has been decided on.
_NOISE = 1e-12
_MOST_EXACT = 500  # differences whose signed ranks are counted exactly
_FAR = 37.0  # standard normal quantile of the smallest p-value


def differences(first: Array, second: Array) -> Array:
    """Return first minus second, exactly 0 where they differ by rounding alone."""
    d = first - second
    return np.where(np.abs(d) <= _NOISE * np.maximum(np.abs(first), np.abs(second)), 0.0, d)


def stage_p(d: Array, test: Test) -> tuple[float, float]:
    """Return the p-values of (n,) differences, for large and for small ones.

    A stage of zeros alone says nothing: its p-values are NaN.
    """
    if not d.any():
        return np.nan, np.nan
    if test == "signed-rank" and len(d) <= _MOST_EXACT:
        return (
            signed_rank(d, alternative="greater").p_value,
            signed_rank(d, alternative="less").p_value,
        )
    if test == "t":
        return _t(d)
    z = running_z(d, test)[-1]
    return float(ndtr(-z)), float(ndtr(z))


def _t(d: Array) -> tuple[float, float]:
    n, mean, spread = len(d), float(d.mean()), float(d.std(ddof=1))
    if spread <= _NOISE * abs(mean):  # all on one side: no more than their signs say
        p = 0.5**n
        return (p, 1 - p) if mean > 0 else (1 - p, p)
    t = mean * np.sqrt(n) / spread
    return float(stdtr(n - 1, -t)), float(stdtr(n - 1, t))


def combined(p: Array) -> Array:
    """Combine p-values of independent data sets (..., D) by the mean of their normal quantiles.

    Data sets without a p-value (NaN: no difference at all) are left out; 1 where all are.
    """
    there = np.isfinite(p)
    n = there.sum(axis=-1)
    z = np.where(there, np.clip(-ndtri(np.where(there, p, 0.5)), -_FAR, _FAR), 0.0).sum(axis=-1)
    alone = np.where(there, p, 0.0).sum(axis=-1)
    found = np.where(n == 1, alone, ndtr(-z / np.sqrt(np.maximum(n, 1))))
    return np.where(n == 0, 1.0, found)


def running_z(d: Array, test: Test, at: NDArray[np.int64] | None = None) -> Array:
    """Return the test statistic of the first b differences as a normal quantile.

    Parameters
    ----------
    d
        (..., n) differences.
    test
        Signed ranks are taken by their normal limit.
    at
        (q,) the b; by default all from 1 to n.

    Returns
    -------
    numpy.ndarray
        (..., q); 0 where the differences so far say nothing.
    """
    n = np.arange(1, d.shape[-1] + 1)
    chosen = n if at is None else at
    if test == "signed-rank":
        return np.stack([_rank_z(d[..., :b]) for b in chosen], axis=-1)
    return _sums_z(d, test, n)[..., chosen - 1]


def _sums_z(d: Array, test: Test, n: NDArray[np.int64]) -> Array:
    """Return the normal quantiles of t tests or sign flips after each difference."""
    squares = np.cumsum(d**2, axis=-1)
    if test == "sign-flip":
        return _ratio(np.cumsum(d, axis=-1), np.sqrt(squares))
    # Centred first: sums of squares of values far from zero lose their digits.
    centre = d.mean(axis=-1, keepdims=True)
    total = np.cumsum(d - centre, axis=-1)
    spread = np.cumsum((d - centre) ** 2, axis=-1) - total**2 / n
    spread = np.where(spread > 1e-14 * squares, spread, 0.0)
    df = np.maximum(n - 1, 1)
    mean = total / n + centre
    t = _ratio(mean * np.sqrt(n), np.sqrt(spread / df))
    z = -np.sign(t) * ndtri(np.maximum(stdtr(df, -np.abs(t)), 1e-300))
    # Without any spread, all on one side: no more than their signs say.
    flat = (spread == 0) & (n > 1)
    signs = np.sign(mean) * -ndtri(np.maximum(0.5**n, 1e-300))
    return np.where(n == 1, 0.0, np.where(flat & (squares > 0), signs, z))


def _rank_z(d: Array) -> Array:
    """Return the normal quantile of the signed ranks of (..., b) differences, zeros left out."""
    sizes = np.where(d == 0, np.inf, np.abs(d))
    ranks = np.where(d == 0, 0.0, rankdata(sizes, axis=-1))
    return _ratio((np.sign(d) * ranks).sum(axis=-1), np.sqrt((ranks**2).sum(axis=-1)))


def _ratio(top: Array, bottom: Array) -> Array:
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
