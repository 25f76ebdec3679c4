"""What `compare pair` can be asked, and what it says of its test."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

ROWS = [(0.82, 0.80), (0.85, 0.81), (0.79, 0.78), (0.84, 0.80), (0.83, 0.82)]


@pytest.fixture
def folds(tmp_path: Path) -> tuple[str, ...]:
    path = tmp_path / "folds.csv"
    lines = ["fold,svm,knn", *(f"{i},{a},{b}" for i, (a, b) in enumerate(ROWS))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    given = ("--measures", "accuracy:higher:0.01", "--layout", "wide-algorithms")
    return ("compare", "pair", str(path), *given, "--resampling", "cv:5")


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
