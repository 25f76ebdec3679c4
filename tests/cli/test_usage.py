"""Wrong usage is told in plain words."""

from collections.abc import Callable

import pytest


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


def test_a_measure_that_is_declared_where_it_is_to_be_named(run: Callable) -> None:
    found = run("report", "example:demsar2006", "--measure", "auc:higher:0.01")
    assert found.exit_code == 2
    assert "--measures auc:higher:0.01 declares it" in found.stderr
