"""Help of every command, and errors with their traceback."""

import re
import shlex
from collections.abc import Callable
from dataclasses import fields

import pytest
from typer.main import get_command

from benchinfer.analyses import ANALYSES
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.cli.app import app

ORDER = [
    *("init", "check", "describe", "compare", "consensus", "report", "subgroups", "gate"),
    *("monitor", "plan", "reproduce"),
]
COMMANDS = [
    *((name,) for name in ORDER if name != "compare"),
    *(("compare", name) for name in ANALYSES),
]


def test_commands_are_in_the_order_of_work(run: Callable) -> None:
    text = run("--help").stdout.split("Commands:")[1]
    assert re.findall(r"^  (\w+) ", text, flags=re.MULTILINE) == ORDER


@pytest.mark.parametrize("command", COMMANDS, ids="-".join)
def test_options_of_the_command_come_before_those_of_the_table(
    run: Callable, command: tuple[str, ...]
) -> None:
    text = run(*command, "--help").stdout
    panels = re.findall(r"^(\w[\w ]+):$", text, flags=re.MULTILINE)
    assert panels in (
        ["Arguments", "Options", "Output", "Reading the table"],
        ["Arguments", "Output", "Reading the table"],
        ["Arguments", "Output"],  # of `reproduce`, whose tables are those of studies
    )
    if "Reading the table" in panels:
        reading = text.split("Reading the table:")[1]
        assert "--measures" in reading
        assert "--level" not in reading
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("command", COMMANDS, ids="-".join)
def test_each_help_ends_with_an_example_and_exit_codes(
    run: Callable, command: tuple[str, ...]
) -> None:
    end = run(*command, "--help").stdout.split("Example:\n")[1]
    example, codes = re.split(r"\n\s*\n\s*Exit codes: ", end)
    words = shlex.split(example.replace("\\\n", " "))
    assert words[: len(command) + 1] == ["benchinfer", *command]
    assert codes.startswith("0 ")
    # The example is understood, though not run.
    one = get_command(app)
    for name in command:
        one = one.get_command(None, name)
    assert one.make_context(command[-1], words[len(command) + 1 :]).params


def test_the_traceback_of_an_error(run: Callable) -> None:
    assert "Traceback" not in run("check", "nowhere.csv").stderr
    found = run("check", "nowhere.csv", "--debug")
    assert found.exit_code == 4
    assert "Traceback" in found.stderr
    assert found.stderr.rstrip().endswith("Hint: looked in the current folder.")


def test_top_goes_without_all(run: Callable) -> None:
    found = run("describe", "example:demsar2006", "--top", 3, "--all")
    assert found.exit_code == 2
    assert "--top" in found.stderr


def test_methods_level_and_title_of_a_report(run: Callable, tmp_path) -> None:
    path = tmp_path / "page.html"
    found = run(
        *("report", "example:simulated/balanced", "-o", path, "--methods", "points"),
        *("--title", "Ours & <theirs>"),
    )
    assert found.exit_code == 0, found.output
    text = path.read_text(encoding="utf-8")
    assert "<title>Ours &amp; &lt;theirs&gt;</title>" in text
    assert "compare_points" in text
    assert "compare_mixed(" not in text
    wrong = run("report", "example:simulated/balanced", "--methods", "tukey")
    assert wrong.exit_code == 2
    assert (
        "'tukey' is none of mixed, permutation, bayes, bootstrap, points, per-dataset"
        in wrong.stderr
    )


def test_level_and_seed_reach_the_analyses(run: Callable, tmp_path) -> None:
    path = tmp_path / "page.html"
    found = run(
        *("report", "example:simulated/balanced", "-o", path, "--methods", "permutation"),
        *("--level", "0.9", "--seed", "7"),
    )
    assert found.exit_code == 0, found.output
    text = path.read_text(encoding="utf-8")
    assert "level=0.9" in text
    assert "seed=7" in text


def _options(one, path=()):
    for name in getattr(one, "commands", ()) or (
        one.list_commands(None) if hasattr(one, "list_commands") else ()
    ):
        yield from _options(one.get_command(None, name), (*path, name))
    yield from ((*path, option.name, getattr(option, "help", None) or "") for option in one.params)


def test_help_of_options_begins_with_a_noun():
    found = list(_options(get_command(app)))
    assert len(found) > 100
    asking = re.compile(r"(What|How|Which|Whether|Where)\b")
    assert [row for row in found if asking.match(row[-1])] == []


def test_help_names_the_priors(run: Callable) -> None:
    text = run("compare", "bayes", "--help").stdout
    assert all(field.name in text for field in fields(Priors))
