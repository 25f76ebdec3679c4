import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.bayes import figures
from benchinfer.core.verdict import Verdict


def test_corners_and_middle():
    assert figures.place(0.0, 1.0, 0.0) == (0.5, pytest.approx(np.sqrt(3) / 2))
    assert figures.place(0.5, 0.0, 0.5) == (0.5, 0.0)


def test_dots_are_the_pairs_of_both_quantities(sampled):
    laid = figures.layout_simplex(sampled)
    for kind, places in (
        ("average", [dot.average for dot in laid.dots]),
        ("next", [dot.following for dot in laid.dots]),
    ):
        table = sampled.contrasts(kind).set_index(["first", "second"])
        for dot, (x, y) in zip(laid.dots, places, strict=True):
            row = table.loc[tuple(dot.label.split("  ")[1].split(" vs "))]
            assert y == pytest.approx(np.sqrt(3) / 2 * row["prob_equivalent"])
            assert x == pytest.approx(row["prob_second"] + row["prob_equivalent"] / 2)
            if kind == "average":
                assert dot.verdict == Verdict[row["verdict"].upper()]
    assert sorted(n for label in laid.numbers for n in label.members) == [0, 1, 2, 3, 4, 5]
    assert "6 pairs" in laid.alt


def test_these_data_sets_have_one_dot_each(table):
    found = bi.compare_bayes(table, target="datasets", draws=100, chains=4, seed=1)
    laid = figures.layout_simplex(found, 3.3)
    assert {dot.following for dot in laid.dots} == {None}
    assert sorted(n for label in laid.numbers for n in label.members) == [0, 1, 2, 3, 4, 5]
    assert laid.notes[1] == "on average over these data sets"


def test_dots_at_one_place_share_a_text_and_texts_keep_apart():
    at = [(0.5, 0.4), (0.5, 0.4), (0.5, 0.4), (0.1, 0.0), (0.5, 0.41)]
    dots = tuple(figures.Dot(str(n), (0.4, 0.2), p, Verdict.FIRST) for n, p in enumerate(at))
    numbers = figures._numbers(dots, 3.0)
    assert [(label.text.text, label.members) for label in numbers] == [
        ("1\N{EN DASH}3, 5", (0, 1, 2, 4)),
        ("4", (3,)),
    ]


def test_tests_of_the_literature_join_what_is_next_to_what_is_ahead():
    found = bi.compare_bayes(bi.load_example("demsar2006"), preset="signed-rank", seed=1)
    laid = figures.layout_pairs(found)
    rows = found.contrasts(order="result").set_index(["first", "second"])
    ahead = found.turned(found.dominance()).set_index(["first", "second"])
    for dot in laid.dots:
        pair = tuple(dot.label.split("  ")[1].split(" vs "))
        height = np.sqrt(3) / 2
        assert dot.average[1] == pytest.approx(height * rows.loc[pair, "prob_equivalent"])
        assert dot.following[1] == pytest.approx(height * ahead.loc[pair, "dominant_equivalent"])
    assert laid.notes[1].startswith("filled: on the mean of the next two data sets; hollow")
    bi.plot(found, "simplex")
