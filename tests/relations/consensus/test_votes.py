import numpy as np

from benchinfer.core.verdict import Verdict
from benchinfer.relations.consensus.numerics.costs import tally
from benchinfer.relations.consensus.votes import majority
from benchinfer.relations.ensemble import Ensemble
from benchinfer.relations.relation import Relation


def test_weights_of_verdicts_are_sums_over_relations():
    texts = ["a > b ~ c", "c > a ? b", "b > c > a"]
    many = Ensemble({t: Relation.from_text(t, "abc") for t in texts}, [1, 2, 4])
    found = tally(many.states, many.weights)
    for verdict in Verdict:
        for i in range(3):
            for j in range(3):
                total = (i != j) * sum(
                    w for w, s in zip((1, 2, 4), many.states, strict=True) if s[i, j] == verdict
                )
                assert found[verdict, i, j] == total
    result = majority(many.states, many.weights)
    assert np.array_equal(result, many["b > c > a"].states)
