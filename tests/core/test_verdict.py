import numpy as np
import pytest

from benchinfer.core.errors import DesignError
from benchinfer.core.verdict import MIRROR, WORDS, Verdict, code, merged, unrelated


def test_words_and_codes_belong_together():
    assert [code(word) for word in WORDS] == list(Verdict)
    assert (MIRROR[MIRROR] == list(Verdict)).all()
    with pytest.raises(DesignError, match="unknown verdict 'equal'"):
        code("equal")


@pytest.mark.parametrize(
    ("undecided", "missing", "expected"),
    [
        ("undecided", "ignore", [0, 1, 2, 3, 4]),
        ("equivalent", "ignore", [0, 2, 2, 3, 4]),
        ("undecided", "undecided", [1, 1, 2, 3, 4]),
        ("equivalent", "undecided", [2, 2, 2, 3, 4]),
    ],
)
def test_what_is_merged_is_what_was_asked_for(undecided, missing, expected):
    assert merged(np.arange(5, dtype=np.int8), undecided, missing).tolist() == expected


def test_other_ways_to_merge_are_refused():
    states = unrelated(2)
    with pytest.raises(DesignError, match="unknown value of undecided 'first'"):
        merged(states, undecided="first")
    with pytest.raises(DesignError, match="unknown value of missing 'equivalent'"):
        merged(states, missing="equivalent")
