import pytest

import benchinfer as bi
from benchinfer.relations.figures import ensemble


@pytest.fixture(scope="module")
def four():
    texts = {"d1": "a > b > c", "d2": "c > b > a", "d3": "a > b ~ c", "d4": "c > a ~ b"}
    return bi.Ensemble({name: bi.Relation.from_text(text) for name, text in texts.items()})


def test_like_relations_stand_side_by_side(four):
    laid = ensemble.layout_dendrogram(four)
    assert laid.rows == ("d1", "d3", "d2", "d4")
    assert laid.top == four.clusters().merges[-1, 2]


def test_merges_join_at_their_distances(four):
    laid = ensemble.layout_dendrogram(four)
    joined = sorted({x0 for x0, _, x1, _ in laid.segments if x0 == x1})
    assert joined == sorted(set(four.clusters().merges[:, 2].tolist()))
    assert len(laid.segments) == 3 * 3


def test_one_relation_has_no_lines():
    laid = ensemble.layout_dendrogram(bi.Ensemble({"d": bi.Relation.from_text("a > b")}))
    assert (laid.rows, laid.segments) == (("d",), ())
