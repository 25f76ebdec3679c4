"""What others write, read: orders as text, incidence matrices, scores, pairs."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.core.errors import DesignError, NotAWeakOrder
from benchinfer.relations.relation import Relation


def test_text_is_read_best_first():
    r = Relation.from_text("svm ~ rpart > rf ? knn>lda")
    assert r.algorithms == ("svm", "rpart", "rf", "knn", "lda")
    assert r.ranking() == [["svm", "rpart"], ["rf", "knn"], ["lda"]]
    assert r.incidence().loc["svm", "rpart"] == "equivalent"
    assert r.incidence().loc["knn", "rf"] == "undecided"
    assert r.incidence().loc["lda", "svm"] == "second"


def test_runs_of_equivalents_within_a_class():
    words = Relation.from_text("a ~ b ? c ~ d").incidence()
    assert (words.loc["a", "b"], words.loc["c", "d"]) == ("equivalent", "equivalent")
    assert set(words.loc[["a", "b"], ["c", "d"]].to_numpy().ravel()) == {"undecided"}


def test_names_in_quotes_hold_anything():
    r = Relation.from_text(r""" "a > b" ~ 'it\'s "x"' > "?" """)
    assert r.algorithms == ("a > b", 'it\'s "x"', "?")
    assert str(r) == 'a > b ~ it\'s "x" > ?'


def test_algorithms_that_the_text_leaves_out_are_missing():
    r = Relation.from_text("c > a", ["a", "b", "c"])
    assert r.algorithms == ("a", "b", "c")
    assert str(r) == "c > a; not compared: 2 of 3 pairs"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "at its end"),
        ("a > ", "at its end"),
        ("> a", "at '> a'"),
        ("a > > b", "at '> b'"),
        ("random forest > svm", "at 'forest > svm'"),
        ("a < b", "at '< b'"),
        ("a = b", "at '= b'"),
        ("a > 'b", 'at "\'b"'),
        ("a > b; c", "at '; c'"),
    ],
)
def test_text_that_cannot_be_read(text, where):
    with pytest.raises(DesignError) as error:
        Relation.from_text(text)
    assert f"cannot be read {where}.\nHint: write names with >, ~ or ?" in str(error.value)


def test_names_are_named_once_and_known():
    with pytest.raises(DesignError, match="1 of 2 names stand more than once: a"):
        Relation.from_text("a > b > a")
    with pytest.raises(DesignError, match="1 of 2 names are not among the algorithms: z"):
        Relation.from_text("a > z", ["a", "b"])


names = st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=6, unique=True)


@pytest.mark.slow
@given(names, st.data())
def test_a_ranking_written_is_read_back(algorithms, data):
    n = len(algorithms)
    rank = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    run = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    i, j = np.arange(n)[:, None], np.arange(n)
    rank, run = np.array(rank), np.array(run)
    states = np.where(run[i] == run[j], 2, 1)
    states = np.where(rank[i] < rank[j], 3, np.where(rank[i] > rank[j], 4, states))
    r = Relation(tuple(algorithms), states.astype(np.int8))
    assert Relation.from_text(r.text(), algorithms) == r


def test_a_relation_that_text_cannot_hold_is_not_written():
    r = Relation.from_pairs(
        "abc", {("a", "b"): "equivalent", ("b", "c"): "equivalent", ("a", "c"): "undecided"}
    )
    with pytest.raises(NotAWeakOrder, match="1 triples are equivalent in part"):
        r.text()


HELD = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]])  # row is better
FRAME = pd.DataFrame(HELD, index=list("abc"), columns=list("abc"))


@pytest.mark.parametrize(
    ("matrix", "convention"),
    [
        (HELD, "better"),
        (HELD.T, "relations"),  # a <= b, the best objects being the largest
        (HELD.T + np.eye(3), "relations"),  # reflexive
        (HELD + np.eye(3), "at-least-as-good"),
    ],
)
def test_conventions_of_incidence(matrix, convention):
    r = Relation.from_incidence(matrix, ["a", "b", "c"], convention=convention)
    assert str(r) == "a > b ? c"
    assert r.rule == f"incidence ({convention}), both ways equivalent, neither way undecided"


def test_ties_coded_both_ways():
    matrix = [[1, 1, 1], [1, 1, 1], [0, 0, 1]]
    assert str(Relation.from_incidence(matrix, "abc", convention="at-least-as-good")) == "a ~ b > c"
    read = Relation.from_incidence(matrix, "abc", convention="relations", both="undecided")
    assert str(read) == "c > a ? b"


def test_pairs_that_hold_neither_way_are_what_the_caller_says():
    for word in ("equivalent", "undecided", "missing"):
        r = Relation.from_incidence(HELD, "abc", convention="better", neither=word)
        assert r.incidence().loc["b", "c"] == word
    holes = np.where(np.eye(3, k=1), np.nan, HELD)
    r = Relation.from_incidence(holes, "abc", convention="better", neither="equivalent")
    assert r.incidence().loc["b", "a"] == "missing"


def test_frames_are_matched_by_name():
    turned = FRAME.loc[["c", "a", "b"]]
    expected = Relation.from_incidence(FRAME, convention="better")
    assert Relation.from_incidence(turned, convention="better") == expected
    part = Relation.from_incidence(turned, ["b", "a"], convention="better")
    assert part.algorithms == ("b", "a")
    assert str(part) == "a > b"
    assert Relation.from_incidence(pl.DataFrame(FRAME), convention="better") == expected
    # What `incidence` gives out comes back, whatever the convention.
    assert Relation.from_incidence(expected.incidence(), convention="relations") == expected


@pytest.mark.parametrize(
    ("matrix", "algorithms", "options", "text"),
    [
        ([[0, 1], [1, 0]], "ab", {}, "each algorithm is better than the other: 1 such pairs"),
        ([[0, 2], [1, 0]], "ab", {}, r"1 of 4 entries .* the first 2 at \('a', 'b'\)"),
        ([[0, 1], [0, 0]], None, {}, "an array has no names"),
        ([[0, 1], [0, 0]], "abc", {}, r"3 x 3 matrix .* not one of shape \(2, 2\)"),
        ([[0, 1], [0, 0]], "ab", {"convention": "R"}, "unknown convention 'R'"),
        ([[0, 0], [0, 0]], "ab", {"neither": "tie"}, "unknown verdict 'tie'"),
        (FRAME, ["a", "z"], {}, "the matrix has no algorithm z"),
        (FRAME.set_axis(list("abz")), None, {}, "same names for rows and columns"),
        ([["", "won"], ["lost", ""]], "ab", {}, "unknown verdict 'won'"),
    ],
)
def test_what_is_no_incidence_is_refused(matrix, algorithms, options, text):
    with pytest.raises(DesignError, match=text):
        Relation.from_incidence(matrix, algorithms, **{"convention": "better"} | options)


def test_scores_are_compared_within_the_tolerance():
    values = {"a": 0.8, "b": 0.7, "c": 0.6}
    assert str(Relation.from_scores(values, better="higher")) == "a > b > c"
    assert str(Relation.from_scores(values, better="lower")) == "c > b > a"
    near = Relation.from_scores(pd.Series(values), better="higher", tolerance=0.1)
    # 0.8 - 0.7 is more than 0.1 by the last digit.
    assert str(near) == "a > c; equivalent: a ~ b, b ~ c"
    assert near.kind == "semiorder"
    assert str(Relation.from_scores({"a": 1, "b": 1}, better="lower")) == "a ~ b"
    lost = Relation.from_scores({"a": 1, "b": np.nan, "c": 2}, better="lower")
    assert str(lost) == "a > c; not compared: 2 of 3 pairs"


@pytest.mark.parametrize(
    ("scores", "options", "text"),
    [
        ({"a": 1}, {"better": "up"}, "unknown direction 'up'"),
        ({"a": 1}, {"tolerance": -1}, "a tolerance is 0 or above, not -1"),
        ({"a": 1}, {"tolerance": np.nan}, "a tolerance is 0 or above, not nan"),
        ({"a": "x"}, {}, "scores is "),
        ({"a": 1, "b": np.inf}, {}, "1 of 2 scores are infinite"),
        ({}, {}, "at least one algorithm"),
    ],
)
def test_scores_that_cannot_be_compared(scores, options, text):
    with pytest.raises(DesignError, match=text):
        Relation.from_scores(scores, **{"better": "lower"} | options)


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(-5, 5), min_size=1))
def test_turning_values_and_direction_changes_nothing(scores):
    turned = {name: -value for name, value in scores.items()}
    for tolerance in (0, 1, 2.5):
        assert Relation.from_scores(
            scores, better="higher", tolerance=tolerance
        ) == Relation.from_scores(turned, better="lower", tolerance=tolerance)


def test_pairs_that_contradict_themselves():
    for pairs in ({("a", "b"): "first", ("b", "a"): "first"}, {("a", "a"): "equivalent"}):
        with pytest.raises(DesignError, match="contradicts itself"):
            Relation.from_pairs("ab", pairs)
    same = {("a", "b"): "first", ("b", "a"): "second"}
    assert str(Relation.from_pairs("ab", same)) == "a > b"


def test_scores_tie_by_the_rule_of_ranks_and_wins():
    chain = {"a": 0.3, "b": 0.3 + 2e-13, "c": 0.3 + 4e-13, "d": 1e15}
    assert str(Relation.from_scores(chain, better="higher")) == "d > a ~ b ~ c"
    far = {name: 1e9 + value for name, value in {"a": 0.0, "b": 1e-3, "c": 1.0}.items()}
    assert str(Relation.from_scores(far, better="lower")) == "a > b > c"
