"""Forest of one pair over the data sets: rows are the comparisons of each data set."""

from time import perf_counter

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.comparison.figures.pair import layout
from benchinfer.core.arguments import ArgumentError


@pytest.fixture(scope="module")
def apart():
    scores = bi.load_example("sklearn_bootstrap")
    return bi.per_dataset(bi.compare_points, scores, "error")


def test_rows_are_the_contrasts_of_each_data_set(apart):
    laid = layout(apart, pair=("rf", "mlp"))
    assert len(laid.rows) == len(apart)
    estimates = [row.estimate for row in laid.rows]
    assert estimates == sorted(estimates)
    for row in laid.rows:
        table = apart[row.label].contrasts(
            order=("rf", *(set(apart[row.label].algorithms) - {"rf"}))
        )
        of_pair = table[(table["first"] == "rf") & (table["second"] == "mlp")].iloc[0]
        np.testing.assert_allclose(row.estimate, of_pair["estimate"])
        assert row.verdict.label == of_pair["verdict"]
    turned = layout(apart, pair=("mlp", "rf"))
    np.testing.assert_allclose([-row.estimate for row in turned.rows[::-1]], estimates)


def test_the_two_best_by_mean_rank_are_the_default(apart):
    ranks = {
        name: np.mean([one.ranking().index(name) for one in apart.values()])
        for name in next(iter(apart.values())).algorithms
    }
    assert layout(apart).sides == tuple(sorted(ranks, key=lambda name: (ranks[name], name))[:2])


def test_strange_names_and_pairs_are_refused(apart):
    with pytest.raises(ArgumentError, match="unknown algorithm"):
        layout(apart, pair=("rf", "gpt"))
    with pytest.raises(ArgumentError, match="not compared"):
        layout(apart, pair=("rf", "rf"))
    few = layout(apart, top=3)
    assert len(few.rows) == 3
    assert any("3 data sets of" in note for note in few.notes)


def test_the_mean_has_the_interval_of_student():
    scores = bi.load_example("sklearn_bootstrap")
    for measure in ("error", bi.Measure("seconds", "lower", scale="log")):
        of = scores if measure == "error" else scores.declare(measure)
        name = measure if measure == "error" else measure.name
        local = bi.per_dataset(bi.compare_mixed, of, name, structure="common")
        laid = layout(local, pair=("rf", "mlp"))
        *rows, last = laid.rows
        assert (last.label, len(rows)) == ("mean", len(local))
        values = np.array([row.estimate for row in rows])
        values = np.log(values) if name == "seconds" else values
        found = stats.ttest_1samp(values, 0).confidence_interval(0.95)
        wanted = np.array([values.mean(), *found])
        wanted = np.exp(wanted) if name == "seconds" else wanted
        np.testing.assert_allclose(laid.mean, wanted)
        turned = layout(local, pair=("mlp", "rf")).mean
        mirrored = [1 / x if name == "seconds" else -x for x in (turned[0], turned[2], turned[1])]
        np.testing.assert_allclose(mirrored, wanted)
        assert any("Student's 95 % interval for new data sets" in note for note in laid.notes)


def test_without_inference_there_is_no_mean(apart):
    assert layout(apart).mean is None


def test_fewer_rows_are_of_all_sizes_of_differences(apart):
    every = [row.estimate for row in layout(apart).rows]
    few = [row.estimate for row in layout(apart, top=3).rows]
    assert few[::2] == [every[0], every[-1]]


@pytest.mark.slow
def test_ninety_data_sets_and_algorithms_are_laid_out_at_once():
    rng = np.random.default_rng(1)
    at = pd.MultiIndex.from_product([range(90), range(90)], names=["dataset", "algorithm"])
    rows = pd.Series(rng.normal(size=8100), at, name="x").reset_index()
    local = bi.per_dataset(bi.compare_points, bi.read_scores(rows, measures="x:higher"))
    for one in local.values():  # the ranking of each comparison is needed once
        one.ranking()
    start = perf_counter()
    laid = layout(local)
    assert perf_counter() - start < 10
    assert len(laid.rows) == 90


def test_the_default_pair_is_one_that_is_compared():
    scores = bi.load_example("sklearn_bootstrap")
    local = bi.per_dataset(bi.compare_pair, scores, "error", control="lda")
    assert "lda" in layout(local).sides


def test_both_names_stand_out(apart):
    label = bi.plot(apart, "pair", pair=("rf", "mlp"), highlight="rf").get_label()
    assert "rf vs mlp" in label
