"""Which pairs get a dotted line."""

import benchinfer as bi
from benchinfer.core.verdict import Verdict
from benchinfer.relations.figures import hasse, hasse_undecided


def dotted(laid):
    """Return the pairs of boxes that are joined by a dotted line."""
    return {
        frozenset((laid.nodes[link.a].names, laid.nodes[link.b].names))
        for link in laid.links
        if link.verdict == Verdict.UNDECIDED
    }


def test_each_undecided_pair_of_boxes_has_a_line():
    relation = bi.Relation.from_pairs(
        ["a", "b", "c", "d"],
        {
            ("a", "b"): "undecided",
            ("a", "c"): "first",
            ("b", "c"): "undecided",
            ("a", "d"): "undecided",
            ("b", "d"): "first",
        },
    )
    plain, laid = hasse.layout(relation), hasse_undecided.layout(relation)
    assert laid.nodes == plain.nodes
    assert laid.links[: len(plain.links)] == plain.links
    pairs = [("a", "b"), ("b", "c"), ("a", "d")]  # c and d were not compared
    assert dotted(laid) == {frozenset(((x,), (y,))) for x, y in pairs}
    assert any("dotted: undecided" in text for text in laid.notes)
    assert not any("no line: undecided" in text for text in laid.notes)


def test_a_ranking_has_none():
    relation = bi.Relation.from_text("a ~ b > c > d")
    assert hasse_undecided.layout(relation).links == hasse.layout(relation).links


def test_drawn():
    relation = bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error").relation()
    laid = hasse_undecided.layout(relation)
    assert len(dotted(laid)) == (relation.to_frame()["verdict"] == "undecided").sum()
    assert bi.plot(relation, "hasse-undecided").get_label() == laid.alt
