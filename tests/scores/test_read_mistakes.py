"""Wrong calls: the messages that the page on frameworks shows."""

import re
from pathlib import Path

import pandas as pd
import pytest

import benchinfer
from benchinfer.core.errors import BenchinferError

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "frameworks.md"
ROWS = re.findall(r"^\| `(read_scores\(.*)` \| (.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
RUNS = pd.DataFrame(
    {
        "task": ["a", "a", "b", "b"],
        "fold": [1, 1, 1, 1],
        "model": ["svm", "knn", "svm", "knn"],
        "score": [0.9, 0.8, 0.7, 0.6],
    }
)


def test_there_are_twenty():
    assert len(ROWS) >= 20


@pytest.mark.parametrize(("call", "said"), ROWS)
def test_wrong_calls(call, said):
    names = {"runs": RUNS, "read_scores": benchinfer.read_scores, "Measure": benchinfer.Measure}
    names["Declaration"] = benchinfer.Declaration
    with pytest.raises(BenchinferError) as caught:
        eval(call, names)  # noqa: S307 - calls of our own page
    first, *rest = str(caught.value).splitlines()
    assert first == said
    assert any(line.lstrip().startswith("Hint:") for line in rest)


def test_a_mapping_the_other_way_round():
    with pytest.raises(BenchinferError) as caught:
        benchinfer.read_scores(RUNS, measures="acc:higher", columns={"algorithm": "model"})
    assert "the other way round: columns={'model': 'algorithm'}" in str(caught.value)
