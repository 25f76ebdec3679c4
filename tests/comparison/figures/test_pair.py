"""Forest of one pair over the data sets: rows are the comparisons of each data set."""

import numpy as np
import pytest

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
