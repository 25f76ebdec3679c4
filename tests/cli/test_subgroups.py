"""The command `subgroups`."""

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


def test_one_subsample_is_wrong_usage(run: Run, files: Files) -> None:
    assert run("subgroups", *files, "--stability", 1).exit_code == 2
