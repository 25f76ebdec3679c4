"""t statistics of two algorithms: closed forms, scipy, statsmodels and R."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchinfer.analyses.pair.numerics import t_tests

GOLDEN = Path(__file__).parents[3] / "golden" / "pairs"
R = json.loads((GOLDEN / "pairs.json").read_text())
FOLDS = pd.read_csv(GOLDEN / "folds.csv")
ITEMS = pd.read_csv(GOLDEN / "items.csv")
A, B = FOLDS["a"].to_numpy(), FOLDS["b"].to_numpy()
D = A - B
CLOSE = {"rtol": 1e-9, "atol": 1e-12}


def test_paired_t_is_r_s():
    found, expected = t_tests.t_test(t_tests.paired_t(D), 0, 0.03, 0.025), R["paired"]
    np.testing.assert_allclose(
        [found.estimate, found.std_error, found.df, found.statistic, found.p],
        [expected[k] for k in ("estimate", "std_error", "df", "statistic", "p_value")],
        **CLOSE,
    )
    np.testing.assert_allclose([found.low, found.high], expected["interval"], **CLOSE)
    np.testing.assert_allclose(found.equivalence, R["equivalent"], **CLOSE)


def test_one_sided_and_not_worse():
    found = t_tests.t_test(t_tests.paired_t(D), 1, 0.01, 0.05)
    np.testing.assert_allclose([found.p, found.noninferiority], [R["better"], R["not_worse"]])
    assert found.high == np.inf
    turned = t_tests.t_test(t_tests.paired_t(-D), -1, 0.01, 0.05)
    np.testing.assert_allclose([turned.p, turned.noninferiority], [found.p, found.noninferiority])
    assert (turned.low, turned.high) == (-np.inf, -found.low)


def test_equivalence_is_an_interval_within_the_margin():
    found = t_tests.t_test(t_tests.paired_t(D), 0, 0.02, 0.05)
    reach = max(abs(found.low), abs(found.high))
    at = t_tests.t_test(t_tests.paired_t(D), 0, reach, 0.05)
    assert at.equivalence == pytest.approx(0.05, rel=1e-9)


def test_welch_is_r_s():
    found, expected = t_tests.t_test(t_tests.welch(A, B), 0, 0.0, 0.025), R["welch"]
    np.testing.assert_allclose(
        [found.std_error, found.df, found.statistic, found.p, found.low, found.high],
        [expected[k] for k in ("std_error", "df", "statistic", "p_value")] + expected["interval"],
        **CLOSE,
    )
    uneven = t_tests.t_test(t_tests.welch(A, B[:7]), 0, 0.0, 0.025)
    other = stats.ttest_ind(A, B[:7], equal_var=False)
    np.testing.assert_allclose([uneven.statistic, uneven.p], [other.statistic, other.pvalue])


def test_corrected_t_by_hand():
    d, ratio = np.array([0.01, 0.03, -0.02, 0.04, 0.0, 0.06]), 1 / 5
    found = t_tests.corrected_t(d, ratio)
    variance = d.var(ddof=1)
    assert found.std_error == pytest.approx(np.sqrt((1 / 6 + 1 / 5) * variance), rel=1e-12)
    assert (found.df, found.estimate) == (5, pytest.approx(0.02))
    # Exact under equicorrelation rho = ratio / (1 + ratio): the variance of a mean is then
    # sigma^2 (rho + (1 - rho) / J), and s^2 estimates (1 - rho) sigma^2.
    rho = ratio / (1 + ratio)
    assert (rho + (1 - rho) / 6) / (1 - rho) == pytest.approx(1 / 6 + ratio)


def test_errors_of_units_of_equal_size_are_sandwich_s_and_statsmodels():
    from statsmodels.api import OLS

    document = ITEMS["document"].to_numpy()
    sums = ITEMS.groupby("document")[["a", "b"]].sum().to_numpy(np.float64)
    found = t_tests.units_t(sums, np.bincount(document)[:, None] * np.ones(2))
    np.testing.assert_allclose(
        [found.estimate, found.std_error],
        [R["clustered"]["estimate"], R["clustered"]["std_error"]],
        **CLOSE,
    )
    d = (ITEMS["a"] - ITEMS["b"]).to_numpy(np.float64)
    fit = OLS(d, np.ones(len(d))).fit(cov_type="cluster", cov_kwds={"groups": document})
    assert found.std_error == pytest.approx(fit.bse[0], rel=1e-9)
    assert found.df == pytest.approx(29)
    each = t_tests.units_t(ITEMS[["a", "b"]].to_numpy(np.float64), np.ones((len(d), 2)))
    assert each.std_error == pytest.approx(t_tests.paired_t(d).std_error, rel=1e-12)


TEN = np.array([[0.02, 0.0], [0.01, 0.05], [0.03, 0.02], [-0.01, 0.02], [0.04, 0.04]])


def test_five_by_two_by_hand():
    squares = [0.0002, 0.0008, 0.00005, 0.00045, 0.0]
    np.testing.assert_allclose(t_tests.five_by_two(TEN), squares, atol=1e-15)
    t = t_tests.t_test(t_tests.five_by_two_t(TEN), 0, 0.0, 0.025)
    assert t.statistic == pytest.approx(0.02 / np.sqrt(sum(squares) / 5))
    assert t.p == pytest.approx(2 * stats.t.sf(t.statistic, 5))
    f = t_tests.five_by_two_f(TEN, 0.025)
    assert f.statistic == pytest.approx((TEN**2).sum() / (2 * sum(squares)))
    assert f.p == pytest.approx(stats.f.sf(f.statistic, 10, 5))


def test_the_interval_of_f_holds_the_shifts_not_rejected():
    f = t_tests.five_by_two_f(TEN, 0.025)
    for end in (f.low, f.high):
        assert t_tests.five_by_two_f(TEN - end, 0.025).p == pytest.approx(0.05, rel=1e-9)
    assert f.low < TEN.mean() < f.high


def test_without_spread_nothing_is_shown():
    flat = np.full(10, 0.1)
    for found in (
        t_tests.t_test(t_tests.paired_t(flat), 0, 0.5, 0.025),
        t_tests.t_test(t_tests.welch(flat, flat - 0.2), 0, 0.5, 0.025),
        t_tests.t_test(t_tests.five_by_two_t(flat.reshape(5, 2)), 0, 0.5, 0.025),
        t_tests.five_by_two_f(flat.reshape(5, 2), 0.025),
    ):
        assert (found.p, found.equivalence, found.low, found.high) == (1, 1, -np.inf, np.inf)


def test_posterior_is_a_t_about_the_mean():
    found = t_tests.corrected_t(D, 1 / 9)
    first, same, second = t_tests.posterior(found, 0.005)
    frozen = stats.t(found.df, found.estimate, found.std_error)
    assert first == pytest.approx(frozen.sf(0.005))
    assert second == pytest.approx(frozen.cdf(-0.005))
    assert first + same + second == pytest.approx(1)
    assert t_tests.posterior(t_tests.paired_t(np.full(4, 0.1)), 0.2) == (0, 1, 0)
    # Without a margin it is the one-sided p-value seen from the other side.
    t = t_tests.t_test(found, 1, 0.0, 0.05)
    assert t_tests.posterior(found, 0.0)[0] == pytest.approx(1 - t.p)
