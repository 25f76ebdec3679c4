import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.bootstrap import sections
from benchinfer.core.sections import Request
from tests.conftest import NASTY

ALL = ["Aggregates", "Performance profiles", "Probability of improvement"]


@pytest.fixture(scope="module")
def resampled(table):
    return bi.compare_bootstrap(table, seed=1, resamples=2000)


def text(section):
    return " ".join(section.text)


def noise(k, low):
    rng = np.random.default_rng(1)
    d, r, a = np.indices((4, 5, k)).reshape(3, -1)
    values = low + rng.uniform(size=d.size)
    frame = {"dataset": d, "replication": r, "algorithm": [f"a{i}" for i in a], "value": values}
    scores = bi.read_scores(pd.DataFrame(frame), measures={"m": "lower"})
    return bi.compare_bootstrap(scores, seed=1, resamples=500)


def test_sections(resampled):
    assert [section.title for section in sections.sections(resampled, Request())[1:]] == ALL


def test_the_aggregate_is_named(table):
    quantile = bi.compare_bootstrap(table, statistic=0.25, seed=1, resamples=100)
    said = text(sections.aggregates(quantile))
    assert (
        "the 0.25 quantile, counted from the worst, of the data sets' means of simulated score"
        in said
    )


def test_ratios_are_shown_where_they_have_a_meaning(resampled):
    shown, without = (sections.profiles(r) for r in (resampled, noise(2, -0.5)))
    assert (len(shown.figures), len(without.figures)) == (2, 1)
    assert "At 1 the curve is the share of data sets on which the algorithm is best" in text(shown)
    assert "some scores of m are not above 0" in without.warnings[0]


def test_pairs_that_differ_are_counted(resampled):
    n = (resampled.probability_of_improvement()["p_value"] <= 0.05).sum()
    said = text(sections.improvement(resampled))
    assert f"{n} of 6 pairs are shown to differ from probability 1/2" in said
    assert "decides no verdict" in said
    assert "The pair is not shown to differ" in text(sections.improvement(noise(2, 1.0)))


def test_the_table_holds_the_pairs(resampled):
    rows = sections.table(resampled).rows
    table = resampled.probability_of_improvement().set_index(["first", "second"])
    assert len(rows) == len(table)
    for first, second, *cells in rows:
        found = table.loc[(first.text, second.text)]
        assert [float(x) for x in (cells[0].text, *cells[1].text.split(" to "))] == [
            pytest.approx(found[name], abs=5e-4)
            for name in ("prob_improvement", "conf_low", "conf_high")
        ]


def test_many_pairs_are_folded(monkeypatch, resampled):
    monkeypatch.setattr(sections, "_PAIRS", 5)
    section = sections.improvement(resampled)
    assert (section.figures, section.tables) == ((), ())
    assert section.fold.summary == "Figure and table of the 6 pairs"
    assert len(section.fold.tables[0].rows) == 6


@pytest.mark.slow
def test_the_report(written, resampled):
    page = written([resampled])
    first = ["simulated score", "Answer", "What may change a verdict", "Remarks"]
    first += ["Method: bootstrap of aggregates", "What would change the verdicts"]
    assert page.headings()[:10] == [*first, "Bootstrap of aggregates", *ALL]
    assert "Statistic interquartile mean of simulated score, 2,000 resamples" in page.text
    assert resampled.method in page.text
    assert "p error" in page.text


@pytest.mark.slow
def test_hostile_names_stay_text(written, nasty_table):
    whole = nasty_table.complete(nasty_table.measures[0].name)
    page = written(bi.compare_bootstrap(whole, seed=1, resamples=200))
    assert not page.runs_names()
    assert NASTY in page.cells()
    assert "Performance profiles" in page.headings()
