"""Likelihood-ratio tests and profile intervals against lme4, dense matrices and closed forms."""

import numpy as np
import pytest
from scipy import optimize
from scipy import stats as distributions

from benchinfer.analyses.mixed.numerics import profile
from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS, CommonModel
from benchinfer.analyses.mixed.numerics.moments import from_blocks, from_cells
from benchinfer.analyses.mixed.numerics.optimum import fit
from benchinfer.core.errors import FitError
from tests.analyses.mixed.numerics.test_degrees_wald import CASES, golden
from tests.analyses.mixed.numerics.test_likelihood import balanced, dense, fit_array, ragged


@pytest.mark.parametrize("reml", [True, False])
@pytest.mark.parametrize("repeats", [True, False])
def test_recentred_statistics_give_the_likelihood_of_a_common_mean(reml, repeats):
    rng = np.random.default_rng(7)
    dataset, count, mean = ragged(rng, repeats=repeats)
    d, k = dataset.max() + 1, count.shape[1]
    slope = rng.normal(size=d)[:, None, None] * np.ones((1, k, 1))
    for x in (np.ones((d, k, 1)), np.concatenate([np.ones((d, k, 1)), slope], axis=2)):
        for theta in ([2.0, 0.5, 0.3, 1.0], [0, 0.5, 0, 0.2], [3, 0, 0.2, 1]):
            expected, beta, within = dense(dataset, count, mean, 0.1, theta, x, reml=reml)
            stats = profile.recentred(from_blocks(dataset, count, mean, within))
            work = CommonModel(stats, x, reml).evaluate(np.array(theta) / stats.scale**2)
            p = x.shape[2]
            mine = work.criterion + 2 * (stats.n_scores - p * reml) * np.log(stats.scale)
            assert mine == pytest.approx(expected, abs=1e-8)
            shift = np.r_[stats.offset[0], np.zeros(p - 1)]
            np.testing.assert_allclose((work.beta + shift) * stats.scale, beta, rtol=1e-8)


def test_recentring_changes_no_fit_with_algorithm_means():
    _, stats, terms, _ = golden("simulated_unbalanced", "M4")
    one, other = fit(stats, terms), fit(profile.recentred(stats), terms)
    assert one.criterion == pytest.approx(other.criterion, abs=1e-9)
    np.testing.assert_allclose(one.beta, other.beta, rtol=1e-9)
    np.testing.assert_allclose(one.variances, other.variances, rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize(("table", "model"), CASES)
def test_effect_test_agrees_with_lme4(table, model):
    values, stats, terms, _ = golden(table, model)
    expected = values["effect_test"]
    mine = profile.effect_test(stats, terms)
    # R prints 15 digits of numbers around 1000.
    assert mine.full.criterion == pytest.approx(expected["criterion"], abs=1e-8)
    assert mine.null.criterion == pytest.approx(expected["criterion_null"], abs=1e-8)
    assert mine.statistic == pytest.approx(expected["statistic"], abs=1e-8)
    assert mine.df == expected["df"]
    assert mine.p_value == pytest.approx(expected["p_value"], rel=1e-7)


def test_effect_test_of_a_covariate():
    rng = np.random.default_rng(5)
    dataset, count, mean = ragged(rng, d=9)
    d, k = dataset.max() + 1, count.shape[1]
    size = rng.normal(size=d)
    mean += size[dataset][:, None] * [0.5, 1.0, 2.0]
    stats = from_blocks(dataset, count, mean, np.zeros(d))
    means = np.tile(np.eye(k), (d, 1, 1))
    x = np.concatenate([means, size[:, None, None] * np.eye(k)], axis=2)
    null = np.concatenate([means, size[:, None, None] * np.ones((1, k, 1))], axis=2)
    test = profile.effect_test(stats, COMPONENTS[:2], x, null)
    assert test.df == k - 1
    for model, design in ((test.full, x), (test.null, null)):
        expected = dense(dataset, count, mean, 0, model.variances, design, reml=False)
        assert model.criterion == pytest.approx(expected[0], abs=1e-7)
        np.testing.assert_allclose(model.beta, expected[1], rtol=1e-6)


@pytest.mark.parametrize(("table", "model"), CASES)
def test_variance_tests_agree_with_lme4(table, model):
    values, stats, terms, _ = golden(table, model)
    full = fit(stats, terms)
    for component, expected in values["variance_test"].items():
        mine = profile.variance_test(stats, full, component)
        assert mine.full.criterion == pytest.approx(expected["criterion"], abs=1e-8)
        assert mine.null.criterion == pytest.approx(expected["criterion_without"], abs=1e-8)
        statistic = max(expected["criterion_without"] - expected["criterion"], 0)
        assert mine.statistic == pytest.approx(statistic, abs=2e-8)
        p = distributions.chi2.sf(statistic, 1) / 2 if component not in full.singular else 1
        assert mine.p_value == pytest.approx(p, rel=1e-7)


@pytest.mark.slow
def test_variance_test_holds_its_level():
    rng = np.random.default_rng(17)
    y = [balanced(rng, d=10, b=4, k=3, variances=(1.0, 0.0, 0.3, 1.0)) for _ in range(400)]
    statistics = [from_blocks(*blocks_of(table)) for table in y]
    tests = [
        profile.variance_test(s, fit(s, COMPONENTS[:3]), "dataset:algorithm") for s in statistics
    ]
    p = np.array([test.p_value for test in tests])
    # Ten data sets put a little more than half of the statistics at zero; 400 tables, sd 0.025.
    assert 0.45 < np.mean(p == 1) < 0.68
    assert 0.02 < np.mean(p <= 0.05) < 0.08


def blocks_of(y):
    d, b, k = y.shape
    ones = np.ones((d * b, k), dtype=np.int64)
    return np.repeat(np.arange(d), b), ones, y.reshape(-1, k), np.zeros(d)


@pytest.mark.parametrize("component", ["residual", "dataset:replication"])
def test_only_random_effects_of_the_model_can_be_tested(component):
    stats = from_blocks(*blocks_of(balanced(np.random.default_rng(1))))
    with pytest.raises(FitError, match="is not a random effect of the model"):
        profile.variance_test(stats, fit(stats, COMPONENTS[:2]), component)


@pytest.mark.parametrize(("table", "model"), CASES)
def test_profile_bounds_agree_with_root_finding_on_the_deviance_of_lme4(table, model):
    values, stats, terms, _ = golden(table, model)
    for mine in profile.profile_intervals(stats, terms):
        expected = values["profile"][mine.component]
        unit = values["profile"]["residual"]["estimate"]
        # The optimum of lme4 is known to less than its deviance, which sets the bounds.
        assert mine.estimate == pytest.approx(expected["estimate"], rel=5e-6, abs=1e-6 * unit)
        for key in ("low", "high"):
            assert getattr(mine, key) == pytest.approx(expected[key], rel=1e-7, abs=1e-7 * unit)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("reml", [True, False])
def test_residual_alone_has_a_closed_form(level, reml):
    rng = np.random.default_rng(3)
    y = 1e-3 * rng.normal(size=(6, 4))
    stats = from_cells(np.ones(y.shape, int), y, np.zeros_like(y))
    (mine,) = profile.profile_intervals(stats, (), level=level, reml=reml)
    n, square = y.size - 4 * reml, ((y - y.mean(axis=0)) ** 2).sum()
    limit = distributions.chi2.ppf(level, 1)

    def excess(ratio):
        return n * (np.log(ratio) + 1 / ratio - 1) - limit

    low, high = optimize.brentq(excess, 1e-6, 1), optimize.brentq(excess, 1, 1e6)
    best = square / n
    expected = np.sqrt(best * np.array([1, low, high]))
    np.testing.assert_allclose([mine.estimate, mine.low, mine.high], expected, rtol=1e-9)


@pytest.mark.slow
def test_restricted_profile_reaches_its_level_at_the_bounds():
    dataset, count, mean = ragged(np.random.default_rng(21), d=8)
    stats = from_blocks(dataset, count, mean, np.zeros(8))
    model = fit(stats, COMPONENTS[:3])
    constant = 2 * (stats.n_scores - 3) * np.log(stats.scale)
    for interval in profile.profile_intervals(stats, COMPONENTS[:3], reml=True):
        i = COMPONENTS.index(interval.component)
        for bound in (interval.low, interval.high):
            if bound == 0:
                continue

            def criterion(log_others, i=i, bound=bound):
                theta = np.insert(np.exp(log_others), i, (bound / stats.scale) ** 2)
                return CommonModel(stats).evaluate(theta).criterion

            others = np.delete(model.variances / stats.scale**2, i)
            start = np.log(np.maximum(others, 1e-3))
            found = optimize.minimize(criterion, start, method="Nelder-Mead", tol=1e-10)
            excess = found.fun + constant - model.criterion
            assert excess == pytest.approx(distributions.chi2.ppf(0.95, 1), abs=1e-6)


@pytest.mark.slow
def test_units_scale_the_intervals():
    y = balanced(np.random.default_rng(4))
    one = profile.profile_intervals(from_blocks(*blocks_of(y)), COMPONENTS[:3])
    other = profile.profile_intervals(from_blocks(*blocks_of(y * 1e6 + 3e6)), COMPONENTS[:3])
    for small, large in zip(one, other, strict=True):
        for key in ("estimate", "low", "high"):
            assert getattr(large, key) == pytest.approx(1e6 * getattr(small, key), rel=1e-7)


def test_a_variance_at_zero_has_an_upper_bound_only():
    _, stats, terms, _ = golden("simulated_singular", "M4")
    model = fit(stats, terms, reml=False)
    assert model.singular
    for interval in profile.profile_intervals(stats, terms):
        if interval.component in model.singular:
            assert interval.estimate == interval.low == 0 < interval.high < np.inf


def test_the_estimate_of_a_balanced_table_lies_in_its_interval():
    y = balanced(np.random.default_rng(6))
    stats = from_blocks(*blocks_of(y))
    variances = fit_array(y).variances
    for i, interval in enumerate(profile.profile_intervals(stats, COMPONENTS[:3], reml=True)):
        assert interval.low <= interval.estimate <= interval.high
        assert interval.estimate**2 == pytest.approx(variances[i], rel=1e-9)
