"""Covariance of estimates: degrees of freedom and cluster-robust errors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

type Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Covariance of the fixed effects and degrees of freedom of J contrasts.

    Attributes
    ----------
    cov
        (p, p) covariance, adjusted where the method adjusts it.
    df
        (J,) degrees of freedom, ``inf`` for the asymptotic method.
    """

    cov: Array
    df: Array

    def first(self, n: int) -> "Adjusted":
        """Return the first n contrasts."""
        return Adjusted(self.cov, self.df[:n])


# Contrasts handled at a time, so that (contrasts, D, p) arrays stay small.
_SLICE = 64
# Share of the largest eigenvalue below which one is zero.
NULL = 1e-10


@dataclass(frozen=True, slots=True)
class IndependentGroups:
    """M independent groups of scores, reduced to combinations that are all that matters.

    Attributes
    ----------
    working
        (M, q, q) covariances under the model, or None for identities.
    design
        (M, q, p) columns of the fixed effects.
    residual
        (M, q) residuals.
    """

    working: Array | None
    design: Array
    residual: Array

    def adjusted(self, phi: Array) -> tuple[Array, Array, Array]:
        """Return (M, p, q) adjusted weights, (M, q, p) design and (M, q) residuals, whitened."""
        design, residual = self.design, self.residual
        if self.working is not None:
            # Of full rank, however much more data sets vary than their scores.
            (white,) = _roots(self.working, -0.5, null=np.finfo(float).eps)
            design, residual = white @ design, np.einsum("mqr,mr->mq", white, residual)
        spread = np.eye(design.shape[1]) - design @ phi @ design.transpose(0, 2, 1)
        spread = (spread + spread.transpose(0, 2, 1)) / 2
        # A direction that a group alone determines has no residual: leverage 1, weight 0.
        root, weights = _roots(spread, 0.5, -0.5)
        if self.working is not None:
            u, _, v = np.linalg.svd(root @ self.working)
            weights = (u @ v).transpose(0, 2, 1) @ weights
        return design.transpose(0, 2, 1) @ weights, design, residual


def _roots(matrices: Array, *powers: float, null: float = NULL) -> list[Array]:
    """Return symmetric powers of positive semi-definite matrices, zero on their null space."""
    values, vectors = np.linalg.eigh(matrices)
    held = values > null * np.maximum(values[:, -1:], 1e-300)
    raised = [np.where(held, np.where(held, values, 1.0) ** power, 0.0) for power in powers]
    return [(vectors * each[:, None, :]) @ vectors.transpose(0, 2, 1) for each in raised]


def whitened(q_matrix: Array, z: Array, x: Array) -> IndependentGroups:
    """Return groups whose scores are whitened, so that no coordinates are preferred.

    Parameters
    ----------
    q_matrix
        (D, K, K) ``Za' V^-1 Za`` of the working model.
    z
        (D, K) ``Za' V^-1 (y - X b)``.
    x
        (D, K, p) design.
    """
    root, inverse = _roots(q_matrix, 0.5, -0.5)
    return IndependentGroups(None, root @ x, np.einsum("dkl,dl->dk", inverse, z))


def cluster_robust(groups: Sequence[IndependentGroups], phi: Array, contrasts: Array) -> Adjusted:
    """Return the CR2 covariance of the fixed effects and the contrasts' degrees of freedom.

    Parameters
    ----------
    groups
        The independent groups, by their size q.
    phi
        (p, p) covariance of the fixed effects under the working model.
    contrasts
        (J, p) contrasts.

    Returns
    -------
    Adjusted
        (p, p) covariance and (J,) degrees of freedom.

    References
    ----------
    Bell, R. M. & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression
    with multi-stage samples. Survey Methodology 28, 169-181.

    Pustejovsky, J. E. & Tipton, E. (2018). Small-sample methods for cluster-robust variance
    estimation and hypothesis testing in fixed effects models. Journal of Business & Economic
    Statistics 36, 672-683. https://doi.org/10.1080/07350015.2016.1247004
    """
    adjusted = [group.adjusted(phi) for group in groups]
    scores = np.concatenate([np.einsum("mpq,mq->mp", w, e) for w, _, e in adjusted])
    meat = scores.T @ scores
    df = np.empty(len(contrasts))
    for first in range(0, len(contrasts), _SLICE):
        part = slice(first, first + _SLICE)
        rows = contrasts[part] @ phi
        df[part] = _satterthwaite(rows, [(w, x) for w, x, _ in adjusted], phi)
    return Adjusted(phi @ meat @ phi, df)


def _satterthwaite(rows: Array, groups: list[tuple[Array, Array]], phi: Array) -> Array:
    """Return ``tr(M)^2 / tr(M^2)`` of the quadratic forms ``sum_m (g_m' e_m)^2`` in residuals e.

    With (J, p) rows and, by groups, the weights that make ``g_m`` of them and the design.
    """
    trace, square = np.zeros(len(rows)), np.zeros(len(rows))
    inner = np.zeros((len(rows), *phi.shape))
    for weights, design in groups:
        g = np.einsum("jp,mpq->jmq", rows, weights, optimize=True)
        length = (g**2).sum(axis=2)
        h = np.einsum("jmq,mqp->jmp", g, design, optimize=True)
        overlap = ((h @ phi) * h).sum(axis=2)
        inner += h.transpose(0, 2, 1) @ h
        trace += (length - overlap).sum(axis=1)
        square += (length**2 - 2 * length * overlap).sum(axis=1)
    inner = inner @ phi
    return trace**2 / (square + np.einsum("jpq,jqp->j", inner, inner))
