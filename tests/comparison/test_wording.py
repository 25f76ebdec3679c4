"""Sentences must not say more than the verdicts do."""

import pytest

import benchinfer as bi
from benchinfer.comparison.wording import headline

ERROR = bi.Measure("error", "lower", tolerance=0.01)


def said(names, **pairs):
    words = {(a, b): "undecided" for i, a in enumerate(names) for b in names[i + 1 :]}
    relation = bi.Relation.from_pairs(list(names), words | {tuple(k): v for k, v in pairs.items()})
    text = headline(relation, ERROR, "on data set d")
    assert text.startswith("On data set d, ")
    assert text.endswith(" (error, lower is better).")
    return text.removeprefix("On data set d, ").removesuffix(" (error, lower is better).")


@pytest.mark.parametrize(
    ("names", "pairs", "words"),
    [
        ("ab", {"ab": "second"}, "b is better than the other algorithm"),
        ("abc", {"ab": "first", "ac": "first"}, "a is better than each of the other 2 algorithms"),
        ("ab", {}, "neither algorithm is shown to be better"),
        ("ab", {"ab": "equivalent"}, "a and b are equivalent within the tolerance"),
        (
            "abc",
            {},
            "no algorithm is shown to be better than another, as all 3 pairs are undecided",
        ),
        (
            "abc",
            {"ab": "equivalent", "ac": "equivalent", "bc": "equivalent"},
            "all 3 algorithms are equivalent within the tolerance",
        ),
        (
            "abc",
            {"ab": "equivalent"},
            (
                "no algorithm is shown to be better than another; 1 of 3 pairs are equivalent"
                " within the tolerance"
            ),
        ),
        (
            "abc",
            {"ac": "first"},
            "a and b are not told apart, and c is worse than at least one of these",
        ),
        (
            "abc",
            {"ab": "equivalent", "ac": "first", "bc": "first"},
            "a and b are equivalent, and c is worse than at least one of these",
        ),
        (
            "abc",
            {"ab": "first", "bc": "first"},
            "a is better than 1 of the other 2 algorithms and worse than none",
        ),
        # d loses to c alone, which loses to a: it is not shown to be worse than a or b.
        (
            "abcd",
            {"ac": "first", "cd": "first"},
            (
                "a and b are not told apart, and c and d are each worse than at least one of the"
                " others"
            ),
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
