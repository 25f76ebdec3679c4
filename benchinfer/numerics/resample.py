"""Monte Carlo null distributions: random arrangements of the labels within blocks.

References
----------
Phipson, B. & Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical
Applications in Genetics and Molecular Biology 9, 39. https://doi.org/10.2202/1544-6115.1585

Ding, D., Gandy, A. & Hahn, G. (2020). A simple method for implementing Monte Carlo tests.
Computational Statistics 35, 1373-1392. https://doi.org/10.1007/s00180-019-00927-6
"""

import os

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlog1py, xlogy

from benchinfer.numerics import nulls, shuffle
from benchinfer.numerics.nulls import Null, Question
from benchinfer.numerics.shuffle import Progress, Rows

type Counts = NDArray[np.int64]

# Row visits in one call of the compiled loop: a fraction of a second.
_VISITS = 40_000_000
# Row visits from which a second thread pays.
_SECOND = 1_000_000_000
# The chance that a stopped run decides otherwise than endless resampling would.
_RISK = 1e-6
_FIRST_LOOK = 1000


def monte_carlo(
    question: Question,
    resamples: int,
    seed: int,
    *,
    alpha: float | None = None,
    threads: int | None = None,
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
        Threads that share the work; None takes two from a second's work on, if there are two cores.
    progress
        Called with the number of resamples just done.

    Returns
    -------
    Null
        With binomial standard errors.
    """
    family, order = nulls.compiled(question)
    rows = _rows(question)
    key = np.uint64(seed)
    step = max(16, min(65536, _VISITS // max(len(question.centred), 1)))
    if threads is None:
        long = resamples * len(question.centred) >= _SECOND
        threads = min(2, os.cpu_count() or 1) if long else 1
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


def _rows(question: Question) -> Rows:
    layout = question.layout
    longest = int(layout.sizes.max(initial=1))
    return Rows(
        question.centred,
        layout.labels.astype(np.uint64),
        layout.starts.astype(np.uint64),
        layout.n_labels,
        longest,
        layout.complete,
        np.uint64(64 - longest.bit_length()),
    )


def _certain(counts: Counts, n: int, alpha: float) -> bool:
    """Whether Robbins' confidence sequence of every watched p-value excludes alpha."""
    j = (len(counts) - 1) // 3
    x = np.concatenate([counts[:1], counts[1 + j :]]).astype(np.float64)
    choose = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    log_density = choose + xlogy(x, alpha) + xlog1py(n - x, -alpha)
    return bool((np.log(n + 1) + log_density <= np.log(_RISK / len(x))).all())
