import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.comparison.figures import influence


def test_bars_are_the_probabilities(mixed):
    new = mixed.predict()
    laid, table = influence.layout_prediction(new), new.summary().set_index("algorithm")
    assert [row.value for row in laid.rows] == sorted(table["prob_best_next"], reverse=True)
    for row in laid.rows:
        assert row.value == table.loc[row.label, "prob_best_next"]
        assert row.outline == table.loc[row.label, "prob_near_best"]
        assert row.said == f"{row.value:.2f} ({row.outline:.2f})"
    assert laid.notes == ("outline, in brackets: within 0.02 of the best there",)
    assert f"{laid.rows[0].label} {laid.rows[0].value:.2f}" in laid.alt


def test_without_a_tolerance_there_is_no_outline(table):
    exact = bi.read_scores(table.to_frame(), measures={"score": "higher"})
    laid = influence.layout_prediction(bi.compare_mixed(exact).predict())
    assert all(row.outline is None and row.said == f"{row.value:.2f}" for row in laid.rows)
    assert laid.notes == ()


def test_of_many_algorithms_those_that_may_be_the_best_have_a_bar():
    rng, k = np.random.default_rng(1), 20
    values = 0.02 * np.arange(k) + 0.01 * rng.normal(size=(12, k))
    frame = pd.DataFrame(values, columns=[f"a{i:02}" for i in range(k)]).rename_axis("dataset")
    scores = bi.read_scores(
        frame.reset_index(), layout="wide-algorithms", measures={"acc": "higher"}
    )
    new = bi.compare_mixed(scores).predict()
    best = new.summary()["prob_best_next"]
    laid = influence.layout_prediction(new)
    assert len(laid.rows) == (best >= 0.005).sum() < k
    assert sum(row.value for row in laid.rows) == pytest.approx(1, abs=0.005 * k)


def test_tolerance_on_the_log_scale_is_a_factor(seconds):
    assert "within a factor of 1.05" in influence.layout_prediction(seconds.predict()).notes[0]


def test_what_predict_returns_can_be_drawn(mixed):
    assert bi.plot(mixed.predict()).get_label() == mixed.plot("prediction").get_label()


def test_one_dataset(table):
    with pytest.raises(bi.DesignError, match="one data set says nothing"):
        bi.compare_mixed(table.subset(datasets=[table.datasets[0]])).plot("prediction")
