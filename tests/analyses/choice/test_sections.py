"""Screens of an answer: words for two algorithms, and the direction once."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

import benchinfer as bi
from benchinfer.analyses.choice.sections import measures_section
from benchinfer.cli.app import app
from tests.analyses.choice.test_answer import apart
from tests.analyses.choice.test_compare import heavy, table
from tests.conftest import Page

COUNTED = re.compile(r"\b(0|1|none|one) of (the )?(1|one)\b|\b[01]/1\b", re.IGNORECASE)
DIRECTION = re.compile(r"\b(higher|lower) is better\b")
TABLES = {
    "decided": apart(2),
    "undecided": apart(2)[:, ::-1] * 0 + apart(2)[:, :1] + heavy(12, 2) * 0.001,
    "heavy tails": heavy(15, 2),
    "six": apart(6),
    "thirty": apart(30),
}


def command(folder, values, *arguments):
    path = folder / "scores.csv"
    table(values).to_frame().to_csv(path, index=False)
    result = CliRunner().invoke(
        app, [arguments[0], str(path), "--measures", "acc:higher:0.01", *arguments[1:]]
    )
    return " ".join(result.output.split())


def screens(name, folder):
    """Yield what each screen of a table's answer says."""
    answer = bi.compare(table(TABLES[name]))
    (result,) = answer.values()
    yield "text", str(answer)
    yield "sentence", answer.sentence()
    yield "notebook", Page(answer._repr_html_()).text
    yield "table", result.table().to_markdown()
    yield "terminal", command(folder, TABLES[name], "compare")
    report = answer.report(folder / "report.md").read_text("utf-8")
    for n, section in enumerate(re.split(r"^#+ ", report, flags=re.MULTILINE)):
        yield f"report, section {n}", section


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_the_direction_is_said_once_on_each_screen(name, tmp_path):
    seen = dict(screens(name, tmp_path))
    assert max(len(DIRECTION.findall(text)) for text in seen.values()) == 1, {
        where: text for where, text in seen.items() if len(DIRECTION.findall(text)) > 1
    }
    for where in ("text", "sentence", "notebook", "table", "terminal"):
        assert DIRECTION.search(seen[where]), where


@pytest.mark.parametrize("name", ["decided", "undecided", "heavy tails"])
def test_one_pair_is_not_counted(name, tmp_path):
    for where, text in screens(name, tmp_path):
        assert not COUNTED.search(text), (where, COUNTED.search(text), text[:2000])


@pytest.mark.parametrize("name", ["decided", "undecided"])
def test_commands_do_not_count_one_pair(name, tmp_path):
    pair = ("--baseline", "a0", "--candidate", "a1")
    for call in (("gate", *pair), ("check",), ("consensus",), ("monitor",), ("plan",)):
        text = command(tmp_path, TABLES[name], *call)
        assert not COUNTED.search(text), (call, text)


@pytest.mark.slow
def test_a_best_algorithm_without_the_best_level_is_named():
    rng = np.random.default_rng(4)
    told = 0
    for _ in range(40):
        scores = table(np.exp(1.5 * rng.normal(size=(9, 4, 1))), measure="acc:lower")
        both = {"acc": bi.compare_permutation(scores), "again": bi.compare_permutation(scores)}
        note = measures_section(both).tables[0].note
        summary = both["acc"].summary().set_index("algorithm")["estimate"]
        best, lowest = both["acc"].ranking()[0], summary.idxmin()
        level = both["acc"].level_name
        words = f"{best} has the lowest typical acc, though {lowest} has the lowest {level}."
        assert (words in note) == (summary[best] > summary[lowest])
        told += words in note
    assert 0 < told < 40
