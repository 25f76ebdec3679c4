"""Pooling against metafor, statsmodels and the definition of the likelihood."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import t as student

from benchinfer.analyses.meta.numerics.pooling import NetworkPart, at, pool, tau_squared
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


def test_the_restricted_likelihood_of_a_mean_is_that_of_any_regressors():
    rng = np.random.default_rng(12)
    for n in (2, 5, 40):
        y, v = rng.normal(0.3, 0.5, n), rng.uniform(0.01, 0.2, n)
        mean = NetworkPart(y, np.ones((n, 1)), v)
        # The same column in another unit is not told to be a mean.
        other = NetworkPart(y, np.full((n, 1), 2.0), v)
        assert tau_squared([mean]) == pytest.approx(tau_squared([other]), rel=1e-9, abs=1e-13)
