"""Characteristics of data sets: closed forms."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def test_counts_and_shares():
    table = pd.DataFrame(
        {
            "length": [1.0, 2.0, np.nan, 4.0],
            "colour": ["red", None, "blue", "red"],
            "old": [True, False, True, True],
            "kind": pd.Categorical(["a", "b", "a", "a"]),
        }
    )
    found = bi.dataset_features(table, ["x", "x", "y", "z"])
    assert (found["n_rows"], found["n_columns"]) == (4, 4)
    assert found["share_missing"] == 2 / 16
    assert found["share_categorical"] == 3 / 4
    assert found["n_classes"] == 3
    assert found["share_largest"] == 0.5
    assert found["balance"] == pytest.approx(stats.entropy([2, 1, 1]) / np.log(3))
    assert np.isnan(found["mean_correlation"])
    assert np.isnan(found["signal"])  # too few rows


def test_moments_and_correlations(rng):
    x = np.column_stack([rng.normal(size=200), rng.exponential(size=200), rng.uniform(size=200)])
    found = bi.dataset_features(x)
    pairs = np.corrcoef(x.T)[np.triu_indices(3, 1)]
    assert found["mean_correlation"] == pytest.approx(np.abs(pairs).mean())
    assert found["mean_skewness"] == pytest.approx(np.abs(stats.skew(x)).mean())
    assert found["mean_kurtosis"] == pytest.approx(stats.kurtosis(x, fisher=False).mean())
    assert set(found) == set(bi.dataset_features(pd.DataFrame(x)))


def test_signal_is_all_none_or_r_squared(rng):
    x = rng.normal(size=(400, 3))
    line = x @ [1.0, -2.0, 0.5]
    assert bi.dataset_features(x, line)["signal"] > 0.999
    assert bi.dataset_features(x, rng.normal(size=400))["signal"] < 0.02
    noisy = line + line.std() * rng.normal(size=400)
    assert bi.dataset_features(x, noisy)["signal"] == pytest.approx(0.5, abs=0.08)
    sides = np.where(line > 0, "yes", "no")
    assert bi.dataset_features(x, sides)["signal"] > 0.9
    assert bi.dataset_features(x, (line > 0).astype(int))["n_classes"] == 2


def test_categories_and_gaps_carry_signal(rng):
    kind = rng.choice(["a", "b", "c"], 300)
    table = pd.DataFrame({"kind": kind, "noise": rng.normal(size=300)})
    table.loc[rng.random(300) < 0.2, "noise"] = np.nan
    assert bi.dataset_features(table, kind)["signal"] == 1
    mean = np.where(kind == "a", 1.0, -1.0)
    assert bi.dataset_features(table, mean)["signal"] > 0.99
    empty = table.assign(void=np.nan)
    assert bi.dataset_features(empty, kind)["signal"] == 1


def test_task_is_what_is_asked_for(rng):
    x, y = rng.normal(size=(60, 2)), rng.integers(0, 5, 60)
    assert "n_classes" in bi.dataset_features(x, y)
    assert "n_classes" not in bi.dataset_features(x, y, task="regression")
    assert "n_classes" in bi.dataset_features(x, 0.5 + y, task="classification")


def test_what_is_no_data_set_is_refused():
    with pytest.raises(bi.DesignError, match="no data set"):
        bi.dataset_features(np.zeros((0, 3)))
    with pytest.raises(bi.DesignError, match="2 values, 1 of them missing, of 3 rows"):
        bi.dataset_features(np.eye(3), [1.0, np.nan])
    with pytest.raises(bi.DesignError, match="task"):
        bi.dataset_features(np.eye(3), task="ranking")
