"""Single-step inference against the exact range, simulation and multcomp."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchinfer.numerics import studentized, tukey
from tests.numerics.test_score_model import TABLES, golden


def test_all_pairs_in_order():
    pairs, contrasts = tukey.all_pairs(3)
    assert pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert contrasts.tolist() == [[1, -1, 0], [1, 0, -1], [0, 1, -1]]


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("df", [6.0, np.inf])
def test_equal_errors_are_the_studentized_range(k, df):
    cov = 0.3 * np.eye(k) + 5.0
    family = tukey.max_t(tukey.all_pairs(k)[1], cov, df)
    t = np.array([0.5, 2.0, 9.0])
    p, error = tukey.survival(family, t)
    np.testing.assert_allclose(p, studentized.survival(np.sqrt(2) * t, k, df), rtol=1e-9)
    assert (error == 0).all()
    c = tukey.quantile(family, 0.05)
    assert tukey.survival(family, np.array([c]))[0][0] == pytest.approx(0.05, abs=1e-10)


@pytest.mark.parametrize("df", [8.0, np.inf])
def test_unequal_errors_agree_with_simulation(df):
    rng = np.random.default_rng(1)
    root = rng.normal(size=(5, 5)) * np.array([0.2, 1, 1, 2, 3])[:, None]
    cov = root @ root.T
    _, contrasts = tukey.all_pairs(5)
    family = tukey.max_t(contrasts, cov, df)
    n = 200_000
    z = rng.multivariate_normal(np.zeros(5), cov, n) @ contrasts.T
    t = np.abs(z / np.sqrt(np.diag(contrasts @ cov @ contrasts.T))).max(axis=1)
    if np.isfinite(df):
        t /= np.sqrt(rng.chisquare(df, n) / df)
    thresholds = np.array([1.5, 2.5, 3.5])
    p, error = tukey.survival(family, thresholds)
    seen = (t[:, None] > thresholds).mean(axis=0)
    # Four standard errors of the simulation.
    assert (np.abs(p - seen) < 4 * np.sqrt(seen * (1 - seen) / n)).all()
    assert (error < 2e-4).all()


def test_far_tail_joins_the_body_and_stays_below_bonferroni():
    cov = np.diag([1.0, 0.5, 2.0, 4.0])
    family = tukey.max_t(tukey.all_pairs(4)[1], cov, 20.0)
    for t in (4.2, 5.0):
        (tail, error), (body, _) = tukey._tail(family, t), tukey._body(family, t)
        # The body loses relative accuracy slowly; both estimate the same number.
        assert tail == pytest.approx(body, rel=5e-3)
        assert error < 5e-3 * tail
    p, _ = tukey.survival(family, np.array([12.0]))
    assert 0 < p[0] <= 6 * tukey.raw_p(np.array(12.0), 20.0)


def test_many_thresholds_are_interpolated_within_their_error():
    cov = np.diag(np.linspace(1, 3, 9))
    family = tukey.max_t(tukey.all_pairs(9)[1], cov, 30.0)
    t = np.linspace(0.3, 5, 60)
    p, _ = tukey.survival(family, t)
    one_by_one = np.array([tukey.survival(family, t[[i]])[0][0] for i in range(0, 60, 7)])
    np.testing.assert_allclose(p[::7], one_by_one, rtol=5e-3)


def test_one_contrast_is_a_t_test():
    family = tukey.max_t(np.array([[1.0, -1.0]]), np.eye(2), 9.0)
    assert tukey.survival(family, np.array([2.0]))[0][0] == pytest.approx(
        tukey.raw_p(np.array(2.0), 9.0)
    )
    assert tukey.quantile(family, 0.05) == pytest.approx(2.262157, abs=1e-6)


@pytest.mark.parametrize("table", TABLES)
def test_single_step_agrees_with_multcomp(table):
    path = Path(__file__).parents[1] / "golden" / "lmm" / f"{table}.json"
    for model, reference in json.loads(path.read_text())["values"].items():
        if not model.endswith("_reml"):
            continue
        _, mine, _ = golden(table, model)
        expected = reference["single_step"]
        # multcomp has second minus first, in the order of combn: the order of our pairs
        # within each first algorithm.
        names = [pair.split(" - ") for pair in expected["pair"]]
        order = sorted(range(len(names)), key=lambda i: (names[i][1], names[i][0]))
        _, contrasts = tukey.all_pairs(len(mine.beta))
        error = np.sqrt(np.diag(contrasts @ mine.cov @ contrasts.T))
        statistic = -(contrasts @ mine.beta) / error
        family = tukey.max_t(contrasts, mine.cov, np.inf)
        # atol: a difference of zero has a statistic of rounding only.
        np.testing.assert_allclose(
            statistic, np.array(expected["statistic"])[order], rtol=1e-5, atol=1e-8
        )
        p, _ = tukey.survival(family, np.abs(statistic))
        # multcomp's own Monte Carlo error bound, and its cancellation near p = 0.
        bound = max(expected["p_error"], 1e-5)
        np.testing.assert_allclose(p, np.array(expected["p_value"])[order], atol=2 * bound)
        c = tukey.quantile(family, 0.05)
        low = -(contrasts @ mine.beta) - c * error
        # confint's quantile is accurate to about 1e-3 standard errors.
        np.testing.assert_allclose(low, np.array(expected["low"])[order], atol=2e-3 * error.max())
