"""Means and ranks by data set, and the figures that show them."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.cluster import hierarchy
from scipy.stats import rankdata

import benchinfer as bi
from benchinfer.comparison.figures import heatmap, scatter, slope
from benchinfer.comparison.figures.standing import standing
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.verdict import Verdict
from benchinfer.plots.style import FAINT, spread_apart


def table(k=4, d=6, seed=1, better="higher", tolerance=0.02, scale="identity", gaps=()):
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{i}", r, f"a{j}", float(np.round(rng.uniform(0.2, 0.9), 3)))
        for i, j, r in itertools.product(range(d), range(k), range(3))
        if (i, j) not in gaps
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "replication", "algorithm", "x"])
    measure = bi.Measure("x", better, tolerance, scale)
    return frame, bi.read_scores(frame, measures=measure)


def means(frame):
    return frame.pivot_table(index="dataset", columns="algorithm", values="x", aggfunc="mean")


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("seed", range(4))
def test_means_and_ranks_are_those_of_a_group_by(better, seed):
    frame, scores = table(5, 7, seed, better, gaps={(0, 1), (3, 2)})
    found, mean = standing(scores), means(frame)
    sign = -1 if better == "higher" else 1
    rank = mean.apply(lambda row: pd.Series(rankdata(sign * row, nan_policy="omit"), row.index), 1)
    expected = mean.loc[list(found.datasets), list(found.algorithms)]
    np.testing.assert_allclose(found.measure.level_of(found.mean), expected)
    np.testing.assert_allclose(found.rank, rank.loc[list(found.datasets), list(found.algorithms)])
    assert list(found.algorithms) == list(rank.mean().sort_values(kind="stable").index)


def test_some_algorithms_keep_their_ranks_among_all():
    _, scores = table()
    whole, some = standing(scores), standing(scores, ["a3", "a0"], order=("a3",))
    assert some.algorithms == ("a3", "a0")
    at = [whole.algorithms.index(name) for name in some.algorithms]
    np.testing.assert_array_equal(some.rank, whole.rank[:, at])
    with pytest.raises(ArgumentError, match="unknown algorithm 'a9'"):
        standing(scores, ["a9"])


def test_tiles_show_means_and_the_distance_to_the_best():
    frame, scores = table(gaps={(2, 1)})
    laid, mean = heatmap.layout(scores), means(frame).loc[:, :]
    mean = mean.loc[list(laid.rows), list(laid.columns)]
    assert list(mean.median(axis=1)) == sorted(mean.median(axis=1), reverse=True)
    shown = np.array([[float(text or "nan") for text in row] for row in laid.texts])
    np.testing.assert_allclose(shown, mean, atol=5e-4)
    np.testing.assert_array_equal(laid.best, mean.eq(mean.max(axis=1), axis=0))
    behind = mean.rsub(mean.max(axis=1), axis=0).to_numpy()
    reach = np.nanquantile(behind, 0.95)
    np.testing.assert_allclose(laid.shade, np.clip(behind / reach, 0, 1))
    assert "white: no score" in laid.notes


def test_data_sets_of_unlike_ranges_have_a_scale_of_their_own():
    frame, _ = table()
    frame["x"] *= 10.0 ** frame["dataset"].str[1:].astype(int)
    laid = heatmap.layout(bi.read_scores(frame, measures="x:lower"))
    assert laid.ends == ("best", "worst on the data set")
    assert np.all(laid.shade.max(axis=1) == 1)
    assert np.all(laid.shade.min(axis=1) == 0)


@pytest.mark.parametrize(("better", "beyond"), [("lower", 1), ("higher", -1)])
def test_the_scale_of_ratios_is_that_of_the_worse_to_the_best(better, beyond):
    _, scores = table(4, 6, 1, better, 0.02, "log")
    (_, said), mean = heatmap.layout(scores).ends, standing(scores).mean
    reach = np.quantile(mean.max(axis=1, keepdims=True) - mean, 0.95)
    assert said == f"ratio to it of {np.exp(beyond * reach):#.2g} or beyond"


def test_a_tolerance_of_ratios_is_a_factor():
    _, scores = table(3, 9, 1, "lower", 0.1, "log")
    laid = scatter.layout(scores)
    assert "shaded: within the tolerance of a factor of 1.1" in laid.notes
    assert "within a factor of 1.1 of each other" in laid.alt


def test_a_heat_map_of_many_cells_has_dots_or_colours_alone():
    _, scores = table(40, 30)
    laid = heatmap.layout(scores)
    assert laid.texts == ()
    assert "dot: the best on the data set" in laid.notes
    wide = heatmap.layout(scores, 2.0)
    assert wide.tile[0] * 40 < 2.0
    assert any(note.startswith("numbers: 1 ") for note in wide.notes)
    assert len(heatmap.layout(scores, top=5).rows) == 5


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("scale", ["identity", "log", "logit"])
def test_points_are_counted_by_the_tolerance(better, scale):
    _, scores = table(3, 40, 5, better, 0.1, scale)
    laid = scatter.layout(scores, pair=("a2", "a0"))
    measure = scores.measures[0]
    ahead = measure.orient(laid.points[:, 0]) - measure.orient(laid.points[:, 1])
    expected = np.select([ahead > measure.margin, ahead < -measure.margin], [1, 2], 0)
    code = {Verdict.FIRST: 1, Verdict.SECOND: 2, Verdict.EQUIVALENT: 0}
    assert [code[v] for v in laid.verdicts] == expected.tolist()
    assert len({*expected.tolist()}) == 3
    along, low, high = laid.band
    assert np.all((low <= along) & (along <= high))
    for x, y in ((along, low), (along, high)):
        gap = abs(measure.orient(x) - measure.orient(y))
        np.testing.assert_allclose(gap, measure.margin, rtol=1e-6)
    above = Verdict.SECOND if better == "higher" else Verdict.FIRST
    assert laid.words[0][1] == above


@pytest.mark.parametrize("scale", ["identity", "log"])
@pytest.mark.parametrize("name", ["a{}", "random_forest_{}"])
def test_words_in_the_corners_touch_no_mark(scale, name):
    scores = [(0.10, 0.90), (0.90, 0.10), (0.5, 0.52), (0.14, 0.88), (0.7, 0.11)]
    rows = [(d, name.format(a), x) for d, pair in enumerate(scores) for a, x in enumerate(pair)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "x"])
    measure = bi.Measure("x", "higher", scale=scale)
    figure = bi.plot(bi.read_scores(frame, measures=[measure]), "scatter", width=3.3)
    figure.draw_without_rendering()
    (ax,) = figure.axes
    words = [text.get_window_extent() for text in ax.texts if "better" in text.get_text()]
    marks = [
        ax.transData.transform(line.get_xydata())
        for line in ax.lines
        if line.get_marker() != "None"
    ]
    radius = 3.5 / 72 * figure.dpi
    assert len(words) == 2
    assert len(np.vstack(marks)) == 5
    for x, y in np.vstack(marks):
        for box in words:
            apart = np.hypot(x - np.clip(x, box.x0, box.x1), y - np.clip(y, box.y0, box.y1))
            assert apart > radius


def test_the_two_best_are_shown_or_one_beside_the_best_of_the_others():
    _, scores = table(5)
    best = standing(scores).algorithms
    assert scatter.layout(scores).names == best[:2]
    assert scatter.layout(scores, highlight=[best[3]]).names == (best[3], best[0])
    assert scatter.layout(scores, highlight=[best[0]]).names == best[:2]
    with pytest.raises(ArgumentError, match="names one algorithm twice"):
        scatter.layout(scores, pair=("a0", "a0"))
    frame, _ = table(2, 2)
    frame = frame[(frame["dataset"] == "d0") == (frame["algorithm"] == "a0")]
    apart = bi.read_scores(frame, measures="x:higher")
    with pytest.raises(DesignError, match="no data set has scores of both"):
        scatter.layout(apart)


def test_lines_are_the_ranks_and_their_labels_do_not_meet():
    _, scores = table(8, 10)
    laid, found = slope.layout(scores), standing(scores)
    rows = [found.datasets.index(name) for name in laid.datasets]
    np.testing.assert_array_equal(laid.rank, found.rank[rows])
    np.testing.assert_allclose(laid.mean, found.rank.mean(axis=0))
    places = spread_apart(np.array([1.0, 1.0, 1.1, 4.0]), 1.0)
    assert np.all(np.diff(np.sort(places)) >= 1 - 1e-12)
    assert places[3] == 4.0
    np.testing.assert_allclose(places[:3].mean(), np.mean([1.0, 1.0, 1.1]))


def test_a_slope_chart_of_many_algorithms_shows_the_best_and_those_asked_for():
    _, scores = table(12, 5)
    best = standing(scores).algorithms
    assert slope.layout(scores).algorithms == best[:6]
    shown = slope.layout(scores, highlight=[best[9]])
    assert shown.algorithms == (*best[:6], best[9])
    assert shown.highlight == {6}
    assert slope.layout(scores, algorithms=best[2:11]).algorithms == best[2:11]


@pytest.mark.parametrize(("d", "kind"), [(25, "heatmap"), (1, "boxes")])
def test_a_slope_chart_of_too_many_data_sets_names_another_figure(d, kind):
    _, scores = table(3, d)
    with pytest.raises(DesignError, match="a slope chart is of 2 to 24 data sets") as caught:
        bi.plot(scores, "slope")
    assert f'kind="{kind}"' in str(caught.value)
    assert bi.plot(scores, kind).get_label()


@pytest.mark.parametrize("kind", ["heatmap", "scatter", "slope", "boxes"])
@pytest.mark.parametrize("k", [2, 9])
@pytest.mark.parametrize("width", ["page", "column"])
def test_figures_of_scores_are_no_wider_than_they_are_asked_to_be(kind, k, width):
    _, scores = table(k, 7, gaps={(0, 0)})
    figure = bi.plot(scores, kind, width=width)
    across = {"page": 6.9, "column": 3.3}[width]
    assert figure.get_size_inches()[0] == pytest.approx(across)
    figure.draw_without_rendering()
    inside = figure.get_tightbbox()
    assert inside.x0 >= -0.02
    assert inside.x1 <= across + 0.02
    assert len(figure.get_label()) > 20


@pytest.mark.parametrize("gaps", [(), {(0, 1), (3, 2), (4, 0)}])
def test_clusters_order_the_tiles_and_stand_beside_them(gaps):
    _, scores = table(5, 7, gaps=gaps)
    plain, laid = heatmap.layout(scores), heatmap.layout(scores, order="clusters")
    places = [
        [of.index(name) for name in names]
        for names, of in ((laid.rows, plain.rows), (laid.columns, plain.columns))
    ]
    np.testing.assert_array_equal(laid.shade, plain.shade[np.ix_(*places)])
    np.testing.assert_array_equal(laid.best, plain.best[np.ix_(*places)])
    assert laid.width == plain.width
    ax = bi.plot(scores, "heatmap", order="clusters").axes[0]
    drawn = [
        np.transpose([x, y])
        for line in ax.lines
        for x, y in zip(
            np.reshape(line.get_xdata(), (-1, 3))[:, :2],
            np.reshape(line.get_ydata(), (-1, 3))[:, :2],
            strict=True,
        )
        if line.get_color() == FAINT
    ]
    for tree, colours, (along, away), end in (
        (laid.trees[0], laid.shade, (1, 0), 4.5),
        (laid.trees[1], laid.shade.T, (0, 1), 6.5),
    ):
        n = len(colours)
        far = np.array(
            [
                [np.sqrt(np.nanmean((a - b) ** 2) * colours.shape[1]) for b in colours]
                for a in colours
            ]
        )
        merges = hierarchy.linkage(far[np.triu_indices(n, 1)], "average")
        heights = np.sort(tree.links[:, 1, 1])
        np.testing.assert_allclose(heights, np.sort(merges[:, 2]) / merges[:, 2].max())
        # No order in which lines do not cross has more alike neighbours.
        best = hierarchy.optimal_leaf_ordering(merges, far[np.triu_indices(n, 1)])
        leaves = hierarchy.leaves_list(best)
        length = np.diag(far, 1).sum()
        assert length == pytest.approx(far[leaves[:-1], leaves[1:]].sum())
        bridges = [
            s for s in drawn if s[0, away] == s[1, away] > end and s[0, along] != s[1, along]
        ]
        reach = max(s[0, away] for s in bridges) - min(s[0, away] for s in bridges)
        assert len(bridges) == n - 1
        shown = np.sort([s[0, away] for s in bridges])
        np.testing.assert_allclose(
            (shown - shown[0]) / reach, (heights - heights[0]) / (1 - heights[0])
        )
    assert any("over the scores that both have" in note for note in laid.notes) == bool(gaps)


def test_clusters_are_refused_where_no_score_is_common_and_of_other_kinds():
    frame, _ = table(2, 4, gaps={(0, 1), (1, 0)})
    scores = bi.read_scores(frame, measures="x:higher")
    with pytest.raises(DesignError, match="two data sets have no scores in common"):
        bi.plot(scores, "heatmap", order="clusters")
    with pytest.raises(DesignError, match=r'no order="clusters"\.\nHint: the kind "heatmap"'):
        bi.plot(scores, "slope", order="clusters")
    with pytest.raises(ArgumentError, match=r"order is 'cluster'\.\nHint: .clusters., or"):
        bi.plot(scores, "heatmap", order="cluster")
    one = bi.read_scores(frame[frame["dataset"] == "d2"], measures="x:higher")
    assert heatmap.layout(one, order="clusters").rows == ("d2",)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Index])
def test_an_order_of_names_is_any_sequence(kind):
    _, scores = table(3, 4)
    names = scores.algorithms[::-1]
    laid = heatmap.layout(scores, order=kind(names))
    assert laid.columns == heatmap.layout(scores, order=names).columns
    assert bi.plot(scores, "heatmap", order=kind(names)).get_label()


def test_clusters_of_350_data_sets_take_seconds():
    rng = np.random.default_rng(1)
    wide = pd.DataFrame(rng.uniform(size=(350, 90))).add_prefix("a").rename_axis("dataset")
    laid = heatmap.layout(bi.read_scores(wide, measures="x:higher"), order="clusters")
    assert sorted(laid.trees[0].order) == list(range(350))
