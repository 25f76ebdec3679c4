import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.bayes.comparison import cap_of, in_unit
from tests.analyses.bayes.test_bayes import read, simulated


@pytest.fixture(scope="module")
def result():
    return bi.compare_bayes(read(simulated(), tolerance=0.3), draws=500, seed=1)


def test_caps():
    means = np.array([[0.1, 0.4, np.nan], [0.2, np.nan, np.nan]])
    assert cap_of(bi.Measure("a", "higher"), means, 0.01) == pytest.approx(0.3)
    assert cap_of(bi.Measure("a", "higher", bounds=(0, 1)), means, 0.01) == 1
    assert cap_of(bi.Measure("a", "higher", bounds=(0, np.inf)), means, 0.5) == 0.5
    assert cap_of(bi.Measure("a", "higher", scale="logit", bounds=(0, 1)), means, 0) < 1
    assert in_unit(bi.Measure("t", "lower", scale="log"), np.log(1.05)) == pytest.approx(0.05)


def test_regrets_are_those_of_the_draws(result):
    table = result.regrets().set_index(["quantity", "algorithm"])
    for quantity, draws in (("average", result.draws.effects), ("next", result.draws.following)):
        lost = np.minimum(draws.max(axis=2, keepdims=True) - draws, result.regret.cap)
        np.testing.assert_allclose(
            table.loc[quantity, "expected_regret"], lost.mean(axis=(0, 1)), rtol=1e-12
        )
        near = (lost <= 0.3).mean(axis=(0, 1))
        np.testing.assert_allclose(table.loc[quantity, "prob_near_best"], near, atol=1e-12)
    summary = result.summary()
    assert summary["expected_regret"].tolist() == table.loc["average", "expected_regret"].tolist()
    assert summary["expected_regret_next"].tolist() == table.loc["next", "expected_regret"].tolist()
