"""The hierarchical model of two algorithms of Corani et al. (2017), and its sampler.

On data set m the differences of the replications are normal with mean delta_m, standard deviation
sigma_m and correlation rho; ``delta_m ~ t(nu, delta_0, std_0)``; delta_0, std_0 and all sigma_m are
uniform and `benchinfer.numerics.bayes.pair_tail` has the prior of nu. Means and sums of squares of
the differences are sufficient. Many models (pairs of algorithms, chains) are sampled at once.

References
----------
Corani, G., Benavoli, A., Demsar, J., Mangili, F. & Zaffalon, M. (2017). Statistical comparison of
classifiers through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837.
https://doi.org/10.1007/s10994-017-5641-9
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.bayes.pair_moves import PairData, State, sweep

type Array = NDArray[np.float64]

# Upper bounds of the standard deviations, in units of those seen: as the authors'.
_BOUND = 1000.0
_SEGMENTS = 2
_SWEEPS = 2  # for each draw


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
        step=np.repeat([[0.7], [0.5], [0.7], [0.4]], r, axis=1),
    )


def sample(
    data: PairData,
    state: State,
    n: int,
    rng: np.random.Generator,
    told: Callable[[int], None] | None = None,
    *,
    tune: bool = False,
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
        Called with the number of draws just done.
    tune
        Whether the size of steps is tuned: for draws that are let go.

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
        gain = 2 / np.sqrt(t + 4) if tune else 0.0
        for _ in range(_SWEEPS - 1):
            state = sweep(data, state, rng, gain)[1]
        delta, state = sweep(data, state, rng, gain)
        kept[:, :, t] = state.centre, state.std, state.nu
        s, done = min(t // size, _SEGMENTS - 1), t % size + 1
        step = delta - mean[s]
        mean[s] += step / done
        square[s] += step * (delta - mean[s])
        if told is not None:
            told(1)
    return PairDraws(kept[0], kept[1], kept[2], mean, square), state
