import pytest

import benchinfer as bi
from benchinfer.analyses.mixed.figures import influence_of
from benchinfer.comparison.checks import InfluenceLayout
from benchinfer.comparison.figures import influence


@pytest.fixture(scope="module")
def left(mixed):
    return influence_of(mixed)


def test_rows_are_the_data_sets(mixed, left):
    laid, table = influence.layout_influence(left), mixed.influence().set_index("dataset")
    assert sorted(row.label for row in laid.rows) == sorted(table.index)
    for row in laid.rows:
        assert row.value == pytest.approx(abs(table.loc[row.label, "shift"]))
        assert row.marker == ("D" if table.loc[row.label, "n_changed"] else "o")
    values = [row.value for row in laid.rows]
    assert values == sorted(values, reverse=True)


def test_changes_in_words_where_there_is_room(left):
    wide, narrow = influence.layout_influence(left), influence.layout_influence(left, 3.3)
    said = left.changing.set_index("unit")["changes"]
    assert len(said)
    assert {r.label: r.said for r in wide.rows if r.said} == said.to_dict()
    assert {r.said for r in narrow.rows if r.said} == {"1 verdict changed"}


def test_of_many_those_that_change_verdicts_come_first(left):
    import pandas as pd

    parts = [left.table.assign(unit=left.table["unit"] + f"_{i}", n_changed=0) for i in range(4)]
    parts[-1]["n_changed"] = (left.table["n_changed"] > 0).astype(int)
    whole = pd.concat(parts, ignore_index=True)
    whole = whole.sort_values("shift", key=lambda s: -s.abs(), ignore_index=True)
    laid = influence.layout_influence(InfluenceLayout(left.measure, "data set", whole))
    assert len(laid.rows) == 20
    assert sum(row.marker == "D" for row in laid.rows) == (whole["n_changed"] > 0).sum()
    assert laid.notes[-1] == "20 of 40 data sets: those that matter most"


def test_replications_of_one_dataset(table):
    one = bi.compare_mixed(table.subset(datasets=[table.datasets[0]]))
    laid = influence.layout_influence(influence_of(one))
    assert laid.title.startswith("Leaving out one replication")
    assert "replication" in laid.alt


def test_models_without_influence(table):
    with pytest.raises(bi.DesignError, match="influence is not worked out where"):
        bi.compare_mixed(table, structure="unstructured").plot("influence")
