"""Cluster-robust errors of a fit.

The score model with one interaction variance gives every pair the same standard error, which is
wrong where some algorithms are near-duplicates and others erratic. Here the model only sets the
weights; the spread of the data sets' own differences gives the covariance (CR2: unbiased if the
model holds), and its degrees of freedom follow Satterthwaite under the model. On a complete table
both reduce to the paired t-test on data set means, with D - 1 degrees of freedom.

With V the covariance of a data set's scores under the model and S = V - X Phi X' that of their
residuals, residuals are multiplied by the symmetric A with A S A = V. In whitened coordinates,
where S is S* = I - V^-1/2 X Phi X' V^-1/2, that takes the polar factor of S*^1/2 V.
"""

from collections.abc import Sequence

import numpy as np
from scipy.linalg import helmert

from benchinfer.analyses.mixed.numerics.moments import Patterns, Statistics
from benchinfer.analyses.mixed.numerics.optimum import ModelFit
from benchinfer.numerics.covariance import NULL, Adjusted, IndependentGroups, cluster_robust
from benchinfer.numerics.types import Array, Codes

# The kind of a group that is the only one.
_ALONE = np.zeros(1, np.int64)


def cr2_errors(
    stats: Statistics | Patterns,
    model: ModelFit,
    contrasts: Array,
    x: Array | None = None,
    domain: Codes | None = None,
    *,
    asymptotic: bool = False,
) -> Adjusted:
    """Return the CR2 covariance and degrees of freedom for a fitted score model.

    The fitted variances set the weights of the data sets; `contrasts` are (J, p), and `x` is the
    design (D, K, p), by default one mean per algorithm. Domains (D,), else data sets, are the
    independent groups. The covariance (p, p) is on the scores' scale; degrees of freedom are
    infinite if `asymptotic`.
    """
    if isinstance(stats, Patterns):
        errors = cluster_robust(_of_patterns(stats, model, x, domain), model.cov, contrasts)
        return Adjusted(errors.cov, np.full_like(errors.df, np.inf)) if asymptotic else errors
    d, k = stats.n.shape
    turn, design = np.eye(k if x is None else x.shape[2]), x
    if design is None:
        # Orthogonal contrasts keep the level of all algorithms, of which little is known where data
        # sets vary much, apart from the differences, of which much is.
        turn = helmert(k, full=True)
        design = turn.T[None]
    work = model.evaluation(stats, design)
    design = np.broadcast_to(design, (d, *design.shape[1:]))
    groups = _of_scores(stats, work.theta, design, work.beta, same=x is None)
    errors = cluster_robust(groups, work.phi, contrasts, turn.T)
    df = np.full_like(errors.df, np.inf) if asymptotic else errors.df
    return Adjusted(turn.T @ errors.cov @ turn * stats.scale**2, df)


def with_single_datasets(errors: Adjusted, contrasts: Array, sizes: Sequence[int]) -> Adjusted:
    """Return errors of levels in G domains, of which those of one data set have the pooled spread.

    One data set leaves no residual, so that `cr2_errors` adds nothing for its domain. Of n data
    sets in the others a domain of D_g has the covariance ``C_g = S_g / D_g``, the pooled one is
    ``S = sum (D_g - 1) S_g / sum (D_g - 1)``, and weights w make the variance
    ``sum w_g^2 s_g^2 / D_g + sum w_h^2 s^2``, h of one data set. Degrees of freedom follow
    Satterthwaite for equal s_g.

    Parameters
    ----------
    errors
        Covariance (p, p) of the levels, domain by domain, and degrees of freedom.
    contrasts
        (J, p) contrasts of these.
    sizes
        Numbers of data sets of the G domains; empty without levels of their own.

    References
    ----------
    Satterthwaite, F. E. (1946). An approximate distribution of estimates of variance components.
    Biometrics Bulletin 2, 110-114. https://doi.org/10.2307/3002019
    """
    n = np.array(sizes, np.float64)
    single = n == 1
    if not single.any():
        return errors
    g, k = len(n), len(errors.cov) // len(n)
    place = np.arange(g * k).reshape(g, k)
    free = n - 1
    parts = np.stack([errors.cov[np.ix_(block, block)] for block in place])
    pooled = np.einsum("g,gij->ij", free * n, parts) / free.sum()
    cov = errors.cov.copy()
    for block in place[single]:
        cov[np.ix_(block, block)] = pooled
    weight = (contrasts.reshape(-1, g, k) ** 2).sum(axis=2)
    borrowed = weight[:, single].sum(axis=1, keepdims=True) * free / free.sum()
    terms = np.where(single, 0.0, weight / n) + borrowed
    squares = (terms**2 / np.where(single, 1.0, free)).sum(axis=1)
    df = np.where(squares > 0, terms.sum(axis=1) ** 2 / np.where(squares > 0, squares, 1.0), 1.0)
    return Adjusted(cov, np.where(np.isinf(errors.df), np.inf, df))


def _of_patterns(
    stats: Patterns, model: ModelFit, x: Array | None, domain: Codes | None
) -> list[IndependentGroups]:
    """Reduce each domain, else data set, to sums for each class of blocks and algorithm."""
    d, k = len(stats.start), len(stats.offset)
    design = np.broadcast_to(np.eye(k), (d, k, k)) if x is None else x
    across = np.zeros((k, k)) if model.domain is None else model.domain
    residual = np.broadcast_to(model.residual, (d, k))
    codes = np.arange(d) if domain is None else domain
    groups: list[IndependentGroups] = []
    for code in np.unique(codes):
        # Covariances keep these sums among themselves.
        classes = np.flatnonzero(codes[stats.dataset] == code)
        c, a = np.nonzero(stats.counts[classes] > 0)
        c = classes[c]
        m, once = stats.dataset[c], np.sqrt(stats.counts[c, a])
        root = once * np.sqrt(stats.rows[c])
        shared = across[np.ix_(a, a)] + (m[:, None] == m) * model.between[np.ix_(a, a)]
        working = np.diag(residual[m, a]) + np.outer(root, root) * shared
        working += model.replication * (c[:, None] == c) * np.outer(once, once)
        value = (stats.mean[c, a] + stats.offset[a] + stats.delta[m]) * stats.scale
        own_x = root[:, None] * design[m, a]
        off = root * value - own_x @ model.beta
        groups.append(IndependentGroups(working[None], own_x[None], off[None], _ALONE))
    return groups


def _of_scores(
    stats: Statistics, theta: Array, x: Array, beta: Array, *, same: bool
) -> list[IndependentGroups]:
    """Reduce data sets to combinations of scores that their covariance keeps among themselves.

    The sums of the cells, where all blocks of a data set hold the same scores; where they do not,
    for each size of blocks also combinations of the blocks' means.
    """
    d, k = stats.n.shape
    ragged = np.zeros(d, dtype=np.bool_)
    blocks, replicated = np.zeros(d), len(stats.start) > 0 and theta[2] > 0
    if replicated:
        ragged = np.diff(np.r_[stats.start, len(stats.rows)]) > 1
        single = stats.start[~ragged]
        count, n = stats.class_n[single], stats.rows[single]
        expected = count[:, :, None] * count[:, None, :] / n[:, None, None]
        apart = np.abs(stats.cross[single] - expected).max(axis=(1, 2), initial=0.0)
        ragged[~ragged] = apart > 0.5 / n
        blocks = stats.rows[stats.start]
    even = np.flatnonzero(~ragged)
    # Data sets of one design with as many scores and blocks are of one kind.
    columns = np.column_stack([stats.n, blocks, *([] if same else [x.reshape(d, -1)])])
    _, one, kind = np.unique(columns[even], axis=0, return_index=True, return_inverse=True)
    one = even[one]
    root = np.sqrt(stats.n)
    less = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    between = theta[0] + theta[1] * np.eye(k)
    working = theta[3] * np.eye(k) + root[one, :, None] * between * root[one, None, :]
    if replicated:
        shared = stats.cross[stats.start[one]]
        working += theta[2] * less[one, :, None] * shared * less[one, None, :]
    away = stats.delta[even, None] - x[even] @ beta
    residual = less[even] * stats.total[even] + root[even] * away
    groups = [IndependentGroups(working, root[one, :, None] * x[one], residual, kind)]
    stop = np.r_[stats.start[1:], len(stats.rows)]
    for m in np.flatnonzero(ragged):
        classes = slice(stats.start[m], stop[m])
        groups.append(_of_ragged(stats, classes, theta, x[m], stats.delta[m] - x[m] @ beta))
    return [group for group in groups if len(group.design)]


def _of_ragged(
    stats: Statistics, classes: slice, theta: Array, x: Array, away: Array
) -> IndependentGroups:
    """Reduce a data set whose blocks hold different scores; the classes are its own."""
    n = stats.class_n[classes].sum(axis=0)
    held = n > 0
    less = 1 / np.sqrt(n[held])
    means, size, sums = _block_means(stats, classes)
    cross = less[:, None] * stats.cross[classes].sum(axis=0)[np.ix_(held, held)] * less
    inner = less[:, None] * means[held]
    gram = np.block([[np.eye(len(less)), inner], [inner.T, np.eye(len(size))]])
    replicated = np.block([[cross, inner * size], [(inner * size).T, np.diag(size)]])
    to_cells = np.concatenate([np.diag(np.sqrt(n))[held], means.T])
    sums = np.r_[less * stats.class_total[classes].sum(axis=0)[held], sums]
    values, vectors = np.linalg.eigh(gram)
    some = values > NULL * values[-1]
    basis = vectors[:, some] / np.sqrt(values[some])
    along = basis.T @ to_cells
    working = theta[3] * np.eye(len(along)) + theta[2] * basis.T @ replicated @ basis
    working += along @ (theta[0] + theta[1] * np.eye(len(x))) @ along.T
    return IndependentGroups(
        working[None], (along @ x)[None], (basis.T @ sums + along @ away)[None], _ALONE
    )


def _block_means(stats: Statistics, classes: slice) -> tuple[Array, Array, Array]:
    """Return orthonormal combinations of the blocks' means, class by class.

    There are as many as a class has blocks, or algorithms if these are fewer. With their (K, R)
    products with the cells, the (R,) sizes of their blocks, and (R,) products with the scores.
    """
    means: list[Array] = []
    sizes: list[Array] = []
    sums: list[Array] = []
    for count, blocks, cross, scores, moment in zip(
        stats.class_n[classes],
        stats.rows[classes],
        stats.cross[classes],
        stats.size[classes],
        stats.moment[classes],
        strict=True,
    ):
        size = max(float(scores), 1.0)  # a block may have no scores
        if blocks == 1 and scores:
            means.append(count[:, None] / np.sqrt(size))
            sizes.append(np.array([size]))
            sums.append(np.array([count @ moment / (count @ count) / np.sqrt(size)]))
            continue
        values, vectors = np.linalg.eigh(cross / size)
        some = values > NULL * max(float(values[-1]), 1e-300)
        turn = vectors[:, some] / np.sqrt(values[some])
        means.append(cross @ turn / size)
        sizes.append(np.full(turn.shape[1], size))
        sums.append(turn.T @ moment / size)
    return np.concatenate(means, axis=1), np.concatenate(sizes), np.concatenate(sums)
