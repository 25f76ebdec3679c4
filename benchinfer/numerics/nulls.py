"""Null distributions of within-block statistics: exact, Monte Carlo and asymptotic.

One pass over arrangements serves all p-values: the global quadratic statistic, each contrast on its
own, the largest contrast (single step) and the step-down maxima of Westfall and Young. The adjusted
p-values control the family-wise error if all labels are exchangeable; where some labels differ,
pooled scores let a third label decide between two others.

References
----------
Westfall, P. H. & Young, S. S. (1993). Resampling-Based Multiple Testing. Wiley, algorithm 2.8.

Phipson, B. & Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical
Applications in Genetics and Molecular Biology 9, 39. https://doi.org/10.2202/1544-6115.1585

Ding, D., Gandy, A. & Hahn, G. (2020). A simple method for implementing Monte Carlo tests.
Computational Statistics 35, 1373-1392. https://doi.org/10.1007/s00180-019-00927-6
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, gammaln, log_ndtr, ndtr, xlog1py, xlogy

from benchinfer.errors import FitError
from benchinfer.numerics import permute, tukey
from benchinfer.numerics.align import Layout, midranks
from benchinfer.numerics.permute import Moments
from benchinfer.numerics.shuffle import Family, Rows, Tables, count_all, count_random

type Array = NDArray[np.float64]
type Counts = NDArray[np.int64]
type Progress = Callable[[int], None]

# Statistics this close are equal: sums of the same numbers in another order differ in the last
# digits. Counting too many ties is conservative.
_SAME = 1e-10
# A block with more contributions than this is not tabulated.
_TABLE = 1_000_000
# Row visits in one call of a compiled loop: a fraction of a second.
_VISITS = 40_000_000
# The chance that a stopped run decides otherwise than endless resampling would.
_RISK = 1e-6
_FIRST_LOOK = 1000


@dataclass(frozen=True, slots=True)
class PValues:
    """P-values and the standard errors of their evaluation (0 where exact)."""

    value: Array
    error: Array


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
    """

    kind: str
    n: float
    overall: PValues
    raw: PValues | None
    single_step: PValues
    step_down: PValues | None
    stopped: bool = False


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
        pairs = tukey.all_pairs(self.layout.n_labels)[1]
        own = np.unique(np.abs(self.contrasts), axis=0)
        balanced = bool((self.contrasts.sum(axis=1) == 0).all())
        return not len(own) or (balanced and np.array_equal(own, np.unique(abs(pairs), axis=0)))


def ask(
    scores: Array, layout: Layout, contrasts: Array, *, two_sided: bool = True
) -> Question:
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
        For `exact`, `monte_carlo` and `asymptotic`.
    """
    centred, m = permute.center(scores, layout), permute.moments(scores, layout)
    return Question(centred, layout, m, contrasts, two_sided)


def _family(question: Question) -> tuple[Family, Counts]:
    """Return the compiled form of the family and the order of its contrasts."""
    rows = permute.scaled(question.moments.cov, question.contrasts)
    z = np.abs(question.observed) if question.two_sided else question.observed
    order = np.argsort(-z, kind="stable")
    at, columns = np.nonzero(rows[order])
    starts = np.searchsorted(at, np.arange(len(rows) + 1)).astype(np.int64)
    x2 = permute.quadratic(question.moments).statistic
    family = Family(
        np.ascontiguousarray(permute.root(question.moments.cov)),
        starts,
        columns.astype(np.int64),
        rows[order][at, columns],
        question.two_sided,
        x2 - _SAME * max(1.0, x2),
        z[order] - _SAME * np.maximum(1.0, np.abs(z[order])),
    )
    return family, order


def _sum_counts(
    count: Callable[[int, int], Counts],
    ends: tuple[int, int],
    step: int,
    threads: int,
    progress: Progress | None,
) -> Counts:
    """Add up the counts of chunks; integers, so neither their order nor their size matters."""
    firsts = range(*ends, step)

    def chunk(first: int) -> tuple[int, Counts]:
        last = min(first + step, ends[1])
        return last - first, count(first, last)

    parts: list[Counts] = []
    with ThreadPoolExecutor(threads) as pool:
        for done, part in pool.map(chunk, firsts) if threads > 1 else map(chunk, firsts):
            parts.append(part)
            if progress is not None:
                progress(done)
    return np.sum(parts, axis=0)


def _split(p: Array, error: Array, order: Counts) -> list[PValues]:
    """Return overall, raw, single-step and step-down p-values in the family's own order."""
    n = len(order)
    back = np.empty(n, np.int64)
    back[order] = np.arange(n)
    groups = [PValues(p[0], error[0])]
    for i in range(3):
        at = slice(1 + i * n, 1 + (i + 1) * n)
        groups.append(PValues(p[at][back], error[at][back]))
    return groups


def _monotone(counts: Counts) -> Counts:
    """Make the step-down counts grow along the order of significance."""
    n = (len(counts) - 1) // 3
    counts = counts.copy()
    counts[1 + 2 * n :] = np.maximum.accumulate(counts[1 + 2 * n :])
    return counts


def monte_carlo(
    question: Question,
    resamples: int,
    seed: int,
    *,
    alpha: float | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Null:
    """Return p-values ``(1 + #) / (N + 1)`` from random arrangements.

    Parameters
    ----------
    question
        From `ask`.
    resamples
        N, the most that are drawn.
    seed
        Any 64-bit integer >= 0. The resample with number i is the same for every N, chunking and
        number of threads.
    alpha
        Stop as soon as every overall and adjusted p-value is on one side of alpha, with a chance of
        1e-6 that endless resampling would decide any of them otherwise; None never stops. Looks are
        after 1,000, 2,000, 4,000 ... resamples.
    threads
        Threads that share the work.
    progress
        Called with the number of resamples just done.

    Returns
    -------
    Null
        With binomial standard errors.
    """
    family, order = _family(question)
    layout, n = question.layout, len(question.centred)
    counts = np.zeros(1 + 3 * len(order), np.int64)
    if not n:
        counts += resamples
        done = resamples
    else:
        bits = np.uint64(64 - int(layout.sizes.max()).bit_length())
        words = layout.labels.astype(np.uint64), layout.starts.astype(np.uint64)
        rows = Rows(question.centred, *words, layout.n_labels, bits)
        key = np.uint64(seed)
        step, done = max(16, min(65536, _VISITS // n)), 0
        while done < resamples:
            goal = resamples if alpha is None else min(resamples, max(2 * done, _FIRST_LOOK))
            counts += _sum_counts(
                lambda first, last: count_random(rows, family, key, first, last),
                (done, goal),
                step,
                threads,
                progress,
            )
            done = goal
            if alpha is not None and _certain(_monotone(counts), done, alpha):
                break
    p = (1 + _monotone(counts)) / (done + 1)
    overall, *others = _split(p, np.sqrt(p * (1 - p) / (done + 1)), order)
    return Null("monte-carlo", done, overall, *others, stopped=done < resamples)


def _certain(counts: Counts, n: int, alpha: float) -> bool:
    """Whether Robbins' confidence sequence of every watched p-value excludes alpha."""
    j = (len(counts) - 1) // 3
    x = np.concatenate([counts[:1], counts[1 + j :]]).astype(np.float64)
    choose = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    log_density = choose + xlogy(x, alpha) + xlog1py(n - x, -alpha)
    return bool((np.log(n + 1) + log_density <= np.log(_RISK / len(x))).all())


def arrangements(scores: Array, layout: Layout, *, fixed: bool = False) -> float:
    """Return how many arrangements `exact` would go through; infinite beyond 1e300.

    Blocks that are constant count once, and scores that are equal within a block are not told
    apart. An upper bound where a label occurs several times in a block.

    Parameters
    ----------
    scores
        (n,) scores.
    layout
        The blocks.
    fixed
        Whether one block is held fixed.

    Returns
    -------
    float
        The product over blocks.
    """
    logs = _log_arrangements(scores, layout)
    total = logs.sum() - (logs.max(initial=0.0) if fixed else 0.0)
    return float(np.round(np.exp(total))) if total < 690 else np.inf


def _log_arrangements(scores: Array, layout: Layout) -> Array:
    """Return (B,) logarithms of the number of different arrangements in each block."""
    same = midranks(scores, np.zeros(len(scores)), layout.blocks).values

    def repeats(code: Array) -> Array:
        keys, count = np.unique(np.column_stack([layout.blocks, code]), axis=0, return_counts=True)
        return np.bincount(keys[:, 0].astype(np.int64), gammaln(count + 1), len(layout.sizes))

    by_score, by_label = repeats(same), repeats(layout.labels)
    # Equal scores and equal labels overlap; the larger saving is a safe bound.
    return gammaln(layout.sizes + 1) - np.maximum(by_score, by_label)


def _table(scores: Array, labels: Counts, k: int) -> tuple[Array, Counts]:
    """Return all contributions (m, K) of a block to the column sums and how often each occurs."""
    # A state is the labels still to be placed and the sums so far.
    states = np.concatenate([np.bincount(labels, minlength=k), np.zeros(k)])[None, :]
    times = np.ones(1, np.int64)
    for value in scores:
        source, label = np.nonzero(states[:, :k])
        states, times = states[source], times[source]
        rows = np.arange(len(states))
        states[rows, label] -= 1
        states[rows, k + label] += value
        states, back = np.unique(states, axis=0, return_inverse=True)
        times = np.bincount(back.ravel(), times, len(states)).astype(np.int64)
        if len(states) > _TABLE:
            raise FitError("a block has too many arrangements to list.")
    return states[:, k:], times // np.gcd.reduce(times)


def _tables(question: Question, *, fixed: bool) -> Tables:
    """List the contributions of every block that varies; the largest stays as it is if fixed."""
    layout, k = question.layout, question.layout.n_labels
    varying = np.flatnonzero(_log_arrangements(question.centred, layout) > 0.5)
    cut = [slice(layout.starts[b], layout.starts[b + 1]) for b in varying]
    cut.sort(key=lambda part: part.stop - part.start)
    listed = cut[:-1] if fixed else cut
    parts = [_table(question.centred[c], layout.labels[c], k) for c in listed]
    if fixed and cut:
        part = cut[-1]
        own = np.bincount(layout.labels[part], question.centred[part], k)[None, :]
        parts.append((own, np.ones(1, np.int64)))
    if not parts:
        parts = [(np.zeros((1, k)), np.ones(1, np.int64))]
    starts = np.cumsum([0, *(len(times) for _, times in parts)])
    sums = np.ascontiguousarray(np.concatenate([s for s, _ in parts]))
    return Tables(sums, np.concatenate([t for _, t in parts]), starts.astype(np.int64))


def exact(
    question: Question,
    *,
    fixed: bool = False,
    limit: float = 1e6,
    threads: int = 1,
    progress: Progress | None = None,
) -> Null:
    """Return p-values from all arrangements of the labels within blocks.

    Parameters
    ----------
    question
        From `ask`.
    fixed
        Hold one block as it is: K! times less work for the overall and single-step p-values, for
        statistics that a relabelling of all blocks leaves as they are (`Question.symmetric`).
    limit
        The most arrangements to go through.
    threads
        Threads that share the work.
    progress
        Called with the number of arrangements just done.

    Returns
    -------
    Null
        Without errors; `n` counts equally likely arrangements.

    Raises
    ------
    FitError
        A block may not be fixed, or there are too many arrangements.
    """
    if fixed and not question.symmetric:
        raise FitError(
            "one block may be held fixed for complete blocks and two-sided pairs only."
        )
    if arrangements(question.centred, question.layout, fixed=fixed) > max(limit, 1.0) * 1.000001:
        raise FitError(f"more than {limit:.0f} arrangements.")
    tables = _tables(question, fixed=fixed)
    sizes = np.diff(tables.starts)
    per_block = np.add.reduceat(tables.times, tables.starts[:-1])
    n_all = int(np.prod([int(size) for size in sizes], dtype=object))
    total = int(np.prod([int(times) for times in per_block], dtype=object))
    if total >= 2**62:
        raise FitError("more arrangements than can be counted.")
    family, order = _family(question)
    step = max(1, _VISITS // (len(order) + 10))
    counts = _sum_counts(
        lambda first, last: count_all(tables, family, first, last),
        (0, n_all),
        step,
        threads,
        progress,
    )
    p = _monotone(counts) / total
    overall, raw, single, down = _split(p, np.zeros(len(p)), order)
    if fixed:
        return Null("exact", total, overall, None, single, None)
    return Null("exact", total, overall, raw, single, down)


def asymptotic(question: Question) -> Null:
    """Return p-values of the normal limit: chi-squared, normal, and the largest of normals.

    Closed forms (no error) for all pairs in complete blocks and for equally correlated contrasts,
    such as comparisons with a control; otherwise with the error of `tukey.survival`. One-sided
    families need equal correlations.

    Raises
    ------
    FitError
        One-sided contrasts of unequal correlations: use `monte_carlo`.
    """
    test = permute.quadratic(question.moments)
    z = question.observed
    cov = question.moments.cov
    scaled = permute.scaled(cov, question.contrasts)
    held = np.flatnonzero((scaled != 0).any(axis=1))
    raw = np.ones(len(z))
    raw[held] = chdtrc(1, z[held] ** 2) if question.two_sided else ndtr(-z[held])
    single, error = raw.copy(), np.zeros(len(z))
    if len(held) > 1:
        correlation = scaled[held] @ cov @ scaled[held].T
        off = correlation[np.triu_indices(len(held), 1)]
        if off.min() >= 0 and np.ptp(off) < 1e-9 and off.max() < 1 - 1e-9:
            single[held] = _equicorrelated(
                z[held], len(held), float(off.mean()), two_sided=question.two_sided
            )
        elif question.two_sided:
            family = tukey.max_t(question.contrasts[held], cov, np.inf)
            single[held], error[held] = tukey.survival(family, np.abs(z[held]))
        else:
            raise FitError("one-sided contrasts of unequal correlations have no closed form.")
    zero = np.zeros(len(z))
    overall = PValues(np.array(test.p_value), np.array(0.0))
    return Null(
        "asymptotic", np.inf, overall, PValues(raw, zero), PValues(single, error), None
    )


def _equicorrelated(z: Array, j: int, rho: float, *, two_sided: bool) -> Array:
    """Return ``P(max > z)`` of j normals of correlation rho: ``sqrt(rho) u + sqrt(1 - rho) e``.

    The chance that none of the e is beyond, given u, is a power; one minus it is formed without
    cancellation, and the trapezoidal rule integrates over u.
    """
    c = np.abs(z) if two_sided else z
    points, back = np.unique(c, return_inverse=True)
    u = np.arange(-40.0, 40.0, 0.04)
    own = np.sqrt(1 - rho)
    beyond = np.exp(log_ndtr((np.sqrt(rho) * u - points[:, None]) / own))
    if two_sided:
        beyond = beyond + np.exp(log_ndtr((-np.sqrt(rho) * u - points[:, None]) / own))
    any_beyond = -np.expm1(j * np.log1p(-np.minimum(beyond, 1 - 1e-16)))
    density = np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)
    return np.minimum((any_beyond @ density) * 0.04, 1.0)[back]
