"""Levels of the algorithms in the summary."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.comparison.posterior import Convergence, level_of

M, K, B = 30, 2, 4
FLAT = bi.priors.Priors(effect_sd=30.0)  # contrasts are next to not shrunk


@pytest.fixture(autouse=True)
def brief(monkeypatch):
    """Take the first draws, however few."""
    monkeypatch.setattr(Convergence, "passed", property(lambda _: True))


def table(values, **columns):
    """Return a table of (M, K, B) scores."""
    d, a, r = (x.ravel() for x in np.indices(values.shape))
    names = {"dataset": [f"d{i:02}" for i in d], "algorithm": [f"a{i}" for i in a]}
    rows = {**names, "replication": r, "score": values.ravel()}
    frame = pd.DataFrame({**rows, **{name: x[d] for name, x in columns.items()}})
    return frame.dropna()


def read(frame, better="higher", **options):
    return bi.read_scores(frame, measures=[bi.Measure("score", better)], paired=True, **options)


def compared(frame, **options):
    options = {"interactions": "normal", "draws": 400, "chains": 4, "seed": 1, **options}
    return bi.compare_bayes(frame, **options)


def simulated(m=M, k=K, noise=0.02, seed=1):
    """Return scores with levels of the data sets, effects and interactions."""
    rng = np.random.default_rng(seed)
    level = 0.7 + 0.1 * rng.standard_normal((m, 1))
    values = level + 0.05 * np.arange(k) + 0.08 * rng.standard_normal((m, k))
    return values[:, :, None] + noise * rng.standard_normal((m, k, B))


def test_normal_and_balanced_it_is_the_t_interval_of_the_means():
    values = simulated()
    rows = compared(read(table(values)), priors=FLAT).summary()
    means = values.mean(axis=2)
    np.testing.assert_allclose(rows["estimate"], means.mean(axis=0), atol=0.004)
    half = stats.t.ppf(0.975, M - 1) * means.std(axis=0, ddof=1) / np.sqrt(M)
    np.testing.assert_allclose((rows["conf_high"] - rows["conf_low"]) / 2, half, rtol=0.08)


@pytest.mark.parametrize(("interactions", "better"), [("t", "lower"), ("normal", "higher")])
def test_an_algorithm_that_always_scores_the_same_has_that_level(interactions, better):
    """Whatever the others do, one of which fails on a data set, and however they are shrunk."""
    values = simulated(m=12, k=3, noise=0.002)
    values[:, 0] = 0.8
    values[3, 1] -= 0.5
    rows = compared(read(table(values), better), interactions=interactions).summary()
    assert rows["estimate"][0] == pytest.approx(0.8, abs=1e-3)
    assert 0.79 < rows["conf_low"][0] < rows["conf_high"][0] < 0.81
    assert (rows["conf_high"] - rows["conf_low"])[1:].min() > 0.05


def test_missing_cells_are_those_of_the_model():
    """An algorithm without scores on the hard data sets is not the better for it."""
    rng = np.random.default_rng(5)
    level = np.linspace(0.3, 0.9, M)
    values = level[:, None, None] + 0.01 * rng.standard_normal((M, 3, B))
    values[: M // 2, 2] = np.nan
    found = compared(read(table(values))).summary()["estimate"]
    np.testing.assert_allclose(found, 0.6, atol=0.02)


def test_given_data_sets_errors_are_those_of_replications():
    """The data sets, which are given, add nothing; replications that are shared do."""
    rng = np.random.default_rng(6)
    shared = 0.2 * rng.standard_normal((5, 1, 25))
    values = np.array([0.1, 0.3, 0.5, 0.7, 0.9])[:, None, None] + shared
    values = values + 0.02 * rng.standard_normal((5, 2, 25)) + 0.1 * np.array([[0.0], [1.0]])
    rows = compared(read(table(values)), target="datasets").summary()
    np.testing.assert_allclose(rows["estimate"], values.mean(axis=(0, 2)), atol=0.005)
    error = np.sqrt((values.var(axis=2, ddof=1) / 25).sum(axis=0)) / 5
    half = (rows["conf_high"] - rows["conf_low"]) / 2
    np.testing.assert_allclose(half, stats.norm.ppf(0.975) * error, rtol=0.12)


def test_along_a_covariate_levels_are_those_there():
    """Not only differences move with the covariate, data sets as such do, too."""
    rng = np.random.default_rng(7)
    x = np.linspace(-1, 1, M)
    values = 0.5 + 0.2 * x[:, None, None] + 0.1 * np.outer(x, [0, 1])[:, :, None]
    values = values + 0.01 * rng.standard_normal((M, K, B))
    result = compared(read(table(values, x=x), covariates=["x"]), covariates="x")
    np.testing.assert_allclose(result.summary()["estimate"], 0.5, atol=0.01)
    np.testing.assert_allclose(result.at(x=1).summary()["estimate"], [0.7, 0.8], atol=0.015)


def test_in_a_domain_levels_are_those_there():
    rng = np.random.default_rng(8)
    of = np.arange(M) % 3
    values = np.array([0.2, 0.5, 0.8])[of][:, None, None] + 0.1 * np.array([[0.0], [1.0]])
    values = values + 0.02 * rng.standard_normal((M, K, 1)) + 0.01 * rng.standard_normal((M, K, B))
    frame = table(values, domain=np.array(["x", "y", "z"])[of])
    result = compared(read(frame), domains="random")
    for name, level in zip("xyz", (0.2, 0.5, 0.8), strict=True):
        rows = result.by_domain()[name].summary()
        np.testing.assert_allclose(rows["estimate"], [level, level + 0.1], atol=0.02)
        assert (rows["conf_high"] - rows["conf_low"]).max() < 0.1
    average, new = result.summary(), result.by_domain()["new domain"].summary()
    np.testing.assert_allclose(average["estimate"], [0.5, 0.6], atol=0.1)
    wide = [(x["conf_high"] - x["conf_low"]).min() for x in (average, new)]
    assert 0.4 < wide[0] < wide[1]


def test_levels_are_in_the_posterior():
    result = compared(read(table(simulated(m=8)), better="lower"))
    level = -result.posterior["posterior"]["level"].mean(("chain", "draw")).to_numpy()
    np.testing.assert_allclose(level, result.summary()["estimate"])


def test_a_level_lies_within_its_interval():
    """A few draws far out carry the mean of an algorithm whose draws vary by rounding: it stays."""
    draws = np.full((2, 1000, 2), 0.8)
    draws[:, :, 1] += np.random.default_rng(1).normal(size=(2, 1000))
    draws[0, :5, 0] = 0.9
    level = level_of(draws, 0.95)
    np.testing.assert_allclose(level.estimate, draws.mean(axis=(0, 1)), rtol=1e-12)
    assert level.estimate[0] == level.high[0] > level.low[0] == 0.8
    assert (level.low <= level.estimate).all()
    assert (level.estimate <= level.high).all()
