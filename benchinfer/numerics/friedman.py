"""Classical tests in blocks, as functions of the column sums of scores.

References
----------
Hothorn, T., Leisch, F., Zeileis, A. & Hornik, K. (2005). The design and analysis of benchmark
experiments. Journal of Computational and Graphical Statistics 14, 675-699.
https://doi.org/10.1198/106186005X59630

Iman, R. L. & Davenport, J. M. (1980). Approximations of the critical region of the Friedman
statistic. Communications in Statistics - Theory and Methods 9, 571-595.
https://doi.org/10.1080/03610928008827904

Page, E. B. (1963). Ordered hypotheses for multiple treatments: a significance test for linear
ranks. Journal of the American Statistical Association 58, 216-230.
https://doi.org/10.1080/01621459.1963.10500843
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc, ndtr

from benchinfer.numerics.align import quade_scores, score
from benchinfer.numerics.layout import Layout
from benchinfer.numerics.permute import GlobalTest, moments, quadratic, standardized

type Array = NDArray[np.float64]

# A residual below this, relative to its largest value, is zero.
_ZERO = 1e-10


@dataclass(frozen=True, slots=True)
class TrendTest:
    """Page's L, its standardised value and the one-sided p-value of the normal distribution."""

    statistic: float
    z: float
    p_value: float


def f_form(statistic: float, n_blocks: int, k: int) -> GlobalTest:
    """Return the F of a two-way analysis of variance of the scores, from `quadratic`.

    With ``R2 = X2 / (B (K - 1))``, ``F = (B - 1) R2 / (1 - R2)`` on K - 1 and (K - 1)(B - 1)
    degrees of freedom: Iman and Davenport's F on ranks, Quade's F on Quade's scores, the usual F on
    values. Complete blocks only.
    """
    df = (k - 1.0, (k - 1.0) * (n_blocks - 1.0))
    free = n_blocks * (k - 1) - statistic
    if free <= _ZERO * n_blocks:
        return GlobalTest(np.inf, df, 0.0)
    f = (n_blocks - 1) * statistic / free
    return GlobalTest(f, df, float(fdtrc(*df, f)))


def t_star(table: Array) -> float:
    """Return Hothorn's t* (equation 3): squared means over squared residuals.

    Parameters
    ----------
    table
        (B, K) complete blocks.

    Returns
    -------
    float
        An increasing function of `quadratic`, hence the same permutation test; the F of a two-way
        analysis of variance is ``B (B - 1)`` times it.
    """
    residual = table - table.mean(axis=1, keepdims=True)
    effect = residual.mean(axis=0)
    left, between = float(((residual - effect) ** 2).sum()), float((effect**2).sum())
    return between / left if left > 0 else (np.inf if between > 0 else 0.0)


def friedman(values: Array, layout: Layout, *, corrected: bool = True) -> GlobalTest:
    """Return Friedman's test, with or without the correction for ties.

    Parameters
    ----------
    values
        (n,) values in the order of the layout.
    layout
        Any blocks if corrected, else complete ones.
    corrected
        Whether the variance is that of the midranks (as in R) or that of ranks without ties (as
        published tables often have it; too small a statistic under ties).

    Returns
    -------
    GlobalTest
        Chi-squared on K - 1 degrees of freedom.
    """
    m = moments(score(values, layout, "ranks").values, layout)
    if corrected:
        return quadratic(m)
    k, b = layout.n_labels, len(layout.sizes)
    statistic = float(12 * (m.deviation**2).sum() / (b * k * (k + 1)))
    return GlobalTest(statistic, (k - 1,), float(chdtrc(k - 1, statistic)))


def quade(values: Array, layout: Layout) -> GlobalTest:
    """Return Quade's test in its F form; complete blocks."""
    chi2 = quadratic(moments(quade_scores(values, layout).values, layout))
    return f_form(chi2.statistic, len(layout.sizes), layout.n_labels)


def page(values: Array, layout: Layout, places: Array) -> TrendTest:
    """Return Page's test that scores grow in a given order.

    Parameters
    ----------
    values
        (n,) values in the order of the layout.
    layout
        Any blocks; ties are corrected for.
    places
        (K,) the place of each label in the predicted order, 1 for the smallest values.

    Returns
    -------
    TrendTest
        ``L = sum_k places_k R_k`` with R the sums of within-block ranks.
    """
    m = moments(score(values, layout, "ranks").values, layout)
    z = float(standardized(m, places[None, :])[0])
    return TrendTest(float(places @ m.total), z, float(ndtr(-z)))
