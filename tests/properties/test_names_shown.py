"""Names of others are shown as text by every output: nothing is run, hidden, linked or sent."""

import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from typer.testing import CliRunner

from benchinfer.cli.app import app

# Names that a terminal, a runner of jobs, a page or a reader could take for something else.
HOSTILE = (
    *("\x1b[2J\x1b[31mred", "\x1b]0;title\x07", "\x9b31m", "a\rb", "a\x08\x08b", "a\x00b"),
    *("::error::broken", "::set-output name=code::0", "::stop-commands::x", "  ::debug::x"),
    *("##[set-output name=code;]0", "x ##[error]y", "a\n::error::b", "a\u2028::error::b", "a\x85b"),
    *("\u202egnp.exe", "a\u2066b\u2069", "\u200bzero", "\u061cx", "\ufeffx", "\U000e0041x"),
    *("<script>alert(1)</script>", "<img src=x onerror=y>", "<!--", "]]>", "&lt;b&gt;"),
    *("[x](http://e.vil)", "![x](http://e.vil/y)", "http://e.vil/x", "www.e.vil", "<http://e.vil>"),
    *("`x`", "**x**", "a|b", "# x", "- x", "1. x", "> x", "@someone", "ask @org/team", "$x^2$"),
    *("[red]x[/red]", "\\[x", "~~x~~", "| - | - |", "```", "std::sort", "a::b"),
)
NAMES = st.one_of(
    st.sampled_from(HOSTILE),
    st.builds("{} {}".format, st.sampled_from(HOSTILE), st.sampled_from(HOSTILE)),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
).filter(str.strip)
TABLES = st.lists(NAMES, min_size=9, max_size=9, unique_by=lambda name: " ".join(name.split()))
RARE = settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def write(folder: Path, names: list[str]) -> tuple[str, str, str]:
    """Write a table with the names; return two algorithms and the measure."""
    old, new, *datasets, measure = names
    rows = [
        (d, a, 0.1 * i + 0.01 * n) for i, d in enumerate(datasets) for n, a in enumerate((old, new))
    ]
    pd.DataFrame(rows, columns=["dataset", "algorithm", measure]).to_csv(
        folder / "scores.csv", index=False
    )
    return old, new, measure


def shown(text: str) -> None:
    """Assert that a text holds no sign that is not shown, and no command of a runner."""
    odd = {c for c in text if not c.isprintable() and c != "\n"}
    assert not odd, odd
    assert "##[" not in text
    lines = [line for line in text.splitlines() if re.match(r"\s*::\w", line)]
    assert not lines, lines


def plain(markdown: str) -> None:
    """Assert that a page in Markdown holds no element, link, image or mention of a name."""
    shown(markdown)
    tokens = MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(markdown)
    inline = [child for token in tokens for child in token.children or ()]
    kinds = {token.type for token in inline}
    assert kinds <= {
        "text",
        "text_special",
        "softbreak",
        "html_inline",
        "strong_open",
        "strong_close",
    }
    assert {t.content for t in inline if t.type == "html_inline"} <= {"<!-- -->"}
    parts = [t.content if t.type == "text" else "\0" for t in inline]
    text = "".join(parts)
    assert not re.search(r"(?<!\w)@\w|\w://\w|\bwww\.\w", text), text


# A measure whose name has a direction is told on stderr, when nothing was said.
@pytest.mark.slow
@example(["x", "y", "1", "2", "3", "4", "5", "6", "a\n::error::error \x1b[31m"])
@RARE
@given(TABLES)
def test_commands_show_names_as_text(tmp_path: Path, names: list[str]) -> None:
    old, new, measure = write(tmp_path, names)
    path, typed = str(tmp_path / "scores.csv"), ["-m", f"{measure}:higher:0.05"]
    (tmp_path / "scores.csv.monitor.json").unlink(missing_ok=True)
    sides = [f"--baseline={old}", f"--candidate={new}"]
    for words in (
        ["check", path],
        ["check", path, "--measures", "x:higher"],
        ["describe", path, "--measures", f"{measure}:higher:0.05"],
        ["compare", "points", path, *typed],
        ["compare", "permutation", path, *typed, "--seed", "1"],
        ["gate", path, *typed, *sides],
        ["gate", path, *typed, f"--baseline={old}", f"--candidate={names[3]}"],
        ["monitor", path, *typed, "--state", "none"],
    ):
        for environment in ({"NO_COLOR": "1", "COLUMNS": "80"}, {"COLUMNS": "20"}):
            found = CliRunner(env=environment).invoke(app, words)
            assert found.exit_code < 5, words
            shown(found.stdout)
            shown(found.stderr)


@RARE
@given(TABLES)
def test_pages_in_markdown_show_names_as_text(tmp_path: Path, names: list[str]) -> None:
    old, new, measure = write(tmp_path, names)
    path, typed = str(tmp_path / "scores.csv"), ["-m", f"{measure}:higher:0.05"]
    for candidate in (new, names[3]):
        sides = [f"--baseline={old}", f"--candidate={candidate}"]
        plain(CliRunner().invoke(app, ["gate", path, *typed, *sides, "--markdown"]).stdout)
