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
