"""Tables for a paper on the command line."""

from collections.abc import Callable

import pytest

import benchinfer as bi


@pytest.mark.parametrize(("form", "name"), [("tex", "latex"), ("md", "markdown")])
@pytest.mark.parametrize("rows", ["algorithms", "pairs", "datasets"])
def test_the_table_alone_is_printed(run: Callable, form: str, name: str, rows: str) -> None:
    scores = bi.load_example("demsar2006")
    given = {"scores": scores} if rows == "datasets" else {}
    table = bi.compare_points(scores).table(rows, **given)
    result = run("compare", "points", "example:demsar2006", "--table", form, "--rows", rows)
    assert result.stdout == getattr(table, f"to_{name}")()


def test_html_and_data_sets(run: Callable) -> None:
    result = run("compare", "points", "example:demsar2006", "--table", "html", "--per-dataset")
    assert result.stdout.lstrip().startswith("<style")
    assert "Levels of each data set by itself" in result.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--rows", "pairs"), "--rows"),
        (("--table", "md", "--json"), "--json"),
        (("--table", "md", "--details"), "--details"),
        (("--table", "md", "--rows", "pairs", "--per-dataset"), "--rows"),
    ],
)
def test_wrong_usage(run: Callable, options: tuple[str, ...], said: str) -> None:
    result = run("compare", "points", "example:demsar2006", *options)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""
