"""Sign tests, signed-rank tests and sign-flip tests.

If two algorithms have the same distribution, each difference is as likely as its negative, given
its size: the 2^n sign patterns are equally likely. The tests count the patterns at least as extreme
as the observed one, for sums of differences, of signed ranks or of signed normal scores, and for
any ties. They test the symmetry of the differences about zero (of signs alone: a median of zero);
skew alone can reject it.

Exact tails add positive numbers only, so that their relative accuracy is that of the number of
additions, however small the tail is (down to the smallest double).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri

from benchinfer.core.errors import DesignError
from benchinfer.numerics.ties import midranks, ranked_rows
from benchinfer.numerics.types import Array, Codes, Flags

type Alternative = Literal["two-sided", "greater", "less"]


type NullKind = Literal["auto", "exact", "monte-carlo", "asymptotic"]
type Progress = Callable[[int], None]


# More weights than that would need more than 2^22 sums a half.
MOST_REALS = 44
# Weights times their total: about 4 s of additions.
_MOST_STEPS = 20_000_000_000
# Sums grow by 2 each step; doubles hold 2^1023.
_STEPS_PER_SCALE = 512
# A unit smaller than this part of the largest value is taken for chance.
_FINEST_UNIT = 1e-6


def tractable(weights: Codes) -> bool:
    """Return whether exact tails of integer weights are feasible in seconds."""
    return len(weights) * int(weights.sum()) <= _MOST_STEPS


def upper_tails(weights: Codes, observed: Sequence[int]) -> list[float]:
    """Return the exact ``P(sum >= x)`` of positive integer weights for several x.

    From the sums of two halves.

    Examples
    --------
    >>> upper_tails(np.arange(1, 9), [35])[0] * 2**8
    2.0
    """
    total = int(weights.sum())
    observed = [min(max(x, 0), total + 1) for x in observed]
    # The smaller of both tails.
    below = [min(total - x, x - 1) for x in observed]
    ordered, most = np.sort(weights), max(below)
    one, two = (masses(half, max(most, 0)) for half in (ordered[::2], ordered[1::2]))
    backwards = np.cumsum(two)[::-1].copy()
    tails: list[float] = []
    for x, limit in zip(observed, below, strict=True):
        # Sums of one half that leave room for any of the other, and those that do not.
        free = min(max(limit - len(two) + 1, 0), len(one))
        rest = backwards[len(two) - 1 - limit + free :]
        used = one[free : min(len(one), limit + 1)]
        tail = min(float(one[:free].sum() * backwards[0] + used @ rest[: len(used)]), 1.0)
        tails.append(tail if limit == total - x else 1.0 - tail)
    return tails


def masses(weights: Codes, limit: int) -> Array:
    """Return the probability of each sum of integer weights from 0 to a limit.

    Ascending weights are the fastest.
    """
    total = int(weights.sum())
    # The distribution is symmetric: the lower half is enough.
    top = min(total // 2, limit)
    # Sums go from one array to the other: in place, each step would copy them.
    mass, added = np.zeros((2, top + 1))
    mass[0] = 1.0
    end = 1
    for first in range(0, len(weights), _STEPS_PER_SCALE):
        part = weights[first : first + _STEPS_PER_SCALE]
        for weight in part.tolist():
            end = min(end + weight, top + 1)
            if weight <= top:
                added[:weight] = mass[:weight]
                np.add(mass[weight:end], mass[: end - weight], out=added[weight:end])
                mass, added = added, mass
        mass *= 0.5 ** len(part)
    if limit <= top:
        return mass
    upper = mass[::-1] if total % 2 else mass[-2::-1]
    return np.r_[mass, upper][: limit + 1]


def upper_tail_of_reals(weights: Array, observed: float, tolerance: float) -> float:
    """Return ``P(sum >= observed - tolerance)`` for up to `MOST_REALS` weights.

    The 2^n subsets are counted through the sorted sums of two halves.

    References
    ----------
    Horowitz, E. & Sahni, S. (1974). Computing partitions with applications to the knapsack
    problem. Journal of the ACM 21, 277-292. https://doi.org/10.1145/321812.321823
    """
    one, two = _sums(weights[::2]), _sums(weights[1::2])
    too_small = np.searchsorted(two, (observed - tolerance) - one, side="left")
    return (one.size * two.size - int(too_small.sum())) / (one.size * two.size)


def _sums(weights: Array) -> Array:
    """Return the sorted sums of all subsets."""
    sums = np.zeros(1)
    for weight in weights:
        sums = np.r_[sums, sums + weight]
    return np.sort(sums)


def on_lattice(values: Array, tolerance: float) -> Codes | None:
    """Return the values as multiples of their largest common unit.

    `values` (n,) are positive and lie at most `tolerance` from their multiples, (n,) integers
    without a common divisor; None if there is no such unit.

    Examples
    --------
    >>> on_lattice(np.array([0.3, 0.75, 0.1 + 0.2]), 1e-10).tolist()
    [2, 5, 2]
    """
    if not len(values):
        return np.empty(0, dtype=np.int64)
    ascending = np.sort(values)
    finest = _FINEST_UNIT * float(ascending[-1])
    unit = float(ascending[0])
    if unit < finest:
        return None
    left = ascending
    while len(left):
        # Multiples of the unit leave it as it is.
        other = np.abs(left - np.rint(left / unit) * unit) > finest / 10
        if not other.any():
            break
        at = int(other.argmax())
        unit = _common_unit(float(left[at]), unit, finest / 10)
        if unit < finest:
            return None
        left = left[at + 1 :]
    # The larger the multiples, the better they tell the unit: twice as large ones each time.
    products = squares = 0.0
    at = 0
    while at < len(ascending):
        end = int(np.searchsorted(ascending, 2 * ascending[at], side="right"))
        part = ascending[at:end]
        multiples = np.rint(part / unit)
        products += float(part @ multiples)
        squares += float(multiples @ multiples)
        unit, at = products / squares, end
    multiples = np.rint(values / unit)
    if np.abs(values - multiples * unit).max() > tolerance:
        return None
    integers = multiples.astype(np.int64)
    return integers // np.gcd.reduce(integers)


def _common_unit(a: float, b: float, noise: float) -> float:
    """Return the greatest common divisor of two floats, up to noise (Euclid)."""
    while b > noise:
        a, b = b, abs(a - round(a / b) * b)
    return a


# Sums closer than this part of the largest difference are equal.
_NOISE = 1e-10
# Differences closer than this part of the larger one are tied: the noise of subtracted scores.
ROUNDING = 1e-10


@dataclass(frozen=True, slots=True)
class ExactTest:
    """An exact test."""

    # Mean difference, sum of the positive ranks, or number of positive differences
    statistic: float
    p_value: float
    # The smallest p-value that any scores with as many non-zero differences could give
    smallest_p: float
    n: int  # number of non-zero differences
    zeros: int  # number of zero differences


def sign_flip(
    differences: Array, alternative: Alternative = "two-sided", tolerance: float | None = None
) -> ExactTest:
    """Return the exact test of the mean difference against all sign patterns.

    Parameters
    ----------
    differences
        (n,) paired differences.
    alternative
        ``"greater"`` if large differences speak against the hypothesis, ``"less"`` if small ones.
    tolerance
        Differences at most so far from zero are zero, and means of patterns at most so far below
        the observed one (as sums) count as equal; by default 1e-10 of the largest difference.

    Notes
    -----
    Multiples of a common unit (accuracies on test sets of one size, rounded scores) allow thousands
    of differences by dynamic programming over sums; others up to 44 by counting through two halves.

    References
    ----------
    Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.
    https://doi.org/10.2307/3001968
    """
    largest = float(np.abs(differences).max(initial=0.0))
    noise = _NOISE * largest if tolerance is None else tolerance
    sizes, positive = _sizes(differences, noise)
    integers = on_lattice(sizes, noise)
    statistic = float(differences.sum()) / max(len(differences), 1)
    if integers is not None and tractable(integers):
        return _of_integers(statistic, integers, positive, len(differences), alternative)
    if len(sizes) > MOST_REALS:
        raise DesignError(
            f"{len(sizes)} differences without a common unit have too many sign patterns to count.",
            hint=f'up to {MOST_REALS} can be counted; null="monte-carlo" draws patterns at random.',
        )
    p = _p_value(
        lambda observed: upper_tail_of_reals(sizes, observed, noise),
        float(sizes[positive].sum()),
        float(sizes.sum()),
        alternative,
    )
    return _exact(statistic, p, len(sizes), len(differences), alternative)


def signed_rank(differences: Array, alternative: Alternative = "two-sided") -> ExactTest:
    """Return the exact signed-rank test of the nonzero differences, also with ties.

    Sizes that agree to ten digits are tied.

    Parameters
    ----------
    differences
        (n,) paired differences.
    alternative
        ``"greater"`` if large differences speak against the hypothesis, ``"less"`` if small ones.

    References
    ----------
    Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.
    https://doi.org/10.2307/3001968

    Examples
    --------
    >>> signed_rank(np.array([1.1, 2.2, -0.3, 4.0, 5.0])).p_value
    0.125
    """
    sizes, positive = _sizes(differences, 0.0)
    # Twice the ranks: integers, with ties too.
    weights = np.rint(2 * midranks(sizes, ROUNDING * sizes).values).astype(np.int64)
    if not tractable(weights):
        raise DesignError(
            f"The exact distribution of {len(weights)} signed ranks takes too long.",
            hint="the normal approximation is accurate with that many.",
        )
    statistic = float(weights[positive].sum()) / 2
    return _of_integers(statistic, weights, positive, len(differences), alternative)


def _sizes(differences: Array, noise: float) -> tuple[Array, Flags]:
    """Return the absolute values of the nonzero differences, and a mask of the positive ones."""
    nonzero = differences[np.abs(differences) > noise]
    return np.abs(nonzero), nonzero > 0


def _of_integers(
    statistic: float,
    weights: Codes,
    positive: Flags,
    n_all: int,
    alternative: Alternative,
) -> ExactTest:
    reduced = weights // max(int(np.gcd.reduce(weights)), 1)
    p = _p_value(
        lambda observed: upper_tails(reduced, [int(observed)])[0],
        int(reduced[positive].sum()),
        int(reduced.sum()),
        alternative,
    )
    return _exact(statistic, p, len(weights), n_all, alternative)


def _exact(statistic: float, p: float, n: int, n_all: int, alternative: Alternative) -> ExactTest:
    smallest = 0.5 ** (n - (alternative == "two-sided")) if n else 1.0
    return ExactTest(statistic, p, smallest, n, n_all - n)


def _p_value(
    tail: Callable[[float], float], observed: float, total: float, alternative: Alternative
) -> float:
    """Return the p-value by the symmetry of the distribution about half the total."""
    if alternative == "greater":
        return tail(observed)
    if alternative == "less":
        return tail(total - observed)
    return min(2 * tail(max(observed, total - observed)), 1.0)


# Sums this close, relative to the largest term, are equal.
_SAME = 1e-10
# Steps of all exact tests together under "auto": a few seconds.
_BUDGET = 2e9
# Sums that resampling holds at a time.
_CHUNK = 500_000
# Signs drawn at most, beyond the fewest resamples: with more than 10,000 rows there are fewer.
_MOST_SIGNS, _FEWEST = 1_000_000_000, 10_000


@dataclass(frozen=True, slots=True)
class SignTests:
    """Tests of M sums against random signs of their terms."""

    statistic: Array  # (M,) sums over their standard deviation under random signs, 0 without terms
    # p_value, error: (M,) p-values, and the standard errors of their evaluation: 0 where not
    # resampled
    p_value: Array
    error: Array
    smallest: Array  # (M,) the smallest p-value that any signs of as many terms could give
    kinds: tuple[str, ...]  # M words: ``"exact"``, ``"monte-carlo"`` or ``"asymptotic"``
    resamples: int  # how many were drawn, or would be


def signed_ranks(differences: Array, noise: Array | float) -> Array:
    """Return (B, P) ranks of the sizes of each column with their signs; 0 for zero and NaN.

    Zero differences are left out before ranking (Wilcoxon); sizes are tied that differ by at most
    the larger of what is `noise` (B, P), or (B, 1) of all columns, of the two.

    Examples
    --------
    >>> signed_ranks(np.array([[0.3], [-0.1], [0.0], [0.3], [np.nan]]), 1e-9).ravel().tolist()
    [2.5, -1.0, 0.0, 2.5, 0.0]
    """
    size = np.abs(differences)
    size = np.where(size > noise, size, np.nan).T
    if isinstance(noise, np.ndarray):
        noise = np.broadcast_to(noise.T, size.shape)
    ranks = ranked_rows(size, noise).T
    return np.ascontiguousarray(np.where(np.isnan(ranks), 0.0, np.sign(differences) * ranks))


def signed_normal_scores(differences: Array, noise: Array | float) -> Array:
    """Return (B, P) normal scores ``ndtri((1 + r / (n + 1)) / 2)`` of the signed ranks r."""
    ranks = signed_ranks(differences, noise)
    n = np.count_nonzero(ranks, axis=0)
    return np.sign(ranks) * ndtri((1 + np.abs(ranks) / (n + 1)) / 2)


def sign_tests(
    terms: Array,
    *,
    two_sided: Flags,
    null: NullKind = "auto",
    resamples: int = 100_000,
    seed: int = 0,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> SignTests:
    """Return the test of each column's sum against random signs of its terms.

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
        Of Monte Carlo, which draws one sign for each row: p-values ``(1 + #) / (N + 1)``. Of more
        than 10,000 rows there are fewer resamples, 1e9 signs or 10,000 resamples in all.
    n_jobs
        Threads, as `parallel.workers` has them.
    progress
        Called with the number of resamples just done.

    Returns
    -------
    SignTests
        One test for each column.

    References
    ----------
    Phipson, B. & Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical
    Applications in Genetics and Molecular Biology 9, 39. https://doi.org/10.2202/1544-6115.1585

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
    resamples = min(resamples, max(_FEWEST, _MOST_SIGNS // max(len(terms), 1)))
    if null == "asymptotic":
        return SignTests(z, p, error, smallest, ("asymptotic",) * m, resamples)
    exact = np.zeros(m, np.bool_)
    if null != "monte-carlo":
        exact = _exactly(terms, two_sided, p, everything=null == "exact")
    left = np.flatnonzero(~exact)
    if len(left):
        p[left] = _resampled(terms[:, left], two_sided[left], resamples, seed, n_jobs, progress)
        error[left] = np.sqrt(p[left] * (1 - p[left]) / (resamples + 1))
        smallest[left] = np.maximum(smallest[left], 1 / (resamples + 1))
    kinds = tuple("exact" if one else "monte-carlo" for one in exact)
    return SignTests(z, p, error, smallest, kinds, resamples)


def _exactly(terms: Array, two_sided: Flags, p: Array, *, everything: bool) -> Flags:
    """Compute exact p-values in place where the budget allows, and return a mask of these.

    Columns whose terms have the same sizes, as ranks without ties do, share their distribution.
    """
    columns_of: dict[bytes, list[int]] = {}
    weights: dict[bytes, Codes] = {}
    alone: list[int] = []
    for j, column in enumerate(terms.T):
        sizes = np.abs(column[column != 0])
        integers = on_lattice(sizes, _SAME * float(sizes.max(initial=0.0)))
        if integers is None or not len(integers):
            alone.append(j)
            continue
        ordered = np.sort(integers)
        key = ordered.tobytes()
        weights[key] = ordered
        columns_of.setdefault(key, []).append(j)
    # What a column may take depends on no other one, so that another's gap changes nothing in it.
    budget = _BUDGET / len(p)
    exact = np.zeros(len(p), np.bool_)
    ranked: list[int] = []
    for key, columns in columns_of.items():
        n = len(weights[key])
        steps = n * float(weights[key].sum())
        if steps <= _BUDGET and (weights[key] == np.arange(1, n + 1)).all():
            ranked += columns
        elif steps <= budget or (everything and tractable(weights[key])):
            exact[columns] = True
            p[columns] = _shared(weights[key], terms[:, columns], two_sided[columns])
        else:
            alone += columns
    if ranked:
        exact[ranked] = True
        p[ranked] = _of_ranks(terms[:, ranked], two_sided[ranked])
    for j in alone:
        n = np.count_nonzero(terms[:, j])
        exact[j] = everything or (n <= MOST_REALS and 64 * 2 ** ((n + 1) // 2) <= budget)
        if exact[j]:
            p[j] = sign_flip(terms[:, j], "two-sided" if two_sided[j] else "greater").p_value
    return exact


def _shared(weights: Codes, terms: Array, two_sided: Flags) -> Array:
    """Return exact p-values of columns whose absolute terms are the same integer multiples."""
    observed = _observed(terms, int(weights.sum()), two_sided)
    tails = np.array(upper_tails(weights, observed.tolist()))
    return np.minimum(np.where(two_sided, 2 * tails, tails), 1.0)


def _of_ranks(terms: Array, two_sided: Flags) -> Array:
    """Return the p-values of columns of signed ranks without ties, or multiples of these."""
    n = np.count_nonzero(terms, axis=0)
    tails = rank_sum_tails(n, _observed(terms, n * (n + 1) // 2, two_sided))
    return np.minimum(np.where(two_sided, 2 * tails, tails), 1.0)


def _observed(terms: Array, total: int | Codes, two_sided: Flags) -> Codes:
    """Return the sums of the positive weights of columns, of which all are `total`."""
    unit = np.abs(terms).sum(axis=0) / total
    positive = np.rint(np.maximum(terms, 0.0).sum(axis=0) / unit).astype(np.int64)
    return np.where(two_sided, np.maximum(positive, total - positive), positive)


def rank_sum_tails(n: Codes, observed: Codes) -> Array:
    """Return ``P(sum >= x)`` of the positive ones of the ranks 1 to n, for several n and x.

    One pass over the ranks passes through the distributions of all n on its way to the largest.

    Examples
    --------
    >>> (rank_sum_tails(np.array([3, 8]), np.array([6, 35])) * 2.0 ** np.array([3, 8])).tolist()
    [1.0, 2.0]
    """
    total = n * (n + 1) // 2
    # The smaller of both tails, below sums of half the total.
    below = np.minimum(total - observed, observed - 1)
    tails, most = np.empty(len(n)), int(n.max())
    mass, added = np.zeros((2, most * (most + 1) // 4 + 1))
    mass[0] = 1.0
    scale, end = 0, 1  # sums grow by 2 each step, of which `scale` are not yet taken back
    for rank in range(1, most + 1):
        end = min(end + rank, len(mass))
        added[:rank] = mass[:rank]
        np.add(mass[rank:end], mass[: end - rank], out=added[rank:end])
        mass, added, scale = added, mass, scale + 1
        if scale == _STEPS_PER_SCALE:
            mass *= 0.5**scale
            scale = 0
        at = np.flatnonzero(n == rank)
        if len(at):
            share = np.cumsum(mass[: max(int(below[at].max()), 0) + 1]) * 0.5**scale
            tail = np.where(below[at] >= 0, share[below[at]], 0.0)
            tails[at] = np.where(below[at] == total[at] - observed[at], tail, 1 - tail)
    return tails


def _resampled(
    terms: Array,
    two_sided: Flags,
    resamples: int,
    seed: int,
    n_jobs: int | None,
    progress: Progress | None,
) -> Array:
    """Return (M,) p-values from one random sign for each row and resample."""
    from benchinfer.numerics.shuffle import signed_sums  # numba: a second, where signs are drawn

    observed = terms.sum(axis=0)
    observed = np.where(two_sided, np.abs(observed), observed)
    observed -= _SAME * np.abs(terms).max(axis=0, initial=0.0)
    step = max(1000, min(_CHUNK // terms.shape[1], 20_000))
    count = np.ones(terms.shape[1])
    for done in range(0, resamples, step):
        last = min(done + step, resamples)
        sums = signed_sums(terms, seed, done, last, n_jobs)
        np.abs(sums, out=sums, where=two_sided)
        count += (sums >= observed).sum(axis=0)
        if progress is not None:
            progress(last - done)
    return count / (resamples + 1)
