"""The cluster-robust covariance against dense matrices and paired t-tests."""

import numpy as np
import pytest
from scipy.linalg import block_diag, sqrtm

from benchinfer.numerics import tukey
from benchinfer.numerics.reml import COMPONENTS, evaluate
from benchinfer.numerics.robust import cluster_robust
from benchinfer.numerics.score_model import fit
from benchinfer.numerics.sufficient import from_blocks
from tests.numerics.test_score_model import balanced, ragged


def robust(dataset, count, mean):
    stats = from_blocks(dataset, count, mean, np.zeros(dataset.max() + 1))
    model = fit(stats, COMPONENTS[:3])
    work = evaluate(stats, model.variances / stats.scale**2, reml=True)
    _, contrasts = tukey.all_pairs(count.shape[1])
    return (
        stats,
        work,
        model,
        contrasts,
        cluster_robust(work.q_matrix, model.derivatives.z, work.phi, contrasts),
    )


def test_complete_table_gives_paired_t_tests():
    y = balanced(np.random.default_rng(1)) * np.array([1, 1, 3, 0.2])
    d, b, k = y.shape
    stats, _, _, contrasts, found = robust(
        np.repeat(np.arange(d), b), np.ones((d * b, k), int), y.reshape(-1, k)
    )
    difference = y.mean(axis=1) @ contrasts.T
    error = np.sqrt(np.diag(contrasts @ found.cov @ contrasts.T)) * stats.scale
    np.testing.assert_allclose(error, difference.std(axis=0, ddof=1) / np.sqrt(d), rtol=1e-9)
    np.testing.assert_allclose(found.df, d - 1, rtol=1e-9)


def test_incomplete_table_equals_the_dense_formulas():
    dataset, count, mean = ragged(np.random.default_rng(2), d=7)
    _, work, model, contrasts, found = robust(dataset, count, mean)
    # Whitened cell estimates of each data set: residuals e = Q^(-1/2) z with covariance
    # I - X* Phi X*', all data sets at once.
    roots = [np.real(sqrtm(q)) for q in work.q_matrix]
    design = np.vstack(roots)
    residual = np.concatenate(
        [np.linalg.pinv(r) @ z for r, z in zip(roots, model.derivatives.z, strict=True)]
    )
    whole = np.eye(len(design)) - design @ work.phi @ design.T
    k = count.shape[1]
    inverse = [
        np.linalg.pinv(np.real(sqrtm(whole[i : i + k, i : i + k]))) for i in range(0, len(whole), k)
    ]
    weights = [work.phi @ r @ a for r, a in zip(roots, inverse, strict=True)]
    pieces = [w @ residual[i * k : i * k + k] for i, w in enumerate(weights)]
    cov = sum(np.outer(s, s) for s in pieces)
    np.testing.assert_allclose(found.cov, cov, rtol=1e-6, atol=1e-10)
    for j, contrast in enumerate(contrasts):
        rows = block_diag(*[(contrast @ w)[None] for w in weights])
        spread = rows @ whole @ rows.T
        expected = np.trace(spread) ** 2 / np.trace(spread @ spread)
        assert found.df[j] == pytest.approx(expected, rel=1e-6)


def test_the_variance_is_unbiased_under_the_model():
    # 400 tables: the mean of the estimated variances within four standard errors of the variance
    # of the estimates.
    rng = np.random.default_rng(3)
    dataset, count, _ = ragged(rng, d=8)
    variance, estimate = [], []
    for _ in range(400):
        mean = (
            rng.normal(size=(8, 1))[dataset]
            + 0.7 * rng.normal(size=(8, 3))[dataset]
            + rng.normal(size=count.shape)
        )
        stats, _, model, contrasts, found = robust(dataset, count, mean)
        variance.append(contrasts[0] @ found.cov @ contrasts[0] * stats.scale**2)
        estimate.append(contrasts[0] @ model.beta)
    ratio = np.mean(variance) / np.var(estimate, ddof=1)
    assert ratio == pytest.approx(
        1.0, abs=4 * np.sqrt(2 / 400 + np.var(variance) / np.mean(variance) ** 2 / 400)
    )
