"""The command that plans an experiment."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import benchinfer as bi

TABLE = "example:simulated/balanced"


def test_a_plan_is_printed_with_other_designs(run: Callable) -> None:
    found = run("plan", TABLE, "--difference", 0.02, "--costs", "5,1")
    assert found.exit_code == 0, found.output
    lines = found.stdout.split("\n")
    assert lines[0].startswith("12 data sets with 5 replications each: a power of 80.63 %")
    assert "           5         12       10 to 17   120" in lines


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--n-datasets", 5, "--n-replications", 5), 3, "a power of 17.86 %"),
        (("--n-datasets", 3), 4, "Hint: --n-datasets 8 or more"),
        (("--budget", 10), 4, "Hint: --costs 20,1, of a data set"),
        (("--costs", "x"), 2, "numbers, separated by commas"),
        (("--aim", "x"), 2, "--aim"),
    ],
)
def test_exit_codes(run: Callable, arguments: tuple, code: int, said: str) -> None:
    found = run("plan", TABLE, "--difference", 0.02, *arguments)
    assert found.exit_code == code, found.output
    assert said in found.output


def test_given_data_sets_have_no_table_of_numbers(run: Callable) -> None:
    found = run("plan", TABLE, "--difference", 0.02, "--target", "datasets")
    assert "Data sets needed" not in found.stdout
    assert "these data sets and no others" in found.stdout
    both = run("plan", TABLE, "--difference", 0.02, "--target", "datasets", "--json")
    assert json.loads(both.stdout)["designs"] == []


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    rows = [
        f"{i},{a},{model},{(i * (3 + k) + a * i * k) % 7}"
        for i in range(20)
        for a in range(3)
        for k, model in enumerate("xy")
    ]
    file = tmp_path / "answers.csv"
    file.write_text("\n".join(["item,answer,model,score", *rows]))
    return file


NESTED = ("-m", "score:higher", "--units", "item,answer")


def test_more_items_or_more_answers(run: Callable, answers: Path, tmp_path: Path) -> None:
    options = (*NESTED, "--std-error", 0.2, "--costs", "1,0.1")
    found = run("allocate", answers, *options, "--report", tmp_path / "r.html")
    assert found.exit_code == 0, found.output
    assert "What more of each level would do" in found.stdout
    scores = bi.read_scores(answers, measures="score:higher", units=("item", "answer"))
    result = bi.allocate(scores, std_error=0.2, costs=(1, 0.1))
    said = run("allocate", answers, *options, "--json")
    held = json.loads(said.stdout)
    assert held["std_error"] == result.std_error
    assert [row["n_planned"] for row in held["levels"]] == list(result.counts)
    fixed = run(
        "allocate", answers, *NESTED, "--std-error", 0.5, "--costs", "1,1", "--fixed", "answer=2"
    )
    assert "2 answers per item" in fixed.stdout.replace("\n  ", " ")
    assert run("allocate", answers, *NESTED).exit_code == 0
    missing = run("plan", answers, *NESTED)
    assert missing.exit_code == 2
    assert "benchinfer allocate is for levels of units" in missing.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--std-error", 0.2, "--budget", 3), 2, "--budget"),
        (("--std-error", -1), 4, "larger than 0"),
        (("--std-error", 0.001, "--costs", "1,1", "--fixed", "item=20"), 4, "the least is"),
        (("--std-error", 0.2, "--costs", "1,1", "--fixed", "item"), 2, "whole numbers"),
        (("--fixed", "item=20"), 4, "goes with an error that is wanted"),
    ],
)
def test_levels_of_units_have_options_of_their_own(
    run: Callable, answers: Path, arguments: tuple, code: int, said: str
) -> None:
    found = run("allocate", answers, *NESTED, *arguments)
    assert found.exit_code == code, found.output
    assert said in found.output


def test_a_plan_needs_a_size(run: Callable) -> None:
    found = run("plan", TABLE)
    assert found.exit_code == 2
    assert "--difference" in found.output
