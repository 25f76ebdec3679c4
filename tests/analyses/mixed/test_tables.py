"""The model's estimate of a pair beside that of the data sets that both have."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.core.errors import DesignError
from tests.scores.tables import table

CHECK = "pairs that shared data sets do not support"


def scores_of(values, held=None):
    return bi.read_scores(table(values, held), measures="acc:higher")


def by_design(bias, seed=1):
    """b and c are alike on what they share; c alone is on further data sets, where it shines."""
    rng = np.random.default_rng(seed)
    values = 0.5 + rng.normal(0, 0.1, (40, 1)) + rng.normal(0, 0.01, (40, 3))
    held = np.ones((40, 3), bool)
    held[20:, 1] = False
    values[20:, 2] += bias
    return scores_of(values, held)


def test_direct_estimates_are_means_of_differences():
    scores = by_design(0.05)
    mean = scores.cells().mean
    for _, row in bi.compare_mixed(scores).direct().iterrows():
        i, j = (scores.algorithms.index(row[side]) for side in ("first", "second"))
        own = (mean[:, i] - mean[:, j])[np.isfinite(mean[:, i] - mean[:, j])]
        assert row["n_datasets"] == len(own)
        assert row["direct"] == pytest.approx(own.mean(), abs=1e-12)
        assert row["direct_error"] == pytest.approx(own.std(ddof=1) / len(own) ** 0.5)


def test_on_a_complete_table_both_estimates_are_one():
    rng = np.random.default_rng(2)
    found = bi.compare_mixed(scores_of(rng.normal(size=(8, 4, 3)))).direct()
    assert np.allclose(found["estimate"], found["direct"])
    assert np.allclose(found["std_error"], found["direct_error"])


def test_effects_are_in_the_unit_of_the_measure():
    rng = np.random.default_rng(3)
    frame = table(np.exp(rng.normal(size=(8, 3))))
    measure = bi.Measure("seconds", better="lower", scale="log")
    found = bi.compare_mixed(bi.read_scores(frame, measures=[measure])).direct()
    assert np.allclose(found["estimate"], found["direct"])
    assert (found["direct"] > 0).all()


def test_disagreement_is_named_with_both_numbers():
    rows = bi.compare_mixed(by_design(0.05)).diagnostics().set_index("check")
    assert rows.loc[CHECK, "value"] >= 1
    assert "a02 and a01: " in rows.loc[CHECK, "sentence"]
    assert "on the 20 data sets that both have" in rows.loc[CHECK, "sentence"]


def test_gaps_at_random_are_no_disagreement():
    told = [
        bi.compare_mixed(by_design(0.0, seed)).diagnostics().set_index("check").loc[CHECK, "ok"]
        for seed in range(12)
    ]
    assert all(told)


def test_pairs_without_a_shared_data_set_are_named_when_decided():
    rng = np.random.default_rng(4)
    values = np.array([0.5, 0.6, 0.7]) + rng.normal(0, 0.005, (16, 3))
    held = np.ones((16, 3), bool)
    held[:8, 0] = held[8:, 2] = False
    result = bi.compare_mixed(scores_of(values, held))
    rows = result.diagnostics().set_index("check")
    assert "no data set has both" in rows.loc[CHECK, "sentence"]
    assert result.direct().query("n_datasets == 0")["direct"].isna().all()


def test_complete_tables_have_no_such_row():
    scores = bi.load_example("simulated/balanced")
    assert CHECK not in set(bi.compare_mixed(scores).diagnostics()["check"])


def test_models_that_keep_no_cells_refuse():
    scores = bi.load_example("simulated/balanced")
    with pytest.raises(DesignError, match="direct evidence is kept where"):
        bi.compare_mixed(scores, structure="unstructured").direct()
    with pytest.raises(DesignError, match="direct evidence is kept where"):
        bi.compare_mixed(scores.subset(datasets=["d01"])).direct()
