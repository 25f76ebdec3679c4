"""What `compare mixed` can be asked, and what it says of its model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BOOTSTRAP = ("compare", "mixed", "example:sklearn_bootstrap", "--measure", "error")


def _document(run: Callable, *arguments: object) -> dict[str, Any]:
    return json.loads(run(*arguments, "--json").stdout)


def test_pairs_that_are_not_compared_are_not_called_undecided(run: Callable) -> None:
    text = run(*BOOTSTRAP, "--control", "svm").stdout
    assert "    svm ? mlp, svm ? rf, svm ? knn, svm ? lda\n" in text
    assert "    10 of 15 pairs are not compared\n" in text


@pytest.mark.parametrize(
    ("measure", "alternative", "said", "end"),
    [
        ("error", "worse", "at least 0.027", "conf_high"),
        ("error", "better", "at most 0.209", "conf_low"),
        ("seconds", "better", "at most 0.661", None),
        ("seconds", "worse", "at least 0.355", "conf_high"),
    ],
)
def test_one_sided_bounds(
    run: Callable, measure: str, alternative: str, said: str, end: str | None
) -> None:
    arguments = (*BOOTSTRAP[:4], measure, "--control", "svm", "--alternative", alternative)
    text = run(*arguments).stdout
    assert said in text
    assert "95 % bound" in text
    assert "p not worse" in text
    assert "inf" not in text
    row = _document(run, *arguments)["contrasts"][0]
    other = {"conf_low", "conf_high"} - {end}
    assert [name for name in ("conf_low", "conf_high") if row[name] is None] == [end] * bool(end)
    assert all(isinstance(row[name], float) for name in other)


@pytest.mark.slow
def test_what_is_not_worse_is_said(run: Callable) -> None:
    arguments = (*BOOTSTRAP, "--control", "svm", "--alternative")
    worse = " ".join(run(*arguments, "worse").stdout.split())
    assert "Shown not to be worse by the tolerance: svm against cart, svm against knn" in worse
    better = " ".join(run(*arguments, "better").stdout.split())
    assert "Shown not to be worse by the tolerance: none." in better


def test_shares_of_variance_are_printed(run: Callable, clear: Path) -> None:
    text = " ".join(run(*BOOTSTRAP).stdout.split())
    assert (
        "Variance of single scores: dataset 51.7 %, dataset:algorithm 44.0 %,"
        " dataset:replication 1.0 %, residual 3.3 %." in text
    )
    lower = ("--measures", "error:lower:0.01")
    assert "Variance of single scores" not in run("compare", "points", clear, *lower).stdout


def test_what_a_model_does_not_answer_is_said(run: Callable) -> None:
    arguments = (*BOOTSTRAP, "--structure", "diagonal", "--details")
    text = " ".join(run(*arguments).stdout.split())
    assert "Not answered: influence is not worked out where the structure is diagonal" in text
    assert "Not answered: predictions are not worked out where the structure is diagonal" in text
    document = _document(run, *arguments)
    assert document["influence"] is None
    assert set(document["refused"]) == {"influence", "prediction"}


def test_domains_need_a_column(run: Callable) -> None:
    found = run("compare", "mixed", "example:simulated/balanced", "--domains", "separate")
    assert found.exit_code == 4
    assert "--column NAME=domain" in found.stderr


def test_a_covariate_that_was_not_read_is_wrong_usage(run: Callable) -> None:
    result = run(*BOOTSTRAP, "--covariate", "size")
    assert result.exit_code == 2
    assert "without covariates" in " ".join(result.stderr.split())


def test_averages_are_printed_in_no_order(run: Callable) -> None:
    text = run(*BOOTSTRAP, "--contrasts", "mean").stdout
    assert "rf is better than the mean of all" in " ".join(text.split())
    assert "are not compared" not in text
    assert "a > b" not in text
