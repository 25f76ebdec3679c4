"""Coverage of bands along a covariate: `make calibrate`."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi

pytestmark = pytest.mark.calibration

TABLES, DATASETS = 200, 20
SLOPES, SPREAD = np.array([0.0, 1.0, -1.0, 0.5]), np.array([1.0, 3.0, 1.0, 0.5])


@pytest.mark.parametrize(
    ("k", "structure", "spread"),
    [(2, "common", 0), (2, "auto", 0), (4, "auto", 0), (4, "auto", 1)],
)
def test_bands_of_all_pairs_hold_the_lines(k, structure, spread):
    held = 0
    for seed in range(TABLES):
        rng = np.random.default_rng([seed, k])
        size = rng.uniform(0, 1, DATASETS)
        noise = 0.2 * SPREAD[:k] ** spread * rng.normal(size=(DATASETS, k))
        value = rng.normal(size=(DATASETS, 1)) + SLOPES[:k] * size[:, None] + noise
        at = np.indices(value.shape).reshape(2, -1)
        table = pd.DataFrame({"dataset": at[0], "algorithm": at[1], "score": value.ravel()})
        table = table.assign(size=size[at[0]]).astype({"dataset": str, "algorithm": str})
        scores = bi.read_scores(table, measures="score:higher", covariates="size")
        mixed = bi.compare_mixed(scores, covariates="size", structure=structure, adjust="none")
        found = bi.regions(mixed, "size")
        first, second = np.array(found.pairs).astype(int).T
        truth = np.outer(SLOPES[first] - SLOPES[second], found.places)
        held += bool(((found.low <= truth) & (truth <= found.high)).all())
    assert held / TABLES >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / TABLES)
