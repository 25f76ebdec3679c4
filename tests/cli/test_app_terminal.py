"""The command line in a real terminal, and the same in a pipe."""

import gzip
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pexpect
import pytest
from typer.testing import CliRunner

from benchinfer.cli.app import app
from benchinfer.cli.options import source

MAIN = "from benchinfer.cli import main; main()"
STYLE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write scores of 87 algorithms."""
    rng = np.random.default_rng(1)
    levels = rng.normal(0.8, 0.03, 87)
    rows = [
        f"d{d:02},algo{k:02},{levels[k] + rng.normal(0, 0.02):.4f}"
        for d in range(8)
        for k in range(87)
    ]
    path = tmp_path_factory.mktemp("many") / "scores.csv"
    path.write_text("\n".join(["dataset,algorithm,acc", *rows]) + "\n", encoding="utf-8")
    return path


def terminal(*arguments: object, columns: int = 80) -> tuple[list[str], int]:
    """Return the lines that a terminal of 50 lines shows, and the exit code."""
    # Workers of a parallel run may have a size of the screen, which would go before that given.
    own = {name: text for name, text in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    program = pexpect.spawn(
        sys.executable,
        ["-c", MAIN, *map(str, arguments)],
        env={**own, "TERM": "xterm-256color", "OMP_NUM_THREADS": "1"},
        dimensions=(50, columns),
        encoding="utf-8",
        timeout=120,
    )
    text = program.read()
    program.close()
    return [STYLE.sub("", line) for line in text.splitlines()], program.exitstatus


def piped(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", MAIN, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


ASK = ("--measures", "acc:higher:0.01")


def shown(*arguments: object, columns: int = 80) -> list[str]:
    """Return the lines of a command in this process, whose output is taken for a terminal."""
    screen = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "50"}
    found = CliRunner(env=screen).invoke(app, [*map(str, arguments)])
    assert found.exit_code in {0, 3}
    return [STYLE.sub("", line) for line in found.stdout.splitlines()]


@pytest.mark.parametrize("columns", [60, 120])
def test_a_terminal_shows_at_most_60_lines(many: Path, columns: int) -> None:
    lines = shown("compare", "points", many, *ASK, columns=columns)
    assert sum(max(1, -(-len(line) // columns)) for line in lines) <= 60
    text = "\n".join(lines)
    assert "... and 3,7" in text
    assert "--all prints them" in text


@pytest.mark.slow
def test_all_and_top(many: Path) -> None:
    every = shown("compare", "points", many, *ASK, "--all")
    assert sum(line.startswith("algo") for line in every) >= 3741
    assert not any("--all" in line for line in every)
    some, code = terminal("compare", "points", many, *ASK, "--top", 7)
    assert code == 3
    assert max(map(len, some)) <= 80
    assert sum(line.startswith("algo") for line in some) == 7
    assert any("... and 3,734 more; --all prints them" in line for line in some)


def test_a_pipe_is_not_shortened_to_a_screen(run: Callable, many: Path) -> None:
    whole = run("describe", many, *ASK).stdout
    assert len(re.findall(r"algo\d", whole)) == 8 * 87
    short = run("describe", many, *ASK, "--top", 5).stdout
    assert len(re.findall(r"algo\d", short)) == 5
    assert "... and 691 more; --all prints them" in short


def test_a_pipe_shows_the_first_rows_of_tables_of_results(run: Callable, many: Path) -> None:
    lines = run("compare", "points", many, *ASK).stdout.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("Contrasts"))
    assert "... and 47 more; --all prints them" in lines[:at]
    assert "... and 3,701 more; --all prints them" in lines[at:]
    heads = next(line.split() for line in lines if line.startswith("rank "))
    assert heads == ["rank", "algorithm", "acc", "ranks", "scores"]
    # The best algorithm against each first; the order is in the table of levels.
    pairs = [line.split()[:2] for line in lines[at:] if line.startswith("algo")]
    levels = [line.split()[1] for line in lines[:at] if re.match(r" *\d+  algo", line)]
    assert pairs == [[levels[0], other] for other in levels[1:40]] + [[levels[0], pairs[-1][1]]]
    assert not any(re.match(r" +\d+( to \d+)?: algo", line) for line in lines)


@pytest.mark.slow
def test_stages_of_a_report_are_a_line_that_changes_or_a_log(
    run: Callable, clear: Path, tmp_path: Path
) -> None:
    options = ("report", clear, "--measures", "error:lower:0.01", "--methods", "points", "-o")
    lines, code = terminal(*options, tmp_path / "page.html")
    assert code == 0
    assert "Report written to" in "".join(lines)
    log = run(*options, tmp_path / "page.html").stderr.splitlines()
    assert log[0] == "1/1 Point comparison: error"
    assert log[1].startswith("Writing ")
    quiet = run(*options, tmp_path / "quiet.html", "--quiet")
    assert (quiet.exit_code, quiet.output) == (0, "")
    assert (tmp_path / "quiet.html").exists()


@pytest.mark.slow
def test_a_table_from_standard_input(run: Callable, clear: Path) -> None:
    options = ("compare", "points", "-", "--measures", "error:lower:0.01")
    found = piped(*options, stdin=clear.read_bytes())
    assert found.stdout.decode() == run(*options[:2], clear, *options[3:]).stdout
    assert b"\x1b" not in found.stdout


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (lambda data: data.replace(b",", b"\t"), 0, "standard input: 72 scores"),
        (gzip.compress, 0, "standard input: 72 scores"),
        (lambda _: b"", 4, "Error: "),
    ],
)
def test_what_standard_input_holds_is_told_by_its_first_bytes(
    clear: Path, monkeypatch: pytest.MonkeyPatch, change: Callable, code: int, said: str
) -> None:
    monkeypatch.setattr(source, "standard_input", source.standard_input.__wrapped__)
    found = CliRunner().invoke(
        app, ["check", "-", "--measures", "error:lower:0.01"], input=change(clear.read_bytes())
    )
    assert (found.exit_code, said in found.output) == (code, True), found.output


@pytest.mark.slow
def test_completion_knows_commands_options_and_choices() -> None:
    def completed(*words: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.argv[0] = 'benchinfer'; {MAIN}"],
            capture_output=True,
            check=True,
            text=True,
            env={
                **os.environ,
                "_BENCHINFER_COMPLETE": "complete_bash",
                "COMP_WORDS": " ".join(("benchinfer", *words)),
                "COMP_CWORD": str(len(words)),
            },
        )
        return done.stdout.split()

    assert completed("co") == ["compare", "consensus"]
    assert completed("compare", "p") == ["permutation", "pair", "points"]
    assert completed("gate", "x.csv", "--wan") == ["--want"]
    assert completed("gate", "x.csv", "--want", "sup") == ["superior"]


@pytest.mark.slow
def test_errors_of_filters_are_all_that_is_on_stderr(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("dataset,algorithm,acc\nx,a,0.5\nx,b,0.6\n")
    words = ["check", "scores.csv", "-m", "acc:higher", "--where", "b > 1"]
    found = subprocess.run(
        [sys.executable, "-c", MAIN, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 4
    assert re.fullmatch(r"Error: --where [^\n]*\nHint: [^\n]*\n", found.stderr)


def test_a_folder_does_not_set_up_numba(tmp_path: Path) -> None:
    (tmp_path / ".numba_config.yaml").write_text("cache_dir: cache\n")
    found = subprocess.run(
        [sys.executable, "-c", MAIN, "check", "example:demsar2006"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 2
    assert found.stderr.startswith("Error: .numba_config.yaml in the current folder")
    assert found.stdout == ""
