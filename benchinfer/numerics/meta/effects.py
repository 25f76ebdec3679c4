r"""Effects of a data set with their sampling covariance, from the moments of its scores.

Each function gives a level ``l_k`` per algorithm and a covariance of the levels such that contrasts
of levels are the effects: for the mean difference ``l = m``, for the standardised difference
``l = J m / s`` and for the log ratio ``l = log m``, with ``m`` the means and ``C`` their covariance
(which holds the correlation of paired scores). By the delta method ``cov(l) = D C D`` with D the
derivatives; the error of s adds ``y_i y_j / (2 N)`` to the covariance of standardised
contrasts y, with N the number of scores behind s.

References
----------
Hedges, L. V. (1981). Distribution theory for Glass's estimator of effect size and related
estimators. Journal of Educational Statistics 6, 107-128.
https://doi.org/10.3102/10769986006002107

Lajeunesse, M. J. (2011). On the meta-analysis of response ratios for studies with correlated and
multi-group designs. Ecology 92, 2049-2055. https://doi.org/10.1890/11-0423.1

Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52,
239-281. https://doi.org/10.1023/A:1024068626366
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from benchinfer.errors import FitError

type Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Moments:
    """Moments of the scores of k algorithms on one data set.

    Attributes
    ----------
    mean
        (k,) means.
    spread
        (k, k) covariance of scores of one replication; diagonal where replications are not shared.
    n
        (k,) number of scores.
    inflation
        What the overlap of training sets multiplies the variance of means with; 1 without.
    """

    mean: Array
    spread: Array
    n: Array
    inflation: float = 1.0

    @property
    def of_means(self) -> Array:
        """(k, k) covariance of the means."""
        root = np.sqrt(self.n)
        return self.inflation * self.spread / (root * root[:, None])


@dataclass(frozen=True, slots=True)
class Levels:
    """Levels whose contrasts are effects.

    Attributes
    ----------
    value
        (k,) levels.
    cov
        (k, k) covariance; where ``size`` is finite, without that of the standard deviation.
    size
        Number of scores behind the standard deviation that levels are divided by; infinite if none.
    """

    value: Array
    cov: Array
    size: float = np.inf


def moments(scores: Array, *, paired: bool, overlap: float = 0.0) -> Moments:
    """Return the moments of scores.

    Parameters
    ----------
    scores
        (R, k) scores of k algorithms; NaN where there is none, which only unpaired scores may have.
    paired
        Whether the scores of a row belong together.
    overlap
        ``rho / (1 - rho)`` with rho the correlation of replications by overlapping training sets:
        the variance of a mean of n scores is ``s^2 (1 / n + rho / (1 - rho))``.

    Raises
    ------
    FitError
        An algorithm has fewer than two scores.
    """
    there = np.isfinite(scores)
    n = there.sum(axis=0).astype(np.float64)
    if n.min() < 2:
        raise FitError("an algorithm has fewer than two scores.")
    mean = np.where(there, scores, 0.0).sum(axis=0) / n
    centred = np.where(there, scores - mean, 0.0)
    spread = centred.T @ centred / (n.min() - 1) if paired else np.diag((centred**2).sum(0))
    if not paired:
        spread = spread / (n - 1)
    # Replications of different algorithms need not be equally many: the smallest number is safe.
    return Moments(mean, spread, n, 1.0 + float(n.min()) * overlap)


def alike(found: Moments, *, paired: bool) -> Moments:
    """Return the moments with one variance of differences for all pairs of the data set.

    The residual variance of scores after algorithm and (if paired) replication.
    """
    k = len(found.mean)
    centre = np.eye(k) - 1 / k
    if paired:
        common = float(np.trace(centre @ found.spread @ centre)) / (k - 1)
    else:
        common = float((found.n - 1) @ found.spread.diagonal() / (found.n - 1).sum())
    return Moments(found.mean, common * np.eye(k), found.n, found.inflation)


def difference(found: Moments) -> Levels:
    """Return levels whose contrasts are mean differences."""
    return Levels(found.mean, found.of_means)


def log_ratio(found: Moments) -> Levels:
    """Return levels whose contrasts are log ratios of means.

    Raises
    ------
    FitError
        A mean is not positive.
    """
    if found.mean.min() <= 0:
        raise FitError("a mean is not positive.")
    return Levels(np.log(found.mean), found.of_means / np.outer(found.mean, found.mean))


def correction(df: float) -> float:
    """Return Hedges' factor J that takes out the bias of a standardised difference.

    Examples
    --------
    >>> round(correction(10), 6)
    0.922746
    """
    return float(np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / np.sqrt(df / 2))


def standardised(found: Moments, of_means: Array, *, paired: bool) -> Levels:
    """Return levels whose contrasts are differences in standard deviations (Hedges' g).

    The standard deviation is that of single scores, pooled over the algorithms of the data set;
    that of correlated scores has fewer degrees of freedom, ``(n - 1) tr(S)^2 / tr(S S)``.

    Parameters
    ----------
    found
        Moments of the scores.
    of_means
        (k, k) covariance of the means.
    paired
        Whether replications are shared; where they are not, the pooled variance takes the place of
        the algorithms' own.

    Raises
    ------
    FitError
        Scores do not vary, or there are too few.
    """
    free = found.n - 1
    if paired:
        trace = float(np.trace(found.spread))
        squares = float((found.spread**2).sum())
        df = float(free.min()) * trace**2 / squares if squares > 0 else 0.0
        variance, size = trace / len(free), df * float(found.n.min() / free.min())
    else:
        df = float(free.sum())
        variance, size = float(free @ found.spread.diagonal()) / df, float(found.n.sum())
    if variance <= 0 or df <= 1:
        raise FitError("scores do not vary, or are too few, to be standardised.")
    factor = correction(df) / np.sqrt(variance)
    if not paired:
        of_means = found.inflation * variance * np.diag(1 / found.n)
    # As in metafor: the sampling variance of g has no factor of J on the means' part.
    return Levels(factor * found.mean, of_means / variance, size)


def contrasts(levels: Levels) -> tuple[Array, Array]:
    """Return (k - 1,) effects against the first algorithm, and their covariance."""
    y = levels.value[1:] - levels.value[0]
    c = levels.cov
    cov = c[1:, 1:] - c[1:, [0]] - c[[0], 1:] + c[0, 0]
    return y, cov + np.outer(y, y) / (2 * levels.size)
