import benchinfer as bi
from benchinfer.core.verdict import Verdict
from benchinfer.plots.tiles import size_verdicts
from benchinfer.relations.figures import pairs


def test_tiles_are_the_states_best_first(mixed):
    relation = mixed.relation()
    laid = pairs.layout_matrix(relation)
    assert laid.rows == laid.columns
    k = len(relation.algorithms)
    assert len(laid.tiles) == k * (k - 1)
    index = {name: i for i, name in enumerate(relation.algorithms)}
    for tile in laid.tiles:
        i, j = index[laid.rows[tile.row]], index[laid.columns[tile.column]]
        assert tile.verdict == relation.states[i, j]


def test_the_best_stand_first():
    laid = pairs.layout_matrix(bi.Relation.from_text("c > a > b", ["a", "b", "c"]))
    assert laid.rows == ("c", "a", "b")
    upper = {tile.verdict for tile in laid.tiles if tile.row < tile.column}
    assert upper == {Verdict.FIRST}
    assert "3 first" in laid.alt


def test_many_algorithms_have_small_tiles():
    names = [f"a{i}" for i in range(40)]
    laid = pairs.layout_matrix(bi.Relation.from_text(" > ".join(names)))
    assert size_verdicts(laid)[0] == 6.9
