"""Tests of the stability of estimates along a characteristic of the data sets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from benchinfer.analyses.subgroups.numerics.suprema import p_largest
from benchinfer.numerics.types import Array, Codes

# Directions in which the scores vary less than this, relative to the largest, say nothing.
_LEAST = 1e-10
# Numbers held at once while data sets are permuted.
_AT_ONCE = 500_000
_GRID = 24


@dataclass(frozen=True, slots=True)
class Fluctuation:
    """One test of stability.

    Attributes
    ----------
    statistic
        Largest score statistic over all places of a break, or the chi-squared statistic of
        categories. NaN where the characteristic cannot be tested.
    p_value
        Not adjusted; NaN where there is no test.
    """

    statistic: float
    p_value: float


UNTESTED = Fluctuation(float("nan"), float("nan"))


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
    """Places of a break along a number.

    Attributes
    ----------
    order
        (m,) data sets with a value, those with the smallest number first.
    last
        (b,) number of them before each place.
    """

    order: Codes
    last: Codes

    @classmethod
    def of(cls, values: Array, fewest: int) -> "Breaks":
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
        """Whether there is a place and a parameter."""
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
    """Categories of data sets.

    Attributes
    ----------
    member
        (c, n) 1 where a data set is of a category that there is, else 0.
    """

    member: Array

    @classmethod
    def of(cls, codes: Array) -> "Categories":
        """Find the categories of (n,) codes, NaN where the category is not known."""
        return cls((np.unique(codes[~np.isnan(codes)])[:, None] == codes).astype(np.float64))

    def testable(self, parameters: int) -> bool:
        """Whether there are two categories and a parameter."""
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


def fluctuation(process: Array, along: Along) -> Fluctuation:
    """Test stability along a characteristic by the limiting distribution.

    Parameters
    ----------
    process
        (n, r) from `standardised`.
    along
        Places of a break, or categories.
    """
    n, parameters = process.shape
    if not along.testable(parameters):
        return UNTESTED
    statistic = float(along.statistics(process, np.arange(n)[None])[0])
    return Fluctuation(statistic, along.p_value(statistic, parameters))


def permuted(process: Array, along: Sequence[Along], draws: int, seed: int) -> Array:
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
        The C characteristics.
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
    tested = [c for c, one in enumerate(along) if one.testable(parameters)]
    if not tested:
        return p_values
    orders = np.tile(np.arange(n), (draws + 1, 1))
    orders[1:] = np.random.default_rng(seed).permuted(orders[1:], axis=1)
    statistics = [along[c].statistics(process, orders) for c in tested]
    scale = _clearness(np.array(statistics), [along[c] for c in tested], parameters).T
    # Rounding must not make an order with the same statistic count as a smaller one.
    largest = scale[1:].max(axis=1) * (1 + 1e-9)
    above = (largest[:, None] >= scale[0]).sum(axis=0)
    p_values[tested] = (1 + above) / (draws + 1)
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
