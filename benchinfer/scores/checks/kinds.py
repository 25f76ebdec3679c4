"""Kinds of scores: 0 or 1, counts out of n, ranks, scores piled up on a bound."""

import re

import numpy as np

from benchinfer.core.numbers import count
from benchinfer.numerics.types import Array
from benchinfer.scores.checks.facts import Facts, Rule, rows_finding
from benchinfer.scores.checks.gaps import Analysis
from benchinfer.scores.coverage import Finding
from benchinfer.scores.rows.summary import Summary

ZERO_ONE = "0/1 scores"
WHOLE = "whole numbers"
RANKS = "ranks"
PILED = "scores on a bound"
BINOMIAL = Analysis("bayes", ("likelihood", "binomial"))
RANKED = Analysis("permutation", ("on", "values"))
# Share of the scores on a bound from which a model without the bound is another one.
_PILED = 0.1
_MOST_TRIALS = 1000
_SOME = 20  # shares that are tried first
_FIRST = 500  # data sets that are looked at in any case
_CHANCE = 1e-4
# Names of measures that are shares, and percentages where they exceed 1.
_SHARE = re.compile(
    r"acc|auc|\bf1|precision|recall|percent|pct|rate|share|%|map\b|exact|match|em\b"
)


def zero_one(summary: Summary, m: int) -> bool:
    """Return whether all scores of a measure are 0 or 1, and both occur.

    Within 0 and 1 a score is at least its square, and equal to it at 0 and 1 only, so that mean and
    squares of the cells suffice.
    """
    held = summary.n[m] > 0
    if not (summary.minimum[m, held].min() == 0 and summary.maximum[m, held].max() == 1):
        return False
    n, mean = summary.n[m, held], summary.mean[m, held]
    return bool((np.abs(n * mean * (1 - mean) - summary.squares[m, held]) <= 1e-9 * n).all())


def all_ranks(summary: Summary, m: int) -> bool:
    """Return whether the scores of each replication are the ranks of the algorithms."""
    n, k = summary.n[m], len(summary.algorithms)
    held = n.any(axis=1)
    n, mean = n[held], summary.mean[m, held]
    complete = (n == n[:, :1]).all(axis=1)  # gaps take ranks away, and change no other one
    if k < 3 or n[complete, 0].sum() < 3 or complete.sum() < len(n) / 2:
        return False
    ends = np.stack([summary.minimum[m, held], summary.maximum[m, held]])
    half = (ends >= 1) & (ends <= k) & (2 * ends == np.round(2 * ends)) | np.isnan(ends)
    sums = np.abs(mean[complete].sum(axis=1) - k * (k + 1) / 2)
    return bool(half.all() and np.nanmin(ends) < np.nanmax(ends) and (sums <= 1e-6 * k).all())


def zero_one_scores(facts: Facts) -> Finding | None:
    """Report measures whose scores are all 0 or 1."""
    s = facts.summary
    binary = [m for m in range(len(s.measures)) if zero_one(s, m)]
    n = s.n[binary].sum(axis=(1, 2))
    rows = [
        (s.measures[m], count, f"{(s.n[m] * np.nan_to_num(s.mean[m])).sum() / count:.3g}")
        for m, count in zip(binary, n, strict=True)
    ]
    hint = (
        "compare_pair tests algorithms on the same items exactly (McNemar's test);"
        ' interval="wilson" of describe gives intervals of the rates.'
        if len(s.datasets) == 1
        else "compare_mixed takes the rates of the data sets as scores,"
        f" per_dataset(compare_pair, scores) tests each data set exactly, and {BINOMIAL} models"
        " the items."
    )
    what = f"the scores of {', '.join(s.measures[m] for m in binary)} are 0 or 1."
    header = ("measure", "scores", "share of 1")
    return rows_finding(ZERO_ONE, "note", what, header, rows, hint)


def ranks(facts: Facts) -> Finding | None:
    """Report measures whose scores are ranks of the algorithms."""
    s = facts.summary
    ranked = [m for m in range(len(s.measures)) if all_ranks(s, m)]
    if not ranked:
        return None
    what = f"the scores of {', '.join(s.measures[m] for m in ranked)} are ranks of the algorithms."
    return Finding(
        RANKS,
        "note",
        int(s.n[ranked].sum()),
        what,
        (),
        "ranks say nothing of how far algorithms are apart, and the rank of each depends on all"
        f" others: compare the scores that were ranked; of ranks alone, {RANKED}.",
    )


def trials(values: Array) -> int:
    """Return the smallest n for which rounded shares are multiples of 1 / n; 0 if there is none.

    Numbers of few decimals are multiples of something by chance: only an n counts that so many of
    them would hardly share.

    Examples
    --------
    >>> trials(np.round(np.array([140, 131, 99, 17, 5]) / 164, 4))
    164
    >>> trials(np.array([0.87, 0.31, 0.5, 0.66, 0.93, 0.42]))
    0
    """
    inner = np.unique(values[(values > 0) & (values < 1)])
    if len(inner) < 3:
        return 0
    decimals = next((k for k in range(1, 12) if abs(inner - inner.round(k)).max() <= 1e-13), 12)
    half = 0.5 * 10.0**-decimals
    n = np.arange(2, _MOST_TRIALS + 1)[:, None]
    for some in (inner[:_SOME], inner[_SOME:]):  # few numbers leave few n
        near = np.abs(some - np.round(some * n) / n) <= half * (1 + 1e-6) + 1e-12
        n = n[near.all(axis=1)]
    fits = n[:, 0].astype(np.float64)
    # All smaller n could have fitted as well, each value with probability 2 half n.
    rare = fits * np.minimum(1.0, 2 * half * fits) ** len(inner) < _CHANCE
    return int(fits[0]) if len(fits) and rare[0] else 0


def counts_out_of(facts: Facts) -> Finding | None:
    """Report data sets whose single scores are shares of a number of trials.

    Replicated scores, such as those of folds, are not examined, nor are further data sets where
    the first ones have no such shares.
    """
    s = facts.summary
    rows: list[tuple[object, ...]] = []
    for m, measure in enumerate(s.measures):
        low, high = s.ends[m]
        if s.n[m].max() > 1 or not 0 <= low < high <= 100 or zero_one(s, m) or all_ranks(s, m):
            continue
        unit = 1.0 if high <= 1 else 100.0
        for d, dataset in enumerate(s.datasets):
            if d >= _FIRST and not rows:
                break
            if n := trials(s.mean[m, d, s.n[m, d] > 0] / unit):
                rows.append((dataset, measure, n))
    return rows_finding(
        "counts out of n",
        "note",
        f"on {count(len(rows), 'data set')} scores are shares of n trials.",
        ("dataset", "measure", "n"),
        rows,
        f"with a covariate that holds n, {BINOMIAL} with trials=... knows how precise"
        " each share is.",
    )


def whole_numbers(facts: Facts) -> Finding | None:
    """Report measures whose single scores may count successes: whole numbers, higher is better.

    Up to 100, a measure named as shares are is taken for percentages.

    Summaries do not tell whether several scores of a cell are whole numbers.
    """
    s, rows = facts.summary, []
    for m, measure in facts.declared:
        values, (low, high) = s.mean[m, s.n[m] > 0], s.ends[m]
        integral = (values == np.round(values)).all() and low >= 0 and len(np.unique(values)) > 2
        percent = high <= 100 and (measure.unit == "%" or _SHARE.search(measure.name.lower()))
        if percent or measure.better == "lower" or all_ranks(s, m):
            continue
        if integral and s.n[m].max() == 1:
            rows.append((measure.name, f"{low:.15g} to {high:.15g}"))
    what = f"the scores of {', '.join(name for name, _ in rows)} are whole numbers, as counts are."
    return rows_finding(
        WHOLE,
        "note",
        what,
        ("measure", "scores"),
        rows,
        "of counts of successes a mean is about the data sets with most trials: divide each"
        f" by its number of trials, keep that as a covariate, and {BINOMIAL} with"
        " trials=... knows how precise each share is. Nothing is to be done of"
        " percentages.",
    )


def on_bounds(facts: Facts, m: int) -> list[tuple[float, int]]:
    """Return the bounds on which many scores of a measure are, with their number.

    Of measures without declared bounds 0 and 1 count, if all scores are between.
    """
    s = facts.summary
    low, high = s.ends[m].tolist()
    measure = next((one for one in facts.measures if one.name == s.measures[m]), None)
    if zero_one(s, m) or all_ranks(s, m) or low == high or (measure and measure.normalised):
        return []
    declared = measure and measure.bounds
    natural = (0.0, 1.0) if low >= 0 and high <= 1 else ()
    fewest = max(3.0, _PILED * int(s.n[m].sum()))
    counts = zip((low, high), s.at_ends[m].sum(axis=(0, 1)).tolist(), strict=True)
    return [(end, n) for end, n in counts if end in (declared or natural) and n >= fewest]


def piled_up(facts: Facts) -> Finding | None:
    """List measures with many scores on a bound."""
    s = facts.summary
    rows: list[tuple[str, ...]] = []
    for m, measure in enumerate(s.measures):
        total = int(s.n[m].sum())
        for end, n in on_bounds(facts, m):
            rows.append((measure, f"{end:g}", f"{n} of {total}", f"{100 * n / total:.0f} %"))
    ends = ", ".join(f"{share} of {name} at {end}" for name, end, _, share in rows)
    return rows_finding(
        PILED,
        "warning",
        f"scores are piled up on a bound: {ends}.",
        ("measure", "bound", "scores", "share"),
        rows,
        "there algorithms cannot differ, and a model of means takes that for precision: compare"
        " on harder data sets, or by ranks (compare_permutation); of shares of n"
        f" trials, by {BINOMIAL}.",
    )


RULES: tuple[Rule, ...] = (zero_one_scores, ranks, counts_out_of, whole_numbers, piled_up)
