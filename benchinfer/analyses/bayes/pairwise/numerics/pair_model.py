"""Hierarchical model of one pair's differences (Corani et al. 2017).

On data set m the differences of the replications are normal with mean delta_m, standard deviation
sigma_m and correlation rho; ``delta_m ~ t(nu, delta_0, std_0)``; delta_0, std_0 and all sigma_m are
uniform and this module has the prior of nu. Means and sums of squares of
the differences are sufficient.

Each sigma_m is integrated out. Parameters are unconstrained: delta_0 and std_0 by their place
between their bounds, nu by the normal quantile of its prior's distribution function (``nu - 1`` has
a long tail towards 0, where scores say little), and delta_m by its departure from what its prior
and the scores make likely, which chains explore alike where std_0 is small and where it is large.

``nu - 1 ~ gamma(alpha, beta)`` with ``alpha ~ U(0.5, 5)`` and ``beta ~ U(0.05, 0.15)`` leaves the
three on a ridge along which chains creep. The scores say nothing of alpha and beta but through nu,
so that a sampler needs the marginal density of nu alone; both are drawn from what nu leaves of
them, where they are asked for.

Given a draw, the difference on the next data set is t about delta_0 with scale std_0, so that the
probabilities of its three outcomes are known. Their means over draws are what to expect of the next
data set; the share of draws in which an outcome is the most probable one is what the papers print.

References
----------
Corani, G., Benavoli, A., Demsar, J., Mangili, F. & Zaffalon, M. (2017). Statistical comparison of
classifiers through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837.
https://doi.org/10.1007/s10994-017-5641-9
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np
from numba.np.numpy_support import carray
from scipy.special import expit, gammainc, gammaincinv, gammaln, ndtri, stdtr

from benchinfer.analyses.bayes.numerics.response_density import digamma
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.compilation import entry, part
from benchinfer.numerics.posterior.callbacks import codes, compiled, matrix, vector
from benchinfer.numerics.posterior.outcome_probabilities import Outcomes, monte_carlo_error
from benchinfer.numerics.types import Array, Codes

ALPHA, BETA = (0.5, 5.0), (0.05, 0.15)
# Far beyond where the density of log(nu - 1) has any mass: below 1e-13 and above 1e-30 of it.
_LOWEST, _HIGHEST, _STEPS = -60.0, 9.0, 6901
_WIDEST = 8.0  # normal quantile
# Range of log(nu - 1) in which alpha and beta differ by it.
_SPAN = (-30.0, 7.0)


def log_prior(u: Array) -> Array:
    """Return log densities of ``u = log(nu - 1)``, without a constant.

    Parameters
    ----------
    u
        (...) values.
    """
    grid, known = _table()
    inside = np.interp(u, grid, known)
    # Beyond the table the density falls as its ends do: exp(u / 2) below, exp(-0.05 e^u) above.
    return inside + 0.5 * np.minimum(u - _LOWEST, 0.0) - 1e3 * np.maximum(u - _HIGHEST, 0.0)


@cache
def _table() -> tuple[Array, Array]:
    """Integrate alpha and beta out by Gauss-Legendre quadrature, on a grid of u."""
    grid = np.linspace(_LOWEST, _HIGHEST, _STEPS)
    (alpha, a), (beta, b) = _nodes(*ALPHA, 40), _nodes(*BETA, 24)
    log_weight = np.log(a[:, None] * b) + alpha[:, None] * np.log(beta) - gammaln(alpha)[:, None]
    above = np.exp(grid)
    inner = np.exp(-(beta - BETA[0]) * above[:, None])
    outer = np.exp((alpha - ALPHA[0]) * np.minimum(grid, 0.0)[:, None])
    positive = np.exp((alpha - ALPHA[1]) * np.maximum(grid, 0.0)[:, None])
    total = np.einsum("ga,ga,gb,ab->g", outer, positive, inner, np.exp(log_weight))
    shift = ALPHA[0] * np.minimum(grid, 0.0) + ALPHA[1] * np.maximum(grid, 0.0)
    return grid, np.log(total) + shift - BETA[0] * above


@cache
def _quantiles() -> Array:
    """Return log(nu - 1) at equal steps of the normal quantile of its distribution function."""
    grid, known = _table()
    density = np.exp(known - known.max())
    below = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    # From above, too: a share close to 1 has lost its digits.
    above = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1])[::-1])])[::-1]
    share = np.minimum(below, above) / below[-1]
    normal = np.where(below < above, 1.0, -1.0) * ndtri(np.maximum(share, 1e-300))
    return np.interp(np.linspace(-_WIDEST, _WIDEST, 1601), normal, grid)


def _nodes(low: float, high: float, n: int) -> tuple[Array, Array]:
    """Return the nodes and weights of Gauss-Legendre quadrature on an interval."""
    x, w = np.polynomial.legendre.leggauss(n)
    return low + (high - low) * (x + 1) / 2, w * (high - low) / 2


def draw_hyperparameters(nu: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw alpha and beta given degrees of freedom.

    Parameters
    ----------
    nu
        (...) degrees of freedom.
    rng
        Random numbers.

    Returns
    -------
    tuple of numpy.ndarray
        (...) alpha, drawn by a table of its density over log(nu - 1) with linear interpolation, and
        (...) beta given alpha, from its truncated gamma distribution.
    """
    v = np.clip(nu.ravel() - 1, *np.exp(_SPAN))
    grid, summed = _alpha_table()
    # Between two rows of the table the density is a mixture of theirs: one of them is drawn.
    place = (np.log(v) - _SPAN[0]) / (_SPAN[1] - _SPAN[0]) * (len(summed) - 1)
    row = np.minimum((place + rng.random(len(v))).astype(np.int64), len(summed) - 1)
    share = rng.random(len(v))
    flat = (summed + np.arange(len(summed))[:, None]).ravel()
    cell = np.searchsorted(flat, row + share, "right") - row * summed.shape[1]
    cell = np.clip(cell, 0, len(grid) - 2)
    alpha = grid[cell] + (grid[1] - grid[0]) * rng.random(len(v))
    beta = _draw_beta(alpha, v, rng)
    return alpha.reshape(nu.shape), beta.reshape(nu.shape)


@cache
def _alpha_table() -> tuple[Array, Array]:
    """Return a grid of alpha, and its distribution function in the cells for each log(nu - 1)."""
    grid = np.linspace(*ALPHA, 901)
    u = np.linspace(*_SPAN, 301)[:, None]
    middle = (grid[1:] + grid[:-1]) / 2
    beta, weight = _nodes(*BETA, 16)
    parts = np.exp(-(beta - BETA[0]) * np.exp(u)) * weight
    inside = parts @ np.exp(np.log(beta)[:, None] * middle)
    log_density = np.log(inside) + middle * u - gammaln(middle)
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    summed = density.cumsum(axis=1)
    return grid, summed / summed[:, -1:]


def _draw_beta(alpha: Array, v: Array, rng: np.random.Generator) -> Array:
    """Draw (N,) beta: gamma of shape alpha + 1 and rate v, between its bounds."""
    low, high = (gammainc(alpha + 1, end * v) for end in BETA)
    share = rng.random(len(v))
    power = [end ** (alpha + 1) for end in BETA]
    # Where beta v is small the density is a power of beta, and the above would round to nothing.
    flat = (power[0] + (power[1] - power[0]) * share) ** (1 / (alpha + 1))
    small = v < 1e-4
    drawn = gammaincinv(alpha + 1, np.where(small, 0.5, low + (high - low) * share)) / v
    return np.clip(np.where(small, flat, drawn), *BETA)


@dataclass(frozen=True, slots=True)
class PairData:
    """Sufficient statistics of P pairs of algorithms on M data sets, in units of `scale`."""

    n: Codes  # (P, M) number of differences; 0 where the data set says nothing of the pair
    mean: Array  # (P, M) means of the differences, 0 where there are none
    square: Array  # (P, M) sums of squared deviations, over ``1 - rho``; above 0
    spread: Array  # (P, M) variance of a mean, in units of sigma_m^2: ``(1 + (n - 1) rho) / n``
    furthest: Array  # (P,) largest difference that delta_0 may have
    # sigma_high, std_high: (P,) largest sigma_m and std_0
    sigma_high: Array
    std_high: Array
    # (P,) mean standard deviation of the differences on a data set, by which all is divided
    scale: Array

    def of(self, rows: Codes) -> PairData:
        """Return the data of some pairs, in that order; pairs may repeat."""
        return PairData(*(getattr(self, field.name)[rows] for field in fields(self)))


# Upper bounds of the standard deviations, in units of those seen: as the authors'.
_BOUND = 1000.0
_SEGMENTS = 2
# Places of the parameters before those of the data sets.
_CENTRE, _STD, _NU, _DELTA = range(4)
_NEGLIGIBLE = -27.0  # log of a probability that is none
_HEAVY = 2.0  # degrees of freedom
_LEAST = 1e-150  # product of which a logarithm is taken


def pair_data(n: Codes, mean: Array, square: Array, top: Array, rho: float) -> PairData:
    """Scale the moments of the differences, and compute the bounds of the uniform priors.

    Parameters
    ----------
    n, mean, square
        (P, M) number, mean and sum of squared deviations of the differences; where n is 0, any. No
        sum is 0.
    top
        (P,) size of the largest difference of each pair.
    rho
        Correlation of two replications.
    """
    there = n > 1
    sd = np.sqrt(square / np.maximum(n - 1, 1))
    sets = there.sum(axis=1)
    scale = np.where(there, sd, 0.0).sum(axis=1) / sets
    z = np.where(there, mean, 0.0) / scale[:, None]
    centre = z.sum(axis=1) / sets
    among = np.sqrt(np.where(there, (z - centre[:, None]) ** 2, 0.0).sum(axis=1) / (sets - 1))
    return PairData(
        n=np.where(there, n, 0),
        mean=z,
        square=np.where(there, square, 1.0) / scale[:, None] ** 2 / (1 - rho),
        spread=(1 + (np.maximum(n, 1) - 1) * rho) / np.maximum(n, 1),
        furthest=np.maximum(top / scale, 1.0),
        sigma_high=np.full(len(n), _BOUND),
        # Means that are all the same would leave no room for std_0.
        std_high=_BOUND * np.maximum(among, 1 / _BOUND),
        scale=scale,
    )


@dataclass(frozen=True, slots=True)
class PairDraws:
    """T draws of R chains."""

    # centre, std, nu: (R, T) delta_0 and std_0, in units of the scale, and degrees of freedom
    centre: Array
    std: Array
    nu: Array
    # mean, square: (S, R, M) mean, and sum of squared deviations from it, of delta_m in each
    # segment of the chains
    mean: Array
    square: Array


@part
def _inside(y: float) -> tuple[float, float, float]:
    """Return the logistic function, the log of its derivative, and this one's derivative."""
    e = math.exp(-abs(y))
    share = 1.0 / (1.0 + e) if y > 0.0 else e / (1.0 + e)
    return share, -abs(y) - 2.0 * math.log1p(e), 1.0 - 2.0 * share


@part
def _log_above(y: float, table: Array) -> tuple[float, float]:
    """Return log(nu - 1), of which y is the normal quantile, and its slope; see `_quantiles`."""
    steps = len(table) - 1
    place = min(max((y + _WIDEST) / (2.0 * _WIDEST) * steps, 0.0), 1.0 * steps)
    cell = min(int(place), steps - 1)
    rise = table[cell + 1] - table[cell]
    return table[cell] + (place - cell) * rise, rise * steps / (2.0 * _WIDEST)


@part
def _below_bound(n: int, x: float) -> tuple[float, float]:
    """Return the log of the chance that a gamma variable of shape (n - 1) / 2 exceeds x, and slope.

    The probability that sigma is below its bound: a finite sum, as twice the shape is whole.
    """
    shape, log_x = 0.5 * (n - 1), math.log(x)
    a = 0.5 if n % 2 == 0 else 1.0
    above = math.erfc(math.sqrt(x)) if n % 2 == 0 else math.exp(-x)
    while a < shape:
        above += math.exp(a * log_x - x - math.lgamma(a + 1.0))
        a += 1.0
    above = max(above, 1e-300)
    return math.log(above), -math.exp((shape - 1.0) * log_x - x - math.lgamma(shape)) / above


@part
def _seen(
    delta: float, n: int, mean: float, square: float, spread: float, high: float, limit: float
) -> tuple[float, float, float]:
    """Return the sum of squares of a data set's differences about their mean, and two numbers.

    The log density given the mean is that of the probability that sigma is below its bound, the
    second, minus ``(n - 1) / 2`` times the log of the sum; the third is its slope.
    """
    off = delta - mean
    total = square + off * off / spread
    slope = -(n - 1) * off / spread / total
    if total < limit:
        return total, 0.0, slope
    log_share, by_share = _below_bound(n, 0.5 * total / high**2)
    return total, log_share, slope + by_share * off / spread / high**2


def _limits(n: Codes, high: float) -> Array:
    """Return the sums of squares below which the chance of a sigma above its bound is none."""
    shape = (n - 1) / 2
    return 2 * high**2 * np.exp((_NEGLIGIBLE + gammaln(shape + 1)) / shape)


@part
def _common(
    x: Array, numbers: Array, table: Array, gradient: Array
) -> tuple[float, float, float, float, float, float, float]:
    """Return the log prior; and delta_0, std_0 and nu, each with its derivative.

    That of std_0 is of its logarithm.
    """
    furthest, high, _, begin, width = numbers
    share, log_slope, by = _inside(begin + width * x[_CENTRE])
    centre = furthest * (2.0 * share - 1.0)
    centre_by = 2.0 * furthest * width * math.exp(log_slope)
    total, gradient[_CENTRE] = log_slope, width * by
    share, log_slope, by = _inside(x[_STD] - math.log(_BOUND))
    total += log_slope - 0.5 * x[_NU] ** 2
    gradient[_STD] = by
    log_above, log_above_by = _log_above(x[_NU], table)
    above = math.exp(log_above)
    return total, centre, centre_by, high * share, 1.0 - share, 1.0 + above, log_above_by * above


@part
def _far(product: float) -> bool:
    """Return whether a further factor might leave the range of numbers."""
    return product < _LEAST or product > 1.0 / _LEAST


@entry
def log_density(
    x: Array, n: Codes, sets: Array, numbers: Array, table: Array, gradient: Array
) -> float:
    """Return the log density at x and fill its gradient; see `PairDensity`."""
    bound = numbers[2]
    gradient[:] = 0.0
    total, centre, centre_by, std, std_by, nu, nu_by = _common(x, numbers, table, gradient)
    half = 0.5 * (nu + 1.0)
    constant = math.lgamma(half) - math.lgamma(0.5 * nu) - 0.5 * math.log(nu) - math.log(std)
    by_nu = 0.5 * (digamma(half) - digamma(0.5 * nu) - 1.0 / nu) * len(n)
    by_centre, by_log_std = 0.0, -1.0 * len(n)
    variance = std * std
    # Logarithms are those of products over data sets.
    precisions, insides, totals, log_insides = 1.0, 1.0, 1.0, 0.0
    for m in range(len(n)):
        mean, square, spread, guess, known, weight, limit = sets[m]
        precision = known + weight / variance
        prior = weight / variance / precision
        root = 1.0 / math.sqrt(precision)
        likely = prior * centre + (1.0 - prior) * guess
        delta = likely + root * x[_DELTA + m]
        seen, log_share, slope = _seen(delta, n[m], mean, square, spread, bound, limit)
        total += log_share
        off = delta - centre
        inside = 1.0 + off * off / (nu * variance)
        by_off = -2.0 * half * off / (nu * variance * inside)
        by_nu -= 0.5 * by_off * off / nu
        by_log_std -= by_off * off
        precisions *= precision
        insides *= inside
        totals *= seen
        last = m == len(n) - 1
        if last or _far(precisions) or _far(insides) or _far(totals) or n[m + 1] != n[m]:
            total -= 0.5 * math.log(precisions) + 0.5 * (n[m] - 1) * math.log(totals)
            log_insides += math.log(insides)
            precisions, insides, totals = 1.0, 1.0, 1.0
        slope += by_off
        gradient[_DELTA + m] = slope * root
        by_centre += slope * prior - by_off
        # By the logarithm of std_0, of which delta_m and its root are functions, too.
        by_log_std += slope * (
            2.0 * prior * (1.0 - prior) * (guess - centre) + prior * root * x[_DELTA + m]
        )
        by_log_std += prior
    total += constant * len(n) - half * log_insides
    by_nu -= 0.5 * log_insides
    gradient[_CENTRE] += centre_by * by_centre
    gradient[_STD] += std_by * by_log_std
    gradient[_NU] = nu_by * by_nu - x[_NU]
    return total


def _evaluate(size: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    value[0] = log_density(
        carray(x, (size,)),
        *(codes(data, 0), matrix(data, 1), vector(data, 2), vector(data, 3)),
        carray(gradient, (size,)),
    )
    return 0


def _weights(mean: Array, known: Array) -> Array:
    """Return how much the prior draws each data set to delta_0, by a t of few degrees of freedom.

    A normal distribution would draw one that is far off too much, the more the smaller std_0 is:
    its parameter would hang on std_0.
    """
    off = mean - np.median(mean)
    among = (np.median(np.abs(off)) / ndtri(0.75)) ** 2
    return np.minimum((_HEAVY + 1) / (_HEAVY + off**2 / (among + 1 / known)), 1.0)


@dataclass(frozen=True, slots=True)
class PairDensity:
    """Log density of one pair's model by unconstrained parameters.

    Attributes
    ----------
    data
        Statistics of the one pair.
    size
        Number of parameters: three, and one for each data set that has differences.
    arrays
        Arguments of `log_density` between the parameters and the gradient.

    References
    ----------
    Corani, G., Benavoli, A., Demsar, J., Mangili, F. & Zaffalon, M. (2017). Statistical comparison
    of classifiers through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837.
    https://doi.org/10.1007/s10994-017-5641-9
    """

    data: PairData
    size: int
    arrays: tuple[Any, ...]

    @classmethod
    def of(cls, data: PairData, pair: int) -> PairDensity:
        """Return the density of a pair."""
        one = data.of(np.array([pair]))
        there = one.n[0] > 0
        n, mean, square, spread = (x[0][there] for x in (one.n, one.mean, one.square, one.spread))
        # A variance from few differences is drawn to the pair's, which is 1.
        known = (n + 1) / (square + 2) / spread
        bound = float(one.sigma_high[0])
        weight = _weights(mean, known)
        sets = np.column_stack([mean, square, spread, mean, known, weight, _limits(n, bound)])
        furthest, high = float(one.furthest[0]), float(one.std_high[0])
        begin = 2 * np.arctanh(np.clip(mean.mean() / furthest, -0.99, 0.99))
        width = 2 * max(high / _BOUND, 0.01) / furthest
        numbers = np.array([furthest, high, bound, begin, width])
        return cls(one, _DELTA + len(n), (n, sets, numbers, _quantiles()))

    def __call__(self, x: Array) -> tuple[float, Array]:
        """Return the log density and its gradient at (size,) parameters."""
        gradient = np.empty(self.size)
        kernel: Any = log_density
        return kernel(x, *self.arrays, gradient), gradient

    def callback(self) -> Any:
        """Return the compiled function that C calls."""
        return compiled(_evaluate)

    def draws(self, points: Array) -> PairDraws:
        """Return draws by name from (C, T, size) parameters."""
        _, sets, (furthest, high, _, begin, width), table = self.arrays
        log_above = np.interp(points[..., _NU], np.linspace(-_WIDEST, _WIDEST, len(table)), table)
        centre = furthest * np.tanh((begin + width * points[..., _CENTRE]) / 2)
        std = high * expit(points[..., _STD] - math.log(_BOUND))
        guess, known, weight = sets[:, 3:6].T
        prior = weight / std[..., None] ** 2
        precision = known + prior
        seen = (prior * centre[..., None] + known * guess) / precision
        seen += points[..., _DELTA:] / np.sqrt(precision)
        there = self.data.n[0] > 0
        delta = np.repeat(centre[..., None], len(there), axis=2)
        delta[..., there] = seen
        parts = np.stack(np.split(delta, _SEGMENTS, axis=1))
        mean = parts.mean(axis=2)
        square = ((parts - mean[:, :, None]) ** 2).sum(axis=2)
        return PairDraws(centre, std, 1 + np.exp(log_above), mean, square)


@savable
@shaped(first="P", equivalent="P", second="P", error="P")
@dataclass(frozen=True, slots=True)
class Votes:
    """Posterior probabilities that an outcome is the most probable one, of P pairs; (P,) arrays."""

    # first, equivalent, second: that it is that the first is better by more than the margin, that
    # both differ by at most the margin, and that the second is better by more
    first: Array
    equivalent: Array
    second: Array
    error: Array  # largest Monte Carlo standard error of the three; 0 where they are exact


def next_dataset(
    centre: Array, std: Array, nu: Array, margin: Array, level: float, rng: np.random.Generator
) -> tuple[Outcomes, Votes]:
    """Return outcome probabilities of pairs on the next data set, and how often each leads.

    Parameters
    ----------
    centre, std, nu
        (C, T, P) draws of delta_0, std_0 and the degrees of freedom.
    margin
        (P,) which difference does not matter, in units of the draws; all above 0 or none.
    level
        Probability of the interval.
    rng
        Random numbers.
    """
    first, second = (
        stdtr(nu, (side * centre - margin) / std).reshape(centre.shape) for side in (1, -1)
    )
    between = np.clip(1 - first - second, 0.0, 1.0) * (margin > 0)
    three = np.stack([first, between, second])
    means = three.mean(axis=(1, 2))
    top = three == three.max(axis=0)
    ahead = top / top.sum(axis=0)
    shares = ahead.mean(axis=(1, 2))
    new = centre + std * rng.standard_t(nu)
    low, high = np.quantile(new, [(1 - level) / 2, (1 + level) / 2], axis=(0, 1))
    outcomes = Outcomes(
        estimate=centre.mean(axis=(0, 1)),
        low=low,
        high=high,
        first=means[0],
        equivalent=means[1],
        second=means[2],
        error=np.max([monte_carlo_error(part) for part in three], axis=0),
        dominant=np.take_along_axis(shares, means.argmax(axis=0)[None], axis=0)[0],
    )
    errors = np.max([monte_carlo_error(part) for part in ahead], axis=0)
    return outcomes, Votes(shares[0], shares[1], shares[2], errors)
