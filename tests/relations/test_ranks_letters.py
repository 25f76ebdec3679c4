"""Classes, positions and letters of relations."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.core.errors import DesignError, NotAWeakOrder
from benchinfer.relations.ranks import letter
from benchinfer.relations.relation import Relation

CIRCLE = {("a", "b"): "first", ("b", "c"): "first", ("c", "a"): "first"}
LAST = {(x, "d"): "first" for x in "abc"}


def relations(k=5):
    n = k * (k - 1) // 2
    words = st.sampled_from(["first", "second", "equivalent", "undecided", "missing"])
    return st.lists(words, min_size=n, max_size=n).map(
        lambda w: Relation.from_pairs(
            "abcdefgh"[:k], dict(zip(combinations("abcdefgh"[:k], 2), w, strict=True))
        )
    )


@given(relations())
def test_the_extended_condorcet_order_is_the_finest_that_keeps_all_preferences(r):
    classes = r.ranking("scc")
    better = r.strict
    index = {name: i for i, name in enumerate(r.algorithms)}
    for n, upper in enumerate(classes):
        for lower in classes[n + 1 :]:
            assert all(better[index[a], index[b]] for a in upper for b in lower)
    # Each set all of whose members are preferred to all others is where the order is cut.
    k = range(len(r.algorithms))
    cuts = [
        upper
        for size in k[1:]
        for upper in combinations(k, size)
        if all(better[i, j] for i in upper for j in set(k) - set(upper))
    ]
    assert len(classes) == 1 + len(cuts)
    if r.is_weak_order() and r.kind == "linear order":
        assert classes == r.ranking()


def test_a_relation_that_is_no_ranking_says_why():
    r = Relation.from_pairs("abcd", CIRCLE | LAST)
    with pytest.raises(NotAWeakOrder, match="3 triples contradict one") as error:
        r.ranking()
    assert error.value.kind == "cyclic"
    assert error.value.violations[0] == ("intransitive", "a", "b", "c")
    assert r.ranking(policy="scc") == [["a", "b", "c"], ["d"]]
    with pytest.raises(DesignError, match="unknown policy 'mean'"):
        r.ranking("mean")
    with pytest.raises(NotAWeakOrder, match="the pair was not compared") as error:
        Relation.from_pairs("ab", {}).ranking()
    assert error.value.kind == "partial order"


def test_the_reduction_says_what_each_class_is():
    r = Relation.from_pairs("abcd", CIRCLE | LAST).reduction()
    assert r.classes == (("a", "b", "c"), ("d",))
    assert r.kinds == ("cycle", "single")
    assert r.covers == ((0, 1),)
    tied = Relation.from_text("a ~ b > c > d").reduction()
    assert tied.kinds == ("tie", "single", "single")
    assert tied.covers == ((0, 1), (1, 2))
    steps = Relation.from_scores({"a": 1, "b": 2, "c": 3}, better="lower", tolerance=1)
    assert steps.reduction().kinds == ("unresolved",)


def test_positions_of_a_relation_that_leaves_room():
    r = Relation.from_pairs("abcd", {("a", "b"): "first", ("c", "d"): "first"})
    table = r.positions()
    assert table.to_dict("list") == {
        "algorithm": ["a", "b", "c", "d"],
        "rank": [2.0, 3.0, 2.0, 3.0],
        "rank_low": [1, 2, 1, 2],
        "rank_high": [3, 4, 3, 4],
    }
    with pytest.raises(DesignError, match="in a circle among a, b, c"):
        Relation.from_pairs("abcd", CIRCLE | LAST).positions()


@pytest.mark.slow
@given(relations())
def test_letters_are_shared_where_compared_and_not_told_apart(r):
    table = r.letters().set_index("algorithm")
    words = r.incidence()
    for a, b in combinations(r.algorithms, 2):
        shared = set(table.loc[a, "letters"]) & set(table.loc[b, "letters"])
        assert bool(shared) == (words.loc[a, b] in {"equivalent", "undecided"})
        if "not_compared" in table:
            listed = b in table.loc[a, "not_compared"].split(", ")
            assert listed == (words.loc[a, b] == "missing")
    assert ("not_compared" in table) == (words == "missing").to_numpy().any()
    assert table["rank"].is_monotonic_increasing


def test_letters_run_from_the_best():
    table = Relation.from_text("c > a ~ b").letters()
    assert table["letters"].tolist() == ["a", "b", "b"]
    assert table["algorithm"].tolist() == ["c", "a", "b"]


def test_more_letters_than_the_alphabet_has():
    assert [letter(n) for n in (0, 25, 26, 27, 701, 702)] == [
        "a",
        "z",
        "(aa)",
        "(ab)",
        "(zz)",
        "(aaa)",
    ]


def test_generalised_ranks_are_midranks():
    ranks = Relation.from_text("a > b ~ c ? d > e").positions()["rank"]
    np.testing.assert_array_equal(ranks, [1, 3, 3, 3, 5])


def test_the_nearest_ranking_is_taken_where_there_is_one():
    r = Relation.from_pairs(
        ["a", "b", "c", "d"],
        {
            ("a", "b"): "first",
            ("b", "c"): "first",
            ("a", "c"): "equivalent",
            ("a", "d"): "first",
            ("b", "d"): "first",
            ("c", "d"): "first",
        },
    )
    assert r.ranking(policy="nearest") == [["a"], ["b"], ["c"], ["d"]]
    circle = Relation.from_pairs(
        ["a", "b", "c"], {("a", "b"): "first", ("b", "c"): "first", ("c", "a"): "first"}
    )
    with pytest.raises(NotAWeakOrder, match="no nearest ranking: 3 are equally near") as error:
        circle.ranking(policy="nearest")
    assert "c > a > b" in str(error.value)
