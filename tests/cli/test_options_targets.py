"""Traces of optimisers on the command line."""

import json

import pytest

from benchinfer import read_traces
from tests.scores.test_read_traces import traces


@pytest.mark.slow
def test_targets_are_values_with_a_comma_or_numbers_of_them(run, tmp_path):
    frame = traces().rename(columns={"algorithm": "optimizer", "evaluations": "calls"})
    frame.to_csv(tmp_path / "traces.csv", index=False)
    source = str(tmp_path / "traces.csv")
    roles = ("--column", "optimizer=algorithm")
    options = ("-m", "loss:lower", "-m", "calls:lower", *roles)
    said = run("check", source, *options, "--targets", "1,0.01").stdout
    assert "Runs solved, and mean calls to 0.01 up to 400" in said
    one = json.loads(run("check", source, *options, "--targets", "1,", "--json").stdout)
    assert [m["name"] for m in one["measures"]] == ["calls to 1"]
    given = {"measures": ["loss:lower", "calls:lower"], "columns": {"optimizer": "algorithm"}}
    means = read_traces(source, 51, **given).describe("calls").groupby("algorithm")["mean"]
    several = ("--measures", "loss:lower", "--measures", "calls:lower", *roles, "--targets", "51")
    said = run("compare", "points", source, *several, "--measure", "calls", "--json").stdout
    rows = json.loads(said)["summary"]
    assert {row["algorithm"]: row["estimate"] for row in rows} == pytest.approx(dict(means.mean()))
