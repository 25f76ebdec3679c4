"""Sentences must not say more than the verdicts do."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.comparison.wording import claims, headline

ERROR = bi.Measure("error", "lower", tolerance=0.01)


def said(names, *, levels=None, **pairs):
    words = {(a, b): "undecided" for i, a in enumerate(names) for b in names[i + 1 :]}
    relation = bi.Relation.from_pairs(list(names), words | {tuple(k): v for k, v in pairs.items()})
    levels = np.arange(len(names), 0, -1.0) if levels is None else np.array(levels)
    text = headline(relation, ERROR, "on data set d", levels)
    assert text.startswith("On data set d, ")
    assert text.endswith(" (error, lower is better).")
    return text.removeprefix("On data set d, ").removesuffix(" (error, lower is better).")


@pytest.mark.parametrize(
    ("names", "pairs", "words"),
    [
        ("ab", {"ab": "second"}, "b is better than a"),
        ("abc", {"ab": "first", "ac": "first"}, "a is better than each of the other 2 algorithms"),
        ("ab", {}, "a has the lower error, but is not shown to be better than b"),
        (
            "ab",
            {"ab": "equivalent"},
            "a has the lower error; it and b are equivalent within the tolerance",
        ),
        (
            "abc",
            {},
            (
                "a has the lowest error, but no algorithm is shown to be better than another, as"
                " all 3 pairs are undecided"
            ),
        ),
        (
            "abc",
            {"ab": "equivalent", "ac": "equivalent", "bc": "equivalent"},
            "a has the lowest error; all 3 algorithms are equivalent within the tolerance",
        ),
        (
            "abc",
            {"ab": "equivalent"},
            (
                "a has the lowest error, but no algorithm is shown to be better than another; 1 of"
                " 3 pairs are equivalent within the tolerance"
            ),
        ),
        (
            "abc",
            {"ac": "first"},
            "a has the lowest error; it is shown to be better than c, but not better than b",
        ),
        (
            "abcd",
            {"ab": "equivalent", "ac": "first"},
            (
                "a has the lowest error; it is shown to be better than c and equivalent to b within"
                " the tolerance, but not better than d"
            ),
        ),
        (
            "abcdefghi",
            {"ab": "first", "ac": "first", "ad": "first", "ae": "first"},
            (
                "a has the lowest error; it is shown to be better than 4 of the other 8, but not"
                " better than the other 4"
            ),
        ),
        # The best estimate may belong to none of the decided pairs, or to a loser.
        (
            "abcd",
            {"bd": "first"},
            (
                "a has the lowest error, but is not shown to be better than another; b is better"
                " than d"
            ),
        ),
        (
            "abc",
            {"ac": "second"},
            "a has the lowest error by its estimate, but c is better than it",
        ),
        (
            "abc",
            {"ab": "first", "bc": "first", "ac": "second"},
            "every algorithm is beaten by another one, in a circle: there is no best algorithm",
        ),
        (
            "abc",
            {"ab": "first", "ac": "undecided", "bc": "missing"},
            "1 of the 2 pairs compared decided: a is better than b",
        ),
    ],
)
def test_headlines(names, pairs, words):
    assert said(names, **pairs) == words


def test_a_shared_best_estimate_is_said():
    shared = said("abc", levels=[2, 2, 1], bc="first")
    assert shared == (
        "b has the lowest error, as a has; it is shown to be better than c, but not better than a"
    )


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("undecided", "no difference is shown between a and b"),
        ("equivalent", "a and b are equivalent within the tolerance"),
        ("second", "b is better than a"),
    ],
)
def test_the_one_pair_compared_is_named(verdict, words):
    missing = {"ac": "missing", "bc": "missing"}
    assert said("abc", ab=verdict, **missing) == words
    codes = np.array([bi.Relation.from_pairs("ab", {("a", "b"): verdict}).states[0, 1]])
    assert claims([("a", "b")], codes, ERROR, "on d") == f"On d, {words} (error, lower is better)."
