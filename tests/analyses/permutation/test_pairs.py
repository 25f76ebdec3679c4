"""Scores of 0 and 1: differences of rates instead of shifts, which are 0 beside a verdict."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

import benchinfer as bi
from tests.analyses.mixed.test_compare import simulated, table

RATES = {"a": 0.85, "b": 0.6, "c": 0.55}


def items(n=120, datasets=1, rates=None, better="higher", *, paired=True, tolerance=0.0):
    rng = np.random.default_rng(1)
    rows = [
        (f"d{d}", name, f"i{i:03d}" if paired else f"{name}{i:03d}", int(rng.random() < rate))
        for d in range(datasets)
        for i in range(n)
        for name, rate in (rates or RATES).items()
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "right"])
    if better == "lower":
        frame["right"] = 1 - frame["right"]
    measure = bi.Measure("right", better=better, tolerance=tolerance)
    return bi.read_scores(frame, measures=[measure], resampling="items", paired=paired)


@pytest.mark.parametrize("on", ["aligned-ranks", "ranks", "normal-scores", "values"])
@pytest.mark.parametrize("options", [{}, {"alternative": "better"}])
def test_two_algorithms_are_as_in_tests_of_pairs(on, options):
    scores = items(rates={"a": 0.85, "b": 0.6}, tolerance=0.05)
    found = bi.compare_permutation(scores, on=on, **options).contrasts(all=True)
    pair = bi.compare_pair(scores, **options).contrasts(all=True)
    columns = ["estimate", "conf_low", "conf_high", "p_equivalence", "verdict"]
    pd.testing.assert_frame_equal(found[columns], pair[columns])
    # Signed ranks of differences of one size are McNemar's exact test.
    np.testing.assert_allclose(found["p_raw"], pair["p_raw"], rtol=1e-6)


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_no_estimate_of_zero_stands_beside_a_verdict(better):
    result = bi.compare_permutation(items(better=better))
    rows = result.contrasts(all=True).set_index(["first", "second"])
    rates = result.summary().set_index("algorithm")["estimate"]
    row = rows.loc[("a", "b")]
    assert row["winner"] == "a"
    assert row["estimate"] == pytest.approx(rates["a"] - rates["b"])
    assert row["conf_low"] < row["estimate"] < row["conf_high"]
    assert (row["conf_low"] > 0) == (better == "higher")
    assert "differences of rates, as all scores are 0 or 1, with Newcombe's" in result.method
    assert "Hodges" not in result.method
    assert "newcombe1998" in result.citations()


def test_equivalence_is_of_rates():
    # Ranks of differences that are shifted by the tolerance are about the median, which is 0.
    result = bi.compare_permutation(items(rates={"a": 0.8, "b": 0.6}, tolerance=0.05))
    assert result.contrasts(all=True)["p_equivalence"][0] > 0.5
    alike = items(rates={"a": 0.99, "b": 0.99}, n=300, tolerance=0.05)
    assert bi.compare_permutation(alike).contrasts(all=True)["verdict"][0] == "equivalent"


def test_several_data_sets_without_shared_items():
    scores = items(datasets=3, rates={"a": 0.8, "b": 0.6}, paired=False, n=40)
    row = bi.compare_permutation(scores, target="datasets").contrasts(all=True).iloc[0]
    frame = scores.describe()
    count = (frame["mean"] * frame["n"]).to_numpy().reshape(3, 2)
    low, high = proportion_confint(count, 40, 0.05, method="wilson")
    rate = count / 40
    down, up = rate - np.array(low), np.array(high) - rate
    mean = (rate[:, 0] - rate[:, 1]).mean()
    assert row["estimate"] == pytest.approx(mean)
    reach = np.sqrt((down[:, 0] ** 2 + up[:, 1] ** 2).sum()) / 3
    assert row["conf_low"] == pytest.approx(mean - reach)
    reach = np.sqrt((up[:, 0] ** 2 + down[:, 1] ** 2).sum()) / 3
    assert row["conf_high"] == pytest.approx(mean + reach)


def test_items_of_several_data_sets_are_taken_together():
    right = np.random.default_rng(2).random((4, 40, 2)) < [0.8, 0.6]
    scores = table(right.astype(float), ["a", "b"])
    row = bi.compare_permutation(scores, target="datasets").contrasts(all=True).iloc[0]
    b, c = (int((right[..., i] & ~right[..., 1 - i]).sum()) for i in (0, 1))
    assert row["estimate"] == pytest.approx((b - c) / 160)
    assert row["p_raw"] == pytest.approx(binomtest(b, b + c).pvalue)
    assert row["conf_low"] < row["estimate"] < row["conf_high"]


def test_equal_algorithms_have_an_interval():
    scores = items(rates={"a": 1.0, "b": 1.0, "c": 0.5}, n=20)
    rows = (
        bi.compare_permutation(scores, on="values")
        .contrasts(all=True)
        .set_index(["first", "second"])
    )
    row = rows.loc[("a", "b")]
    assert row["estimate"] == 0
    assert row["conf_low"] < -0.1
    assert row["conf_high"] > 0.1


def test_a_pair_whose_typical_difference_is_none_is_undecided():
    values = np.zeros((24, 1, 2))
    values[:6, 0, 0] = np.linspace(0.1, 0.3, 6)
    result = bi.compare_permutation(table(values, measures=bi.Measure("score", "higher")))
    row = result.contrasts(all=True).iloc[0]
    assert (row["estimate"], row["verdict"], row["p_raw"]) == (0, "undecided", 1)
    values[6:14, 0, 0] = 0.05
    assert bi.compare_permutation(table(values)).contrasts(all=True)["p_raw"][0] < 0.001


@pytest.mark.parametrize("options", [{}, {"control": "a00"}])
def test_random_flips_depend_on_neither_names_nor_order(options):
    values = simulated(5, (20, 1, 4), effect=0.5)
    names = ["a00", "a01", "a02", "a03"]
    found = bi.compare_permutation(table(values, names), on="values", **options)
    assert found.provenance.seed == 1
    again = bi.compare_permutation(table(values[::-1], names), on="values", **options)
    np.testing.assert_array_equal(
        again.contrasts(all=True)["p_value"], found.contrasts(all=True)["p_value"]
    )
    turned = {"control": "a03"} if options else {}
    swapped = bi.compare_permutation(table(values, names[::-1]), on="values", **turned)
    np.testing.assert_array_equal(
        np.sort(swapped.contrasts(all=True)["p_value"]),
        np.sort(found.contrasts(all=True)["p_value"]),
    )
