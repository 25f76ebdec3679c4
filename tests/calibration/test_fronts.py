"""The true front of several measures is kept with its level: `make calibrate`."""

import numpy as np
import pytest
from scipy.stats import binom

from benchinfer.numerics.directions.fronts import dominance, dominated

pytestmark = pytest.mark.calibration
TABLES, DATASETS = 150, 20


def levels(name: str, k: int, m: int) -> np.ndarray:
    """Return (M, K) levels; differences of 1e-6 in all say which are on the front."""
    result, steps = np.zeros((m, k)), np.arange(k)
    if name == "groups":
        result[:, : k // 2] = -1.0
    if name == "edge":
        # Equal on one measure, far apart on the others.
        result[:] = 10.0 * steps
        result[0] = -1e-6 * steps
    return result


def front(means: np.ndarray, tolerance: float) -> np.ndarray:
    more = means[:, None, :] - means[:, :, None]
    never_worse = (more > -tolerance if tolerance else more >= 0).all(axis=0)
    return ~(never_worse & (more > 0).any(axis=0)).any(axis=1)


@pytest.mark.parametrize("tolerance", [0.0, 0.3])
@pytest.mark.parametrize("name", ["equal", "groups", "edge"])
@pytest.mark.parametrize(("k", "m"), [(5, 2), (5, 3), (30, 2)])
def test_the_true_front_is_kept(k, m, name, tolerance):
    rng = np.random.default_rng(7)
    means = levels(name, k, m)
    if tolerance and name == "edge":
        means[0] *= 0.3e6 + 1
    on, kept, each = front(means, tolerance), 0, np.zeros(k)
    n = TABLES if k == 5 else TABLES // 3
    for seed in range(n):
        common = rng.standard_normal((DATASETS, k))
        noise = (rng.standard_normal((m, DATASETS, k)) + common) / 2**0.5
        tables = means[:, None] + noise * np.linspace(0.7, 1.3, k)
        p_value, p_each = dominance(tables, np.full(m, tolerance), seed=seed)
        kept += not dominated(p_value <= 0.05)[on].any()
        each += p_each > 0.05
    least = binom.ppf(0.0005, n, 0.95)
    assert kept >= least
    assert (each[on] >= least).all()
