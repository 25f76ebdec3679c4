"""Whether small studies show other effects than large ones: Egger's regression.

References
----------
Egger, M., Davey Smith, G., Schneider, M. & Minder, C. (1997). Bias in meta-analysis detected by a
simple, graphical test. BMJ 315, 629-634. https://doi.org/10.1136/bmj.315.7109.629
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from benchinfer.errors import FitError

type Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Egger:
    """Egger's test.

    Attributes
    ----------
    slope, std_error, df, statistic, p_value
        Of the effect on its standard error: 0 where the funnel is symmetric.
    limit, limit_error
        Effect at a standard error of 0, and its standard error.
    """

    slope: float
    std_error: float
    df: int
    statistic: float
    p_value: float
    limit: float
    limit_error: float


def egger(y: Array, v: Array) -> Egger:
    """Regress effects on their standard errors, with weights 1 / v and a free dispersion.

    Parameters
    ----------
    y, v
        (D,) effects and sampling variances.

    Raises
    ------
    FitError
        There are fewer than three effects, or all have the same standard error.
    """
    error = np.sqrt(v)
    if len(y) < 3 or np.ptp(error) <= 1e-8 * error.max():
        raise FitError("Egger's test needs three effects whose standard errors differ.")
    x = np.column_stack([np.ones(len(y)), error]) / error[:, None]
    cov = np.linalg.inv(x.T @ x)
    beta = cov @ (x.T @ (y / error))
    df = len(y) - 2
    rest = y / error - x @ beta
    errors = np.sqrt(cov.diagonal() * float(rest @ rest) / df)
    t = float(beta[1] / errors[1])
    p = 2 * float(stdtr(df, -abs(t)))
    return Egger(float(beta[1]), float(errors[1]), df, t, p, float(beta[0]), float(errors[0]))
