import numpy as np

from benchinfer.relations.agreement import agreements, between, stacked
from benchinfer.relations.relation import Relation


def test_relations_are_matched_by_name():
    a, b = Relation.from_text("a > b > c"), Relation.from_text("c > b > a")
    names, states = stacked([a, b, Relation.from_text("b > z")])
    assert names == ("a", "b", "c", "z")
    assert (states[1, :3, :3] == states[0, :3, :3].T).all()
    assert between(states, "discrete", "undecided", "ignore").tolist() == [
        [0, 3, 0],
        [3, 0, 0],
        [0, 0, 0],
    ]
    found = agreements(states, "tau-x", "undecided", "ignore")
    assert found[0, 1] == -1
    assert np.isnan(found[0, 2])
