"""Null distributions of permutation statistics.

If every arrangement of the labels within each block is equally likely, the column sums of the
scores have a known mean and covariance. All tests within blocks are functions of these sums, for
complete and incomplete blocks and for blocks in which a label occurs several times.

One pass over arrangements gives all p-values: the global quadratic statistic, each contrast on its
own, the largest contrast (single step) and the step-down maxima of Westfall and Young. The adjusted
p-values control the family-wise error if all labels are exchangeable; otherwise, pooled scores let
a third label influence the test of two others.

References
----------
Strasser, H. & Weber, C. (1999). On the asymptotic theory of permutation statistics. Mathematical
Methods of Statistics 8, 220-250.

Westfall, P. H. & Young, S. S. (1993). Resampling-Based Multiple Testing. Wiley, algorithm 2.8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import chdtrc, chdtri, ndtr

from benchinfer.analyses.permutation.numerics.blocks import BlockLayout, block_means, center
from benchinfer.numerics import max_t
from benchinfer.numerics.covariance import all_pairs, contrast_variances
from benchinfer.numerics.shuffle import BINS, ShuffleStatistics
from benchinfer.numerics.types import Array, Counts

# A variance below this, relative to the largest, is zero.
_ZERO = 1e-10


@dataclass(frozen=True, slots=True)
class PermutationMoments:
    """Column sums and their moments under permutation within blocks."""

    total: Array  # (K,) sum of the scores of each label
    deviation: Array  # (K,) `total` minus its expectation
    cov: Array  # (K, K) covariance; rows sum to zero


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


def moments(scores: Array, layout: BlockLayout) -> PermutationMoments:
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
    >>> from benchinfer.analyses.permutation.numerics.blocks import lay_out
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
    return PermutationMoments(
        np.bincount(layout.labels, scores, minlength=k),
        np.bincount(layout.labels, centred, minlength=k),
        np.diag(diagonal) - (count.T @ weighted).toarray(),
    )


def root(cov: Array) -> Array:
    """Return (rank, K) R with ``R' R`` the pseudo-inverse of the covariance."""
    values, vectors = np.linalg.eigh(cov)
    held = values > _ZERO * max(values[-1], 0.0)
    return (vectors[:, held] / np.sqrt(values[held])).T


def quadratic(m: PermutationMoments) -> GlobalTest:
    """Return ``(T - E)' Cov^+ (T - E)`` with its asymptotic chi-squared p-value.

    On within-block ranks this is Friedman's statistic with tie correction, on aligned ranks that of
    Hodges and Lehmann.
    """
    half = root(m.cov)
    statistic = float(((half @ m.deviation) ** 2).sum())
    p = float(chdtrc(len(half), statistic)) if len(half) else 1.0
    return GlobalTest(statistic, (len(half),), p)


def standardized(m: PermutationMoments, contrasts: Array) -> Array:
    """Return (J,) ``C (T - E)`` over its standard deviation, 0 where that is zero."""
    return scaled_contrasts(m.cov, contrasts) @ m.deviation


def scaled_contrasts(cov: Array, contrasts: Array) -> Array:
    """Return (J, K) contrasts over the standard deviation of their statistic; 0 where it is 0."""
    variance = contrast_variances(contrasts, cov)
    size = (contrasts**2).sum(axis=1) * np.diag(cov).max(initial=0.0)
    held = variance > _ZERO * size
    scale = np.sqrt(np.where(held, variance, 1.0))
    return np.where(held[:, None], contrasts / scale[:, None], 0.0)


# Statistics this close are equal: sums of the same numbers in another order differ in the last
# digits. Counting too many ties is conservative.
_SAME = 1e-10
# The histogram ends where chi-squared has this much beyond.
_BEYOND = 1e-5


@dataclass(frozen=True, slots=True)
class PValues:
    """P-values and the standard errors of their evaluation (0 where exact)."""

    value: Array
    error: Array


@dataclass(frozen=True, slots=True)
class Histogram:
    """Of the global statistic over arrangements or resamples."""

    width: float  # of each bin; the first one begins at 0
    counts: Counts  # how many fell into each; the last one is of all that lie beyond


@dataclass(frozen=True, slots=True)
class Null:
    """P-values of a global test and of a family of J contrasts."""

    kind: str  # ``"exact"``, ``"monte-carlo"`` or ``"asymptotic"``
    # Arrangements (all, if exact) or resamples behind each p-value; infinite if asymptotic, or
    # where they are counted by their sums
    n: float
    overall: PValues  # () of the quadratic statistic
    raw: PValues | None  # (J,) of each contrast; None where one block was held fixed
    # (J,) adjusted by the distribution of the largest contrast; the smallest is the p-value of the
    # maximum test
    single_step: PValues
    # (J,) Westfall and Young's; None where a block was held fixed or if asymptotic
    step_down: PValues | None
    stopped: bool = False  # whether resampling ended early because all decisions were certain
    # Of the quadratic statistic; None if asymptotic, or where sums are counted
    histogram: Histogram | None = None


@dataclass(frozen=True, slots=True)
class PermutationProblem:
    """Centred scores with their moments, the contrasts and their direction."""

    centred: Array  # (n,) from `blocks.center`
    layout: BlockLayout  # b blocks, K labels
    moments: PermutationMoments  # of these scores
    # (J, K), such as ``all_pairs(k)[1]``; rows sum to zero, or not (a label against the mean of
    # all). May have no rows. A contrast without variance gets p = 1
    contrasts: Array
    two_sided: bool  # whether absolute values count; else large values do

    @staticmethod
    def of(
        scores: Array, layout: BlockLayout, contrasts: Array, *, two_sided: bool = True
    ) -> PermutationProblem:
        """Return the problem of (n,) scores in the order of the layout, as from `blocks.score`."""
        centred, m = center(scores, layout), moments(scores, layout)
        return PermutationProblem(centred, layout, m, contrasts, two_sided)

    @property
    def observed(self) -> Array:
        """(J,) standardised statistics."""
        return standardized(self.moments, self.contrasts)

    @property
    def symmetric(self) -> bool:
        """True if one relabelling of all blocks changes nothing, so that one block may be fixed."""
        if not (self.layout.complete and self.two_sided):
            return False
        contrasts = np.unique(np.abs(self.contrasts), axis=0)
        k = self.layout.n_labels
        if len(contrasts) != k * (k - 1) // 2:
            return not len(contrasts)
        balanced = bool((self.contrasts.sum(axis=1) == 0).all())
        return balanced and np.array_equal(contrasts, np.unique(abs(all_pairs(k)[1]), axis=0))


def compiled(question: PermutationProblem) -> tuple[ShuffleStatistics, Counts]:
    """Return the compiled form of the family and the order of its contrasts."""
    rows = scaled_contrasts(question.moments.cov, question.contrasts)
    z = np.abs(question.observed) if question.two_sided else question.observed
    order = np.argsort(-z, kind="stable")
    at, columns = np.nonzero(rows[order])
    starts = np.searchsorted(at, np.arange(len(rows) + 1)).astype(np.int64)
    test = quadratic(question.moments)
    x2 = test.statistic
    family = ShuffleStatistics(
        np.ascontiguousarray(root(question.moments.cov)),
        starts,
        columns.astype(np.int64),
        rows[order][at, columns],
        question.two_sided,
        x2 - _SAME * max(1.0, x2),
        z[order] - _SAME * np.maximum(1.0, np.abs(z[order])),
        BINS / float(chdtri(max(test.df[0], 1), _BEYOND)),
    )
    return family, order


def parted(counts: Counts, family: ShuffleStatistics) -> tuple[Counts, Histogram]:
    """Split what the compiled loops count; step-down counts grow along the significance."""
    hits = counts[: -BINS - 1].copy()
    n = (len(hits) - 1) // 3
    hits[1 + 2 * n :] = np.maximum.accumulate(hits[1 + 2 * n :])
    return hits, Histogram(1 / family.per_unit, counts[-BINS - 1 :])


def collect(p: Array, error: Array, order: Counts) -> list[PValues]:
    """Return overall, raw, single-step and step-down p-values in the order they were requested."""
    n = len(order)
    back = np.empty(n, np.int64)
    back[order] = np.arange(n)
    groups = [PValues(p[0], error[0])]
    for i in range(3):
        at = slice(1 + i * n, 1 + (i + 1) * n)
        groups.append(PValues(p[at][back], error[at][back]))
    return groups


def asymptotic(question: PermutationProblem) -> Null:
    """Return p-values of the normal limit: chi-squared, normal, and the largest of normals.

    The error is that of `max_t.survival`: none for all pairs in complete blocks and for comparisons
    with a control.
    """
    test = quadratic(question.moments)
    z = question.observed
    cov = question.moments.cov
    scaled = scaled_contrasts(cov, question.contrasts)
    held = np.flatnonzero((scaled != 0).any(axis=1))
    raw = np.ones(len(z))
    raw[held] = chdtrc(1, z[held] ** 2) if question.two_sided else ndtr(-z[held])
    single, error = raw.copy(), np.zeros(len(z))
    if len(held) > 1:
        sides = 2 if question.two_sided else 1
        family = max_t.max_t(question.contrasts[held], cov, np.inf, sides=sides)
        largest = np.abs(z[held]) if question.two_sided else z[held]
        single[held], error[held] = max_t.survival(family, largest)
    zero = np.zeros(len(z))
    overall = PValues(np.array(test.p_value), np.array(0.0))
    return Null("asymptotic", np.inf, overall, PValues(raw, zero), PValues(single, error), None)
