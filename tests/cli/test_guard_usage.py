"""Wrong usage is told in plain words."""

from collections.abc import Callable
from pathlib import Path

import pytest

PLAN = ("plan", "--difference", "0.1")


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--quantity", "foo", "'foo' is not one of 'average', 'next'."),
        ("--draws", "x", "not a whole number"),
        ("--seed", "x", "'x' is neither an integer nor random."),
        ("--level", "x", "not a number"),
    ],
)
def test_no_words_of_the_library_that_checks(
    run: Callable, option: str, value: str, said: str
) -> None:
    found = run("compare", "bayes", "example:demsar2006", option, value)
    assert found.exit_code == 2
    assert found.stderr.strip().endswith(f"Invalid value for '{option}': {said}")


def test_a_table_in_the_place_of_a_command(run: Callable) -> None:
    found = [run(*words, "k2.csv") for words in ((), ("compare",), ("compare", "auto"))]
    assert {(each.exit_code, each.stderr) for each in found} == {(4, found[0].stderr)}
    assert "k2.csv" in found[0].stderr
    found = run("compare", "mixde", "k2.csv")
    assert found.exit_code == 2
    assert "did you mean 'mixed'?" in found.stderr
    assert "one of auto, factors, mixed, meta, permutation" in found.stderr
    found = run("compre")
    assert found.exit_code == 2
    assert "did you mean 'compare'?" in found.stderr


@pytest.mark.parametrize(
    "command", [("check",), ("describe",), ("compare", "mixed"), ("consensus",), PLAN]
)
def test_the_option_that_names_a_measure_declares_it(
    run: Callable, tmp_path: Path, command: tuple[str, ...]
) -> None:
    table = tmp_path / "scores.csv"
    rows = [f"d{d},{a},0.{d}{x}" for d in range(6) for x, a in enumerate("abc")]
    table.write_text("\n".join(["dataset,algorithm,auc", *rows]))
    short = run(*command, table, "-m", "auc:higher:0.01")
    assert short.exit_code != 2, short.output
    assert short.stdout == run(*command, table, "--measures", "auc:higher:0.01").stdout
    found = run(*command, table, "-m", "auc:higher", "--measures", "auc:higher")
    assert found.exit_code == 2
    assert "declares a measure, as --measures does" in found.stderr
    assert run(*command, table, "-m", "auc:up").exit_code == 2


def test_options_of_one_value_are_given_once(run: Callable) -> None:
    twice = ("-m", "error", "--measure", "seconds")
    result = run("compare", "points", "example:sklearn_bootstrap", *twice)
    assert result.exit_code == 2
    assert "--measure is given twice; it takes one value." in result.stderr


@pytest.mark.parametrize("command", ["check", "describe"])
def test_several_measures_are_kept(run: Callable, tmp_path: Path, command: str) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("task,model,f1,auc,seconds\na,x,1,2,3\na,y,2,3,4\nb,x,3,4,6\nb,y,2,2,9\n")
    result = run(command, path, "-m", "f1:higher", "-m", "seconds:lower")
    said = " ".join(result.stdout.split())
    assert "f1, higher is better" in said
    assert "seconds, lower is better" in said
    assert "auc, " not in said


def test_a_measure_that_is_nearly_a_column(run: Callable, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("task,model,accuracy\na,x,0.9\na,y,0.8\nb,x,0.7\nb,y,0.6\n")
    result = run("check", path, "-m", "accurcy:higher")
    assert result.exit_code == 4
    assert "did you mean the measure 'accuracy'?" in result.stderr


def test_a_report_without_tests_has_no_level(run: Callable, tmp_path: Path) -> None:
    path, page = tmp_path / "scores.csv", tmp_path / "report.html"
    path.write_text("task,model,accuracy\na,x,0.9\na,y,0.8\nb,x,0.7\nb,y,0.6\n")
    run("report", path, "-m", "accuracy:higher", "--methods", "points", "-o", page)
    text = page.read_text(encoding="utf-8")
    assert "nan %" not in text
    assert "nothing was tested" in text


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("compare", "mixed", "TABLE", "-m", "auc:higher", "--control", "svmm"), "svm"),
        (("gate", "TABLE", "-m", "auc:higher", "--baseline", "svm", "--candidate", "knnn"), "knn"),
        (("compare", "mixed", "TABLE", "-m", "auc:higher", "--dataset", "irs"), "iris"),
        (("compare", "example:sklearn_bootstrap", "-m", "eror"), "error"),
        (("check", "TABLE", "--column", "modle=algorithm", "-m", "auc:higher"), "model"),
        (("check", "TABLE", "--column", "model=algoritm", "-m", "auc:higher"), "algorithm"),
        (("check", "TABLE", "--where", "model = 'svn'", "-m", "auc:higher"), "svm"),
        (("check", "TABLE", "--names", "svn=SVM", "-m", "auc:higher"), "svm"),
        (("check", "TABLE", "--covariates", "tas", "-m", "auc:higher"), "task"),
    ],
)
def test_what_was_meant_is_named(
    run: Callable, tmp_path: Path, words: tuple[str, ...], meant: str
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("task,model,auc\niris,svm,0.9\niris,knn,0.8\nwine,svm,0.7\nwine,knn,0.6\n")
    found = run(*(path if word == "TABLE" else word for word in words))
    assert found.exit_code in (2, 4)
    assert f"did you mean {meant}" in found.stderr.replace("'", "")


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ((), "benchinfer [OPTIONS] {SCORES}"),
        (("compare",), "benchinfer compare [OPTIONS] {SCORES}"),
        (("compare", "auto"), "benchinfer compare auto [OPTIONS] {SCORES}"),
        (("gate",), "benchinfer gate [OPTIONS] {SCORES}"),
    ],
)
def test_the_usage_line_has_the_words_that_were_typed(
    run: Callable, typed: tuple[str, ...], line: str
) -> None:
    found = run(*typed, "a.csv", "--no-such-option")
    assert found.exit_code == 2
    assert found.stderr.splitlines()[0].startswith(f"Usage: {line}".replace("benchinfer", "root"))
