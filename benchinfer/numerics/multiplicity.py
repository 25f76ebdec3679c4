"""Adjustments of p-values for multiple testing.

Each function takes unadjusted p-values and returns adjusted ones in the same order: a hypothesis is
rejected at level alpha if its adjusted p-value is at most alpha. The procedures assume different
kinds of dependence between the p-values; none beyond "any dependence" is established for two-sided
tests of all pairs of algorithms:

- any dependence: `bonferroni`, `holm`;
- positive dependence: `hochberg`, `hommel` (the inequality of Simes).

These control the chance of any false rejection. `benjamini_hochberg` (positive dependence) and
`benjamini_yekutieli` (any) control the false discovery rate: the expected share of false rejections
among all, 0 where there are none.

Procedures that use the logic of all pairs are in `closed_testing`.

All of them are in statsmodels, too (the tests compare them). Its import costs .43 s of CPU (.15
where pandas is loaded), and its Holm of 435 p-values takes 60 ms, here .05.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from benchinfer.numerics.types import Array, Codes

# Share of the level that intervals compatible with a closed test spend on their ends.
SPENT = 0.5


def level_share[N: (float, Array)](n: N, m: int, spent: float) -> N:
    """Return the share of the level that a hypothesis of n of m equalities is tested at.

    A closed test has simultaneous intervals that contain equality if and only if a pair is
    undecided, where each of the m pairs has an interval at level ``spent / m`` of its own, cut or
    stretched at equality, and a hypothesis of n equalities is tested at ``1 - spent (1 - n / m)``
    of the level. By Bonferroni's inequality, with n true equalities, their hypothesis and the other
    m - n ends are right together; nothing is assumed of their dependence.

    Notes
    -----
    Without such intervals `spent` is 0, and each hypothesis has the whole level. With `spent` above
    0 the share grows with n, less than n does: Bonferroni's factor, n over the share, grows with n.

    Examples
    --------
    >>> level_share(1.0, 6, SPENT), level_share(6.0, 6, SPENT), level_share(1.0, 6, 0.0)
    (0.5833333333333333, 1.0, 1.0)
    """
    return 1 - spent * (1 - n / m)


def ends_level(alpha: float, m: int, spent: float = SPENT) -> float:
    """Return the level of each of m intervals of a closed test at level alpha.

    One pair alone has the interval of its test.

    Examples
    --------
    >>> ends_level(0.05, 1), ends_level(0.05, 10)
    (0.05, 0.0025)
    """
    return alpha if m == 1 else spent * alpha / m


def bonferroni(p: Array) -> Array:
    """Return Bonferroni's adjusted p-values ``min(1, m p)``; any dependence."""
    return np.minimum(len(p) * p, 1.0)


def holm(p: Array, spent: float = 0.0) -> Array:
    """Return Holm's adjusted p-values; any dependence.

    With a share of the level `spent` on compatible intervals, as in `level_share`.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal
    of Statistics 6, 65-70. https://doi.org/10.2307/4615733

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    m = len(p)
    left = np.arange(m, 0, -1.0)
    return step_down(p, lambda ordered: left / level_share(left, m, spent) * ordered)


def hochberg(p: Array) -> Array:
    """Return Hochberg's adjusted p-values ``min over j >= i of (m - j + 1) p_(j)``.

    Needs the inequality of Simes (independence, some positive dependence).

    References
    ----------
    Hochberg, Y. (1988). A sharper Bonferroni procedure for multiple tests of significance.
    Biometrika 75, 800-802. https://doi.org/10.1093/biomet/75.4.800
    """
    return step_up(p, len(p) - np.arange(len(p), dtype=np.float64))


def benjamini_hochberg(p: Array) -> Array:
    """Return Benjamini and Hochberg's adjusted p-values ``min over j >= i of m p_(j) / j``.

    Keeps the false discovery rate of independent p-values, and of ones with positive regression
    dependency on each true hypothesis.

    References
    ----------
    Benjamini, Y. & Hochberg, Y. (1995). Controlling the false discovery rate: a practical and
    powerful approach to multiple testing. Journal of the Royal Statistical Society, Series B 57,
    289-300. https://doi.org/10.1111/j.2517-6161.1995.tb02031.x

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    return step_up(p, len(p) / np.arange(1.0, len(p) + 1))


def benjamini_yekutieli(p: Array) -> Array:
    """Return Benjamini and Yekutieli's adjusted p-values; any dependence.

    They are those of Benjamini and Hochberg, times ``1 + 1 / 2 + ... + 1 / m``.

    References
    ----------
    Benjamini, Y. & Yekutieli, D. (2001). The control of the false discovery rate in multiple
    testing under dependency. Annals of Statistics 29, 1165-1188.
    https://doi.org/10.1214/aos/1013699998

    Examples
    --------
    >>> benjamini_yekutieli(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.055, 0.073, 0.073]
    """
    places = np.arange(1.0, len(p) + 1)
    return step_up(p, len(p) * (1 / places).sum() / places)


def hommel(p: Array) -> Array:
    """Return Hommel's adjusted p-values: closed testing with the test of Simes, in O(m^2).

    Needs the inequality of Simes (independence, some positive dependence).

    References
    ----------
    Wright, S. P. (1992). Adjusted p-values for simultaneous inference. Biometrics 48, 1005-1013.
    https://doi.org/10.2307/2532694
    """
    m = len(p)
    order = np.argsort(p, kind="stable")
    ordered = p[order]
    result = np.maximum(ordered, (m * ordered / np.arange(1, m + 1)).min(initial=1.0))
    for size in range(m - 1, 1, -1):
        # Of all sets of `size` hypotheses, the last ones of the order have the largest p-values.
        first = m - size + 1
        tail = (size * ordered[first:] / np.arange(2, size + 1)).min()
        result[:first] = np.maximum(result[:first], np.minimum(size * ordered[:first], tail))
        result[first:] = np.maximum(result[first:], result[first - 1])
    return in_place(result, order)


def partial_conjunction(p: Array, combine: Literal["fisher", "bonferroni"] = "fisher") -> Array:
    """Return partial conjunction p-values: fewer than u of D hypotheses are false, u = 1 to D.

    Each combines the D - u + 1 largest of the p-values (D,): by Fisher's product, of independent
    ones, or by Bonferroni's bound, of any. With probability 1 - alpha at least as many hypotheses
    are false as have values of at most alpha, which never fall with u.

    References
    ----------
    Benjamini, Y. & Heller, R. (2008). Screening for partial conjunction hypotheses. Biometrics 64,
    1215-1222. https://doi.org/10.1111/j.1541-0420.2007.00984.x

    Examples
    --------
    >>> partial_conjunction(np.array([0.168, 0.297, 0.357, 0.019, 0.218, 0.001])).round(3).tolist()
    [0.001, 0.04, 0.196, 0.274, 0.344, 0.357]
    """
    ordered = np.sort(p)
    n = np.arange(len(p), 0, -1)
    if combine == "bonferroni":
        combined = n * ordered
    else:
        # The upper tail of chi-squared with 2 n degrees of freedom.
        from scipy.special import gammaincc  # which checks of tables do without

        logs = np.log(np.maximum(ordered, np.finfo(np.float64).tiny))
        combined = gammaincc(n, -np.cumsum(logs[::-1])[::-1])
    return np.minimum(np.maximum.accumulate(combined), 1.0)


def step_down(p: Array, price: Callable[[Array], Array]) -> Array:
    """Return step-down p-values: running maxima of transformed ascending p-values, at most 1."""
    order = np.argsort(p, kind="stable")
    return in_place(np.minimum(np.maximum.accumulate(price(p[order])), 1.0), order)


def step_up(p: Array, prices: Array) -> Array:
    """Return step-up p-values: running minima, from the largest, of p-values times factors."""
    order = np.argsort(p, kind="stable")
    priced = np.minimum.accumulate((prices * p[order])[::-1])[::-1]
    return in_place(np.minimum(priced, 1.0), order)


def in_place(ordered: Array, order: Codes) -> Array:
    """Return sorted values in their original order, given the indices of the sort."""
    result = np.empty_like(ordered)
    result[order] = ordered
    return result


# Adjustments that keep the false discovery rate, by the names that users give.
FALSE_DISCOVERY = {"bh": benjamini_hochberg, "by": benjamini_yekutieli}
