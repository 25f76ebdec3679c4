"""Families whose correlations are products of loadings: comparisons with a control, exactly.

If corr(T_i, T_j) = l_i l_j, then T_i = l_i Y + sqrt(1 - l_i^2) Z_i with independent normal Y and
Z_i, and given Y all probabilities multiply. Differences from a control have this structure whenever
the means are uncorrelated (or equally correlated), however different their variances.

References
----------
Dunnett, C. W. (1989). Algorithm AS 251: Multivariate normal probability integrals with product
correlation structure. Applied Statistics 38, 564-579. https://doi.org/10.2307/2347754
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

type Array = NDArray[np.float64]

# A loading near 1 leaves a statistic hardly any noise of its own: a step in the integrand, which
# takes many points. The most kinds of loadings per such noise, and the largest loading.
_STEEPEST = 1000.0
_LARGEST = 0.99999
_BLOCK = 2_000_000


def loadings(correlation: Array, tolerance: float = 1e-9) -> Array | None:
    """Return (J,) loadings l with ``correlation[i, j] = l[i] l[j]`` off the diagonal, if any.

    Also None where `survival` would take too long: a control with some hundred times the variance
    of others that all differ.

    Parameters
    ----------
    correlation
        (J, J), J >= 2.
    tolerance
        Largest deviation of a correlation.

    Examples
    --------
    >>> loadings(np.array([[1.0, 0.5], [0.5, 1.0]])).round(4).tolist()
    [0.7071, 0.7071]
    """
    found = _by_pivot(correlation)
    largest = np.abs(found).max()
    if _misfit(correlation, found) > tolerance or largest > _LARGEST:
        return None
    steep = len(_kinds(found, 2)[0]) / np.sqrt(1 - largest**2) > _STEEPEST
    return None if steep else found


def _kinds(loading: Array, sides: int) -> tuple[Array, NDArray[np.int64]]:
    """Return distinct loadings and their counts."""
    value = np.round(np.abs(loading) if sides == 2 else loading, 13)
    return np.unique(value, return_counts=True)


def nearest_loadings(correlation: Array) -> Array:
    """Return loadings whose products are close to the correlations, by alternating regressions."""
    off = correlation - np.diag(np.diag(correlation))
    found = np.clip(_by_pivot(correlation), -0.95, 0.95)
    for _ in range(200):
        square = found @ found - found**2
        step = np.clip(off @ found / np.maximum(square, 1e-12), -0.99, 0.99)
        # Half steps: full ones can swing between two values.
        found = (found + step) / 2
    return found


def _misfit(correlation: Array, found: Array) -> float:
    gap = np.abs(correlation - np.outer(found, found))
    np.fill_diagonal(gap, 0.0)
    return float(gap.max())


def _by_pivot(correlation: Array) -> Array:
    """Solve for the loading of the row that correlates most, and divide by it."""
    off = correlation - np.diag(np.diag(correlation))
    a = int(np.abs(off).sum(axis=1).argmax())
    b = int(np.abs(off[a]).argmax())
    if abs(off[a, b]) < 1e-12:
        return np.zeros(len(off))
    third = np.abs(off[b] * off[a])
    third[[a, b]] = 0
    c = int(third.argmax())
    square = abs(off[a, b])
    if third[c] > 1e-12:
        square = abs(off[a, b] * off[a, c] / off[b, c])
    own = np.sqrt(square)
    found = off[a] / own
    found[a] = own
    return found


def survival(w: Array, loading: Array, sides: int) -> Array:
    """Return the chance that the largest of J normal statistics exceeds w.

    The trapezoidal rule over Y, of an analytic integrand; complements are formed without
    cancellation, so that the relative error stays near 1e-12 far out.

    Parameters
    ----------
    w
        (n,) thresholds.
    loading
        (J,) loadings in (-1, 1).
    sides
        2 for absolute values, 1 for values.

    Returns
    -------
    numpy.ndarray
        (n,).

    Examples
    --------
    Independent statistics have loadings of zero.

    >>> float(survival(np.array([2.0]), np.zeros(3), 2)[0].round(10))
    0.1303841677
    """
    value, count = _kinds(loading, sides)
    noise = np.sqrt(1 - value**2)
    step = 0.35 * min(1.0, float((noise / np.maximum(np.abs(value), noise)).min()))
    reach = 9.0 + float(np.abs(w).max(initial=0))
    # For absolute values the integrand is even in Y.
    y = step * np.arange(0 if sides == 2 else -int(9.0 / step), int(reach / step) + 1)
    weight = step * np.exp(-0.5 * y**2) / np.sqrt(2 * np.pi)
    if sides == 2:
        weight[1:] *= 2
    centre = value[:, None] * y
    result = np.empty(len(w))
    block = max(1, _BLOCK // centre.size)
    for start in range(0, len(w), block):
        at = w[start : start + block, None, None]
        beyond = ndtr((centre - at) / noise[:, None])
        if sides == 2:
            beyond += ndtr((-at - centre) / noise[:, None])
        with np.errstate(divide="ignore"):
            inside = np.einsum("wjy,j->wy", np.log1p(-np.minimum(beyond, 1.0)), count)
        result[start : start + block] = -np.expm1(inside) @ weight
    return np.minimum(result, 1.0)
