"""Data sets as the hierarchical model would have them: what is observed beside what is drawn.

References
----------
Gelman, A., Meng, X.-L. & Stern, H. (1996). Posterior predictive assessment of model fitness via
realized discrepancies. Statistica Sinica 6, 733-807.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.bayes.integrated import Shared
from benchinfer.numerics.bayes.reduction import ContrastData, helmert

type Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Replicated:
    """One data set, drawn S times; in units of ``ContrastData.scale``.

    Attributes
    ----------
    effects
        (S, K) least-squares estimates of the algorithms' effects; they sum to 0.
    variance
        (S,) residual variance, None where the data set has no residuals.
    """

    effects: Array
    variance: Array | None


def replicate(data: ContrastData, m: int, shared: Shared, rng: np.random.Generator) -> Replicated:
    """Draw data set m once for each draw of what data sets share.

    Parameters
    ----------
    data
        Contrasts of the data sets.
    m
        Which data set.
    shared
        S draws, with the effects that this data set departs from.
    rng
        Random numbers.
    """
    n, j = len(shared), data.z.shape[1]
    root = np.linalg.cholesky(shared.covariance)
    departure = (root @ rng.standard_normal((n, j, 1)))[..., 0]
    if shared.df is not None:
        mixing = shared.df / 2 / rng.standard_gamma(shared.df / 2)
        departure *= np.sqrt(mixing)[:, None]
    z = (shared.centre[:, 0] + departure) @ data.design[m].T
    variance = None
    if shared.residual_centre is not None and shared.residual_spread is not None:
        log = shared.residual_centre + shared.residual_spread * rng.standard_normal(n)
        noise = np.exp(2 * (log + data.log_sd))
        z += np.sqrt(noise[:, None] * data.variance[m]) * rng.standard_normal((n, j))
        if data.df[m] > 0:
            half = data.df[m] / 2
            variance = noise * rng.standard_gamma(half, n) / half
    return Replicated(z @ _rows(data, m), variance)


def observed(data: ContrastData, m: int) -> Replicated:
    """Return data set m as observed, as if drawn once."""
    variance = data.rss[m : m + 1] / data.df[m] if data.df[m] > 0 and not data.silent[m] else None
    return Replicated(data.z[m : m + 1] @ _rows(data, m), variance)


def present(data: ContrastData, m: int) -> NDArray[np.bool_]:
    """Return (K,) whether data set m compares an algorithm with others."""
    return np.abs(_rows(data, m)).max(axis=0) > 1e-9


def _rows(data: ContrastData, m: int) -> Array:
    """Return (J, K) contrasts that data set m identifies, rows of 0 from its rank on."""
    rows = data.design[m] @ helmert(data.n_algorithms)
    rows[data.rank[m] :] = 0.0
    return rows
