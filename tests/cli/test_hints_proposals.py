"""Proposals on the command line: printed as commands, and run at a terminal."""

import io
import re
import shlex
import sys
from itertools import product

import pytest

TABLE = "env_id,agent,seed,quality\n" + "".join(
    f"{e},{a},{s},{(len(e) * 7 + len(a) * s * 3) % 11}.{s}\n"
    for e, a, s in product(("ant", "hopper", "walker"), ("ppo", "ddpg"), range(1, 4))
)


@pytest.fixture
def runs(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def commands(text):
    return [
        shlex.split(line)[1:] for line in re.findall(r"^  (benchinfer .*)$", text, re.MULTILINE)
    ]


@pytest.mark.parametrize("typed", [["check"], ["compare", "mixed"], []])
def test_an_error_ends_with_the_command_that_works(run, runs, typed):
    failed = run(*typed, runs)
    assert failed.exit_code == 4
    (words, *_) = commands(failed.stderr)
    assert words[: len(typed) + 1] == [*typed, str(runs)]
    answer = run(*(word.replace("BETTER", "higher") for word in words))
    assert answer.exit_code in (0, 1, 3)
    assert not answer.stderr.startswith("Error")


class Keys(io.StringIO):
    """What is typed at a terminal."""

    def isatty(self):
        """Be a terminal."""
        return True


@pytest.fixture
def at_terminal(run, monkeypatch):
    """Run a command at a terminal, with what is typed there."""

    def command(*words, typed):
        monkeypatch.setattr("benchinfer.cli.hints.sys", Terminal(typed))
        return run(*words)

    return command


class Terminal:
    """The module sys, at a terminal."""

    def __init__(self, typed):
        self.stdin = Keys(typed)

    @property
    def stderr(self):
        """Standard error, said to be a terminal."""
        sys.stderr.isatty = lambda: True
        return sys.stderr


def test_enter_runs_the_first_proposal(at_terminal, runs):
    answer = at_terminal("check", runs, typed="\nup\nh\n")
    assert "$ benchinfer check" in answer.stderr
    assert "-m quality:higher" in answer.stderr
    assert "2 algorithms" in answer.stdout


@pytest.mark.parametrize("typed", ["n\n", "", "\n"])
def test_another_answer_ends(at_terminal, runs, typed):
    answer = at_terminal("check", runs, typed=typed)
    assert answer.exit_code == 4
    assert answer.stdout == ""


def test_directions_alone_are_asked_for(at_terminal, tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("task,model,score\nx,a,0.5\nx,b,0.6\n", encoding="utf-8")
    answer = at_terminal("check", path, typed="h\n")
    assert "Enter runs" not in answer.stderr
    assert f"$ benchinfer check {path} -m score:higher" in answer.stderr
    assert "2 algorithms" in answer.stdout
    assert at_terminal("check", path, typed="").exit_code == 4


@pytest.mark.usefixtures("runs")
def test_init_writes_what_is_accepted(at_terminal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert at_terminal("init", "runs.csv", typed="\nl\n").exit_code == 0
    text = (tmp_path / "benchinfer.toml").read_text(encoding="utf-8")
    assert '"quality:lower"' in text
    assert 'env_id = "dataset"' in text
