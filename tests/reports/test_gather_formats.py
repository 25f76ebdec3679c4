"""Reports in other formats than HTML, and what is said of how they were made."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import benchinfer as bi
from benchinfer.cli import report as cli_report
from benchinfer.cli.app import app
from benchinfer.core.arguments import ArgumentError
from benchinfer.reports import markdown
from benchinfer.reports.gather import ReportInput, everything
from benchinfer.reports.texts import python

HOSTILE = r"a_b & 100 % #1 {x} \input{/etc/passwd} $y$ ~^ <b>|</b> `c` [d](e) 数 =1+1"


@pytest.fixture(scope="module")
def gathered():
    """Hostile names, and results of each kind that a page has."""
    rng = np.random.default_rng(3)
    rows = [(f"d{i} {HOSTILE}", a, r, k + rng.normal()) for i in range(4)
            for k, a in enumerate((HOSTILE, "b", "c")) for r in range(3)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "value"])
    scores = bi.read_scores(frame, measures=bi.Measure("value", "higher", 0.1))
    return everything(scores, bayes=False)


@pytest.mark.slow
def test_suffix_or_argument_says_the_format(tmp_path, points):
    starts = {"html": "<!DOCTYPE html>", "json": "{", "md": "# "}
    for kind, start in starts.items():
        path = bi.report(points, tmp_path / f"r.{kind}")
        assert path.read_text().startswith(start)
        other = bi.report(points, tmp_path / f"{kind}.out", format=kind)
        if kind != "json":  # that one has the name of its file
            assert other.read_bytes() == path.read_bytes()
    with pytest.raises(ArgumentError, match="unknown format 'pdf'"):
        bi.report(points, tmp_path / "r.pdf", format="pdf")


@pytest.mark.parametrize(("name", "written"), [("r.tex", "LaTeX"), ("r.PDF", "PDF")])
def test_other_formats_are_refused_before_the_work(tmp_path, points, name, written):
    with pytest.raises(ArgumentError, match=f"HTML, JSON or Markdown, not in {written}") as error:
        bi.report(points, tmp_path / name)
    assert "result.table().to_latex(path)" in str(error.value)
    assert not (tmp_path / name).exists()
    asked = bi.report(points, tmp_path / name, format="md")
    assert asked.read_text().startswith("# ")
    done = CliRunner().invoke(app, ["report", "no.csv", "--output", str(tmp_path / "x.tex")])
    assert done.exit_code == 2
    assert "not in LaTeX" in done.output


@pytest.mark.slow
def test_markdown_shows_names_as_they_are(tmp_path, gathered):
    text = bi.report(gathered, tmp_path / "r.md").read_text()
    assert markdown.escaped(HOSTILE) in text
    prose = re.sub(r"^(`{3,})text\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert not re.search(r"(?<!\\)<(?!https)", prose)
    lengths = [
        {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        for block in re.findall(r"^\|.*?(?=\n\n)", text, flags=re.DOTALL | re.MULTILINE)
    ]
    assert len(lengths) > 10
    assert all(len(columns) == 1 for columns in lengths)


@pytest.mark.slow
def test_all_formats_say_the_same_sentences(tmp_path, mixed):
    lead = mixed.headline()
    assert markdown.escaped(lead) in bi.report(mixed, tmp_path / "r.md").read_text()
    document = json.loads(bi.report(mixed, tmp_path / "r.json").read_text())
    assert document["results"][0]["headline"] == lead
    assert document["parts"][0]["sections"][0]["lead"] == lead
    assert document["changes"][mixed.measure.title][0]["kind"] == "level"


def test_python_that_is_shown_makes_the_same_results(table):
    results = [bi.compare_mixed(table, level=0.9), bi.compare_permutation(table, seed=7)]
    lines = python(ReportInput(tuple(results), (), table))
    calls = [line.strip().rstrip(",") for line in lines if line.startswith("    bi.compare")]
    for call, result in zip(calls, results, strict=True):
        again = eval(call, {"bi": bi, "scores": table})  # noqa: S307
        assert again.provenance == result.provenance
        pd.testing.assert_frame_equal(again.contrasts(all=True), result.contrasts(all=True))


def test_command_that_is_shown(monkeypatch):
    scores = bi.load_example("simulated/balanced")
    monkeypatch.setattr("benchinfer.reports.gather.everything", lambda _: ReportInput(()))
    monkeypatch.setattr("sys.argv", ["/x/bin/benchinfer", "report", "a b.csv", "--output", "$(r)"])
    made = cli_report.analyse(scores)
    assert made.command == "benchinfer report 'a b.csv' --output '$(r)'"
    monkeypatch.setattr("sys.argv", ["/x/bin/pytest", "-q"])
    assert cli_report.analyse(scores).command == ""
