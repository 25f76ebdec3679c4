"""The studentized range distribution, to full relative accuracy in the upper tail.

With K independent standard normals and an independent chi with df degrees of freedom,
``P(Q > q) = E[ K * integral of phi(z) {Phi(z)^(K-1) - (Phi(z) - Phi(z - q s))^(K-1)} dz ]``.
Both integrals are of analytic, fast decaying functions, for which the trapezoidal rule converges
exponentially; the inner difference is formed without cancellation.

References
----------
Lund, R. E. & Lund, J. R. (1983). Algorithm AS 190: Probabilities and upper quantiles for the
studentized range. Applied Statistics 32, 204-210. https://doi.org/10.2307/2347300
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, log_ndtr

type Array = NDArray[np.float64]


def range_survival(w: Array, k: int) -> Array:
    """Return ``P(range > w)`` of k independent standard normals, elementwise."""
    width = np.asarray(w, dtype=np.float64)
    # Relative to the midpoint of the gap the integrand lives within about 9 units.
    u = np.arange(-9.5, 9.5, 0.11)
    z = u + width[..., None] / 2
    log_upper = log_ndtr(z)
    gap = np.exp(log_ndtr(z - width[..., None]) - log_upper)
    inside = np.minimum(gap, 1 - 1e-300)
    with np.errstate(divide="ignore"):
        share = -np.expm1((k - 1) * np.log1p(-inside))
    log_density = -0.5 * z**2 - 0.5 * np.log(2 * np.pi)
    value = np.exp((k - 1) * log_upper + log_density) * share
    return np.minimum(k * 0.11 * value.sum(axis=-1), 1.0)


def survival(q: Array, k: int, df: float) -> Array:
    """Return ``P(Q > q)`` for the studentized range of k means with df degrees of freedom.

    Parameters
    ----------
    q
        Any shape, values >= 0.
    k
        Number of means, at least 2.
    df
        Degrees of freedom, ``inf`` for a known variance.

    Returns
    -------
    numpy.ndarray
        Same shape as `q`.

    Examples
    --------
    >>> float(survival(np.array(3.876776749), 3, 10).round(6))
    0.05
    """
    q = np.asarray(q, dtype=np.float64)
    if np.isinf(df):
        return range_survival(q, k)
    flat = np.atleast_1d(q).ravel()
    spread = 1 / np.sqrt(2 * df)
    step = 0.35 * min(spread, 0.35)
    # ln s: the chi density falls like e^(df * u) to the left and much faster to the right; a large
    # q moves the mass of the product to smaller s.
    shift = 0.5 * np.log1p(flat.max(initial=0) ** 2 / (2 * df))
    u = np.arange(-shift - max(37 / df, 9 * spread), 9 * spread + 9 / df, step)
    log_weight = df * u - df * np.exp(2 * u) / 2
    log_norm = np.log(2.0) + df / 2 * np.log(df / 2) - gammaln(df / 2)
    weight = step * np.exp(log_weight + log_norm)
    keep = weight > 0
    scale, weight = np.exp(u[keep]), weight[keep]
    result = np.array([weight @ range_survival(value * scale, k) for value in flat])
    return np.minimum(result, 1.0).reshape(q.shape)
