"""Pair-specific standard errors: a cluster-robust covariance with data sets as clusters.

The score model with one interaction variance gives every pair the same standard error, which is
wrong where some algorithms are near-duplicates and others erratic. Here the model only sets the
weights; the spread of the data sets' own differences gives the covariance (CR2: unbiased if the
model holds), and its degrees of freedom follow Satterthwaite under the model. On a complete table
both reduce to the paired t-test on data set means, with D - 1 degrees of freedom.

With V the covariance of a data set's scores under the model and S = V - X Phi X' that of their
residuals, residuals are multiplied by the symmetric A with A S A = V. In whitened coordinates,
where S is S* = I - V^-1/2 X Phi X' V^-1/2, that takes the polar factor of S*^1/2 V.

References
----------
Bell, R. M. & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with
multi-stage samples. Survey Methodology 28, 169-181.

Pustejovsky, J. E. & Tipton, E. (2018). Small-sample methods for cluster-robust variance estimation
and hypothesis testing in fixed effects models. Journal of Business & Economic Statistics 36,
672-683. https://doi.org/10.1080/07350015.2016.1247004
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag, helmert

from benchinfer.numerics.degrees import Adjusted
from benchinfer.numerics.reml import evaluate
from benchinfer.numerics.structured.blocks import Residual
from benchinfer.numerics.structured.optimum import StructuredFit
from benchinfer.numerics.structured.patterns import Patterns
from benchinfer.numerics.sufficient import Statistics

type Array = NDArray[np.float64]

# Contrasts handled at a time, so that (contrasts, D, p) arrays stay small.
_SLICE = 64
# Share of the largest eigenvalue below which one is zero.
_NULL = 1e-10


@dataclass(frozen=True, slots=True)
class Clusters:
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


def _roots(matrices: Array, *powers: float, null: float = _NULL) -> list[Array]:
    """Return symmetric powers of positive semi-definite matrices, zero on their null space."""
    values, vectors = np.linalg.eigh(matrices)
    held = values > null * np.maximum(values[:, -1:], 1e-300)
    raised = [np.where(held, np.where(held, values, 1.0) ** power, 0.0) for power in powers]
    return [(vectors * each[:, None, :]) @ vectors.transpose(0, 2, 1) for each in raised]


def whitened(q_matrix: Array, z: Array, x: Array) -> Clusters:
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
    return Clusters(None, root @ x, np.einsum("dkl,dl->dk", inverse, z))


def cluster_robust(groups: Sequence[Clusters], phi: Array, contrasts: Array) -> Adjusted:
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
    theta = variances / stats.scale**2
    work = evaluate(stats, theta, design, reml=True)
    groups = _of_scores(stats, theta, design, work.beta)
    own = cluster_robust(groups, work.phi, contrasts @ turn.T)
    return Adjusted(turn.T @ own.cov @ turn * stats.scale**2, own.df)


def of_structured(
    stats: Patterns,
    model: StructuredFit,
    contrasts: Array,
    x: Array | None = None,
    domain: NDArray[np.int64] | None = None,
    residual: Residual = "constant",
) -> Adjusted:
    """Return the CR2 covariance and degrees of freedom for a fit with structured covariances.

    Parameters
    ----------
    stats
        Sufficient statistics.
    model
        The fit.
    contrasts
        (J, p) contrasts.
    x
        (D, K, p) design, or None for one mean per algorithm.
    domain
        (D,) codes of the domains, which are then the independent groups; else data sets are.
    residual
        What the residual variance depends on.
    """
    d, k = len(stats.start), len(stats.offset)
    design = np.broadcast_to(np.eye(k), (d, k, k)) if x is None else x
    across = np.zeros((k, k)) if model.domain is None else model.domain
    codes = np.arange(d) if domain is None else domain
    groups: list[Clusters] = []
    for code in np.unique(codes):
        # One sum for each class of blocks and algorithm: covariances keep those among themselves.
        own = np.flatnonzero(codes[stats.dataset] == code)
        c, a = np.nonzero(stats.counts[own] > 0)
        c = own[c]
        m, once = stats.dataset[c], np.sqrt(stats.counts[c, a])
        root = once * np.sqrt(stats.rows[c])
        noise = model.residual[{"constant": 0 * a, "algorithm": a, "dataset": m}[residual]]
        shared = across[np.ix_(a, a)] + (m[:, None] == m) * model.between[np.ix_(a, a)]
        working = np.diag(noise) + np.outer(root, root) * shared
        working += model.replication * (c[:, None] == c) * np.outer(once, once)
        value = (stats.mean[c, a] + stats.offset[a] + stats.delta[m]) * stats.scale
        own_x = root[:, None] * design[m, a]
        off = root * value - own_x @ model.beta
        groups.append(Clusters(working[None], own_x[None], off[None]))
    return cluster_robust(groups, model.cov, contrasts)


def _of_scores(stats: Statistics, theta: Array, x: Array, beta: Array) -> list[Clusters]:
    """Reduce data sets to combinations of scores that their covariance keeps among themselves.

    The sums of the cells, where all blocks of a data set hold the same scores; where they do not,
    for each size of blocks also the sums of the blocks' means.
    """
    d, k = stats.n.shape
    between = theta[0] + theta[1] * np.eye(k)
    ragged = np.zeros(d, dtype=np.bool_)
    shared = np.zeros((d, k, k))
    if len(stats.start) and theta[2] > 0:
        alike = stats.class_n[:, :, None] * stats.class_n[:, None, :] / stats.rows[:, None, None]
        mixed = np.abs(stats.cross - alike).max(axis=(1, 2)) > 0.5 / stats.rows
        several = np.diff(np.r_[stats.start, len(stats.rows)]) > 1
        ragged = several | np.logical_or.reduceat(mixed, stats.start)
        shared = np.add.reduceat(stats.cross, stats.start, axis=0)
    whole = np.flatnonzero(~ragged)
    root = np.sqrt(stats.n[whole])
    less = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    working = theta[3] * np.eye(k) + root[:, :, None] * between * root[:, None, :]
    working += theta[2] * less[:, :, None] * shared[whole] * less[:, None, :]
    away = stats.delta[whole, None] - x[whole] @ beta
    groups = [
        Clusters(working, root[:, :, None] * x[whole], less * stats.total[whole] + root * away)
    ]
    stop = np.r_[stats.start[1:], len(stats.rows)]
    for m in np.flatnonzero(ragged):
        own = slice(stats.start[m], stop[m])
        groups.append(_of_ragged(stats, own, theta, x[m], stats.delta[m] - x[m] @ beta))
    return [group for group in groups if len(group.design)]


def _of_ragged(stats: Statistics, own: slice, theta: Array, x: Array, away: Array) -> Clusters:
    """Reduce a data set whose blocks hold different scores; the classes are its own."""
    # A block may have no scores.
    size = np.maximum(stats.size[own][:, None], 1)
    cells = [np.diag(n) for n in stats.class_n[own]]
    blocks = [cross / s for cross, s in zip(stats.cross[own], size, strict=True)]
    pieces = zip(cells, blocks, strict=True)
    gram = block_diag(*[np.block([[n, c], [c, c]]) for n, c in pieces])
    replicated = block_diag(*[np.tile(cross, (2, 2)) for cross in stats.cross[own]])
    to_cells = np.concatenate([np.concatenate(p) for p in zip(cells, blocks, strict=True)])
    sums = np.stack([stats.class_total[own], stats.moment[own] / size], axis=1).reshape(-1)
    values, vectors = np.linalg.eigh(gram)
    held = values > _NULL * values[-1]
    basis = vectors[:, held] / np.sqrt(values[held])
    along = basis.T @ to_cells
    working = theta[3] * np.eye(len(along)) + theta[2] * basis.T @ replicated @ basis
    working += along @ (theta[0] + theta[1] * np.eye(len(x))) @ along.T
    return Clusters(working[None], (along @ x)[None], (basis.T @ sums + along @ away)[None])


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
