from dataclasses import replace

import benchinfer as bi
from benchinfer.relations.consensus import figures
from benchinfer.relations.consensus.consensus import consensus

EVEN = bi.Ensemble(
    {"d1": bi.Relation.from_text("a > b > c"), "d2": bi.Relation.from_text("b > a > c")}
)


def test_what_holds_in_all_optima():
    found = consensus(EVEN, family="linear")
    laid = figures.layout_agreed(found)
    assert laid.title == "Consensus: common to the 2 best linear orders"
    ends = {(laid.nodes[x.a].names, laid.nodes[x.b].names) for x in laid.links}
    assert ends == {(("a",), ("c",)), (("b",), ("c",))}
    assert "disagree" in laid.notes[-1]
    assert str(found) in laid.alt


def test_one_optimum():
    one = consensus(bi.Ensemble({"d": bi.Relation.from_text("a > b")}))
    assert figures.layout_agreed(one).title == "Consensus: the one best weak order"


def test_an_order_that_is_not_proved_is_shown_as_such():
    unproved = replace(consensus(EVEN, family="linear"), optimal=False)
    laid = figures.layout_agreed(unproved)
    assert laid.title == "Consensus: the best linear order found"
    assert "not proved" in laid.notes[-1]
    assert len(laid.links) == 2  # a chain: one order, not what several share


def test_a_count_that_is_a_lower_bound():
    some = replace(consensus(EVEN, family="linear"), count=5000, count_exact=False)
    assert figures.optima(some) == "5,000 or more best linear orders"


def test_ranges_are_the_ranks():
    laid = figures.layout_ranges(consensus(EVEN, family="linear"))
    rows = [(row.label, row.value, row.high, row.said) for row in laid.rows]
    assert rows == [("a", 1, 2, "1 to 2"), ("b", 1, 2, "1 to 2"), ("c", 3, 3, "3")]
    assert "the 2 best linear orders" in laid.axis
