"""Tables of pairs from the other side."""

import numpy as np
import pandas as pd
import pytest

from benchinfer.core.errors import BenchinferError
from benchinfer.core.frames import turned

HERE = np.array([True])
PAIR = pd.DataFrame({"first": ["a"], "second": ["b"]})


def test_only_the_rows_asked_for_are_turned() -> None:
    table = pd.DataFrame(
        {
            "first": ["a", "a"],
            "second": ["b", "c"],
            "wins": [5, 6],
            "losses": [2, 1],
            "p_value": 0.2,
        }
    )
    found = turned(table, np.array([False, True]), neutral=0)
    assert found.to_dict("list") == {
        "first": ["a", "c"],
        "second": ["b", "a"],
        "wins": [5, 1],
        "losses": [2, 6],
        "p_value": [0.2, 0.2],
    }


@pytest.mark.parametrize("column", ["gain", "Nemenyi", "wins", "prob_first", "conf_low"])
def test_columns_that_cannot_be_turned_are_refused(column: str) -> None:
    table = PAIR.assign(**{column: 0.3})
    with pytest.raises(BenchinferError, match=f"not known to turn: {column}$"):
        turned(table, HERE, neutral=0)
    assert turned(table, HERE, neutral=0, undirected=[column])[column].tolist() == [0.3]
