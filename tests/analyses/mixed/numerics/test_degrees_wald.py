"""F tests against pbkrtest and lmerTest, closed forms and the formulas as published."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as distributions

import benchinfer as bi
from benchinfer.analyses.mixed.numerics import degrees
from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS
from benchinfer.analyses.mixed.numerics.moments import from_cells
from benchinfer.analyses.mixed.numerics.optimum import fit
from benchinfer.core.errors import FitError
from benchinfer.numerics import max_t
from tests.analyses.mixed.numerics.test_likelihood import balanced, fit_array, statistics

GOLDEN = Path(__file__).parents[3] / "golden" / "whole"
CASES = [
    (path.stem, model)
    for path in sorted(GOLDEN.glob("*.json"))
    for model in json.loads(path.read_text())["values"]
]


def golden(table, model):
    values = json.loads((GOLDEN / f"{table}.json").read_text())["values"][model]
    stats, blocks = statistics(bi.load_example(table.replace("simulated_", "simulated/")))
    return values, stats, tuple(np.atleast_1d(values["terms"]).tolist()), blocks


@pytest.mark.parametrize(("table", "model"), CASES)
@pytest.mark.parametrize("method", ["kenward-roger", "satterthwaite"])
@pytest.mark.parametrize("contrasts", ["all_pairs", "to_first", "two", "one"])
def test_agrees_with_r(table, model, method, contrasts):
    values, stats, terms, _ = golden(table, model)
    expected = values["f_test"][contrasts]
    mine = degrees.f_test(fit(stats, terms), np.array(expected["contrasts"], float), method)
    expected = expected[method]
    assert mine.df_numerator == expected["df_numerator"]
    # lme4's variances support about seven digits; Satterthwaite in R differentiates numerically.
    assert mine.statistic == pytest.approx(expected["statistic"], rel=1e-6)
    assert mine.df_denominator == pytest.approx(expected["df_denominator"], rel=5e-6)
    assert mine.p_value == pytest.approx(expected["p_value"], rel=1e-4, abs=1e-14)
    assert mine.scaling == pytest.approx(expected.get("scaling", 1.0), rel=1e-7)


def test_the_goldens_are_there():
    assert len(CASES) == 17


@pytest.mark.parametrize("method", sorted(degrees.F_TESTS))
def test_one_contrast_is_the_t_test(method):
    _, stats, terms, _ = golden("simulated_unbalanced", "M4")
    model = fit(stats, terms)
    contrast = np.zeros((1, len(model.beta)))
    contrast[0, :2] = 1, -1
    test = degrees.f_test(model, contrast, method)
    single = degrees.METHODS[method](model, contrast)
    t = (contrast @ model.beta).item() / np.sqrt(contrast @ single.cov @ contrast.T).item()
    assert test.statistic == pytest.approx(t**2, rel=1e-12)
    assert test.df_denominator == pytest.approx(single.df[0], rel=1e-9)
    assert test.p_value == pytest.approx(2 * distributions.t.sf(abs(t), single.df[0]), rel=1e-9)


@pytest.mark.parametrize("method", ["kenward-roger", "satterthwaite"])
def test_a_complete_table_has_the_f_test_of_the_analysis_of_variance(method):
    y = balanced(np.random.default_rng(3))
    d, b, k = y.shape
    cell = y.mean(axis=1)
    algorithm = cell.mean(axis=0)
    rest = cell - cell.mean(axis=1, keepdims=True) - algorithm + cell.mean()
    between = d * b * ((algorithm - cell.mean()) ** 2).sum() / (k - 1)
    within = b * (rest**2).sum() / ((d - 1) * (k - 1))
    test = degrees.f_test(fit_array(y), max_t.all_pairs(k)[1], method)
    assert test.statistic == pytest.approx(between / within, rel=1e-9)
    assert (test.df_numerator, test.scaling) == (k - 1, pytest.approx(1, abs=1e-9))
    assert test.df_denominator == pytest.approx((d - 1) * (k - 1), rel=1e-7)


@pytest.mark.parametrize("method", ["kenward-roger", "asymptotic"])
def test_only_the_span_of_the_contrasts_counts(method):
    _, stats, terms, _ = golden("simulated_unbalanced", "M2")
    model = fit(stats, terms)
    _, pairs = max_t.all_pairs(len(model.beta))
    mixed = (
        np.random.default_rng(1).normal(size=(4, len(pairs))) * [[1e4], [1], [1e-4], [1]] @ pairs
    )
    one, other = degrees.f_test(model, pairs, method), degrees.f_test(model, mixed, method)
    assert one.df_numerator == other.df_numerator == len(model.beta) - 1
    assert one.statistic == pytest.approx(other.statistic, rel=1e-7)
    assert one.df_denominator == pytest.approx(other.df_denominator, rel=1e-7)


def test_asymptotic_is_chi_squared():
    _, stats, terms, _ = golden("simulated_unbalanced", "M4")
    model = fit(stats, terms)
    contrasts = np.c_[np.ones(len(model.beta) - 1), -np.eye(len(model.beta) - 1)]
    value = contrasts @ model.beta
    q = len(contrasts)
    statistic = value @ np.linalg.inv(contrasts @ model.cov @ contrasts.T) @ value
    test = degrees.f_test(model, contrasts, "asymptotic")
    assert test.statistic == pytest.approx(statistic / q)
    assert test.p_value == pytest.approx(distributions.chi2.sf(statistic, q))
    assert test.df_denominator == np.inf


@pytest.mark.parametrize("q", [2, 3, 7])
def test_scaling_matches_the_published_moments(q):
    rng = np.random.default_rng(q)
    for a2 in rng.uniform(0.01, 0.3, 20):
        a1 = a2 * rng.uniform(0.8, q)
        b = (a1 + 6 * a2) / (2 * q)
        g = ((q + 1) * a1 - (q + 4) * a2) / ((q + 2) * a2)
        below = 3 * q + 2 * (1 - g)
        c1, c2, c3 = g / below, (q - g) / below, (q + 2 - g) / below
        mean = 1 / (1 - a2 / q)
        variance = 2 / q * (1 + c1 * b) / ((1 - c2 * b) ** 2 * (1 - c3 * b))
        df = 4 + (q + 2) / (q * variance / (2 * mean**2) - 1)
        mine = degrees._scaled_f(q, a1, a2)
        assert mine == (pytest.approx(df / (mean * (df - 2))), pytest.approx(df))


def test_whole_degrees_of_freedom_where_the_formula_divides_zero():
    # One contrast: df = 2 / A exactly, without scaling.
    assert degrees._scaled_f(1, 0.5, 0.5) == (pytest.approx(1), pytest.approx(4))
    assert degrees._scaled_f(1, 1.0, 1.0) == (1.0, pytest.approx(2))
    # Two data sets, three algorithms, one score each: 2 degrees of freedom, as in a two-way table.
    y = np.array([[1.0, 2.0, 4.0], [2.0, 3.5, 4.0]])
    model = fit(from_cells(np.ones((2, 3), int), y, np.zeros_like(y)), ("dataset",))
    test = degrees.f_test(model, max_t.all_pairs(3)[1])
    assert test.scaling == 1
    assert test.df_denominator == pytest.approx(2)


def test_few_degrees_of_freedom_give_the_least_denominator():
    assert degrees._common_df(np.array([1.5, 30.0])) == 2
    assert degrees._common_df(np.array([7.0, 7.0 + 1e-9])) == pytest.approx(7)
    # With one df in common the mean of F is that of each squared t.
    assert degrees._common_df(np.array([7.0, 7.01])) == pytest.approx(7.005, rel=1e-5)


def test_what_cannot_be_tested_is_refused():
    y = balanced(np.random.default_rng(3))
    with pytest.raises(FitError, match="no contrast to test"):
        degrees.f_test(fit_array(y), np.zeros((2, y.shape[2])))
    _, stats, _, _ = golden("simulated_balanced", "M4")
    by_ml = fit(stats, COMPONENTS[:3], reml=False)
    with pytest.raises(FitError, match="restricted"):
        degrees.f_test(by_ml, np.eye(len(by_ml.beta))[:1])
