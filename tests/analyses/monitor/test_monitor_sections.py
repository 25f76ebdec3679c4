"""What a report says about a running experiment."""

import pytest

import benchinfer as bi
from benchinfer.analyses.monitor import sections
from benchinfer.core.sections import Request

THREE = {"a": 0.0, "b": 0.02, "c": 3.0}


@pytest.mark.slow
def test_a_reader_learns_what_is_decided_and_what_to_run(written, running):
    scores = running(60, THREE)
    found = bi.monitor(scores, stage=20)
    page = written(found, scores=scores)
    headings = page.headings()
    for title in ("Where the experiment stands", "The design", "What is owed to the order"):
        assert title in headings
    assert "Go on: 2 of 3 pairs decided and 1 going on." in page.text
    assert "c is better than a (after 20); c is better than b (after 20)" in page.text
    assert "The p-value of 1 pair is provisional" in page.text
    assert "d1: a and b, 20 replications (61 to 80)" in page.text
    assert "are saved" in page.text
    cells = page.cells()
    assert cells.count("c better") >= 2
    assert any(cell.endswith("*") for cell in cells)  # provisional


@pytest.mark.slow
def test_without_the_table_nothing_is_said_of_the_order(written, running):
    page = written(bi.monitor(running(60, THREE), stage=20))
    assert "What is owed to the order" not in page.headings()


@pytest.mark.parametrize(
    ("method", "figures"), [("recursive", 1), ("group-sequential", 1), ("anytime", 2)]
)
def test_every_method_has_its_figures(running, method, figures):
    section = sections.standing(bi.monitor(running(60, THREE), method=method, stage=20), Request())
    assert len(section.figures) == figures
    assert section.fold is not None
    assert section.lead.startswith("Go on: ")


def test_an_experiment_that_ended_without_a_verdict(running):
    found = bi.monitor(running(100, {"a": 0.0, "b": 0.0}, seed=3), stage=20)
    section = sections.standing(found, Request())
    assert section.lead.endswith("the pair ended without a verdict.")
    assert any("not known to be alike" in text for text in section.text)
    assert section.facts == ()


def test_each_data_set_has_a_line(running):
    found = bi.monitor(running(4, {"a": 0.0, "b": 0.0}, datasets=11), stage=20)
    section = sections.standing(found, Request())
    assert [name for name, _ in section.facts] == ["Run next", *[""] * 10]
    assert section.fold is None
