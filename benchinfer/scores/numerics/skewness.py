"""Skewness of differences, and the t statistic that allows for it."""

import numpy as np

from benchinfer.numerics.types import Array, Codes, Flags

# Values of which skewness that matters is seen: of fewer, claims about means rest on symmetry.
FEWEST = 30
# Standard errors beyond which skewness is no chance.
_SURE = 3.0
# Skewness over the root of n from which Student's t goes wrong: the tail beyond three standard
# errors is then half as large again as it should be, by the first term of Edgeworth's expansion.
_MATTERS = 0.05


def skewness(d: Array) -> Array:
    """Return the skewness of each column over its standard error under normality.

    ``G / sqrt(6 n (n - 1) / ((n - 2) (n + 1) (n + 3)))``, G the sample skewness of Fisher; 0 below
    eight values.

    Examples
    --------
    >>> d = np.array([[0.0, 1], [0, 2], [0, 3], [0, 4], [0, 5], [1, 6], [2, 7], [9, 8]])
    >>> skewness(d).round(2)
    array([3.39, 0.  ])
    """
    n = np.isfinite(d).sum(axis=0)
    largest = np.abs(np.nan_to_num(d)).max(axis=0, initial=0.0)
    d = d / np.where(largest > 0, largest, 1.0)  # cubes of any unit are numbers then
    enough = n >= 8
    some = np.maximum(n, 8)
    centred = np.nan_to_num(d - np.nansum(d, axis=0) / np.maximum(n, 1))
    squares = centred * centred
    variance = squares.sum(axis=0) / some
    scale = np.where(variance > 0, variance, 1.0) ** 1.5
    third = np.einsum("ij,ij->j", squares, centred)  # no power, which takes long
    error = np.sqrt(6 * (some - 2) / ((some + 1) * (some + 3)))
    return np.where(enough & (variance > 0), third / some / scale / error, 0.0)


def excessive(skew: Array, n: Codes) -> Flags:
    """Return which columns are too skew for claims about their means, given `skewness`.

    Their skewness ``m3 / m2^1.5`` is beyond three standard errors of Fisher's, and beyond
    ``0.05 sqrt(n)``: however sure it is, the skewness of many values does not keep their mean from
    being normal. Of n values it is ``(n - 2) / sqrt(n - 1)`` at most, and below eight it says
    nothing.

    Examples
    --------
    >>> excessive(np.array([3.0, 3.3, 3.3]), np.array([50, 50, 1000]))
    array([False,  True, False])
    """
    some = np.maximum(n, 8.0)
    size = np.abs(skew) * np.sqrt(6 * (some - 2) / ((some + 1) * (some + 3)))
    error = np.sqrt(6 * some * (some - 1) / ((some - 2) * (some + 1) * (some + 3)))
    return (size > _SURE * error) & (size > _MATTERS * np.sqrt(some))


def corrected_t(d: Array) -> Array:
    """Return the t statistic of each column, transformed so that skewness does not move it.

    With S the mean over the standard deviation of n values and g their skewness it is

        sqrt(n) (S + g S^2 / 3 + g^2 S^3 / 27 + g / (6 n)),

    in which the first three terms are ``((1 + g S / 3)^3 - 1) / g``, so that it grows with S.
    Columns that do not vary have 0.

    References
    ----------
    Hall, P. (1992). On the removal of skewness by transformation. Journal of the Royal Statistical
    Society B 54, 221-228. https://doi.org/10.1111/j.2517-6161.1992.tb01876.x

    Examples
    --------
    >>> d = np.array([[1.0, 1], [2, 2], [3, 3], [2, 12]])
    >>> corrected_t(d).round(4)
    array([4.899 , 2.2231])
    """
    n = np.isfinite(d).sum(axis=0)
    mean = np.nansum(d, axis=0) / np.maximum(n, 1)
    centred = np.nan_to_num(d - mean)
    variance = (centred**2).sum(axis=0) / np.maximum(n - 1, 1)
    flat = variance <= 0
    sd = np.sqrt(np.where(flat, 1.0, variance))
    skew = (centred**3).sum(axis=0) / np.maximum(n, 1) / sd**3
    ratio = mean / sd
    cube = ratio + skew * ratio**2 / 3 + skew**2 * ratio**3 / 27
    return np.where(flat, 0.0, np.sqrt(n) * (cube + skew / (6 * np.maximum(n, 1))))
