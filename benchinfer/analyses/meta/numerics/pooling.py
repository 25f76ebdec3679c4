"""Pooled effects, heterogeneity and funnel asymmetry.

References
----------
Egger, M., Davey Smith, G., Schneider, M. & Minder, C. (1997). Bias in meta-analysis detected by a
simple, graphical test. BMJ 315, 629-634. https://doi.org/10.1136/bmj.315.7109.629

Effects ``y_i = x_i' b + u_i + e_i`` with ``u_i ~ N(0, tau^2)`` and known sampling variances ``v_i``
of ``e_i``; a part may have coefficients of its own, tau^2 is common to all parts. One effect by
DerSimonian and Laird or Paule and Mandel is in statsmodels, too (``combine_effects``; the tests
compare them), whose import costs .43 s of CPU; regressions and REML are not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc, chdtri, stdtr

from benchinfer.core.errors import FitError
from benchinfer.numerics.types import Array

type Method = Literal["reml", "paule-mandel", "dersimonian-laird", "fixed"]


@dataclass(frozen=True, slots=True)
class Egger:
    """Egger's test."""

    # slope, std_error, df, statistic, p_value: of the effect on its standard error: 0 where the
    # funnel is symmetric
    slope: float
    std_error: float
    df: int
    statistic: float
    p_value: float
    limit: float  # effect at a standard error of 0


def egger(y: Array, v: Array) -> Egger:
    """Regress effects on their standard errors, with weights 1 / v and a free dispersion.

    `y` and `v` (D,) are effects and sampling variances.
    """
    error = np.sqrt(v)
    if len(y) < 3 or np.ptp(error) <= 1e-8 * error.max():
        raise FitError("Egger's test needs three effects whose standard errors differ.")
    x = np.column_stack([np.ones(len(y)), error]) / error[:, None]
    cov = np.linalg.inv(x.T @ x)
    beta = cov @ (x.T @ (y / error))
    df = len(y) - 2
    rest = y / error - x @ beta
    errors = np.sqrt(cov.diagonal() * float(rest @ rest) / df)
    t = float(beta[1] / errors[1])
    p = 2 * float(stdtr(df, -abs(t)))
    return Egger(float(beta[1]), float(errors[1]), df, t, p, float(beta[0]))


# Candidates for tau^2 in units of the residual variance, besides 0: the likelihood can have
# several maxima.
GRID = np.logspace(-6, 2, 25)
# Errors of less than this share of the largest effect are rounding.
NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class NetworkPart:
    """Effects that share coefficients.

    Attributes
    ----------
    y, v
        (n,) effects and their sampling variances, which are positive.
    x
        (n, p) regressors of full column rank.
    """

    y: Array
    x: Array
    v: Array

    @property
    def free(self) -> int:
        """Residual degrees of freedom."""
        return len(self.y) - self.x.shape[1]


@dataclass(frozen=True, slots=True)
class At:
    """Generalised least squares at one tau^2."""

    q: float  # ``sum w r^2``, with weights ``w = 1 / (v + tau^2)``
    trace: float  # of ``P = W - W X (X'WX)^-1 X'W``
    score: float  # twice the derivative of the restricted log-likelihood by tau^2
    deviance: float  # minus twice the restricted log-likelihood, up to a constant


def solve(part: NetworkPart, tau2: float) -> tuple[Array, Array]:
    """Return (p,) coefficients by weighted least squares at a given tau^2, and their covariance."""
    w = 1 / (part.v + tau2)
    information = part.x.T @ (w[:, None] * part.x)
    try:
        cov = np.linalg.inv(information)
    except np.linalg.LinAlgError:
        raise FitError("the effects do not determine all coefficients.") from None
    return cov @ (part.x.T @ (w * part.y)), cov


def at(parts: Sequence[NetworkPart], tau2: float) -> At:
    """Evaluate parts at one tau^2."""
    total = np.zeros(4)
    for part in parts:
        w = 1 / (part.v + tau2)
        beta, cov = solve(part, tau2)
        weighted = w[:, None] * part.x
        inner = weighted.T @ weighted @ cov
        wr = w * (part.y - part.x @ beta)
        trace = w.sum() - np.trace(inner)
        q = float(wr**2 @ (part.v + tau2))
        logdet = -np.log(w).sum() - np.linalg.slogdet(cov)[1]
        total += [q, trace, wr @ wr - trace, logdet + q]
    return At(*(float(value) for value in total))


def tau_squared(parts: Sequence[NetworkPart], method: Method = "reml") -> float:
    """Estimate the variance between data sets.

    Parameters
    ----------
    parts
        The effects.
    method
        ``"reml"``: restricted maximum likelihood; ``"paule-mandel"``: the tau^2 at which Q equals
        its degrees of freedom; ``"dersimonian-laird"``: by moments, from Q at tau^2 = 0;
        ``"fixed"``: no such variance.

    Returns
    -------
    float
        0 or more; 0 where no degrees of freedom are left.

    Examples
    --------
    >>> part = NetworkPart(np.array([0.1, 0.3, 0.8, 0.2]), np.ones((4, 1)), np.full(4, 0.01))
    >>> round(tau_squared([part], "dersimonian-laird"), 6)
    0.086667
    """
    free = sum(part.free for part in parts)
    if free < 1 or method == "fixed":
        return 0.0
    largest = max(float(np.abs(part.y).max(initial=0.0)) for part in parts)
    if max(float(part.v.max(initial=0.0)) for part in parts) <= (NOTHING * largest) ** 2:
        raise FitError("effects have no sampling error, so that there is nothing to weigh them by.")
    fixed = at(parts, 0.0)
    if method == "dersimonian-laird":
        return max(0.0, (fixed.q - free) / fixed.trace)
    if method == "paule-mandel":
        return crossing(lambda t: at(parts, t).q - free, unit(parts))
    return _restricted(parts)


def unit(parts: Sequence[NetworkPart]) -> float:
    """Return a variance of the size of the effects' spread, to search in."""
    squares = sum(
        float(((p.y - p.x @ np.linalg.lstsq(p.x, p.y, rcond=None)[0]) ** 2).sum()) for p in parts
    )
    return squares / sum(p.free for p in parts) + float(np.mean([p.v.mean() for p in parts]))


def crossing(falling: Callable[[float], float], size: float) -> float:
    """Return where a falling function of tau^2 crosses 0, or 0 where it starts below."""
    if falling(0.0) <= 0:
        return 0.0
    high = size
    while falling(high) > 0:
        high *= 4
    return float(brentq(falling, 0.0, high, xtol=1e-15 * size, rtol=1e-14))


def _restricted(parts: Sequence[NetworkPart]) -> float:
    """Return the tau^2 of the highest maximum of the restricted likelihood."""
    grid = np.r_[0.0, unit(parts) * GRID]
    values = [at(parts, float(t)) for t in grid]
    deviance = np.array([one.deviance for one in values])
    score = np.array([one.score for one in values])
    best = int(np.argmin(deviance))
    if best == 0 and score[0] <= 0:
        return 0.0
    # Next to the best point of the grid the score changes sign from above to below.
    ends = [best, min(best + 1, len(grid) - 1)] if score[best] > 0 else [max(best - 1, 0), best]
    if score[ends[0]] < 0 or score[ends[1]] > 0:
        raise FitError("the restricted likelihood has no maximum where it was looked for.")
    low, high = grid[ends].tolist()
    zero = brentq(
        lambda t: at(parts, t).score,
        *(low, high),
        xtol=1e-15 * grid[-1],
        rtol=1e-14,
    )
    return float(zero)


@dataclass(frozen=True, slots=True)
class PooledEffects:
    """Pooled coefficients of one part."""

    beta: Array  # (p,) coefficients
    cov: Array  # (p, p) their covariance, with the scale in it
    tau2: float  # variance between data sets
    # What the covariance was multiplied with: ``Q / (n - p)`` of Hartung and Knapp, at least 1
    scale: float
    df: float  # degrees of freedom of t statistics, infinite for normal ones
    equal: bool = False  # whether effects have equal weights


def pool(part: NetworkPart, tau2: float, *, refined: bool = True) -> PooledEffects:
    """Pool effects at a given tau^2.

    Parameters
    ----------
    part
        The effects.
    tau2
        Variance between data sets.
    refined
        Whether errors are scaled by ``max(Q / (n - p), 1)`` at that tau^2 and tests take t with
        n - p degrees of freedom, after Hartung and Knapp, and for several coefficients Jackson and
        Riley; else they are Wald's. Effects that are alike by chance make no error smaller.

    Returns
    -------
    Pooled
        Coefficients with errors; without residual degrees of freedom Wald's.

    References
    ----------
    Viechtbauer, W. (2005). Bias and efficiency of meta-analytic variance estimators in the
    random-effects model. Journal of Educational and Behavioral Statistics 30, 261-293.
    https://doi.org/10.3102/10769986030003261

    DerSimonian, R. & Laird, N. (1986). Meta-analysis in clinical trials. Controlled Clinical Trials
    7, 177-188. https://doi.org/10.1016/0197-2456(86)90046-2

    Paule, R. C. & Mandel, J. (1982). Consensus values and weighting factors. Journal of Research of
    the National Bureau of Standards 87, 377-385. https://doi.org/10.6028/jres.087.022

    Hartung, J. & Knapp, G. (2001). A refined method for the meta-analysis of controlled clinical
    trials with binary outcome. Statistics in Medicine 20, 3875-3889.
    https://doi.org/10.1002/sim.1009

    Jackson, D. & Riley, R. D. (2014). A refined method for multivariate meta-analysis and
    meta-regression. Statistics in Medicine 33, 541-554. https://doi.org/10.1002/sim.5957
    """
    beta, cov = solve(part, tau2)
    if not refined or part.free < 1:
        return PooledEffects(beta, cov, tau2, 1.0, np.inf)
    scale = max(at([part], tau2).q / part.free, 1.0)
    return PooledEffects(beta, scale * cov, tau2, scale, float(part.free))


def effective_number(v: Array) -> float:
    """Return ``n0 = (sum 1 / v)^2 / sum 1 / v^2``, how many equally exact effects weigh as much.

    `v` (D,) are the sampling variances.

    Examples
    --------
    >>> round(effective_number(np.array([0.01, 1.0, 1.0])), 2)
    1.04
    """
    w = v.min() / v
    return float(w.sum() ** 2 / (w**2).sum())


def least_effective_number(n: int) -> float:
    """Return the effective number of n effects from which on weights by precision are safe."""
    return max(n / 2, 5.0)


def uneven(v: Array) -> bool:
    """Return whether effects are too few, or their errors too uneven, to be weighed by these."""
    return effective_number(v) < least_effective_number(len(v)) * (1 - 1e-12)


def pool_equally(part: NetworkPart, tau2: float) -> PooledEffects:
    """Pool the effects of one pair with equal weights.

    The mean of D effects, with the variance ``max(sum (y - mean)^2 / (D (D - 1)), sum v / D^2)``
    and t with D - 1 degrees of freedom. At two-sided levels up to 5 % the t-test keeps its level
    for normal effects of whatever unequal variances; the second term is what sampling errors alone
    would make of it.

    Parameters
    ----------
    part
        D >= 2 effects, whose single regressor is 1 or -1.
    tau2
        Variance between data sets, as it was estimated: it does not enter.

    References
    ----------
    Bakirov, N. K. & Szekely, G. J. (2006). Student's t-test for Gaussian scale mixtures. Journal of
    Mathematical Sciences 139, 6497-6505. https://doi.org/10.1007/s10958-006-0366-5

    Ibragimov, R. & Mueller, U. K. (2010). t-statistic based correlation and heterogeneity robust
    inference. Journal of Business & Economic Statistics 28, 453-468.
    https://doi.org/10.1198/jbes.2009.08046

    Examples
    --------
    >>> part = NetworkPart(np.array([0.1, 0.1001]), np.ones((2, 1)), np.full(2, 0.01))
    >>> found = pool_equally(part, 0.0)
    >>> round(float(found.beta[0]), 5), round(float(np.sqrt(found.cov[0, 0])), 5), found.df
    (0.10005, 0.07071, 1.0)
    """
    y, d = part.x[:, 0] * part.y, len(part.y)
    mean = float(y.mean())
    variance = max(float(((y - mean) ** 2).sum()) / (d * (d - 1)), float(part.v.sum()) / d**2)
    return PooledEffects(np.array([mean]), np.array([[variance]]), tau2, 1.0, d - 1.0, equal=True)


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """Heterogeneity of effects."""

    # q, df, p_value: Cochran's Q with fixed effects, its degrees of freedom, and its chi-squared
    # p-value
    q: float
    df: int
    p_value: float
    # tau2, tau2_low, tau2_high: variance between data sets, and its Q-profile interval, NaN where
    # that is empty
    tau2: float
    tau2_low: float
    tau2_high: float
    typical: float  # typical sampling variance

    def i2(self, tau2: float) -> float:
        """Return the share, in percent, of the effects' variance that is between data sets."""
        return 100 * tau2 / (tau2 + self.typical)

    def h2(self, tau2: float) -> float:
        """Return the ratio of the effects' variance to the sampling variance."""
        return tau2 / self.typical + 1


def heterogeneity(parts: Sequence[NetworkPart], tau2: float, level: float = 0.95) -> Heterogeneity:
    """Describe the heterogeneity of effects.

    Parameters
    ----------
    parts
        The effects, with at least one residual degree of freedom.
    tau2
        The estimate.
    level
        Confidence of the interval, which inverts Q at the tails of chi-squared.

    Returns
    -------
    Heterogeneity
        The interval's ends are 0 or more. It is empty (NaN) where Q is improbably small: effects
        are more alike than their sampling errors leave them, whatever the variance.

    References
    ----------
    Viechtbauer, W. (2007). Confidence intervals for the amount of heterogeneity in meta-analysis.
    Statistics in Medicine 26, 37-52. https://doi.org/10.1002/sim.2514

    Higgins, J. P. T. & Thompson, S. G. (2002). Quantifying heterogeneity in a meta-analysis.
    Statistics in Medicine 21, 1539-1558. https://doi.org/10.1002/sim.1186
    """
    free, fixed = sum(part.free for part in parts), at(parts, 0.0)
    tails = [float(chdtri(free, tail)) for tail in ((1 - level) / 2, (1 + level) / 2)]
    low, high = (crossing(lambda t, c=c: at(parts, t).q - c, unit(parts)) for c in tails)
    if fixed.q < tails[1]:
        low = high = np.nan
    return Heterogeneity(
        q=fixed.q,
        df=free,
        p_value=float(chdtrc(free, fixed.q)),
        tau2=tau2,
        tau2_low=low,
        tau2_high=high,
        typical=free / fixed.trace if fixed.trace > 0 else np.inf,
    )
