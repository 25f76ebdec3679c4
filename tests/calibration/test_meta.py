"""Coverage of meta-analytic intervals by simulation: `make calibrate`."""

import numpy as np
import pytest
from scipy.stats import binom
from scipy.stats import t as student

from benchinfer.numerics.meta.pooling import Part, pool, tau_squared
from benchinfer.numerics.meta.rows import Block, rows_of

TABLES, ALPHA, LEVELS = 4000, 0.05, (3, 5, 10, 30)
# Standard deviation of true differences in units of the typical standard error.
TAUS = {"homogeneous": 0.0, "moderate": 1.0, "strong": 3.0}


def covered(d, tau, *, method="reml", tables=TABLES):
    """Return the coverage of Hartung and Knapp's, Wald's and the prediction interval."""
    rng = np.random.default_rng([d, int(10 * tau)])
    found = np.zeros(3)
    for _ in range(tables):
        v = rng.uniform(0.3, 1.7, d)
        y = rng.normal(0.0, tau, d) + rng.normal(size=d) * np.sqrt(v)
        part = Part(y, np.ones((d, 1)), v)
        tau2 = tau_squared([part], method)
        for i, refined in enumerate((True, False)):
            got = pool(part, tau2, refined=refined)
            reach = student.ppf(1 - ALPHA / 2, got.df) * np.sqrt(got.cov[0, 0])
            found[i] += abs(got.beta[0]) <= reach
        got = pool(part, tau2)
        reach = student.ppf(1 - ALPHA / 2, got.df) * np.sqrt(got.cov[0, 0] + tau2)
        found[2] += abs(got.beta[0] - rng.normal(0.0, tau)) <= reach
    return found / tables


@pytest.mark.calibration
@pytest.mark.parametrize("tau", list(TAUS))
@pytest.mark.parametrize("d", LEVELS)
def test_coverage_of_a_pair(d, tau):
    hartung, wald, _ = covered(d, TAUS[tau])
    # Exact where heterogeneity is absent or dominates; a little short between for few data sets.
    low = 0.93 if tau == "moderate" else 0.94
    assert hartung >= binom.ppf(1e-4, TABLES, low) / TABLES
    if TAUS[tau] > 0 and d <= 5:
        assert wald < 0.93


def network_coverage(d, k, tau, *, scales=None, tables=600):
    """Return the coverage of the intervals of all pairs, each alone, with 2 to K algorithms."""
    rng = np.random.default_rng([d, k, int(10 * tau)])
    spread = np.ones(k) if scales is None else np.asarray(scales)
    hits = total = 0
    for _ in range(tables):
        blocks = []
        for i in range(d):
            size = k if i < 2 else int(rng.integers(2, k + 1))
            arms = rng.choice(k, size, replace=False)
            noise = rng.uniform(0.3, 1.7) / 2
            true = rng.normal(0.0, tau / np.sqrt(2), size) * spread[arms]
            level = true + rng.normal(0.0, np.sqrt(noise), size)
            cov = noise * (1 + np.eye(size - 1))
            blocks.append(Block(arms, level[1:] - level[0], cov))
        part = rows_of(blocks, k).part()
        got = pool(part, tau_squared([part]))
        reach = student.ppf(1 - ALPHA / 2, got.df) * np.sqrt(got.cov.diagonal())
        hits += int((np.abs(got.beta) <= reach).sum())
        total += len(got.beta)
    return hits / total


@pytest.mark.calibration
@pytest.mark.parametrize("d", [5, 10, 30])
@pytest.mark.parametrize("tau", list(TAUS))
def test_coverage_of_a_network(d, tau):
    assert network_coverage(d, 5, TAUS[tau]) >= 0.93
