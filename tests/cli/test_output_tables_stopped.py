"""Runs with a limit in the terminal: how many runs are solved, and by whom."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.comparison.checks.test_tables_stopped import LIMIT, table


def test_check_prints_the_runs_solved_by_mean_time(run, tmp_path):
    frame, scores = table(20)
    frame.to_csv(tmp_path / "runs.csv", index=False)
    text = f"seconds:lower:10:identity:limit={LIMIT:g}"
    lines = run("check", str(tmp_path / "runs.csv"), "-m", text).stdout.splitlines()
    runs = scores.runs().summary()
    at = next(n for n, line in enumerate(lines) if line.split()[:2] == ["algorithm", "solved"])
    for line, row in zip(lines[at + 1 : at + 16], runs.itertuples(), strict=False):
        said = [row.algorithm, str(row.solved), "of", "30"]
        assert line.split()[:4] == said
        assert line.split()[-1] == f"{row.restricted_mean:,.5g}"
    assert lines[at + 16] == "  ... and 5 more: scores.runs() has all"
    assert lines[at + 17].startswith("The order of the means holds for penalties from 1 to ")


def test_the_order_is_that_of_the_penalty(run, tmp_path):
    frame, _ = table()
    frame.to_csv(tmp_path / "runs.csv", index=False)
    text = f"seconds:lower:10:identity:limit={LIMIT:g}:par=2"
    said = " ".join(run("check", str(tmp_path / "runs.csv"), "-m", text).stdout.split())
    assert "The order of the PAR2 means holds for" in said


def test_gaps_in_check(run, tmp_path):
    frame, _ = table(gaps=True)
    frame.to_csv(tmp_path / "runs.csv", index=False)
    text = f"seconds:lower:10:identity:limit={LIMIT:g}"
    said = " ".join(run("check", str(tmp_path / "runs.csv"), "-m", text).stdout.split())
    assert "over 30 data sets, of each algorithm its own:" in said
    assert "No data set has runs of all algorithms" in said


def test_data_sets_on_which_all_runs_were_stopped(run, tmp_path):
    rng = np.random.default_rng(1)
    places = [("easy", 50.0), ("mixed", 3400.0), ("hard", 1e6)]
    frame = pd.DataFrame(
        {"dataset": d, "run": r, "algorithm": a, "seconds": min(t * rng.uniform(0.8, 1.2), LIMIT)}
        for d, t in places
        for r in range(12)
        for a in ("x", "y", "z")
    )
    frame.to_csv(tmp_path / "runs.csv", index=False)
    text = f"seconds:lower:10:identity:limit={LIMIT:g}"
    arguments = ("-m", text, "--column", "run=replication", "--per-dataset")
    said = run("compare", "points", str(tmp_path / "runs.csv"), *arguments).stdout
    line = "Runs were stopped at the limit of 3,600 on 2 of the 3 data sets, all runs on 1:"
    assert line in " ".join(said.split())
    lone = pd.DataFrame({"dataset": "lone", "run": range(12), "algorithm": "x", "seconds": LIMIT})
    pd.concat([frame, lone]).to_csv(tmp_path / "runs.csv", index=False)
    said = run("compare", "points", str(tmp_path / "runs.csv"), *arguments).stdout
    line = "on 2 of the 3 data sets that were compared, all runs on 1:"
    assert line in " ".join(said.split())


@pytest.mark.slow
def test_documents_count_the_runs_of_each_algorithm(run, tmp_path):
    frame, _ = table(4)
    frame["status"] = np.where(frame["seconds"] < LIMIT, "ok", "timeout")
    frame.loc[frame.index[frame["status"] == "timeout"][::3], "status"] = "crash"
    frame = frame.drop(frame.index[(frame["dataset"] == "d03") & (frame["algorithm"] == "s2")])
    frame.to_csv(tmp_path / "runs.csv", index=False)
    options = ("-m", f"seconds:lower:10:identity:limit={LIMIT:g}", "--json")
    source = str(tmp_path / "runs.csv")
    checked = json.loads(run("check", source, *options).stdout)["runs"]["seconds"]
    compared = json.loads(run("compare", "mixed", source, *options).stdout)["runs"]
    target = ("-o", str(tmp_path / "report.html"))
    reported = json.loads(run("report", source, *options, *target).stdout)["results"][0]["runs"]
    assert checked == compared == reported
    shared = frame[frame["dataset"] != "d03"].groupby("algorithm")["seconds"].mean()
    states = pd.crosstab(frame["algorithm"], frame["status"])
    assert [row["algorithm"] for row in checked] == shared.sort_values().index.tolist()
    assert sum(row["crashed"] for row in checked) > 0
    for row in checked:
        name = row["algorithm"]
        n = 29 if name == "s2" else 30
        ok, crash = int(states.loc[name, "ok"]), int(states.loc[name, "crash"])
        assert (row["n"], row["solved"], row["stopped"]) == (n, ok, n - ok)
        assert row["crashed"] == crash
        assert np.isclose(row["solved_share"], ok / n)
        assert np.isclose(row["restricted_mean"], shared[name])


def test_documents_of_measures_without_a_limit_have_no_runs(run):
    assert json.loads(run("check", "example:demsar2006", "--json").stdout)["runs"] == {}


def test_a_data_set_on_which_all_runs_were_stopped_says_so(run, tmp_path):
    frame, _ = table(3, 4)
    frame = pd.concat([frame.assign(run=r, seconds=frame["seconds"] * (1 + r / 9)) for r in (0, 1)])
    frame.loc[frame["dataset"] == "d02", "seconds"] = LIMIT
    frame["seconds"] = frame["seconds"].clip(upper=LIMIT)
    frame.to_csv(tmp_path / "runs.csv", index=False)
    text = f"seconds:lower:10:identity:limit={LIMIT:g}"
    arguments = ("-m", text, "--column", "run=replication", "--per-dataset", "--json")
    said = json.loads(run("compare", "mixed", str(tmp_path / "runs.csv"), *arguments).stdout)
    assert said["refused"]["d02"].startswith("all runs were stopped at the limit of 3,600")
