"""The hierarchical model of two algorithms of Corani et al. (2017), and a Gibbs sampler for it.

On data set m the differences of the replications are normal with mean delta_m, standard deviation
sigma_m and correlation rho; ``delta_m ~ t(nu, delta_0, std_0)``; delta_0, std_0 and all sigma_m are
uniform and `benchinfer.numerics.bayes.pair_tail` has the prior of nu. Means and sums of squares of
the differences are sufficient.

Many models (pairs of algorithms, chains) are sampled at once. A sweep draws nu with the mixing
scales of t integrated out; delta_0 and std_0 with delta_m integrated out, given the mixing scales;
and std_0 and delta_0 again with the mixing scales integrated out, given delta_m. Each of the two
ways is slow where the other is fast, so that both together are not (interweaving).

References
----------
Corani, G., Benavoli, A., Demsar, J., Mangili, F. & Zaffalon, M. (2017). Statistical comparison of
classifiers through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837.
https://doi.org/10.1007/s10994-017-5641-9

Yu, Y. & Meng, X.-L. (2011). To center or not to center: that is not the question - an
ancillarity-sufficiency interweaving strategy (ASIS) for boosting MCMC efficiency. Journal of
Computational and Graphical Statistics 20, 531-570. https://doi.org/10.1198/jcgs.2011.203main
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, gammainccinv, gammaln, ndtr, ndtri

from benchinfer.numerics.bayes.pair_tail import log_prior
from benchinfer.numerics.bayes.slices import slice_step

type Array = NDArray[np.float64]

# Upper bounds of the standard deviations, in units of those seen: as the authors'.
_BOUND = 1000.0
_SEGMENTS = 2


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


def pair_data(n: NDArray[np.int64], mean: Array, square: Array, top: Array, rho: float) -> PairData:
    """Scale what is known of the differences, and find the bounds of the uniform priors.

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
class State:
    """Where R chains are: (R,) parameters, (R, M) standard deviations squared, mixing scales."""

    centre: Array
    std: Array
    nu: Array
    variance: Array
    mixing: Array

    def of(self, rows: NDArray[np.int64]) -> "State":
        """Return the state of some chains."""
        parts = (self.centre, self.std, self.nu, self.variance, self.mixing)
        return State(*(part[rows] for part in parts))


@dataclass(frozen=True, slots=True)
class PairDraws:
    """T draws of R chains.

    Attributes
    ----------
    centre, std, nu
        (R, T) delta_0 and std_0, in units of the scale, and degrees of freedom.
    mean, square
        (S, R, M) mean, and sum of squared deviations from it, of delta_m in each segment of the
        chains.
    """

    centre: Array
    std: Array
    nu: Array
    mean: Array
    square: Array


def start(data: PairData, rng: np.random.Generator) -> State:
    """Return states that are spread wider than the posterior; one for each row of the data."""
    r, _ = data.n.shape
    there = data.n > 0
    size = np.sqrt(np.where(there, data.mean**2, 0.0).sum(axis=1) / there.sum(axis=1))
    size = np.maximum(size, 1e-3)
    centre = np.clip(size * rng.standard_normal(r), -data.furthest, data.furthest)
    degrees = np.maximum(data.n - 1, 1)
    return State(
        centre=centre,
        std=np.minimum(size * np.exp(rng.uniform(-1.5, 1.0, r)), data.std_high / 2),
        nu=1 + np.exp(rng.uniform(-2, 3, r)),
        variance=np.minimum(data.square / degrees, data.sigma_high[:, None] ** 2 / 4),
        mixing=np.ones(data.n.shape),
    )


def sample(
    data: PairData,
    state: State,
    n: int,
    rng: np.random.Generator,
    told: Callable[[int], None] | None = None,
) -> tuple[PairDraws, State]:
    """Draw n times.

    Parameters
    ----------
    data, state
        One row for each chain.
    n
        Number of draws, even.
    rng
        Random numbers.
    told
        Called with the number of sweeps just done.

    Returns
    -------
    tuple
        Draws, and where the chains are then.
    """
    r, m = data.n.shape
    kept = np.empty((3, r, n))
    mean, square = np.zeros((2, _SEGMENTS, r, m))
    size = n // _SEGMENTS
    for t in range(n):
        delta, state = _sweep(data, state, rng)
        kept[:, :, t] = state.centre, state.std, state.nu
        s, done = min(t // size, _SEGMENTS - 1), t % size + 1
        step = delta - mean[s]
        mean[s] += step / done
        square[s] += step * (delta - mean[s])
        if told is not None:
            told(1)
    return PairDraws(*kept, mean, square), state


def _sweep(data: PairData, state: State, rng: np.random.Generator) -> tuple[Array, State]:
    """Draw everything once; return (R, M) delta_m and the new state."""
    state = _given_widths(data, state, rng)
    state = _given_mixing(data, state, rng)
    delta = _draw_delta(data, state, rng)
    state = replace(state, variance=_draw_variance(data, delta, rng))
    state = _given_delta(data, delta, state, rng)
    square = ((delta - state.centre[:, None]) / state.std[:, None]) ** 2
    shape = np.broadcast_to((state.nu[:, None] + 1) / 2, square.shape)
    mixing = (state.nu[:, None] + square) / 2 / rng.standard_gamma(shape)
    return delta, replace(state, mixing=mixing)


def _given_widths(data: PairData, state: State, rng: np.random.Generator) -> State:
    """Draw nu and std_0 given the products of mixing scales and std_0^2, which are left as is.

    These are inverse gamma with shape nu / 2 and scale nu std_0^2 / 2: std_0 is integrated out.
    """
    there = data.n > 0
    sets = there.sum(axis=1)
    width = state.mixing * (state.std**2)[:, None]
    logs = np.log(width, where=there, out=np.zeros_like(width)).sum(axis=1)
    inverse = np.where(there, 1 / width, 0.0).sum(axis=1)

    def density(v: Array) -> Array:
        half = (1 + np.exp(v)) / 2
        shape = sets * half + 0.5
        found = sets * (half * np.log(half) - gammaln(half)) - half * logs
        return log_prior(v) + found + gammaln(shape) - shape * np.log(half * inverse)

    nu = 1 + np.exp(slice_step(np.log(state.nu - 1), density, 1.5, rng))
    gamma = rng.standard_gamma(sets * nu / 2 + 0.5)
    std = np.sqrt(gamma / (nu / 2 * inverse))
    fits = std < data.std_high
    std, nu = np.where(fits, std, state.std), np.where(fits, nu, state.nu)
    return replace(state, std=std, nu=nu, mixing=width / (std**2)[:, None])


def _given_mixing(data: PairData, state: State, rng: np.random.Generator) -> State:
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
        off = np.einsum("rm,rm,rm->r", precision, z, z) - total * mean**2
        room = ndtr((data.furthest - mean) * np.sqrt(total))
        room -= ndtr((-data.furthest - mean) * np.sqrt(total))
        found = u + (logs - np.log(total) - off) / 2 + np.log(np.maximum(room, 1e-300))
        return np.where(u < np.log(data.std_high), found, -np.inf)

    std = np.exp(slice_step(np.log(state.std), density, 1.0, rng))
    _, total, mean = moments(std)
    root = np.sqrt(total)
    low, high = ndtr((-data.furthest - mean) * root), ndtr((data.furthest - mean) * root)
    drawn = mean + ndtri(low + (high - low) * rng.random(len(mean))) / root
    centre = np.clip(drawn, -data.furthest, data.furthest)
    return replace(state, std=std, centre=centre)


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


def _given_delta(data: PairData, delta: Array, state: State, rng: np.random.Generator) -> State:
    """Draw nu, std_0 and delta_0 one after the other given delta_m, mixing scales integrated out."""
    there = data.n > 0
    sets = there.sum(axis=1)
    square = np.where(there, delta - state.centre[:, None], 0.0) ** 2

    def log_t(std: Array, nu: Array) -> Array:
        constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - np.log(nu) / 2 - np.log(std)
        # Not log1p, which takes several times as long: a sum of logs needs no relative accuracy.
        inside = np.log(1 + square * (1 / (std**2 * nu))[:, None]).sum(axis=1)
        return sets * constant - (nu + 1) / 2 * inside

    u, v = np.log(state.std), np.log(state.nu - 1)
    for toward in (np.pi / 2, None):  # nu alone, then along a line in any direction
        angle = rng.uniform(0, np.pi, len(u)) if toward is None else np.full(len(u), toward)
        a, b = np.cos(angle), 1.5 * np.sin(angle)

        def density(step: Array, u: Array = u, v: Array = v, a: Array = a, b: Array = b) -> Array:
            log_std, log_above = u + a * step, v + b * step
            found = log_std + log_prior(log_above)
            found = found + log_t(np.exp(log_std), 1 + np.exp(log_above))
            return np.where(log_std < np.log(data.std_high), found, -np.inf)

        step = slice_step(np.zeros(len(u)), density, 1.0, rng)
        u, v = u + a * step, v + b * step
    std, nu = np.exp(u), 1 + np.exp(v)
    return replace(state, nu=nu, std=std)
