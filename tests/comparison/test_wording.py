"""Sentences must not say more than the verdicts do."""

from dataclasses import replace

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.comparison.sections import summary
from benchinfer.comparison.wording import claims, headline, resting
from tests.scores.tables import table

ERROR = bi.Measure("error", "lower", tolerance=0.01)


def said(names, *, levels=None, **pairs):
    words = {(a, b): "undecided" for i, a in enumerate(names) for b in names[i + 1 :]}
    relation = bi.Relation.from_pairs(list(names), words | {tuple(k): v for k, v in pairs.items()})
    levels = np.arange(len(names), 0, -1.0) if levels is None else np.array(levels)
    best_first = np.lexsort((-relation.strict.sum(axis=1), -levels))
    relation = replace(relation, order=tuple(names[i] for i in best_first))
    most = "the lower error" if len(names) == 2 else "the lowest error"
    text = headline(relation, ERROR, "on data set d", levels, most)
    assert text.startswith("On data set d, ")
    assert text.endswith(" (error, lower is better).")
    return text.removeprefix("On data set d, ").removesuffix(" (error, lower is better).")


@pytest.mark.parametrize(
    ("names", "pairs", "words"),
    [
        (
            "ab",
            {"ab": "second"},
            "a has the lower error by its estimate, but b is better than it",
        ),
        ("abc", {"ab": "first", "ac": "first"}, "a is better than each of the other 2 algorithms"),
        ("ab", {}, "a has the lower error; whether it is better than b is undecided"),
        (
            "ab",
            {"ab": "equivalent"},
            "a has the lower error; it and b are equivalent (within 0.01)",
        ),
        (
            "abc",
            {},
            "a has the lowest error; all 3 pairs are undecided",
        ),
        (
            "abc",
            {"ab": "equivalent", "ac": "equivalent", "bc": "equivalent"},
            "a has the lowest error; all 3 algorithms are equivalent (within 0.01)",
        ),
        (
            "abc",
            {"ab": "equivalent"},
            (
                "a has the lowest error; 1 of 3 pairs is equivalent (within 0.01), the others"
                " undecided"
            ),
        ),
        (
            "abc",
            {"ac": "first"},
            "a has the lowest error; it is better than c; whether it is better than b is undecided",
        ),
        (
            "abcd",
            {"ab": "equivalent", "ac": "first"},
            (
                "a has the lowest error; it is better than c and equivalent (within 0.01) to b;"
                " whether it is better than d is undecided"
            ),
        ),
        (
            "abcdefghi",
            {"ab": "first", "ac": "first", "ad": "first", "ae": "first"},
            (
                "a has the lowest error; it is better than b, c, d and e; whether it is better than"
                " f, g, h or i is undecided"
            ),
        ),
        # The best estimate may belong to none of the decided pairs, or to a loser.
        (
            "abcd",
            {"bd": "first"},
            (
                "a has the lowest error; whether it is better than any of the other 3 is undecided;"
                " b is better than d"
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
            "a has the lowest error; it is better than b; whether it is better than c is undecided",
        ),
        (
            "abcde",
            {"ab": "first", "ac": "missing", "cd": "first"},
            (
                "a has the lowest error; it is better than b; whether it is better than d or e is"
                " undecided; it was not compared with c"
            ),
        ),
        (
            "abc",
            {"ab": "missing"},
            "both comparisons with c are undecided",
        ),
        (
            "abcd",
            {"ab": "missing"},
            (
                "a has the lowest error; all 5 pairs compared are undecided; it was not compared"
                " with b"
            ),
        ),
        # Comparisons with one algorithm that is not the best by its estimate.
        (
            "abcde",
            {
                **dict.fromkeys(("ab", "ac", "ae", "bc", "be", "ce"), "missing"),
                "ad": "first",
                "de": "first",
                "bd": "equivalent",
            },
            (
                "a is better than d and d is better than e; b is equivalent (within 0.01) to it;"
                " the comparison with c is undecided"
            ),
        ),
        (
            "abcd",
            dict.fromkeys(("ab", "ac", "bc"), "missing"),
            "all 3 comparisons with d are undecided",
        ),
        # Steps along an order: the best was compared with few.
        (
            "abcdef",
            {
                **{a + b: "missing" for a in "abcdef" for b in "abcdef" if ord(b) > ord(a) + 1},
                "bc": "first",
            },
            "1 of the 5 pairs compared decided: b is better than c",
        ),
    ],
)
def test_headlines(names, pairs, words):
    assert said(names, **pairs) == words


@pytest.mark.parametrize("compare", [bi.compare_mixed, bi.compare_permutation, bi.compare_wins])
def test_one_sided_tests_of_all_pairs_say_which_direction(compare):
    scores = bi.load_example("demsar2006")
    every = compare(scores, alternative="better")
    assert "that the algorithm earlier by name is better." in every.headline()
    control = compare(scores, alternative="better", control="C4.5")
    for other in (control, compare(scores)):
        assert "earlier by name" not in other.headline()


@pytest.mark.parametrize("compare", [bi.compare_mixed, bi.compare_permutation, bi.compare_wins])
def test_one_contrast_is_not_adjusted(compare):
    scores = bi.load_example("demsar2006").subset(algorithms=["C4.5", "C4.5+m"])
    assert "There is one contrast, and nothing to adjust for" in compare(scores).method


def test_rows_read_as_sentences():
    points = {row.check: row for row in bi.compare_points(bi.load_example("demsar2006"))._checks}
    assert points["inference"].sentence == "Nothing is tested: point rules describe these scores."
    rng = np.random.default_rng(0)
    values = rng.uniform(0.5, 0.9, (8, 3)) * [1, 1, 100]
    scores = bi.read_scores(table(values), measures="score:higher")
    rows = bi.compare_mixed(scores).diagnostics().set_index("check")
    row = rows.loc["per cent and fractions"]
    assert "beside fractions? Bring them" in f"{row['sentence']} {row['remedy']}"


def test_a_shared_best_estimate_is_said():
    shared = said("abc", levels=[2, 2, 1], bc="first")
    assert shared == (
        "b has the lowest error, tied with a; it is better than c; whether it is better than a is"
        " undecided"
    )


def test_two_with_the_same_level_are_named_together():
    assert said("ab", levels=[2, 2]) == "a and b have the same error; which is better is undecided"


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("undecided", "whether a is better than b is undecided"),
        ("equivalent", "a and b are equivalent (within 0.01)"),
        ("second", "b is better than a"),
    ],
)
def test_the_one_pair_compared_is_named(verdict, words):
    missing = {"ac": "missing", "bc": "missing"}
    assert said("abc", ab=verdict, **missing) == words
    codes = np.array([bi.Relation.from_pairs("ab", {("a", "b"): verdict}).states[0, 1]])
    assert claims([("a", "b")], codes, ERROR, "on d") == f"On d, {words} (error, lower is better)."


def test_lists_of_verdicts_are_joined_by_winner():
    names = "abcdefghi"
    lost = {f"b{name}": "first" for name in "defghi"}
    text = said(names, **lost, cd="first", ce="first", eh="first")
    assert text == (
        "a has the lowest error; whether it is better than any of the other 8 is undecided; b is"
        " better than d, e, f and 3 more; c is better than d and e; 1 more is better than another"
    )


def test_headlines_say_on_how_many_data_sets_an_algorithm_rests():
    values = np.random.default_rng(3).normal(size=(6, 4))
    values[:, 0] += 9
    values[2:, 0] = values[:1, 2] = np.nan
    found = bi.compare_mixed(bi.read_scores(table(values).dropna(), measures="acc:higher"))
    assert "a00 (on 2 of 6 data sets) has the highest mean acc" in found.headline()
    assert resting(found.setting.coverage) == {
        "a00": "a00 (on 2 of 6 data sets)",
        "a02": "a02 (on 5 of 6 data sets)",
    }
    whole = bi.compare_mixed(bi.read_scores(table(values[:, 1::2]), measures="acc:higher"))
    assert "data sets)" not in whole.headline()


def test_levels_are_called_by_what_is_tested():
    values = np.random.default_rng(3).normal(size=(9, 3)) ** 2 + 1
    scores = bi.read_scores(table(values), measures="acc:higher")
    logs = bi.read_scores(table(values), measures=[bi.Measure("acc", "higher", scale="log")])
    found = bi.compare_permutation(scores)
    assert "on a typical one of data sets like these 9" in found.headline().lower()
    assert "has the highest typical acc" in found.headline()
    levels = summary(found)
    assert levels.caption == "Levels: median acc"
    assert {"median acc", "mean"} <= {column.head for column in levels.columns}
    heads = [column.head for column in summary(bi.compare_permutation(logs)).columns]
    assert heads[2:4] == ["median acc", "geometric mean"]
    pooled = bi.compare_permutation(scores, on="ranks", pairs="pooled")
    assert "has the lowest mean rank" in pooled.headline()
    assert summary(pooled).caption == "Levels: mean rank (lower is better)"
    by_means = bi.compare_permutation(scores, on="values")
    assert "highest mean acc" in by_means.headline()
    assert summary(by_means).caption.startswith("Levels: acc")
