"""Coverage of bands along a covariate: `make calibrate`."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi

pytestmark = pytest.mark.calibration

TABLES, DATASETS = 200, 20
SLOPES, SPREAD = np.array([0.0, 1.0, -1.0, 0.5]), np.array([1.0, 3.0, 1.0, 0.5])


def simulated(k, spread, seed):
    """Return scores with slopes of their own along a covariate, one for each cell."""
    rng = np.random.default_rng([seed, k])
    size = rng.uniform(0, 1, DATASETS)
    noise = 0.2 * SPREAD[:k] ** spread * rng.normal(size=(DATASETS, k))
    value = rng.normal(size=(DATASETS, 1)) + SLOPES[:k] * size[:, None] + noise
    at = np.indices(value.shape).reshape(2, -1)
    table = pd.DataFrame({"dataset": at[0], "algorithm": at[1], "score": value.ravel()})
    table = table.assign(size=size[at[0]]).astype({"dataset": str, "algorithm": str})
    return bi.read_scores(table, measures="score:higher", covariates="size")


def holds(found):
    """Whether the bands of all pairs hold their lines everywhere."""
    first, second = np.array(found.pairs).astype(int).T
    truth = np.outer(SLOPES[first] - SLOPES[second], found.places)
    return bool(((found.low <= truth) & (truth <= found.high)).all())


@pytest.mark.parametrize(
    ("k", "structure", "spread"),
    [(2, "common", 0), (2, "auto", 0), (4, "auto", 0), (4, "auto", 1)],
)
def test_bands_of_all_pairs_hold_the_lines(k, structure, spread):
    held = 0
    for seed in range(TABLES):
        scores = simulated(k, spread, seed)
        mixed = bi.compare_mixed(scores, covariates="size", structure=structure, adjust="none")
        held += holds(bi.regions(mixed, "size"))
    assert held / TABLES >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / TABLES)


@pytest.mark.parametrize(("k", "spread"), [(2, 0), (4, 0), (4, 1)])
def test_bands_of_the_posterior_hold_the_lines(k, spread, record_property):
    held = 0
    for seed in range(TABLES // 2):
        bayes = bi.compare_bayes(simulated(k, spread, seed), covariates="size", seed=1, draws=500)
        held += holds(bi.regions(bayes, "size"))
    record_property("share", held / (TABLES // 2))
    assert held / (TABLES // 2) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / (TABLES // 2))
