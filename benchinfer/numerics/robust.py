"""Pair-specific standard errors: a cluster-robust covariance with data sets as clusters.

The score model with one interaction variance gives every pair the same standard error, which is
wrong where some algorithms are near-duplicates and others erratic. Here the model only sets the
weights; the spread of the data sets' own differences gives the covariance (CR2: unbiased if the
model holds), and its degrees of freedom follow Satterthwaite under the model. On a complete table
both reduce to the paired t-test on data set means, with D - 1 degrees of freedom.

References
----------
Bell, R. M. & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with
multi-stage samples. Survey Methodology 28, 169-181.

Pustejovsky, J. E. & Tipton, E. (2018). Small-sample methods for cluster-robust variance estimation
and hypothesis testing in fixed effects models. Journal of Business & Economic Statistics 36,
672-683. https://doi.org/10.1080/07350015.2016.1247004
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import helmert

from benchinfer.numerics.degrees import Adjusted
from benchinfer.numerics.reml import evaluate
from benchinfer.numerics.sufficient import Statistics

type Array = NDArray[np.float64]

# Contrasts handled at a time, so that (contrasts, D, p) arrays stay small.
_SLICE = 64


def _root(matrices: Array, power: float) -> Array:
    """Return the symmetric power of positive semi-definite matrices, zero on their null space."""
    values, vectors = np.linalg.eigh(matrices)
    held = values > 1e-10 * np.maximum(values[:, -1:], 1e-300)
    raised = np.where(held, np.where(held, values, 1.0) ** power, 0.0)
    return (vectors * raised[:, None, :]) @ vectors.transpose(0, 2, 1)


def cluster_robust(
    q_matrix: Array, z: Array, phi: Array, contrasts: Array, x: Array | None = None
) -> Adjusted:
    """Return the CR2 covariance of the fixed effects and the contrasts' degrees of freedom.

    Parameters
    ----------
    q_matrix
        (D, K, K) ``Za' V^-1 Za`` of the working model.
    z
        (D, K) ``Za' V^-1 (y - X b)``.
    phi
        (p, p) covariance of the fixed effects under the working model.
    contrasts
        (J, p) contrasts.
    x
        (D, K, p) design, or None for one mean per algorithm.

    Returns
    -------
    Adjusted
        (p, p) covariance and (J,) degrees of freedom.
    """
    half = _root(q_matrix, 0.5)
    design = half if x is None else half @ x
    residual = np.einsum("dkl,dl->dk", _root(q_matrix, -0.5), z)
    k = q_matrix.shape[1]
    # A direction that a data set alone determines has no residual: leverage 1, weight 0.
    spread = np.eye(k) - design @ phi @ design.transpose(0, 2, 1)
    adjusted = _root((spread + spread.transpose(0, 2, 1)) / 2, -0.5)
    weighted = design.transpose(0, 2, 1) @ adjusted
    scores = np.einsum("dpk,dk->dp", weighted, residual)
    meat = scores.T @ scores
    df = np.empty(len(contrasts))
    for first in range(0, len(contrasts), _SLICE):
        part = slice(first, first + _SLICE)
        g = np.einsum("jp,pq,dqk->jdk", contrasts[part], phi, weighted, optimize=True)
        df[part] = _satterthwaite(g, design, phi)
    return Adjusted(phi @ meat @ phi, df)


def of_fit(
    stats: Statistics, variances: Array, contrasts: Array, x: Array | None = None
) -> Adjusted:
    """Return the CR2 covariance and degrees of freedom for a fitted score model.

    Parameters
    ----------
    stats
        Sufficient statistics.
    variances
        (4,) fitted variances, which set the weights of the data sets.
    contrasts
        (J, p) contrasts.
    x
        (D, K, p) design, or None for one mean per algorithm.

    Returns
    -------
    Adjusted
        (p, p) covariance on the scores' scale and (J,) degrees of freedom.

    Raises
    ------
    FitError
        The fixed effects cannot be told apart with these variances.
    """
    d, k = stats.n.shape
    turn, design = np.eye(k if x is None else x.shape[2]), x
    if design is None:
        # Orthogonal contrasts keep the level of all algorithms, of which little is known where data
        # sets vary much, apart from the differences, of which much is.
        turn = helmert(k, full=True)
        design = np.broadcast_to(turn.T, (d, k, k))
    work = evaluate(stats, variances / stats.scale**2, design, reml=True)
    z = work.c - np.einsum("dkl,dl->dk", work.q_matrix, design @ work.beta)
    own = cluster_robust(work.q_matrix, z, work.phi, contrasts @ turn.T, design)
    return Adjusted(turn.T @ own.cov @ turn * stats.scale**2, own.df)


def _satterthwaite(g: Array, design: Array, phi: Array) -> Array:
    """Return ``tr(M)^2 / tr(M^2)`` of the quadratic forms ``sum_m (g_m' e_m)^2`` in residuals e."""
    length = (g**2).sum(axis=2)
    h = np.einsum("jdk,dkp->jdp", g, design, optimize=True)
    h_phi = h @ phi
    overlap = (h_phi * h).sum(axis=2)
    # The trace of a square, of the smaller of the matrices that have the same one.
    turned = h.transpose(0, 2, 1)
    inner = h_phi @ turned if h.shape[1] < h.shape[2] else turned @ h_phi
    trace = (length - overlap).sum(axis=1)
    square = (length**2 - 2 * length * overlap).sum(axis=1) + np.einsum("jpq,jqp->j", inner, inner)
    return trace**2 / square
