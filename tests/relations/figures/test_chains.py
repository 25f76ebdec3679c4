import itertools

import numpy as np

import benchinfer as bi
from benchinfer.relations.figures import hasse
from benchinfer.relations.figures.layers import chains, isolated, label

NAMES = tuple(f"a{i:02d}" for i in range(10))


def order(**changes):
    """Order ten algorithms, with pairs such as a02a05="missing" changed."""
    verdicts = {(a, b): "first" for i, a in enumerate(NAMES) for b in NAMES[i + 1 :]}
    verdicts |= {(pair[:3], pair[3:]): verdict for pair, verdict in changes.items()}
    return bi.Relation.from_pairs(NAMES, verdicts)


def test_a_transitive_relation_is_left_alone():
    relation = order()
    found = chains(relation)
    assert found.relation is relation
    assert found.members == tuple((i,) for i in range(10))
    assert found.broken == ()


def test_a_small_relation_keeps_all_its_lines():
    relation = bi.Relation.from_text("a > b > c")
    states = relation.states.copy()
    states[0, 2] = states[2, 0] = 1
    small = bi.Relation(relation.algorithms, states)
    assert chains(small).relation is small


def test_pairs_that_a_chain_joins_wrongly_are_named():
    found = chains(order(a02a05="undecided", a00a09="missing"))
    assert found.broken == ((0, 9), (2, 5))
    assert found.relation.covers() == list(itertools.pairwise(NAMES))


def test_circles_are_one_class():
    found = chains(order(a03a05="second"))
    assert (3, 4, 5) in found.members
    assert len(found.members) == 8
    assert str(found.relation) == "a00 > a01 > a02 > a03 > a06 > a07 > a08 > a09"
    assert found.broken == ()


def test_the_diagram_marks_circles_and_broken_chains():
    laid = hasse.layout(order(a03a05="second", a00a09="missing"))
    circle = next(node for node in laid.nodes if len(node.names) == 3)
    assert circle.names == ("a03", "a04", "a05")
    assert circle.lines[0].endswith("circle")
    dotted = [link for link in laid.links if link.verdict.label == "undecided"]
    ends = [(laid.nodes[link.a].names, laid.nodes[link.b].names) for link in dotted]
    assert ends == [(("a00",), ("a09",))]
    assert "dotted" in laid.notes[1]
    assert "circle" in laid.notes[1]
    assert not laid.arrows


def test_isolated():
    relation = bi.Relation.from_pairs(
        list("abcd"),
        {("a", "b"): "first", ("c", "a"): "equivalent", ("d", "a"): "undecided"},
    )
    assert isolated(relation) == [3]
    assert isolated(bi.Relation(("a", "b"), np.array([[2, 1], [1, 2]], dtype=np.int8))) == []


def test_labels():
    assert label(["a"]) == "a"
    assert label(["a", "b"]).splitlines()[1:] == ["a", "b"]
