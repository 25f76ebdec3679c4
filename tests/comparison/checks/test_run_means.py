"""Runs as the units of every analysis, chosen by name or by the table."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.comparison.checks.run_means import run_means

BY_NAME = {
    "mixed": bi.compare_mixed,
    "permutation": bi.compare_permutation,
    "bootstrap": bi.compare_bootstrap,
    "pair": bi.compare_pair,
    "points": bi.compare_points,
    "wins": bi.compare_wins,
    "bayes": bi.compare_bayes,
    "meta": bi.compare_meta,
}
REFUSE = {"wins", "bayes", "meta"}  # one data set says nothing there


def of_runs(seed, cases=12, runs=4, machine=0.1, resampling="runs"):
    """Return times of two versions of one speed on a machine that drifts from run to run."""
    draw = np.random.default_rng(seed)
    rows = [
        {"case": f"c{c}", "run": f"{v}{r}", "version": v, "time": np.exp(level + noise)}
        for v in ("new", "old")
        for r in range(runs)
        for level in [draw.normal(0, machine)]
        for c, noise in enumerate(draw.normal(0, 0.005, cases))
    ]
    columns = {"case": "dataset", "run": "replication", "version": "algorithm"}
    return bi.read_scores(
        pd.DataFrame(rows), measures="time:lower:0:log", columns=columns, resampling=resampling
    )


@pytest.mark.parametrize("name", sorted(set(BY_NAME) - REFUSE))
@pytest.mark.parametrize("seed", range(5))
def test_an_analysis_by_name_has_the_means_of_runs_as_its_scores(name, seed):
    scores = of_runs(seed)
    means = run_means(scores, "time")
    options = {} if name in ("pair", "points", "mixed") else {"seed": 1}
    result, of_means = (BY_NAME[name](table, "time", **options) for table in (scores, means))
    pd.testing.assert_frame_equal(result.contrasts(), of_means.contrasts())
    assert result.setting.coverage.counts.tolist() == [[4, 4]]
    assert result.provenance.digest == of_means.provenance.digest
    assert any("runs are the units" in f.what for f in result.setting.coverage.findings)


@pytest.mark.parametrize("name", sorted(REFUSE))
def test_an_analysis_that_needs_several_data_sets_takes_no_cases_for_them(name):
    with pytest.raises(bi.errors.DesignError, match="data set"):
        BY_NAME[name](of_runs(1), "time")


@pytest.mark.slow
def test_versions_of_one_speed_differ_by_name_no_more_often_than_the_level_says():
    """Cases as data sets would find a difference in nearly every table."""
    decided = 0
    for seed in range(100):
        verdict = bi.compare_mixed(of_runs(seed), "time").contrasts()["verdict"].item()
        decided += verdict in ("first", "second")
    assert decided <= 12  # 5 expected; 13 or more in 0.1 % of such series


def test_cases_that_are_said_to_be_independent_are_data_sets():
    scores = of_runs(1, resampling="independent")
    assert len(bi.compare_mixed(scores, "time").setting.coverage.datasets) == 12


def test_a_front_and_several_measures_watched_take_no_cases_for_data_sets():
    rows = of_runs(1).to_frame()
    long = rows.rename(columns={"value": "a"}).drop(columns="measure", errors="ignore")
    long["b"] = long["a"] * 2
    scores = bi.read_scores(
        long,
        measures={"a": "lower", "b": "lower"},
        resampling="runs",
        columns={n: n for n in ("dataset", "algorithm", "replication")},
    )
    with pytest.raises(bi.errors.DesignError, match="share the state of a machine"):
        bi.pareto(scores)
    with pytest.raises(bi.errors.DesignError, match="share the state of a machine"):
        bi.monitor_measures(scores, ["a", "b"])
