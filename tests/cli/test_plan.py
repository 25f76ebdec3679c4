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


def test_json_holds_all_of_it(run: Callable) -> None:
    found = run("plan", TABLE, "--difference", 0.02, "--contrasts", "one", "--json")
    said = json.loads(found.stdout)
    plan = bi.plan(bi.load_example("simulated/balanced"), 0.02, contrasts=None)
    assert said["plan"] == plan.summary().iloc[0].to_dict()
    assert said["asked"] == "datasets"
    assert len(said["curve"]) == len(plan.curve())
    assert len(said["designs"]) == len(plan.designs())


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--n-datasets", 5, "--n-replications", 5), 3, "a power of 17.86 %"),
        (("--n-datasets", 3), 4, "Hint: --n-datasets 8 or more"),
        (("--budget", 10), 4, "Hint: --costs A,B."),
        (("--costs", "x"), 2, "two numbers"),
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


def test_a_report_of_the_plan(run: Callable, tmp_path: Path) -> None:
    file = tmp_path / "plan.html"
    found = run("plan", TABLE, "--difference", 0.02, "--report", file)
    assert found.exit_code == 0, found.output
    assert "Report:" in found.stdout
    assert "A plan to show a difference" in file.read_text(encoding="utf-8")
