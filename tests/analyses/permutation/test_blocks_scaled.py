"""Tests in units of each data set: by hand, for any unit of a data set; what does not fit."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.permutation import blocks
from benchinfer.core.errors import DesignError
from tests.analyses.mixed.test_compare import simulated, table

TESTED = ["statistic", "p_value", "p_raw", "p_error"]


def scaled_tests(values, **options):
    options = {"target": "datasets", "scale": "dataset", "seed": 1, "resamples": 2000} | options
    paired = options.pop("paired", True)
    return bi.compare_permutation(
        table(values, paired=paired, measures={"score": "higher"}), **options
    )


def flips(d):
    """P(|sum| >= |observed|) over all sign patterns."""
    sums = np.array(list(product([-1, 1], repeat=len(d)))) @ np.abs(d)
    return (np.abs(sums) >= abs(d.sum()) - 1e-9).mean()


def test_a_pair_is_tested_as_by_hand():
    values = simulated(4, shape=(3, 4, 3)) * np.array([1.0, 100, 0.01])[:, None, None]
    d = values[..., 0] - values[..., 1]
    own = (d / np.sqrt((d**2).mean(axis=1, keepdims=True))).ravel()
    row = scaled_tests(values, on="values").contrasts(all=True).iloc[0]
    assert row["p_raw"] == flips(own)
    np.testing.assert_allclose(row["estimate"], d.mean())
    row = scaled_tests(values).contrasts(all=True).iloc[0]
    np.testing.assert_allclose(row["p_raw"], stats.wilcoxon(own, method="exact").pvalue)


@pytest.mark.parametrize("pairs", ["pairwise", "pooled"])
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("on", ["values", "ranks", "aligned-ranks", "normal-scores"])
def test_units_of_data_sets_do_not_matter(on, paired, pairs):
    values = simulated(5, shape=(4, 6, 3), effect=0.6)
    units = np.array([1.0, 4096, 1 / 1024, 8])[:, None, None]
    ours = scaled_tests(values, on=on, paired=paired, pairs=pairs)
    theirs = scaled_tests(values * units, on=on, paired=paired, pairs=pairs)
    np.testing.assert_allclose(
        theirs.contrasts(all=True)[TESTED], ours.contrasts(all=True)[TESTED], rtol=1e-9
    )
    names = ["statistic", "p_value"]
    np.testing.assert_allclose(theirs.tests()[names], ours.tests()[names], rtol=1e-9)
    plain = scaled_tests(values * units, on=on, paired=paired, pairs=pairs, scale="none")
    # Estimates are in the measure's unit.
    estimate = plain.contrasts(all=True)["estimate"]
    np.testing.assert_array_equal(theirs.contrasts(all=True)["estimate"], estimate)
    by_rank = on == "ranks" and (pairs == "pooled" or not paired)
    same = np.allclose(
        plain.contrasts(all=True)["statistic"], theirs.contrasts(all=True)["statistic"]
    )
    assert same == by_rank
    assert "scores were divided by their data set's standard deviation" in ours.method
    assert "divided" not in plain.method


def test_the_unit_of_a_data_set():
    values = simulated(6, shape=(2, 5, 3))
    values[1] *= 7
    values[0, 0, 2] = np.nan
    found = scaled_tests(values, on="values", pairs="pooled")
    centred = values - np.nanmean(values, axis=2, keepdims=True)
    unit = np.sqrt([np.nansum(centred[0] ** 2) / 9, np.nansum(centred[1] ** 2) / 10])
    by_hand = scaled_tests(values / unit[:, None, None], on="values", pairs="pooled", scale="none")
    np.testing.assert_allclose(
        found.contrasts(all=True)[TESTED], by_hand.contrasts(all=True)[TESTED], rtol=1e-9
    )
    assert found.tests()["test"][0] == "quadratic form of scores, scaled"


def test_a_data_set_without_differences_is_left_alone():
    values = simulated(7, shape=(3, 5, 2))
    values[1] = 0.1 + 0.2
    values[1, :, 1] = 0.3
    for pairs in ("pairwise", "pooled"):
        found = scaled_tests(values, pairs=pairs, on="values", null="monte-carlo")
        other = scaled_tests(values[[0, 2]], pairs=pairs, on="values", null="monte-carlo")
        statistic = other.contrasts(all=True)["statistic"]
        np.testing.assert_allclose(found.contrasts(all=True)["statistic"], statistic, rtol=1e-6)


def test_scaled_tests_see_what_nine_data_sets_of_ten_say():
    rng = np.random.default_rng(8)
    values = rng.normal(size=(10, 6, 2))
    values[1:, :, 0] += 0.8
    values[0] *= 1000
    plain = scaled_tests(values, on="values", scale="none")
    assert plain.contrasts(all=True)["p_value"][0] > 0.1
    row = plain.diagnostics().set_index("check").loc["largest share of a data set in the spread"]
    assert row["remedy"].endswith('units of its own, use scale="dataset".')
    found = scaled_tests(values, on="values")
    assert found.contrasts(all=True)["p_value"][0] < 0.01
    assert "largest share of a data set in the spread" not in set(found.diagnostics()["check"])


@pytest.mark.calibration
def test_errors_hold_where_one_data_set_outweighs_the_others():
    rng, rejected = np.random.default_rng(8), 0
    for _ in range(400):
        null = rng.normal(size=(10, 3, 2)) * (1 + 9 * (np.arange(10) == 0))[:, None, None]
        rejected += (
            scaled_tests(null, on="values", resamples=199).contrasts(all=True)["p_value"][0] <= 0.05
        )
    # Four standard errors of the share.
    assert rejected <= 400 * (0.05 + 4 * np.sqrt(0.05 * 0.95 / 400))


def test_equivalence_is_shown_in_units_of_data_sets_too():
    rng = np.random.default_rng(9)
    d = rng.normal(0.05, 0.2, size=(4, 3)) * np.array([[1.0], [1], [1], [5]])
    values = np.stack([d, np.zeros_like(d)], axis=2)
    measure = bi.Measure("score", "higher", tolerance=0.3)
    scores = table(values, measures=measure)
    found = bi.compare_permutation(scores, target="datasets", scale="dataset", on="values", seed=1)

    def one_sided(x):
        x = (x / np.sqrt((x**2).mean(axis=1, keepdims=True))).ravel()
        sums = np.array(list(product([-1, 1], repeat=12))) @ np.abs(x)
        return (sums >= x.sum() - 1e-9).mean()

    expected = max(one_sided(d + 0.3), one_sided(0.3 - d))
    np.testing.assert_allclose(found.contrasts(all=True)["p_equivalence"][0], expected)


def test_units_of_columns():
    d = np.array([[3.0, np.nan], [4.0, 0.0], [1.0, 2.0]])
    found, noise = blocks.in_units(d, np.array([0, 0, 1]), np.full((3, 2), 1e-9))
    unit = np.sqrt(12.5)
    np.testing.assert_allclose(found, [[3 / unit, np.nan], [4 / unit, 0], [1, 1]])
    # Where nothing varies on a data set the unit is 1.
    np.testing.assert_allclose(noise, 1e-9 / np.array([[unit, 1], [unit, 1], [1, 2]]))


REFUSED = [
    ({"scale": "rank"}, "unknown scale 'rank'.\nHint: one of 'none', 'dataset'."),
    (
        {"scale": "dataset", "target": "domain"},
        (
            "with one block per data set, differences in units of their data set are all of the"
            ' same size.\nHint: scale="dataset" goes with target="datasets".'
        ),
    ),
    (
        {"scale": "dataset", "on": "dispersion"},
        (
            'on="dispersion" compares spreads, which scale="dataset" takes as the unit.\n'
            'Hint: scale="none".'
        ),
    ),
]


@pytest.mark.parametrize(("arguments", "text"), REFUSED)
def test_refusals(arguments, text):
    with pytest.raises(DesignError) as caught:
        scaled_tests(simulated(1), **arguments)
    assert str(caught.value) == text
