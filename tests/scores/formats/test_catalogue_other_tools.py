"""Recognisers that step aside where a document is of another tool."""

import json

import pytest

import benchinfer as bi
from benchinfer.core.errors import ScoreTableError

OTHERS = [
    {"results": {"version": 3, "prompts": [{"provider": "a"}], "results": [{"score": 1}]}},
    {"results": {"a": {"score": 1.0}}},
    {"results": {}},
    {"results": "done"},
    {"results": [[1, 2]]},
]


@pytest.mark.parametrize("document", OTHERS, ids=str)
def test_results_of_any_tool_are_not_damaged_ones_of_hyperfine(document, tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ScoreTableError) as error:
        bi.read_scores(path)
    assert "hyperfine" not in str(error.value)
