"""Single-step tests with one error for all pairs, beside lme4 with multcomp on a balanced table."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi

GOLDEN = Path(__file__).parents[2] / "golden" / "statement"
VALUES = json.loads((GOLDEN / "values.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def rows():
    return pd.read_csv(GOLDEN / "scores.csv")


def ends(values):
    """Return estimates and ends, first minus second of pairs in the order of names."""
    pairs = [f"a{j} - a{i}" for i in range(4) for j in range(i + 1, 4)]
    assert values["pair"] == pairs
    return [-np.array(values[name]) for name in ("estimate", "high", "low")]


@pytest.mark.parametrize(("df", "values"), [("satterthwaite", "exact"), ("asymptotic", "default")])
def test_single_step_is_that_of_lme4_and_multcomp(rows, df, values):
    scores = bi.read_scores(rows, measures="value:higher")
    mixed = bi.compare_mixed(scores, structure="common", df=df).evidence
    estimate, low, high = ends(VALUES[values])
    np.testing.assert_allclose(mixed.estimate, estimate, rtol=1e-8)
    np.testing.assert_allclose(mixed.low, low, atol=1e-3)
    np.testing.assert_allclose(mixed.high, high, atol=1e-3)
    np.testing.assert_allclose(mixed.p_value, VALUES[values]["p_value"], atol=2e-4)
