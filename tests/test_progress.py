"""The bar: on a terminal, after a second, gone at the end."""

import io
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import benchinfer as bi
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
