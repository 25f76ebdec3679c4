"""Parts, kinds, properties and violations of relations."""

import pytest

from benchinfer.core.errors import DesignError
from benchinfer.relations.numerics.posets import properties
from benchinfer.relations.relation import Relation


def test_kinds_of_relations():
    def steps(tolerance):
        return Relation.from_scores({"a": 1, "b": 2, "c": 3}, better="lower", tolerance=tolerance)

    assert [steps(t).kind for t in (0, 1, 2)] == ["linear order", "semiorder", "weak order"]
    # Two pairs that were not compared: a tie would be a claim.
    lost = Relation.from_text("a > b", ["a", "b", "c"])
    assert lost.kind == "partial order"
    assert lost.merged(missing="undecided").kind == "semiorder"


def test_properties_of_a_part():
    r = Relation.from_text("a ~ b > c")
    assert r.properties("weak") == properties(r.weak)
    assert r.properties("weak")["weak order"]
    assert r.properties("strict")["strict weak order"]
    assert r.properties("equivalent")["equivalence"]
    with pytest.raises(DesignError, match="unknown part 'better'"):
        r.properties("better")


def test_violations_of_a_named_property():
    circle = {("a", "b"): "first", ("b", "c"): "first", ("c", "a"): "first"}
    r = Relation.from_pairs("abc", circle)
    assert r.violations("circles of three") == [("not circles of three", "a", "b", "c")]
    assert [v[1:] for v in r.violations("transitive")] == [
        ("a", "b", "c"),
        ("b", "c", "a"),
        ("c", "a", "b"),
    ]
    loose = Relation.from_text("a > b ? c")
    assert loose.violations("complete", part="weak") == [("not complete", "b", "c", "")]
    with pytest.raises(DesignError, match="unknown property 'acyclic'"):
        r.violations("acyclic")


def test_a_relation_of_nothing_is_refused():
    with pytest.raises(DesignError, match="at least one algorithm"):
        Relation.from_pairs([], {})
