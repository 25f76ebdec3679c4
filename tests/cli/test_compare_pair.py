"""What `compare pair` can be asked, and what it says of its test."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from benchinfer.analyses.pair import compare

ROWS = [(0.82, 0.80), (0.85, 0.81), (0.79, 0.78), (0.84, 0.80), (0.83, 0.82)]


@pytest.fixture
def folds(tmp_path: Path) -> tuple[str, ...]:
    path = tmp_path / "folds.csv"
    lines = ["fold,svm,knn", *(f"{i},{a},{b}" for i, (a, b) in enumerate(ROWS))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    given = ("--measures", "accuracy:higher:0.01", "--layout", "wide-algorithms")
    return ("compare", "pair", str(path), *given, "--resampling", "cv:5")


def test_every_argument_reaches_the_library(
    run: Callable, folds: tuple[str, ...], spied: Callable
) -> None:
    given = spied(compare, "compare_pair")
    run(
        *folds,
        *("--test", "parts-t", "--pair", "svm, knn", "--margin", "0.02", "--alternative", "better"),
        *("--adjust", "hommel", "--level", "0.9", "--parts", "3"),
        *("--missing", "error", "--seed", "7"),
    )
    assert given == {
        "test": "parts-t",
        "pair": ("svm", "knn"),
        "control": None,
        "baseline": None,
        "margin": 0.02,
        "alternative": "better",
        "adjust": "hommel",
        "interval": "compatible",
        "level": 0.9,
        "parts": 3,
        "missing": "error",
        "seed": 7,
    }


def test_it_says_which_test_and_why(run: Callable, folds: tuple[str, ...]) -> None:
    words = " ".join(run(*folds, "--details").stdout.split())
    assert "The verdicts are those of the corrected resampled t-test" in words
    assert "It was chosen because scores come from 'cv', whose training sets overlap." in words
    assert "None of them decides; p-values are not adjusted." in words
    assert "Not made for these scores: paired t-test, Welch's t-test" in words
    assert "Are differences normal? first second test statistic p svm knn Shapiro-Wilk" in words


def test_posterior_probabilities(run: Callable, folds: tuple[str, ...]) -> None:
    printed = run(*folds, "--test", "bayes-t").stdout
    assert "first  equivalent  second  verdict" in printed
    assert "There is one pair, and nothing to adjust for." in printed


def test_refusals_name_options(run: Callable, folds: tuple[str, ...]) -> None:
    found = run(*folds, "--test", "t")
    assert found.exit_code == 4
    assert "Hint: --test corrected-t fits" in found.stderr
    several = run("compare", "pair", "example:sklearn_bootstrap", "-m", "error")
    assert "compare mixed makes claims" in several.stderr
    assert "compare pair --per-dataset compares" in several.stderr


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--pair", "svm"), "a pair of texts"),
        (("--pair", "svm,kn"), "unknown algorithm 'kn'"),
        (("--control", "kn"), "unknown control 'kn'"),
        (("--pair", "svm,knn", "--control", "svm"), "goes without"),
        (("--parts", "3"), "goes with --test parts-t"),
        (("--margin", "-1"), "tolerance"),
    ],
)
def test_wrong_usage(
    run: Callable, folds: tuple[str, ...], options: tuple[str, ...], text: str
) -> None:
    found = run(*folds, *options)
    assert found.exit_code == 2
    assert text in found.stderr


def test_json(run: Callable, folds: tuple[str, ...]) -> None:
    document = json.loads(run(*folds, "--json", "--details").stdout)
    assert document["test"]["name"] == "corrected-t"
    assert document["contrasts"][0]["df"] == 4
    assert {row["test"] for row in document["normality"]} == {"Shapiro-Wilk", "Lilliefors"}
    assert not any(row["fits"] for row in document["tests"])


@pytest.mark.slow
def test_per_dataset(run: Callable) -> None:
    bootstrap = ("compare", "pair", "example:sklearn_bootstrap", "-m", "error", "--per-dataset")
    found = run(*bootstrap, "--pair", "rf,svm", "--json")
    assert len(json.loads(found.stdout)["datasets"]) == 12


def test_one_data_set_of_several(run: Callable) -> None:
    several = ("compare", "pair", "example:sklearn_bootstrap", "-m", "error", "--json")
    found = json.loads(run(*several, "--dataset", "iris").stdout)
    assert found["headline"].startswith("On the data set iris as drawn, ")
    wrong = run(*several, "--dataset", "irs")
    assert wrong.exit_code == 2
    assert "unknown dataset 'irs'" in wrong.stderr


def test_a_number_in_place_of_an_algorithm(run: Callable, folds: tuple[str, ...]) -> None:
    found = run(*folds, "--baseline", "0.8")
    assert found.exit_code in {0, 3}, found.output
    assert "0.8" in found.stdout
    assert run(*folds, "--baseline", "0.8", "--pair", "svm,knn").exit_code == 2
