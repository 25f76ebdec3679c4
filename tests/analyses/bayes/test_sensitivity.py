"""Other models of the same scores."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.bayes import sensitivity
from benchinfer.comparison.posterior import Convergence


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Take the first draws, however few."""
    monkeypatch.setattr(Convergence, "passed", property(lambda _: True))


def table(k=3, scale="identity", shift=0.5):
    """Return scores between 0 and 1 (or above, by the shift); the last algorithm is best."""
    rng = np.random.default_rng(1)
    d, r, a = (x.ravel() for x in np.indices((6, 3, k)))
    effect = 0.03 * rng.standard_normal((6, k)) + 0.05 * np.arange(k)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{i}" for i in d],
            "replication": r,
            "algorithm": [f"a{i}" for i in a],
            "value": shift + effect[d, a] + 0.02 * rng.standard_normal(d.size),
        }
    )
    return bi.read_scores(frame, measures=[bi.Measure("value", "higher", scale=scale)], paired=True)


@cache
def compared():
    return bi.compare_bayes(table(), draws=100, chains=4, seed=1)


def test_each_variant_differs_in_one_thing():
    result = compared()
    rows = result.sensitivity(table(), draws=100)
    assert rows["variant"].unique().tolist() == [
        "as compared",
        'interactions="normal"',
        'structure="common"',
        "priors twice as wide",
        "standardised on each data set",
        'scale="log"',
        'scale="logit"',
    ]
    sums = rows.groupby("variant")[["prob_best", "prob_best_next"]].sum()
    np.testing.assert_allclose(sums, 1)
    np.testing.assert_array_equal(rows["prob_best"][:3], result.summary()["prob_best"])
    assert (rows.loc[rows["algorithm"] == "a2", "prob_best"] > 0.8).all()


def test_a_variant_is_the_comparison_that_is_asked_for():
    rows = compared().sensitivity(draws=100).set_index(["variant", "algorithm"])
    asked = bi.compare_bayes(table(), interactions="normal", draws=100, chains=4, seed=1)
    np.testing.assert_allclose(
        rows.loc['interactions="normal"', "prob_best"], asked.summary()["prob_best"], atol=1e-12
    )


def test_scales_are_those_of_the_measure():
    result = compared()
    other = bi.compare_bayes(table(scale="log"), draws=100, chains=4, seed=1)
    log, _ = (variant.model.data for variant in sensitivity.on_scales(result, table()))
    np.testing.assert_allclose(log.z, other.data.z, rtol=1e-12)
    assert log.scale == pytest.approx(other.data.scale)


def test_scales_without_room_are_left_out():
    result = bi.compare_bayes(table(shift=3.0), draws=100, chains=4, seed=1)
    others = sensitivity.on_scales(result, table(shift=3.0))
    assert [variant.measure.scale for variant in others] == ["log"]


def test_two_algorithms_and_these_data_sets():
    scores = table(k=2)
    result = bi.compare_bayes(scores, target="datasets", draws=100, chains=4, seed=1)
    rows = result.sensitivity(draws=100)
    assert "prob_best_next" not in rows
    assert 'structure="unstructured"' not in rows["variant"].tolist()


def test_another_table_is_refused():
    with pytest.raises(bi.DesignError, match="not the one that was compared"):
        compared().sensitivity(table(shift=0.4), draws=100)
