import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from statsmodels.stats.multitest import multipletests

from benchinfer.numerics import multiplicity

GOLDEN = Path(__file__).parents[1] / "golden" / "closed_testing" / "values.json"
VALUES = json.loads(GOLDEN.read_text(encoding="utf-8"))["values"]
RATES = GOLDEN.parents[1] / "multiplicity" / "values.json"
FAMILIES = json.loads(RATES.read_text(encoding="utf-8"))["values"]
FDR = {"bh": "benjamini_hochberg", "by": "benjamini_yekutieli"}
ALL = ("bonferroni", "holm", "hochberg", "hommel", *FDR.values())

probabilities = st.lists(st.floats(1e-9, 1), min_size=1, max_size=9).map(np.array)


@pytest.mark.parametrize("family", ["small", "ties", "many"])
@pytest.mark.parametrize("method", ["bonferroni", "holm", "hochberg", "hommel"])
def test_agrees_with_p_adjust_of_r(family, method):
    golden = VALUES["adjusted"][family]
    ours = getattr(multiplicity, method)(np.array(golden["p"], dtype=float))
    np.testing.assert_allclose(ours, golden[method], rtol=1e-13)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", FDR)
def test_false_discovery_rates_agree_with_p_adjust_of_r(family, name):
    golden = FAMILIES[family]
    p = np.array(golden["p"], dtype=float)
    adjusted = multiplicity.FALSE_DISCOVERY[name](p)
    np.testing.assert_allclose(adjusted, golden[name], rtol=1e-13)
    assert adjusted is not p


def test_the_example_of_benjamini_and_hochberg_rejects_four():
    p = np.array(FAMILIES["paper"]["p"])
    assert (multiplicity.benjamini_hochberg(p) <= 0.05).sum() == 4
    assert (multiplicity.bonferroni(p) <= 0.05).sum() == 3


@given(probabilities)
@pytest.mark.parametrize(("method", "name"), [("fdr_bh", "bh"), ("fdr_by", "by")])
def test_false_discovery_rates_agree_with_statsmodels(method, name, p):
    expected = multipletests(p, method=method)[1]
    np.testing.assert_allclose(multiplicity.FALSE_DISCOVERY[name](p), expected, rtol=1e-12)


@given(probabilities.map(lambda p: np.minimum(p, 0.999)))  # statsmodels warns at 1
@pytest.mark.parametrize("method", ["hommel"])
def test_agrees_with_statsmodels(method, p):
    expected = multipletests(p, method=method)[1]
    np.testing.assert_allclose(getattr(multiplicity, method)(p), expected, rtol=1e-7, atol=1e-15)


@given(st.lists(st.floats(1e-9, 1), min_size=1, max_size=7).map(np.array))
def test_hommel_is_closed_testing_with_simes(p):
    sets = [list(s) for n in range(1, len(p) + 1) for s in combinations(range(len(p)), n)]
    simes = {tuple(s): (len(s) * np.sort(p[s]) / np.arange(1, len(s) + 1)).min() for s in sets}
    closed = [max(value for s, value in simes.items() if i in s) for i in range(len(p))]
    np.testing.assert_allclose(multiplicity.hommel(p), closed, rtol=1e-12)


@given(probabilities, st.randoms())
@pytest.mark.parametrize("method", ALL)
def test_keeps_the_order_and_goes_with_the_hypotheses(method, p, random):
    adjust = getattr(multiplicity, method)
    adjusted = adjust(p)
    assert (adjusted >= p * (1 - 1e-12)).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    shuffled = random.sample(range(len(p)), len(p))
    np.testing.assert_array_equal(adjust(p[shuffled]), adjusted[shuffled])


@given(probabilities)
def test_more_powerful_procedures_have_smaller_p(p):
    m = multiplicity
    for smaller, larger in (
        (m.holm, m.bonferroni),
        (m.hochberg, m.holm),
        (m.hommel, m.hochberg),
        (m.benjamini_hochberg, m.hommel),
        (m.benjamini_hochberg, m.benjamini_yekutieli),
    ):
        assert (smaller(p) <= larger(p) * (1 + 1e-12)).all(), (smaller, larger)


@pytest.mark.parametrize(
    ("method", "share"),
    [("holm", 0.05), ("hochberg", 0.05), ("hommel", 0.05)],
)
def test_false_claims_beside_true_ones(method, share):
    # Five false hypotheses, five true ones, independent.
    p = np.zeros((5000, 10))
    p[:, 5:] = np.random.default_rng(1).uniform(size=(5000, 5))
    adjusted = np.array([getattr(multiplicity, method)(row) for row in p])
    wrong = (adjusted[:, 5:] <= 0.05).any(axis=1).mean()
    assert abs(wrong - share) < 4 * np.sqrt(share * (1 - share) / 5000)


@pytest.mark.parametrize("alternative", ["two-sided", "better"])
def test_false_discovery_rate_of_comparisons_with_a_control(alternative):
    # Nine comparisons share a control (correlations of 1/2); eight hypotheses are true.
    rng, n, true = np.random.default_rng(1995), 4000, 8
    z = (rng.normal(size=(n, 9)) + rng.normal(size=(n, 1))) / np.sqrt(2)
    z[:, true:] += 3.0
    p = ndtr(-z) if alternative == "better" else 2 * ndtr(-np.abs(z))
    rates = {}
    for name, adjust in {**multiplicity.FALSE_DISCOVERY, "none": np.copy}.items():
        shown = np.array([adjust(row) for row in p]) <= 0.05
        share = shown[:, :true].sum(axis=1) / np.maximum(shown.sum(axis=1), 1)
        rates[name] = share.mean()
        error = share.std() / np.sqrt(n)
        assert rates[name] <= 0.05 + 3 * error or name == "none", (name, rates, error)
    # Not adjusted it is larger: the test can fail.
    assert rates["none"] > 0.1
    # Benjamini and Hochberg's is at most 5 % times the share of true hypotheses.
    assert 0.02 < rates["bh"] < 0.05 * true / 9 + 0.005
    assert rates["by"] < rates["bh"]


def test_false_discovery_rate_of_independent_data_sets_is_the_share_of_true_hypotheses():
    # Exactly so, for independent continuous p-values; that of any false rejection is far larger.
    rng, n = np.random.default_rng(2001), 6000
    p = rng.uniform(size=(n, 12))
    p[:, 8:] = ndtr(-rng.normal(3.0, size=(n, 4)))
    shown = np.array([multiplicity.benjamini_hochberg(row) for row in p]) <= 0.05
    share = shown[:, :8].sum(axis=1) / np.maximum(shown.sum(axis=1), 1)
    assert abs(share.mean() - 0.05 * 8 / 12) < 4 * share.std() / np.sqrt(n)
    assert shown[:, :8].any(axis=1).mean() > 0.08


@pytest.mark.parametrize("method", ALL)
def test_tiny_p_values_keep_their_digits(method):
    adjust = getattr(multiplicity, method)
    adjusted = adjust(np.array([1e-200, 0.3, 0.6]))
    assert 1e-200 <= adjusted[0] <= 6e-200
    assert adjust(np.empty(0)).tolist() == []
