"""Likelihood of the Bradley-Terry model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares
from scipy.sparse import csr_array
from scipy.special import chdtrc

from benchinfer.analyses.wins.numerics.tally import Tally
from benchinfer.core.errors import FitError
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.covariance import all_pairs, contrast_variances
from benchinfer.numerics.max_t import critical_t
from benchinfer.numerics.types import Array, Codes

_STEPS, _TOLERANCE, _SHORTEST = 200, 1e-10, 1e-8
# A quasi-variance below this part of the largest is zero but for rounding.
_POSITIVE = 1e-9


@savable
@shaped(log_worth="K", cov="K K")
@dataclass(frozen=True, slots=True)
class WinFit:
    """Estimates of the log worths; the first wins against the second with the odds of the worths.

    With ``d = log_worth[i] - log_worth[j]`` the probabilities that i wins, that neither does and
    that j wins are in the proportion ``exp(d / 2) : exp(tie) : exp(-d / 2)``.
    """

    log_worth: Array  # (K,) log worths; they sum to 0
    tie: float | None  # log of Davidson's nu; None for a model without ties
    cov: Array  # (K, K) covariance of the log worths, contests taken as independent
    log_likelihood: float  # of the counts, without the binomial coefficients and without a penalty
    penalised: bool  # whether Firth's penalty was used


def probabilities(d: Array, tie: float | Array | None) -> tuple[Array, Array, Array]:
    """Return the probabilities that the first wins, that neither does, and that the second wins.

    `d` are differences of log worths, `tie` is the log of nu, None without ties.
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


def score_of(tally: Tally, log_worth: Array, tie: float | Array | None) -> Array:
    """Return (M, Q) first derivatives of the log likelihood by cluster and parameter.

    The log worths are (K,) or, where each cluster has its own, (M, K), and ties (M, 1).
    """
    k, (i, j) = log_worth.shape[-1], tally.pairs.T
    first, even, second = probabilities(log_worth[..., i] - log_worth[..., j], tie)
    n = tally.n
    score = (tally.wins - tally.losses - n * (first - second)) @ _design(tally.pairs, k) / 2
    if tie is None:
        return score
    return np.column_stack([score, (tally.ties - n * even).sum(axis=1)])


def information_of(pairs: Codes, n: Array, log_worth: Array, tie: float | Array | None) -> Array:
    """Return the (U, Q, Q) information of (U, P) numbers of contests; a common shift has none.

    The log worths are (K,), or (U, K) with ties (U, 1).
    """
    k, (i, j) = log_worth.shape[-1], pairs.T
    first, even, second = probabilities(log_worth[..., i] - log_worth[..., j], tie)
    weight = n * (first + second - (first - second) ** 2) / 4
    information = np.zeros((len(n), k + (tie is not None), k + (tie is not None)))
    information[:, i, j] = information[:, j, i] = -weight
    information[:, range(k), range(k)] = -information[:, :k, :k].sum(axis=2)
    if tie is not None:
        cross = (-n * (first - second) * even / 2) @ _design(pairs, k)
        information[:, :k, k] = information[:, k, :k] = cross
        information[:, k, k] = (n * even * (1 - even)).sum(axis=1)
    return information


def _design(pairs: Codes, k: int) -> csr_array:
    """Return the (P, K) differences of pairs."""
    signs = np.tile([1.0, -1.0], len(pairs))
    return csr_array((signs, pairs.ravel(), 2 * np.arange(len(pairs) + 1)), (len(pairs), k))


def fit_wins(tally: Tally, *, penalised: bool = False) -> WinFit:
    """Fit a Bradley-Terry model, or Davidson's where there are ties.

    Parameters
    ----------
    tally
        Counts, as `Tally.with_ties` gives them. Its groups must be one, unless penalised.
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

    Examples
    --------
    Of two algorithms the odds are those of the wins.

    >>> counts = Tally(np.array([[0, 1]]), np.array([[6.0]]), np.zeros((1, 1)), np.array([[2.0]]))
    >>> np.exp(np.diff(fit_wins(counts).log_worth[::-1]))
    array([3.])
    """
    k, total = tally.n_algorithms, tally.total
    tied, (i, j) = bool(total.ties.sum() > 0), total.pairs.T

    def at(point: Array) -> tuple[Array, Array]:
        """Return the score, with the penalty if there is one, and the information at a point."""
        worth, tie = point[:k], float(point[k]) if tied else None
        (information,) = information_of(total.pairs, total.n, worth, tie)
        weight = -information[i, j]
        # A common shift has no information: it gets a size like that of the others.
        information[:k, :k] += max(np.trace(information[:k, :k]), 1e-300) / k**2
        score = score_of(total, worth, tie)[0]
        if penalised:
            inverse = np.linalg.inv(information)
            variances = inverse[i, i] + inverse[j, j] - 2 * inverse[i, j]
            first, _, second = probabilities(worth[i] - worth[j], tie)
            # h (1/2 - p), with p - 1/2 half the difference of the probabilities.
            score = score - (weight * variances * (first - second) / 2) @ _design(total.pairs, k)
        return score, information

    point = np.zeros(k + tied)
    score, information = at(point)
    for _ in range(_STEPS):
        if np.abs(score).max() <= _TOLERANCE * max(float(total.n.sum()), 1.0):
            break
        point, score, information = _stepped(at, point, score, information)
    else:
        raise FitError("the likelihood of the worths has no maximum that was reached.")
    worth, tie = point[:k], float(point[k]) if tied else None
    centre = np.eye(k) - 1 / k
    return WinFit(
        log_worth=worth - worth.mean(),
        tie=tie,
        cov=centre @ np.linalg.inv(information)[:k, :k] @ centre,
        log_likelihood=log_likelihood(total, worth, tie),
        penalised=penalised,
    )


def _stepped(
    at: Callable[[Array], tuple[Array, Array]], point: Array, score: Array, information: Array
) -> tuple[Array, Array, Array]:
    """Return the point, score and information after a Newton step, shortened if it overshoots.

    The penalty bends the likelihood, which the information leaves out: whole steps may swing from
    one side of the maximum to the other for ever.
    """
    step = np.linalg.solve(information, score)
    rise, share = float(score @ step), 1.0
    while True:
        new, there = at(point + share * step)
        if new @ step >= -rise / 2 or share <= _SHORTEST:
            return point + share * step, new, there
        share /= 2


def goodness_of_fit(tally: Tally, fit: WinFit) -> tuple[float, int]:
    """Return the p-value of Pearson's test of counts against a fit and its degrees of freedom."""
    total, worth = tally.total, fit.log_worth
    i, j = tally.pairs.T
    shares = np.stack(probabilities(worth[i] - worth[j], fit.tie))
    observed = np.stack([total.wins[0], total.ties[0], total.losses[0]])
    expected = shares * total.n[0]
    possible = expected > 0
    statistic = float(((observed - expected)[possible] ** 2 / expected[possible]).sum())
    kinds = 1 if fit.tie is None else 2
    df = kinds * int((total.n[0] > 0).sum()) - (tally.n_algorithms - 1) - (fit.tie is not None)
    return (float(chdtrc(df, statistic)) if df > 0 else 1.0), df


def least_errors(
    tally: Tally, contrasts: Array, log_worth: Array, df: Array, *, clustered: bool
) -> Array:
    """Return the least standard errors of contrasts whose estimates the penalty alone makes finite.

    Of two algorithms of different groups one won all of their contests. The curvature of the
    likelihood and the spread of the clusters say nothing of its error there. With n such contests,
    or clusters of them, the exact sign test has the p-value ``2^(1 - n)``: an error below the one
    at which the t test says the same would be too small.

    `tally` is that of the fit, `df` (J,) are the degrees of freedom of the t tests. A contrast (J,
    K) of several pairs of different groups has the n of the pair that met most often; clusters
    count instead of contests if `clustered`. The result is 0 for contrasts within groups.
    """
    k, (i, j) = tally.n_algorithms, tally.pairs.T
    errors, groups = np.zeros(len(contrasts)), tally.groups()
    if len(groups) == 1:
        return errors
    group = np.empty(k, dtype=np.int64)
    for n, members in enumerate(groups):
        group[members] = n
    decided = tally.wins + tally.losses
    met = np.zeros((k, k))
    met[i, j] = met[j, i] = ((decided > 0) if clustered else decided).sum(axis=0)
    apart = group[:, None] != group
    for row, contrast in enumerate(contrasts):
        first, second = np.flatnonzero(contrast > 0), np.flatnonzero(contrast < 0)
        sides = np.ix_(first, second)
        if apart[sides].any():
            # No p-value above 1/2, so that errors are finite.
            most = max(float(met[sides].max(where=apart[sides], initial=2.0)), 2.0)
            errors[row] = abs(contrast @ log_worth) / critical_t(df[row], 2 ** (1 - most))
    return errors


@savable
@shaped(variance="K")
@dataclass(frozen=True, slots=True)
class QuasiVariances:
    """Quasi-variances of K estimates.

    Attributes
    ----------
    variance
        (K,) with ``variance[i] + variance[j]`` near the variance of the difference of i and j. One
        may be negative, which is no fault of the sums (Firth & de Menezes 2004); NaN where no
        difference has a finite error.
    low, high
        Least and largest relative error of the standard errors of the differences that they give.
    """

    variance: Array
    low: float
    high: float

    @property
    def error(self) -> Array:
        """(K,) quasi-standard errors; NaN where a variance is not positive and has none."""
        largest = self.variance.max(where=~np.isnan(self.variance), initial=0.0)
        positive = self.variance > _POSITIVE * largest
        return np.sqrt(np.where(positive, self.variance, np.nan))


def quasi_variances(cov: Array, least: Array | float = 0.0) -> QuasiVariances:
    """Return quasi-variances: least squares on the logs of the variances of differences.

    Parameters
    ----------
    cov
        (K, K) covariance; only differences matter. Those without a variance are left out.
    least
        (P,) least standard errors of the differences; infinite ones are left out.

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
    finite = np.isfinite(wanted)
    known = finite & (wanted > 1e-12 * wanted.max(where=finite, initial=0.0))
    if not known.any():
        return QuasiVariances(np.where(finite.any(), 0.0, np.full(k, np.nan)), 0.0, 0.0)
    both, wanted = np.abs(matrix[known]), wanted[known]
    scale = float(wanted.mean())
    target = np.log(wanted / scale)

    def residual(q: Array) -> Array:
        return np.log(np.maximum(both @ q, 1e-12)) - target

    start = np.maximum(np.linalg.lstsq(both, wanted / scale, rcond=None)[0], 0.05)
    fit = least_squares(
        residual,
        start,
        jac=lambda q: both / np.maximum(both @ q, 1e-12)[:, None],
        xtol=1e-14,
        ftol=1e-14,
        gtol=1e-12,
    )
    error = np.exp(residual(fit.x) / 2) - 1
    shown = np.abs(matrix[finite]).any(axis=0)
    variance = np.where(shown, scale * fit.x, np.nan)
    return QuasiVariances(variance, float(error.min()), float(error.max()))
