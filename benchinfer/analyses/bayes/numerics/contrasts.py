"""Sufficient statistics of contrasts for the hierarchical model.

On each data set the scores are fitted by least squares with effects of algorithms and blocks (the
replications where algorithms share them, else the one data set). With the information Laplacian
``L = Q' diag(1 / v) Q``, whose rows of Q are the contrasts that the data set identifies,

    z = Q theta_hat ~ N(Q theta, sigma^2 diag(v)),  RSS ~ sigma^2 chi2(df),  independent,

which is all that scores say of the effects theta and of sigma if block effects are free: exact for
any pattern of missing scores.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from benchinfer.core.errors import FitError
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes, Flags

_ALIKE = 1e-9  # eigenvalues this close, relatively, are one
_NOTHING = 1e-20  # residual sums of squares this small, over the contrasts', are of equal scores
_ROUNDED = 1e-4


@savable
@shaped(
    z="M J",
    design="M J J",
    variance="M J [0,inf)",
    rank="M [0,inf)",
    rss="M [0,inf)",
    df="M [0,inf)",
    balanced="M",
    dataset="M [0,inf)",
    silent="M",
    scale="(0,inf)",
)
@dataclass(frozen=True, slots=True)
class ContrastData:
    """Contrasts of K algorithms on M data sets, divided by their scale; J = K - 1."""

    # (M, J) contrasts, 0 from the rank on. The sampler also takes (C, M, J), a table for each
    # chain, and then (C, M) residuals
    z: Array
    # (M, J, J) maps the orthonormal contrasts ``helmert(K) @ theta`` to what is estimated: the
    # identity where every algorithm has as many scores, rows of 0 from the rank on
    design: Array
    variance: Array  # (M, J) variances of z in units of the residual variance, 0 from the rank on
    rank: Codes  # (M,) number of contrasts that the data set identifies
    # rss, df: (M,) residual sums of squares and their degrees of freedom
    rss: Array
    df: Array
    balanced: Flags  # (M,) whether the design is the identity and the variances are equal
    dataset: Codes  # (M,) indices of the data sets: those with scores of two algorithms
    # (M,) whether there are degrees of freedom but no residuals, as where a score is always the
    # same; residuals are then taken to be those of rounding
    silent: Flags
    scale: float  # what scores were divided by: the root mean square of the contrasts
    # Log of the pooled residual standard deviation, after division; 0 without residuals
    log_sd: float
    noisy: bool  # whether there are residuals: else interactions and noise are one

    @property
    def n_algorithms(self) -> int:
        """Number of algorithms."""
        return self.z.shape[-1] + 1


def helmert(k: int) -> Array:
    """Return (K - 1, K) orthonormal contrasts.

    Examples
    --------
    >>> h = helmert(4)
    >>> bool(np.allclose(h @ h.T, np.eye(3))), bool(np.allclose(h.sum(axis=1), 0))
    (True, True)
    """
    rows = np.tril(np.full((k - 1, k), -1.0), 0)
    index = np.arange(1, k)
    rows[index - 1, index] = index
    return rows / np.sqrt(index * (index + 1.0))[:, None]


@dataclass(frozen=True, slots=True)
class _Part:
    """Statistics of one data set, as in `ContrastData`, not divided; `balanced` as there."""

    z: Array
    design: Array
    variance: Array
    rss: float
    df: float
    balanced: bool


def reduce_contrasts(
    dataset: Codes,
    count: Codes,
    mean: Array,
    within: Array,
    correlation: float = 0.0,
    resolution: float = 0.0,
    rows: Array | None = None,
) -> ContrastData:
    """Reduce blocks of scores to contrasts and residuals of each data set.

    Parameters
    ----------
    dataset
        (R,) data set of each block, non-decreasing from 0. Where algorithms share no replications a
        data set is one block.
    count, mean
        (R, K) number of scores and their mean (any finite number where there is none).
    within
        (D,) sums of squares of repeated scores about their (block, algorithm) mean.
    correlation
        Of the scores of two replications, as their training sets overlap (Nadeau and Bengio): adds
        ``correlation / (1 - correlation)`` to the variances.
    resolution
        Unit d to which scores are rounded: where a data set has no residuals at all, they have the
        variance ``d^2 / 12`` of rounding, or 1e-4 times the pooled one, whichever is larger.
    rows
        (R,) number of blocks that each stands for; one each by default.

    Returns
    -------
    ContrastData
        Of the data sets with scores of at least two algorithms.

    References
    ----------
    Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52,
    239-281. https://doi.org/10.1023/A:1024068626366
    """
    first = np.flatnonzero(np.r_[True, np.diff(dataset) != 0, True])
    rows = np.ones(len(dataset)) if rows is None else rows
    parts = [
        _one(count[a:b].astype(np.float64), mean[a:b], float(within[dataset[a]]), rows[a:b])
        for a, b in pairwise(first)
    ]
    identified = [i for i, part in enumerate(parts) if len(part.z)]
    if not identified:
        raise FitError("no data set has scores of two algorithms.")
    extra = correlation / (1 - correlation)
    index = dataset[first[identified]]
    return _stacked([parts[i] for i in identified], index, count.shape[1], extra, resolution)


def _one(weight: Array, mean: Array, within: float, rows: Array) -> _Part:
    """Fit one data set: weights (B, K), means (B, K), and (B,) numbers of blocks for each row."""
    k, h = weight.shape[1], helmert(weight.shape[1])
    filled = weight.sum(axis=1) > 0
    weight, rows = weight[filled], rows[filled]
    mean = np.where(weight > 0, mean[filled], 0.0)
    total = weight.sum(axis=1, keepdims=True)
    centred = mean - (weight * mean).sum(axis=1, keepdims=True) / total
    root = weight / np.sqrt(total)
    laplacian = _laplacian(weight, rows)
    values, vectors = np.linalg.eigh(laplacian)
    held = values > _ALIKE * max(values[-1], 1.0)
    q, values = vectors[:, held].T, values[held]
    balanced = len(values) == k - 1 and np.ptp(values) <= _ALIKE * values[-1]
    if balanced:
        q, values = h, np.full(k - 1, values.mean())
    z = q @ (rows @ (weight * centred)) / values
    fitted = z @ q
    residual = centred - (fitted - (root / np.sqrt(total)) @ fitted[:, None])
    return _Part(
        z=z,
        design=q @ h.T,
        variance=1 / values,
        rss=float((rows @ (weight * residual**2)).sum()) + within,
        df=float(round((rows @ weight).sum() - rows.sum()) - len(values)),
        balanced=bool(balanced),
    )


def _laplacian(weight: Array, rows: Array) -> Array:
    """Return the (K, K) information on differences.

    Blocks with the same counts are added first: however they are represented, the rounding is the
    same, on which the eigenvectors of equal eigenvalues depend.
    """
    counts, kind = np.unique(weight, axis=0, return_inverse=True)
    times = np.round(np.bincount(kind.ravel(), rows))
    root = counts / np.sqrt(counts.sum(axis=1, keepdims=True))
    return np.diag(times @ counts) - (root.T * times) @ root


def _stacked(
    parts: list[_Part], dataset: Codes, k: int, extra: float, resolution: float
) -> ContrastData:
    m, j = len(parts), k - 1
    z, variance, design = np.zeros((m, j)), np.zeros((m, j)), np.zeros((m, j, j))
    for i, part in enumerate(parts):
        rank = len(part.z)
        z[i, :rank] = part.z
        variance[i, :rank] = part.variance + extra
        design[i, :rank] = np.eye(j) if part.balanced else part.design
    ranks = np.array([len(part.z) for part in parts])
    size = float(np.abs(z).max())
    scale = size * float(np.sqrt(((z / size) ** 2).sum() / ranks.sum())) if size else 0.0
    if not scale:
        raise FitError("the algorithms' means are the same on every data set.")
    df = np.array([part.df for part in parts])
    rss = np.where(df > 0, [part.rss for part in parts], 0.0) / scale**2
    # Means of equal scores are equal up to rounding errors of the machine.
    silent = (df > 0) & (rss <= _NOTHING * max(rss.max(), 1.0))
    pooled = float(rss[~silent].sum() / max(df[~silent].sum(), 1.0))
    rounded = max((resolution / scale) ** 2 / 12, _ROUNDED * pooled)
    rss = np.where(silent, df * rounded, rss)
    return ContrastData(
        z=z / scale,
        design=design,
        variance=variance,
        rank=ranks,
        rss=rss,
        df=df,
        balanced=np.array([part.balanced for part in parts]),
        dataset=dataset,
        silent=silent,
        scale=scale,
        log_sd=0.5 * float(np.log(pooled)) if pooled > 0 else 0.0,
        noisy=pooled > 0,
    )


def standardised(data: ContrastData) -> ContrastData:
    """Divide each data set's contrasts by their root mean square there.

    A data set on which algorithms differ much then counts no more than one on which they differ
    little. Where they do not differ at all on a data set, nothing is divided.

    Parameters
    ----------
    data
        Contrasts of the data sets.

    Returns
    -------
    ContrastData
        In units of the data sets' own spreads.

    Examples
    --------
    >>> from benchinfer.analyses.bayes.numerics.contrasts import reduce_contrasts
    >>> means = np.array([[0.0, 0.1], [0.0, 7.0]])
    >>> data = reduce_contrasts(np.arange(2), np.ones((2, 2), int), means, np.zeros(2))
    >>> standardised(data).z.ravel()
    array([1., 1.])
    """
    spread = np.sqrt((data.z**2).sum(axis=1) / data.rank)
    spread = np.where(spread > 0, spread, 1.0)
    z = data.z / spread[:, None]
    size = float(np.sqrt((z**2).sum() / data.rank.sum()))
    unit = spread * size
    rss = data.rss / unit**2
    pooled = float(rss[data.df > 0].sum() / max(data.df.sum(), 1.0))
    return replace(
        data,
        z=data.z / unit[:, None],
        rss=rss,
        scale=size,
        log_sd=0.5 * float(np.log(pooled)) if data.noisy and pooled > 0 else data.log_sd,
    )
