"""Column sums under permutation within blocks: labels move within a block, scores stay.

The column sums of the scores have a known mean and covariance when every arrangement of the labels
within each block is equally likely. All tests within blocks are functions of these sums, for
complete and incomplete blocks and for blocks in which a label occurs several times.

References
----------
Strasser, H. & Weber, C. (1999). On the asymptotic theory of permutation statistics. Mathematical
Methods of Statistics 8, 220-250.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import chdtrc

from benchinfer.numerics.layout import Layout, block_means, center

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
    >>> from benchinfer.numerics.layout import lay_out
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
