import pytest

import benchinfer as bi
from benchinfer.comparison.figures import datasets
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.core.verdict import Verdict


def test_tiles_are_the_verdicts(local):
    laid = datasets.layout_verdicts(local)
    assert len(laid.tiles) == 10 * 6
    for tile in laid.tiles:
        first, second = laid.columns[tile.column].split(" : ")
        table = local[laid.rows[tile.row]].contrasts(all=True).set_index(["first", "second"])
        if (first, second) in table.index:
            assert tile.verdict.label == table.loc[(first, second), "verdict"]
        else:
            mirrored = table.loc[(second, first), "verdict"]
            swap = {"first": "second", "second": "first"}
            assert tile.verdict.label == swap.get(mirrored, mirrored)


def test_more_tiles_favour_the_first_than_the_second(local):
    found = [tile.verdict for tile in datasets.layout_verdicts(local).tiles]
    assert found.count(Verdict.FIRST) >= found.count(Verdict.SECOND)


def test_an_absent_algorithm_leaves_an_empty_tile(local):
    table = bi.load_example("simulated/balanced")
    name, other = list(local)[:2]
    part = table.subset(datasets=[other], algorithms=local[other].algorithms[:3])
    mixed = Comparisons({name: local[name], other: bi.compare_mixed(part)})
    missing = [t for t in datasets.layout_verdicts(mixed).tiles if t.verdict == Verdict.MISSING]
    assert [tile.row for tile in missing] == [1, 1, 1]


def test_nothing_to_draw():
    with pytest.raises(bi.DesignError, match="no data set was compared"):
        datasets.layout_verdicts(Comparisons({}))
