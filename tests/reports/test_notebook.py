"""Results and figures in a notebook."""

import re

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

import benchinfer as bi
from benchinfer.core.sections import Table, names
from benchinfer.reports.notebook import excerpt, html
from tests.analyses.subgroups.conftest import table as planted
from tests.analyses.subgroups.regions.test_regions import table as along_size
from tests.comparison.checks.test_tables_doubts import minus_one
from tests.conftest import NASTY, Page, nasty_scores

CELLS = """import benchinfer as bi
scores = bi.load_example("simulated/balanced")
scores
---
points = bi.compare_points(scores)
points
---
points.plot()
---
import sys
"matplotlib.pyplot" in sys.modules"""


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of Jupyter
def test_a_fresh_kernel_shows_results_and_figures():
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS.split("\n---\n")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    table, points, figure, pyplot = (cell.outputs[0] for cell in notebook.cells)
    assert "10 data sets x 4 algorithms" in table.data["text/html"]
    assert "alg2" in points.data["text/html"]
    assert figure.data["image/png"].startswith("iVBOR")
    assert figure.metadata["image/png"]["width"] < 1000
    assert "Ranking of 4 algorithms" in figure.metadata["image/png"]["alt"]
    assert pyplot.data["text/plain"] == "False"


def effects():
    frame = pd.DataFrame(
        {"study": ["s1", "s2"], "dataset": ["d1", "d2"], "first": "a", "second": "b"}
        | {"estimate": [0.1, 0.2], "std_error": 0.05}
    )
    return bi.read_effects(frame, measures="acc:higher")


def left_out(table):
    found = bi.compare_bayes(table, draws=100, chains=4, seed=1)
    left = found.loo(refit=False)
    return left, found.predictive_check(left)


def wins():
    frame = pd.DataFrame({"first": ["a"], "second": ["b"], "wins": [3], "ties": [0], "losses": [2]})
    return bi.read_wins(frame)


def groups():
    return bi.compare_subgroups(planted(), tests="asymptotic")


def regions():
    model = bi.compare_mixed(along_size(), covariates="size", structure="common")
    return bi.regions(model, "size")


@pytest.mark.parametrize(
    ("noun", "says"),
    [
        (lambda table, _: table, "score : higher is better, tolerance 0.02"),
        (lambda table, _: bi.compare_points(table), "alg4"),
        (lambda table, _: bi.monitor(table), "Where the experiment stands"),
        (lambda _, local: local, "Each data set by itself: mixed model"),
        (lambda _, local: local["d01"].relation(), "Relation alg2 ? alg1 > alg3"),
        (lambda _, local: local.relations(), "Ensemble Relations : 10 relations on 4 algorithms"),
        (lambda _, local: bi.consensus(local.relations()), "Method : weak orders of the least"),
        (
            lambda _, local: bi.stability.bootstrap_consensus(
                local.relations(), resamples=20, seed=1
            ),
            "Stability of 4 algorithms over 20 resamples of 10 relations",
        ),
        (
            lambda _, local: bi.stability.consensus_influence(local.relations()),
            "Consensus influence Leaving out one of 10 relations changes the consensus for",
        ),
        (lambda table, _: bi.plan(table, 0.01), "A plan to show a difference"),
        (lambda *_: bi.pareto(bi.load_example("sklearn_bootstrap")), "Pareto front on error"),
        (lambda table, _: table.coverage("score"), "Coverage"),
        (lambda *_: groups(), "Where: groups of data sets by accuracy"),
        (lambda *_: groups().stability(5, seed=1), "Stability of the groups In 5 subsamples"),
        (lambda table, _: bi.archetypes(table, k=2, seed=1), "Archetypes of data sets 2"),
        (
            lambda table, _: bi.archetypes(table, k=2, seed=1).stability(5, seed=1),
            "Stability of archetypes Data sets were drawn",
        ),
        (lambda *_: regions(), "Differences along size b is better than a"),
        (lambda _, local: local.relations().map(), "Map 10 relations, with"),
        (lambda table, _: bi.compare_mixed(table).predict(), "New dataset"),
        (lambda table, _: left_out(table)[0], "Leave one out Elpd"),
        (lambda table, _: left_out(table)[1], "Predictive checks 0 of 10 data sets"),
        (lambda *_: effects(), "Effects DataFrame: 2 effects of 2 studies on 2 data sets"),
        (lambda *_: wins(), "Wins DataFrame: 1 pairs of 2 algorithms, 5 contests."),
    ],
)
def test_each_noun_says_what_it_is(table, local, noun, says):
    page = Page(noun(table, local)._repr_html_())
    assert says in page.text
    assert page.stack == []
    assert "table" in page.tags


def test_statistics_of_a_table_are_told_though_they_have_an_attribute_summary(table):
    said = "Sufficient statistics 10 data sets x 4 algorithms"
    assert Page(table.statistics()._repr_html_()).text.startswith(said)


def test_a_comparison_has_headline_order_contrasts_and_warnings(mixed):
    page = Page(mixed._repr_html_())
    assert mixed.headline() in page.text
    assert str(mixed.relation()) in page.text
    assert {"Warnings", "undecided"} & set(page.text.split())
    rows = mixed.contrasts(all=True)
    cells = page.cells()
    assert all(cells.count(name) >= 2 for name in {*rows["first"], *rows["second"]})
    failed = [check for check in mixed._checks if not check.ok]
    assert all(f"{check.sentence} {check.remedy}" in page.text for check in failed)


def test_several_monitored_measures_are_told_one_by_one():
    scores = bi.load_example("sklearn_bootstrap").subset(datasets="wine")
    found = bi.monitor_measures(scores, ["error", "seconds"])
    text = Page(found._repr_html_()).text
    assert text.startswith(f"Monitored measures {found.headline()}")
    assert all(result.headline() in text for result in found.values())


def test_doubts_about_the_table_come_before_the_verdict():
    found = bi.compare_points(minus_one())
    text = Page(found._repr_html_()).text
    assert text.count("stand-ins:") == 1
    assert text.index("stand-ins") < text.index(found.headline())


def test_names_are_data(nasty):
    for noun in (nasty, nasty.relation(), nasty_scores()):
        text = html(noun)
        page = Page(text)
        assert not {"script", "img", "u", "s", "a", "iframe"} & set(page.tags)
        assert NASTY in page.text or noun is not nasty
        assert "mathjax_ignore" in text
        assert not re.search(r"https?:|url\(|@import|src=", text)


def test_long_tables_are_cut_and_say_where_the_rest_is():
    def table(rows, name=""):
        frame = pd.DataFrame({"a": range(rows)}, dtype=object)
        return Table(name=name, caption="", frame=frame, columns=names("a"))

    assert excerpt(table(0)) is None
    assert len(excerpt(table(15))[0].frame) == 15
    cut, rest = excerpt(table(40, "contrasts"))
    assert len(cut.frame) == 10
    assert rest == "... and 30 more rows; contrasts() has all"
    assert excerpt(table(40))[1] == "... and 30 more rows"
