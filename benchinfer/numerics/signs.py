"""Tests of many sums whose terms are as likely as their negatives: exact, Monte Carlo, normal.

A column holds the terms of one sum: paired differences, their signed ranks, or signed normal
scores; a zero says nothing. When two algorithms are alike, all sign patterns are equally likely.

References
----------
Phipson, B. & Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical
Applications in Genetics and Molecular Biology 9, 39. https://doi.org/10.2202/1544-6115.1585
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from benchinfer.numerics import paired_exact, subset_sums
from benchinfer.numerics.align import midranks

type Array = NDArray[np.float64]
type NullKind = Literal["auto", "exact", "monte-carlo", "asymptotic"]
type Progress = Callable[[int], None]

# Sums this close, relative to the largest term, are equal.
_SAME = 1e-10
# Steps of all exact tests together under "auto": a few seconds.
_BUDGET = 2e9
# Elements of the matrices that resampling holds at a time.
_CHUNK = 2_000_000


@dataclass(frozen=True, slots=True)
class SignTests:
    """Tests of M sums.

    Attributes
    ----------
    statistic
        (M,) sums over their standard deviation under random signs, 0 without terms.
    p_value, error
        (M,) p-values, and the standard errors of their evaluation: 0 where not resampled.
    smallest
        (M,) the smallest p-value that any signs of as many terms could give.
    kinds
        M words: ``"exact"``, ``"monte-carlo"`` or ``"asymptotic"``.
    """

    statistic: Array
    p_value: Array
    error: Array
    smallest: Array
    kinds: tuple[str, ...]


def signed_ranks(differences: Array, noise: float) -> Array:
    """Return (B, P) ranks of the sizes of each column with their signs; 0 for zero and NaN.

    Zero differences are left out before ranking (Wilcoxon); sizes within `noise` are tied.

    Examples
    --------
    >>> signed_ranks(np.array([[0.3], [-0.1], [0.0], [0.3], [np.nan]]), 1e-9).ravel().tolist()
    [2.5, -1.0, 0.0, 2.5, 0.0]
    """
    result = np.zeros_like(differences)
    for source, target in zip(differences.T, result.T, strict=True):
        there = np.abs(source) > noise
        target[there] = np.sign(source[there]) * midranks(np.abs(source[there]), noise).values
    return result


def signed_normal_scores(differences: Array, noise: float) -> Array:
    """Return (B, P) normal scores ``ndtri((1 + r / (n + 1)) / 2)`` of the signed ranks r."""
    ranks = signed_ranks(differences, noise)
    n = np.count_nonzero(ranks, axis=0)
    return np.sign(ranks) * ndtri((1 + np.abs(ranks) / (n + 1)) / 2)


def sign_tests(
    terms: Array,
    *,
    two_sided: NDArray[np.bool_],
    null: NullKind = "auto",
    resamples: int = 100_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> SignTests:
    """Test the sum of each column against random signs of its terms.

    Parameters
    ----------
    terms
        (B, M) terms, 0 where there is none.
    two_sided
        (M,) whether small sums speak against the hypothesis, too, and not large ones only.
    null
        ``"exact"``; ``"monte-carlo"``; ``"asymptotic"`` (normal); ``"auto"``: exact for the columns
        where that takes at most a fraction of a few seconds, Monte Carlo for the others.
    resamples, seed
        Of Monte Carlo, which draws one sign for each row: p-values ``(1 + #) / (N + 1)``.
    progress
        Called with the number of resamples just done.

    Returns
    -------
    SignTests
        One test for each column.

    Raises
    ------
    DesignError
        ``null="exact"`` and a column takes too long.

    Examples
    --------
    >>> found = sign_tests(np.array([[3.0], [1], [2], [4], [5]]), two_sided=np.array([True]))
    >>> found.p_value.tolist(), found.smallest.tolist(), found.kinds
    ([0.0625], [0.0625], ('exact',))
    """
    m = terms.shape[1]
    terms = np.where(np.abs(terms) > _SAME * np.abs(terms).max(axis=0, initial=0.0), terms, 0.0)
    size = np.sqrt((terms**2).sum(axis=0))
    z = np.divide(terms.sum(axis=0), size, out=np.zeros(m), where=size > 0)
    n = np.count_nonzero(terms, axis=0)
    smallest = np.where(n > 0, 0.5 ** np.maximum(n - two_sided.astype(np.int64), 0), 1.0)
    p = np.where(two_sided, 2 * ndtr(-np.abs(z)), ndtr(-z))
    p, error = np.where(n > 0, p, 1.0), np.zeros(m)
    if null == "asymptotic":
        return SignTests(z, p, error, smallest, ("asymptotic",) * m)
    quick = np.array([null != "monte-carlo" and _quick(c, _BUDGET / m) for c in terms.T], np.bool_)
    exact = np.full(m, fill_value=True) if null == "exact" else quick
    for j in np.flatnonzero(exact):
        side = "two-sided" if two_sided[j] else "greater"
        p[j] = paired_exact.sign_flip(terms[:, j], side).p_value
    left = np.flatnonzero(~exact)
    if len(left):
        p[left] = _resampled(terms[:, left], two_sided[left], resamples, seed, progress)
        error[left] = np.sqrt(p[left] * (1 - p[left]) / (resamples + 1))
        smallest[left] = np.maximum(smallest[left], 1 / (resamples + 1))
    kinds = tuple("exact" if one else "monte-carlo" for one in exact)
    return SignTests(z, p, error, smallest, kinds)


def _quick(column: Array, budget: float) -> bool:
    """Whether the exact distribution takes no more steps than the budget."""
    sizes = np.abs(column[column != 0])
    n = len(sizes)
    if n <= subset_sums.MOST_REALS and 64 * 2 ** ((n + 1) // 2) <= budget:
        return True
    whole = subset_sums.on_lattice(sizes, _SAME * float(sizes.max()))
    return whole is not None and n * float(whole.sum()) <= budget


def _resampled(
    terms: Array,
    two_sided: NDArray[np.bool_],
    resamples: int,
    seed: int,
    progress: Progress | None,
) -> Array:
    """Return (M,) p-values from one random sign for each row and resample."""
    generator = np.random.default_rng(seed)
    b, m = terms.shape
    observed = terms.sum(axis=0)
    observed = np.where(two_sided, np.abs(observed), observed)
    observed -= _SAME * np.abs(terms).max(axis=0, initial=0.0)
    chunk = max(16, _CHUNK // max(b, m))
    count, done = np.ones(m), 0
    while done < resamples:
        step = min(chunk, resamples - done)
        signs = generator.integers(0, 2, (step, b), dtype=np.int8) * 2.0 - 1.0
        sums = signs @ terms
        np.abs(sums, out=sums, where=two_sided)
        count += (sums >= observed).sum(axis=0)
        done += step
        if progress is not None:
            progress(step)
    return count / (resamples + 1)
