"""Gates of a number, by the tests of one sample of scipy."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.gate.figures import layout
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


@pytest.mark.slow
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


def answers(right, n, better="higher"):
    values = np.r_[np.ones(right), np.zeros(n - right)]
    return read(1 - values if better == "lower" else values, better, resampling="items")


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_answers_are_judged_by_the_exact_binomial_test(better, margin):
    bar = 0.7 if better == "higher" else 0.3
    found = ask(answers(52, 60, better), bar, want="superior", by_more_than=margin)["loss"]
    exact = stats.binomtest(52, 60, 0.7 + margin, alternative="greater").pvalue
    assert found.p_pass == pytest.approx(exact, rel=1e-9)
    worse = stats.binomtest(52, 60, 0.7, alternative="less").pvalue
    assert found.p_fail == pytest.approx(worse, rel=1e-9)
    low, high = stats.binomtest(52, 60, 0.7).proportion_ci(0.9, method="exact")
    assert (found.low, found.high) == pytest.approx((low - 0.7, high - 0.7), rel=1e-9)
    assert "answers are right or wrong" in found.reason


def test_the_reason_is_one_sample():
    found = ask(read(LOSSES), want="superior")["loss"]
    assert found.reason == "the scores are one sample that is set against a number"
    assert "compared by the t-test of one sample on 6 random starts" in found.comparison.method


def test_the_planned_size_is_that_of_one_sample_whose_spread_is_uncertain():
    """The mean power over the uncertainty of the pilot's variance, as of other plans."""
    rng = np.random.default_rng(3)
    losses = 3.2795 + rng.normal(0, 0.0015, 8)
    row = ask(read(losses), want="superior")["loss"]
    effect, df = 3.28 - losses.mean(), len(losses) - 1
    spreads = np.sqrt(df * losses.var(ddof=1) / rng.chisquare(df, 20_000))

    def power(n, spread):
        return stats.nct.sf(stats.t.isf(0.05, n - 1), n - 1, effect / spread * np.sqrt(n))

    planned = len(losses) + row.need.replications
    assert power(planned, spreads).mean() == pytest.approx(0.8, abs=0.02)
    # With the spread taken as known fewer would do.
    assert power(planned, losses.std(ddof=1)) > 0.82


def test_the_figure_has_a_line_at_what_is_to_be_exceeded():
    gate = ask(read(LOSSES), want="superior", by_more_than=0.002)
    laid = layout(gate)
    assert laid.rows[0].ahead == 1
    assert laid.rows[0].estimate == pytest.approx((3.28 - LOSSES.mean()) / 0.002)
    assert any("has to exceed" in note for note in laid.notes)
    assert gate.plot().axes[0].lines[1].get_xdata().tolist() == [1, 1]
    plain = layout(ask(read(LOSSES), want="superior"))
    assert not any("has to exceed" in note for note in plain.notes)
