"""Probabilities of the outcomes of pairs and of ranks.

By draws of effects, or by a multivariate t distribution of the levels.

On the next data set the contrast of two algorithms is, given a draw, t (or normal) about their
average difference with the interactions' scale, so that the probability of each outcome is known
and only its mean over draws is left to Monte Carlo (Rao-Blackwell).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtr, fdtr, ndtri, stdtr

from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes, Flags

# Probabilities given a draw vary little between draws: of many pairs some draws are enough.
ENOUGH = 1_000_000
_BATCHES = 20
# Monte Carlo standard errors by which a probability is beyond a limit before it decides. Of two
# runs, by other random numbers or rounding, one decides and the other does not where the estimates
# lie on both sides of this bound; that both decide, and otherwise, takes an error of twice as much.
ERRORS = 3.0


@savable
@shaped(
    estimate="P", low="P", high="P", first="P", equivalent="P", second="P", error="P", dominant="P"
)
@dataclass(frozen=True, slots=True)
class Outcomes:
    """Probabilities of the outcomes of P contrasts; (P,) arrays."""

    # estimate, low, high: posterior mean, and equal-tailed credible bounds, which equality lies
    # within where the probability of a direction is within its Monte Carlo error of the limit
    estimate: Array
    low: Array
    high: Array
    # first, equivalent, second: probabilities that the first is better by more than the margin,
    # that they differ by at most the margin, and that the second is better by more
    first: Array
    equivalent: Array
    second: Array
    error: Array  # largest Monte Carlo standard error of the three
    # Share of draws in which the outcome that is most probable over all draws is the most probable
    # one; None where an outcome is certain given a draw, or given a new domain
    dominant: Array | None


def monte_carlo_error(draws: Array) -> Array:
    """Return Monte Carlo standard errors of means over draws, by batch means.

    `draws` (C, T, ...) are T of each of C chains. With m batches and the variance s2 of their means
    the error is sqrt(s2 / m). Of an indicator with mean p it is sqrt(p (1 - p) / ESS), with its own
    effective sample size ESS.

    References
    ----------
    Flegal, J. M., Haran, M. & Jones, G. L. (2008). Markov chain Monte Carlo: can we trust the third
    significant figure? Statistical Science 23, 250-260. https://doi.org/10.1214/08-STS257
    """
    c, t = draws.shape[:2]
    size = max(t // _BATCHES, 1)
    n = t // size
    batches = draws[:, : n * size].reshape(c * n, size, *draws.shape[2:]).mean(axis=1)
    return batches.std(axis=0, ddof=1) / np.sqrt(len(batches))


def average_outcomes(effects: Array, matrix: Array, margin: float, level: float) -> Outcomes:
    """Return posterior outcome probabilities of contrasts of average effects.

    `effects` are (C, T, K) draws, `matrix` (P, K) contrasts. Differences up to `margin` do not
    matter (with 0 none is equivalent); `level` is that of the interval.

    References
    ----------
    Corani, G., Benavoli, A., Demsar, J., Mangili, F. & Zaffalon, M. (2017). Statistical comparison
    of classifiers through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837.
    https://doi.org/10.1007/s10994-017-5641-9
    """
    d = effects @ matrix.T
    first, second = d > margin, d < -margin
    shares = [first.mean(axis=(0, 1)), second.mean(axis=(0, 1))]
    between = np.clip(1 - shares[0] - shares[1], 0.0, 1.0)
    errors = [monte_carlo_error(part.astype(np.float64)) for part in (first, second)]
    signs = shares, np.max(errors, axis=0)
    if margin > 0:
        signs = of_signs(np.stack([d > 0, d < 0]).astype(np.float64))
    low, high = reaching(*equal_tailed(d, level), *signs, level)
    return Outcomes(
        estimate=d.mean(axis=(0, 1)),
        low=low,
        high=high,
        first=shares[0],
        equivalent=between if margin > 0 else np.zeros_like(between),
        second=shares[1],
        error=np.max(errors, axis=0),
        dominant=None,
    )


def directional(level: float) -> float:
    """Return the probability of a direction above which an equal-tailed interval excludes 0."""
    return (1 + level) / 2


def beyond(probability: Array, error: Array, limit: float) -> Flags:
    """Return a mask of the probabilities that are beyond a limit by `ERRORS` of their errors."""
    return probability - ERRORS * error > limit


def of_signs(signs: Array) -> tuple[Array, Array]:
    """Return (2, P) probabilities of both signs from (2, C, T, P), and the larger error (P,)."""
    return signs.mean(axis=(1, 2)), np.max([monte_carlo_error(sign) for sign in signs], axis=0)


def reaching(
    low: Array, high: Array, signs: Sequence[Array] | Array, error: Array, level: float
) -> tuple[Array, Array]:
    """Return (P,) bounds that end at 0 where the draws do not say for certain that they exclude it.

    `signs` are the probabilities of a difference above and below 0, with their error. Without a
    margin a pair is decided if and only if its interval excludes 0.

    Examples
    --------
    >>> ends = np.array([0.1, 0.1]), np.array([0.5, 0.5])
    >>> signs, error = np.array([[0.99, 0.98], [0.01, 0.02]]), np.array([0.004, 0.004])
    >>> [end.tolist() for end in reaching(*ends, signs, error, 0.95)]
    [[0.1, 0.0], [0.5, 0.5]]
    """
    above, below = (beyond(sign, error, directional(level)) for sign in signs)
    return np.where(above, low, np.minimum(low, 0.0)), np.where(below, high, np.maximum(high, 0.0))


def equal_tailed(draws: Array, level: float) -> tuple[Array, Array]:
    """Return equal-tailed bounds of (C, T, P) draws."""
    flat = draws.reshape(-1, draws.shape[2])
    low, high = np.quantile(flat, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


@savable
@shaped(best="K", near="K", error="K", distribution="K K")
@dataclass(frozen=True, slots=True)
class Ranks:
    """Ranks of K algorithms by draws of their effects; (K,) arrays."""

    best: Array  # probability to be best
    near: Array  # probability to be at most the margin worse than the best one
    error: Array  # largest Monte Carlo standard error of each algorithm's two
    distribution: Array  # (K, K) probability of each rank, best first

    @property
    def expected(self) -> Array:
        """Expected rank of each algorithm."""
        return self.distribution @ np.arange(1, len(self.best) + 1)


def ranks(effects: Array, margin: float) -> Ranks:
    """Return rank probabilities from (C, T, K) draws of effects, of which larger is better.

    Algorithms that tie for the first rank share its probability.
    """
    top = effects.max(axis=2, keepdims=True)
    best = (effects == top).astype(np.float64)
    best /= best.sum(axis=2, keepdims=True)
    near = (effects >= top - margin).astype(np.float64) if margin > 0 else best
    k = effects.shape[2]
    place = (-effects).argsort(axis=2).argsort(axis=2).reshape(-1, k)
    cells = place + k * np.arange(k)
    counts = np.bincount(cells.ravel(), minlength=k * k).reshape(k, k)
    return Ranks(
        best=best.mean(axis=(0, 1)),
        near=near.mean(axis=(0, 1)),
        error=np.maximum(monte_carlo_error(best), monte_carlo_error(near)),
        distribution=counts / len(place),
    )


# Independent randomisations of the point set, whose spread gives the error, and points in each.
_RUNS, _LOG_POINTS = 8, 11
_SEED = 20210


@dataclass(frozen=True, slots=True)
class Best:
    """Probabilities that each of K algorithms is best or nearly best; (K,) arrays."""

    best: Array  # to be the best one; they sum to 1
    near: Array  # to be at most the margin worse than the best one
    error: float  # largest standard error of the probabilities


def _symmetric_cdf(s: Array, r: int, df: float) -> Array:
    """Return the distribution function of an r-variate t vector's length with a random sign."""
    square = np.minimum(s**2, 1e300)
    length = chdtr(r, square) if np.isinf(df) else fdtr(r, df, square / r)
    return (1 + np.sign(s) * length) / 2


def _tops(levels: Array, slopes: Array) -> Codes:
    """Return (E, n) indices of the lines on the upper envelope along each of n directions.

    Along a direction the levels are the lines ``levels + s * slopes``. From the line that is on top
    for the smallest s, the next one is that which meets it first.
    """
    at = np.arange(len(slopes))
    first = slopes == slopes.min(axis=1, keepdims=True)
    tops = [np.where(first, levels, -np.inf).argmax(axis=1)]
    while len(at):
        last = tops[-1][at]
        rate = slopes[at] - slopes[at, last][:, None]
        steeper = rate > 0
        meet = (levels[last][:, None] - levels) / np.where(steeper, rate, 1.0)
        following = np.where(steeper, meet, np.inf).argmin(axis=1)
        on = steeper.any(axis=1)
        at = at[on]
        tops.append(tops[-1].copy())
        tops[-1][at] = following[on]
    return np.stack(tops)


def _share(level: float, slope: Array, levels: Array, slopes: Array, df: float, r: int) -> Array:
    """Return the probability, for each direction, that a line lies above all others.

    The line has a level and slopes (n,), the others have theirs (E, n); it is above them for s in
    an interval.
    """
    gap, rate = level - levels, slopes - slope
    flat = np.abs(rate) <= 1e-12 * np.abs(slopes).max(axis=0)
    meet = gap / np.where(flat, 1.0, rate)
    never = np.where(gap >= 0, np.inf, -np.inf)
    high = np.where(flat, never, np.where(rate > 0, meet, np.inf)).min(axis=0)
    low = np.where(~flat & (rate < 0), meet, -np.inf).max(axis=0)
    share = np.zeros(len(high))
    above = high > low
    ends = _symmetric_cdf(np.stack([low[above], high[above]]), r, df)
    share[above] = ends[1] - ends[0]
    return share


def probability_best(levels: Array, variances: Array, df: float, margin: float = 0.0) -> Best:
    """Return the probability that each algorithm is the best, or within a margin of it.

    The levels plus a multivariate t vector are ranked. Its length is integrated exactly, its
    direction by randomised quasi-Monte-Carlo with a fixed seed.

    `levels` (K,) are larger for the better, `variances` (K, K) are those of their differences, and
    what is within `margin` of the best one is near it; `df` may be ``inf``.

    Examples
    --------
    >>> found = probability_best(np.zeros(3), 1 - np.eye(3), df=5.0)
    >>> found.best.round(2).tolist()
    [0.33, 0.33, 0.33]
    """
    from scipy.stats import qmc

    k = len(levels)
    # Profiles (K, r) whose differences have the variances (nearest if there are none).
    centre = np.eye(k) - 1 / k
    values, vectors = np.linalg.eigh(-centre @ variances @ centre / 2)
    held = values > 1e-12 * max(float(values[-1]), 1e-300)
    root = vectors[:, held] * np.sqrt(values[held])
    r = root.shape[1]
    if r == 0:
        top = levels == levels.max()
        return Best(top / top.sum(), (levels >= levels.max() - margin).astype(float), 0.0)
    n = 1 << _LOG_POINTS
    shares = np.empty((2, _RUNS, k))
    for run in range(_RUNS):
        points = qmc.Sobol(r, scramble=True, rng=np.random.default_rng([_SEED, run])).random(n)
        z = ndtri(np.clip(points, 1e-15, 1 - 1e-15))
        slopes = z / np.sqrt((z**2).sum(axis=1, keepdims=True)) @ root.T
        tops = _tops(levels, slopes)
        others = levels[tops], np.take_along_axis(slopes.T, tops, axis=0)
        for j in range(k):
            for row, raised in enumerate((0.0, margin) if margin else (0.0,)):
                share = _share(levels[j] + raised, slopes[:, j], *others, df, r)
                shares[row, run, j] = share.mean()
    if margin == 0:
        shares[1] = shares[0]
    best, near = shares.mean(axis=1)
    error = float(shares.std(axis=1, ddof=1).max() / np.sqrt(_RUNS))
    # Algorithms that never differ are best together: they share that.
    return Best(best / best.sum(), near, error)


@dataclass(frozen=True, slots=True)
class NewDatasetDistribution:
    """Predictive t distribution of J contrasts on a new data set; (J,) arrays."""

    # variance, df: of the prediction
    variance: Array
    df: Array
    between: Array  # variance of the true contrast between data sets
    noise: Array  # variance of the contrast of one replication about its true value on the data set


def probability_above(
    estimate: Array, predicted: NewDatasetDistribution, limit: float = 0.0
) -> Array:
    """Return the probability that a contrast exceeds a limit on a new data set.

    The result has (J,) probabilities, one half where a contrast without variance equals the limit.
    Minus the tolerance as a limit gives "not worse", the tolerance "better by a margin".

    Examples
    --------
    >>> sure = NewDatasetDistribution(*(np.array([v]) for v in (4.0, np.inf, 3.0, 0.0)))
    >>> probability_above(np.array([2.0]), sure).round(4).tolist()
    [0.8413]
    """
    sd = np.sqrt(predicted.variance)
    gap = estimate - limit
    flat = sd <= 0
    statistic = np.where(flat, np.copysign(np.inf, gap), gap / np.where(flat, 1.0, sd))
    return np.where(flat & (gap == 0), 0.5, stdtr(predicted.df, statistic))
