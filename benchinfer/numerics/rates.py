"""Confidence intervals of rates.

They are in statsmodels, too (the tests compare them); its import would cost a command .5 s of CPU.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

type Array = NDArray[np.float64]
type Rate = Literal["wilson", "clopper-pearson", "agresti-coull", "wald"]
RATES: tuple[Rate, ...] = ("wilson", "clopper-pearson", "agresti-coull", "wald")


def rate_interval(kind: Rate, count: Array, n: Array, tail: float) -> tuple[Array, Array]:
    """Return the interval of a rate.

    Parameters
    ----------
    kind
        ``"wilson"``, ``"clopper-pearson"`` (never covers less than its level), ``"agresti-coull"``
        or ``"wald"`` (bad for few items and rates near 0 or 1).
    count, n
        (m,) number of items that count, and of all items.
    tail
        Probability left out on each side.

    Returns
    -------
    low, high
        (m,) each; those of Agresti and Coull and of Wald are not cut at 0 and 1.

    References
    ----------
    Brown, L. D., Cai, T. T. & DasGupta, A. (2001). Interval estimation for a binomial proportion.
    Statistical Science 16, 101-133. https://doi.org/10.1214/ss/1009213286

    Examples
    --------
    >>> low, high = rate_interval("wilson", np.array([3.0]), np.array([20.0]), 0.025)
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.0524, 0.3604)
    """
    # Reading a table takes no special functions: they are fetched when an interval is requested.
    from scipy.special import betaincinv, ndtri

    if kind == "clopper-pearson":
        return (
            np.where(count > 0, betaincinv(np.maximum(count, 0.5), n - count + 1, tail), 0.0),
            np.where(count < n, betaincinv(count + 1, np.maximum(n - count, 0.5), 1 - tail), 1.0),
        )
    z = -float(ndtri(tail))
    p = count / n
    if kind == "wald":
        reach = z * np.sqrt(p * (1 - p) / n)
        return p - reach, p + reach
    centre = (count + z**2 / 2) / (n + z**2)
    if kind == "agresti-coull":
        reach = z * np.sqrt(centre * (1 - centre) / (n + z**2))
        return centre - reach, centre + reach
    reach = z / (n + z**2) * np.sqrt(count * (n - count) / n + z**2 / 4)
    # At the border the ends are exactly there; rounding would miss them.
    return np.where(count > 0, centre - reach, 0.0), np.where(count < n, centre + reach, 1.0)
