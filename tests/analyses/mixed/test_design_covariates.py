"""Covariates of data sets in mixed models, against least squares."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.core.errors import DesignError

D, B, K = 14, 3, 3


def table(seed=0, better="higher"):
    """Return a table with a feature of the data sets and one of the runs, and its arrays."""
    rng = np.random.default_rng(seed)
    size = np.exp(rng.normal(5, 1, D))
    budget = rng.uniform(1, 9, (D, B, K))
    slopes = np.array([0.0, 0.01, 0.02])
    value = rng.normal(size=(D, 1, 1)) + slopes * size[:, None, None] + np.arange(K)
    value = value + rng.normal(0, [0.2, 0.4, 0.8], (D, 1, K)) + rng.normal(0, 0.3, (D, B, 1))
    value = value + 0.1 * budget + rng.normal(0, 0.3, (D, B, K))
    index = pd.MultiIndex.from_product(
        [[f"d{i:02}" for i in range(D)], range(B), [f"a{i}" for i in range(K)]],
        names=["dataset", "replication", "algorithm"],
    )
    frame = pd.DataFrame({"value": value.ravel(), "budget": budget.ravel()}, index=index)
    frame = frame.reset_index()
    frame["size"] = np.repeat(size, B * K)
    scores = bi.read_scores(frame, measures={"value": better}, covariates=["size", "budget"])
    return scores, value, size


@pytest.fixture(scope="module")
def data():
    return table()


def least_squares(difference, x):
    """Return slope, its standard error, degrees of freedom and p of a regression."""
    found = stats.linregress(x, difference)
    return found.slope, found.stderr, len(x) - 2, found.pvalue


def pairs(cells):
    return [cells[:, i] - cells[:, j] for i in range(K) for j in range(i + 1, K)]


def test_slopes_are_regressions_of_the_differences(data):
    scores, value, size = data
    # Of a complete table with a covariance for each pair, only its own differences count.
    mixed = bi.compare_mixed(scores, covariates=["size"], structure="unstructured")
    expected = [least_squares(d, size) for d in pairs(value.mean(axis=1))]
    found = mixed.slopes()
    np.testing.assert_allclose(found[["estimate", "std_error", "df", "p_raw"]], expected, rtol=2e-5)
    assert set(found["covariate"]) == {"size"}
    assert mixed.formula.startswith("value ~ algorithm + algorithm:size + ")


@pytest.mark.parametrize("structure", ["pairwise", "common", "unstructured"])
def test_the_comparison_is_at_the_mean_and_elsewhere(data, structure):
    scores, value, size = data
    mixed = bi.compare_mixed(scores, covariates=["size"], structure=structure)
    differences = pairs(value.mean(axis=1))
    rows = mixed.contrasts(all=True)
    np.testing.assert_allclose(rows["estimate"], [d.mean() for d in differences], rtol=1e-7)
    large = mixed.at(size=2000)
    slopes = np.array([least_squares(d, size)[0] for d in differences])
    np.testing.assert_allclose(
        large.contrasts(all=True)["estimate"],
        rows["estimate"] + slopes * (2000 - size.mean()),
        rtol=1e-6,
    )
    assert "at size = 2000" in large.headline()
    tests = mixed.anova().set_index("term")
    assert tests.loc["algorithm:size", "p_value"] < 0.05


def test_a_pairs_own_error_is_robust(data):
    scores, value, size = data
    found = bi.compare_mixed(scores, covariates=["size"]).slopes()
    # CR2 with one observation per cluster is HC2, of the regression of the pair's differences.
    x = np.column_stack([np.ones(D), size - size.mean()])
    inverse = np.linalg.inv(x.T @ x)
    leverage = np.einsum("ij,jk,ik->i", x, inverse, x)
    for row, difference in zip(found.itertuples(), pairs(value.mean(axis=1)), strict=True):
        residual = difference - x @ inverse @ x.T @ difference
        meat = x.T @ (x * (residual**2 / (1 - leverage))[:, None])
        assert row.std_error**2 == pytest.approx((inverse @ meat @ inverse)[1, 1], rel=1e-5)


def test_direction_changes_nothing_but_the_sign(data):
    scores, value, _ = data
    turned = table(better="lower")[0]
    one = bi.compare_mixed(scores, covariates=["size"]).slopes()
    two = bi.compare_mixed(turned, covariates=["size"]).slopes()
    np.testing.assert_allclose(one["estimate"], two["estimate"], rtol=1e-9)
    np.testing.assert_allclose(one["statistic"], -two["statistic"], rtol=1e-7)
    assert value.shape == (D, B, K)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"covariates": ["depth"]}, "unknown covariate 'depth'"),
        (
            {"covariates": ["budget"]},
            "14 data sets, but covariates belong to data sets",
        ),
        ({"covariates": ["size"], "domains": "random"}, "takes no covariates"),
        ({"covariates": ["size"], "target": "datasets"}, "say how data sets differ"),
    ],
)
def test_covariates_that_do_not_fit_are_refused(data, arguments, expected):
    with pytest.raises(DesignError, match=expected):
        bi.compare_mixed(data[0], **arguments)


def test_what_has_no_covariates_says_how_to_keep_them(data):
    plain = bi.load_example("simulated/balanced")
    with pytest.raises(DesignError, match="read without covariates"):
        bi.compare_mixed(plain, covariates=["size"])
    with pytest.raises(DesignError, match="has no covariates"):
        bi.compare_mixed(plain).slopes()
    mixed = bi.compare_mixed(data[0], covariates=["size"])
    with pytest.raises(DesignError, match="unknown covariate 'depth'"):
        mixed.at(depth=3)
    for method in (mixed.influence, mixed.predict):
        with pytest.raises(DesignError, match="there are covariates"):
            method()


@pytest.mark.parametrize("size", [1.0, 0.1, 0.7])
def test_a_constant_covariate_has_no_slope(data, size):
    frame = data[0].to_frame()
    frame["size"] = size
    scores = bi.read_scores(frame, measures={"value": "higher"}, covariates=["size"])
    with pytest.raises(DesignError, match="same value on every data set"):
        bi.compare_mixed(scores, covariates=["size"])
