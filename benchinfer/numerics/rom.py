"""Rom's step-up procedure: critical values for independent p-values."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import comb

from benchinfer.numerics.multiplicity import in_place, running_min

type Array = NDArray[np.float64]


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
    if p <= 0:
        return 0.0

    def excess(factor: float) -> float:
        return float(rom_critical(min(factor * p, 1.0), i)[-1]) / p - 1

    if excess(1 / p) <= 0:
        return 1.0
    # Rom's critical value lies between alpha / i, which is Hochberg's, and alpha.
    return p * float(brentq(excess, 1.0, min(i * (1 + 1e-9), 1 / p), rtol=1e-14))
