"""Moves of the sampler of two algorithms' hierarchical model.

Mixing scales lambda_m make delta_m normal given them: ``delta_m ~ N(delta_0, lambda_m std_0^2)``. A
sweep draws (1) nu and std_0 given the widths ``lambda_m std_0^2``; (2) std_0 and delta_0 given
lambda_m and sigma_m, delta_m integrated out; delta_m; sigma_m given delta_m; (3) nu and std_0 given
delta_m, lambda_m integrated out; lambda_m. Each of the three is slow where another is fast, so that
together they are not (interweaving). What has no closed form takes Metropolis steps, whose size is
tuned while chains warm up; nu moves as the cube root of ``nu - 1``, whose prior has no long tail.

References
----------
Corani, G., Benavoli, A., Demsar, J., Mangili, F. & Zaffalon, M. (2017). Statistical comparison of
classifiers through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837.
https://doi.org/10.1007/s10994-017-5641-9

Yu, Y. & Meng, X.-L. (2011). To center or not to center: that is not the question - an
ancillarity-sufficiency interweaving strategy (ASIS) for boosting MCMC efficiency. Journal of
Computational and Graphical Statistics 20, 531-570. https://doi.org/10.1198/jcgs.2011.203main
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, gammainccinv, gammaln, ndtr, ndtri

from benchinfer.numerics.bayes.pair_tail import log_prior

type Array = NDArray[np.float64]

# Share of steps that a one-dimensional random walk should take.
_TAKEN = 0.44
# nu and std_0 in turn: how often each is moved given delta_m.
_TURNS = (0, 1) * 4


@dataclass(frozen=True, slots=True)
class PairData:
    """What the model sees of P pairs of algorithms on M data sets, in units of `scale`.

    Attributes
    ----------
    n
        (P, M) number of differences; 0 where the data set says nothing of the pair.
    mean
        (P, M) means of the differences, 0 where there are none.
    square
        (P, M) sums of squared deviations, over ``1 - rho``; above 0.
    spread
        (P, M) variance of a mean, in units of sigma_m^2: ``(1 + (n - 1) rho) / n``.
    furthest
        (P,) largest difference that delta_0 may have.
    sigma_high, std_high
        (P,) largest sigma_m and std_0.
    scale
        (P,) mean standard deviation of the differences on a data set, by which all is divided.
    """

    n: NDArray[np.int64]
    mean: Array
    square: Array
    spread: Array
    furthest: Array
    sigma_high: Array
    std_high: Array
    scale: Array

    def of(self, rows: NDArray[np.int64]) -> "PairData":
        """Return the data of some pairs, in that order; pairs may repeat."""
        return PairData(
            self.n[rows],
            self.mean[rows],
            self.square[rows],
            self.spread[rows],
            self.furthest[rows],
            self.sigma_high[rows],
            self.std_high[rows],
            self.scale[rows],
        )


@dataclass(frozen=True, slots=True)
class State:
    """Where R chains are, and how far they try to step.

    Attributes
    ----------
    centre, std, nu
        (R,) delta_0, std_0 and degrees of freedom.
    variance, mixing
        (R, M) sigma_m^2, and the mixing scales of t.
    step
        (4, R) standard deviations of the steps that are tried, one for each kind of move.
    """

    centre: Array
    std: Array
    nu: Array
    variance: Array
    mixing: Array
    step: Array

    def of(self, rows: NDArray[np.int64]) -> "State":
        """Return the state of some chains."""
        return State(
            self.centre[rows],
            self.std[rows],
            self.nu[rows],
            self.variance[rows],
            self.mixing[rows],
            self.step[:, rows],
        )


def sweep(
    data: PairData, state: State, rng: np.random.Generator, gain: float
) -> tuple[Array, State]:
    """Draw everything once.

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
    """Take Metropolis steps of one coordinate after the other, each chain by itself.

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
        taken = -rng.standard_exponential(len(now)) < ratio
        at[k], now = np.where(taken, tried[k], at[k]), np.where(taken, then, now)
        if gain:
            size[k] *= np.exp(gain * (np.exp(ratio) - _TAKEN))
    return at, size


def _log_prior(root: Array) -> Array:
    """Return log densities of the cube root of nu - 1; its sign means nothing."""
    log_root = np.log(np.maximum(np.abs(root), 1e-100))
    return log_prior(3 * log_root) - log_root


def _stepped(state: State, first: int, size: Array) -> Array:
    """Return the sizes of all steps, those from the first on replaced."""
    step = state.step.copy()
    step[first : first + len(size)] = size
    return step


def _given_widths(data: PairData, state: State, rng: np.random.Generator, gain: float) -> State:
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
        found = sets * (half * np.log(half) - gammaln(half)) - half * logs
        return _log_prior(root) + found + gammaln(shape) - shape * np.log(half * inverse)

    (root,), size = _walk((np.cbrt(state.nu - 1),), density, (0, 0), state.step[:1], gain, rng)
    nu = 1 + np.abs(root) ** 3
    gamma = rng.standard_gamma(sets * nu / 2 + 0.5)
    std = np.sqrt(gamma / (nu / 2 * inverse))
    fits = std < data.std_high
    std, nu = np.where(fits, std, state.std), np.where(fits, nu, state.nu)
    return replace(
        state, std=std, nu=nu, mixing=width / (std**2)[:, None], step=_stepped(state, 0, size)
    )


def _given_mixing(data: PairData, state: State, rng: np.random.Generator, gain: float) -> State:
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
        found = u + (logs - np.log(total) - off) / 2 + np.log(np.maximum(room, 1e-300))
        return np.where(u < np.log(data.std_high), found, -np.inf)

    (u,), size = _walk((np.log(state.std),), density, (0, 0), state.step[1:2], gain, rng)
    std = np.exp(u)
    _, total, mean = moments(std)
    root = np.sqrt(total)
    low, high = ndtr((-data.furthest - mean) * root), ndtr((data.furthest - mean) * root)
    drawn = mean + ndtri(low + (high - low) * rng.random(len(mean))) / root
    centre = np.clip(drawn, -data.furthest, data.furthest)
    return replace(state, std=std, centre=centre, step=_stepped(state, 1, size))


def _draw_delta(data: PairData, state: State, rng: np.random.Generator) -> Array:
    """Draw (R, M) delta_m given all else; delta_0 where a data set says nothing."""
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
    data: PairData, delta: Array, state: State, rng: np.random.Generator, gain: float
) -> State:
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
        found = u + _log_prior(root) + log_t(np.exp(u), 1 + np.abs(root) ** 3)
        return np.where(u < np.log(data.std_high), found, -np.inf)

    now = np.cbrt(state.nu - 1), np.log(state.std)
    (root, u), size = _walk(now, density, _TURNS, state.step[2:], gain, rng)
    return replace(state, nu=1 + np.abs(root) ** 3, std=np.exp(u), step=_stepped(state, 2, size))
