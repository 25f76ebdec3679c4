"""The published hyperprior of the degrees of freedom, with its own two parameters integrated out.

``nu - 1 ~ gamma(alpha, beta)`` with ``alpha ~ U(0.5, 5)`` and ``beta ~ U(0.05, 0.15)`` leaves the
three on a ridge along which chains creep. The scores say nothing of alpha and beta but through nu,
so that a sampler needs the marginal density of nu alone; both are drawn from what nu leaves of
them, where they are asked for.

References
----------
Corani, G., Benavoli, A., Demsar, J., Mangili, F. & Zaffalon, M. (2017). Statistical comparison of
classifiers through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837.
https://doi.org/10.1007/s10994-017-5641-9
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaincinv, gammaln

type Array = NDArray[np.float64]

ALPHA, BETA = (0.5, 5.0), (0.05, 0.15)
# Far beyond where the density of log(nu - 1) has any mass: below 1e-13 and above 1e-30 of it.
_LOWEST, _HIGHEST, _STEPS = -60.0, 9.0, 6901
# Range of log(nu - 1) in which alpha and beta are told apart by it.
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
