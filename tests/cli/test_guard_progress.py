"""A bar while a command works, on a terminal alone; and how an interrupted command ends."""

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# As if each resample took its time, so that nothing has to.
_CODE = (
    "from benchinfer.core import progress; progress._PATIENCE = 0.0; "
    "from benchinfer.cli import main; main()"
)
_LONG = ("compare", "bootstrap", "example:simulated/balanced", "--resamples", "1000", "--json")


def _on_a_terminal() -> tuple[bytes, bytes, int]:
    """Run with stderr on a terminal; return stdout, stderr and the exit code."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    command = [sys.executable, "-c", _CODE, *_LONG]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        out, said = process.stdout.read(), b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            said += part
    os.close(ours)
    return out, said, process.returncode


@pytest.mark.slow
def test_a_bar_on_a_terminal_is_cleared() -> None:
    out, said, code = _on_a_terminal()
    assert code == 0
    assert out.startswith(b"{")
    assert out.endswith(b"}\n")
    assert b"Resampling aggregates" in said
    assert b"100%" in said
    assert said.endswith(b"\x1b[2K")


def test_no_bar_in_a_pipe(run: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchinfer.core.progress._PATIENCE", 0.0)
    result = run(*_LONG)
    assert result.exit_code == 0
    assert result.stderr == ""


def test_an_interrupted_command_ends_in_one_line(
    run: Callable, clear: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **_named: object) -> None:
        raise KeyboardInterrupt  # what Python makes of the signal

    monkeypatch.setattr("benchinfer.analyses.permutation.compare.compare_permutation", interrupted)
    result = run("compare", "permutation", clear, "--measures", "error:lower")
    assert result.exit_code == 130
    assert result.stderr == "Interrupted.\n"
    assert result.stdout == ""


@pytest.mark.parametrize("module", ["typer", "benchinfer.cli.app", "pydantic", "narwhals"])
def test_an_interrupt_while_modules_load_ends_in_one_line(module: str) -> None:
    code = f"""
import sys
class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from benchinfer.cli import main
sys.argv = ["benchinfer", "check", "example:demsar2006"]
main()
"""
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stderr) == (130, "Interrupted.\n")
