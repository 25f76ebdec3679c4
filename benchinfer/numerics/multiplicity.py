"""Adjustments of p-values for multiple testing.

Each function takes unadjusted p-values and returns adjusted ones in the same order: a hypothesis is
rejected at level alpha if its adjusted p-value is at most alpha. The procedures assume different
kinds of dependence between the p-values; none beyond "any dependence" is established for two-sided
tests of all pairs of algorithms:

- any dependence: `bonferroni`, `holm`;
- positive dependence: `hochberg`, `hommel` (the inequality of Simes);
- independence: `li`, and `rom` of this module;
- positive dependence, and no hypothesis of the family is false: `finner`.

Procedures that use the logic of all pairs are in `closed_testing`.

Bonferroni, Holm, Hochberg and Hommel are in statsmodels, too (the tests compare them); its
import would cost a command .5 s of CPU.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

type Array = NDArray[np.float64]


def bonferroni(p: Array) -> Array:
    """Return Bonferroni's adjusted p-values ``min(1, m p)``; any dependence."""
    return np.minimum(len(p) * p, 1.0)


def holm(p: Array) -> Array:
    """Return Holm's adjusted p-values; any dependence.

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
    return step_down(p, lambda ordered: (m - np.arange(m)) * ordered)


def finner(p: Array) -> Array:
    """Return Finner's adjusted p-values ``max over j <= i of 1 - (1 - p_(j))^(m / j)``.

    Independence or positive dependence, and only if all hypotheses are true: the hypotheses left
    after some rejections are tested at too large a level. With five false and five true hypotheses
    and independent p-values some true one is rejected with 0.14 at the level 0.05.

    References
    ----------
    Finner, H. (1993). On a monotonicity problem in step-down multiple test procedures. Journal of
    the American Statistical Association 88, 920-923.
    https://doi.org/10.1080/01621459.1993.10476358
    """
    m = len(p)
    return step_down(p, lambda ordered: _any_of(ordered, m / np.arange(1, m + 1)))


def hochberg(p: Array) -> Array:
    """Return Hochberg's adjusted p-values ``min over j >= i of (m - j + 1) p_(j)``.

    Needs the inequality of Simes (independence, some positive dependence).

    References
    ----------
    Hochberg, Y. (1988). A sharper Bonferroni procedure for multiple tests of significance.
    Biometrika 75, 800-802. https://doi.org/10.1093/biomet/75.4.800
    """
    return _step_up(p, len(p) - np.arange(len(p), dtype=np.float64))


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


def li(p: Array) -> Array:
    """Return Li's adjusted p-values ``p / (p + 1 - p_(m))``, with the largest unchanged.

    Independence; powerful only where the largest p-value is below 0.5.

    References
    ----------
    Li, J. (2008). A two-step rejection procedure for testing multiple hypotheses. Journal of
    Statistical Planning and Inference 138, 1521-1527. https://doi.org/10.1016/j.jspi.2007.04.032
    """
    share = p + (1.0 - p.max(initial=0.0))
    return np.divide(p, share, out=np.zeros_like(p), where=share > 0)


def step_down(p: Array, price: Callable[[Array], Array]) -> Array:
    """Price the sorted p-values and make the result monotone from the smallest up, at most 1."""
    order = np.argsort(p, kind="stable")
    return in_place(np.minimum(np.maximum.accumulate(price(p[order])), 1.0), order)


def _step_up(p: Array, factors: Array) -> Array:
    """Multiply the sorted p-values and make the result monotone from the largest down."""
    order = np.argsort(p, kind="stable")
    return in_place(running_min(factors * p[order]), order)


def running_min(values: Array) -> Array:
    """Make sorted values monotone from the largest down, at most 1."""
    return np.minimum(np.minimum.accumulate(values[::-1])[::-1], 1.0)


def in_place(ordered: Array, order: NDArray[np.int64]) -> Array:
    """Put sorted values back where they came from."""
    result = np.empty_like(ordered)
    result[order] = ordered
    return result


def _any_of(p: Array, m: float | Array) -> Array:
    """Return ``1 - (1 - p)^m`` without cancellation."""
    with np.errstate(divide="ignore"):
        return -np.expm1(m * np.log1p(-p))


def rom(p: Array) -> Array:
    """Return Rom's adjusted p-values; independence.

    A step-up procedure whose i-th critical value, counted from the largest p-value, solves
    ``a_i = (sum_{j=1}^{i-1} alpha^j - sum_{j=1}^{i-2} C(i, j) a_{j+1}^(i-j)) / i``; the adjusted
    p-value is the smallest alpha at which the hypothesis is rejected.

    Notes
    -----
    Dividing p by ``a_i / alpha`` at alpha = 0.05, as printed tables do, is right at that level only
    and takes rounded factors (3 for 2.963).

    References
    ----------
    Rom, D. M. (1990). A sequentially rejective test procedure based on a modified Bonferroni
    inequality. Biometrika 77, 663-665. https://doi.org/10.1093/biomet/77.3.663

    Garcia, S., Fernandez, A., Luengo, J. & Herrera, F. (2010). Advanced nonparametric tests for
    multiple comparisons in the design of experiments in computational intelligence and data
    mining. Information Sciences 180, 2044-2064. https://doi.org/10.1016/j.ins.2009.12.010
    """
    m = len(p)
    order = np.argsort(p, kind="stable")
    smallest = np.array([_rom_level(value, m - i) for i, value in enumerate(p[order])])
    return in_place(running_min(smallest), order)


def rom_critical(alpha: float, m: int) -> Array:
    """Return Rom's (m,) critical values, that of the largest p-value first.

    Examples
    --------
    >>> rom_critical(0.05, 4).round(6).tolist()
    [0.05, 0.025, 0.016875, 0.012713]
    """
    values = np.full(m, alpha)
    for i in range(2, m + 1):
        j = np.arange(1, i - 1)
        powers = alpha ** np.arange(1, i)
        values[i - 1] = (powers.sum() - (comb(i, j) * values[1 : i - 1] ** (i - j)).sum()) / i
    return values


def _rom_level(p: float, i: int) -> float:
    """Return the level at which Rom's i-th critical value equals p, 1 if there is none."""
    from scipy.optimize import brentq

    if p <= 0:
        return 0.0

    def excess(factor: float) -> float:
        return float(rom_critical(min(factor * p, 1.0), i)[-1]) / p - 1

    if excess(1 / p) <= 0:
        return 1.0
    # Rom's critical value lies between alpha / i, which is Hochberg's, and alpha.
    return p * float(brentq(excess, 1.0, min(i * (1 + 1e-9), 1 / p), rtol=1e-14))
