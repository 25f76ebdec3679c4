"""The bar: on a terminal, after a second, gone at the end."""

import io
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

import benchinfer as bi
from benchinfer.cli.app import app
from benchinfer.core import progress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    found = _Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=found))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_LOOK", 0.0)
    return found


def test_a_bar_comes_and_goes(terminal: _Terminal) -> None:
    with progress.reporting(progress=True) as told:
        assert told is not None
        for _ in range(4):
            told("pairs", 25, 100)
        told("all algorithms", 10, 20)
    said = terminal.getvalue()
    for share in ("25%", "50%", "100%"):
        assert share in said
    assert "Resampling all algorithms" in said
    assert said.rstrip().endswith("\x1b[2K")  # the line is empty again


def test_a_task_of_the_same_name_begins_again(terminal: _Terminal) -> None:
    with progress.reporting(progress=True) as told:
        assert told is not None
        told("pairs", 10, 10)
        told("pairs", 1, 10)
    assert "10%" in terminal.getvalue()


def test_sampling_is_not_called_resampling(
    terminal: _Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchinfer.analyses.bayes.fit.WARM_UP", 50)
    scores = bi.load_example("demsar2006")
    bi.compare_bayes(scores, draws=100, chains=4, seed=1, progress=True)
    said = terminal.getvalue()
    assert "Sampling: warm-up" in said
    assert "Sampling: draws" in said
    assert "Resampling" not in said


def test_what_takes_no_second_shows_nothing(
    terminal: _Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 60.0)
    with progress.reporting(progress=True) as told:
        assert told is not None
        told("pairs", 100, 100)
    assert terminal.getvalue() == ""


def test_interrupted_bars_are_cleared(terminal: _Terminal) -> None:
    def interrupted() -> None:
        with progress.reporting(progress=True) as told:
            assert told is not None
            told("pairs", 1, 100)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert terminal.getvalue().rstrip().endswith("\x1b[2K")


@pytest.mark.parametrize("asked", [False, None])
def test_nothing_is_told_unasked(asked: bool | None) -> None:  # noqa: FBT001
    with progress.reporting(progress=asked) as told:
        assert told is None


def test_no_bar_where_nobody_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=file))
    with progress.reporting(progress=True) as told:
        assert told is None
    assert file.getvalue() == ""


@pytest.mark.parametrize("compare", [bi.compare_permutation, bi.compare_bootstrap])
def test_resamples_add_up(compare: Callable) -> None:
    done: dict[tuple[str, int], int] = {}

    def told(task: str, n: int, total: int) -> None:
        done[task, total] = done.get((task, total), 0) + n

    scores = bi.load_example("simulated/balanced")
    arguments = {"null": "monte-carlo"} if compare is bi.compare_permutation else {}
    loud = compare(scores, resamples=300, seed=1, progress=told, **arguments)
    assert done
    assert all(n % total == 0 for (_, total), n in done.items())
    silent = compare(scores, resamples=300, seed=1, progress=False, **arguments)
    assert loud.contrasts(all=True).equals(silent.contrasts(all=True))
    assert "progress" not in loud.provenance.arguments


class _Timer:
    """A timer without a clock: it is due where `late` says so."""

    def __init__(self, late: bool) -> None:  # noqa: FBT001 (a fake)
        self.late, self.events = late, list[str]()

    def __call__(self, seconds: float, call: Callable[[], None]) -> Any:
        self.seconds, self.call = seconds, call
        return self

    def start(self) -> None:
        self.events.append("start")
        if self.late:
            self.call()

    def cancel(self) -> None:
        self.events.append("cancel")


@pytest.mark.parametrize("late", [False, True])
def test_what_takes_long_is_said_in_a_line(terminal: _Terminal, late: bool) -> None:  # noqa: FBT001
    timer = _Timer(late)
    with progress.announced("Reading scores.csv (12.0 MB)", timer):
        assert timer.events == ["start"]
    assert timer.events == ["start", "cancel"]
    assert timer.seconds == 3.0
    assert terminal.getvalue() == ("Reading scores.csv (12.0 MB) ...\n" if late else "")


def test_what_fails_is_not_said_later(terminal: _Terminal) -> None:
    timer = _Timer(late=False)
    with pytest.raises(ZeroDivisionError), progress.announced("Reading", timer):
        raise ZeroDivisionError
    assert timer.events[-1] == "cancel"
    assert not terminal.getvalue()


def test_the_command_line_says_what_it_reads(
    terminal: _Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(
        "task,model,auc\n"
        + "".join(f"t{i},{m},0.{i}{len(m)}\n" for i in range(9) for m in ("x", "yy"))
    )
    monkeypatch.setattr(progress.announced.__wrapped__, "__defaults__", (_Timer(late=True),))
    found = CliRunner().invoke(app, ["check", str(path), "-m", "auc:higher"])
    assert found.exit_code in (0, 1)
    assert terminal.getvalue() == f"Reading {path} (0.0 MB) ...\n"
