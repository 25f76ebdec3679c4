"""Degrees of freedom against lmerTest, pbkrtest and emmeans."""

import json

import numpy as np
import pytest

from benchinfer.analyses.mixed.numerics import degrees
from benchinfer.numerics import max_t
from tests.analyses.mixed.numerics.test_likelihood import CASES, GOLDEN, golden

REML = [case for case in CASES if case[1].endswith("_reml")]


@pytest.mark.parametrize(("table", "model"), REML)
@pytest.mark.parametrize("method", ["kenward-roger", "satterthwaite", "asymptotic"])
def test_pairs_agree_with_emmeans(table, model, method):
    values, mine, _ = golden(table, model)
    expected = values[method]
    k = len(mine.beta)
    _, contrasts = max_t.all_pairs(k)
    pairs = degrees.METHODS[method](mine, contrasts)
    levels = degrees.METHODS[method](mine, np.eye(k))
    error = np.sqrt(np.diag(contrasts @ pairs.cov @ contrasts.T))
    df, mean_df = (np.array(expected[key], dtype=float) for key in ("df", "mean_df"))
    np.testing.assert_allclose(contrasts @ mine.beta, expected["estimate"], rtol=1e-6, atol=1e-10)
    np.testing.assert_allclose(error, expected["std_error"], rtol=1e-6)
    # Satterthwaite in R differentiates numerically.
    np.testing.assert_allclose(pairs.df, df, rtol=1e-5 if method == "satterthwaite" else 1e-6)
    np.testing.assert_allclose(levels.df, mean_df, rtol=1e-5)
    np.testing.assert_allclose(np.sqrt(np.diag(levels.cov)), expected["mean_std_error"], rtol=1e-6)
    statistic = contrasts @ mine.beta / error
    np.testing.assert_allclose(
        max_t.raw_p(statistic, pairs.df), expected["p_raw"], rtol=2e-4, atol=1e-13
    )


@pytest.mark.parametrize(("table", "model"), REML)
def test_adjusted_covariance_agrees_with_pbkrtest(table, model):
    values, mine, _ = golden(table, model)
    adjusted = degrees.kenward_roger(mine, np.eye(len(mine.beta)))
    np.testing.assert_allclose(adjusted.cov, values["cov_adjusted"], rtol=2e-6, atol=1e-12)


def test_the_goldens_are_there():
    assert len(REML) == 17
    assert json.loads((GOLDEN / "demsar2006.json").read_text())["packages"]["lme4"]
