"""How pairs stood on their way, against monitoring no more than the scores of that time."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.monitor.stagewise import next_bounds

MEANS = {"a": 0.0, "b": 0.2, "c": 0.7}


def first(scores, n):
    return scores.subset(replications=[str(r) for r in range(1, n + 1)])


@pytest.mark.parametrize("method", ["recursive", "group-sequential"])
@pytest.mark.parametrize("datasets", [1, 2])
def test_paths_tell_what_was_known_after_each_stage(draw, table, method, datasets):
    scores = table(draw(100, MEANS, datasets=datasets))
    path = bi.monitor(scores, method=method, stage=20).path()
    for n in (20, 40, 60, 80, 100):
        then = bi.monitor(first(scores, n), method=method, stage=20).contrasts(all=True)
        for row in then.itertuples():
            mine = path[(path["first"] == row.first) & (path["second"] == row.second)]
            now = mine[mine["n"] == row.n_used].iloc[0]
            assert now["p_value"] == pytest.approx(row.p_value, rel=1e-12)
            assert now["state"] == row.state
            assert now["stage"] == row.n_used / 20
    early = path[path["n"] < 20]
    assert set(early["state"]) == {"go on"}
    assert early["p_value"].isna().all()
    assert (early["stage"] == 0).all()


def test_anytime_paths_tell_what_was_known_after_each_replication(draw, table):
    scores = table(draw(60, MEANS, datasets=2))
    path = bi.monitor(scores, method="anytime").path()
    for n in (3, 10, 25, 60):
        then = bi.monitor(first(scores, n), method="anytime").contrasts(all=True)
        now = path[path["n"] == n]
        for name in ("p_value", "p_raw", "log_e"):
            np.testing.assert_allclose(now[name], then[name], rtol=1e-9, atol=1e-12)
        # Between checkpoints the interval is the one of the last checkpoint.
        tiny = 0.01
        assert (now["conf_low"].to_numpy() <= then["conf_low"].to_numpy() + tiny).all()
        assert (now["conf_high"].to_numpy() >= then["conf_high"].to_numpy() - tiny).all()
    last = path.groupby(["first", "second"]).last()
    whole = bi.monitor(scores, method="anytime").contrasts(all=True).set_index(["first", "second"])
    for name in ("conf_low", "conf_high"):
        assert last[name].tolist() == whole[name].tolist()


def test_the_data_sets_by_themselves(draw, table):
    scores = table(draw(40, MEANS, datasets=2))
    for method in ("recursive", "anytime"):
        whole = bi.monitor(scores, method=method, stage=20).path(per_dataset=True)
        assert set(whole["dataset"]) == {"d1", "d2"}
        pair = whole[(whole["first"] == "a") & (whole["dataset"] == "d2")]
        alone = bi.monitor(scores.subset(datasets="d2"), method=method, stage=20)
        expected = alone.path()[alone.path()["first"] == "a"]
        both = pair.merge(expected, on=["first", "second", "n"])
        assert len(both) > 30
        np.testing.assert_allclose(both["p_raw_x"], both["p_raw_y"], rtol=1e-9)
        if method == "anytime":
            np.testing.assert_allclose(both["log_e_dataset"], both["log_e"], atol=1e-12)
            assert (both["conf_low_x"] <= both["conf_low_y"]).all()  # at half of the level
    one = bi.monitor(scores.subset(datasets="d1"), method="anytime").path(per_dataset=True)
    assert set(one["dataset"]) == {"d1"}
    assert "log_e_dataset" in one


def test_nothing_looked_at_has_an_empty_path(draw, table):
    found = bi.monitor(table(draw(10, MEANS)))
    assert len(found.path()) == len(found.path(per_dataset=True)) == 0


@pytest.mark.parametrize("rule", ["constant", "application", "scenario2-power"])
def test_boundaries_of_the_next_stage_are_those_that_it_has(draw, table, rule):
    scores = table(draw(100, {"a": 0.0, "b": 0.1}, seed=3))
    for stages in (0, 1, 2, 3, 4):
        now = bi.monitor(first(scores, max(20 * stages, 2)), rule=rule, stage=20)
        then = bi.monitor(first(scores, 20 * (stages + 1)), rule=rule, stage=20).stages()
        for side, name in ((1, "a"), (-1, "b")):
            found = next_bounds(now.course, now.design, 0, side)
            rows = then[(then["stage"] == stages + 1) & (then["side"] == name)]
            assert (found is None) == (len(rows) == 0)
            if found is not None:
                assert float(found.reject[0]) == pytest.approx(rows["reject_at"].iloc[0])
                assert float(found.accept[0]) == pytest.approx(rows["accept_above"].iloc[0])
