"""The studentized range distribution, to full relative accuracy in the upper tail.

The range of K independent standard normals, divided by an independent chi / sqrt(df): the case of
equal variances of `ranges`.

References
----------
Lund, R. E. & Lund, J. R. (1983). Algorithm AS 190: Probabilities and upper quantiles for the
studentized range. Applied Statistics 32, 204-210. https://doi.org/10.2307/2347300
"""

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics import mixing, ranges

type Array = NDArray[np.float64]


def range_survival(w: Array, k: int) -> Array:
    """Return ``P(range > w)`` of k independent standard normals, elementwise."""
    width = np.asarray(w, dtype=np.float64)
    half = np.full(k, 0.5)
    return ranges.gap_survival(width.ravel(), np.ones(k), half).reshape(width.shape)


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
    return mixing.over_chi(lambda w: range_survival(w, k), q.ravel(), df).reshape(q.shape)
