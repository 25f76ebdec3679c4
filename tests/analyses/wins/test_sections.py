"""What a report says about wins."""

import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.wins import sections
from benchinfer.core.sections import Request


@pytest.fixture(scope="module")
def wins():
    return bi.compare_wins(bi.load_example("sklearn_bootstrap"), "error")


def test_who_wins_in_a_sentence_and_what_wins_are_not(wins):
    (section,) = sections.sections(wins, Request())[1:]
    assert section.lead.startswith("svm has the largest worth: it wins 44 of its 60 contests")
    assert "180 contests, of which 37 ties" in section.text[0]
    assert "not by how much" in section.text[1]
    assert len(section.figures) == 2
    rows = section.tables[0].rows
    assert [cell.text for cell in rows[0]][:4] == ["svm", "44", "14", "2"]
    pairs = section.fold.tables[0]
    assert len(pairs.rows) == 15
    # Of pairs with ties the wins of one side can lie outside, and those of the other inside.
    stored, place = wins.predicted(), wins.ranking().index
    seen = [
        row["inside" if place(row["first"]) < place(row["second"]) else "losses_inside"]
        for row in stored.to_dict("records")
    ]
    assert [row[5].text for row in pairs.rows].count("outside") == seen.count(False)
    assert stored["inside"].tolist() != seen


@pytest.mark.slow
def test_a_posterior_says_who_is_best():
    scores = bi.load_example("demsar2006")
    found = bi.compare_wins(scores, inference="bayes", seed=1, draws=100, chains=4)
    assert "it is the best one with probability" in sections.best(found)
    assert "P(best)" in [column.head for column in sections.worths(found).columns]


def test_a_report_of_published_wins(tmp_path):
    table = pd.DataFrame({"first": ["a"], "second": ["b"], "wins": [9], "ties": 0, "losses": [3]})
    path = tmp_path / "wins.html"
    bi.report(bi.compare_wins(bi.read_wins(table)), path)
    text = path.read_text(encoding="utf-8")
    assert "By wins as published" in text
    assert ">nan<" not in text
