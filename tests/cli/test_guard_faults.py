"""A table's faults have one exit code in all commands."""

from collections.abc import Callable
from pathlib import Path

import pytest

ROWS = [("dataset", "seed", "algorithm", "acc")] + [
    (
        f"d{d}",
        s,
        a,
        round(
            0.5 + 0.01 * d + 0.02 * s + 0.1 * (a == "new") + (d * s * ord(a[0]) * 7 % 5) / 100, 3
        ),
    )
    for d in range(6)
    for s in (1, 2)
    for a in ("old", "new")
]


def _text(rows: list[tuple[object, ...]]) -> str:
    return "\n".join(",".join(map(str, row)) for row in rows) + "\n"


def _with(at: int, value: object) -> str:
    """Return the table with another value in the first row."""
    row = [*ROWS[1]]
    row[at] = value
    return _text([ROWS[0], tuple(row), *ROWS[2:]])


FAULTY = {
    "duplicate rows": _text([*ROWS, ROWS[1]]),
    "no algorithm": _text([(a, b, d) for a, b, _, d in ROWS]),
    "no score": _text([row[:3] for row in ROWS]),
    "score in words": _with(3, "good"),
    "infinite score": _with(3, "inf"),
    "empty label": _with(2, ""),
    "no rows": _text(ROWS[:1]),
    "decimal comma": _with(3, '"0,5"'),
    "empty file": "",
    "ragged rows": _text(ROWS) + "d9,1\nd9,1,2,3,4,5\n",
    "no such file": None,
}
DECLARED = ("-m", "acc:higher:0.01")
SIDES = ("--baseline", "old", "--candidate", "new")
COMMANDS = {
    "init": ("init",),
    "check": ("check",),
    "check --json": ("check", "--json"),
    "describe": ("describe",),
    "compare": (),
    **{
        f"compare {name}": ("compare", name)
        for name in (
            "mixed",
            "permutation",
            "bootstrap",
            "bayes",
            "bayes-pairs",
            "wins",
            "meta",
            "pair",
            "points",
        )
    },
    "consensus": ("consensus",),
    "report": ("report", "-o", "PAGE"),
    "subgroups": ("subgroups", "--features", "FEATURES", "--by", "size"),
    "gate": ("gate", *SIDES),
    "board": ("board", "--sequence", "old,new"),
    "monitor": ("monitor", "--stage", "2", "--state", "none"),
    "plan": ("plan", "--difference", "0.1"),
    "allocate": ("allocate",),
}


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Words that stand for paths."""
    monkeypatch.chdir(tmp_path)
    sizes = "dataset,size\n" + "".join(f"d{d},{d * d}\n" for d in range(6))
    (tmp_path / "features.csv").write_text(sizes, encoding="utf-8")
    return {"PAGE": str(tmp_path / "page.html"), "FEATURES": str(tmp_path / "features.csv")}


@pytest.mark.parametrize("command", COMMANDS)
def test_faults_of_tables_have_one_exit_code(
    run: Callable, tmp_path: Path, places: dict[str, str], command: str
) -> None:
    codes: dict[str, int] = {}
    for name, text in FAULTY.items():
        path = tmp_path / f"{name.replace(' ', '-')}.csv"
        if text is not None:
            path.write_text(text, encoding="utf-8")
        words = [places.get(word, word) for word in COMMANDS[command]]
        found = run(*words, path, *DECLARED)
        codes[name] = found.exit_code
        said = found.stderr or found.stdout
        assert "Traceback" not in said
        assert said.startswith(("Error: ", "{")) or "\nError: " in said, said
    assert codes == dict.fromkeys(FAULTY, 4)


@pytest.mark.parametrize(
    "command", sorted(COMMANDS.keys() - {"compare bayes", "compare bootstrap"})
)
def test_the_table_without_faults_is_answered(
    run: Callable, tmp_path: Path, places: dict[str, str], command: str
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(_text(ROWS), encoding="utf-8")
    words = [places.get(word, word) for word in COMMANDS[command]]
    found = run(*words, path, *DECLARED)
    unfit = command in ("compare pair", "compare meta", "monitor", "subgroups", "allocate")
    assert found.exit_code in ((0, 1, 3, 4) if unfit else (0, 1, 3)), found.output
