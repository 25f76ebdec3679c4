"""Coverage of intervals of worths: `make calibrate`.

Scores are a level of the algorithm plus Gumbel noise, so that each data set ranks the algorithms by
Plackett and Luce's model: each pair is won with the odds of the worths, and the contests of a data
set depend on each other as rankings do.
"""

import numpy as np
import pytest
from scipy.stats import norm, t

from benchinfer.numerics import hmc
from benchinfer.numerics.tukey import all_pairs
from benchinfer.numerics.wins.likelihood import fit_wins
from benchinfer.numerics.wins.posterior import WinModel, WinPriors, density, draws_of, start
from benchinfer.numerics.wins.tally import count

TABLES = 1000


def tables(datasets, algorithms, spread, n, seed):
    """Yield true log worths and counts of tables in which no algorithm always wins."""
    rng = np.random.default_rng(seed)
    worth = np.linspace(-spread, spread, algorithms)
    for _ in range(n):
        scores = worth + rng.gumbel(size=(datasets, algorithms))
        tally = count(scores, np.arange(datasets), tie=0.0)
        if len(tally.groups()) == 1:
            yield worth, tally


def coverage(datasets, algorithms, spread, n=TABLES, seed=1):
    """Return coverage of 95 % intervals of single differences: robust, and as if independent."""
    _, matrix = all_pairs(algorithms)
    found = []
    for worth, tally in tables(datasets, algorithms, spread, n, seed):
        fit = fit_wins(tally)
        error = np.abs(matrix @ (fit.log_worth - worth))
        robust, other = (
            np.sqrt(np.einsum("pk,kl,pl->p", matrix, cov, matrix)) for cov in (fit.robust, fit.cov)
        )
        critical = t.ppf(0.975, datasets - 1), norm.ppf(0.975)
        found.append(
            [(error <= critical[0] * robust).mean(), (error <= critical[1] * other).mean()]
        )
    return np.mean(found, axis=0), len(found)


@pytest.mark.parametrize(
    ("datasets", "algorithms", "spread"),
    [(10, 3, 0.5), (10, 5, 0.7), (20, 5, 1.0), (20, 8, 1.0), (50, 5, 1.0), (50, 10, 1.5)],
)
def test_robust_intervals_hold_what_they_claim(datasets, algorithms, spread):
    (robust, other), _ = coverage(datasets, algorithms, spread)
    assert 0.935 <= robust <= 0.985
    assert other < robust


def posterior_coverage(datasets, algorithms, spread, departures, n, seed=1):
    """Return coverage of 95 % credible intervals of single differences."""
    _, matrix = all_pairs(algorithms)
    found = []
    for worth, tally in tables(datasets, algorithms, spread, n, seed):
        rng = np.random.default_rng([seed, len(found)])
        model = WinModel(tally if departures else tally.total, WinPriors(), departures)
        of = density(model)
        paths = hmc.sample(of, hmc.warm_up(of, start(model, 4, rng), 600, rng), 500, rng)
        d = (draws_of(model, paths.draws).log_worth @ matrix.T).reshape(-1, len(matrix))
        low, high = np.quantile(d, [0.025, 0.975], axis=0)
        found.append(((low <= matrix @ worth) & (matrix @ worth <= high)).mean())
    return float(np.mean(found))


def test_departures_bring_credible_intervals_near_what_they_claim():
    without, with_them = (
        posterior_coverage(20, 5, 1.0, departures, 60) for departures in (False, True)
    )
    assert with_them > without + 0.03
    assert with_them > 0.9
