"""Statistics of permutation tests within blocks: labels move within a block, scores stay.

The column sums of the scores have a known mean and covariance when every arrangement of the labels
within each block is equally likely. All tests here are functions of these sums, for complete and
incomplete blocks and for blocks in which a label occurs several times.

References
----------
Strasser, H. & Weber, C. (1999). On the asymptotic theory of permutation statistics. Mathematical
Methods of Statistics 8, 220-250.

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
from scipy.sparse import csr_array
from scipy.special import chdtrc, fdtrc, ndtr

from benchinfer.numerics.align import Layout, block_means, quade_scores, score

type Array = NDArray[np.float64]

# A variance below this, relative to the largest, is zero.
_ZERO = 1e-10


@dataclass(frozen=True, slots=True)
class Moments:
    """Column sums and their moments under permutation within blocks.

    Attributes
    ----------
    total
        (K,) sum of the scores of each label.
    deviation
        (K,) `total` minus its expectation.
    cov
        (K, K) covariance; rows sum to zero.
    n_varying
        Number of blocks whose scores are not all equal: only these can say anything.
    """

    total: Array
    deviation: Array
    cov: Array
    n_varying: int


@dataclass(frozen=True, slots=True)
class GlobalTest:
    """A statistic against all labels being exchangeable, and its asymptotic p-value.

    Attributes
    ----------
    statistic, p_value
        The statistic (large against the hypothesis) and its p-value.
    df
        Degrees of freedom: one of chi-squared, two of F.
    """

    statistic: float
    df: tuple[float, ...]
    p_value: float


@dataclass(frozen=True, slots=True)
class TrendTest:
    """Page's L, its standardised value and the one-sided p-value of the normal distribution."""

    statistic: float
    z: float
    p_value: float


def moments(scores: Array, layout: Layout) -> Moments:
    r"""Return the column sums, their expectation and covariance.

    With n_bk rows of label k among the n_b rows of block b, whose scores have mean m_b and
    variance V_b (divided by n_b)::

        E   = sum_b m_b n_b.
        Cov = sum_b V_b / (n_b - 1) * (n_b diag(n_b.) - n_b. n_b.')

    Parameters
    ----------
    scores
        (n,) scores in the order of the layout.
    layout
        B blocks, K labels.

    Returns
    -------
    Moments
        (K,) sums and (K, K) covariance.

    Examples
    --------
    >>> from benchinfer.numerics.align import lay_out
    >>> layout = lay_out(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), 2)
    >>> moments(np.array([1.0, 2.0, 1.0, 2.0]), layout).cov.tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    k, size = layout.n_labels, layout.sizes
    centred = center(scores, layout)
    spread = block_means(centred**2, layout) / (size - 1)
    at = (layout.blocks, layout.labels)
    count = csr_array((np.ones(len(scores)), at), shape=(len(size), k))
    weighted = csr_array((np.repeat(spread, size), at), shape=(len(size), k))
    diagonal = np.bincount(layout.labels, np.repeat(spread * size, size), minlength=k)
    return Moments(
        np.bincount(layout.labels, scores, minlength=k),
        np.bincount(layout.labels, centred, minlength=k),
        np.diag(diagonal) - (count.T @ weighted).toarray(),
        int((spread > 0).sum()),
    )


def center(scores: Array, layout: Layout) -> Array:
    """Return (n,) the scores without their block's mean; exactly zero where a block is constant."""
    constant = np.ones(len(layout.sizes), np.bool_)
    if len(scores):
        begin = layout.starts[:-1]
        constant = np.maximum.reduceat(scores, begin) == np.minimum.reduceat(scores, begin)
    shifted = scores - np.repeat(block_means(scores, layout), layout.sizes)
    return np.where(np.repeat(constant, layout.sizes), 0.0, shifted)


def root(cov: Array) -> Array:
    """Return (rank, K) R with ``R' R`` the pseudo-inverse of the covariance."""
    values, vectors = np.linalg.eigh(cov)
    held = values > _ZERO * max(values[-1], 0.0)
    return (vectors[:, held] / np.sqrt(values[held])).T


def quadratic(m: Moments) -> GlobalTest:
    """Return ``(T - E)' Cov^+ (T - E)`` with its asymptotic chi-squared p-value.

    On within-block ranks this is Friedman's statistic with tie correction, on aligned ranks that of
    Hodges and Lehmann.
    """
    half = root(m.cov)
    statistic = float(((half @ m.deviation) ** 2).sum())
    p = float(chdtrc(len(half), statistic)) if len(half) else 1.0
    return GlobalTest(statistic, (len(half),), p)


def standardized(m: Moments, contrasts: Array) -> Array:
    """Return (J,) ``C (T - E)`` over its standard deviation, 0 where that is zero."""
    return scaled(m.cov, contrasts) @ m.deviation


def scaled(cov: Array, contrasts: Array) -> Array:
    """Return (J, K) contrasts over the standard deviation of their statistic; 0 where it is 0."""
    variance = np.einsum("jk,kl,jl->j", contrasts, cov, contrasts)
    size = (contrasts**2).sum(axis=1) * np.diag(cov).max(initial=0.0)
    held = variance > _ZERO * size
    scale = np.sqrt(np.where(held, variance, 1.0))
    return np.where(held[:, None], contrasts / scale[:, None], 0.0)


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
    left = float(((residual - effect) ** 2).sum())
    return float((effect**2).sum()) / left if left > 0 else np.inf


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
