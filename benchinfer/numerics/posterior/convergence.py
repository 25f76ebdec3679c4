"""Convergence of Markov chains: R-hat, and effective sample sizes.

An own copy of three functions of arviz-stats, equal to rounding: the import of that package, with
SciPy's distributions, takes a quarter of the CPU time in which a pair is tested.
"""

from __future__ import annotations

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri

from benchinfer.numerics.types import Array

_SAME = 1e-15  # a range below which draws do not differ


def r_hat(draws: Array) -> float:
    """Return the R-hat of (C, T) draws: the larger one of their ranks and of their folded ranks.

    References
    ----------
    Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. & Burkner, P.-C. (2021). Rank-normalization,
    folding, and localization: an improved R-hat for assessing convergence of MCMC. Bayesian
    Analysis 16, 667-718. https://doi.org/10.1214/20-BA1221
    """
    halves = _halves(draws)
    folded = np.abs(halves - np.median(halves))
    return max(_split_r_hat(_normal_scores(x)) for x in (halves, folded))


def bulk_ess(draws: Array) -> float:
    """Return the effective sample size of (C, T) draws for their centre, by ranks; see `r_hat`."""
    return _ess(_normal_scores(_halves(draws)))


def tail_ess(draws: Array) -> float:
    """Return the effective sample size of (C, T) draws for their 5 % and 95 % quantiles."""
    bounds = np.quantile(draws, [0.05, 0.95])
    return min(_ess(_halves((draws <= bound).astype(np.float64))) for bound in bounds)


def _halves(draws: Array) -> Array:
    """Return (2 C, T / 2) halves of chains; of an odd number the middle draw is left out."""
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])


def _normal_scores(draws: Array) -> Array:
    """Return the normal quantiles of the ranks of all draws; equal ones have their mean rank."""
    _, place, counts = np.unique(draws, return_inverse=True, return_counts=True)
    rank = counts.cumsum() - (counts - 1) / 2
    return ndtri((rank - 0.375) / (draws.size + 0.25))[place].reshape(draws.shape)


def _split_r_hat(draws: Array) -> float:
    """Return the root of the ratio of variance among all draws to that within chains."""
    n = draws.shape[1]
    within, between = draws.var(axis=1, ddof=1).mean(), draws.mean(axis=1).var(ddof=1)
    return float(np.sqrt((n - 1) / n + between / within))


def _ess(draws: Array) -> float:
    """Return the effective sample size of the mean of (C, T) draws.

    Sums of the autocorrelations at an even lag and the next are positive and fall; from the first
    that is not, correlations are noise (Geyer 1992).

    References
    ----------
    Geyer, C. J. (1992). Practical Markov chain Monte Carlo. Statistical Science 7, 473-483.
    https://doi.org/10.1214/ss/1177011137
    """
    c, n = draws.shape
    if np.ptp(draws) < _SAME:
        return float(draws.size)
    spectrum = rfft(draws - draws.mean(axis=1, keepdims=True), next_fast_len(2 * n))
    covariance = irfft(np.abs(spectrum) ** 2, next_fast_len(2 * n))[:, :n].mean(axis=0) / n
    within = covariance[0] * n / (n - 1)
    among = draws.mean(axis=1).var(ddof=1) if c > 1 else 0.0
    correlation = 1 - (within - covariance) / (covariance[0] + among)
    correlation[0] = 1.0
    pairs = correlation[: 2 * (max(n - 3, 0) // 2 + 1)].reshape(-1, 2)
    sums = pairs.sum(axis=1)
    end = int((sums <= 0).argmax()) if (sums <= 0).any() else len(sums) - 1
    falling = np.minimum.accumulate(sums[:end])
    # The even lag of the last pair may still count.
    last = float(pairs[end, 0]) if sums[end] >= 0 else max(float(pairs[end, 0]), 0.0)
    return c * n / max(2 * float(falling.sum()) + last - 1, 1 / np.log10(c * n))
