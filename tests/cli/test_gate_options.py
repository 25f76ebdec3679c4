"""What a file of options beside a table does to a gate."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

SIDES = ("--baseline", "c", "--candidate", "b")
SWAP = '[names]\nb = "c"\nc = "b"\n'


def test_names_apply_after_the_sides_are_found(run: Callable, here: Callable) -> None:
    table = here("")
    typed = ("-m", "error:lower:0.05", "--json")
    straight = json.loads(run("gate", table, *SIDES, *typed).stdout)
    here(SWAP)
    swapped = json.loads(run("gate", table, *SIDES, *typed).stdout)
    assert swapped["measures"][0]["estimate"] == straight["measures"][0]["estimate"]
    assert (swapped["baseline"], swapped["candidate"]) == ("b", "c")
    assert swapped["notes"][0] == "options of benchinfer.toml: --names b=c --names c=b."
    assert straight["notes"] == []


@pytest.mark.parametrize("output", ["--markdown", "--report", None])
def test_what_comes_from_the_file_is_named(
    run: Callable, here: Callable, tmp_path: Path, output: str | None
) -> None:
    table = here('measures = ["error:lower:0.9"]\n[gate]\non-undecided = "pass"\n')
    page = tmp_path / "gate.html"
    words = {"--report": ("--report", page), None: ()}.get(output, (output,))
    text = run("gate", table, *SIDES, *words).stdout
    text = page.read_text(encoding="utf-8") if output == "--report" else text
    assert "--measures error:lower:0.9" in text
    assert "--on-undecided pass" in text


def test_a_typed_tolerance_is_kept_where_the_file_normalises(run: Callable, here: Callable) -> None:
    table = here('normalise = "min-max:0.99"\n')
    typed = run("gate", table, *SIDES, "-m", "error:lower:0.05", "--json")
    assert json.loads(typed.stdout)["measures"][0]["tolerance"] == 0.05


def test_the_file_can_be_ignored(
    run: Callable, here: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = here(SWAP + 'measures = "error:lower:0.9"\n')
    monkeypatch.setenv("BENCHINFER_IGNORE_FILE", "1")
    found = run("gate", table, *SIDES, "-m", "error:lower:0.05", "--json")
    assert json.loads(found.stdout)["notes"] == []
    assert found.stderr == ""


def test_new_names_may_be_typed_where_the_table_has_none_such(
    run: Callable, here: Callable
) -> None:
    table = here('[names]\nb = "Ours"\n')
    for name in ("b", "Ours"):
        found = run("gate", table, "--baseline", "c", "--candidate", name, "-m", "error:lower:0.05")
        assert "Ours is not worse than c" in found.stdout
