"""Wrong usage is told in plain words."""

from collections.abc import Callable
from pathlib import Path

import pytest

PLAN = ("plan", "--difference", "0.1")


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--quantity", "foo", "'foo' is not one of 'average', 'next', 'dominant'."),
        ("--draws", "x", "not a whole number"),
        ("--seed", "x", "not a whole number"),
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
    found = run("compare", "k2.csv")
    assert found.exit_code == 2
    assert "a command comes first, as in" in found.stderr
    assert "compare mixed k2.csv" in found.stderr
    assert "one of mixed, meta, permutation" in found.stderr
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
