"""Exact and random arrangements within blocks.

References
----------
Phipson, B. & Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical
Applications in Genetics and Molecular Biology 9, 39. https://doi.org/10.2202/1544-6115.1585

Ding, D., Gandy, A. & Hahn, G. (2020). A simple method for implementing Monte Carlo tests.
Computational Statistics 35, 1373-1392. https://doi.org/10.1007/s00180-019-00927-6
"""

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from benchinfer.analyses.permutation.numerics import nulls
from benchinfer.analyses.permutation.numerics.blocks import BlockLayout
from benchinfer.analyses.permutation.numerics.nulls import Null, PermutationProblem
from benchinfer.core.errors import FitError
from benchinfer.core.parallel import workers
from benchinfer.numerics import shuffle
from benchinfer.numerics.shuffle import Progress, ShuffleRows, Tables
from benchinfer.numerics.ties import chains
from benchinfer.numerics.types import Array, Counts

# A block with more contributions than this is not tabulated.
_TABLE = 1_000_000
# Arrangements in one call of the compiled loop, times the length of the family: a fraction of a
# second.
_VISITS = 40_000_000


def arrangements(scores: Array, layout: BlockLayout) -> tuple[float, float]:
    """Return how many arrangements there are; infinite beyond 1e300.

    Blocks that are constant count once, and equal scores within a block are not
    distinguished. An upper bound where a label occurs several times in a block.

    Parameters
    ----------
    scores
        (n,) scores.
    layout
        The blocks.

    Returns
    -------
    tuple of float
        The product over blocks, and that over all but one that has the most.
    """
    logs = _log_arrangements(scores, layout)
    everything, rest = logs.sum(), logs.sum() - logs.max(initial=0.0)
    return _exponential(everything), _exponential(rest)


def _exponential(log: float) -> float:
    return float(np.round(np.exp(log))) if log < 690 else np.inf  # e^690 is about 1e300


def _log_arrangements(scores: Array, layout: BlockLayout) -> Array:
    """Return (B,) logarithms of the number of different arrangements in each block."""
    block = layout.blocks

    def repeats(values: Array) -> Array:
        order, first = chains(values, 0.0, block)
        count = np.diff(np.append(first, len(values)))
        return np.bincount(block[order][first], gammaln(count + 1), len(layout.sizes))

    # Equal scores and equal labels overlap; the larger saving is a safe bound.
    saved = np.maximum(repeats(scores), repeats(layout.labels.astype(np.float64)))
    return gammaln(layout.sizes + 1) - saved


def _table(scores: Array, labels: Counts, k: int) -> tuple[Array, Counts]:
    """Return all contributions (m, K) of a block to the column sums and how often each occurs."""
    # A state is the labels still to be placed and the sums so far.
    left = np.bincount(labels, minlength=k).astype(np.float64)
    if gammaln(len(labels) + 1) - gammaln(left + 1).sum() > 62 * np.log(2):
        raise FitError("a block has too many arrangements to count.")
    states = np.concatenate([left, np.zeros(k)])[None, :]
    times = np.ones(1, np.int64)
    # Sorted, so that sums of equal scores are formed in the same order and come out equal.
    for value in np.sort(scores):
        source, label = np.nonzero(states[:, :k])
        states, times = states[source], times[source]
        rows = np.arange(len(states))
        states[rows, label] -= 1
        states[rows, k + label] += value
        states, back = np.unique(states, axis=0, return_inverse=True)
        merged = np.zeros(len(states), np.int64)
        np.add.at(merged, back.ravel(), times)
        times = merged
        if len(states) > _TABLE:
            raise FitError("a block has too many arrangements to list.")
    return states[:, k:], times // np.gcd.reduce(times)


def _tables(question: PermutationProblem, *, fixed: bool) -> Tables:
    """List the contributions of every block that varies; the largest stays as it is if fixed."""
    layout, k = question.layout, question.layout.n_labels
    logs = _log_arrangements(question.centred, layout)
    varying = [int(b) for b in np.argsort(logs, kind="stable") if logs[b] > 0.5]
    cut = [slice(layout.starts[b], layout.starts[b + 1]) for b in varying]
    listed = cut[:-1] if fixed else cut
    parts = [_table(question.centred[c], layout.labels[c], k) for c in listed]
    if fixed and cut:
        part = cut[-1]
        observed = np.bincount(layout.labels[part], question.centred[part], k)[None, :]
        parts.append((observed, np.ones(1, np.int64)))
    if not parts:
        parts = [(np.zeros((1, k)), np.ones(1, np.int64))]
    starts = np.cumsum([0, *(len(times) for _, times in parts)])
    sums = np.ascontiguousarray(np.concatenate([s for s, _ in parts]))
    return Tables(sums, np.concatenate([t for _, t in parts]), starts.astype(np.int64))


def exact(
    question: PermutationProblem,
    *,
    fixed: bool = False,
    limit: float = 1e6,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> Null:
    """Return p-values from all arrangements of the labels within blocks.

    Parameters
    ----------
    question
        Scores with their moments, and the contrasts.
    fixed
        Hold one block as it is: K! times less work for the overall and single-step p-values, for
        statistics that a relabelling of all blocks leaves as they are
        (`PermutationProblem.symmetric`).
    limit
        The most arrangements to go through.
    n_jobs
        Threads, as `parallel.workers` has them.
    progress
        Called with the number of arrangements just done.

    Returns
    -------
    Null
        Without errors; `n` counts equally likely arrangements.
    """
    if fixed and not question.symmetric:
        raise FitError("one block may be held fixed for complete blocks and two-sided pairs only.")
    if arrangements(question.centred, question.layout)[fixed] > max(limit, 1.0) * 1.000001:
        raise FitError(f"more than {limit:.0f} arrangements.")
    tables = _tables(question, fixed=fixed)
    sizes = np.diff(tables.starts)
    per_block = np.add.reduceat(tables.times, tables.starts[:-1])
    n_all = int(np.prod([int(size) for size in sizes], dtype=object))
    total = int(np.prod([int(times) for times in per_block], dtype=object))
    if total >= 2**62:
        raise FitError("more arrangements than can be counted.")
    family, order = nulls.compiled(question)
    step = max(1, _VISITS // (len(order) + 10))
    counts = shuffle.count_in_chunks(
        lambda first, last: shuffle.count_all(tables, family, first, last),
        (0, n_all),
        step,
        workers(n_jobs, n_all * (len(order) + 10)),
        progress,
    )
    hits, histogram = nulls.parted(counts, family)
    p = hits / total
    overall, raw, single, down = nulls.collect(p, np.zeros(len(p)), order)
    if fixed:
        return Null("exact", total, overall, None, single, None, histogram=histogram)
    return Null("exact", total, overall, raw, single, down, histogram=histogram)


# The chance that a stopped run decides otherwise than endless resampling would.
_RISK = 1e-6
_FIRST_LOOK = 1000


def monte_carlo(
    question: PermutationProblem,
    resamples: int,
    seed: int,
    *,
    alpha: float | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Null:
    """Return p-values ``(1 + #) / (N + 1)`` from random arrangements.

    Parameters
    ----------
    question
        Scores with their moments, and the contrasts.
    resamples
        N, the most that are drawn.
    seed
        Any 64-bit integer >= 0. The resample with number i is the same for every N, chunking and
        number of threads.
    alpha
        Stop as soon as every overall and adjusted p-value is on one side of alpha, with a chance of
        1e-6 that endless resampling would decide any of them otherwise; None never stops. Looks are
        after 1,000, 2,000, 4,000 ... resamples.
    n_jobs
        Threads, as `parallel.workers` has them.
    progress
        Called with the number of resamples just done.

    Returns
    -------
    Null
        With binomial standard errors.
    """
    family, order = nulls.compiled(question)
    layout, key = question.layout, np.uint64(seed)
    complete = layout.complete
    rows = ShuffleRows.of(question.centred, layout.labels, layout.starts, complete=complete)
    step = max(16, min(65536, _VISITS // max(len(question.centred), 1)))
    threads = workers(n_jobs, resamples * len(question.centred))
    counts, done = np.zeros(2 + 3 * len(order) + shuffle.BINS, np.int64), 0
    while done < resamples:
        goal = resamples if alpha is None else min(resamples, max(2 * done, _FIRST_LOOK))
        counts += shuffle.count_in_chunks(
            lambda first, last: shuffle.count_random(rows, family, key, first, last),
            (done, goal),
            step,
            threads,
            progress,
        )
        done = goal
        if alpha is not None and _certain(nulls.parted(counts, family)[0], done, alpha):
            break
    hits, histogram = nulls.parted(counts, family)
    p = (1 + hits) / (done + 1)
    overall, *others = nulls.collect(p, np.sqrt(p * (1 - p) / (done + 1)), order)
    stopped = done < resamples
    return Null("monte-carlo", done, overall, *others, stopped=stopped, histogram=histogram)


def _certain(counts: Counts, n: int, alpha: float) -> bool:
    """Return whether Robbins' confidence sequence of every watched p-value excludes alpha."""
    j = (len(counts) - 1) // 3
    x = np.concatenate([counts[:1], counts[1 + j :]]).astype(np.float64)
    choose = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    log_density = choose + xlogy(x, alpha) + xlog1py(n - x, -alpha)
    return bool((np.log(n + 1) + log_density <= np.log(_RISK / len(x))).all())
