"""Exact tests of two algorithms on paired scores: sign flips, signed ranks, signs.

When two algorithms are alike, each difference is as likely as its negative, given its size: the
2^n sign patterns are equally likely. The tests count the patterns at least as extreme as the
observed one, exactly and for any ties. What is tested is symmetry of the differences about zero
(for `sign_test`: a median of zero); skew alone can reject it.

References
----------
Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.
https://doi.org/10.2307/3001968
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from benchinfer.errors import DesignError, message
from benchinfer.numerics import subset_sums
from benchinfer.numerics.align import midranks

type Array = NDArray[np.float64]
type Integers = NDArray[np.int64]
type Alternative = Literal["two-sided", "greater", "less"]
type Zeros = Literal["wilcoxon", "pratt"]

# Differences closer than this part of the largest are tied: the noise of subtracted scores.
_NOISE = 1e-10


@dataclass(frozen=True, slots=True)
class ExactTest:
    """An exact test.

    Attributes
    ----------
    statistic
        Mean difference, sum of the positive ranks, or number of positive differences.
    p_value
        Its p-value.
    smallest_p
        The smallest p-value that any scores with as many non-zero differences could give.
    n
        Number of non-zero differences.
    zeros
        Number of zero differences.
    """

    statistic: float
    p_value: float
    smallest_p: float
    n: int
    zeros: int


def sign_flip(
    differences: Array, alternative: Alternative = "two-sided", tolerance: float | None = None
) -> ExactTest:
    """Test the mean difference against all sign patterns.

    Parameters
    ----------
    differences
        (n,) paired differences.
    alternative
        ``"greater"`` if large differences speak against the hypothesis, ``"less"`` if small ones.
    tolerance
        Differences at most so far from zero are zero, and means of patterns at most so far below
        the observed one (as sums) count as equal; by default 1e-10 of the largest difference.

    Raises
    ------
    DesignError
        The differences are more than 44 and not multiples of a common unit (or of too fine a one),
        so that exact counting takes too long.

    Notes
    -----
    Multiples of a common unit (accuracies on test sets of one size, rounded scores) allow thousands
    of differences by dynamic programming over sums; others up to 44 by counting through two halves.
    """
    noise = _noise(differences, tolerance)
    sizes, positive = _sizes(differences, noise)
    whole = subset_sums.on_lattice(sizes, noise)
    statistic = float(differences.sum()) / max(len(differences), 1)
    if whole is not None and subset_sums.tractable(whole):
        return _of_integers(statistic, whole, positive, len(differences), alternative)
    if len(sizes) > subset_sums.MOST_REALS:
        raise DesignError(
            message(
                f"{len(sizes)} differences without a common unit have too many sign patterns to"
                " count.",
                hint=f"up to {subset_sums.MOST_REALS} can be counted;"
                ' null="monte-carlo" draws patterns at random.',
            )
        )

    def tail(observed: float) -> float:
        return subset_sums.upper_tail_of_reals(sizes, observed, noise)

    p = _p_value(tail, float(sizes[positive].sum()), float(sizes.sum()), alternative)
    return _exact(statistic, p, len(sizes), len(differences), alternative)


def signed_rank(
    differences: Array,
    zeros: Zeros = "wilcoxon",
    alternative: Alternative = "two-sided",
    tolerance: float | None = None,
) -> ExactTest:
    """Test the signed ranks of the differences, exactly with ties and zeros.

    Parameters
    ----------
    differences
        (n,) paired differences.
    zeros
        ``"wilcoxon"`` drops zero differences before ranking, ``"pratt"`` after.
    alternative
        ``"greater"`` if large differences speak against the hypothesis, ``"less"`` if small ones.
    tolerance
        Differences at most so far from zero are zero, and sizes at most so far from the next are
        tied; by default 1e-10 of the largest difference.

    Raises
    ------
    DesignError
        There are too many differences, about 3,000.

    References
    ----------
    Pratt, J. W. (1959). Remarks on zeros and ties in the Wilcoxon signed rank procedures. Journal
    of the American Statistical Association 54, 655-667.
    https://doi.org/10.1080/01621459.1959.10501526

    Examples
    --------
    >>> signed_rank(np.array([1.1, 2.2, -0.3, 4.0, 5.0])).p_value
    0.125
    """
    noise = _noise(differences, tolerance)
    sizes, positive = _sizes(differences, noise)
    absent = len(differences) - len(sizes)
    weights = doubled_midranks(sizes, noise) + (2 * absent if zeros == "pratt" else 0)
    if not subset_sums.tractable(weights):
        raise DesignError(
            message(
                f"The exact distribution of {len(weights)} signed ranks takes too long.",
                hint="the normal approximation is accurate with that many.",
            )
        )
    statistic = float(weights[positive].sum()) / 2
    return _of_integers(statistic, weights, positive, len(differences), alternative)


def sign_test(
    differences: Array,
    alternative: Alternative = "two-sided",
    tolerance: float | None = None,
    *,
    mid_p: bool = False,
) -> ExactTest:
    """Test the number of positive differences among those that are not zero.

    Parameters
    ----------
    differences
        (n,) paired differences.
    alternative
        ``"greater"`` if many positive differences speak against the hypothesis, ``"less"`` if few.
    tolerance
        Differences at most so far from zero are zero; by default 1e-10 of the largest difference.
    mid_p
        Count the observed number half: closer to the level on average, not always below it.

    Examples
    --------
    >>> sign_test(np.array([1, 1, 1, 1, 1, -1.0])).p_value
    0.21875
    """
    sizes, positive = _sizes(differences, _noise(differences, tolerance))
    n, count = len(sizes), int(positive.sum())

    def tail(observed: float) -> float:
        at_least = _binomial_tail(n, int(observed))
        if not mid_p:
            return at_least
        return (at_least + _binomial_tail(n, int(observed) + 1)) / 2

    p = _p_value(tail, count, n, alternative)
    found = _exact(float(count), p, n, len(differences), alternative)
    if not mid_p or not n:
        return found
    return ExactTest(found.statistic, p, found.smallest_p / 2, n, found.zeros)


def doubled_midranks(sizes: Array, tolerance: float) -> Integers:
    """Return twice the midranks; sizes whose gap to the next is at most the tolerance are tied.

    Examples
    --------
    >>> doubled_midranks(np.array([0.3, 0.1, 0.2, 0.1 + 0.2]), 1e-10).tolist()
    [7, 2, 4, 7]
    """
    return np.rint(2 * midranks(sizes, tolerance).values).astype(np.int64)


def _noise(differences: Array, tolerance: float | None) -> float:
    if tolerance is not None:
        return tolerance
    return _NOISE * float(np.abs(differences).max(initial=0.0))


def _sizes(differences: Array, noise: float) -> tuple[Array, NDArray[np.bool_]]:
    """Return the sizes of the differences that are not zero, and which are positive."""
    kept = differences[np.abs(differences) > noise]
    return np.abs(kept), kept > 0


def _of_integers(
    statistic: float,
    weights: Integers,
    positive: NDArray[np.bool_],
    n_all: int,
    alternative: Alternative,
) -> ExactTest:
    reduced = weights // max(int(np.gcd.reduce(weights)), 1)

    def tail(observed: float) -> float:
        return subset_sums.upper_tail_of_integers(reduced, int(observed))

    p = _p_value(tail, int(reduced[positive].sum()), int(reduced.sum()), alternative)
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


def _binomial_tail(n: int, count: int) -> float:
    """Return ``P(X >= count)`` of n fair coins."""
    if count <= 0:
        return 1.0
    return float(betainc(count, n - count + 1, 0.5)) if count <= n else 0.0
