"""The command that judges the entries of a board."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.analyses.board.conftest import runs

MEANS = (3.28, 3.279, 3.27, 3.2695)
DATES = ("2026-03-01", "2026-01-09", "2026-01-10", "2026-02-01")
READ = ("-m", "loss:lower", "--unpaired", "--dataset", "text")


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """Write the runs of a board, shuffled, with their dates."""
    rows = runs(MEANS)
    rows["date"] = rows["algorithm"].map({f"e{i}": date for i, date in enumerate(DATES)})
    path = tmp_path / "runs.csv"
    rows.sample(frac=1, random_state=1).to_csv(path, index=False)
    return path


def test_entries_come_by_their_dates(run: Callable, board: Path) -> None:
    found = run("board", board, *READ, "--sequence", "date")
    assert found.exit_code == 3, found.output
    text = " ".join(found.stdout.split())
    assert "No record: e0 is not shown to be better than e2, on the data set text" in text
    document = json.loads(run("board", board, *READ, "--sequence", "date", "--json").stdout)
    assert [row["algorithm"] for row in document["entries"]] == ["e1", "e2", "e3", "e0"]
    assert document["records"] == ["e1", "e2"]


def test_names_in_their_order(run: Callable, board: Path) -> None:
    found = run("board", board, *READ, "--sequence", "e0,e1,e3,e2", "--quiet")
    assert (found.exit_code, found.stdout) == (3, "")
    found = run("board", board, *READ, "--sequence", "e0,e1,e2", "--where", "algorithm != 'e3'")
    assert found.exit_code == 0, found.output
    assert "Record: e2 is better than e0" in " ".join(found.stdout.split())


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--sequence", "when"), 2, "unknown algorithm 'when'"),
        (("--sequence", "e0,e1"), 2, "sequence lacks e2 and e3"),
        (("--sequence", "loss"), 2, "has several values of 'loss'"),
        (("--sequence", "algorithm"), 2, "no column names entries"),
        (("--sequence", "date", "--horizon", "0"), 2, "horizon is 0"),
        ((), 2, "Missing option '--sequence'"),
    ],
)
def test_wrong_usage(run: Callable, board: Path, words: tuple[str, ...], code: int, said: str):
    found = run("board", board, *READ, *words)
    assert said in " ".join(found.output.split())
    assert found.exit_code == code
    assert "Traceback" not in found.output


def test_entries_of_one_day_are_in_the_order_of_the_table(run: Callable, board: Path) -> None:
    board.write_text(board.read_text().replace("2026-02-01", "2026-01-10"))
    found = run("board", board, *READ, "--sequence", "date")
    first = "e2" if board.read_text().index("e2,") < board.read_text().index("e3,") else "e3"
    said = f"{first} and {'e3' if first == 'e2' else 'e2'}: the same 'date'"
    assert said in " ".join(found.stdout.split())


def test_dates_are_dates(run: Callable, board: Path) -> None:
    board.write_text(board.read_text().replace("2026-02-01", "1 February 2026"))
    found = run("board", board, *READ, "--sequence", "date")
    assert found.exit_code == 2
    assert "neither a number nor a date" in " ".join(found.output.split())


@pytest.mark.slow
def test_a_state_goes_on_and_holds_the_past(run: Callable, board: Path, tmp_path: Path) -> None:
    words = (*READ, "--sequence", "date", "--state", tmp_path / "s.json")
    early = run("board", board, *words, "--where", "date < '2026-02-15'")
    assert early.exit_code == 3, early.output
    assert run("board", board, *words, "--report", tmp_path / "page.html").exit_code == 3
    assert "is the record beaten?" in (tmp_path / "page.html").read_text()
    board.write_text(board.read_text().replace("2026-02-01", "2026-05-01"))
    changed = run("board", board, *words)
    assert changed.exit_code == 4
    assert "judged before" in " ".join(changed.output.split())
    assert run("board", board, *words, "--by-more-than", "0.1").exit_code == 2
