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


def mixing(draws: Array) -> tuple[float, float, float]:
    """Return R-hat of the halves of (C, T) chains, and effective sizes of the middle and the tails.

    R-hat is the larger one of their places and of their spread, the size of the tails the smaller
    one of the 5 % and 95 % quantiles. They are not numbers of fewer than four draws, or where a
    draw is none, nor is R-hat of one chain.

    Examples
    --------
    >>> chains = np.random.default_rng(1).normal(size=(4, 1000))
    >>> [round(number, 2) for number in mixing(chains)]
    [1.0, 4039.15, 3404.14]
    >>> round(mixing(chains + np.arange(4)[:, None])[0], 2)
    1.54
    """
    if draws.shape[1] < _FEWEST or np.isnan(draws).any():
        return np.nan, np.nan, np.nan
    half = draws.shape[1] // 2
    halves = np.vstack((draws[:, :half], draws[:, -half:]))
    places = _normal_scores(halves)
    ratios = []
    for z in (places, _normal_scores(np.abs(halves - np.median(halves)))):
        within, between = np.mean(np.var(z, axis=1, ddof=1)), np.var(np.mean(z, axis=1), ddof=1)
        ratios.append(float(np.sqrt((half * between / within + half - 1) / half)))
    tails = [_size(np.where(halves <= np.quantile(draws, share), 1.0, 0.0)) for share in _TAILS]
    return max(ratios) if len(draws) > 1 else np.nan, _size(places), min(tails)


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
