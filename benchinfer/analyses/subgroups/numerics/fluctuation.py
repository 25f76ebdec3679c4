"""Tests of the stability of estimates along a characteristic of the data sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.linalg import eigh
from scipy.special import chdtrc, eval_jacobi, gammaln, roots_jacobi

from benchinfer.numerics.types import Array, Codes

# Directions in which the scores vary less than this, relative to the largest, say nothing.
_LEAST = 1e-10
# Numbers held at once while data sets are permuted.
_AT_ONCE = 500_000
_GRID = 24
# Below this, one minus the probability of staying below has lost its digits.
_SMALLEST = 1e-8
_FUNCTIONS = 48


def standardised(scores: Array) -> Array:
    """Return the (n, r) scores of a fit, uncorrelated, each column of mean square 1 / n.

    The covariance is the outer product of the scores, so that outcomes of a data set may depend on
    each other. Directions in which nothing varies are left out.

    Parameters
    ----------
    scores
        (n, q) derivatives of the log likelihood of each data set at the estimates; they sum to 0
        where the likelihood has a maximum.
    """
    centred = (scores - scores.mean(axis=0)) / np.sqrt(len(scores))
    value, vector = np.linalg.eigh(centred.T @ centred)
    retained = value > _LEAST * max(float(value.max(initial=0.0)), np.finfo(float).tiny)
    return centred @ (vector[:, retained] / np.sqrt(value[retained]))


@dataclass(frozen=True, slots=True)
class Breaks:
    """Places of a break along a number."""

    order: Codes  # (m,) data sets with a value, those with the smallest number first
    last: Codes  # (b,) number of them before each place

    @classmethod
    def of(cls, values: Array, fewest: int) -> Breaks:
        """Find the places between different values.

        Parameters
        ----------
        values
            (n,) the characteristic, NaN where it is not known.
        fewest
            Least number of data sets on either side; at least a tenth of them in any case.
        """
        m = int((~np.isnan(values)).sum())
        fewest = max(fewest, -(-m // 10))
        order = np.argsort(values, kind="stable")[:m]  # NaN is last
        last = np.flatnonzero(np.diff(values[order]) > 0) + 1
        return cls(order, last[(last >= fewest) & (last <= m - fewest)])

    def testable(self, parameters: int) -> bool:
        """True if there is a place of a break, and a parameter to test."""
        return bool(len(self.last) and parameters)

    @property
    def law(self) -> tuple[float, int]:
        """The limiting distribution: odds of the last place by those of the first, and places."""
        odds = self.last / (len(self.order) - self.last)
        return float(odds[-1] / odds[0]), len(self.last)

    def statistics(self, process: Array, orders: Codes) -> Array:
        """Return the largest score statistic over all places, of each of (draws, n) orders.

        Scores are taken from their mean over the data sets with a value.
        """
        from benchinfer.analyses.subgroups.numerics.walks import largest  # numba: half a second

        return largest(process, orders, self.order, self.last)

    def p_value(self, statistic: float, parameters: int) -> float:
        """Return the p-value of the limiting distribution.

        References
        ----------
        Zeileis, A., Hothorn, T. & Hornik, K. (2008). Model-based recursive partitioning. Journal of
        Computational and Graphical Statistics 17, 492-514.
        https://doi.org/10.1198/106186008X319331
        """
        return p_largest(statistic, parameters, *self.law)


@dataclass(frozen=True, slots=True)
class Categories:
    """Categories of data sets."""

    member: Array  # (c, n) 1 where a data set is of a category that there is, else 0

    @classmethod
    def of(cls, codes: Array) -> Categories:
        """Find the categories of (n,) codes, NaN where the category is not known."""
        return cls((np.unique(codes[~np.isnan(codes)])[:, None] == codes).astype(np.float64))

    def testable(self, parameters: int) -> bool:
        """True if there are two categories, and a parameter to test."""
        return bool(len(self.member) > 1 and parameters)

    @property
    def law(self) -> tuple[float]:
        """The limiting distribution: degrees of freedom for each parameter."""
        return (len(self.member) - 1.0,)

    def statistics(self, process: Array, orders: Codes) -> Array:
        """Return the chi-squared statistic of the categories' mean scores, of (draws, n) orders.

        Scores are taken from their mean over the data sets with a category.
        """
        size = self.member.sum(axis=1)
        statistics = np.empty(len(orders))
        step = max(1, _AT_ONCE // process.size)
        for start in range(0, len(orders), step):
            sums = self.member @ process[orders[start : start + step]]
            sums -= sums.sum(axis=1, keepdims=True) * (size / size.sum())[:, None]
            statistics[start : start + step] = ((sums**2).sum(axis=-1) / size).sum(axis=-1)
        return statistics * len(process)

    def p_value(self, statistic: float, parameters: int) -> float:
        """Return the p-value of the limiting distribution."""
        return float(chdtrc(parameters * self.law[0], statistic))


type Along = Breaks | Categories


def fluctuation(process: Array, along: Along | None) -> tuple[float, float]:
    """Test stability along a characteristic by the limiting distribution.

    Return the statistic, the largest over all places of a break or chi-squared of categories, and
    its p-value, not adjusted; NaN where the characteristic cannot be tested.

    Parameters
    ----------
    process
        (n, r) from `standardised`.
    along
        Places of a break, or categories.
    """
    n, parameters = process.shape
    if along is None or not along.testable(parameters):
        return math.nan, math.nan
    statistic = float(along.statistics(process, np.arange(n)[None])[0])
    return statistic, along.p_value(statistic, parameters)


def permuted(process: Array, along: Sequence[Along | None], draws: int, seed: int) -> Array:
    """Return p-values by permutation, adjusted for several characteristics.

    Data sets' scores are dealt out anew to their characteristics. If these say nothing of the
    scores, all orders are equally probable, and the smallest p-value of the limiting distributions
    over all characteristics is one of ``draws + 1`` that are: whether they are the right
    distributions does not matter, nor what characteristics have in common (Westfall and Young).

    Parameters
    ----------
    process
        (n, r) from `standardised`.
    along
        The C characteristics, None where nothing can be tested.
    draws, seed
        Number of random orders, and their seed.

    Returns
    -------
    numpy.ndarray
        (C,), NaN where there is no test.

    References
    ----------
    Westfall, P. H. & Young, S. S. (1993). Resampling-based multiple testing: examples and methods
    for p-value adjustment. Wiley.
    """
    n, parameters = process.shape
    p_values = np.full(len(along), np.nan)
    testable = {c: one for c, one in enumerate(along) if one and one.testable(parameters)}
    if not testable:
        return p_values
    orders = np.tile(np.arange(n), (draws + 1, 1))
    orders[1:] = np.random.default_rng(seed).permuted(orders[1:], axis=1)
    statistics = [one.statistics(process, orders) for one in testable.values()]
    scale = _clearness(np.array(statistics), list(testable.values()), parameters).T
    # Rounding must not make an order with the same statistic count as a smaller one.
    largest = scale[1:].max(axis=1) * (1 + 1e-9)
    above = (largest[:, None] >= scale[0]).sum(axis=0)
    p_values[list(testable)] = (1 + above) / (draws + 1)
    return p_values


def _clearness(statistics: Array, along: Sequence[Along], parameters: int) -> Array:
    """Return minus the logarithms of limiting p-values of (C, draws) statistics.

    Interpolated between statistics: characteristics with one distribution share the computation.
    """
    clearness = np.empty_like(statistics)
    laws: dict[tuple[float, ...], list[int]] = {}
    for c, one in enumerate(along):
        laws.setdefault(one.law, []).append(c)
    for rows in laws.values():
        values = statistics[rows]
        grid = np.linspace(values.min(), values.max(), _GRID)
        p_values = np.array([along[rows[0]].p_value(float(x), parameters) for x in grid])
        clearness[rows] = np.interp(
            values, grid, -np.log(np.maximum(p_values, np.finfo(float).tiny))
        )
    return clearness


def adjusted(p_values: Array) -> Array:
    """Return p-values adjusted for several characteristics by Sidak's method.

    In the limit the statistics are the largest norms of jointly normal vectors, for which Sidak's
    inequality holds however characteristics depend on each other (Royen 2014).

    Parameters
    ----------
    p_values
        (C,), NaN where there is no test.

    References
    ----------
    Royen, T. (2014). A simple proof of the Gaussian correlation conjecture extended to
    multivariate gamma distributions. Far East Journal of Theoretical Statistics 48, 139-145.

    Sidak, Z. (1967). Rectangular confidence regions for the means of multivariate normal
    distributions. Journal of the American Statistical Association 62, 626-633.
    https://doi.org/10.1080/01621459.1967.10482935

    Examples
    --------
    >>> adjusted(np.array([0.02, np.nan, 0.5])).round(4)
    array([0.0396,    nan, 0.75  ])
    """
    tests = np.count_nonzero(~np.isnan(p_values))
    with np.errstate(divide="ignore"):
        return -np.expm1(tests * np.log1p(-p_values))


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
    if exact <= _SMALLEST:
        half = parameters / 2
        density = half * math.log(statistic / 2) - statistic / 2 - float(gammaln(half))
        tail = math.exp(density) * ((1 - parameters / statistic) * length + 2 / statistic)
        exact = max(tail, one)
    return min(exact, places * one, 1.0)


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
