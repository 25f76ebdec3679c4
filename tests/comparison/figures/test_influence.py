from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.mixed.influence import left_out
from benchinfer.comparison.figures import influence
from benchinfer.core.errors import DesignError


@pytest.fixture(scope="module")
def left(mixed):
    return left_out(mixed, "dataset", None)


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
    said = left.ranked().set_index("unit")["changes"]
    said = said[said != ""]
    assert len(said)
    assert {r.label: r.said for r in wide.rows if r.said} == said.to_dict()
    assert {r.said for r in narrow.rows if r.said} == {"1 verdict changed"}


def test_of_many_those_that_change_verdicts_come_first(left):
    n = len(left.names)
    codes = np.tile(left.before, (4 * n, 1)).astype(np.int8)
    codes[3 * n :] = left.codes
    many = replace(
        left,
        names=tuple(f"{name}_{i}" for i in range(4) for name in left.names),
        shift=np.tile(left.shift, (4, 1)),
        codes=codes,
        refitted=np.tile(left.refitted, 4),
        cook=np.tile(left.cook, 4),
        variances={},
    )
    laid = influence.layout_influence(many)
    assert len(laid.rows) == 20
    assert sum(row.marker == "D" for row in laid.rows) == left.changed.any(axis=1).sum()
    assert laid.notes[-1] == "20 of 40 data sets: those that matter most"


def test_moves_that_are_not_known_are_not_drawn(left):
    shift = left.shift.copy()
    shift[0] = np.nan
    laid = influence.layout_influence(replace(left, shift=shift))
    assert left.names[0] not in {row.label for row in laid.rows}
    assert len(laid.rows) == len(left.names) - 1
    assert "1 data set whose moves are not known is not shown" in laid.notes
    with pytest.raises(DesignError, match="no move of a difference without one data set is known"):
        influence.layout_influence(replace(left, shift=np.full_like(shift, np.nan)))


@pytest.mark.slow
def test_differences_that_do_not_vary_make_a_report(tmp_path):
    base, gain = np.random.default_rng(1).uniform(size=12), np.array([0.1, 0.2] * 6)
    frame = pd.DataFrame({"dataset": list("aabbccddeeff"), "replication": [1, 2] * 6})
    rows = pd.concat(
        [frame.assign(algorithm="x", acc=base), frame.assign(algorithm="y", acc=base + gain)]
    )
    result = bi.compare_mixed(bi.read_scores(rows, measures="acc:higher"))
    page = bi.report(result, tmp_path / "page.html").read_text()
    assert "No difference has an error to measure its moves in" in page


def test_replications_of_one_dataset(table):
    one = bi.compare_mixed(table.subset(datasets=[table.datasets[0]]))
    laid = influence.layout_influence(left_out(one, "dataset", None))
    assert laid.title.startswith("Leaving out one replication")
    assert "replication" in laid.alt


def test_models_without_influence(table):
    with pytest.raises(bi.DesignError, match="influence is not worked out where"):
        bi.compare_mixed(table, structure="unstructured").plot("influence")
