"""Intervals of a rate: R and statsmodels."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchinfer.numerics.rates import RATES, rate_interval

R = json.loads((Path(__file__).parents[1] / "golden" / "pairs" / "pairs.json").read_text())
NAMES = {
    "wilson": "wilson",
    "clopper-pearson": "beta",
    "agresti-coull": "agresti_coull",
    "wald": "normal",
}


def test_wilson_and_clopper_pearson_are_r_s():
    count, n = np.array([187.0]), np.array([240.0])
    for kind in ("wilson", "clopper-pearson"):
        found = np.ravel(rate_interval(kind, count, n, 0.025))
        np.testing.assert_allclose(found, R[kind.replace("-", "_")], rtol=1e-7)


@pytest.mark.parametrize("kind", RATES)
def test_statsmodels(kind):
    from statsmodels.stats.proportion import proportion_confint

    count, n = np.array([0, 1, 7, 20, 40]), np.array([40, 40, 15, 40, 40])
    low, high = rate_interval(kind, count.astype(float), n.astype(float), 0.05)
    for i in range(len(n)):
        expected = proportion_confint(count[i], n[i], 0.1, NAMES[kind])
        # statsmodels cuts at 0 and 1.
        found = np.clip([low[i], high[i]], 0, 1)
        np.testing.assert_allclose(found, expected, atol=1e-12)
