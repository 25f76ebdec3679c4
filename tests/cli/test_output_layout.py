"""Tables and texts of all commands within the width of a terminal."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from typer.testing import CliRunner

from benchinfer.cli.app import app
from benchinfer.cli.output.layout import TextColumn, TextTable, lay_out

WIDTHS = (60, 80, 120)
STYLE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def laid_out(table: TextTable, width: int) -> list[str]:
    layout = lay_out(table, width)
    lines = [line.text for line in layout.lines]
    assert max(map(cell_len, [*lines, *layout.names])) <= width
    return lines


def contrasts(names: Sequence[str], *, error: bool = True) -> TextTable:
    """Return a table of all pairs as the command line has it."""
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    n = len(pairs)
    columns = [
        TextColumn("first", tuple(a for a, _ in pairs), "name"),
        TextColumn("second", tuple(b for _, b in pairs), "name"),
        TextColumn("difference", ("-0.123",) * n, "number"),
        TextColumn("95 % interval", ("-0.123 to below 0",) * n, "number"),
        TextColumn("p", (">0.999",) * n, "number", spare=2),
        TextColumn("p error", ("0.009",) * n, "number", spare=1, instead="Errors: at most 0.009."),
        TextColumn(
            "verdict", tuple(f"{a} better" for a, _ in pairs), "verdict", ("first better",) * n
        ),
    ]
    kept = columns if error else [one for one in columns if one.head != "p error"]
    return TextTable(tuple(kept), pairs=True)


def test_a_table_that_fits_is_as_it_is() -> None:
    assert laid_out(contrasts(["a", "bb"]), 80) == [
        "first  second  difference      95 % interval       p  p error  verdict",
        "a      bb          -0.123  -0.123 to below 0  >0.999    0.009  a better",
    ]


def test_the_error_of_p_goes_first_and_its_note_comes() -> None:
    names = [f"algorithm-{k}" for k in range(3)]
    layout = lay_out(contrasts(names), 88)
    assert layout.lines[1].text.split()[-4:] == ["0", ">0.999", "algorithm-0", "better"]
    assert layout.notes == ("Errors: at most 0.009.",)


def test_rows_of_long_names_stand_below_the_first_one() -> None:
    names = [f"algorithm-xxxxxxxx-{k:02}" for k in range(3)]
    layout = lay_out(contrasts(names), 80)
    assert [line.text for line in layout.lines] == [
        "  second                 difference      95 % interval       p  verdict",
        "algorithm-xxxxxxxx-00 against",
        "  algorithm-xxxxxxxx-01      -0.123  -0.123 to below 0  >0.999  first better",
        "  algorithm-xxxxxxxx-02      -0.123  -0.123 to below 0  >0.999  first better",
        "algorithm-xxxxxxxx-01 against",
        "  algorithm-xxxxxxxx-02      -0.123  -0.123 to below 0  >0.999  first better",
    ]
    assert layout.names == ()


def test_rows_that_share_the_second_name_stand_below_that() -> None:
    names = ["a" * 30, "b" * 30, "c" * 30, "d" * 30]
    table = contrasts(names)
    rows = [n for n, (a, b) in enumerate(pairs_of(table)) if "c" * 30 in (a, b)]
    columns = tuple(
        TextColumn(
            c.head,
            tuple(c.cells[n] for n in rows),
            c.kind,
            tuple(c.brief[n] for n in rows if c.brief),
            c.spare,
        )
        for c in table.columns
    )
    lines = laid_out(TextTable(columns, pairs=True), 90)
    assert [line for line in lines if not line.startswith(" ")] == [
        f"against {'c' * 30}",
        f"{'c' * 30} against",
    ]
    assert [line.split()[0] for line in lines if line.startswith("  ")] == [
        "algorithm", "a" * 30, "b" * 30, "d" * 30
    ]  # fmt: skip


def pairs_of(table: TextTable) -> list[tuple[str, str]]:
    return list(zip(table.columns[0].cells, table.columns[1].cells, strict=True))


def test_names_are_cut_at_last_and_listed() -> None:
    names = [f"algorithm-{'x' * 40}-{k}" for k in range(3)]
    layout = lay_out(contrasts(names), 80)
    short = [f"algorithm-{'x' * 5}...{'x' * 13}-{k}" for k in range(3)]
    assert [line.text.split()[0] for line in layout.lines] == [
        "second", short[0], short[1], short[2], short[1], short[2]
    ]  # fmt: skip
    assert [line.split(" = ")[0] for line in layout.names] == short
    assert [line.split(" = ")[1].strip(";") for line in layout.names] == names


def test_names_that_are_cut_to_the_same_text_are_numbered() -> None:
    names = [f"{'a' * 30}{k}{'b' * 30}" for k in range(12)]
    layout = lay_out(contrasts(names), 80)
    short = [line.split(" = ")[0] for line in layout.names]
    assert len({*short}) == len(names)
    assert short[1].count("...") == 2


def test_whole_groups_are_shown() -> None:
    table = contrasts([f"a{k}" for k in range(12)])
    assert (table.first(40).n_rows, table.first(40).more) == (38, 28)
    assert (table.first(5).n_rows, table.first(5).more) == (5, 61)
    assert (table.first(66).n_rows, table.first(66).more) == (66, 0)


def test_a_name_that_rows_share_stands_once() -> None:
    rows = [("d1", "a", "0.1"), ("d1", "b", "0.2"), ("d2", "a", "0.3")]
    table = TextTable.of(("dataset", "algorithm", "mean"), rows, ("name", "name", "number"))
    once = TextTable(table.columns, once=True)
    assert laid_out(once, 80)[1:] == [
        "d1       a           0.1",
        "         b           0.2",
        "d2       a           0.3",
    ]
    long = [("d" * 40, "a" * 30, "0.1"), ("d" * 40, "b" * 30, "0.2")]
    table = TextTable.of(("dataset", "algorithm", "mean"), long, ("name", "name", "number"))
    assert laid_out(TextTable(table.columns, once=True), 60) == [
        "  algorithm                       mean",
        "d" * 40,
        f"  {'a' * 30}   0.1",
        f"  {'b' * 30}   0.2",
    ]


def test_further_columns_stand_below() -> None:
    heads = ("algorithm", *(f"column{n}" for n in range(12)))
    rows = [(name, *["0.12345"] * 12) for name in ("one", "two")]
    table = TextTable.of(heads, rows, ("name", *["number"] * 12))
    lines = laid_out(table, 60)
    assert [line.split()[0] for line in lines if line] == ["algorithm", "one", "two"] * 3
    assert sum(line.count("0.12345") for line in lines) == 24


def test_prose_is_wrapped_beside_its_row_or_below_it() -> None:
    prose = "some words that say what is to be done about it"
    rows = [("check", prose), ("x" * 50, prose)]
    assert laid_out(TextTable.of(("check", "remedy"), rows[:1], ("text", "prose")), 40) == [
        "check  remedy",
        "check  some words that say what is to be",
        "       done about it",
    ]
    assert laid_out(TextTable.of(("check", "remedy"), rows, ("text", "prose")), 60) == [
        "check, remedy",
        "check",
        f"    {prose}",
        "x" * 50,
        f"    {prose}",
    ]


letters = st.text(st.sampled_from("abcxyz-_.0189"), min_size=1, max_size=30)


@given(
    names=st.lists(letters, min_size=2, max_size=7, unique=True),
    width=st.sampled_from(WIDTHS),
    error=st.booleans(),
)
@example(names=["a" * 30, "b" * 30], width=60, error=True)
def test_no_contrast_is_wider_than_the_terminal_or_on_two_lines(
    names: list[str], width: int, *, error: bool
) -> None:
    table = contrasts(names, error=error)
    lines = laid_out(table, width)
    assert sum("-0.123 to below 0" in line for line in lines) == table.n_rows
    rows = [line for line in lines if "-0.123 to below 0" in line]
    assert all(line.endswith(" better") for line in rows)


COMMANDS = {
    "compare points": "",
    "compare mixed": "--details --best",
    "compare permutation": "--details",
    "compare bootstrap": "--details --resamples 200",
    "compare wins": "--details",
    "compare meta": "--details",
    "compare bayes-pairs": "--test sign --details",
    "compare pair": "--details --dataset",
    "compare mixed --per-dataset": "",
    "compare": "",
    "check": "",
    "describe": "",
    "consensus": "",
    "gate": "--baseline {0} --candidate {1}",
    "board": "--sequence {0},{1},{2},{3},{4},{5}",
    "monitor": "--state none --stage 2",
    "plan": "--difference 0.05",
}


def written(folder: Path, names: Sequence[str], datasets: Sequence[str]) -> Path:
    """Write scores of algorithms, with one missing and two that are alike."""
    rng = np.random.default_rng(3)
    rows = [
        f"{d},{r},{name},{0.5 + 0.02 * (k - (k == 2)) + 0.1 * rng.random():.4f}"
        for d in datasets
        for r in range(3)
        for k, name in enumerate(names)
        if (d, r, k) != (datasets[0], 0, 0)
    ]
    path = folder / "scores.csv"
    path.write_text("\n".join(["dataset,replication,algorithm,accuracy", *rows]) + "\n", "utf-8")
    return path


def name(rng: np.random.Generator, n: int) -> str:
    return "".join(rng.choice([*"abcdefgh-_"], n))


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_is_wider_than_the_terminal(
    command: str, width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng([len(command), width])
    lengths = rng.integers(1, 31, (2, 5))
    names = [f"{k}{name(rng, n - 1)}" for k, n in enumerate(lengths[0])] + ["5" + "x" * 29]
    datasets = [f"{d}{name(rng, n - 1)}" for d, n in enumerate(lengths[1])] + ["5" + "y" * 29]
    path = written(tmp_path, names, datasets)
    options = COMMANDS[command].format(*names).split()
    if options and options[-1] == "--dataset":
        options.append(datasets[-1])
    arguments = [*command.split(), path.name, "-m", "accuracy:higher:0.02", *options]
    for terminal in ({"NO_COLOR": "1"}, {"FORCE_COLOR": "1", "TERM": "xterm-256color"}):
        found = CliRunner(env={"COLUMNS": str(width), **terminal}).invoke(app, arguments)
        assert found.exit_code in {0, 1, 3}, found.output
        lines = STYLE.sub("", found.stdout).splitlines()
        assert [line for line in lines if cell_len(line) > width] == []


@pytest.mark.slow
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_names_of_any_length_fit(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    names = data.draw(st.lists(letters, min_size=2, max_size=9, unique=True))
    datasets = data.draw(st.lists(letters, min_size=2, max_size=6, unique=True))
    width = data.draw(st.sampled_from(WIDTHS))
    path = written(tmp_path_factory.mktemp("any"), names, datasets)
    for command in ("compare points", "describe"):
        arguments = [*command.split(), str(path), "-m", "accuracy:higher:0.02"]
        found = CliRunner(env={"COLUMNS": str(width), "NO_COLOR": "1"}).invoke(app, arguments)
        assert [line for line in found.stdout.splitlines() if cell_len(line) > width] == []


def test_a_column_without_a_head_and_without_a_text_is_not_laid_out():
    rows = [("rotation forest of 30 trees", "0.81", ""), ("random forest", "0.79", "")]
    table = TextTable.of(("name", "accuracy", ""), rows, ("name", "number", "text"))
    assert [column.head for column in table.columns] == ["name", "accuracy"]
    noted = TextTable.of(
        ("name", "accuracy", ""), [*rows[:1], ("cart", "0.7", "worst")], ("name", "number", "text")
    )
    assert noted.columns[-1].cells == ("", "worst")
