"""Reading published wins."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi

TABLE = pd.DataFrame(
    {
        "first": ["svm", "svm", "rf"],
        "second": ["rf", "knn", "knn"],
        "wins": [6, 7, 5],
        "ties": [1, 0, 2],
        "losses": [3, 3, 3],
    }
)


def test_counts_are_of_sorted_pairs():
    found = bi.read_wins(TABLE, name="accuracy")
    assert found.algorithms == ("knn", "rf", "svm")
    wins, ties, losses = found.counts()  # knn-rf, knn-svm, rf-svm
    assert (wins.tolist(), ties.tolist(), losses.tolist()) == ([3, 3, 3], [2, 0, 1], [5, 7, 6])
    assert found.coverage().counts.tolist() == [[20, 20, 20]]
    pd.testing.assert_frame_equal(found.to_frame(), TABLE.astype({"wins": float, "ties": float,
                                                                  "losses": float}))  # fmt: skip
    assert repr(found) == "Wins(DataFrame: 3 pairs of 3 algorithms, 30 contests)"


def test_the_digest_is_that_of_the_counts_not_of_their_order():
    turned = TABLE.rename(columns={"first": "second", "second": "first", "wins": "losses",
                                   "losses": "wins"}).iloc[::-1]  # fmt: skip
    other = TABLE.assign(wins=[6, 7, 4])
    digest = [bi.read_wins(table).digest for table in (TABLE, turned, other)]
    assert digest[0] == digest[1] != digest[2]


def test_columns_by_role_and_no_ties(tmp_path):
    path = tmp_path / "wins.csv"
    TABLE.rename(columns={"wins": "A beats B"}).drop(columns="ties").to_csv(path, index=False)
    found = bi.read_wins(path, columns={"A beats B": "wins"})
    assert found.ties.sum() == 0
    assert found.findings()["where"].size == 1
    assert "no column of ties" in str(found.notes[0].what)


def test_all_faults_at_once():
    broken = pd.DataFrame(
        {
            "first": ["a", "b", "b", None],
            "second": ["b", "a", "b", "c"],
            "wins": [6, "x", 5, 2],
            "ties": [1, 0, -1, 0],
            "losses": [3, None, 5, 1],
        }
    )
    with pytest.raises(bi.ScoreTableError) as error:
        bi.read_wins(broken)
    text = str(error.value)
    assert text.startswith("6 faults in 'DataFrame'.")
    for what in (
        "1 values of the column 'wins' are no numbers.",
        "1 rows lack a name.",
        "1 rows are of an algorithm with itself.",
        "1 rows are of a pair that is there already",
        "1 rows lack a count.",
        "1 rows have a count below 0.",
    ):
        assert what in text


def test_missing_columns_and_no_rows():
    with pytest.raises(bi.ScoreTableError, match="missing columns: second, wins, losses"):
        bi.read_wins(pd.DataFrame({"first": ["a"], "w": [1]}))
    with pytest.raises(bi.ScoreTableError, match="there are no rows"):
        bi.read_wins(TABLE.iloc[:0])


def test_half_wins_are_noted():
    found = bi.read_wins(TABLE.assign(wins=[6.5, 7, 5]))
    assert found.wins[0] == 6.5
    assert "not whole" in found.notes[0].what
    assert not np.isnan(found.counts()).any()
