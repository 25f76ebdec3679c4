"""Defaults in benchinfer.toml."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.main import get_command

from benchinfer.cli.app import app
from benchinfer.cli.options.schema import keys, schema

GATE = ("--baseline", "c", "--candidate", "b")


def test_options_are_read_and_said(run: Callable, here: Callable) -> None:
    table = here(
        'measures = ["error:lower:0.01"]\nlevel = 0.9\n[columns]\nalgorithm = "algorithm"\n'
    )
    found = run("compare", "mixed", table)
    assert found.exit_code == 0, found.output
    assert "90 % interval" in found.stdout
    said = found.stderr.strip()
    assert said.startswith("note  benchinfer.toml: ")
    assert {"--measures", "--level", "--column"} == set(said.split(": ")[1].split(", "))


def test_flags_win(run: Callable, here: Callable) -> None:
    table = here('measures = "error:lower:0.01"\nlevel = 0.9\n')
    found = run("compare", "mixed", table, "--level", "0.99")
    assert "99 % interval" in found.stdout
    assert found.stderr == "note  benchinfer.toml: --measures\n"
    declared = run("gate", table, *GATE, "-m", "error:lower:0.05", "--level", "0.95")
    assert declared.exit_code == 0, declared.output
    assert "tolerance 0.05" in " ".join(declared.stdout.split())
    assert declared.stderr == ""


def test_a_command_has_a_table_of_its_own(run: Callable, here: Callable) -> None:
    table = here(
        'measures = ["error:lower:0.01"]\nlevel = 0.9\n'
        '[gate]\nbaseline = "c"\nlevel = 0.8\non_undecided = "fail"\n'
        '[compare]\nmissing = "error"\n[compare.mixed]\nstructure = "common"\n'
    )
    assert "(80 % bounds" in run("gate", table, "--candidate", "b").stdout
    mixed = run("compare", "mixed", table)
    assert "90 % interval" in mixed.stdout
    assert "--structure" in mixed.stderr
    assert "--missing" in mixed.stderr


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (
            "lvel = 1\nzz = 1\n[gates]\nlevel = 1\n",
            "gates (did you mean gate?), lvel (did you mean level?), zz",
        ),
        (
            "[gate]\nwants = 1\nlvel = 2\n",
            "gate.wants (did you mean want?), gate.lvel (did you mean level?)",
        ),
        ("'a.b' = 1", "a.b"),
        ("[compare.tukey]\nlevel = 0.9\n", "compare.tukey"),
    ],
)
def test_unknown_keys_are_one_error(run: Callable, here: Callable, text: str, keys: str) -> None:
    found = run("gate", here(text), *GATE)
    assert found.exit_code == 2
    assert f"benchinfer.toml has unknown keys: {keys}." in found.stderr
    assert "Hint: keys are options without dashes" in found.stderr


def test_new_names_are_a_table_and_an_option(run: Callable, here: Callable) -> None:
    table = here('measures = "error:lower"\n[names]\nb = "Ours (k=3)"\nd0 = "iris"\n')
    text = run("compare", "mixed", table, "--json").stdout
    assert '"Ours (k=3)"' in text
    assert '"b"' not in text
    # What is typed takes the place of the table; the last = separates.
    typed = run("describe", table, "--names", "a=Base", "--names", "error=Error rate")
    assert "Base" in typed.stdout
    assert "Error rate" in typed.stdout
    assert "iris" not in typed.stdout
    assert typed.stderr == "note  benchinfer.toml: --measures\n"
    wrong = run("check", table, "--names", "aa=Base")
    assert wrong.exit_code == 4
    assert "aa (did you mean a?)" in wrong.stderr
    assert run("check", table, "--names", "a").exit_code == 2


def test_a_new_name_may_be_a_number(run: Callable, here: Callable) -> None:
    table = here('measures = "error:lower"\n[names]\na = 7\n')
    assert '"7"' in run("compare", "mixed", table, "--json").stdout


def test_what_is_not_toml_is_wrong_usage(run: Callable, here: Callable) -> None:
    found = run("check", here("level = = 1\n"))
    assert found.exit_code == 2
    assert "benchinfer.toml cannot be read" in found.stderr


def test_what_does_not_go_with_a_table_is_left_out(run: Callable, here: Callable) -> None:
    table = here('measures = ["error:lower:0.01"]\nlevel = 0.9\nresampling = "independent"\n')
    assert run("describe", table).exit_code == 0
    assert run("describe", table, "--level", "0.8").exit_code == 2
    (table.parent / "effects.csv").write_text(
        "study,first,second,estimate,std_error\n"
        + "".join(f"s{i},a,b,0.{i},0.1\n" for i in range(5)),
        encoding="utf-8",
    )
    found = run("compare", "meta", "effects.csv", "--measures", "x:higher")
    assert found.exit_code in {0, 3}, found.output


def test_a_value_is_checked_as_if_it_were_typed(run: Callable, here: Callable) -> None:
    found = run("compare", "mixed", here("level = 95\n"))
    assert found.exit_code == 2
    assert "between 0 and 1" in found.stderr


def test_help_takes_no_notice(run: Callable, here: Callable) -> None:
    here("lvel = 1\n")
    assert run("--help").exit_code == 0


def test_the_file_of_the_page_is_understood(run: Callable, here: Callable) -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "options-file.md"
    text = re.search(
        r"This file has more:.*?```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
    )[1]
    here(text)
    found = run(
        "check", "example:demsar2006", "--measures", "AUC:higher:0.01", "--failed", "missing"
    )
    assert "unknown keys" not in found.stderr
    assert "benchinfer.toml: " in found.stderr


WRITES = {
    "report": ("report", "output"),
    "gate": ("gate", "report"),
    "board": ("board", "report"),
    "board state": ("board", "state"),
    "monitor": ("monitor", "state"),
    "monitor report": ("monitor", "report"),
    "plan": ("plan", "report"),
    "allocate": ("allocate", "report"),
    "subgroups": ("subgroups", "report"),
}


@pytest.mark.parametrize("command", WRITES)
@pytest.mark.parametrize("place", ["{up}/x.html", "../x.html", "sub/../../x.html", "link/x.html"])
def test_the_file_names_no_file_elsewhere(
    run: Callable,
    here: Callable,
    tmp_path_factory: Any,
    command: str,
    place: str,
) -> None:
    name, key = WRITES[command]
    beyond = tmp_path_factory.mktemp("beyond")
    text = f'[{name}]\n{key} = "{place.format(up=beyond)}"\n'
    table = here(text)
    (table.parent / "link").symlink_to(beyond)
    around = sorted(table.parent.parent.iterdir())
    needed = {"gate": GATE, "board": ("--sequence", "a,b")}
    found = run(name, table, *needed.get(name, ()))
    assert found.exit_code == 2
    assert "of benchinfer.toml is not below this folder" in " ".join(found.stderr.split())
    assert sorted(table.parent.parent.iterdir()) == around
    assert list(beyond.iterdir()) == []


def test_a_file_that_is_typed_may_be_anywhere(
    run: Callable, here: Callable, tmp_path_factory: Any
) -> None:
    place = tmp_path_factory.mktemp("beyond") / "gate.html"
    table = here('measures = "value:lower:0.01"\n[gate]\nreport = "../x.html"\n')
    found = run("gate", table, *GATE, "--report", place)
    assert found.exit_code == 0, found.output
    assert place.exists()


def test_the_report_that_is_not_typed_is_no_link(
    run: Callable, here: Callable, tmp_path_factory: Any
) -> None:
    old = tmp_path_factory.mktemp("beyond") / "old.html"
    old.write_text("mine")
    table = here('measures = "value:lower:0.01"\n')
    (table.parent / "report.html").symlink_to(old)
    found = run("report", table)
    assert found.exit_code == 2
    assert "'report.html' is not below this folder" in " ".join(found.stderr.split())
    assert old.read_text() == "mine"


def test_options_of_files_that_are_written_are_known() -> None:
    group = get_command(app)
    commands = [group.get_command(None, name) for name in group.homes if name != "compare"]
    files = {o.name for one in commands for o in one.params if o.metavar == "FILE"}
    assert files == {key for _, key in WRITES.values()}


def test_the_state_beside_a_table_is_no_link(
    run: Callable, clear: Path, tmp_path_factory: Any
) -> None:
    beyond = tmp_path_factory.mktemp("beyond")
    (beyond / "old.json").write_text("{}")
    for name in ("old.json", "new.json"):
        link = clear.with_name("scores.csv.monitor.json")
        link.symlink_to(beyond / name)
        found = run("monitor", clear, "--measures", "value:lower", "--stage", "4")
        assert found.exit_code == 2
        assert "leads out of its folder" in " ".join(found.stderr.split())
        link.unlink()
    assert [path.name for path in beyond.iterdir()] == ["old.json"]


@pytest.mark.slow
def test_an_unknown_key_is_met_with_the_nearest_one(run: Callable, here: Callable) -> None:
    found = run("gate", here("resamplin = 'cv'\n[gat]\nlevel = 0.9\n"), *GATE)
    assert "unknown keys: gat (did you mean gate?), resamplin (did you mean resampling?)." in (
        found.stderr
    )


# --- the schema


def _refuses(text: str) -> list[str]:
    """Return the keys that the schema refuses."""
    errors = jsonschema.Draft202012Validator(schema()).iter_errors(tomllib.loads(text))
    return sorted(error.message for error in errors)


def test_the_schema_takes_what_the_page_and_init_write(
    run: Callable, clear: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    page = Path(__file__).parents[2] / "docs" / "how-to" / "options-file.md"
    for text in re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        assert _refuses(text) == []
    monkeypatch.chdir(clear.parent)
    assert run("init", clear, *("-m", "error:lower:0.01", "--resampling", "cv")).exit_code == 0
    assert _refuses(Path("benchinfer.toml").read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "lvel = 0.9",
        "[gate]\nwants = 1",
        "[compare.tukey]\nlevel = 0.9",
        "level = 'high'",
        "[gate]\non-undecided = 'maybe'",
        "[columns]\nreplication = ['seed']",
    ],
)
def test_the_schema_refuses_what_commands_refuse(run: Callable, here: Callable, text: str) -> None:
    assert len(_refuses(text)) == 1
    assert run("gate", here(text), *GATE).exit_code in {2, 4}


def test_every_key_is_described() -> None:
    assert all(one["description"] for each in keys().values() for one in each.values())
