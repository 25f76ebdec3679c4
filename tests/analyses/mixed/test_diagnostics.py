"""Rows of the diagnostics: silent on healthy tables, with a remedy on sick ones."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.mixed.diagnostics import residual_checks
from benchinfer.core.measure import Measure
from benchinfer.scores.numerics.skewness import corrected_t
from tests.analyses.mixed.numerics.test_new_dataset import simulate
from tests.analyses.mixed.numerics.test_residuals import diagnose

MEASURE = Measure("accuracy", better="higher")
ALGORITHMS = ["knn", "lda", "rf", "svm"]


def rows(dataset, count, mean, measure=MEASURE, scales=("log", "logit")):
    _, found = diagnose(dataset, count, mean)
    names = [f"d{i:02d}" for i in range(dataset.max() + 1)]
    checks = residual_checks(found, names, ALGORITHMS, measure, scales=scales)
    return {row.check: row for row in checks}


@pytest.mark.slow
def test_healthy_tables_rarely_raise_a_row():
    rng = np.random.default_rng(1)
    raised: dict[str, int] = {}
    for _ in range(150):
        table = simulate(rng, 12, 5, np.array([0.3, 1, 1, 2]), np.ones(4), 0.1)
        for name, row in rows(*table).items():
            raised[name] = raised.get(name, 0) + (not row.ok)
    assert len(raised) == 8
    # At 1 % the chance to see more than 6 of 150 is 1e-3.
    assert max(raised.values()) <= 6


def test_unequal_algorithms():
    table = simulate(np.random.default_rng(2), 15, 10, np.ones(4), np.array([1, 1, 1, 4.0]))
    row = rows(*table)["residuals: largest / smallest SD of an algorithm"]
    assert not row.ok
    assert row.sentence.startswith("The scores of svm vary 4")
    assert 'residual="algorithm"' in row.remedy


@pytest.mark.parametrize(("better", "sign"), [("higher", 1), ("lower", -1)])
def test_spread_that_grows_with_the_score(better, sign):
    rng = np.random.default_rng(3)
    dataset, count, mean = simulate(rng, 25, 10, np.full(4, 0.3), np.full(4, 0.2))
    times = np.exp(mean * 1.5)
    found = rows(dataset, count, sign * times, Measure("seconds", better=better))
    row = found["residuals: upper / lower decile of the data sets' SD"]
    assert not row.ok
    assert 'The spread grows with the score: try Measure(scale="log").' in row.remedy
    assert not found["residuals: excess kurtosis"].ok


def test_outlying_cell():
    dataset, count, mean = simulate(np.random.default_rng(4), 15, 5, np.ones(4), np.ones(4))
    mean[dataset == 6, 1] -= 12
    found = rows(dataset, count, mean)
    assert "lda on d06 (worse than elsewhere)" in found["outlying cells"].sentence
    assert "d06" in found["outlying data sets"].sentence


def test_skewed_residuals():
    rng = np.random.default_rng(5)
    dataset, count, mean = simulate(rng, 15, 10, np.ones(4), np.zeros(4))
    found = rows(dataset, count, mean + 3 * rng.exponential(size=mean.shape))
    assert "logit" in found["residuals: skewness"].remedy


def test_no_scale_is_advised_on_which_scores_have_no_place():
    rng = np.random.default_rng(5)
    dataset, count, mean = simulate(rng, 15, 10, np.ones(4), np.zeros(4))
    remedy = rows(dataset, count, mean + 3 * rng.exponential(size=mean.shape), scales=())
    assert "scale" not in remedy["residuals: skewness"].remedy


@pytest.mark.slow
def test_the_correction_of_skewness_keeps_between_one_test_and_bonferroni():
    """An adjusted p-value is at least that of one test, and at most Bonferroni's of all."""
    skewed, undone, kept = "leaves undecided", 0, 0
    pairs = ((0, 1), (0, 2), (1, 2))
    for seed in range(40):
        rng = np.random.default_rng(seed)
        scores = rng.exponential(0.5, size=(14, 3)) * [0, -1, -1] + [0, 0.85, 30]
        rows = [(f"d{i}", "xyz"[k], scores[i, k] + i) for i in range(len(scores)) for k in range(3)]
        frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "accuracy"])
        result = bi.compare_mixed(bi.read_scores(frame, measures="accuracy:higher"))
        d = np.column_stack([scores[:, one] - scores[:, other] for one, other in pairs])
        p = 2 * stats.t.sf(np.abs(corrected_t(d)), len(d) - 1)
        decided = result.evidence.p_value <= 0.05
        checks = result.diagnostics()
        lost = checks[checks["check"].str.endswith(skewed)]["value"].item()
        assert (decided & (p > 0.05)).sum() <= lost <= (decided & (3 * p > 0.05)).sum()
        undone, kept = undone + lost, kept + int((decided & (3 * p <= 0.05)).sum())
    assert undone > 0
    assert kept > 40
