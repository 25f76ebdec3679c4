"""What a permutation test within blocks asks, and the p-values it gets.

One pass over arrangements serves all p-values: the global quadratic statistic, each contrast on its
own, the largest contrast (single step) and the step-down maxima of Westfall and Young. The adjusted
p-values control the family-wise error if all labels are exchangeable; where some labels differ,
pooled scores let a third label decide between two others.

References
----------
Westfall, P. H. & Young, S. S. (1993). Resampling-Based Multiple Testing. Wiley, algorithm 2.8.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from benchinfer.numerics import permute, tukey
from benchinfer.numerics.layout import Layout, center
from benchinfer.numerics.permute import Moments
from benchinfer.numerics.shuffle import BINS, Family

type Array = NDArray[np.float64]
type Counts = NDArray[np.int64]

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
    """Of the global statistic over arrangements or resamples.

    Attributes
    ----------
    width
        Of each bin; the first one begins at 0.
    counts
        How many fell into each; the last one is of all that lie beyond.
    """

    width: float
    counts: Counts


@dataclass(frozen=True, slots=True)
class Null:
    """P-values of a global test and of a family of J contrasts.

    Attributes
    ----------
    kind
        ``"exact"``, ``"monte-carlo"`` or ``"asymptotic"``.
    n
        Arrangements (all, if exact) or resamples behind each p-value; infinite if asymptotic.
    overall
        () of the quadratic statistic.
    raw
        (J,) of each contrast; None where one block was held fixed.
    single_step
        (J,) adjusted by the distribution of the largest contrast; the smallest is the p-value of
        the maximum test.
    step_down
        (J,) Westfall and Young's; None where a block was held fixed or if asymptotic.
    stopped
        Whether resampling ended early because all decisions were certain.
    histogram
        Of the quadratic statistic; None if asymptotic.
    """

    kind: str
    n: float
    overall: PValues
    raw: PValues | None
    single_step: PValues
    step_down: PValues | None
    stopped: bool = False
    histogram: Histogram | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is tested: scores centred in their blocks, their moments, contrasts and direction.

    Attributes
    ----------
    centred
        (n,) from `permute.center`.
    layout
        B blocks, K labels.
    moments
        Of these scores.
    contrasts
        (J, K); rows sum to zero, or not (a label against the mean of all). May have no rows.
    two_sided
        Whether absolute values count; else large values do.
    """

    centred: Array
    layout: Layout
    moments: Moments
    contrasts: Array
    two_sided: bool

    @property
    def observed(self) -> Array:
        """(J,) standardised statistics."""
        return permute.standardized(self.moments, self.contrasts)

    @property
    def symmetric(self) -> bool:
        """Whether relabelling all blocks alike changes nothing, so that one block may be fixed."""
        if not (self.layout.complete and self.two_sided):
            return False
        own = np.unique(np.abs(self.contrasts), axis=0)
        k = self.layout.n_labels
        if len(own) != k * (k - 1) // 2:
            return not len(own)
        balanced = bool((self.contrasts.sum(axis=1) == 0).all())
        return balanced and np.array_equal(own, np.unique(abs(tukey.all_pairs(k)[1]), axis=0))


def ask(scores: Array, layout: Layout, contrasts: Array, *, two_sided: bool = True) -> Question:
    """Gather what a null distribution needs.

    Parameters
    ----------
    scores
        (n,) from `align.score`.
    layout
        The blocks.
    contrasts
        (J, K), for example ``tukey.all_pairs(k)[1]``. A contrast without variance gets p = 1.
    two_sided
        False for large values of the contrasts only.

    Returns
    -------
    Question
        For `arrangements.exact`, `resample.monte_carlo` and `limits.asymptotic`.
    """
    centred, m = center(scores, layout), permute.moments(scores, layout)
    return Question(centred, layout, m, contrasts, two_sided)


def compiled(question: Question) -> tuple[Family, Counts]:
    """Return the compiled form of the family and the order of its contrasts."""
    rows = permute.scaled(question.moments.cov, question.contrasts)
    z = np.abs(question.observed) if question.two_sided else question.observed
    order = np.argsort(-z, kind="stable")
    at, columns = np.nonzero(rows[order])
    starts = np.searchsorted(at, np.arange(len(rows) + 1)).astype(np.int64)
    test = permute.quadratic(question.moments)
    x2 = test.statistic
    family = Family(
        np.ascontiguousarray(permute.root(question.moments.cov)),
        starts,
        columns.astype(np.int64),
        rows[order][at, columns],
        question.two_sided,
        x2 - _SAME * max(1.0, x2),
        z[order] - _SAME * np.maximum(1.0, np.abs(z[order])),
        BINS / float(chdtri(max(test.df[0], 1), _BEYOND)),
    )
    return family, order


def parted(counts: Counts, family: Family) -> tuple[Counts, Histogram]:
    """Split what the compiled loops count; step-down counts grow along the significance."""
    return monotone(counts[: -BINS - 1]), Histogram(1 / family.per_unit, counts[-BINS - 1 :])


def collect(p: Array, error: Array, order: Counts) -> list[PValues]:
    """Return overall, raw, single-step and step-down p-values in the order they were asked for."""
    n = len(order)
    back = np.empty(n, np.int64)
    back[order] = np.arange(n)
    groups = [PValues(p[0], error[0])]
    for i in range(3):
        at = slice(1 + i * n, 1 + (i + 1) * n)
        groups.append(PValues(p[at][back], error[at][back]))
    return groups


def monotone(counts: Counts) -> Counts:
    """Make the step-down counts grow along the order of significance."""
    n = (len(counts) - 1) // 3
    counts = counts.copy()
    counts[1 + 2 * n :] = np.maximum.accumulate(counts[1 + 2 * n :])
    return counts
