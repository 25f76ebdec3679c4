"""Size and coverage of bootstrapped aggregates, by simulation under the null: `make calibrate`."""

import numpy as np
import pytest
from scipy.stats import binom

from benchinfer.analyses.bootstrap import evidence
from benchinfer.analyses.bootstrap.evidence import Aggregated, levels_of
from benchinfer.analyses.bootstrap.numerics import resampling
from benchinfer.analyses.bootstrap.numerics.aggregates import Statistic
from benchinfer.comparison.contrasts import family_of

TABLES, RESAMPLES, ALPHA = 1000, 1999, 0.05
BAD = ("median", "bca")  # a diagnostics row says so
STATISTICS = {
    "iqm": Statistic("iqm"),
    "mean": Statistic("mean"),
    "median": Statistic("quantile", 0.5),
}
NOISE = {
    "normal": lambda rng, size: rng.normal(size=size),
    "skewed": lambda rng, size: rng.exponential(size=size) - 1,
    "tied": lambda rng, size: np.round(rng.normal(size=size)),
}


def run(shape, resample, statistic, *, noise, interval, tables=TABLES):
    """Return the share of tables in which a pair is decided, and the coverage of the levels."""
    d, b, k = shape
    family = family_of(tuple(f"a{i}" for i in range(k)), "tukey", None, np.zeros(k))
    truth = aimed(statistic, noise)
    there, dataset = np.ones((d * b, k), dtype=bool), np.repeat(np.arange(d), b)
    decided, covered = 0, 0.0
    for seed in range(tables):
        rng = np.random.default_rng([seed, d, b, k])
        values = NOISE[noise](rng, (d, b, k))
        if resample != "replications":
            values += NOISE[noise](rng, (d, 1, k))
        sample = resampling.lay_out(values.reshape(-1, k), there, dataset)
        found = Aggregated.of(sample, STATISTICS[statistic], resample, RESAMPLES, seed, interval)
        contrasts = found.contrast(family.matrix)
        tested = evidence.tested(contrasts, family, 0.0, ALPHA, "two-sided", "holm")
        p = tested.evidence.p_value
        decided += (p <= ALPHA).any()
        if truth is not None:
            level = levels_of(found, ALPHA)
            covered += ((level.low <= truth) & (level.high >= truth)).mean()
    return decided / tables, covered / tables if truth is not None else np.nan


def aimed(statistic, noise):
    """Return the level that the intervals should cover, where it is known to be 0."""
    return 0.0 if noise != "skewed" or statistic == "mean" else None


@pytest.mark.calibration
@pytest.mark.parametrize("noise", list(NOISE))
@pytest.mark.parametrize(
    ("statistic", "interval"),
    [(s, i) for s in STATISTICS for i in ("percentile", "expanded", "bca") if (s, i) != BAD],
)
@pytest.mark.parametrize(
    ("shape", "resample", "bar"),
    [
        ((26, 10, 5), "replications", 0.10),
        ((10, 5, 3), "replications", 0.13),
        ((30, 5, 3), "datasets", 0.10),
        ((10, 5, 3), "datasets", 0.18),
    ],
)
def test_the_error_rate_of_the_family(shape, resample, bar, statistic, noise, interval):
    decided, _ = run(shape, resample, statistic, noise=noise, interval=interval)
    # Percentiles of few units are known to exceed their level: the diagnostics row says by how
    # much for means of normal scores. Expanded ones hold it where scores are not skewed.
    bar = 0.05 if interval == "expanded" and noise != "skewed" else bar
    assert decided <= binom.isf(1e-4, TABLES, bar) / TABLES
