"""Runs with a limit in the terminal: how many runs are solved, and by whom."""

import numpy as np
import pandas as pd

from tests.comparison.checks.test_tables_stopped import LIMIT, table


def test_check_prints_the_runs_solved_by_mean_time(run, tmp_path):
    frame, scores = table(20)
    frame.to_csv(tmp_path / "runs.csv", index=False)
    text = f"seconds:lower:10:identity:limit={LIMIT:g}"
    lines = run("check", str(tmp_path / "runs.csv"), "-m", text).stdout.splitlines()
    runs = scores.runs()
    at = next(n for n, line in enumerate(lines) if line.split()[:2] == ["algorithm", "solved"])
    for line, row in zip(lines[at + 1 : at + 16], runs.itertuples(), strict=False):
        said = [row.algorithm, str(row.solved), "of", "30"]
        assert line.split()[:4] == said
        assert line.split()[-1] == f"{row.restricted_mean:,.5g}"
    assert lines[at + 16] == "  ... and 5 more: scores.runs() has all"
    assert lines[at + 17].startswith("The order of the means holds for penalties from 1 to ")


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
    line = "Runs were stopped at the limit of 3,600 on 2 of 3 data sets, all runs on 1:"
    assert line in " ".join(said.split())
