"""Texts in LaTeX, Markdown and HTML."""

import re
from html import unescape

import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.papers.markup import latex, latex_cell, markdown, number_format


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"_%&#$~^\{}", r"\_\%\&\#\$$\sim$\textasciicircum{}\textbackslash{}\{\}"),
        ("a--b", "a-{}-b"),
        ("x''y,,z", "x'{}'y,{},z"),
        ("[a] *b*", "{[}a] {*}b{*}"),
        ("\N{GREEK SMALL LETTER ALPHA}β-Ω", r"$\alpha \beta$-$\Omega$"),
        ("Λλς", r"$\Lambda \lambda \varsigma$"),
        ("\N{GREEK CAPITAL LETTER ALPHA}\N{GREEK SMALL LETTER OMICRON}", "$A o$"),
        ("é ç ő Å", r"\'{e} \c{c} \H{o} \r{A}"),
        ("m² x₁", "m${}^{2}$ x${}_{1}$"),
        ("\N{MINUS SIGN}0.5 ≤ ∞", r"$-$0.5 $\leq$ $\infty$"),
        (r"\$β", r"\textbackslash{}\$$\beta$"),
        ("two\n lines", "two lines"),
        (
            "漢 ą",
            r"\ifdefined\Umathchar 漢\else U+6F22\fi{} \ifdefined\Umathchar ą\else U+0105\fi{}",
        ),
    ],
)
def test_latex(text, expected):
    assert latex(text) == expected
    assert bi.papers.latex is latex


def test_no_character_is_left_that_ascii_has_not():
    """What pdfTeX reads is ASCII, for any character: others stand where only other engines look."""
    for code in [*range(0x20, 0x3000), 0x1F916, 0xFB01]:
        written = latex(chr(code))
        assert re.sub(r"\\ifdefined\\Umathchar .*?\\else", "", written).isascii(), hex(code)


def test_cells_of_numbers():
    assert latex_cell("1,234.50") == "1234.50"
    assert latex_cell("\N{MINUS SIGN}2") == "-2"
    assert latex_cell("2e\N{MINUS SIGN}7") == r"{2e$-$7}"
    assert number_format(["{--}"]) == "c"
    assert number_format(["-1.25", "10", "{--}"]) == "S[table-format=-2.2]"


def test_markdown():
    assert markdown("a|b *c* `d` <e>") == r"a\|b \*c\* \`d\` \<e\>"


NAMES = ["a_b%c&d#$e~^\\f{g}", "[x] *y*|", "<b>"]


@pytest.fixture(scope="module")
def hostile():
    rows = pd.DataFrame(
        [(f"d_{d}&", name, d + k + d * k / 9) for d in range(5) for k, name in enumerate(NAMES)],
        columns=["dataset", "algorithm", "value"],
    ).rename(columns={"value": "err_%"})
    scores = bi.read_scores(rows, measures={"err_%": "lower"}, layout="wide-measures")
    return bi.compare_points(scores), scores


def test_names_are_escaped_for_what_they_are_written_to(hostile):
    found, scores = hostile
    tables = found.table(), found.table("pairs"), found.table("datasets", scores=scores)
    for table in tables:
        tex, md, html = table.to_latex(), table.to_markdown(), table.to_html()
        assert not re.search(r"(?<!\\)[_#$]", re.sub(r"\$([-<> ]|\\sim)*\$|^%.*", "", tex))
        rows = tex.partition(r"\midrule")[2].partition(r"\bottomrule")[0].strip().splitlines()
        n = len(re.findall(r"(?<!\\)&", rows[0]))
        assert all(len(re.findall(r"(?<!\\)&", row)) == n for row in rows if row != r"\midrule")
        lines = [line for line in md.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
        assert "<b>" not in html
        assert "&lt;b&gt;" in html


def test_a_styler_stays_one(hostile):
    table = hostile[0].table()
    table.hide(["letters"], axis="columns").format(precision=1, subset=["estimate"])
    table.set_caption(r"An \emph{own} caption").set_properties(
        subset=(slice(1, 1), ["difference"]), **{"font-style": "italic"}
    )
    tex = table.to_latex(label="tab:own", environment="table*", position="t")
    assert r"\caption{An \emph{own} caption}" in tex
    assert r"\label{tab:own}" in tex
    assert r"\begin{table*}[t]" in tex
    assert "letters" not in tex.partition("midrule")[0]
    assert r"\itshape" in tex
    assert r"\bfseries 2.0" in tex
    assert "| letters |" not in table.to_markdown()
    assert "**2.0**" in table.to_markdown()


def test_files(hostile, tmp_path):
    table = hostile[0].table()
    for name in ("latex", "markdown", "html"):
        write = getattr(table, f"to_{name}")
        assert write(tmp_path / name) is None
        written = (tmp_path / name).read_text(encoding="utf-8")
        assert re.sub("T_[0-9a-f]+", "", written) == re.sub("T_[0-9a-f]+", "", write())


def test_a_notebook_shows_the_notes(hostile):
    table = hostile[0].table()
    assert table.paper.note in unescape(table._repr_html_())
