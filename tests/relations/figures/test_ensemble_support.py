import itertools

import pytest

import benchinfer as bi
from benchinfer.core.verdict import Verdict
from benchinfer.relations.consensus.consensus import consensus
from benchinfer.relations.figures import ensemble


@pytest.fixture(scope="module")
def three():
    texts = {"d1": "a > b > c", "d2": "a > b ~ c", "d3": "b > a > c"}
    relations = {name: bi.Relation.from_text(text) for name, text in texts.items()}
    return bi.Ensemble(relations, weights={"d1": 2, "d2": 1, "d3": 1})


def shares(row):
    return {piece.verdict.label: piece.stop - piece.start for piece in row.pieces}


def test_an_ensemble_has_all_pairs_with_their_weights(three):
    laid = ensemble.layout_support(three)
    found = {row.label: shares(row) for row in laid.rows}
    assert found == {
        "a : b": pytest.approx({"first": 0.75, "second": 0.25}),
        "a : c": pytest.approx({"first": 1.0}),
        "b : c": pytest.approx({"first": 0.75, "equivalent": 0.25}),
    }
    assert [row.said for row in laid.rows] == ["> 3, < 1", "> 4", "> 3, ~ 1"]


def test_of_many_pairs_neighbours_are_shown_and_it_says_so():
    names = [f"a{i:02d}" for i in range(12)]
    laid = ensemble.layout_support(bi.Ensemble({"d": bi.Relation.from_text(" > ".join(names))}))
    assert [row.label for row in laid.rows] == [f"{a} : {b}" for a, b in itertools.pairwise(names)]
    assert "11 of 66 pairs" in laid.notes[-1]


def test_a_consensus_has_its_neighbours_with_support_and_regret(three):
    found = consensus(three, family="linear")
    laid = ensemble.layout_consensus(found)
    table = found.support().set_index(["first", "second"])
    assert [row.label for row in laid.rows] == ["a > b", "b > c"]
    assert [row.marked for row in laid.rows] == [Verdict.FIRST, Verdict.FIRST]
    for row in laid.rows:
        share, regret = table.loc[tuple(row.label.split(" > ")), ["support", "regret"]]
        assert row.said == f"{100 * share:.0f} % agree, regret {regret:.3g}"


def test_the_verdict_reads_from_the_better_one():
    both = bi.Ensemble({"d": bi.Relation.from_text("b > a", ["a", "b"])})
    (row,) = ensemble.layout_consensus(consensus(both, family="linear")).rows
    assert row.label == "b > a"
    assert shares(row) == {"first": 1.0}


def test_pairs_on_which_the_optima_disagree_are_open():
    texts = {"d1": "a > b > c", "d2": "b > a > c"}
    even = bi.Ensemble({name: bi.Relation.from_text(text) for name, text in texts.items()})
    laid = ensemble.layout_consensus(consensus(even, family="linear"))
    assert (laid.rows[0].said, laid.rows[0].marked) == ("open", None)
    assert any("optima disagree" in note for note in laid.notes)
