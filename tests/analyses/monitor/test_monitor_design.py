"""The design of a running experiment in words and numbers."""

import numpy as np
import pytest
from scipy.stats import norm

import benchinfer as bi
from benchinfer.analyses.monitor import sections


def facts(scores, **options):
    return dict(sections.section(bi.monitor(scores, stage=20, **options)).facts)


@pytest.fixture(scope="module")
def scores(running):
    return running(40, {"a": 0.0, "b": 0.0, "c": 0.0}, datasets=2)


def test_recursions(scores):
    found = facts(scores)
    assert found["Level"] == (
        "5 % over all pairs and looks; 1.667 % for each of 3 pairs; 0.8333 % in each direction"
    )
    assert found["Stages"].startswith("20 replications on each of 2 data sets each; the 5th")
    assert "p up to 0.0017 and stops for futility above 0.9" in found["First stage"]
    assert found["Rule"].startswith("constant: ")
    assert "none is declared the last" in facts(scores, last_stage=None)["Stages"]
    assert facts(scores, rule="literal-scenario2")["Rule"].endswith("after some stages")
    one = facts(scores, pairs=("a", "b"), alternative="better")
    assert one["Level"] == "5 % over all looks"


def test_e_processes(scores):
    found = facts(scores, method="anytime", last_stage=3)
    assert found["Decided by"].startswith("an e-value of 60, 20 for the last")
    assert found["Budget"] == "3 times 20 replications on each of 2 data sets"


@pytest.mark.parametrize("alternative", ["two-sided", "better"])
@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
def test_looks_spend_the_level(scores, alternative, spending):
    found = bi.monitor(
        scores, stage=20, method="group-sequential", alternative=alternative, spending=spending
    )
    table = sections.looks(found.design)
    assert len(table.rows) == 5
    assert table.rows[-1][-1].text == "1.6667 %"
    assert [row[1].text for row in table.rows] == ["20", "40", "60", "80", "100"]
    sides = 2 if alternative == "two-sided" else 1
    z = np.array([float(row[3].text) for row in table.rows])
    # The first look spends what lies beyond its boundary.
    share = sides * norm.sf(z[0])
    shown = table.rows[0][-1].text
    assert (
        shown.startswith("<")
        if share < 1e-6
        else float(shown[:-2]) == pytest.approx(100 * share, rel=0.02)
    )
    assert ("either side" in table.note) == (sides == 2)
