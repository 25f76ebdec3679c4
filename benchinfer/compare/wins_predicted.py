"""Win tables, and what a model says of the one that it was fitted to."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binom, chi2

from benchinfer.compare.evidence import Array
from benchinfer.frames import frame
from benchinfer.numerics.wins.likelihood import probabilities
from benchinfer.numerics.wins.posterior import replicated
from benchinfer.numerics.wins.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.wins_comparison import WinsComparison
    from benchinfer.compare.wins_sampled import WinPosterior

_REPLICATES, _INSIDE = 2000, 0.9


def square(tally: Tally) -> tuple[Array, Array]:
    """Return (K, K) wins of rows against columns, and ties, of counts over all clusters."""
    k, total = tally.n_algorithms, tally.total
    won, tied = np.zeros((k, k)), np.zeros((k, k))
    i, j = tally.pairs.T
    won[i, j], won[j, i] = total.wins[0], total.losses[0]
    tied[i, j] = tied[j, i] = total.ties[0]
    return won, tied


def table(result: "WinsComparison") -> "pd.DataFrame":
    """Return the win table of all pairs."""
    total, names = result.counted.tally.total, result.algorithms
    i, j = total.pairs.T
    return frame(
        {
            "first": [names[k] for k in i],
            "second": [names[k] for k in j],
            "wins": total.wins[0],
            "ties": total.ties[0],
            "losses": total.losses[0],
            "n_contests": total.n[0],
        }
    )


def predicted(result: "WinsComparison") -> "pd.DataFrame":
    """Return wins observed and predicted."""
    seen = result.counted.tally.taken(result.ties).total
    expected, low, high = (
        _by_estimates(result, seen) if result.bayes is None else _by_draws(result, result.bayes)
    )
    names, (i, j) = result.algorithms, seen.pairs.T
    wins = seen.wins[0]
    columns = {
        "first": [names[k] for k in i],
        "second": [names[k] for k in j],
        "wins": wins,
        "expected_wins": expected[0],
        "wins_low": low,
        "wins_high": high,
        "inside": (wins >= low) & (wins <= high),
    }
    if result.modelled_ties:
        columns |= {"ties": seen.ties[0], "expected_ties": expected[1]}
    return frame(columns)


def _by_estimates(result: "WinsComparison", seen: Tally) -> tuple[Array, Array, Array]:
    """Return expected wins and ties, and bounds of binomial wins."""
    first, even = chances(result)
    n = seen.n[0]
    tail = (1 - _INSIDE) / 2
    low, high = (binom.ppf(q, np.rint(n), first) for q in (tail, 1 - tail))
    return np.stack([n * first, n * even]), np.maximum(low, 0.0), np.maximum(high, 0.0)


def _by_draws(result: "WinsComparison", bayes: "WinPosterior") -> tuple[Array, Array, Array]:
    """Return expected wins and ties, and bounds of wins, from new contests of the posterior."""
    rng = np.random.default_rng(result.provenance.seed)
    found = replicated(result.model, bayes.draws, _REPLICATES, rng)
    low, high = np.quantile(found[0], [(1 - _INSIDE) / 2, (1 + _INSIDE) / 2], axis=0)
    return found[:2].mean(axis=1), low, high


def chances(result: "WinsComparison") -> tuple[Array, Array]:
    """Return (P,) fitted probabilities that the first wins, and that neither does."""
    i, j = result.counted.tally.pairs.T
    tie = None if result.fit is None else result.fit.tie
    first, even, _ = probabilities(result.log_worth[i] - result.log_worth[j], tie)
    return first, even


def misfit(tally: Tally, log_worth: Array, tie: float | None) -> tuple[float, int]:
    """Return the p-value of Pearson's test of the counts against a fit, and its degrees of freedom.

    Parameters
    ----------
    tally
        Counts, as the model saw them.
    log_worth, tie
        The fit.
    """
    total, k = tally.total, tally.n_algorithms
    i, j = tally.pairs.T
    shares = np.stack(probabilities(log_worth[i] - log_worth[j], tie))
    seen = np.stack([total.wins[0], total.ties[0], total.losses[0]])
    wanted = shares * total.n[0]
    there = wanted > 0
    statistic = float(((seen - wanted)[there] ** 2 / wanted[there]).sum())
    kinds = 1 if tie is None else 2
    df = kinds * int((total.n[0] > 0).sum()) - (k - 1) - (tie is not None)
    return (float(chi2.sf(statistic, df)) if df > 0 else 1.0), df
