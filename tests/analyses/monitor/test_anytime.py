"""E-processes of whole experiments."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.monitor.numerics.betting import MeanBet, SymmetryBet
from tests.analyses.monitor.numerics.test_betting_confidence_sequence import symmetry_interval

D = np.array([2, 1, 3, -1, 2, 4, 0, 3, 1, 2, 2, 3, -2, 1, 5, 2, 1, 3, 2, 0]) / 100


@pytest.fixture
def scores(draw, table):
    rows = draw(20, {"a": 0.0, "b": 0.0})
    rows["value"] = np.where(rows["algorithm"] == "a", D[rows["replication"] - 1], 0.0)
    return table(rows)


def test_e_values_and_anytime_p(scores):
    one = bi.monitor(scores, method="anytime", alternative="better")
    row = one.contrasts(all=True).iloc[0]
    assert row["log_e"] == pytest.approx(5.430573044551976, rel=1e-9)
    assert row["winner"] == "a"
    path = one.path()
    assert (path["log_e"] >= np.log(20)).idxmax() + 1 == 11
    assert path["p_raw"].head(3).tolist() == pytest.approx([0.721790967, 0.537748361, 0.335059358])
    both = bi.monitor(scores, method="anytime").contrasts(all=True).iloc[0]
    assert both["log_e"] == pytest.approx(4.737935429040581, rel=1e-9)
    assert (both["conf_low"], both["conf_high"]) == pytest.approx((0.0041, 0.0290), abs=1e-4)
    low, high = symmetry_interval(D, 0.05)
    assert (both["conf_low"], both["conf_high"]) == pytest.approx((low, high), abs=1e-5)


@pytest.mark.slow
def test_paths_do_not_depend_on_when_they_are_looked_at(scores, tmp_path):
    whole = bi.monitor(scores, method="anytime", state=tmp_path / "whole.json")
    for n in (3, 4, 11, 20):
        part = scores.subset(replications=[str(r) for r in range(1, n + 1)])
        found = bi.monitor(part, method="anytime", state=tmp_path / "s.json")
    np.testing.assert_allclose(found.path()["log_e"], whole.path()["log_e"])
    pd.testing.assert_frame_equal(found.contrasts(all=True), whole.contrasts(all=True))


def test_evidence_of_data_sets_multiplies(draw, table):
    rows = draw(40, {"a": 0.0, "b": 0.3}, datasets=3)
    found = bi.monitor(table(rows), method="anytime", alternative="worse")
    y = rows.pivot_table(index=["dataset", "replication"], columns="algorithm", values="value")
    d = (y["a"] - y["b"]).to_numpy().reshape(3, 40)
    each = [SymmetryBet().after(row)[1].down[-1] for row in d]
    assert found.contrasts(all=True)["log_e"].iloc[0] == pytest.approx(sum(each))
    np.testing.assert_allclose(found.stages()["log_e_dataset"], each)
    ends = np.mean([symmetry_interval(row, 0.05 / 3) for row in d], axis=0)
    row = found.contrasts(all=True).iloc[0]
    assert [row["conf_low"], row["conf_high"]] == pytest.approx(ends.tolist(), abs=1e-3)


def test_pairs_are_adjusted_by_holm(draw, table):
    found = bi.monitor(table(draw(40, {"a": 0.0, "b": 0.4, "c": 1.5})), method="anytime")
    p = found.contrasts(all=True).sort_values("p_raw")
    expected = np.maximum.accumulate(np.minimum(p["p_raw"] * [3, 2, 1], 1))
    np.testing.assert_allclose(p["p_value"], expected)


def test_equivalent_when_the_sequence_lies_within_the_tolerance(draw, table, tmp_path):
    rows = draw(400, {"a": 0.0, "b": 0.0, "c": 0.0}, seed=5)
    scores = table(rows, tolerance=0.5)
    found = bi.monitor(scores, method="anytime", state=tmp_path / "s.json")
    table_ = found.contrasts(all=True)
    assert set(table_["verdict"]) == {"equivalent"}
    assert (table_[["conf_low", "conf_high"]].abs() < 0.5).all().all()
    assert found.decision == "decided"
    # It stays so when more is known of one of them only.
    more = draw(500, {"a": 0.0, "b": 0.0, "c": 0.0}, seed=6)
    more = more[(more["replication"] > 400) & (more["algorithm"] == "a")]
    later = table(pd.concat([rows, more]), tolerance=0.5)
    assert bi.monitor(later, method="anytime", state=tmp_path / "s.json").decision == "decided"


def test_a_difference_that_does_not_matter_is_equivalent(draw, table):
    rows = draw(2000, {"a": 0.0, "b": 0.3})
    found = bi.monitor(table(rows, tolerance=1.0), method="anytime").contrasts(all=True).iloc[0]
    assert found["p_value"] < 0.05
    assert found["verdict"] == "equivalent"


def test_bets_on_a_mean(draw):
    rows = draw(60, {"a": 0.0, "b": 0.3})
    rows["value"] = 1 / (1 + np.exp(-rows["value"]))
    scores = bi.read_scores(
        rows,
        measures=bi.Measure("acc", "higher", bounds=(0, 1)),
        resampling=bi.Resampling("independent", paired=True),
    )
    found = bi.monitor(scores, method="anytime", null="mean", alternative="worse")
    y = rows.pivot_table(index="replication", columns="algorithm", values="value")
    _, paths = MeanBet(1.0).after((y["a"] - y["b"]).to_numpy())
    assert found.contrasts(all=True)["log_e"].iloc[0] == pytest.approx(paths.down[-1])
    row = found.contrasts(all=True).iloc[0]
    assert row["conf_low"] < (y["a"] - y["b"]).mean() < row["conf_high"]
    both = bi.monitor(scores, method="anytime", null="mean").contrasts(all=True).iloc[0]
    assert (both["conf_high"] < 0) == (both["p_value"] <= 0.05)


def test_a_budget_ends_it(draw, table):
    scores = table(draw(100, {"a": 0.0, "b": 0.0}))
    found = bi.monitor(scores, method="anytime", stage=20, last_stage=4)
    assert found.decision == "undecidable"
    assert found.contrasts(all=True)["n_used"].tolist() == [80]


def test_an_empty_sequence_is_said(table):
    d = np.random.default_rng(7).lognormal(0, 1.5, size=20_000)
    rows = pd.DataFrame(
        {
            "dataset": "d",
            "replication": np.repeat(np.arange(20_000), 2),
            "algorithm": np.tile(["a", "b"], 20_000),
            "value": np.column_stack([d, np.zeros(20_000)]).ravel(),
        }
    )
    found = bi.monitor(table(rows, tolerance=9.0), method="anytime")
    assert np.isnan(found.contrasts(all=True)["conf_low"].iloc[0])
    row = found.diagnostics().set_index("check").loc["empty confidence sequences"]
    assert not row["ok"]
    assert row["sentence"] == "No value is left for the difference of 1 pair (a and b)."
    assert found.contrasts(all=True)["verdict"].iloc[0] == "first"
