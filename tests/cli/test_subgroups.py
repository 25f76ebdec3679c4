"""The command `subgroups`."""

import json
from pathlib import Path

import pytest

from tests.analyses.subgroups.conftest import simulated
from tests.cli.conftest import Run

type Files = tuple[str | Path, ...]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    scores, features = simulated(40)
    scores.to_csv(tmp_path / "scores.csv", index=False)
    features.to_csv(tmp_path / "features.csv", index=False)
    options = ("-m", "accuracy:higher", "--layout", "wide-algorithms", "--tests", "asymptotic")
    return (tmp_path / "scores.csv", "--features", tmp_path / "features.csv", *options)


@pytest.mark.slow
def test_stability_is_printed_reported_and_in_json(run: Run, files: Files, tmp_path: Path) -> None:
    report = tmp_path / "where.html"
    many = ("--stability", 5, "--seed", 1)
    result = run("subgroups", *files, *many, "--report", report)
    assert result.exit_code == 0, result.output
    assert "In 5 subsamples of 25 of 40 data sets" in " ".join(result.output.split())
    assert "Stability of the groups" in report.read_text()
    again = json.loads(run("subgroups", *files, *many, "--json").output)["stability"]
    assert (again["resamples"], again["size"], again["seed"]) == (5, 25, 1)
    first, *others = again["characteristics"]
    assert first["characteristic"] == "size"
    assert len(others) == 2
    assert again["headline"] in " ".join(result.output.split())


def test_without_stability_there_is_none(run: Run, files: Files) -> None:
    document = json.loads(run("subgroups", *files, "--json").output)
    assert document["stability"] is None
    assert len(document["leaves"]) == 2


def test_one_subsample_is_wrong_usage(run: Run, files: Files) -> None:
    assert run("subgroups", *files, "--stability", 1).exit_code == 2
