"""The stages of a running experiment as a table."""

import pytest

import benchinfer as bi
from benchinfer.analyses.monitor.sections import stages


@pytest.mark.parametrize("method", ["recursive", "group-sequential", "anytime"])
@pytest.mark.parametrize("datasets", [1, 2])
def test_every_row_is_told(running, method, datasets):
    scores = running(60, {"a": 0.0, "b": 0.02, "c": 3.0}, datasets=datasets)
    found = bi.monitor(scores, method=method, stage=20)
    table = stages(found)
    assert len(table.rows) == len(found.stages())
    names = [column.name for column in table.columns]
    assert ("dataset" in names) == (datasets == 2)
    assert names[-1] == "state"
    said = [row[-1].text for row in table.rows]
    assert "c better" in said
    assert "go on" in said
    place = found.ranking().index
    pairs = [(place(row[0].text), place(row[1].text)) for row in table.rows]
    assert pairs == sorted(pairs)
    assert all(first < second for first, second in pairs)


def test_long_tables_are_cut(running):
    scores = running(120, {"a": 0.0, "b": 0.02}, datasets=25)
    table = stages(bi.monitor(scores, stage=20, last_stage=None, rule="constant"))
    assert len(table.rows) <= 200
    assert table.note.endswith("more rows are in stages().")
