"""Hamiltonian Monte Carlo for many chains at once: densities and slopes are arrays over chains.

References
----------
Neal, R. M. (2011). MCMC using Hamiltonian dynamics. In: Handbook of Markov Chain Monte Carlo.
https://doi.org/10.1201/b10905-6

Hoffman, M. D. & Gelman, A. (2014). The No-U-Turn sampler: adaptively setting path lengths in
Hamiltonian Monte Carlo. Journal of Machine Learning Research 15, 1593-1623.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

type Array = NDArray[np.float64]
# From (C, d) points to (C,) log densities and their (C, d) slopes.
type Density = Callable[[Array], tuple[Array, Array]]

# Share of proposals to be accepted; length of a path in standard deviations; steps of a path.
_ACCEPT, _PATH, _MOST = 0.9, 1.5, 64
# Energy lost on a path that says that it went astray; dimensions up to which scales may be skew.
_ASTRAY, _DENSE = 1000.0, 80
# Windows of the warm-up, as shares of it: each sees the scales of the one before.
_WINDOWS = (0.15, 0.25, 0.4, 0.2)


@dataclass(frozen=True, slots=True)
class Paths:
    """Draws of C chains.

    Attributes
    ----------
    draws
        (C, T, d).
    accepted
        Mean probability of acceptance.
    astray
        (C, T) whether the path of the draw lost its energy.
    scale
        Where the next draws may go on: points, and the sampler's scales.
    """

    draws: Array
    accepted: float
    astray: NDArray[np.bool_]
    now: "Tuned"


@dataclass(frozen=True, slots=True)
class Tuned:
    """A sampler that knows its scales.

    Attributes
    ----------
    point
        (C, d) where the chains are.
    root
        (d, d) root of the covariance that paths are scaled by; (d,) if it is diagonal.
    step
        Size of a step in these units.
    """

    point: Array
    root: Array
    step: float


def warm_up(
    density: Density,
    start: Array,
    n: int,
    rng: np.random.Generator,
    told: Callable[[int], None] | None = None,
) -> Tuned:
    """Find scales and a step size.

    Parameters
    ----------
    density
        What is sampled.
    start
        (C, d) points.
    n
        Draws to be spent.
    rng
        Random numbers.
    told
        Called with the number of draws just done.
    """
    tuned = Tuned(start, np.ones(start.shape[1]), 0.1)
    for w, share in enumerate(_WINDOWS):
        tuned, draws = _window(density, tuned, max(int(share * n), 10), rng, told)
        if w < len(_WINDOWS) - 1:
            tuned = Tuned(tuned.point, _root(draws), tuned.step if w else 0.3)
    return tuned


def _window(
    density: Density,
    tuned: Tuned,
    n: int,
    rng: np.random.Generator,
    told: Callable[[int], None] | None,
) -> tuple[Tuned, Array]:
    """Sample while the step size is learned (dual averaging); return the later draws, too."""
    point = tuned.point
    value, slope = density(point)
    aim, average, error = np.log(10 * tuned.step), 0.0, 0.0
    step, kept = tuned.step, list[Array]()
    for t in range(1, n + 1):
        point, value, slope, chance, _ = _move(
            density, (point, value, slope), tuned.root, step, rng
        )
        kept.append(point)
        error += (_ACCEPT - float(chance.mean()) - error) / (t + 10)
        log_step = aim - np.sqrt(t) / 0.05 * error
        average += t**-0.75 * (log_step - average)
        step = float(np.exp(log_step))
        if told is not None:
            told(1)
    draws = np.stack(kept[n // 3 :], axis=1)
    return Tuned(point, tuned.root, float(np.exp(average))), draws


def _root(draws: Array) -> Array:
    """Return a root of the draws' covariance, drawn a little to its diagonal."""
    flat = draws.reshape(-1, draws.shape[2])
    variance = flat.var(axis=0) + 1e-12
    d = len(variance)
    if d > _DENSE or len(flat) < 5 * d:
        return np.sqrt(variance)
    weight = len(flat) / (len(flat) + 50)
    cov = weight * np.cov(flat, rowvar=False).reshape(d, d) + (1 - weight) * np.diag(variance)
    return np.linalg.cholesky(cov + 1e-12 * np.diag(variance))


def sample(
    density: Density,
    tuned: Tuned,
    n: int,
    rng: np.random.Generator,
    told: Callable[[int], None] | None = None,
) -> Paths:
    """Draw.

    Parameters
    ----------
    density
        What is sampled.
    tuned
        From `warm_up`, or where earlier draws ended.
    n
        Draws of each chain.
    rng
        Random numbers.
    told
        Called with the number of draws just done.
    """
    point = tuned.point
    value, slope = density(point)
    draws = np.empty((len(point), n, point.shape[1]))
    astray = np.zeros((len(point), n), dtype=np.bool_)
    accepted = 0.0
    for t in range(n):
        point, value, slope, chance, lost = _move(
            density, (point, value, slope), tuned.root, tuned.step, rng
        )
        draws[:, t], astray[:, t] = point, lost
        accepted += float(chance.mean()) / n
        if told is not None:
            told(1)
    return Paths(draws, accepted, astray, Tuned(point, tuned.root, tuned.step))


def _move(
    density: Density,
    at: tuple[Array, Array, Array],
    root: Array,
    step: float,
    rng: np.random.Generator,
) -> tuple[Array, Array, Array, Array, NDArray[np.bool_]]:
    """Go one path with every chain; its length is drawn, so that no period is hit."""
    point, value, slope = at
    momentum = rng.standard_normal(point.shape)
    length = rng.uniform(0.5, 1.5) * _PATH
    steps = int(np.clip(np.ceil(length / step), 1, _MOST))
    to, force = point, _along(slope, root)
    moved = momentum + step / 2 * force
    new, new_slope = value, slope
    with np.errstate(over="ignore", invalid="ignore"):  # a path that goes astray is refused
        for s in range(steps):
            to = to + step * _back(moved, root)
            new, new_slope = density(to)
            moved = moved + (step if s < steps - 1 else step / 2) * _along(new_slope, root)
        gain = new - value - ((moved**2).sum(axis=1) - (momentum**2).sum(axis=1)) / 2
    gain = np.where(np.isfinite(gain), gain, -np.inf)
    chance = np.exp(np.minimum(gain, 0.0))
    take = rng.random(len(point)) < chance
    rows = take[:, None]
    return (
        np.where(rows, to, point),
        np.where(take, new, value),
        np.where(rows, new_slope, slope),
        chance,
        gain < -_ASTRAY,
    )


def _along(slope: Array, root: Array) -> Array:
    return slope * root if root.ndim == 1 else slope @ root


def _back(moved: Array, root: Array) -> Array:
    return moved * root if root.ndim == 1 else moved @ root.T
