"""t tests: paired, corrected resampled, 5x2cv, of units of unequal size.

A metric that is the mean of a loss per item can be taken on each of several disjoint parts of the
test set. Parts are the same for both algorithms, so that their means are paired, too.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc, fdtri, stdtr

from benchinfer.core.errors import DesignError
from benchinfer.numerics.max_t import critical_t
from benchinfer.numerics.shifts import freedom_of_units
from benchinfer.numerics.ties import rounding
from benchinfer.numerics.types import Array, Codes

# A standard error below this share of the largest difference is the noise of subtracted scores.
_NOISE = 1e-12


@dataclass(frozen=True, slots=True)
class EstimatedDifference:
    """An estimated difference."""

    estimate: float  # the difference
    std_error: float  # its standard error; 0 where all differences are the same
    df: float  # degrees of freedom of their ratio, infinite for a normal one


@dataclass(frozen=True, slots=True)
class DifferenceTest:
    """Test and interval of a difference."""

    # estimate, std_error, df, statistic: difference, standard error and degrees of freedom (NaN
    # where the test has none), and the test statistic
    estimate: float
    std_error: float
    df: float
    statistic: float
    p: float  # P-value of the difference
    equivalence: float  # larger p-value of the two one-sided tests at the margin
    # P-value of the hypothesis that the side to be shown is worse by the margin or more
    noninferiority: float
    # low, high: interval
    low: float
    high: float


def paired_t(differences: Array) -> EstimatedDifference:
    """Return the mean of independent differences with its standard error ``s / sqrt(n)``.

    References
    ----------
    Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52,
    239-281. https://doi.org/10.1023/A:1024068626366
    """
    return corrected_t(differences, 0.0)


def corrected_t(differences: Array, ratio: float) -> EstimatedDifference:
    """Return the mean difference over J resamples with Nadeau and Bengio's standard error.

    ``sqrt((1 / J + ratio) s^2)``, df J - 1.

    There are J >= 2 differences; `ratio` is the size of a test set over that of a training set, ``1
    / (k - 1)`` for k folds, also repeated.

    References
    ----------
    Bouckaert, R. R. & Frank, E. (2004). Evaluating the replicability of significance tests for
    comparing learning algorithms. PAKDD 2004, LNCS 3056, 3-12.
    https://doi.org/10.1007/978-3-540-24775-3_3

    Examples
    --------
    >>> found = corrected_t(np.array([0.02, 0.01, 0.04, 0.03, 0.0]), ratio=1 / 4)
    >>> round(found.estimate / found.std_error, 6), found.df
    (1.885618, 4.0)
    """
    n = len(differences)
    mean = float(differences.mean())
    spread = _spread(differences, mean)
    return EstimatedDifference(mean, spread * float(np.sqrt(1 / n + ratio)), n - 1.0)


def welch(first: Array, second: Array) -> EstimatedDifference:
    """Return the difference of the means of two independent samples, variances not assumed equal.

    References
    ----------
    Welch, B. L. (1947). The generalization of Student's problem when several different population
    variances are involved. Biometrika 34, 28-35. https://doi.org/10.1093/biomet/34.1-2.28
    """
    n, m = len(first), len(second)
    one, two = float(first.mean()), float(second.mean())
    v, w = _spread(first, one) ** 2 / n, _spread(second, two) ** 2 / m
    both = v + w
    df = both**2 / (v**2 / (n - 1) + w**2 / (m - 1)) if both > 0 else float(n + m - 2)
    return EstimatedDifference(one - two, float(np.sqrt(both)), df)


def units_t(total: Array, size: Array) -> EstimatedDifference:
    """Return the difference of two ratios of sums over C >= 2 independent units.

    With (C, 2) totals and sizes of the two sides, ``D = sum total / sum size`` of the first less
    that of the second. Of residuals ``r_c = (e_c - D n_c) / sum n`` and shares
    ``h_c = n_c / sum n`` (the mean of both sides) the variance is ``sum r_c^2 / (1 - h_c)`` (CR2),
    and the degrees of freedom are Bell and McCaffrey's under independent items: C - 1 for units of
    equal size.

    References
    ----------
    Bell, R. M. & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression
    with multi-stage samples. Survey Methodology 28, 169-181.

    Pustejovsky, J. E. & Tipton, E. (2018). Small-sample methods for cluster-robust variance
    estimation and hypothesis testing in fixed effects models. Journal of Business & Economic
    Statistics 36, 672-683. https://doi.org/10.1080/07350015.2016.1247004

    Examples
    --------
    >>> total, size = np.array([[3.0, 1.0], [1.0, 1.0], [2.0, 0.0]]), np.ones((3, 2))
    >>> of_units, paired = units_t(total, size), paired_t(total[:, 0] - total[:, 1])
    >>> bool(abs(of_units.std_error - paired.std_error) < 1e-12), round(of_units.df, 9)
    (True, 2.0)
    """
    level = total.sum(axis=0) / size.sum(axis=0)
    share = size / size.sum(axis=0)
    residual = (total / size.sum(axis=0) - level * share) @ [1.0, -1.0]
    h = share.mean(axis=1)
    error = float(np.sqrt((residual**2 / (1 - h)).sum()))
    scores = total / np.where(size > 0, size, 1.0)
    difference = float(level[0] - level[1])
    return EstimatedDifference(difference, _clean(error, scores), freedom_of_units(h))


def five_by_two(differences: Array) -> Array:
    """Return (5,) the variances ``s_i^2`` of five replications of two folds.

    Differences (5, 2) have a row for each replication.
    """
    return ((differences - differences.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)


def five_by_two_t(differences: Array) -> EstimatedDifference:
    """Return the first difference with the standard error ``sqrt(mean s_i^2)``, df 5.

    The estimate is the very first of the ten differences, so that the result depends on their
    order.

    References
    ----------
    Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised classification
    learning algorithms. Neural Computation 10, 1895-1923.
    https://doi.org/10.1162/089976698300017197
    """
    error = float(np.sqrt(five_by_two(differences).mean()))
    return EstimatedDifference(float(differences[0, 0]), _clean(error, differences), 5.0)


def five_by_two_f(differences: Array, tail: float) -> DifferenceTest:
    """Test by ``F = sum d_ij^2 / (2 sum s_i^2)`` with 10 and 5 degrees of freedom.

    Differences are (5, 2), and `tail` is half of one minus the level of the interval, which holds
    the shifts of all ten that the test does not reject; without bounds where it rejects all of
    them.

    References
    ----------
    Alpaydin, E. (1999). Combined 5 x 2 cv F test for comparing supervised classification learning
    algorithms. Neural Computation 11, 1885-1892. https://doi.org/10.1162/089976699300016007
    """
    mean = float(differences.mean())
    within = 2 * float(five_by_two(differences).sum())
    if _clean(float(np.sqrt(within)), differences) == 0:
        return DifferenceTest(mean, 0.0, 5.0, 0.0, 1.0, 1.0, 1.0, -np.inf, np.inf)
    statistic = float((differences**2).sum()) / within
    about = float(((differences - mean) ** 2).sum())
    room = (within * float(fdtri(10, 5, 1 - 2 * tail)) - about) / 10
    reach = float(np.sqrt(room)) if room >= 0 else np.inf
    p = float(fdtrc(10, 5, statistic))
    return DifferenceTest(mean, np.nan, 5.0, statistic, p, 1.0, 1.0, mean - reach, mean + reach)


def t_test(estimated: EstimatedDifference, side: int, margin: float, tail: float) -> DifferenceTest:
    """Test a difference by t, and whether it is within a margin.

    `side` is 0 for two sides, 1 or -1 where a positive or negative difference is to be shown; the
    margin is on either side of zero; the interval leaves out `tail` on each of its closed sides.

    Notes
    -----
    Without a standard error nothing is shown: p-values are 1 and the interval has no bounds.

    References
    ----------
    Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power
    approach for assessing the equivalence of average bioavailability. Journal of Pharmacokinetics
    and Biopharmaceutics 15, 657-680. https://doi.org/10.1007/BF01068419

    Examples
    --------
    >>> found = t_test(EstimatedDifference(0.02, 0.01, 9), side=0, margin=0.05, tail=0.025)
    >>> round(found.p, 4), round(found.equivalence, 4)
    (0.0766, 0.0075)
    """
    difference, error, df = estimated.estimate, estimated.std_error, estimated.df
    low, high = (-np.inf if side < 0 else 0.0), (np.inf if side > 0 else 0.0)
    if error == 0:
        return DifferenceTest(difference, 0.0, df, 0.0, 1.0, 1.0, 1.0, -np.inf, np.inf)
    t = difference / error
    reach = float(critical_t(np.array([df]), 2 * tail)[0]) * error
    return DifferenceTest(
        difference,
        error,
        df,
        t,
        float(stdtr(df, -side * t)) if side else min(2 * float(stdtr(df, -abs(t))), 1.0),
        float(stdtr(df, -(margin - abs(difference)) / error)) if margin > 0 else 1.0,
        float(stdtr(df, -(side * difference + margin) / error)) if side and margin > 0 else 1.0,
        difference - reach + low,
        difference + reach + high,
    )


def posterior(estimated: EstimatedDifference, margin: float) -> tuple[float, float, float]:
    """Return the probabilities that a difference is above, within and below the margin.

    Under the prior ``1 / sigma^2`` for mean and variance the difference has a t distribution about
    the estimate, scaled by the standard error: with the corrected standard error, whose correlation
    is ``rho = test / (test + train)``, Corani and Benavoli's correlated t-test.

    References
    ----------
    Corani, G. & Benavoli, A. (2015). A Bayesian approach for comparing cross-validated algorithms
    on multiple data sets. Machine Learning 100, 285-304. https://doi.org/10.1007/s10994-015-5486-z

    Examples
    --------
    >>> first, same, second = posterior(EstimatedDifference(0.02, 0.01, 9), margin=0.01)
    >>> round(first, 4), round(same, 4), round(second, 4)
    (0.8283, 0.1642, 0.0075)
    """
    if estimated.std_error == 0:
        return (
            float(estimated.estimate > margin),
            float(abs(estimated.estimate) <= margin),
            float(estimated.estimate < -margin),
        )
    above = float(stdtr(estimated.df, (estimated.estimate - margin) / estimated.std_error))
    below = float(stdtr(estimated.df, (-estimated.estimate - margin) / estimated.std_error))
    return above, max(1.0 - above - below, 0.0), below


def _spread(values: Array, mean: float) -> float:
    """Return the standard deviation with n - 1, free of the noise of subtraction."""
    spread = float(np.sqrt(((values - mean) ** 2).sum() / (len(values) - 1)))
    return _clean(spread, values)


def _clean(spread: float, values: Array) -> float:
    return 0.0 if spread <= _NOISE * float(np.abs(values).max(initial=0.0)) else spread


FEWEST = 10
# The share of normal samples that the search for a part size takes for others.
_ALPHA = 0.05


def split(values: Array, n_parts: int | None, seed: int) -> tuple[Array, Codes]:
    """Split items at random into parts of one size, as nearly as can be.

    Returns (N,) means of the parts, and (n,) the part of each item.

    `values` (n,) are of items, as a rule differences of two algorithms. Without `n_parts` each item
    is a part at first, and the size doubles until Shapiro and Wilk's test does not reject normality
    at 5 %, or fewer than 10 parts would be left.
    """
    n = len(values)
    if n_parts is not None:
        if not 2 <= n_parts <= n:
            raise DesignError(
                f"{n_parts} parts of {n} items.", hint="from two to the number of items."
            )
        return _cut(values, n_parts, seed)
    size = 1
    means, part = _cut(values, n, seed)
    while n // (2 * size) >= FEWEST and not _normal(means):
        size *= 2
        means, part = _cut(values, n // size, seed)
    return means, part


def _cut(values: Array, n_parts: int, seed: int) -> tuple[Array, Codes]:
    order = np.random.default_rng(seed).permutation(len(values))
    part = np.empty(len(values), np.int64)
    part[order] = np.arange(len(values)) % n_parts
    return np.bincount(part, values) / np.bincount(part), part


def _normal(means: Array) -> bool:
    if len(means) < 3 or np.ptp(means) <= rounding(means).max():
        return True
    from scipy.stats import shapiro  # half a second, for few tests

    # Beyond some thousand values the p-value of the test is not known well, and tiny departures,
    # which do not matter for a mean, are found.
    return float(shapiro(means[:5000]).pvalue) > _ALPHA
