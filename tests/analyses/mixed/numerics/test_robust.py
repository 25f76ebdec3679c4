"""The cluster-robust covariance against clubSandwich, dense matrices and paired t-tests."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import block_diag

from benchinfer.analyses.mixed.numerics import moments
from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS
from benchinfer.analyses.mixed.numerics.moments import from_blocks
from benchinfer.analyses.mixed.numerics.optimum import fit
from benchinfer.analyses.mixed.numerics.robust import cr2_errors
from benchinfer.numerics import max_t
from tests.analyses.mixed.numerics.test_likelihood import balanced, ragged

GOLDEN = Path(__file__).parents[3] / "golden" / "robust" / "cr2.json"


def robust(dataset, count, mean, terms=COMPONENTS[:3]):
    stats = from_blocks(dataset, count, mean, np.zeros(dataset.max() + 1))
    model = fit(stats, terms)
    _, contrasts = max_t.all_pairs(count.shape[1])
    return model, contrasts, cr2_errors(stats, model, contrasts)


def errors(found, contrasts):
    return np.sqrt(np.diag(contrasts @ found.cov @ contrasts.T))


def table_of(reference):
    """Blocks of a table of single scores, as `from_blocks` takes them."""
    columns = {name: np.array(values) for name, values in reference["data"].items()}
    codes = [columns[name] - 1 for name in ("dataset", "replication", "algorithm")]
    blocks, block = np.unique(codes[0] * 100 + codes[1], return_inverse=True)
    place = (block, codes[2])
    count = np.zeros((len(blocks), codes[2].max() + 1), dtype=np.int64)
    total, squares = np.zeros(count.shape), np.zeros((codes[0].max() + 1, count.shape[1]))
    np.add.at(count, place, 1)
    np.add.at(total, place, columns["value"])
    mean = total / np.maximum(count, 1)
    np.add.at(squares, (codes[0], codes[2]), (columns["value"] - mean[place]) ** 2)
    return blocks // 100, count, mean, squares


@pytest.mark.parametrize("name", ["replications", "repeats", "cells", "single"])
def test_incomplete_tables_agree_with_clubsandwich(name):
    reference = json.loads(GOLDEN.read_text())[name]
    terms, contrasts = tuple(reference["terms"]), np.array(reference["contrasts"], dtype=float)
    dataset, count, mean, squares = table_of(reference)
    stats = from_blocks(dataset, count, mean, squares.sum(axis=1))
    plain = cr2_errors(stats, fit(stats, terms), contrasts)
    classes = moments.structured_from_blocks(dataset, count, mean, squares)
    structured = cr2_errors(classes, fit(classes, terms=terms), contrasts)
    for found in (plain, structured):
        np.testing.assert_allclose(errors(found, contrasts), reference["std_error"], rtol=1e-6)
        np.testing.assert_allclose(found.df, reference["df"], rtol=1e-6)
        np.testing.assert_allclose(found.cov, reference["cov"], rtol=1e-6, atol=1e-8)


def test_complete_table_gives_paired_t_tests():
    y = balanced(np.random.default_rng(1)) * np.array([1, 1, 3, 0.2])
    d, b, k = y.shape
    _, contrasts, found = robust(
        np.repeat(np.arange(d), b), np.ones((d * b, k), int), y.reshape(-1, k)
    )
    difference = y.mean(axis=1) @ contrasts.T
    expected = difference.std(axis=0, ddof=1) / np.sqrt(d)
    np.testing.assert_allclose(errors(found, contrasts), expected, rtol=1e-9)
    np.testing.assert_allclose(found.df, d - 1, rtol=1e-9)


def dense(unit, covariance, x, y, contrasts):
    """The same from one row per score: A = D' (D S D')^(-1/2) D with D' D the covariance."""
    weight = np.linalg.inv(covariance)
    phi = np.linalg.inv(x.T @ weight @ x)
    spread = covariance - x @ phi @ x.T
    rows, scores = [], []
    for code in np.unique(unit):
        own = np.ix_(unit == code, unit == code)
        factor = np.linalg.cholesky(covariance[own]).T
        values, vectors = np.linalg.eigh(factor @ spread[own] @ factor.T)
        held = values > 1e-9 * values.max()
        root = (vectors[:, held] / np.sqrt(values[held])) @ vectors[:, held].T
        rows.append(phi @ x[unit == code].T @ weight[own] @ factor.T @ root @ factor)
        scores.append(rows[-1] @ (y - x @ phi @ x.T @ weight @ y)[unit == code])
    df = []
    for contrast in contrasts:
        g = block_diag(*[(contrast @ row)[None] for row in rows])
        quadratic = g @ spread @ g.T
        df.append(np.trace(quadratic) ** 2 / np.trace(quadratic @ quadratic))
    return sum(np.outer(s, s) for s in scores), df


@pytest.mark.parametrize("residual", ["constant", "algorithm", "dataset"])
@pytest.mark.parametrize("domains", [False, True])
def test_structured_fits_equal_the_dense_formulas(residual, domains):
    rng = np.random.default_rng(2)
    dataset, count, mean = ragged(rng, d=9)
    k = count.shape[1]
    classes = moments.structured_from_blocks(dataset, count, mean, np.zeros((9, k)))
    domain = np.arange(9) % 3 if domains else None
    model = fit(classes, terms=COMPONENTS[:3], residual=residual, domain=domain)
    _, contrasts = max_t.all_pairs(k)
    found = cr2_errors(classes, model, contrasts, domain=domain)
    block, a = np.nonzero(count)
    m, cells = dataset[block], np.ix_(a, a)
    noise = np.broadcast_to(model.residual, (9, k))[m, a]
    covariance = np.diag(noise) + (m[:, None] == m) * model.between[cells]
    covariance += model.replication * (block[:, None] == block)
    unit = m
    if domains:
        unit = domain[m]
        covariance += (unit[:, None] == unit) * model.domain[cells]
    order = np.argsort(unit, kind="stable")
    covariance, y = covariance[np.ix_(order, order)], mean[block, a][order]
    cov, df = dense(unit[order], covariance, np.eye(k)[a[order]], y, contrasts)
    np.testing.assert_allclose(found.cov, cov, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.df, df, rtol=1e-6)


def test_data_sets_that_vary_a_thousand_times_more_than_their_scores():
    # The level that data sets share takes part in no contrast.
    rng = np.random.default_rng(5)
    dataset, count, mean = ragged(rng, d=8)
    _, contrasts, found = robust(dataset, count, mean)
    far = mean + 1e3 * rng.normal(size=8)[dataset][:, None]
    _, _, other = robust(dataset, count, far)
    assert errors(other, contrasts) == pytest.approx(errors(found, contrasts), rel=0.2)


@pytest.mark.calibration
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
        model, contrasts, found = robust(dataset, count, mean)
        variance.append(contrasts[0] @ found.cov @ contrasts[0])
        estimate.append(contrasts[0] @ model.beta)
    ratio = np.mean(variance) / np.var(estimate, ddof=1)
    assert ratio == pytest.approx(
        1.0, abs=4 * np.sqrt(2 / 400 + np.var(variance) / np.mean(variance) ** 2 / 400)
    )
