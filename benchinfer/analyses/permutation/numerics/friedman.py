"""Friedman's test, its relatives and mean ranks.

With ranks 1 to K within each of n blocks, a difference of two mean ranks has the variance
``K (K + 1) / (6 n)`` if all algorithms have the same distribution. This number is known, so the
quantiles have infinite degrees of freedom. Errors over all pairs are controlled under this
hypothesis only, and the test of two algorithms depends on the others in the table.

References
----------
Hothorn, T., Leisch, F., Zeileis, A. & Hornik, K. (2005). The design and analysis of benchmark
experiments. Journal of Computational and Graphical Statistics 14, 675-699.
https://doi.org/10.1198/106186005X59630

Iman, R. L. & Davenport, J. M. (1980). Approximations of the critical region of the Friedman
statistic. Communications in Statistics - Theory and Methods 9, 571-595.
https://doi.org/10.1080/03610928008827904

Demsar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of
Machine Learning Research 7, 1-30.

Benavoli, A., Corani, G. & Mangili, F. (2016). Should we really use post-hoc tests based on
mean-ranks? Journal of Machine Learning Research 17, 1-10.
"""

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtri

from benchinfer.analyses.permutation.numerics.blocks import BlockLayout, quade_scores
from benchinfer.analyses.permutation.numerics.nulls import (
    GlobalTest,
    moments,
    quadratic,
)
from benchinfer.numerics.max_t import CriticalFamily, critical
from benchinfer.numerics.max_t_exact import range_survival
from benchinfer.numerics.types import Array

# A residual below this, relative to its largest value, is zero.
_ZERO = 1e-10


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


def friedman(ranks: Array, layout: BlockLayout, *, corrected: bool = True) -> GlobalTest:
    """Return Friedman's test, with or without the correction for ties.

    Parameters
    ----------
    ranks
        (n,) ranks within blocks in the order of the layout.
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
    m = moments(ranks, layout)
    if corrected:
        return quadratic(m)
    k, b = layout.n_labels, len(layout.sizes)
    statistic = float(12 * (m.deviation**2).sum() / (b * k * (k + 1)))
    return GlobalTest(statistic, (k - 1,), float(chdtrc(k - 1, statistic)))


def quade(values: Array, ranks: Array, layout: BlockLayout) -> GlobalTest:
    """Return Quade's test in its F form; complete blocks."""
    chi2 = quadratic(moments(quade_scores(values, ranks, layout), layout))
    return f_form(chi2.statistic, len(layout.sizes), layout.n_labels)


def std_error(k: int, n: int) -> float:
    """Return the standard error of a difference of mean ranks of k algorithms in n blocks."""
    return float(np.sqrt(k * (k + 1) / (6 * n)))


def nemenyi(difference: Array, k: int, n: int) -> Array:
    """Return Nemenyi's single-step p-values of differences of mean ranks.

    Parameters
    ----------
    difference
        Differences of two mean ranks, any shape.
    k
        Number of algorithms.
    n
        Number of blocks.

    Returns
    -------
    numpy.ndarray
        ``P(Q > sqrt(2) |difference| / std_error)`` for the range Q of k standard normals. (Some
        programs call Bonferroni's adjustment of single p-values Nemenyi's: another number.)

    Examples
    --------
    >>> float(nemenyi(np.array(2.1 - 3.25), 5, 30).round(6))
    0.038958
    """
    return range_survival(np.sqrt(2) * np.abs(difference) / std_error(k, n), k)


def nemenyi_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Return Nemenyi's critical difference of mean ranks, for all pairs.

    Examples
    --------
    >>> round(nemenyi_difference(5, 30), 4)
    1.1136
    """
    return critical(CriticalFamily("tukey", k), "difference", alpha, np.inf) * std_error(k, n)


def bonferroni_dunn_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Return Bonferroni and Dunn's critical difference of mean ranks, all against a control.

    Examples
    --------
    >>> round(bonferroni_dunn_difference(5, 30), 4)
    1.0197
    """
    return -float(ndtri(alpha / (2 * (k - 1)))) * std_error(k, n)
