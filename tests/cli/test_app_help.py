"""Help of every command, and errors with their traceback."""

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from typer.main import get_command

from benchinfer.analyses import ANALYSES
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.cli.app import app
from benchinfer.cli.groups import names_table

ORDER = [
    *("init", "check", "describe", "compare", "consensus", "report", "subgroups", "gate"),
    *("board", "monitor", "plan", "allocate", "reproduce"),
]
COMMANDS = [
    *((name,) for name in ORDER if name != "compare"),
    *(("compare", name.replace("_", "-")) for name in ANALYSES),
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
        "'tukey' is none of factors, mixed, permutation, bayes, bootstrap, points, per-dataset"
        in wrong.stderr
    )


@pytest.mark.slow
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


def test_h_is_help(run: Callable) -> None:
    assert run("-h").stdout == run("--help").stdout
    for words in (("check",), ("compare",), ("compare", "mixed")):
        assert run(*words, "-h").stdout == run(*words, "--help").stdout, words


def test_help_shows_a_table_alone_and_examples(run: Callable) -> None:
    text = run("--help").stdout
    assert re.search(r"^Usage: .* SCORES \[MORE\]\.\.\. \[OPTIONS\]$", text, re.MULTILINE)
    examples = re.findall(r"^ +benchinfer (.*?)  ", text.split("Examples:")[1], re.MULTILINE)
    assert len(examples) == 5
    for example in examples:
        words = shlex.split(example)
        assert words[0] in ORDER or names_table(words[0]), words


def test_without_arguments_there_is_a_hint(run: Callable) -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("A table of scores is missing, or a command:\n")
    assert "scores.csv" in result.stderr
    assert "--help" in result.stderr


@pytest.mark.parametrize("command", [("check",), ("compare", "mixed"), ("plan",)], ids="-".join)
def test_a_table_that_is_missing_is_named(run: Callable, command: tuple[str, ...]) -> None:
    result = run(*command)
    assert result.exit_code == 2
    assert "SCORES is missing.\nHint: a file or a folder" in result.stderr


def test_python_m_runs_the_commands() -> None:
    words = [sys.executable, "-m", "benchinfer"]
    done = subprocess.run([*words, "check", "-h"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: python -m benchinfer check [OPTIONS]")
    assert subprocess.run(words, capture_output=True, check=False).returncode == 2


QUIET = {
    "check": (),
    "describe": (),
    "compare": (),
    "compare mixed": (),
    "compare points": ("--per-dataset",),
    "consensus": (),
    "report": ("--methods", "points"),
    "gate": ("--baseline", "a", "--candidate", "b"),
    "monitor": ("--state", "none"),
    "plan": ("--difference", "0.05"),
}


@pytest.mark.parametrize("command", QUIET)
def test_quiet_prints_nothing_and_ends_with_the_same_code(
    run: Callable, here: Callable, command: str
) -> None:
    words = [*command.split(), here('measures = ["error:lower:0.01"]\n'), *QUIET[command]]
    loud, quiet = run(*words), run(*words, "-q")
    assert loud.stdout
    assert "note  benchinfer.toml" in loud.stderr
    assert (quiet.stdout, quiet.stderr) == ("", "")
    assert quiet.exit_code == loud.exit_code != 1
    if command != "report":
        documents = [run(*words, "--json", *more).stdout for more in ((), ("--quiet",))]
        assert documents[0] == documents[1] != ""


def test_quiet_leaves_errors(run: Callable, clear: Path) -> None:
    assert run("check", "nowhere.csv", "-q").stderr.startswith("Error: ")
    assert run("init", clear, "-m", "error:higher:x", "-q").exit_code == 2
    assert run("reproduce", "-q").stdout == ""
    assert run("reproduce").stdout  # the next command is loud again
