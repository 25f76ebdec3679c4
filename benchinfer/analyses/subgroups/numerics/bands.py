"""Critical values of bands for a straight line over a segment."""

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from benchinfer.numerics.types import Array


def angle_of(cov: Array, low: float, high: float) -> float:
    """Return the angle between the estimates of a line at two places.

    Parameters
    ----------
    cov
        (2, 2) covariance of intercept and slope.
    low, high
        The two places.
    """
    ends = np.array([[1.0, low], [1.0, high]])
    v = ends @ cov @ ends.T
    return float(np.arccos(np.clip(v[0, 1] / np.sqrt(v[0, 0] * v[1, 1]), -1.0, 1.0)))


def exceedance(critical: float, angle: float, df: float) -> float:
    """Return the probability that a line leaves its band somewhere on a segment.

    Parameters
    ----------
    critical
        Half the width of the band in standard errors.
    angle
        Between the estimates at both ends of the segment: 0 for a point, pi for the whole line.
    df
        Degrees of freedom of the standard errors, may be infinite.

    Notes
    -----
    Standardised, intercept and slope are a vector of length R in a direction that is uniform, with
    ``R^2 / 2 ~ F(2, df)``, and the error at a place is R times the cosine of the angle to that
    place. Of directions within the segment the largest error is R; of one that is off by d it is
    ``R cos d``: ``P = angle / pi S(c) + 2 / pi int_0^((pi - angle) / 2) S(c / cos d) dd`` with
    ``S(c) = P(R > c) = (1 + c^2 / df)^(-df / 2)``. For the whole line c is that of Scheffe, Working
    and Hotelling: ``sqrt(2 F)``.

    References
    ----------
    Wynn, H. P. & Bloomfield, P. (1971). Simultaneous confidence bands in regression analysis.
    Journal of the Royal Statistical Society B 33, 202-217.
    https://doi.org/10.1111/j.2517-6161.1971.tb00873.x
    """

    def beyond(off: float) -> float:
        square = (critical / np.cos(off)) ** 2
        log = -square / 2 if np.isinf(df) else -df / 2 * np.log1p(square / df)
        return float(np.exp(log))

    outside, _ = quad(beyond, 0.0, (np.pi - angle) / 2)
    return angle / np.pi * beyond(0.0) + 2 / np.pi * outside


def band_critical(angle: float, df: float, alpha: float) -> float:
    """Return half the width, in standard errors, of the band that is left with probability alpha.

    References
    ----------
    Bauer & Curran (2005), https://doi.org/10.1207/s15327906mbr4003_5

    Esarey & Sumner (2018), https://doi.org/10.1177/0010414017730080

    Examples
    --------
    >>> round(band_critical(0.0, 10.0, 0.05), 3), round(band_critical(np.pi, 10.0, 0.05), 3)
    (2.228, 2.865)
    """
    most = 2.0
    while exceedance(most, angle, df) > alpha:
        most *= 2
    return float(brentq(lambda c: exceedance(c, angle, df) - alpha, 0.0, most, xtol=1e-12))


def drawn_critical(draws: Array, alpha: float) -> tuple[Array, Array, float]:
    """Return mean and standard deviation of drawn curves, and the half width that holds most.

    Parameters
    ----------
    draws
        (T, G) curves at G places.
    alpha
        Share of the curves that leave the band of so many standard deviations somewhere.

    References
    ----------
    Montiel Olea, J. L. & Plagborg-Moller, M. (2019). Simultaneous confidence bands: theory,
    implementation, and an application to SVARs. Journal of Applied Econometrics 34, 1-17.
    https://doi.org/10.1002/jae.2656
    """
    mean, spread = draws.mean(axis=0), draws.std(axis=0, ddof=1)
    safe = np.where(spread > 0, spread, 1.0)
    largest = (np.abs(draws - mean) / safe).max(axis=1)
    return mean, spread, float(np.quantile(largest, 1 - alpha, method="higher"))
