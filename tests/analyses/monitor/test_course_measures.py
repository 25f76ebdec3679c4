"""Several measures decided together."""

import html
import json

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.monitor.course import Runs, runs
from benchinfer.core.errors import DesignError

MEASURES = {"acc": "higher", "sec": "lower"}
PAIRED = bi.Resampling("independent", paired=True)
METHODS = ["recursive", "anytime", "group-sequential"]


def two(n, acc, sec, seed=1, datasets=1):
    """Draw scores of two measures; the spread of a difference is about 1."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(datasets, n, len(acc), 2)) / np.sqrt(2) + np.stack([acc, sec], axis=-1)
    d, r, a, m = np.indices(y.shape).reshape(4, -1)
    return pd.DataFrame(
        {
            "dataset": d,
            "replication": r + 1,
            "algorithm": np.array(list("abcd"))[a],
            "measure": np.array(["acc", "sec"])[m],
            "value": y.ravel(),
        }
    )


def read(rows):
    return bi.read_scores(rows, measures=MEASURES, resampling=PAIRED)


@pytest.mark.parametrize("method", METHODS)
def test_each_measure_has_its_share_of_the_level(method):
    """But for Holm's steps a measure is decided as alone at half the level."""
    rows = two(250, [0.0, 0.2, 0.4], [0.0, 0.1, 1.0])
    both = bi.monitor_measures(read(rows), ["acc", "sec"], method=method)
    assert list(both) == ["acc", "sec"]
    for name in both:
        alone = bi.monitor(read(rows), name, method=method, level=0.975)
        mine = both[name]
        assert mine.design.n_pairs == 6
        if method == "anytime":
            np.testing.assert_allclose(
                mine.contrasts(all=True)["log_e"], alone.contrasts(all=True)["log_e"]
            )
            np.testing.assert_allclose(
                mine.contrasts(all=True)["conf_low"], alone.contrasts(all=True)["conf_low"]
            )
            continue
        assert (
            mine.contrasts(all=True)["state"].tolist()
            == alone.contrasts(all=True)["state"].tolist()
        )
        np.testing.assert_allclose(
            mine.contrasts(all=True)["p_raw"], alone.contrasts(all=True)["p_raw"]
        )
        np.testing.assert_allclose(
            mine.contrasts(all=True)["p_value"],
            np.minimum(2 * alone.contrasts(all=True)["p_value"], 1),
        )
        np.testing.assert_allclose(mine.path()["p_raw"], alone.path()["p_raw"])


@pytest.mark.slow
def test_holm_steps_go_over_all_measures():
    both = bi.monitor_measures(
        read(two(60, [0.0, 0.5], [0.0, 0.2])), ["acc", "sec"], method="anytime"
    )
    rows = both.contrasts(all=True)
    p = rows["p_raw"].to_numpy()
    order = np.argsort(p)
    expected = np.maximum.accumulate(np.minimum(p[order] * [2, 1], 1))
    np.testing.assert_allclose(rows["p_value"].to_numpy()[order], expected)


def test_an_experiment_ends_when_all_measures_are_decided(tmp_path):
    """An algorithm runs on for the measure that needs it, and a run serves all measures."""
    rows = two(250, [0.0, 3.0, 3.1], [0.0, 3.0, 0.0])
    first = bi.monitor_measures(
        read(rows[rows["replication"] <= 50]), ["acc", "sec"], state=tmp_path / "s.json"
    )
    assert first.decision == "go on"
    acc, sec = (
        first[name].contrasts(all=True).set_index(["first", "second"])["state"] for name in first
    )
    assert (acc["a", "b"], acc["a", "c"], acc["b", "c"]) == ("second", "second", "go on")
    assert (sec["a", "b"], sec["a", "c"], sec["b", "c"]) == ("first", "go on", "second")
    cells = first.next_cells()
    assert not cells.duplicated().any()
    assert cells.groupby("algorithm").size().to_dict() == {"a": 50, "b": 50, "c": 50}
    assert first["acc"].next_cells()["algorithm"].unique().tolist() == ["b", "c"]
    assert "All measures: Go on: 4 of 6 pairs decided and 2 going on." in str(first)
    last = bi.monitor_measures(read(rows), ["acc", "sec"], state=tmp_path / "s.json")
    assert last.decision == "undecidable"
    assert last["acc"].contrasts(all=True)["n_used"].tolist()[:2] == [50, 50]
    assert len(last.next_cells()) == 0
    stages = json.loads((tmp_path / "s.json").read_text())["stages"]
    assert stages[1][0]["algorithms"] == ["b (acc)", "c (acc)", "a (sec)", "c (sec)"]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_looks_one_by_one(method, tmp_path):
    rows = two(200, [0.0, 0.3, 0.9], [0.0, 0.2, 0.9], datasets=2)
    for n in (70, 150, 200):
        part = read(rows[rows["replication"] <= n])
        found = bi.monitor_measures(part, ["acc", "sec"], method=method, state=tmp_path / "s.json")
    again = bi.monitor_measures(part, ["acc", "sec"], method=method, state=tmp_path / "s.json")
    pd.testing.assert_frame_equal(again.contrasts(all=True), found.contrasts(all=True))
    saved = bi.load(found.save(tmp_path / "r.json"))
    pd.testing.assert_frame_equal(saved.contrasts(all=True), found.contrasts(all=True))
    assert set(found.diagnostics()["measure"]) == {"acc", "sec"}
    changed = rows.assign(value=rows["value"] + (rows["measure"] == "sec") * 0.1)
    with pytest.raises(bi.ScoreTableError, match="scores changed"):
        bi.monitor_measures(read(changed), ["acc", "sec"], method=method, state=tmp_path / "s.json")


def test_a_replication_counts_when_all_measures_have_it():
    rows = two(100, [0.0, 0.1], [0.0, 0.1])
    late = (rows["measure"] == "sec") & (rows["replication"] > 90)
    found = bi.monitor_measures(read(rows[~late]), ["acc", "sec"])
    assert found["acc"].contrasts(all=True)["n_used"].tolist() == [50]
    cells = found.next_cells()
    assert cells["replication"].unique().tolist() == [str(n) for n in range(91, 101)]
    assert bi.monitor_measures(read(rows), ["acc", "sec"])["acc"].contrasts(all=True)[
        "n_used"
    ].tolist() == [100]


def test_a_list_of_one_measure():
    rows = two(60, [0.0, 0.1], [0.0, 0.1])
    found = bi.monitor_measures(read(rows), ["acc"])
    alone = bi.monitor(read(rows), "acc")
    pd.testing.assert_frame_equal(found["acc"].contrasts(all=True), alone.contrasts(all=True))
    assert found.decision == alone.decision


def test_measures_that_cannot_be_watched_together():
    rows = two(60, [0.0, 0.1, 0.2], [0.0, 0.1, 0.2])
    part = rows[(rows["measure"] == "acc") | (rows["algorithm"] != "c")]
    with pytest.raises(bi.DesignError, match=r"same algorithms(.|\n)*sec +2"):
        bi.monitor_measures(read(part), ["acc", "sec"])
    with pytest.raises(bi.DesignError, match="each measure once"):
        bi.monitor_measures(read(rows), ["acc", "acc"])
    with pytest.raises(bi.DesignError, match="each measure once"):
        bi.monitor_measures(read(rows), [])


@pytest.mark.slow
def test_a_figure_and_a_report_of_all_measures(tmp_path):
    rows = two(50, [0.0, 3.0, 3.1], [0.0, 3.0, 0.0])
    both = bi.monitor_measures(read(rows), ["acc", "sec"])
    assert list(both.relations()) == ["acc", "sec"]
    assert both.relations()["acc"] == both["acc"].relation()
    said = both.plot().get_label()
    assert said.startswith("Verdicts about 3 pairs of algorithms by 2 measures")
    with pytest.raises(DesignError, match="kind of figure"):
        both.plot("path")
    text = both.report(tmp_path / "r.html", scores=read(rows)).read_text(encoding="utf-8")
    assert text.count("Where the experiment stands") >= 2
    call = "bi.monitor_measures(scores, ['acc', 'sec'], last_stage=5)['sec'],"
    assert call in html.unescape(text)
    assert text.count("What is owed to the order") >= 2


def test_runs_serve_all_measures():
    """b and c go on by acc, a and c by sec: all three run on."""
    both = bi.monitor_measures(read(two(50, [0.0, 3.0, 3.1], [0.0, 3.0, 0.0])), ["acc", "sec"])
    assert runs(*both.values()) == Runs(150, 750, 750, ended=False)
    assert runs(both["acc"]) == Runs(150, 550, 750, ended=False)


@pytest.mark.slow
def test_words_of_several_measures(tmp_path):
    both = bi.monitor_measures(read(two(50, [0.0, 3.0, 3.1], [0.0, 3.0, 6.0])), ["acc", "sec"])
    assert both["sec"].decision == "decided"
    assert both["sec"].headline().endswith("By this measure no pair goes on: 3 of 3 pairs decided.")
    assert "The experiment can stop" not in str(both)
    assert "(5 % over all measures, pairs and directions)" in both["acc"].rule
    text = both.report(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "5 % over all measures, pairs and looks; 0.8333 % for each of 3 pairs on each" in text
    assert "By this measure alone: 150 runs" in text
