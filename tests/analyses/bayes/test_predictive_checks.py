"""Predictive checks of data sets by the others."""

import numpy as np
import pytest
from scipy import stats

import benchinfer as bi
from tests.analyses.bayes.test_leave_one_out import table


@pytest.mark.slow
def test_tails_are_uniform_where_the_model_holds():
    result = bi.compare_bayes(
        table(d=60, far=0.0), interactions="normal", draws=100, chains=4, seed=1
    )
    check = result.predictive_check(result.loo(refit=False))
    assert not check.beyond.any()
    for tail in check.tail:
        assert stats.kstest(tail, "uniform").pvalue > 0.001
    assert check.diagnostics()["ok"].all()
    assert np.all((check.low < check.median) & (check.median < check.high))
    # Shares of the winners: three algorithms, one of which is better.
    assert 1 / 3 < check.winner.mean() < 0.8


def test_an_unusual_data_set_is_named():
    result = bi.compare_bayes(
        table(d=20, far=15.0), interactions="normal", draws=100, chains=4, seed=1
    )
    check = result.predictive_check()
    rows = check.table().set_index(["dataset", "statistic_name"])
    one = rows.loc[("d0", "spread of the algorithms")]
    assert one["estimate"] > one["predicted_high"]
    assert "d0" in check.diagnostics()["sentence"][0]


def test_single_scores_have_no_residuals():
    result = bi.compare_bayes(table(n=1), draws=200, chains=4, seed=1)
    check = result.predictive_check()
    assert np.isnan(check.tail[2]).all()
    assert len(check.diagnostics()) == 2
