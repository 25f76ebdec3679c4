"""Tables in LaTeX compile, with nothing wider than the line (`make paper`)."""

import doctest
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi

pytestmark = pytest.mark.latex

PAGE = Path(__file__).parents[2] / "docs" / "publish" / "paper.md"
HOSTILE = ["a_b%c&d#$e~^\\f{g}", "[x] *y*", "漢字 🤖", "β-γ₂²", "dataset", '--"q"`|<b>']
DOCUMENT = r"""\documentclass[%s]{article}
\usepackage{booktabs,graphicx,pgf,siunitx}
\begin{document}
%s
\end{document}
"""


def table(names, *, replications=3, scale="identity", datasets=9):
    rng = np.random.default_rng(1)
    rows = [
        (f"data_{d} {{", r, name, np.exp(0.1 * k + rng.normal(0, 0.1) + rng.normal(0, 0.02)))
        for d in range(datasets)
        for k, name in enumerate(names)
        for r in range(replications)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "replication", "algorithm", "err_%"])
    measure = bi.Measure("err_%", "lower", scale=scale)
    return bi.read_scores(frame, measures=measure, layout="wide-measures", paired=True)


def tables_of(scores):
    found = bi.compare_mixed(scores)
    yield found.sentence, found.table("algorithms")
    yield None, found.table("datasets", scores=scores)
    if len(scores.algorithms) < 10:
        yield None, found.table("pairs")
        yield None, bi.per_dataset(bi.compare_points, scores).table()
        yield None, bi.compare_mixed(scores, control=scores.algorithms[0]).table()


def compiled(text, folder, name, options="a4paper"):
    if shutil.which("pdflatex") is None:
        pytest.fail("there is no pdflatex: apt-get install texlive-latex-extra texlive-science")
    (folder / f"{name}.tex").write_text(DOCUMENT % (options, text), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    log = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[-2000:]
    return log


@pytest.mark.parametrize("options", ["a4paper", "a4paper,twocolumn"])
@pytest.mark.parametrize(
    ("names", "given"),
    [
        (HOSTILE, {}),
        (["one", "two"], {"replications": 1, "scale": "log"}),
        ([f"classifier {n:02d}" for n in range(30)], {"datasets": 20}),
    ],
    ids=["hostile", "two", "thirty"],
)
def test_tables_compile(names, given, options, tmp_path):
    texts = [laid.to_latex() for _, laid in tables_of(table(names, **given))]
    log = compiled("\n".join(texts), tmp_path, "tables", options)
    wide = re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)
    assert [points for points in map(float, wide) if points > 10] == []


def test_sentences_compile(tmp_path):
    found = bi.compare_mixed(table(HOSTILE))
    said = (found.sentence(), found.method, found.rule)
    text = "\n\n".join(map(bi.papers.latex, said))
    assert "Undefined" not in compiled(text, tmp_path, "text")


def test_figures_compile_with_the_package_pgf_alone(tmp_path):
    import matplotlib as mpl

    found = bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error")
    with mpl.rc_context({"pgf.texsystem": "pdflatex"}):
        for kind in ("ranking", "forest", "hasse", "critical-difference"):
            bi.plot(found, kind, width="column").savefig(tmp_path / f"{kind}.pgf")
    files = sorted(tmp_path.glob("*.pgf"))
    inputs = "\n\n".join(rf"\input{{{path.name}}}" for path in files)
    log = compiled(inputs, tmp_path, "figures")
    assert "not set up" not in log


def test_every_kind_compiles(tmp_path):
    scores = bi.load_example("sklearn_bootstrap")
    results = [
        bi.compare_points(scores, "error"),
        bi.compare_permutation(scores, "error", seed=1),
        bi.compare_bayes(scores, "error", seed=1),
        bi.compare_wins(scores, "error"),
        bi.monitor(scores, "error"),
        bi.consensus(bi.per_dataset(bi.compare_points, scores, "error").relations()),
    ]
    compiled("\n".join(result.table().to_latex() for result in results), tmp_path, "kinds")


def test_the_page_compiles(tmp_path, monkeypatch):
    """The code of the page writes the files that its document takes."""
    text = PAGE.read_text(encoding="utf-8")
    files = re.findall(r"`([\w.]+)`:\n\n```text\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    for name, content in files:
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"^```pycon\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        for example in doctest.DocTestParser().get_examples(block):
            exec(example.source, names)  # noqa: S102  # the code of our own page
    for program in ("pdflatex", "bibtex", "pdflatex", "pdflatex"):
        options = ["-interaction=nonstopmode", "-halt-on-error"] if program == "pdflatex" else []
        done = subprocess.run([program, *options, "paper"], capture_output=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]
    log = (tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert "undefined" not in log
