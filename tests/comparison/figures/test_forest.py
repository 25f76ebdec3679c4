import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.comparison.figures import forest
from benchinfer.core.verdict import Verdict
from benchinfer.plots import bars, style


def test_rows_are_the_contrasts(mixed):
    laid, table = forest.layout(mixed), mixed.contrasts(order="result", all=True)
    assert [row.pair for row in laid.rows] == table.index.tolist()
    assert sorted(table.index) == list(range(len(table)))
    for row in laid.rows:
        expected = table.loc[row.pair]
        assert (row.estimate, row.low, row.high) == tuple(
            expected[["estimate", "conf_low", "conf_high"]]
        )
        assert row.verdict.label == expected["verdict"]
        assert row.label == f"{expected['first']} vs {expected['second']}"
        assert (expected["winner"] or expected["verdict"]) in row.said


def test_pairs_of_the_best_algorithm_come_first(mixed):
    ranked = mixed.summary().sort_values("rank")["algorithm"].tolist()
    laid = forest.layout(mixed)
    groups = [ranked.index(row.group) for row in laid.rows]
    assert groups == sorted(groups)
    assert all(row.label.startswith(f"{row.group} vs ") for row in laid.rows)


def test_the_rows_are_a_choice(mixed):
    assert len(forest.layout(mixed, top=2).rows) == 2
    assert "2 of 6 pairs" in forest.layout(mixed, top=2).notes[-1]
    a, b, c, _ = mixed.ranking()
    assert [row.label for row in forest.layout(mixed, pair=(c, a)).rows] == [f"{a} vs {c}"]
    assert len(forest.layout(mixed, algorithms=[a, b, c]).rows) == 3
    turned = forest.layout(mixed, order=mixed.ranking()[::-1])
    assert turned.rows[-1].label == f"{b} vs {a}"
    with pytest.raises(bi.DesignError):
        forest.layout(mixed, pair=(a, "zz"))


def test_two_algorithms_are_named_on_both_sides(mixed):
    a, b, *_ = mixed.ranking()
    assert forest.layout(mixed, pair=(a, b)).sides == (a, b)
    assert forest.layout(mixed).sides == ("first", "second")


def test_of_many_algorithms_the_pairs_with_the_best_are_shown():
    levels = np.linspace(0, 1, 14)
    frame = pd.DataFrame(
        [(f"d{d}", f"a{k:02d}", levels[k] + d) for d in range(3) for k in range(14)],
        columns=["dataset", "algorithm", "score"],
    )
    points = bi.compare_points(bi.read_scores(frame, measures={"score": "higher"}))
    laid = forest.layout(points)
    assert [row.group for row in laid.rows] == ["a13"] * 13
    assert "13 of 91 pairs, those with the best by its estimate, a13" in laid.notes[-1]


def test_points_have_no_interval(points):
    laid = forest.layout(points)
    assert all(row.low is None and row.high is None for row in laid.rows)
    assert "no inference" in laid.notes[0]


def test_band_and_neutral_value(mixed, seconds):
    identity, ratio = forest.layout(mixed), forest.layout(seconds)
    assert identity.neutral == 0.0
    assert identity.band == pytest.approx((-0.02, 0.02))
    assert not identity.log
    assert ratio.neutral == 1.0
    assert ratio.band == pytest.approx((1 / 1.05, 1.05))
    assert ratio.log


@pytest.mark.parametrize("name", ["mixed", "seconds"])
def test_the_side_is_that_of_the_verdicts(name, request):
    laid = forest.layout(request.getfixturevalue(name))
    decided = [r for r in laid.rows if r.verdict in {Verdict.FIRST, Verdict.SECOND}]
    assert decided
    for row in decided:
        assert (row.verdict == laid.left) == (row.estimate < laid.neutral)


def test_axis_names_direction_and_order(mixed, seconds):
    minus = "\N{MINUS SIGN}"
    assert forest.layout(mixed).axis == (
        f"difference in simulated score, first {minus} second; higher is better"
    )
    assert forest.layout(seconds).axis == (
        "ratio in fit and predict time, first / second; lower is better"
    )


def test_words_stand_above_where_there_is_no_room(mixed, nasty):
    assert bars.fits(forest.layout(mixed))
    assert not bars.fits(forest.layout(mixed, 2.0))
    assert not bars.fits(forest.layout(nasty))


@pytest.mark.parametrize(
    ("low", "high", "log"),
    [(-0.2, 0.3, False), (0.97, 1.04, True), (0.01, 50.0, True), (1e-9, 1e9, True)],
)
def test_ticks_lie_inside_and_are_few(low, high, log):
    found = style.ticks(low, high, 7, log=log)
    assert 2 <= len(found) <= 10
    assert np.all((np.array(found) >= low) & (np.array(found) <= high))


def test_colours_follow_the_verdicts(mixed):
    from benchinfer.plots.style import MARKS

    laid = forest.layout(mixed)
    axes = mixed.plot("forest").axes[0]
    dots = [line for line in axes.lines if line.get_marker() not in {"None", "", None}]
    found = {(x, dot.get_color()) for dot in dots for x in dot.get_xdata()}
    assert found == {(row.estimate, MARKS[row.verdict].colour) for row in laid.rows}
