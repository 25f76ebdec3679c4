"""Whether differences look normal: four tests, and their quantiles against normal ones.

References
----------
Shapiro, S. S. & Wilk, M. B. (1965). An analysis of variance test for normality (complete samples).
Biometrika 52, 591-611. https://doi.org/10.1093/biomet/52.3-4.591

D'Agostino, R. & Pearson, E. S. (1973). Tests for departure from normality. Biometrika 60, 613-622.
https://doi.org/10.1093/biomet/60.3.613

Anderson, T. W. & Darling, D. A. (1954). A test of goodness of fit. Journal of the American
Statistical Association 49, 765-769. https://doi.org/10.1080/01621459.1954.10501232

Lilliefors, H. W. (1967). On the Kolmogorov-Smirnov test for normality with mean and variance
unknown. Journal of the American Statistical Association 62, 399-402.
https://doi.org/10.1080/01621459.1967.10482916
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from benchinfer.compare.evidence import Array
from benchinfer.saving import savable

# With more values every real sample departs, and the p-values of two of the tests are not known.
MOST = 5000
_MARKS = 99


@savable
@dataclass(frozen=True, slots=True)
class Normality:
    """How the differences of a pair look.

    Attributes
    ----------
    n
        Number of differences.
    tests, statistics, p_values
        Names and (m,) results of the tests that so many differences allow.
    normal, found
        (q,) quantiles, at most 99, of the normal distribution and of the differences in their
        standard deviation; empty where all differences are the same.
    """

    n: int
    tests: tuple[str, ...]
    statistics: Array
    p_values: Array
    normal: Array
    found: Array


def normality(values: Array) -> Normality:
    """Look at the distribution of differences.

    Parameters
    ----------
    values
        (n,) differences.
    """
    n = len(values)
    spread = float(values.std(ddof=1))
    if n < 3 or spread <= 1e-12 * float(np.abs(values).max()):
        empty = np.empty(0)
        return Normality(n, (), empty, empty, empty, empty)
    some = values[:: -(-n // MOST)]
    tests = _TESTS if np.ptp(some) > 0 else ()
    rows = [(name, *map(float, test(some))) for name, least, test in tests if n >= least]
    # Blom's positions; of many differences 99 quantiles say as much.
    at = (np.arange(1, n + 1) - 0.375) / (n + 0.25)
    if n > _MARKS:
        at = np.arange(1, _MARKS + 1) / (_MARKS + 1)
        ordered = np.quantile(values, at)
    else:
        ordered = np.sort(values)
    return Normality(
        n,
        tuple(row[0] for row in rows),
        np.array([row[1] for row in rows]),
        np.array([row[2] for row in rows]),
        stats.norm.ppf(at),
        (ordered - values.mean()) / spread,
    )


def _anderson(values: Array) -> Any:
    from statsmodels.stats.diagnostic import normal_ad

    return normal_ad(values)


def _lilliefors(values: Array) -> Any:
    from statsmodels.stats.diagnostic import lilliefors

    return lilliefors(values, pvalmethod="table")


# Test, the fewest values that it takes, and how it is done.
_TESTS: tuple[tuple[str, int, Callable[[Array], Any]], ...] = (
    ("Shapiro-Wilk", 3, stats.shapiro),
    ("D'Agostino K2", 20, stats.normaltest),
    ("Anderson-Darling", 8, _anderson),
    ("Lilliefors", 5, _lilliefors),
)
