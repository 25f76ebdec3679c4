"""Models compared by what they say of data sets that they have not seen."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.comparison.posterior import Convergence
from tests.analyses.bayes.test_leave_one_out import table


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Take the first draws, however few."""
    monkeypatch.setattr(Convergence, "passed", property(lambda _: True))


def skewed(base=1.0, seed=3):
    """Return scores whose interactions are of one size on the log scale."""
    rng = np.random.default_rng(seed)
    d, r, a = (x.ravel() for x in np.indices((25, 3, 3)))
    level = 1.5 * rng.standard_normal(25)
    log = level[:, None] + 0.3 * rng.standard_normal((25, 3)) + 0.2 * np.arange(3)
    value = base * np.exp(log[d, a] + 0.05 * rng.standard_normal(d.size))
    frame = pd.DataFrame(
        {
            "dataset": [f"d{i}" for i in d],
            "replication": r,
            "algorithm": [f"a{i}" for i in a],
            "value": value,
        }
    )
    return bi.read_scores(frame, measures=[bi.Measure("value", "lower")], paired=True)


@cache
def judged(base=1.0):
    """Return the models of such scores by variant, sampled once."""
    scores = skewed(base=base)
    result = bi.compare_bayes(scores, interactions="normal", draws=100, chains=4, seed=1)
    return result.compare_models(scores, draws=100).set_index("variant")


@pytest.mark.slow
def test_the_scale_that_generated_the_scores_wins():
    result = judged()
    assert result.loc['scale="log"', "elpd_difference"] == 0
    worse = result.loc["as compared"]
    assert worse["elpd_difference"] < -3 * worse["difference_error"]
    assert result["stacking_weight"].sum() == pytest.approx(1)
    assert result.loc['scale="log"', "stacking_weight"] > 0.5
    assert np.isnan(result.loc["standardised on each data set", "elpd"])
    assert (result["winner_score"] > np.log(1 / 3) - 0.5).all()


@pytest.mark.slow
def test_the_unit_does_not_matter():
    apart = (judged()["elpd"] - judged(1000.0)["elpd"]).dropna()
    np.testing.assert_allclose(apart, 25 * 2 * np.log(1000), rtol=1e-3)


@pytest.mark.slow
def test_without_the_table_there_are_no_other_scales():
    result = bi.compare_bayes(table(d=5), draws=100, chains=4, seed=1)
    rows = result.compare_models(draws=100)
    assert rows["variant"].tolist() == [
        "as compared",
        'interactions="normal"',
        'structure="common"',
        "standardised on each data set",
    ]
    with pytest.raises(bi.DesignError, match="not the one that was compared"):
        result.compare_models(table(d=5, seed=3), draws=100)


def of_limit(share, seed=5, d=60):
    """Return times of two programs that are both stopped on this share of the instances."""
    rng = np.random.default_rng(seed)
    time = rng.uniform(1, 90, (d, 2))
    time[: round(share * d)] = 100.0
    at, which = np.indices(time.shape)
    frame = pd.DataFrame(
        {"dataset": at.ravel(), "algorithm": which.ravel(), "seconds": time.ravel()}
    ).astype({"dataset": str, "algorithm": str})
    return bi.read_scores(frame, measures="seconds:lower:0:identity:limit=100")


@pytest.mark.slow
def test_ties_at_a_limit_are_not_taken_for_a_typical_data_set():
    scores, options = of_limit(0.5), {"draws": 200, "chains": 4}
    with pytest.raises(bi.DesignError, match=r"on 30 of 60 data sets: differences of exactly 0"):
        bi.compare_bayes(scores, **options)
    row = bi.compare_bayes(scores, interactions="normal", **options).contrasts().iloc[0]
    means = scores.to_frame().groupby("algorithm")["value"].mean()
    mixed = bi.compare_mixed(scores).contrasts().iloc[0]
    noise = (mixed["conf_high"] - mixed["conf_low"]) / 8
    assert row["estimate"] == pytest.approx(means["0"] - means["1"], abs=noise)
    bi.compare_bayes(of_limit(0.05), **options)
    frame = scores.to_frame()
    frame.loc[(frame["algorithm"] == "1") & (frame.index > 100), "value"] = 100.0
    shares = bi.read_scores(frame, measures="seconds:lower:0:identity:limit=100").solved()
    lower = bi.compare_bayes(shares, likelihood="binomial", **options).contrasts()["estimate"]
    assert lower.abs().item() > 0
