import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.bayes import figures
from benchinfer.comparison.posterior import Convergence
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
        table = sampled.contrasts(kind, all=True).set_index(["first", "second"])
        for dot, (x, y) in zip(laid.dots, places, strict=True):
            row = table.loc[tuple(dot.label.split("  ")[1].split(" vs "))]
            assert y == pytest.approx(np.sqrt(3) / 2 * row["prob_equivalent"])
            assert x == pytest.approx(row["prob_second"] + row["prob_equivalent"] / 2)
            if kind == "average":
                assert dot.verdict == Verdict[row["verdict"].upper()]
    assert sorted(n for label in laid.numbers for n in label.members) == [0, 1, 2, 3, 4, 5]
    assert "6 pairs" in laid.alt


def test_these_data_sets_have_one_dot_each(table):
    result = bi.compare_bayes(table, target="datasets", draws=100, chains=4, seed=1)
    laid = figures.layout_simplex(result, 3.3)
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
    result = bi.compare_bayes_pairs(bi.load_example("demsar2006"), test="signed-rank", seed=1)
    laid = figures.layout_pairs(result)
    rows = result.contrasts(order="result", all=True).set_index(["first", "second"])
    ahead = result.pairs.in_order(result.dominance()).set_index(["first", "second"])
    for dot in laid.dots:
        pair = tuple(dot.label.split("  ")[1].split(" vs "))
        height = np.sqrt(3) / 2
        assert dot.average[1] == pytest.approx(height * rows.loc[pair, "prob_equivalent"])
        assert dot.following[1] == pytest.approx(height * ahead.loc[pair, "dominant_equivalent"])
    assert laid.notes[1].startswith("filled: on the mean of the next two data sets; hollow")
    assert (laid.direction, laid.equivalence) == (0.95, 0.95)
    bi.plot(result, "simplex")


def test_lines_of_decision_are_where_verdicts_are_given(sampled, monkeypatch):
    monkeypatch.setattr(Convergence, "settled", property(lambda _: True))
    laid = figures.layout_simplex(sampled.of("average"))
    assert (laid.direction, laid.equivalence) == (0.975, 0.95)
    note = (
        "lines near the corners: verdicts, at probability 0.975 of a direction, 0.95 of equivalence"
    )
    assert laid.notes[0] == note
    height = np.sqrt(3) / 2
    first, second, equivalent = figures.decision_lines(laid)
    assert first == pytest.approx((0.0125, height * 0.025, 0.025, 0.0))
    assert second == pytest.approx((0.9875, height * 0.025, 0.975, 0.0))
    assert equivalent == pytest.approx((0.475, height * 0.95, 0.525, height * 0.95))
    for dot in laid.dots:
        x, y = dot.average
        shares = 1 - x - y / height / 2, x - y / height / 2, y / height
        verdict = "undecided"
        if max(shares[:2]) > laid.direction:
            verdict = "first" if shares[0] > shares[1] else "second"
        elif shares[2] >= laid.equivalence:
            verdict = "equivalent"
        # Within the Monte Carlo error of a line nothing is decided.
        assert dot.verdict in {Verdict[verdict.upper()], Verdict.UNDECIDED}
        beyond = np.array([*shares[:2], shares[2]]) > np.array([0.985, 0.985, 0.97])
        assert dot.verdict != Verdict.UNDECIDED or not beyond.any()


def test_lines_of_tests_of_the_literature_are_at_the_level(table):
    result = bi.compare_bayes_pairs(table, test="sign", seed=1)
    laid = figures.layout_pairs(result)
    assert (laid.direction, laid.equivalence) == (0.95, 0.95)
    assert laid.notes[0] == "lines near the corners: verdicts, at probability 0.95"


def test_of_many_pairs_those_with_the_best_are_shown():
    rng = np.random.default_rng(1)
    wide = pd.DataFrame(rng.normal(0.1 * np.arange(9), 0.3, (12, 9))).add_prefix("a")
    scores = bi.read_scores(wide.rename_axis("dataset"), measures="gain:higher:0.05")
    result = bi.compare_bayes_pairs(scores, test="signed-rank", seed=1)
    laid, best = figures.layout_pairs(result), result.ranking()[0]
    pairs = [dot.label.split("  ")[1].split(" vs ") for dot in laid.dots]
    assert {name for pair in pairs for name in pair} == set(result.algorithms)
    assert all(best in pair for pair in pairs)
    assert laid.notes[-1] == f"8 of 36 pairs, those with the best by its estimate, {best}"
    assert sorted(n for label in laid.numbers for n in label.members) == list(range(8))
