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
        (...) alpha and (...) beta. Alpha is drawn from a grid of 451 points with linear density
        between them, beta given alpha from its truncated gamma distribution.
    """
    flat = np.maximum(nu.ravel() - 1, 1e-300)
    found = [_draw_some(part, rng) for part in np.array_split(flat, len(flat) // 4096 + 1)]
    alpha, beta = (np.concatenate(part).reshape(nu.shape) for part in zip(*found, strict=True))
    return alpha, beta


def _draw_some(above: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw alpha and beta given (N,) values of nu - 1."""
    grid = np.linspace(*ALPHA, 451)
    # The integral of beta^alpha exp(-beta v) over its range, times v^(alpha - 1) / Gamma(alpha).
    x = above[:, None]
    mass = gammainc(grid + 1, BETA[1] * x) - gammainc(grid + 1, BETA[0] * x)
    density = grid * np.maximum(mass, 0.0) / x**2
    low = density.sum(axis=1) <= 0  # nu - 1 so small that both gammas round to 0
    if low.any():
        power = np.log(np.mean(BETA)) + np.log(above[low, None])
        log_density = grid * power - gammaln(grid)
        density[low] = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    steps = (density[:, 1:] + density[:, :-1]).cumsum(axis=1)
    share = rng.random((len(above), 1)) * steps[:, -1:]
    cell = (steps < share).sum(axis=1)
    alpha = grid[cell] + (grid[1] - grid[0]) * rng.random(len(above))
    ends = [gammainc(alpha + 1, end * above) for end in BETA]
    at = ends[0] + (ends[1] - ends[0]) * rng.random(len(above))
    beta = gammaincinv(alpha + 1, at) / above
    return alpha, np.clip(beta, *BETA)
