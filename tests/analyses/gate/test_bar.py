"""Gates of a number, by the tests of one sample of scipy."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError

LOSSES = np.array([3.279, 3.276, 3.281, 3.274, 3.277, 3.2755])


def read(values, better="lower", tolerance=0.0, other=(), dataset="web", **options):
    rows = [("new", i, x) for i, x in enumerate(values)]
    rows += [("old", i, x) for i, x in enumerate(other)]
    frame = pd.DataFrame(rows, columns=["model", "seed", "loss"])
    declared = bi.Declaration(
        bi.Measure("loss", better, tolerance=tolerance),
        {"model": "algorithm", "seed": "replication"},
        dataset=dataset,
        resampling=options.pop("resampling", "seeds"),
    )
    return bi.read_scores(frame, measures=declared, **options)


def ask(scores, bar=3.28, **options):
    return bi.gate(scores, baseline=bar, candidate="new", **options)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("margin", [0.0, 0.001])
def test_it_is_the_t_test_of_one_sample(sign, margin):
    scores = read(sign * LOSSES, "lower" if sign == 1 else "higher")
    found = ask(scores, sign * 3.28, want="superior", by_more_than=margin)["loss"]
    reference = stats.ttest_1samp(LOSSES, 3.28 - margin, alternative="less")
    assert found.p_pass == pytest.approx(reference.pvalue, rel=1e-9)
    low, high = stats.ttest_1samp(3.28 - LOSSES, 0).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)


def test_a_tolerance_is_as_of_algorithms():
    found = ask(read(LOSSES + 0.002, tolerance=0.003))["loss"]
    reference = stats.ttest_1samp(LOSSES + 0.002, 3.283, alternative="less")
    assert found.p_pass == pytest.approx(reference.pvalue, rel=1e-9)
    worse = stats.ttest_1samp(LOSSES + 0.002, 3.283, alternative="greater")
    assert found.p_fail == pytest.approx(worse.pvalue, rel=1e-9)


def test_signed_ranks_on_request():
    found = ask(read(LOSSES), want="superior", by="permutation")["loss"]
    reference = stats.wilcoxon(LOSSES - 3.28, alternative="less", method="exact")
    assert found.p_pass == pytest.approx(reference.pvalue, rel=1e-9)


def test_the_sentence_names_the_number_and_other_algorithms_change_nothing():
    found = ask(read(LOSSES), want="superior")
    assert (
        str(found) == "Pass, on the data set web: new is better than 3.28 (loss, lower is better)."
    )
    more = ask(read(LOSSES, other=LOSSES + 1), want="superior")
    assert more["loss"].p_pass == found["loss"].p_pass
    assert ask(read(LOSSES + 1), want="superior").verdict == "fail"


def test_candidates_at_the_bar_pass_in_no_more_than_five_percent():
    rng = np.random.default_rng(5)
    draws = rng.normal(3.28, 0.002, (120, 4))
    passes = sum(ask(read(x), want="superior").verdict == "pass" for x in draws)
    by_scipy = stats.ttest_1samp(draws, 3.28, axis=1, alternative="less").pvalue <= 0.05
    assert passes == by_scipy.sum() <= 12


def test_what_a_bar_does_not_go_with():
    with pytest.raises(ArgumentError, match="finite number"):
        ask(read(LOSSES), np.inf)
    with pytest.raises(ArgumentError, match="unknown candidate 'nwe'"):
        bi.gate(read(LOSSES), baseline=3.28, candidate="nwe")
    with pytest.raises(ArgumentError, match="mixed model takes no number"):
        ask(read(LOSSES), by="mixed")
    with pytest.raises(DesignError):
        ask(read(LOSSES[:1]), want="superior")
    frame = pd.DataFrame({"dataset": ["a", "a", "b", "b"], "seed": [1, 2] * 2, "loss": LOSSES[:4]})
    scores = bi.read_scores(
        frame.assign(algorithm="new"), measures="loss:lower", resampling="seeds"
    )
    with pytest.raises(DesignError, match="2 data sets have levels of their own"):
        ask(scores)
