"""Pooling against metafor, statsmodels and the definition of the likelihood."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import t as student

from benchinfer.analyses.meta.numerics.means import pool_means
from benchinfer.analyses.meta.numerics.network import clusters
from benchinfer.analyses.meta.numerics.pooling import (
    NetworkPart,
    at,
    pool,
    pool_equally,
    tau_squared,
)
from benchinfer.core.errors import FitError

from .golden import VALUES, pair, part

METHODS = {"REML": "reml", "PM": "paule-mandel", "DL": "dersimonian-laird"}


@pytest.mark.parametrize("test", ["knha", "z"])
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("along", [False, True])
def test_every_number_of_metafor(name, test, along):
    known = VALUES[f"{'along' if along else 'pair'}_{name}_{test}"]
    one = part(along=along)
    tau2 = tau_squared([one], METHODS[name])
    found = pool(one, tau2, refined=test == "knha")
    error = np.sqrt(found.cov.diagonal())
    critical = student.ppf(0.975, found.df)
    p = 2 * student.sf(np.abs(found.beta / error), found.df)
    assert tau2 == pytest.approx(known["tau2"], rel=1e-7)
    for got, name_ in (
        (found.beta, "beta"),
        (error, "std_error"),
        (found.beta - critical * error, "low"),
        (found.beta + critical * error, "high"),
        (p, "p_value"),
    ):
        np.testing.assert_allclose(got, np.ravel(known[name_]), rtol=1e-6, atol=1e-10)
    assert found.df == (one.free if test == "knha" else np.inf)


def test_homogeneous_effects_have_no_variance():
    known = VALUES["flat"]
    one = NetworkPart(np.array(known["y"]), np.ones((8, 1)), np.array(known["v"]))
    assert [tau_squared([one], method) for method in METHODS.values()] == [0.0, 0.0, 0.0]
    found = pool(one, 0.0)
    # Effects that are more alike than their errors say make no error smaller than Wald's.
    assert known["std_error"] < np.sqrt(found.cov[0, 0]) == pytest.approx(np.sqrt(0.04 / 8))
    assert found.scale == 1


def test_statsmodels_agrees():
    from statsmodels.stats.meta_analysis import combine_effects

    y, v, _, _ = pair()
    for theirs, ours in (("iterated", "paule-mandel"), ("dl", "dersimonian-laird")):
        known = combine_effects(y, v, method_re=theirs, use_t=True)
        one = part()
        tau2 = tau_squared([one], ours)
        assert tau2 == pytest.approx(known.tau2, rel=1e-4)
        found = pool(one, tau2)
        # Theirs is Hartung and Knapp's, too.
        assert found.beta[0] == pytest.approx(known.mean_effect_re, rel=1e-4)
        assert np.sqrt(found.cov[0, 0]) == pytest.approx(known.sd_eff_w_re_hksj, rel=1e-4)


def test_restricted_likelihood_of_parts_is_that_of_the_joint_model():
    rng = np.random.default_rng(3)
    v = rng.uniform(0.1, 1.0, 20)
    x = np.zeros((20, 3))
    x[:8, 0] = 1
    x[8:, 1] = 1
    x[8:, 2] = rng.normal(size=12)
    y = rng.normal(size=20)
    joint = NetworkPart(y, x, v)
    parts = [NetworkPart(y[:8], x[:8, :1], v[:8]), NetworkPart(y[8:], x[8:, 1:], v[8:])]
    assert tau_squared(parts) == pytest.approx(tau_squared([joint]), rel=1e-9)

    def deviance(t):
        sigma = np.diag(v + t)
        inverse = np.linalg.inv(sigma)
        information = x.T @ inverse @ x
        beta = np.linalg.solve(information, x.T @ inverse @ y)
        rest = y - x @ beta
        return (
            np.linalg.slogdet(sigma)[1] + np.linalg.slogdet(information)[1] + rest @ inverse @ rest
        )

    best = minimize_scalar(deviance, bounds=(0, 10), method="bounded", options={"xatol": 1e-10})
    assert tau_squared([joint]) == pytest.approx(best.x, abs=1e-6)
    for t in (0.0, 0.3, 2.0):
        assert at([joint], t).deviance == pytest.approx(deviance(t), rel=1e-12)
        slope = (deviance(t + 1e-6) - deviance(max(t - 1e-6, 0))) / (1e-6 + min(t, 1e-6))
        assert at([joint], t).score == pytest.approx(-slope, rel=1e-4, abs=1e-4)


def test_without_degrees_of_freedom_errors_are_walds():
    one = NetworkPart(np.array([0.3]), np.ones((1, 1)), np.array([0.04]))
    assert tau_squared([one]) == 0.0
    found = pool(one, 0.0)
    assert (found.df, found.scale, found.cov[0, 0]) == (np.inf, 1.0, pytest.approx(0.04))


def test_dependent_columns_are_refused():
    with pytest.raises(FitError, match="do not determine"):
        pool(NetworkPart(np.zeros(3), np.zeros((3, 1)), np.ones(3)), 0.0)


@pytest.mark.parametrize("method", METHODS.values())
@pytest.mark.parametrize("n", [2, 5, 40])
def test_pairs_at_once_are_pooled_as_each_by_itself(method, n):
    rng = np.random.default_rng(n)
    y = 0.3 + rng.uniform(0, 1, (30, 1)) * rng.normal(size=(30, n))
    v = np.exp(rng.normal(-3, rng.uniform(0, 2, (30, 1)), (30, n)))
    equally = rng.uniform(size=30) < 0.3
    for errors in ("wald", "hartung-knapp", "robust"):
        found = pool_means(y, v, method, errors, equally)
        for p, equal in enumerate(equally):
            part = NetworkPart(y[p], np.ones((n, 1)), v[p])
            tau2 = tau_squared([part], method)
            one = pool_equally(part, tau2) if equal else pool(part, tau2, refined=errors != "wald")
            variance, df = one.cov[0, 0], one.df
            if errors == "robust" and not equal:
                robust = clusters(part, np.arange(n), one.beta, tau2).errors(np.eye(1))
                variance, df = robust.cov[0, 0], robust.df[0]
            got = found.estimate[p], found.variance[p], found.df[p], found.tau2[p]
            assert got == pytest.approx((one.beta[0], variance, df, tau2), rel=1e-9, abs=1e-13)


def test_pairs_without_any_sampling_error_are_refused():
    y, v = np.arange(8.0).reshape(2, 4), np.array([[0.1] * 4, [0.0] * 4])
    with pytest.raises(FitError, match="no sampling error"):
        pool_means(y, v, "reml", "wald", np.zeros(2, np.bool_))
