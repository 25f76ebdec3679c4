"""Likelihood of the Bradley-Terry model."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from benchinfer.analyses.wins.numerics.tally import Tally
from benchinfer.core.errors import FitError
from benchinfer.core.saving import savable
from benchinfer.numerics.covariance import contrast_variances
from benchinfer.numerics.max_t import all_pairs, critical_t

type Array = NDArray[np.float64]
_STEPS, _TOLERANCE = 200, 1e-10
# A quasi-variance below this part of the largest is zero but for rounding.
_POSITIVE = 1e-9


@savable
@dataclass(frozen=True, slots=True)
class WinFit:
    """Estimates of the log worths; the first wins against the second with the odds of the worths.

    With ``d = log_worth[i] - log_worth[j]`` the probabilities that i wins, that neither does and
    that j wins are in the proportion ``exp(d / 2) : exp(tie) : exp(-d / 2)``.

    Attributes
    ----------
    log_worth
        (K,) log worths; they sum to 0.
    tie
        Log of Davidson's nu; None for a model without ties.
    cov
        (K, K) covariance of the log worths, contests taken as independent.
    robust
        (K, K) covariance from the spread of the clusters' scores; None with fewer than two.
    log_likelihood
        Of the counts, without the binomial coefficients and without a penalty.
    penalised
        Whether Firth's penalty was used.
    """

    log_worth: Array
    tie: float | None
    cov: Array
    robust: Array | None
    log_likelihood: float
    penalised: bool


def probabilities(d: Array, tie: "float | Array | None") -> tuple[Array, Array, Array]:
    """Return the probabilities that the first wins, that neither does, and that the second wins.

    Parameters
    ----------
    d
        Differences of log worths.
    tie
        Log of nu; None without ties.
    """
    half = np.abs(d) / 2
    better = np.ones_like(d)
    worse = np.exp(-2 * half)
    even = np.zeros_like(d) if tie is None else np.exp(tie - half)
    # With a tie parameter beyond all measure the ties alone remain.
    total = better + worse + even
    high, low = better / total, worse / total
    return np.where(d > 0, high, low), even / total, np.where(d > 0, low, high)


def log_likelihood(tally: Tally, log_worth: Array, tie: float | None) -> float:
    """Return the log likelihood of counts."""
    d = log_worth[tally.pairs[:, 0]] - log_worth[tally.pairs[:, 1]]
    first, even, second = (np.log(np.maximum(p, 1e-300)) for p in probabilities(d, tie))
    total = tally.total
    return float(np.sum(total.wins * first + total.ties * even + total.losses * second))


@dataclass(frozen=True, slots=True)
class _Slopes:
    """First and second derivatives of the log likelihood.

    ``score`` is (M, Q) by cluster and parameter (the log worths, then the log of nu if there is
    one), ``information`` (Q, Q), with the direction of a common shift filled in.
    """

    score: Array
    information: Array
    design: Array
    weight: Array
    middle: Array


def _slopes(tally: Tally, log_worth: Array, tie: float | None) -> _Slopes:
    k = len(log_worth)
    design = np.zeros((len(tally.pairs), k))
    rows = np.arange(len(tally.pairs))
    design[rows, tally.pairs[:, 0]], design[rows, tally.pairs[:, 1]] = 1.0, -1.0
    first, even, second = probabilities(design @ log_worth, tie)
    n = tally.n
    balance = (tally.wins - tally.losses - n * (first - second)) / 2
    score = balance @ design
    total = n.sum(axis=0)
    weight = total * (first + second - (first - second) ** 2) / 4
    # The null direction gets a size like that of the others.
    information = design.T @ (weight[:, None] * design)
    information += np.ones((k, k)) * max(np.trace(information), 1e-300) / k**2
    if tie is not None:
        score = np.column_stack([score, (tally.ties - n * even).sum(axis=1)])
        cross = design.T @ (-total * (first - second) * even / 2)
        own = np.array([[np.sum(total * even * (1 - even))]])
        information = np.block([[information, cross[:, None]], [cross[None], own]])
    return _Slopes(score, information, design, weight, (first - second) / 2)


def fit_wins(tally: Tally, *, penalised: bool = False) -> WinFit:
    """Fit a Bradley-Terry model, or Davidson's where there are ties.

    Parameters
    ----------
    tally
        Counts, as `Tally.taken` gives them. Its groups must be one, unless penalised.
    penalised
        Whether the likelihood is multiplied by the root of the information's determinant (Firth
        1993 [3]_), under which estimates are finite as long as all algorithms are connected; for
        counts without ties.

    References
    ----------
    Bradley, R. A. & Terry, M. E. (1952). Rank analysis of incomplete block designs: I. The method
    of paired comparisons. Biometrika 39, 324-345. https://doi.org/10.1093/biomet/39.3-4.324

    Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in paired
    comparison experiments. Journal of the American Statistical Association 65, 317-328.
    https://doi.org/10.1080/01621459.1970.10481082

    Firth, D. (1993). Bias reduction of maximum likelihood estimates. Biometrika 80, 27-38.
    https://doi.org/10.1093/biomet/80.1.27

    Liang, K.-Y. & Zeger, S. L. (1986). Longitudinal data analysis using generalized linear models.
    Biometrika 73, 13-22. https://doi.org/10.1093/biomet/73.1.13

    Examples
    --------
    Of two algorithms the odds are those of the wins.

    >>> counts = Tally(np.array([[0, 1]]), np.array([[6.0]]), np.zeros((1, 1)), np.array([[2.0]]))
    >>> np.exp(np.diff(fit_wins(counts).log_worth[::-1]))
    array([3.])
    """
    k = tally.n_algorithms
    tied = tally.ties.sum() > 0
    point = np.zeros(k + tied)
    size = max(float(tally.n.sum()), 1.0)
    for _ in range(_STEPS):
        slopes = _slopes(tally, *_split(point, k))
        score = _score(slopes, penalised=penalised)
        if np.abs(score).max() <= _TOLERANCE * size:
            break
        point = _step(tally, point, score, slopes, penalised=penalised)
    else:
        raise FitError("the likelihood of the worths has no maximum that was reached.")
    worth, tie = _split(point, k)
    inverse = np.linalg.inv(slopes.information)
    centre = np.eye(k) - 1 / k
    m = tally.clusters
    robust = None
    if m > 1:
        meat = slopes.score.T @ slopes.score * m / (m - 1)
        robust = centre @ (inverse @ meat @ inverse)[:k, :k] @ centre
    return WinFit(
        log_worth=worth - worth.mean(),
        tie=tie,
        cov=centre @ inverse[:k, :k] @ centre,
        robust=robust,
        log_likelihood=log_likelihood(tally, worth, tie),
        penalised=penalised,
    )


def least_errors(
    tally: Tally, contrasts: Array, log_worth: Array, df: float, *, clustered: bool
) -> Array:
    """Return the least standard errors of contrasts whose estimates the penalty alone makes finite.

    Of two algorithms of different groups one won all of their contests. The curvature of the
    likelihood and the spread of the clusters say nothing of its error there. With n such contests,
    or clusters of them, the exact sign test has the p-value ``2^(1 - n)``: an error below the one
    at which the t test says the same would be too small.

    Parameters
    ----------
    tally
        Counts that the model was fitted to.
    contrasts
        (J, K). One of several pairs of different groups has the n of the pair that met most often.
    log_worth
        (K,) log worths.
    df
        Degrees of freedom of the t tests.
    clustered
        Whether clusters count instead of contests.

    Returns
    -------
    ndarray
        (J,), 0 for contrasts within groups.
    """
    k, (i, j) = tally.n_algorithms, tally.pairs.T
    group = np.empty(k, dtype=np.int64)
    for n, own in enumerate(tally.groups()):
        group[own] = n
    decided = tally.wins + tally.losses
    met = np.zeros((k, k))
    met[i, j] = met[j, i] = ((decided > 0) if clustered else decided).sum(axis=0)
    apart = group[:, None] != group
    found = np.zeros(len(contrasts))
    for row, contrast in enumerate(contrasts):
        sides = np.outer(contrast > 0, contrast < 0) & apart
        if sides.any():
            # No p-value above 1/2, so that errors are finite.
            most = max(float(met[sides].max()), 2.0)
            found[row] = abs(contrast @ log_worth) / critical_t(np.array([df]), 2 ** (1 - most))[0]
    return found


def _split(point: Array, k: int) -> tuple[Array, float | None]:
    return point[:k], float(point[k]) if len(point) > k else None


def _score(slopes: _Slopes, *, penalised: bool) -> Array:
    score = slopes.score.sum(axis=0)
    if penalised:
        inverse = np.linalg.inv(slopes.information)
        share = slopes.weight * contrast_variances(slopes.design, inverse)
        # h (1/2 - p), with p - 1/2 half the difference of the probabilities.
        score = score - (share * slopes.middle) @ slopes.design
    return score


def _goal(tally: Tally, point: Array, *, penalised: bool) -> float:
    worth, tie = _split(point, tally.n_algorithms)
    value = log_likelihood(tally, worth, tie)
    if not penalised:
        return value
    return value + float(np.linalg.slogdet(_information(tally, worth))[1]) / 2


def _information(tally: Tally, worth: Array) -> Array:
    """Return the information on the log worths, the shift filled in by a constant."""
    slopes = _slopes(tally, worth, None)
    k = len(worth)
    return slopes.design.T @ (slopes.weight[:, None] * slopes.design) + np.ones((k, k))


def _step(tally: Tally, point: Array, score: Array, slopes: _Slopes, *, penalised: bool) -> Array:
    """Take Newton's step, or as much of it as does not make the likelihood smaller."""
    step = np.linalg.solve(slopes.information, score)
    now, share = _goal(tally, point, penalised=penalised), 1.0
    while share > 1e-8:
        tried = point + share * step
        if _goal(tally, tried, penalised=penalised) >= now - 1e-12 * abs(now):
            return tried
        share /= 2
    return point + share * step


@savable
@dataclass(frozen=True, slots=True)
class QuasiVariances:
    """Quasi-variances of K estimates.

    Attributes
    ----------
    variance
        (K,) with ``variance[i] + variance[j]`` near the variance of the difference of i and j. One
        may be negative, which is no fault of the sums (Firth & de Menezes 2004).
    low, high
        Least and largest relative error of the standard errors of the differences that they give.
    """

    variance: Array
    low: float
    high: float

    @property
    def error(self) -> Array:
        """(K,) quasi-standard errors; NaN where a variance is not positive and has none."""
        positive = self.variance > _POSITIVE * self.variance.max()
        return np.sqrt(np.where(positive, self.variance, np.nan))


def quasi_variances(cov: Array, least: Array | float = 0.0) -> QuasiVariances:
    """Return quasi-variances: least squares on the logs of the variances of differences.

    Parameters
    ----------
    cov
        (K, K) covariance; only differences matter. Those without a variance are left out.
    least
        (P,) least standard errors of the differences.

    References
    ----------
    Firth, D. & de Menezes, R. X. (2004). Quasi-variances. Biometrika 91, 65-80.
    https://doi.org/10.1093/biomet/91.1.65

    Examples
    --------
    Independent estimates have their variances.

    >>> quasi_variances(np.diag([1.0, 2.0, 3.0])).variance.round(6)
    array([1., 2., 3.])
    """
    k = len(cov)
    _, matrix = all_pairs(k)
    wanted = np.maximum(contrast_variances(matrix, cov), np.square(least))
    if k == 2:
        # One difference cannot say whose error it is.
        return QuasiVariances(np.full(2, wanted[0] / 2), 0.0, 0.0)
    known = wanted > 1e-12 * wanted.max()
    if not known.any():
        return QuasiVariances(np.zeros(k), 0.0, 0.0)
    both, wanted = np.abs(matrix[known]), wanted[known]
    scale = float(wanted.mean())
    target = np.log(wanted / scale)

    def residual(q: Array) -> Array:
        return np.log(np.maximum(both @ q, 1e-12)) - target

    def slope(q: Array) -> Array:
        return both / np.maximum(both @ q, 1e-12)[:, None]

    start = np.maximum(_start(wanted / scale, both), 0.05)
    found = least_squares(residual, start, jac=slope, xtol=1e-14, ftol=1e-14, gtol=1e-12)
    error = np.exp(residual(found.x) / 2) - 1
    return QuasiVariances(scale * found.x, float(error.min()), float(error.max()))


def _start(wanted: Array, both: Array) -> Array:
    return np.linalg.lstsq(both, wanted, rcond=None)[0]
