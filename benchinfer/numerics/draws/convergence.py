"""Split R-hat and effective sample sizes of chains, by ranks.

They are those of ``arviz_stats``, a package that takes three times as long to load as pandas.

References
----------
Geyer, C. J. (1992). Practical Markov chain Monte Carlo. Statistical Science 7, 473-483.
https://doi.org/10.1214/ss/1177011137
"""

import numpy as np
from scipy.fft import next_fast_len
from scipy.special import ndtri

from benchinfer.numerics.types import Array

_FEWEST = 4  # draws of a chain
_TAILS = (0.05, 0.95)


def r_hat(draws: Array) -> float:
    """Return the larger R-hat of the halves of (C, T) chains, of their places and their spread.

    It is not a number of one chain, of fewer than four draws, or where one is not a number.

    Examples
    --------
    >>> chains = np.random.default_rng(1).normal(size=(4, 1000))
    >>> round(r_hat(chains), 2), round(r_hat(chains + np.arange(4)[:, None]), 2)
    (1.0, 1.54)
    """
    if len(draws) < 2 or draws.shape[1] < _FEWEST or np.isnan(draws).any():
        return np.nan
    halves, ratios = _halves(draws), []
    for values in (halves, np.abs(halves - np.median(halves))):
        z = _normal_scores(values)
        n, within = z.shape[1], np.mean(np.var(z, axis=1, ddof=1))
        between = n * np.var(np.mean(z, axis=1), ddof=1)
        ratios.append(float(np.sqrt((between / within + n - 1) / n)))
    return max(ratios)


def effective_sizes(draws: Array) -> tuple[float, float]:
    """Return the effective sample sizes of (C, T) chains in the middle and in the tails.

    The latter is the smaller one of the 5 % and 95 % quantiles.

    Examples
    --------
    >>> steps = np.random.default_rng(1).normal(size=(4, 1000))
    >>> [round(size) for size in effective_sizes(steps)]
    [4039, 3404]
    """
    if draws.shape[1] < _FEWEST or np.isnan(draws).any():
        return np.nan, np.nan
    tails = [
        _size(_halves(np.where(draws <= np.quantile(draws, share), 1.0, 0.0))) for share in _TAILS
    ]
    return _size(_normal_scores(_halves(draws))), min(tails)


def _halves(chains: Array) -> Array:
    half = chains.shape[1] // 2
    return np.vstack((chains[:, :half], chains[:, -half:]))


def _normal_scores(values: Array) -> Array:
    """Return normal quantiles of the ranks of all numbers together, by Blom's formula."""
    _, which, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[which.reshape(values.shape)]
    return ndtri((ranks - 3 / 8) / (values.size - 2 * 3 / 8 + 1))


def _size(x: Array) -> float:
    """Return the number of draws over their autocorrelation time, by Geyer's sequences."""
    if np.ptp(x) < np.finfo(np.float64).resolution:
        return float(x.size)
    c, n = x.shape
    fast = next_fast_len(2 * n, real=True)
    transformed = np.fft.rfft(x - x.mean(axis=1, keepdims=True), n=fast)
    covariance = np.fft.irfft(transformed * np.conjugate(transformed), n=fast)[:, :n] / n
    within = np.mean(covariance[:, 0]) * n / (n - 1.0)
    total = within * (n - 1.0) / n
    if c > 1:
        total += np.var(x.mean(axis=1), ddof=1)
    correlation = np.zeros(n)
    even, odd = 1.0, 1.0 - (within - np.mean(covariance[:, 1])) / total
    correlation[:2] = even, odd
    t = 1
    # Sums of two are positive,
    while t < n - 3 and even + odd > 0:
        even, odd = (1.0 - (within - np.mean(covariance[:, t + i])) / total for i in (1, 2))
        if even + odd >= 0:
            correlation[t + 1 : t + 3] = even, odd
        t += 2
    last = t - 2
    if even > 0:
        correlation[last + 1] = even
    # and decrease.
    for t in range(1, last - 1, 2):
        before = correlation[t - 1] + correlation[t]
        if correlation[t + 1] + correlation[t + 2] > before:
            correlation[t + 1 : t + 3] = before / 2.0
    time = -1.0 + 2.0 * np.sum(correlation[: last + 1]) + np.sum(correlation[last + 1 : last + 2])
    time = max(time, 1 / np.log10(x.size))
    return float(np.nan if np.isnan(correlation).any() else x.size / time)
