"""Regions along a covariate: closed forms, simulated coverage, what is said and refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.subgroups.numerics.bands import (
    angle_of,
    band_critical,
    drawn_critical,
    exceedance,
)
from benchinfer.core.frames import GLOSSARY

D = 24


def rows(better="higher", scale="identity", slope=0.05):
    rng = np.random.default_rng(1)
    size = np.sort(rng.uniform(2, 6, D))
    gain = slope * (size - 4) + 0.04 * rng.normal(size=D)
    base = 3 + 0.1 * rng.normal(size=D)
    value = np.column_stack([base + gain, base, base - 0.3 + 0.02 * rng.normal(size=D)])
    value = value if better == "higher" else -value + 6
    value = value if scale == "identity" else np.exp(value)
    at = np.indices(value.shape).reshape(2, -1)
    return pd.DataFrame(
        {
            "dataset": [f"d{d:02}" for d in at[0]],
            "algorithm": ["abc"[k] for k in at[1]],
            "score": value.ravel(),
            "size": size[at[0]],
        }
    ), size


def table(better="higher", scale="identity", algorithms="ab", tolerance=0.0):
    frame, _ = rows(better, scale)
    measure = bi.Measure("score", better, tolerance, scale)
    frame = frame[frame["algorithm"].isin(list(algorithms))]
    return bi.read_scores(frame, measures=[measure], covariates="size")


@pytest.fixture(scope="module")
def mixed():
    return bi.compare_mixed(table(), covariates="size", structure="common")


def test_band_of_two_algorithms_is_that_of_the_regression_of_their_differences(mixed):
    frame, size = rows()
    wide = frame.pivot_table(index="dataset", columns="algorithm", values="score")
    y, x = (wide["a"] - wide["b"]).to_numpy(), np.column_stack([np.ones(D), size])
    beta = np.linalg.solve(x.T @ x, x.T @ y)
    cov = ((y - x @ beta) ** 2).sum() / (D - 2) * np.linalg.inv(x.T @ x)
    found = bi.regions(mixed, "size")
    at = np.column_stack([np.ones(len(found.places)), found.places])
    error = np.sqrt(np.einsum("gi,ij,gj->g", at, cov, at))
    critical = band_critical(angle_of(cov, size.min(), size.max()), D - 2, 0.05)
    np.testing.assert_allclose(found.estimate[0], at @ beta, atol=1e-10)
    np.testing.assert_allclose(found.high[0], at @ beta + critical * error, atol=1e-9)
    # Ends of the regions: roots of (a + b x)^2 = c^2 var(x).
    square = critical**2
    roots = np.roots(
        [
            beta[1] ** 2 - square * cov[1, 1],
            2 * beta[0] * beta[1] - 2 * square * cov[0, 1],
            beta[0] ** 2 - square * cov[0, 0],
        ]
    )
    ends = found.summary()["value_low"].to_numpy()[1:]
    np.testing.assert_allclose(ends, np.sort(roots), atol=1e-4)
    assert found.summary()["verdict"].tolist() == ["second", "undecided", "first"]
    assert found.summary()["n_datasets"].sum() == D


def test_critical_values_reach_from_student_to_scheffe():
    for df in (3.0, 18.0, np.inf):
        whole = 2 * stats.f.isf(0.05, 2, df) if np.isfinite(df) else stats.chi2.isf(0.05, 2)
        assert band_critical(0.0, df, 0.05) == pytest.approx(stats.t.isf(0.025, df), rel=1e-8)
        assert band_critical(np.pi, df, 0.05) == pytest.approx(np.sqrt(whole), rel=1e-8)
    assert band_critical(1.0, 18.0, 0.05) < band_critical(2.0, 18.0, 0.05)


def test_lines_leave_their_bands_as_often_as_said():
    rng = np.random.default_rng(2)
    cov, df, n = np.array([[1.0, -0.4], [-0.4, 0.3]]), 9.0, 100_000
    at = np.column_stack([np.ones(60), np.linspace(-0.5, 3, 60)])
    error = np.sqrt(np.einsum("gi,ij,gj->g", at, cov, at))
    root = np.linalg.cholesky(cov)
    critical = band_critical(angle_of(cov, -0.5, 3.0), df, 0.1)
    outside = 0
    for _ in range(10):
        z = rng.normal(size=(n // 10, 2)) @ root.T
        s = np.sqrt(rng.chisquare(df, n // 10) / df)
        outside += (np.abs(z @ at.T / error).max(axis=1) / s > critical).sum()
    assert outside / n == pytest.approx(0.1, abs=3 * np.sqrt(0.09 / n) + 5e-4)
    assert exceedance(critical, angle_of(cov, -0.5, 3.0), df) == pytest.approx(0.1)


def test_drawn_curves_are_inside_the_band_as_often_as_said():
    draws = np.random.default_rng(3).normal(size=(999, 7)).cumsum(axis=1)
    mean, spread, critical = drawn_critical(draws, 0.05)
    inside = (np.abs(draws - mean) <= critical * spread * (1 + 1e-12)).all(axis=1)
    assert 0.949 <= inside.mean() <= 0.952


def test_direction_changes_signs_alone(mixed):
    other = bi.compare_mixed(table("lower"), covariates="size", structure="common")
    one, two = bi.regions(mixed, "size"), bi.regions(other, "size")
    np.testing.assert_allclose(one.low, two.low, atol=1e-9)
    np.testing.assert_allclose(one.curve()["estimate"], -two.curve()["estimate"], atol=1e-9)
    assert one.summary()["winner"].tolist() == two.summary()["winner"].tolist()


def test_ratios_on_the_log_scale(mixed):
    other = bi.compare_mixed(table(scale="log"), covariates="size", structure="common")
    one, two = bi.regions(mixed, "size").curve(), bi.regions(other, "size").curve()
    for name in ("estimate", "conf_low", "conf_high"):
        np.testing.assert_allclose(np.exp(one[name]), two[name], rtol=1e-8)


def test_more_pairs_have_wider_bands():
    three = bi.compare_mixed(table(algorithms="abc"), covariates="size")
    one, all_ = bi.regions(three, "size", ("a", "b")), bi.regions(three, "size")
    assert all_.pairs == (("a", "b"), ("a", "c"), ("b", "c"))
    assert all_.critical[0] > one.critical[0]
    np.testing.assert_allclose(all_.estimate[0], one.estimate[0])
    assert all_.describe(2) == "b is better than c over the whole range of size (24 data sets)"
    assert (all_.codes[2] == 3).all()
    turned = bi.regions(three, "size", ("b", "a"))
    np.testing.assert_allclose(turned.low, -one.high, atol=1e-12)


def test_a_band_within_the_tolerance_is_equivalent():
    found = bi.regions(bi.compare_mixed(table(tolerance=1.0), covariates="size"), "size")
    assert found.summary()["verdict"].tolist() == ["equivalent"]


@pytest.mark.calibration
def test_bayesian_regions_are_near_those_of_the_mixed_model(mixed):
    bayes = bi.compare_bayes(table(), covariates="size", seed=1, draws=250)
    one, two = bi.regions(mixed, "size"), bi.regions(bayes, "size")
    assert two.bayesian
    np.testing.assert_allclose(two.estimate, one.estimate, atol=0.02)
    assert two.summary()["verdict"].tolist() == one.summary()["verdict"].tolist()
    middle = bayes.at(size=4.0).contrasts("average", all=True)["estimate"].iloc[0]
    drawn = np.interp(4.0, two.places, two.estimate[0])
    assert drawn == pytest.approx(middle, abs=1e-6)


def test_saved_said_and_drawn(mixed, tmp_path):
    found = bi.regions(mixed, "size")
    back = bi.load(found.save(tmp_path / "r.json"))
    pd.testing.assert_frame_equal(back.curve(), found.curve())
    assert set(found.curve().columns) | set(found.summary().columns) <= set(GLOSSARY)
    assert "Johnson" in found.citations() or "Bauer" in found.citations()
    assert "95 % confidence band" in found.rule
    for width in ("page", "column"):
        assert "along size" in found.plot(width=width).get_label()
    assert "better" in found._repr_html_()


def test_what_is_no_question_is_refused(mixed):
    with pytest.raises(bi.DesignError, match="no covariates"):
        bi.regions(bi.compare_mixed(table()), "size")
    with pytest.raises(bi.DesignError, match="weight"):
        bi.regions(mixed, "weight")
    with pytest.raises(bi.DesignError, match="algorithm"):
        bi.regions(mixed, "size", ("a", "z"))
    with pytest.raises(bi.DesignError, match="no pair"):
        bi.regions(mixed, "size", ("a", "a"))
    with pytest.raises(bi.DesignError, match="no regions"):
        bi.regions(mixed, "size").plot(pair=("b", "a"))
