"""What the tests of the command line share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from benchinfer.cli.app import app

type Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Run a command in this process, its output neither a terminal nor coloured."""

    def command(*arguments: object) -> Result:
        return CliRunner(env={"NO_COLOR": "1", "COLUMNS": "80"}).invoke(app, [*map(str, arguments)])

    return command


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    """Write a table of scores: one list of rows of (dataset, replication, algorithm, value)."""

    def write(rows: list[tuple[object, ...]], name: str = "scores.csv") -> Path:
        path = tmp_path / name
        lines = ["dataset,replication,algorithm,value", *(",".join(map(str, r)) for r in rows)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


@pytest.fixture
def clear(table: Callable[..., Path]) -> Path:
    """Write a table in which b is better than a, and a than c, on each of six data sets."""
    level = {"a": 0.20, "b": 0.10, "c": 0.40}
    return table(
        [
            (f"d{d}", r, name, f"{value + 0.01 * d + 0.001 * ((7 * d + 3 * r + 5 * k) % 11):.4f}")
            for d in range(6)
            for r in range(4)
            for k, (name, value) in enumerate(level.items())
        ]
    )


@pytest.fixture
def here(clear: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Write a file of defaults and stand beside it."""

    def write(text: str) -> Path:
        monkeypatch.chdir(clear.parent)
        (clear.parent / "benchinfer.toml").write_text(text, encoding="utf-8")
        return clear

    return write
