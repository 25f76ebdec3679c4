"""Hierarchical model of one pair's differences (Corani et al. 2017).

On data set m the differences of the replications are normal with mean delta_m, standard deviation
sigma_m and correlation rho; ``delta_m ~ t(nu, delta_0, std_0)``; delta_0, std_0 and all sigma_m are
uniform and this module has the prior of nu. Means and sums of squares of
the differences are sufficient. Many models (pairs of algorithms, chains) are sampled at once.

Mixing scales lambda_m make delta_m normal given them: ``delta_m ~ N(delta_0, lambda_m std_0^2)``. A
sweep draws (1) nu and std_0 given the widths ``lambda_m std_0^2``; (2) std_0 and delta_0 given
lambda_m and sigma_m, delta_m integrated out; delta_m; sigma_m given delta_m; (3) nu and std_0 given
delta_m, lambda_m integrated out; lambda_m. Each of the three is slow where another is fast, so that
together they are not (interweaving). What has no closed form takes Metropolis steps, whose size is
tuned while chains warm up; nu moves as the cube root of ``nu - 1``, whose prior has no long tail.

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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache

import numpy as np
from scipy.special import (
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    gammaln,
    ndtr,
    ndtri,
    stdtr,
)

from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.posterior.outcome_probabilities import Outcomes, monte_carlo_error
from benchinfer.numerics.types import Array, Codes

ALPHA, BETA = (0.5, 5.0), (0.05, 0.15)
# Far beyond where the density of log(nu - 1) has any mass: below 1e-13 and above 1e-30 of it.
_LOWEST, _HIGHEST, _STEPS = -60.0, 9.0, 6901
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


# Share of steps that a one-dimensional random walk should take.
_TAKEN = 0.44
# nu and std_0 in turn: how often each is moved given delta_m.
_TURNS = (0, 1) * 4


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


@dataclass(frozen=True, slots=True)
class ChainState:
    """States of R chains, and the sizes of their proposals."""

    # centre, std, nu: (R,) delta_0, std_0 and degrees of freedom
    centre: Array
    std: Array
    nu: Array
    # variance, mixing: (R, M) sigma_m^2, and the mixing scales of t
    variance: Array
    mixing: Array
    step: Array  # (4, R) standard deviations of the steps that are tried, one for each kind of move

    def of(self, rows: Codes) -> ChainState:
        """Return the state of some chains."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        step = parts.pop("step")[:, rows]
        return ChainState(**{name: x[rows] for name, x in parts.items()}, step=step)


def sweep(
    data: PairData, state: ChainState, rng: np.random.Generator, gain: float
) -> tuple[Array, ChainState]:
    """Draw all parameters once.

    Parameters
    ----------
    data, state
        One row for each chain.
    rng
        Random numbers.
    gain
        How much the size of steps is changed by whether they are taken; 0 leaves it as it is.

    Returns
    -------
    tuple
        (R, M) delta_m, and the new state.

    References
    ----------
    Corani, G., Benavoli, A., Demsar, J., Mangili, F. & Zaffalon, M. (2017). Statistical comparison
    of classifiers through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837.
    https://doi.org/10.1007/s10994-017-5641-9

    Yu, Y. & Meng, X.-L. (2011). To center or not to center: that is not the question - an
    ancillarity-sufficiency interweaving strategy (ASIS) for boosting MCMC efficiency. Journal of
    Computational and Graphical Statistics 20, 531-570. https://doi.org/10.1198/jcgs.2011.203main
    """
    state = _given_widths(data, state, rng, gain)
    state = _given_mixing(data, state, rng, gain)
    delta = _draw_delta(data, state, rng)
    state = replace(state, variance=_draw_variance(data, delta, rng))
    state = _given_delta(data, delta, state, rng, gain)
    square = ((delta - state.centre[:, None]) / state.std[:, None]) ** 2
    shape = np.broadcast_to((state.nu[:, None] + 1) / 2, square.shape)
    mixing = (state.nu[:, None] + square) / 2 / rng.standard_gamma(shape)
    return delta, replace(state, mixing=mixing)


def _walk(
    x: Sequence[Array],
    density: Callable[..., Array],
    turns: Sequence[int],
    size: Array,
    gain: float,
    rng: np.random.Generator,
) -> tuple[list[Array], Array]:
    """Return the coordinates of independent chains after Metropolis steps of one coordinate each.

    Parameters
    ----------
    x
        (R,) coordinates.
    density
        Log density of the coordinates.
    turns
        Which coordinate each step is of.
    size
        (len(x), R) standard deviations of the steps.
    gain, rng
        As in `sweep`.

    Returns
    -------
    tuple
        The coordinates and the sizes afterwards.
    """
    now, at, size = density(*x), list(x), size.copy()
    for k in turns:
        tried = list(at)
        tried[k] = at[k] + size[k] * rng.standard_normal(len(now))
        then = density(*tried)
        ratio = np.minimum(then - now, 0.0)
        accepted = -rng.standard_exponential(len(now)) < ratio
        at[k], now = np.where(accepted, tried[k], at[k]), np.where(accepted, then, now)
        if gain:
            size[k] *= np.exp(gain * (np.exp(ratio) - _TAKEN))
    return at, size


def _log_prior(root: Array) -> Array:
    """Return log densities of the cube root of nu - 1, whose sign is arbitrary."""
    log_root = np.log(np.maximum(np.abs(root), 1e-100))
    return log_prior(3 * log_root) - log_root


def _stepped(state: ChainState, first: int, size: Array) -> Array:
    """Return the sizes of all steps, those from the first on replaced."""
    step = state.step.copy()
    step[first : first + len(size)] = size
    return step


def _given_widths(
    data: PairData, state: ChainState, rng: np.random.Generator, gain: float
) -> ChainState:
    """Draw nu and std_0 given the widths, the products of mixing scales and std_0^2.

    These are inverse gamma with shape nu / 2 and scale nu std_0^2 / 2: std_0 is integrated out.
    """
    there = (data.n > 0).astype(np.float64)
    sets = there.sum(axis=1)
    width = state.mixing * (state.std**2)[:, None]
    logs = np.einsum("rm,rm->r", np.log(width), there)
    inverse = np.einsum("rm,rm->r", 1 / width, there)

    def density(root: Array) -> Array:
        half = (1 + np.abs(root) ** 3) / 2
        shape = sets * half + 0.5
        log_t = sets * (half * np.log(half) - gammaln(half)) - half * logs
        return _log_prior(root) + log_t + gammaln(shape) - shape * np.log(half * inverse)

    (root,), size = _walk((np.cbrt(state.nu - 1),), density, (0, 0), state.step[:1], gain, rng)
    nu = 1 + np.abs(root) ** 3
    gamma = rng.standard_gamma(sets * nu / 2 + 0.5)
    std = np.sqrt(gamma / (nu / 2 * inverse))
    fits = std < data.std_high
    std, nu = np.where(fits, std, state.std), np.where(fits, nu, state.nu)
    return replace(
        state, std=std, nu=nu, mixing=width / (std**2)[:, None], step=_stepped(state, 0, size)
    )


def _given_mixing(
    data: PairData, state: ChainState, rng: np.random.Generator, gain: float
) -> ChainState:
    """Draw std_0 and then delta_0, given mixing scales and variances; delta_m integrated out."""
    noise = state.variance * data.spread
    there, z = (data.n > 0).astype(np.float64), data.mean

    def moments(std: Array) -> tuple[Array, Array, Array]:
        precision = 1 / (state.mixing * (std**2)[:, None] + noise)
        weight = precision * there
        total = weight.sum(axis=1)
        return precision, total, np.einsum("rm,rm->r", weight, z) / total

    def density(u: Array) -> Array:
        precision, total, mean = moments(np.exp(u))
        logs = np.einsum("rm,rm->r", np.log(precision), there)
        off = np.einsum("rm,rm,rm->r", precision * there, z, z) - total * mean**2
        room = ndtr((data.furthest - mean) * np.sqrt(total))
        room -= ndtr((-data.furthest - mean) * np.sqrt(total))
        log_density = u + (logs - np.log(total) - off) / 2 + np.log(np.maximum(room, 1e-300))
        return np.where(u < np.log(data.std_high), log_density, -np.inf)

    (u,), size = _walk((np.log(state.std),), density, (0, 0), state.step[1:2], gain, rng)
    std = np.exp(u)
    _, total, mean = moments(std)
    root = np.sqrt(total)
    low, high = ndtr((-data.furthest - mean) * root), ndtr((data.furthest - mean) * root)
    drawn = mean + ndtri(low + (high - low) * rng.random(len(mean))) / root
    centre = np.clip(drawn, -data.furthest, data.furthest)
    return replace(state, std=std, centre=centre, step=_stepped(state, 1, size))


def _draw_delta(data: PairData, state: ChainState, rng: np.random.Generator) -> Array:
    """Draw (R, M) delta_m given all else; delta_0 where a data set has no differences."""
    known = (data.n > 0) / (state.variance * data.spread)
    prior = 1 / (state.mixing * (state.std**2)[:, None])
    centre = state.centre[:, None]
    step = known * (data.mean - centre) / (known + prior)
    drawn = centre + step + rng.standard_normal(known.shape) / np.sqrt(known + prior)
    return np.where(data.n > 0, drawn, centre)


def _draw_variance(data: PairData, delta: Array, rng: np.random.Generator) -> Array:
    """Draw (R, M) variances given delta_m, their roots uniform up to the bound."""
    shape = np.maximum(data.n - 1, 1) / 2
    square = data.square + np.where(data.n > 0, (data.mean - delta) ** 2 / data.spread, 0.0)
    gamma = rng.standard_gamma(shape)
    lowest = square / 2 / data.sigma_high[:, None] ** 2
    low = gamma < lowest
    if low.any():  # a second, certain try above the bound
        a, floor = shape[low], lowest[low]
        gamma[low] = gammainccinv(a, gammaincc(a, floor) * rng.random(len(a)))
        gamma = np.maximum(gamma, lowest)
    return square / 2 / gamma


def _given_delta(
    data: PairData, delta: Array, state: ChainState, rng: np.random.Generator, gain: float
) -> ChainState:
    """Draw nu and std_0 in turn given delta_m, mixing scales integrated out."""
    there = data.n > 0
    sets = there.sum(axis=1)
    square = np.where(there, delta - state.centre[:, None], 0.0) ** 2

    def log_t(std: Array, nu: Array) -> Array:
        constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - np.log(nu) / 2 - np.log(std)
        # Not log1p, which takes several times as long: a sum of logs needs no relative accuracy.
        inside = np.log(1 + square * (1 / (std**2 * nu))[:, None]).sum(axis=1)
        return sets * constant - (nu + 1) / 2 * inside

    def density(root: Array, u: Array) -> Array:
        log_density = u + _log_prior(root) + log_t(np.exp(u), 1 + np.abs(root) ** 3)
        return np.where(u < np.log(data.std_high), log_density, -np.inf)

    now = np.cbrt(state.nu - 1), np.log(state.std)
    (root, u), size = _walk(now, density, _TURNS, state.step[2:], gain, rng)
    return replace(state, nu=1 + np.abs(root) ** 3, std=np.exp(u), step=_stepped(state, 2, size))


# Upper bounds of the standard deviations, in units of those seen: as the authors'.
_BOUND = 1000.0
_SEGMENTS = 2
_SWEEPS = 2  # for each draw


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


def start(data: PairData, rng: np.random.Generator) -> ChainState:
    """Return states that are spread wider than the posterior; one for each row of the data."""
    r, _ = data.n.shape
    there = data.n > 0
    size = np.sqrt(np.where(there, data.mean**2, 0.0).sum(axis=1) / there.sum(axis=1))
    size = np.maximum(size, 1e-3)
    centre = np.clip(size * rng.standard_normal(r), -data.furthest, data.furthest)
    degrees = np.maximum(data.n - 1, 1)
    return ChainState(
        centre=centre,
        std=np.minimum(size * np.exp(rng.uniform(-1.5, 1.0, r)), data.std_high / 2),
        nu=1 + np.exp(rng.uniform(-2, 3, r)),
        variance=np.minimum(data.square / degrees, data.sigma_high[:, None] ** 2 / 4),
        mixing=np.ones(data.n.shape),
        step=np.repeat([[0.7], [0.5], [0.7], [0.4]], r, axis=1),
    )


def sample(
    data: PairData,
    state: ChainState,
    n: int,
    rng: np.random.Generator,
    callback: Callable[[int], None] | None = None,
    *,
    tune: bool = False,
) -> tuple[PairDraws, ChainState]:
    """Draw n times.

    Parameters
    ----------
    data, state
        One row for each chain.
    n
        Number of draws, even.
    rng
        Random numbers.
    callback
        Called with the number of draws just done.
    tune
        Whether the size of steps is tuned: for draws that are let go.

    Returns
    -------
    tuple
        Draws, and where the chains are then.
    """
    r, m = data.n.shape
    scalars = np.empty((3, r, n))
    mean, square = np.zeros((2, _SEGMENTS, r, m))
    size = n // _SEGMENTS
    for t in range(n):
        gain = 2 / np.sqrt(t + 4) if tune else 0.0
        for _ in range(_SWEEPS - 1):
            state = sweep(data, state, rng, gain)[1]
        delta, state = sweep(data, state, rng, gain)
        scalars[:, :, t] = state.centre, state.std, state.nu
        s, done = min(t // size, _SEGMENTS - 1), t % size + 1
        step = delta - mean[s]
        mean[s] += step / done
        square[s] += step * (delta - mean[s])
        if callback is not None:
            callback(1)
    return PairDraws(scalars[0], scalars[1], scalars[2], mean, square), state


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
