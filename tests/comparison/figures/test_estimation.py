"""Estimation plot: marks are contrasts, and the two axes are aligned."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color

import benchinfer as bi
from benchinfer.comparison.figures.estimation import layout, swarm
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.verdict import Verdict
from benchinfer.plots.style import HIGHLIGHT, MARKS
from tests.plots.test_draw_boxes import faults


def table(k=5, better="lower", tolerance=0.0, replications=3, datasets=12):
    rng = np.random.default_rng(1)
    rows = [
        (f"d{i}", r, f"a{j}", 0.3 + 0.02 * i + 0.02 * j + rng.normal(0, 0.03))
        for i, j, r in itertools.product(range(datasets), range(k), range(replications))
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "replication", "algorithm", "x"])
    return frame, bi.read_scores(frame, measures=bi.Measure("x", better, tolerance))


def panels(figure):
    figure.draw_without_rendering()
    return figure.axes[0].child_axes


def drawn(ax, colour):
    """Return the points of marks of a colour; lines have no marker."""
    return [
        tuple(point)
        for line in ax.lines
        if line.get_marker() in {"o", "D", "s"} and same_color(line.get_color(), colour)
        for point in line.get_xydata()
    ]


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_zero_of_the_differences_stands_at_the_mean_of_the_second(better):
    frame, scores = table(better=better)
    scores_axes, effects_axes = panels(
        bi.plot(bi.compare_mixed(scores), "estimation", pair=("a3", "a1"))
    )
    mean = frame.groupby("algorithm")["x"].mean()
    height = [
        axes.transData.transform((0, y))[1]
        for axes, y in ((scores_axes, mean["a1"]), (effects_axes, 0))
    ]
    assert height[0] == pytest.approx(height[1], abs=1e-9)  # pixels
    ends = np.subtract(scores_axes.get_ylim(), effects_axes.get_ylim())
    np.testing.assert_allclose(ends, mean["a1"], rtol=0, atol=1e-12)
    points = [p for v in Verdict for p in drawn(effects_axes, MARKS[v].colour)]
    np.testing.assert_allclose(points, [(0, mean["a3"] - mean["a1"])], rtol=0, atol=1e-12)


def test_lines_of_one_pair_join_the_scores_of_a_data_set():
    frame, scores = table(replications=1)
    scores_axes, _ = panels(bi.plot(bi.compare_mixed(scores), "estimation", pair=("a3", "a1")))
    wide = frame.pivot_table("x", "dataset", "algorithm")
    joined = {
        (ends[0][1], ends[1][1])
        for line in scores_axes.lines
        for ends in line.get_xydata()[:36].reshape(-1, 3, 2)
        if len(line.get_xydata()) == 36
    }
    assert joined == {*zip(wide["a1"], wide["a3"], strict=True)}


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_marks_are_contrasts_with_the_reference(better):
    _, scores = table(better=better, tolerance=0.01)
    result = bi.compare_mixed(scores)
    laid = layout(result, highlight=["a2"])
    assert laid.names[0] == "a2"
    assert [*laid.names[1:]] == [name for name in result.ranking() if name != "a2"]
    for row in laid.effects:
        others = [name for name in result.algorithms if name not in {row.label, "a2"}]
        table_ = result.contrasts(order=[row.label, "a2", *others], all=True)
        of_pair = table_[(table_["first"] == row.label) & (table_["second"] == "a2")].iloc[0]
        np.testing.assert_allclose(
            [row.estimate, row.low, row.high],
            of_pair[["estimate", "conf_low", "conf_high"]].astype(float),
            rtol=1e-12,
        )
        assert row.verdict.label == of_pair["verdict"]
    _, effects_axes = panels(bi.plot(result, "estimation", highlight="a2"))
    marks = sorted(p for v in Verdict for p in drawn(effects_axes, MARKS[v].colour))
    assert marks == [(float(x), row.estimate) for x, row in enumerate(laid.effects, 1)]
    names = [text for text in effects_axes.get_xticklabels() if text.get_text() == "a2"]
    assert same_color(names[0].get_color(), HIGHLIGHT)


def test_the_reference_is_the_best_or_the_control():
    _, scores = table()
    assert layout(bi.compare_mixed(scores)).names[0] == bi.compare_mixed(scores).ranking()[0]
    assert layout(bi.compare_mixed(scores, control="a3")).names[0] == "a3"
    assert layout(bi.compare_mixed(scores), pair=("a0", "a4")).names == ("a4", "a0")


def test_points_of_an_algorithm_do_not_cover_each_other():
    heights = np.sort(np.random.default_rng(1).normal(0, 0.3, 60))
    aside = swarm(heights, 0.4)
    apart = np.hypot(aside[:, None] - aside, heights[:, None] - heights)
    assert apart[np.triu_indices(60, 1)].min() > 0.049
    assert abs(aside).max() <= 0.4
    assert abs(swarm(np.zeros(99), 0.1)).max() <= 0.1


@pytest.mark.parametrize("k", [2, 6, 30, 90])
@pytest.mark.parametrize("width", ["page", "column"])
def test_no_text_is_cut_or_covered(k, width):
    _, scores = table(k, replications=1, datasets=6)
    figure = bi.plot(bi.compare_points(scores), "estimation", width=width)
    assert faults(figure) == ([], [])
    if k == 90:
        assert "of 89 others, the best ones" in figure.get_supxlabel().replace("\n", " ")


def test_effects_that_have_no_place_are_refused():
    frame, scores = table()
    ratios = bi.read_scores(frame, measures=bi.Measure("x", "lower", scale="log"))
    with pytest.raises(DesignError, match="effects are ratios, which an axis of scores"):
        bi.plot(bi.compare_mixed(ratios), "estimation")
    with pytest.raises(DesignError, match="effects are in standard deviations"):
        bi.plot(bi.compare_meta(scores, effect="standardised"), "estimation")
    one = scores.subset(datasets=["d0"])
    with pytest.raises(DesignError, match="there is one data set"):
        bi.plot(bi.compare_points(one), "estimation")
    with pytest.raises(ArgumentError, match="'none'"):
        bi.plot(bi.compare_mixed(scores), "estimation", pair=("a0", "none"))
    controlled = bi.compare_mixed(scores, control="a3")
    with pytest.raises(DesignError, match="a1 is compared with none of the others"):
        bi.plot(controlled, "estimation", pair=("a2", "a1"))


def test_values_and_numbers_of_data_sets_are_written():
    frame, scores = table()
    frame.loc[frame["dataset"].eq("d0") & frame["algorithm"].eq("a4"), "x"] = np.nan
    result = bi.compare_mixed(scores)
    figure = bi.plot(result, "estimation")
    assert "on one of 12 data sets" in layout(result).notes[0]
    rows = result.contrasts(order="result", all=True).set_index(["first", "second"])["estimate"]
    effects = panels(figure)[1]
    assert len(effects.texts) == 4
    for text in effects.texts:
        name = layout(result).names[round(text.get_position()[0])]
        pair = (name, layout(result).names[0])
        value = rows[pair] if pair in rows.index else -rows[pair[::-1]]
        assert float(text.get_text().replace("\N{MINUS SIGN}", "-")) == pytest.approx(
            value, rel=0.06
        )
        assert text.get_position()[1] == pytest.approx(value)
    assert faults(figure) == ([], [])
    assert not panels(bi.plot(result, "estimation", width=2.5))[1].texts
    gaps = bi.compare_mixed(bi.read_scores(frame.dropna(), measures="x:lower"))
    assert "on one of 11 to 12 data sets" in layout(gaps).notes[0]


@pytest.mark.parametrize("width", [3.3, 6.9, 10.0])
def test_one_pair_takes_the_width_of_the_figure(width):
    scores, differences = panels(bi.plot(bi.compare_mixed(table(2)[1]), "estimation", width=width))
    left, right = scores.get_position(), differences.get_position()
    assert right.x0 == pytest.approx(left.x1)
    assert 1 - right.x1 == pytest.approx(left.x0, abs=0.2 / width)
