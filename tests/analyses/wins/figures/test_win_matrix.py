import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.wins import figures

TABLE = pd.DataFrame(
    {
        "first": ["a", "b", "a"],
        "second": ["b", "c", "d"],
        "wins": [2, 3, 9],
        "ties": [2, 0, 0],
        "losses": [6, 1, 1],
    }
)


@pytest.fixture(scope="module")
def wins():
    return bi.compare_wins(bi.read_wins(TABLE, name="accuracy"), errors="independent")


def test_tiles_are_shares_with_ties_as_halves(wins):
    laid = figures.layout_win_matrix(wins)
    assert laid.rows == laid.columns == ("b", "a", "c", "d")
    found = {(laid.rows[t.row], laid.columns[t.column]): t.share for t in laid.tiles}
    assert found[("a", "b")] == pytest.approx(0.3)
    assert found[("b", "a")] == pytest.approx(0.7)
    assert found[("b", "c")] == pytest.approx(0.75)
    assert ("c", "d") not in found
    assert len(found) == 6
    assert laid.notes == (
        "numbers: per cent of their contests; ties count half",
        "empty: never met",
    )
    assert "b has the largest worth" in laid.alt


def test_narrow_figures_have_no_numbers(wins):
    laid = figures.layout_win_matrix(wins, 3.3)
    assert not laid.numbered
    assert laid.notes[0].startswith("shade")
    assert wins.plot("wins").axes
