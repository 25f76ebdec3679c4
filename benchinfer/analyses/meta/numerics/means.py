"""Pooled effects of many pairs, each by itself.

The effects of a pair have one coefficient, their mean, so that what `pooling` and `network` do by
matrices are sums along the last axis here, of all pairs at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import elementwise

from benchinfer.analyses.meta.numerics.pooling import GRID, NOTHING, Method
from benchinfer.core.errors import FitError
from benchinfer.numerics.covariance import NULL
from benchinfer.numerics.types import Array, Codes, Flags

type Errors = Literal["wald", "hartung-knapp", "robust"]

# Numbers in an array of pairs by values of tau^2 by effects.
_SLICE = 1_000_000


@dataclass(frozen=True, slots=True)
class PooledMeans:
    """Pooled effects of M pairs; (M,) arrays."""

    estimate: Array
    variance: Array  # squared standard errors
    df: Array  # degrees of freedom of t statistics, infinite for normal ones
    tau2: Array  # variances between data sets


def pool_means(
    y: Array,
    v: Array,
    method: Method,
    errors: Errors,
    equally: Flags,
) -> PooledMeans:
    """Pool the effects of each of M pairs.

    Parameters
    ----------
    y, v
        (M, D) effects on D >= 2 data sets and their sampling variances, which are positive.
    method
        How tau^2 is estimated.
    errors
        Of pairs weighed by precision: those of `pooling.pool`, Wald's or refined, or of
        `network.clusters`, from the spread of the effects.
    equally
        (M,) which pairs have equal weights, as in `pooling.pool_equally`.
    """
    tau2 = tau_squared_of_means(y, v, method)
    w = 1 / (v + tau2[:, None])
    total, d = w.sum(axis=1), y.shape[1]
    estimate = (w * y).sum(axis=1) / total
    rest, df = y - estimate[:, None], np.full(len(y), d - 1.0)
    if errors == "robust":
        variance, df = _robust(w, rest)
    elif errors == "hartung-knapp":
        variance = np.maximum((w * rest**2).sum(axis=1) / (d - 1), 1.0) / total
    else:
        variance, df = 1 / total, np.full(len(y), np.inf)
    mean = y.mean(axis=1)
    spread = ((y - mean[:, None]) ** 2).sum(axis=1) / (d * (d - 1))
    return PooledMeans(
        estimate=np.where(equally, mean, estimate),
        variance=np.where(equally, np.maximum(spread, v.sum(axis=1) / d**2), variance),
        df=np.where(equally, d - 1.0, df),
        tau2=tau2,
    )


def _robust(w: Array, rest: Array) -> tuple[Array, Array]:
    """Return variances (CR2) and degrees of freedom; see `covariance.cluster_robust`."""
    phi = 1 / w.sum(axis=1)
    share = w * phi[:, None]
    # An effect that determines the mean alone has no residual.
    shared = 1 - share > NULL
    adjusted = np.where(shared, share**2 / np.where(shared, 1 - share, 1.0), 0.0)
    length, overlap = adjusted / w, adjusted * phi[:, None]
    square = (length**2 - 2 * length * overlap).sum(axis=1) + overlap.sum(axis=1) ** 2
    trace = (length - overlap).sum(axis=1)
    return (adjusted * rest**2).sum(axis=1), trace**2 / square


def tau_squared_of_means(y: Array, v: Array, method: Method = "reml") -> Array:
    """Return (M,) variances between data sets of M pairs, as `pooling.tau_squared`.

    Examples
    --------
    >>> y, v = np.array([[0.1, 0.3, 0.8, 0.2]]), np.full((1, 4), 0.01)
    >>> tau_squared_of_means(y, v, "dersimonian-laird").round(6).tolist()
    [0.086667]
    """
    if method == "fixed":
        return np.zeros(len(y))
    if (v.max(axis=1) <= (NOTHING * np.abs(y).max(axis=1)) ** 2).any():
        raise FitError("effects have no sampling error, so that there is nothing to weigh them by.")
    free = y.shape[1] - 1
    spread = ((y - y.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    unit = spread / free + v.mean(axis=1)
    if method == "reml":
        step = max(1, _SLICE // (len(GRID) * y.shape[1]))
        parts = [slice(start, start + step) for start in range(0, len(y), step)]
        return np.concatenate([_restricted(y[part], v[part], unit[part]) for part in parts])
    excess = _excess(y, v, np.zeros((len(y), 1)))[:, 0]
    if method == "dersimonian-laird":
        w = 1 / v
        trace = w.sum(axis=1) - (w**2).sum(axis=1) / w.sum(axis=1)
        return np.maximum(0.0, excess / trace)
    some, high = np.flatnonzero(excess > 0), unit.copy()
    while len(low := some[_excess(y[some], v[some], high[some, None])[:, 0] > 0]):
        high[low] *= 4
    return _roots(_excess, y, v, some, np.zeros(len(y)), high)


def _weighted(y: Array, v: Array, tau2: Array) -> tuple[Array, Array, Array]:
    """Return (M, T, D) weights at (M, T) values of tau^2, their (M, T) sums, and the residuals."""
    w = 1 / (v[:, None] + tau2[:, :, None])
    total = w.sum(axis=2)
    return w, total, y[:, None] - ((w * y[:, None]).sum(axis=2) / total)[:, :, None]


def _excess(y: Array, v: Array, tau2: Array) -> Array:
    """Return Q less its degrees of freedom at (M, T) values of tau^2."""
    w, _, rest = _weighted(y, v, tau2)
    return (w * rest**2).sum(axis=2) - (y.shape[1] - 1)


def _deviance(y: Array, v: Array, tau2: Array) -> Array:
    """Return minus twice the restricted log-likelihood at (M, T) values of tau^2."""
    w, total, rest = _weighted(y, v, tau2)
    return np.log(total) - np.log(w).sum(axis=2) + (w * rest**2).sum(axis=2)


def _score(y: Array, v: Array, tau2: Array) -> Array:
    """Return twice the derivative of the restricted log-likelihood at (M, T) values of tau^2."""
    w, total, rest = _weighted(y, v, tau2)
    return ((w * rest) ** 2).sum(axis=2) - total + (w**2).sum(axis=2) / total


def _restricted(y: Array, v: Array, unit: Array) -> Array:
    """Return the tau^2 of the highest maximum of each restricted likelihood."""
    grid = np.hstack([np.zeros((len(y), 1)), unit[:, None] * GRID])
    rows = np.arange(len(y))
    best = _deviance(y, v, grid).argmin(axis=1)
    rises = _score(y, v, grid[rows, best][:, None])[:, 0] > 0
    # Next to the best point of the grid the score changes sign from above to below.
    low = np.where(rises, best, np.maximum(best - 1, 0))
    high = np.where(rises, np.minimum(best + 1, grid.shape[1] - 1), best)
    ends = np.stack([grid[rows, low], grid[rows, high]], axis=1)
    some = np.flatnonzero(rises | (best > 0))
    score = _score(y[some], v[some], ends[some])
    if (score[:, 0] < 0).any() or (score[:, 1] > 0).any():
        raise FitError("the restricted likelihood has no maximum where it was looked for.")
    return _roots(_score, y, v, some, *ends.T)


def _roots(
    falling: Callable[[Array, Array, Array], Array],
    y: Array,
    v: Array,
    some: Codes,
    low: Array,
    high: Array,
) -> Array:
    """Return where functions of tau^2 of some of the pairs cross 0 between two ends, else 0."""
    tau2 = np.zeros(len(y))
    if len(some):
        zero = elementwise.find_root(
            lambda t, p: falling(y[p], v[p], t[:, None])[:, 0],
            (low[some], high[some]),
            args=(some,),
        )
        tau2[some] = zero.x
    return tau2
