"""Small pages that would be large tables, or take the time of their length squared."""

import resource
import time

import pytest

import benchinfer as bi

CELLS = "has more than 250,000 cells, too many for a page"
SPANNED = "<td colspan=1000 rowspan=1000>0.5" * 5
DIGITS = "9" * 5000
LATEX = r"\begin{tabular}{ll}a & b\\ \hline %s & 1\\ c & 2\\ \end{tabular}"


def check(folder, name, text):
    """Read a page within a second and 200 MB; return what is said of it."""
    (folder / name).write_text(text)
    start, memory = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(bi.ScoreTableError) as refused:
        bi.read_scores(folder / name, measures="score:higher")
    assert time.process_time() - start < 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 200 << 10
    return str(refused.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("spans.html", f"<table>{f'<tr>{SPANNED}</tr>' * 30}</table>"),
        ("wide.html", f"<table><tr>{'<td>1' * 9000}</tr>{'<tr><td>a</tr>' * 9000}</table>"),
        ("span.tex", LATEX % r"\multicolumn{999999999}{c}{b}"),
        (
            "wide.tex",
            LATEX % f"{'a & ' * 9000} {'b' + chr(92) * 2} {('c & 1' + chr(92) * 2) * 9000}",
        ),
        ("wide.md", f"{'|a' * 9000}|\n{'|-' * 9000}|\n" + "|1|\n" * 9000),
        ("wide.csv", f"a{',' * 900}\n1 ± 2\n" + "1\n" * 900),
    ],
)
def test_cells_are_counted_before_they_are_laid_out(tmp_path, name, text):
    assert CELLS in check(tmp_path, name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("digits.html", f"<table><tr><th>m<th>x</tr><tr><td colspan={DIGITS}>a<td>1</tr></table>"),
        ("digits.tex", LATEX % rf"\multicolumn{{{DIGITS}}}{{c}}{{b}}"),
        ("rows.tex", LATEX % rf"\multirow{{{DIGITS}}}{{*}}{{b}}"),
        ("tags.html", "<a" * 50_000),
        ("comments.html", "<!--" * 50_000),
        ("sections.html", "<![CDATA[" * 20_000 + ">"),
        ("begin.tex", r"\begin{tabular}" * 50_000),
        ("rule.md", "a|b\n" + " " * 50_000 + "-x"),
        ("tags.md", "|a|b|\n|-|-|\n|" + "<a" * 50_000 + "|1|\n"),
        ("links.md", "|a|b|\n|-|-|\n|" + "[" * 50_000 + "|1|\n"),
        ("blank.md", "|a|b|\n|-|-|\n|x|1" + " " * 50_000 + "x|\n"),
    ],
)
def test_what_is_left_open_is_looked_for_once(tmp_path, name, text):
    check(tmp_path, name, text)


def test_comments_and_the_end_of_a_page(tmp_path):
    page = "<table><!-- <tr><td>x<td>9 --><tr><th>algorithm<th>d1<tr><td>rf<td>1<tr><td>svm<td>2"
    (tmp_path / "x.html").write_text(f"<!DOCTYPE html>{page}")
    scores = bi.read_scores(tmp_path / "x.html", measures="v:higher", layout="rows-are-algorithms")
    assert scores.to_frame()["value"].to_list() == [1, 2]
