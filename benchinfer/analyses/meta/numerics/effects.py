"""Effect sizes of studies with their sampling covariance.

Each function gives a level ``l_k`` per algorithm and a covariance of the levels such that contrasts
of levels are the effects: for the mean difference ``l = m``, for the standardised difference
``l = J m / s`` and for the log ratio ``l = log m``, with ``m`` the means and ``C`` their covariance
(which holds the correlation of paired scores). By the delta method ``cov(l) = D C D`` with D the
derivatives; the error of s adds ``y_i y_j / (2 N)`` to the covariance of standardised
contrasts y, with N the number of scores behind s.

Data set d gives contrasts ``y_d = A_d (theta + u_d) + e_d``, with ``u_dk ~ N(0, tau^2 / 2)`` for
each algorithm, so that every difference has the variance tau^2 between data sets and two that share
a baseline have the correlation 1/2, and ``e_d ~ N(0, S_d)`` known. With ``G_d = A_d A_d' / 2``
there is a ``T_d`` such that ``T_d G_d T_d' = I`` and ``T_d S_d T_d' = diag(v)``: the rows
``T_d y_d`` are independent with variances ``v_i + tau^2``. A network meta-analysis thus is a
meta-regression of rows, and all that is known about that applies. It does not depend on the choice
of the baselines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import gammaln

from benchinfer.analyses.meta.numerics.pooling import NetworkPart
from benchinfer.core.errors import FitError
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.ties import rounding
from benchinfer.numerics.types import Array, Codes


@dataclass(frozen=True, slots=True)
class StudyMoments:
    """Moments of the scores of k algorithms on one data set."""

    mean: Array  # (k,) means
    # (k, k) covariance of scores of one replication; diagonal where replications are not shared
    spread: Array
    n: Array  # (k,) number of scores
    # What the overlap of training sets multiplies the variance of means with; 1 without
    inflation: float = 1.0

    @property
    def of_means(self) -> Array:
        """(k, k) covariance of the means."""
        root = np.sqrt(self.n)
        return self.inflation * self.spread / (root * root[:, None])


@dataclass(frozen=True, slots=True)
class Levels:
    """Levels whose contrasts are effects.

    Attributes
    ----------
    value
        (k,) levels.
    cov
        (k, k) covariance; where ``size`` is finite, without that of the standard deviation.
    size
        Number of scores behind the standard deviation that levels are divided by; infinite if none.
    """

    value: Array
    cov: Array
    size: float = np.inf


def moments(scores: Array, *, paired: bool, overlap: float = 0.0) -> StudyMoments:
    """Return the moments of scores.

    `scores` are (R, k), NaN where there is none, which only unpaired ones may have. With ``overlap
    = rho / (1 - rho)``, rho the correlation of replications by overlapping training sets, the
    variance of a mean of n scores is ``s^2 (1 / n + rho / (1 - rho))``.
    """
    there = np.isfinite(scores)
    n = there.sum(axis=0).astype(np.float64)
    if n.min() < 2:
        raise FitError("an algorithm has fewer than two scores.")
    mean = np.where(there, scores, 0.0).sum(axis=0) / n
    centred = np.where(there, scores - mean, 0.0)
    # The mean of equal scores may differ from them in its last digit.
    centred[np.abs(centred) <= rounding(np.abs(np.where(there, scores, 0.0)).max(axis=0))] = 0.0
    spread = centred.T @ centred / (n.min() - 1) if paired else np.diag((centred**2).sum(0))
    if not paired:
        spread = spread / (n - 1)
    # Replications of different algorithms need not be equally many: the smallest number is safe.
    return StudyMoments(mean, spread, n, 1.0 + float(n.min()) * overlap)


def with_common_variance(moments: StudyMoments, *, paired: bool) -> StudyMoments:
    """Return the moments with one variance of differences for all pairs of the data set.

    The residual variance of scores after algorithm and (if paired) replication.
    """
    k = len(moments.mean)
    centre = np.eye(k) - 1 / k
    if paired:
        trace = float(np.trace(centre @ moments.spread @ centre))
        common = trace / (k - 1) if trace > _TINY * float(np.trace(moments.spread)) else 0.0
    else:
        common = float((moments.n - 1) @ moments.spread.diagonal() / (moments.n - 1).sum())
    return StudyMoments(moments.mean, common * np.eye(k), moments.n, moments.inflation)


def residual_df(moments: StudyMoments, *, paired: bool) -> float:
    """Return the degrees of freedom of the variance that `with_common_variance` takes."""
    free = moments.n - 1
    return float(free.min() * (len(free) - 1) if paired else free.sum())


def difference(moments: StudyMoments) -> Levels:
    """Return levels whose contrasts are mean differences."""
    return Levels(moments.mean, moments.of_means)


def log_ratio(moments: StudyMoments) -> Levels:
    """Return levels whose contrasts are log ratios of means."""
    if moments.mean.min() <= 0:
        raise FitError("a mean is not positive.")
    return Levels(np.log(moments.mean), moments.of_means / np.outer(moments.mean, moments.mean))


def correction(df: float) -> float:
    """Return Hedges' factor J that takes out the bias of a standardised difference.

    Examples
    --------
    >>> round(correction(10), 6)
    0.922746
    """
    return float(np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / np.sqrt(df / 2))


def standardised(moments: StudyMoments, of_means: Array, *, paired: bool) -> Levels:
    """Return levels whose contrasts are differences in standard deviations (Hedges' g).

    The standard deviation is that of single scores, pooled over the algorithms of the data set;
    that of correlated scores has fewer degrees of freedom, ``(n - 1) tr(S)^2 / tr(S S)``.

    `of_means` (k, k) is the covariance of the means. Where replications are not shared, the pooled
    variance takes the place of the algorithms' own.

    References
    ----------
    Hedges, L. V. (1981). Distribution theory for Glass's estimator of effect size and related
    estimators. Journal of Educational Statistics 6, 107-128.
    https://doi.org/10.3102/10769986006002107

    Lajeunesse, M. J. (2011). On the meta-analysis of response ratios for studies with correlated
    and multi-group designs. Ecology 92, 2049-2055. https://doi.org/10.1890/11-0423.1

    Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52,
    239-281. https://doi.org/10.1023/A:1024068626366
    """
    free = moments.n - 1
    if paired:
        trace = float(np.trace(moments.spread))
        squares = float((moments.spread**2).sum())
        df = float(free.min()) * trace**2 / squares if squares > 0 else 0.0
        variance, size = trace / len(free), df * float(moments.n.min() / free.min())
    else:
        df = float(free.sum())
        variance, size = float(free @ moments.spread.diagonal()) / df, float(moments.n.sum())
    if variance <= 0 or df <= 1:
        raise FitError("scores do not vary, or are too few, to be standardised.")
    factor = correction(df) / np.sqrt(variance)
    if not paired:
        of_means = moments.inflation * variance * np.diag(1 / moments.n)
    # As in metafor: the sampling variance of g has no factor of J on the means' part.
    return Levels(factor * moments.mean, of_means / variance, size)


def contrasts(levels: Levels) -> tuple[Array, Array]:
    """Return (k - 1,) effects against the first algorithm, and their covariance."""
    y = levels.value[1:] - levels.value[0]
    c = levels.cov
    size = np.sqrt(c.diagonal()[1:] + c[0, 0])
    cov = _unrounded(c[1:, 1:] - c[1:, [0]] - c[[0], 1:] + c[0, 0], size * size[:, None])
    return y, cov + np.outer(y, y) / (2 * levels.size)


# Sampling variances below this share of the largest are rounding of 0.
_TINY = 1e-12


def _unrounded(values: Array, size: Array) -> Array:
    """Return values with 0 for those that are rounding of 0, in differences of this size."""
    return np.where(np.abs(values) <= _TINY * size, 0.0, values)


@savable
@shaped(arms="k [0,K)", y="j [-1e100,1e100]", cov="j j [-1e100,1e100]")
@dataclass(frozen=True, slots=True)
class Block:
    """Effects of one data set."""

    arms: Codes  # (k,) codes of its algorithms, the first one is the baseline
    y: Array  # (k - 1,) effects of the others against it
    cov: Array  # (k - 1, k - 1) their sampling covariance

    def matrix(self, k: int) -> Array:
        """Return the (k - 1, K) contrasts."""
        contrasts = np.zeros((len(self.y), k))
        contrasts[:, self.arms[0]] = -1.0
        contrasts[np.arange(len(self.y)), self.arms[1:]] = 1.0
        return contrasts

    def restricted(self, arms: Codes) -> Block:
        """Return the effects of some of the algorithms, the first of which is the baseline."""
        turn = np.zeros((len(arms) - 1, len(self.y)))
        for r, arm in enumerate(arms[1:]):
            turn[r] = (self.arms[1:] == arm).astype(np.float64) - (self.arms[1:] == arms[0])
        return Block(arms, turn @ self.y, turn @ self.cov @ turn.T)


@dataclass(frozen=True, slots=True)
class Direct:
    """Effects of one pair of algorithms where a data set holds both."""

    held: Codes  # (n,) positions of the data sets
    # y, v: (n,) effects of the first against the second, and their sampling variances
    y: Array
    v: Array


def direct(blocks: Sequence[Block], pairs: Codes, k: int) -> list[Direct]:
    """Return the direct evidence of each of (P, 2) pairs of K algorithms; -1 is in no data set."""
    if not len(pairs):
        return []
    parts: list[tuple[Codes, Codes, Array, Array]] = []
    for d, block in enumerate(blocks):
        place = np.full(k + 1, -1)  # the last one is for algorithms that are none
        place[block.arms] = np.arange(len(block.arms))
        i, j = place[pairs].T
        p = np.flatnonzero((i >= 0) & (j >= 0))
        i, j = i[p], j[p]
        # The baseline has the level 0, without error.
        level, cov = np.r_[0.0, block.y], np.pad(block.cov, ((1, 0), (1, 0)))
        size = cov.diagonal()[i] + cov.diagonal()[j]
        v = _unrounded(size - 2 * cov[i, j], size)
        parts.append((p, np.full(len(p), d), level[i] - level[j], v))
    pair, dataset, y, v = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(pair, kind="stable")
    ends = np.cumsum(np.bincount(pair, minlength=len(pairs)))[:-1]
    split = (np.split(column[order], ends) for column in (dataset, y, v))
    return [Direct(*one) for one in zip(*split, strict=True)]


@dataclass(frozen=True, slots=True)
class EffectRows:
    """Independent rows of effects."""

    y: Array  # (n,) effects
    x: Array  # (n, K) the same combinations of the algorithms' levels; rows sum to 0
    v: Array  # (n,) sampling variances; the row has ``v + tau^2``
    dataset: Codes  # (n,) position of the data set
    lifted: int  # how many variances were 0 and were set to the smallest that is not

    def part(self, extra: Array | None = None) -> NetworkPart:
        """Return the rows with the first algorithm's level set to 0, and more columns if given."""
        x = self.x[:, 1:]
        return NetworkPart(self.y, x if extra is None else np.column_stack([x, extra]), self.v)

    def without(self, dataset: int) -> EffectRows:
        """Return the rows of all data sets but one."""
        rest = self.dataset != dataset
        return EffectRows(self.y[rest], self.x[rest], self.v[rest], self.dataset[rest], self.lifted)


def rows_of(blocks: Sequence[Block], k: int) -> EffectRows:
    """Turn effects into independent rows.

    There is a block for each data set; `k` is the number of algorithms.

    References
    ----------
    Lu, G. & Ades, A. E. (2004). Combination of direct and indirect evidence in mixed treatment
    comparisons. Statistics in Medicine 23, 3105-3124. https://doi.org/10.1002/sim.1875

    Rücker, G. (2012). Network meta-analysis, electrical networks and graph theory. Research
    Synthesis Methods 3, 312-324. https://doi.org/10.1002/jrsm.1058
    """
    y: list[Array] = []
    x: list[Array] = []
    v: list[Array] = []
    for block in blocks:
        a = block.matrix(k)
        root = np.linalg.cholesky(a @ a.T / 2)
        half = solve_triangular(root, block.cov, lower=True)
        values, vectors = np.linalg.eigh(solve_triangular(root, half.T, lower=True))
        turn = vectors.T @ solve_triangular(root, np.eye(len(root)), lower=True)
        y.append(turn @ block.y)
        x.append(turn @ a)
        v.append(values)
    variances = np.concatenate(v)
    # Rounding of 0 is that of its own data set: others may be exact, or nearly useless.
    none = np.concatenate([row <= _TINY * row[-1] if len(row) > 1 else row <= 0 for row in v])
    if not none.all():
        variances = np.where(none, variances[~none].min(), variances)
    counts = [len(block.y) for block in blocks]
    dataset = np.repeat(np.arange(len(blocks)), counts)
    return EffectRows(np.concatenate(y), np.vstack(x), variances, dataset, int(none.sum()))


def together(blocks: Sequence[Block], k: int) -> Codes:
    """Return (K, K) the number of data sets that hold both algorithms."""
    there = np.zeros((len(blocks), k), np.int64)
    for row, block in zip(there, blocks, strict=True):
        row[block.arms] = 1
    return there.T @ there


def unequal_pairs(blocks: Sequence[Block], k: int) -> bool:
    """Return whether pairs differ in the number of data sets that hold both algorithms."""
    number = together(blocks, k)
    return len(np.unique(number[np.triu_indices(k, 1)])) > 1


def components(blocks: Sequence[Block], k: int) -> Codes:
    """Return (K,) codes of the connected parts of the network."""
    pairs = np.array([(b.arms[0], arm) for b in blocks for arm in b.arms[1:]]).reshape(-1, 2)
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(k, k))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def blocks_of(
    first: Codes, second: Codes, y: Array, error: Array, correlation: float | None
) -> list[Block]:
    """Turn the differences that one data set of one study reports into blocks.

    No pair (m,) comes twice; `y` and `error` (m,) are first minus second and standard errors. Each
    connected set of algorithms makes a block. Three or more algorithms need all pairs, whose
    standard errors tell the covariance, ``cov(a - c, b - c) = (v_ac + v_bc - v_ab) / 2``, or
    differences from one baseline, with the `correlation` of two of these.
    """
    arms, index = np.unique(np.r_[first, second], return_inverse=True)
    i, j = index[: len(first)], index[len(first) :]
    graph = coo_array((np.ones(len(i)), (i, j)), shape=(len(arms), len(arms)))
    part = connected_components(graph, directed=False)[1]
    blocks: list[Block] = []
    for p in range(int(part.max()) + 1):
        members, rows = np.flatnonzero(part == p), np.flatnonzero(part[i] == p)
        at = np.searchsorted(members, i[rows]), np.searchsorted(members, j[rows])
        k = len(members)
        difference, variance = np.zeros((k, k)), np.full((k, k), np.nan)
        difference[at], difference[at[::-1]] = y[rows], -y[rows]
        variance[at] = variance[at[::-1]] = error[rows] ** 2
        block = _block(difference, variance, correlation)
        blocks.append(Block(arms[members[block.arms]], block.y, block.cov))
    return blocks


def contradiction(first: Codes, second: Codes, y: Array) -> float:
    """Return how far (m,) differences of one data set are from differences of any levels."""
    arms, index = np.unique(np.r_[first, second], return_inverse=True)
    rows = np.arange(len(y))
    x = np.zeros((len(y), len(arms)))
    x[rows, index[: len(y)]], x[rows, index[len(y) :]] = 1.0, -1.0
    return float(np.abs(y - x @ np.linalg.lstsq(x, y, rcond=None)[0]).max(initial=0.0))


def _block(difference: Array, variance: Array, rho: float | None) -> Block:
    """Return the block of (k, k) differences, row minus column; variances are NaN where none is."""
    k = len(difference)
    there = np.isfinite(variance)
    if there.sum() == k * (k - 1):
        v = variance[1:, 0]
        cov = (v[:, None] + v - variance[1:, 1:]) / 2
        np.fill_diagonal(cov, v)
        if np.linalg.eigvalsh(cov)[0] < -1e-9 * v.max():
            raise FitError("no covariance has these standard errors.")
        # The mean over all paths takes out rounding.
        level = difference.sum(axis=1) / k
        return Block(np.arange(k), level[1:] - level[0], cov)
    centres = np.flatnonzero(there.sum(axis=1) == k - 1)
    if there.sum() != 2 * (k - 1) or not len(centres):
        raise FitError("neither all pairs nor all differences from one baseline.")
    if rho is None:
        raise FitError("differences from one baseline, whose correlation is not known.")
    base = int(centres[0])
    others = np.delete(np.arange(k), base)
    error = np.sqrt(variance[others, base])
    cov = np.outer(error, error) * (rho + (1 - rho) * np.eye(k - 1))
    return Block(np.r_[base, others], difference[others, base], cov)
