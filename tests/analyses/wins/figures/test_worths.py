import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.wins import figures


@pytest.fixture(scope="module")
def wins():
    return bi.compare_wins(bi.load_example("sklearn_bootstrap"), "error")


def test_rows_are_log_worths_best_first(wins):
    laid = figures.layout_worths(wins)
    table = wins.summary().sort_values("log_worth", ascending=False)
    assert [row.label for row in laid.rows] == table["algorithm"].tolist()
    np.testing.assert_allclose([row.value for row in laid.rows], table["log_worth"])
    half = [(row.high - row.low) / 2 for row in laid.rows]
    np.testing.assert_allclose(half, 1.3859 * table["quasi_error"], rtol=1e-4)
    assert laid.rows[0].said == "2.29"
    assert "svm 2.29" in laid.alt
    assert "off by at most 30 %" in laid.notes[1]


def test_drawn(wins):
    for width in (6.9, 3.3):
        assert figures.size_worths(figures.layout_worths(wins, width))[1] > 1
    assert wins.plot("worths").get_label().startswith("Dots with intervals: the log worth")
