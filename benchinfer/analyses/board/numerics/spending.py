"""Levels of tests that come one after the other, without a known end."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from benchinfer.numerics.types import Array

type Spending = Literal["fallback", "alpha", "lond"]
# One over the sum of 1 / ((i + 1) log^2(i + 1)) over i = 1, 2, ..., which is 2.1097428012.
CONSTANT = 0.4739914265


def shares(n: int, horizon: int | None = None) -> Array:
    """Return the shares of the level that the first n tests have; all of them sum up to 1.

    ``CONSTANT / ((i + 1) log^2(i + 1))``, or with a horizon N its N-th part for each of N tests and
    nothing for later ones.

    Examples
    --------
    >>> shares(3).round(4), shares(3, horizon=2)
    (array([0.4933, 0.1309, 0.0617]), array([0.5, 0.5, 0. ]))
    """
    i = np.arange(1, n + 1, dtype=np.float64)
    if horizon is not None:
        return np.where(i <= horizon, 1 / horizon, 0.0)
    return CONSTANT / ((i + 1) * np.log(i + 1) ** 2)


def next_level(
    share: float, alpha: float, rule: Spending, before: Sequence[tuple[float, bool]]
) -> float:
    """Return the level of a test, given levels and rejections of those before it.

    Of the tests i = 1, 2, ... with shares g_i the level is

    - ``"alpha"``: alpha g_i, whose sum is alpha;
    - ``"fallback"``: alpha g_i, and the level of the test before it where that one rejected; the
      probability of any false rejection is at most alpha, whatever the dependence of p-values;
    - ``"lond"``: alpha g_i max(R, 1) after R rejections; the expected share of false rejections
      among all is at most alpha where p-values depend positively (PRDS).

    References
    ----------
    Tian, J. & Ramdas, A. (2021). Online control of the familywise error rate. Statistical Methods
    in Medical Research 30, 976-993. https://doi.org/10.1177/0962280220983381

    Zrnic, T., Ramdas, A. & Jordan, M. I. (2021). Asynchronous online testing of multiple
    hypotheses. Journal of Machine Learning Research 22, 1-39.

    Examples
    --------
    >>> round(next_level(0.1, 0.05, "fallback", [(0.02, False), (0.01, True)]), 3)
    0.015
    """
    base = alpha * share
    if rule == "fallback" and before and before[-1][1]:
        return base + before[-1][0]
    if rule == "lond":
        return base * max(sum(rejected for _, rejected in before), 1)
    return base
