"""The option that names covariates."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchinfer.cli.options.source import SourceArguments


@pytest.fixture
def features(tmp_path: Path) -> Path:
    """Write a table with features of the data sets, one of them not a number."""
    path = tmp_path / "scores.csv"
    path.write_text(
        "dataset,algorithm,value,n rows,size,kind\n"
        "d,a,0.1,150,3,x\nd,b,0.2,150,4,x\ne,a,0.3,90,5,y\ne,b,0.4,90,6,y\n",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize(
    ("text", "names"),
    [(None, ()), ("", ()), ("size", ("size",)), ("n rows, size", ("n rows", "size"))],
)
def test_names_are_separated_by_commas(features: Path, text: str, names: tuple) -> None:
    scores = SourceArguments(str(features), measures=["acc:higher"], covariates=text).read()
    assert scores.covariates == names


def test_covariates_are_options_of_each_command(run: Callable, features: Path) -> None:
    arguments = (features, "--measures", "acc:higher", "--covariates")
    done = run("describe", *arguments, "n rows,size")
    assert done.exit_code == 0
    assert done.output == run("describe", *arguments[:-1]).output
    wrong = run("describe", *arguments, "kind")
    assert wrong.exit_code == 4
    assert "4 scores have a covariate 'kind' that is not a number." in wrong.output


def test_an_argument_wins_over_the_file_beside(run: Callable, features: Path) -> None:
    toml = 'covariates = ["size"]\n[measures.acc]\nbetter = "higher"\n'
    (features.parent / "measures.toml").write_text(toml, encoding="utf-8")
    assert SourceArguments(str(features)).read().covariates == ("size",)
    assert SourceArguments(str(features), covariates="n rows").read().covariates == ("n rows",)
    assert run("describe", features).exit_code == 0
