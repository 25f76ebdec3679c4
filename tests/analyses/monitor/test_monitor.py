"""Decisions of whole experiments, against the recursion and in simulations."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.monitor.numerics.stages import Decision, recursion

THREE = {"a": 0.0, "b": 0.1, "c": 0.8}


def wide(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.pivot_table(index=["dataset", "replication"], columns="algorithm", values="value")


def test_recursions_are_those_of_the_stages(draw, table):
    rows = draw(250, THREE)
    found = bi.monitor(table(rows)).contrasts(all=True)
    y = wide(rows)
    for row in found.itertuples():
        d = (y[row.first] - y[row.second]).to_numpy().reshape(5, 50)
        up = np.array([stats.ttest_1samp(part, 0, alternative="greater").pvalue for part in d])
        p = np.stack([up, 1 - up])
        expected = recursion(p, "constant", 0.05 / 6, final=True)
        word = "first" if expected.decisions[0] == Decision.REJECT else "undecided"
        word = "second" if expected.decisions[1] == Decision.REJECT else word
        assert row.verdict == word
        overall = min(1, 6 * expected.p_values.min())
        assert row.p_value == pytest.approx(overall, rel=1e-9)
        end = expected.stages[p.shape[0] - 1 if word == "second" else 0]
        if word != "undecided":
            assert row.n_used == 50 * end
    assert set(found["verdict"]) == {"second", "undecided"}


def test_rows_of_stages_show_levels_and_boundaries(draw, table):
    stages = bi.monitor(table(draw(120, {"a": 0.0, "b": 0.05}))).stages()
    first = stages[stages["stage"] == 1]
    assert first["side"].tolist() == ["a", "b"]
    assert first["conditional_level"].tolist() == [0.025, 0.025]
    assert first["accept_above"].tolist() == [0.9, 0.9]
    assert first["p_stage"].sum() == pytest.approx(1)
    second = stages[(stages["stage"] == 2) & (stages["side"] == "a")]
    expected = first["critical"].iloc[0] / first["p_stage"].iloc[0]
    assert second["conditional_level"].iloc[0] == pytest.approx(expected)


def test_decided_pairs_retire_and_need_no_more(draw, table):
    rows = draw(250, {"a": 0.0, "b": 0.02, "c": 3.0})
    # c is run no more once it is known to be better than both.
    stopped = rows[(rows["algorithm"] != "c") | (rows["replication"] <= 50)]
    whole, short = (bi.monitor(table(part)) for part in (rows, stopped))
    assert whole.contrasts(all=True)["n_used"].tolist() == [250, 50, 50]
    pd.testing.assert_frame_equal(whole.contrasts(all=True), short.contrasts(all=True))


def test_next_cells_complete_the_stage(draw, table):
    rows = draw(120, {"a": 0.0, "b": 0.02, "c": 3.0})
    holes = (rows["algorithm"] == "b") & rows["replication"].isin([103, 107])
    found = bi.monitor(table(rows[~holes]))
    assert found.decision == "go on"
    cells = found.next_cells()
    assert set(cells["algorithm"]) == {"a", "b"}
    assert cells.head(2)["replication"].tolist() == ["103", "107"]
    assert cells["replication"].tolist()[2:4] == ["121", "121"]
    assert len(cells) == 2 + 2 * 30
    after = pd.concat(
        [rows[~holes], cells.assign(value=0.5, replication=cells["replication"].astype(int))]
    )
    assert bi.monitor(table(after)).contrasts(all=True)["n_used"].iloc[0] == 150


def test_decisions(draw, table):
    better, alike = {"a": 0.0, "b": 1.0}, {"a": 0.0, "b": 0.0}
    assert bi.monitor(table(draw(50, better))).decision == "decided"
    assert bi.monitor(table(draw(49, better))).decision == "go on"
    ended = bi.monitor(table(draw(250, alike, seed=3)))
    assert ended.decision == "undecidable"
    assert ended.contrasts(all=True)["state"].tolist() == ["not rejected"]
    assert ended.contrasts(all=True)["verdict"].tolist() == ["undecided"]
    assert len(ended.next_cells()) == 0
    assert "The experiment ends" in str(ended)


def test_futility_is_not_equality(draw, table):
    found = bi.monitor(table(draw(100, {"a": 1.0, "b": 0.0}), tolerance=5.0), alternative="worse")
    assert found.contrasts(all=True)["state"].tolist() == ["futile"]
    assert found.contrasts(all=True)["verdict"].tolist() == ["undecided"]
    checks = found.diagnostics().set_index("check")
    assert "no evidence of equality" in checks.loc["pairs stopped for futility", "sentence"]


def test_provisional_p_values_give_no_verdict(draw, table):
    found = bi.monitor(table(draw(100, {"a": 0.0, "b": 0.1}, seed=2)))
    row = found.contrasts(all=True).iloc[0]
    assert row["provisional"]
    assert row["verdict"] == "undecided"
    checks = found.diagnostics().set_index("check")
    assert not checks.loc["provisional p-values", "ok"]


def test_control_and_pair(draw, table):
    scores = table(draw(50, {"a": 0.0, "b": 3.0, "c": 3.0}))
    against = bi.monitor(scores, control="a").contrasts(all=True)
    assert against[["first", "second", "winner"]].to_numpy().tolist() == [
        ["b", "a", "b"],
        ["c", "a", "c"],
    ]
    one = bi.monitor(scores, pairs=("c", "a"))
    assert one.contrasts(all=True)[["first", "second", "winner"]].to_numpy().tolist() == [
        ["c", "a", "c"]
    ]
    assert one.stages()["conditional_level"].tolist()[0] == 0.025


def test_lower_is_better_mirrors(draw):
    rows = draw(250, THREE)
    paired = bi.Resampling("independent", paired=True)
    up = bi.read_scores(rows, measures={"x": "higher"}, resampling=paired)
    down = bi.read_scores(
        rows.assign(value=-rows["value"]), measures={"x": "lower"}, resampling=paired
    )
    for method in ("recursive", "anytime", "group-sequential"):
        one, other = (bi.monitor(s, method=method).contrasts(all=True) for s in (up, down))
        assert one["winner"].tolist() == other["winner"].tolist()
        np.testing.assert_allclose(one["p_value"], other["p_value"])
        np.testing.assert_allclose(one["estimate"], -other["estimate"])


def test_data_sets_are_combined_by_stage(draw, table):
    rows = draw(50, {"a": 0.0, "b": 0.3}, datasets=4)
    found = bi.monitor(table(rows), last_stage=1)
    y = wide(rows)
    d = (y["b"] - y["a"]).to_numpy().reshape(4, 50)
    each = np.array([stats.ttest_1samp(row, 0, alternative="greater").pvalue for row in d])
    whole = stats.combine_pvalues(each, method="stouffer").pvalue
    stages = found.stages()
    mine = stages[stages["side"] == "b"]
    np.testing.assert_allclose(mine["p_dataset"], each)
    np.testing.assert_allclose(mine["p_stage"], whole)
    assert found.contrasts(all=True)["p_value"].iloc[0] == pytest.approx(2 * whole)
    assert "taken together over these 4 data sets" in str(found).lower()


def test_overlapping_and_unpaired_replications_are_refused(draw, table):
    rows = draw(50, {"a": 0.0, "b": 0.3})
    with pytest.raises(bi.DesignError, match="training sets overlap"):
        bi.monitor(table(rows, resampling=bi.Resampling("cv", folds=10)))
    with pytest.raises(bi.DesignError, match=r"do not share the replications(.|\n)*paired=True"):
        bi.monitor(table(rows, resampling=bi.Resampling("seeds")))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"method": "magic"}, "unknown method 'magic'"),
        ({"rule": "magic"}, "unknown rule"),
        ({"target": "domain"}, "unknown target"),
        ({"stage": 1}, "stage is 1"),
        ({"last_stage": 0}, "last_stage is 0"),
        ({"level": 95}, "level is 95"),
        ({"alternative": "less"}, "unknown alternative"),
        ({"pairs": ("a", "z")}, "'z'"),
        ({"pairs": "best"}, "pairs is 'best'"),
        ({"pairs": ("a", "b"), "control": "a"}, "both given"),
        ({"control": "z"}, "unknown algorithm 'z'"),
        ({"method": "group-sequential", "last_stage": None}, "plans all its looks"),
        ({"method": "anytime", "null": "mean"}, "bounds"),
    ],
)
def test_what_cannot_be_asked(draw, table, arguments, said):
    with pytest.raises(bi.DesignError, match=said):
        bi.monitor(table(draw(50, {"a": 0.0, "b": 0.3})), **arguments)


def test_the_printed_rules_are_flagged(draw, table):
    scores = table(draw(250, {"a": 0.0, "b": 0.3}))
    checks = bi.monitor(scores, rule="literal").diagnostics().set_index("check")
    assert not checks.loc["boundaries as printed", "ok"]
    assert "boundaries as printed" not in set(bi.monitor(scores).diagnostics()["check"])


def test_skewed_differences_are_flagged(table, draw):
    rows = draw(100, {"a": 0.0, "b": 0.0})
    rows.loc[rows["algorithm"] == "b", "value"] += np.random.default_rng(1).chisquare(1, 100) - 1
    checks = bi.monitor(table(rows)).diagnostics().set_index("check")
    row = checks.loc["asymmetry of differences, in standard errors"]
    assert not row["ok"]
    assert ".75 to .94" in row["remedy"]


def test_ranks_are_proposed_for_unequal_units(table, draw):
    rows = draw(60, {"a": 0.0, "b": 0.3}, datasets=4)
    rows.loc[rows["dataset"] == "d2", "value"] *= 300
    row = bi.monitor(table(rows)).diagnostics().set_index("check").loc["unequal spread"]
    assert 'scores.normalise("ranks")' in row["remedy"]
    assert "min-max" not in row["remedy"]


def test_algorithms_that_never_differ(draw, table):
    rows = draw(50, {"a": 0.0, "b": 0.0})
    rows["value"] = rows["replication"].astype(float)
    for method in ("recursive", "anytime", "group-sequential"):
        found = bi.monitor(table(rows), method=method).contrasts(all=True)
        assert found["verdict"].tolist() == ["undecided"]
        assert found["p_value"].tolist() == [1.0]


@pytest.mark.slow
def test_errors_over_four_algorithms_are_controlled(draw, table):
    runs, wrong = 60, 0
    alike = dict.fromkeys("abcd", 0.0)
    for seed in range(runs):
        found = bi.monitor(table(draw(60, alike, seed=seed)), stage=12)
        wrong += (found.contrasts(all=True)["verdict"] != "undecided").any()
    assert wrong <= stats.binom.ppf(0.999, runs, 0.05)


def test_conditional_levels_of_the_rest(draw, table):
    scores = table(draw(100, {"a": 0.0, "b": 0.05}))
    found = bi.monitor(scores)
    assert found.decision == "go on"
    rest = found.redesign()
    # What the next stage would have as its level.
    more = draw(150, {"a": 0.0, "b": 0.05})
    third = bi.monitor(table(more)).stages()
    third = third[third["stage"] == 3].set_index("side")["conditional_level"]
    for side, level in third.items():
        mine = rest.set_index("side").loc[side, "conditional_level"]
        assert mine == pytest.approx(level, rel=0.05) or mine > 0  # other scores, same order
    with pytest.raises(bi.DesignError, match="no design to change"):
        bi.monitor(scores, method="anytime").redesign()
