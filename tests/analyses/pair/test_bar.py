"""Algorithms compared with a number, by the tests of one sample of scipy."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.pair.numerics import outcomes
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError

LOSSES = {
    "a": np.array([3.279, 3.276, 3.281, 3.274, 3.277, 3.2755]),
    "b": np.array([3.282, 3.285, 3.281, 3.279]),
}


def read(scores, measures="loss:lower", resampling="seeds"):
    rows = [(name, i, x) for name, values in scores.items() for i, x in enumerate(values)]
    frame = pd.DataFrame(rows, columns=["algorithm", "replication", "loss"])
    return bi.read_scores(frame, measures=measures, dataset="web", resampling=resampling)


def test_each_algorithm_is_one_sample():
    found = bi.compare_pair(read(LOSSES), baseline=3.28, adjust="none")
    for (first, second), p, low, high in zip(
        found.pairs.sides,
        found.evidence.p_value,
        found.evidence.low,
        found.evidence.high,
        strict=True,
    ):
        reference = stats.ttest_1samp(3.28 - LOSSES[first], 0)
        assert second == "3.28"
        assert p == pytest.approx(reference.pvalue, rel=1e-9)
        assert (low, high) == pytest.approx(reference.confidence_interval(0.95), rel=1e-9)
    assert found.test_name == "t-test of one sample"


def test_signed_ranks_of_one_sample():
    found = bi.compare_pair(read({"a": LOSSES["a"]}), baseline=3.28, test="wilcoxon")
    reference = stats.wilcoxon(LOSSES["a"] - 3.28, method="exact")
    assert found.evidence.p_value[0] == pytest.approx(reference.pvalue, rel=1e-9)


@pytest.mark.parametrize("side", ["two-sided", "better", "worse"])
def test_shares_of_right_answers(side):
    values = {"a": np.r_[np.ones(52), np.zeros(8)]}
    found = bi.compare_pair(
        read(values, "loss:higher", "items"), baseline=0.7, alternative=side, margin=0.05
    )
    exact = {
        other: stats.binomtest(52, 60, 0.7, alternative=other).pvalue
        for other in ("greater", "less")
    }
    p = {"better": exact["greater"], "worse": exact["less"], "two-sided": 2 * min(exact.values())}
    assert found.test == "binomial"
    assert found.evidence.p_value[0] == pytest.approx(p[side], rel=1e-9)
    if side == "two-sided":
        ends = stats.binomtest(52, 60, 0.7).proportion_ci(0.95, method="exact")
        assert found.evidence.low[0] == pytest.approx(ends[0] - 0.7, rel=1e-9)
        within = [
            stats.binomtest(52, 60, 0.65, alternative="greater").pvalue,
            stats.binomtest(52, 60, 0.75, alternative="less").pvalue,
        ]
        assert found.evidence.p_equivalence[0] == pytest.approx(max(within), rel=1e-6)


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.83])
def test_no_share_passes_more_often_than_at_its_level(rate):
    """Over all outcomes of 40 items."""
    chances = stats.binom.pmf(np.arange(41), 40, rate)
    for side in (1, -1, 0):
        p = np.array([outcomes.binomial(x, 40, rate, side) for x in range(41)])
        assert 0.005 < chances[p <= 0.05].sum() <= 0.05


def test_what_a_number_does_not_go_with():
    scores = read(LOSSES)
    with pytest.raises(ArgumentError, match="goes without them"):
        bi.compare_pair(scores, baseline=3.28, pair=("a", "b"))
    with pytest.raises(ArgumentError, match="finite number"):
        bi.compare_pair(scores, baseline=np.nan)
    items = read({"a": [1.0, 1, 0], "b": [1.0, 0, 0]}, "loss:higher", "items")
    with pytest.raises(DesignError, match="number is right or wrong on no item"):
        bi.compare_pair(items, baseline=0.5, test="mcnemar")
    with pytest.raises(DesignError, match="sets a share against a number"):
        bi.compare_pair(items, test="binomial")
    with pytest.raises(DesignError, match="no share of right answers"):
        bi.compare_pair(items, baseline=3.28)


def test_the_sentence_names_the_number():
    found = bi.compare_pair(read(LOSSES), baseline=3.28, alternative="better")
    assert "by name" not in found.headline()
    assert "3.28" in found.headline()


@pytest.mark.slow
def test_it_is_saved_and_read_back(tmp_path):
    found = bi.compare_pair(read(LOSSES), baseline=3.28)
    assert str(bi.load(found.save(tmp_path / "x.json"))) == str(found)
    assert found.report(tmp_path / "x.html").exists()
