"""Null distribution of the largest score statistic over all places of a break."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.linalg import eigh
from scipy.special import chdtrc, eval_jacobi, gammaln, roots_jacobi

from benchinfer.numerics.types import Array

# Below this, one minus the probability of staying below has lost its digits.
_SMALLEST = 1e-8
_FUNCTIONS = 48


def p_largest(statistic: float, parameters: int, ratio: float, places: float = math.inf) -> float:
    """Return the probability that the largest score statistic is at least the one observed.

    Without a break, the score statistic at a share t of the data is in the limit ``|B(t)|^2 / (t (1
    - t))`` for a Brownian bridge B of as many dimensions as there are parameters. Against ``log(t /
    (1 - t))`` it is stationary: the squared length of an Ornstein-Uhlenbeck process. The
    probability that it stays below x is a sum over the eigenfunctions of its generator on (0, x),
    here by Galerkin's method; below 1e-8 it is DeLong's expansion, as Estrella gives it. Hansen's
    curves, which R's strucchange takes, were fitted to simulations of the same process at the
    points of a grid, whose largest value is a little smaller.

    Parameters
    ----------
    statistic
        Largest score statistic.
    parameters
        Dimension of the process.
    ratio
        ``t1 (1 - t0) / (t0 (1 - t1))`` of the first and the last share of the data before a break;
        1 for a single place.
    places
        Number of places of a break. With few of them the chi-squared probability of one, times
        their number, is the smaller bound.

    References
    ----------
    Andrews, D. W. K. (1993). Tests for parameter instability and structural change with unknown
    change point. Econometrica 61, 821-856. https://doi.org/10.2307/2951764

    Estrella, A. (2003). Critical values and p values of Bessel process distributions: computation
    and application to structural break tests. Econometric Theory 19, 1128-1143.
    https://doi.org/10.1017/S0266466603196107

    Hansen, B. E. (1997). Approximate asymptotic p values for structural-change tests. Journal of
    Business & Economic Statistics 15, 60-67. https://doi.org/10.1080/07350015.1997.10524687

    Examples
    --------
    The 5 % critical value of one parameter over the middle 70 % of the data.

    >>> round(p_largest(8.85, 1, (0.85 / 0.15) ** 2), 3)
    0.05
    """
    if statistic <= 0:
        return 1.0
    one = float(chdtrc(parameters, statistic))
    length = math.log(ratio)
    exact = 1 - _staying(statistic, parameters, length) if length > 0 else one
    p = exact if exact > _SMALLEST else max(_tail(statistic, parameters, length), one)
    return min(p, places * one, 1.0)


@dataclass(frozen=True, slots=True)
class _Basis:
    """Functions on (-1, 1) that vanish at 1, orthonormal for the weight ``(1 + u)^(k / 2 - 1)``.

    ``node`` and ``weight`` (Q,) integrate, ``value`` and ``slope`` are (N, Q).
    """

    node: Array
    weight: Array
    value: Array
    slope: Array


@cache
def _basis(k: int) -> _Basis:
    shape = k / 2 - 1
    node, weight = roots_jacobi(2 * _FUNCTIONS, 0, shape)
    order = np.arange(_FUNCTIONS)[:, None]
    jacobi = eval_jacobi(order, 2, shape, node)
    slope = (order + shape + 3) / 2 * eval_jacobi(np.maximum(order - 1, 0), 3, shape + 1, node)
    slope[0] = 0.0
    value, slope = (1 - node) * jacobi, (1 - node) * slope - jacobi
    norm = 1 / np.sqrt((value**2 * weight).sum(axis=1, keepdims=True))
    return _Basis(node, weight, value * norm, slope * norm)


def _staying(x: float, k: int, length: float) -> float:
    """Return the probability that the squared length stays below x."""
    basis = _basis(k)
    y = x * (1 + basis.node) / 2
    # Eigenfunctions times the root of the density, exp(-y / 4), are what the basis spans.
    flow = basis.slope * 2 / x + basis.value / 4
    rate, mode = eigh((flow * (2 * y * basis.weight)) @ flow.T)
    reached = mode.T @ ((basis.value * np.exp(-y / 4)) @ basis.weight)
    scale = k / 2 * math.log(x / 4) - float(gammaln(k / 2))
    return float((np.exp(-rate * length) * reached**2).sum() * math.exp(scale))


def _tail(x: float, k: int, length: float) -> float:
    """Return the expansion for large statistics."""
    density = k / 2 * math.log(x / 2) - x / 2 - float(gammaln(k / 2))
    return math.exp(density) * ((1 - k / x) * length + 2 / x)
