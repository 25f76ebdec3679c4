"""Likelihood by levels and its derivatives against n x n matrices and finite differences."""

from itertools import product

import numpy as np
import pytest

from benchinfer.analyses.mixed.numerics.moments import structured_from_blocks
from benchinfer.analyses.mixed.numerics.structured_covariance import (
    CovarianceLayout,
    contrast_basis,
)
from benchinfer.analyses.mixed.numerics.structured_likelihood import StructuredModel
from benchinfer.core.errors import FitError
from tests.analyses.mixed.numerics.test_moments_patterns import ragged

D, K = 6, 3
DOMAIN = np.array([0, 1, 0, 2, 1, 0])
CASES = list(
    product(
        ("common", "diagonal", "unstructured"),
        ("constant", "algorithm", "dataset"),
        (True, False),  # domain level
        (True, False),  # replication term
        (True, False),  # repeats and a covariate
        (True, False),  # REML
    )
)


def rows(dataset, count, mean, spread):
    """Single scores; repeats lie symmetric about their mean."""
    block, algorithm = np.nonzero(count)
    times = count[block, algorithm]
    block, algorithm = np.repeat(block, times), np.repeat(algorithm, times)
    side = np.concatenate([np.linspace(-1, 1, t) if t > 1 else np.zeros(1) for t in times])
    within = np.zeros((D, K))
    np.add.at(within, (dataset[block], algorithm), (spread * side) ** 2)
    return block, algorithm, mean[block, algorithm] + spread * side, within


def covariances(parts, block, algorithm, m):
    """The n x n matrices that the parameters multiply."""
    basis, same = contrast_basis(K), m[:, None] == m
    out = [same * (basis @ s @ basis.T)[algorithm[:, None], algorithm] for s in parts.between]
    shared = DOMAIN[m][:, None] == DOMAIN[m]
    out += [shared * (basis @ w @ basis.T)[algorithm[:, None], algorithm] for w in parts.domain]
    if parts.replicated:
        out.append((block[:, None] == block).astype(float))
    kind = {"constant": 0 * m, "algorithm": algorithm, "dataset": m}[parts.residual]
    out += [np.diag((kind == i).astype(float)) for i in range(len(parts.names) - len(out))]
    return np.array(out)


def build(between, residual, domain, replicated, rich, reml, seed=0):
    """A small incomplete table, its model, parameters, and the same as matrices."""
    rng = np.random.default_rng(seed)
    dataset, count, mean = ragged(rng, D, K, repeats=rich)
    block, algorithm, y, within = rows(dataset, count, mean, 0.3)
    terms = ("dataset", "dataset:algorithm", "dataset:replication")[: 3 if replicated else 2]
    parts = CovarianceLayout.of((D, K), between, terms, residual, domains=domain)
    x = np.tile(np.eye(K), (D, 1, 1))
    if rich:
        x = np.concatenate([x, rng.normal(size=(D, 1, 1)) * np.eye(K)], axis=2)
    member = (np.arange(3)[:, None] == DOMAIN) * 1.0 if domain else np.zeros((0, D))
    stats = structured_from_blocks(dataset, count, mean, within)
    model = StructuredModel(stats, parts, contrast_basis(K).T @ x, member, reml)
    theta = rng.uniform(0.3, 1.5, len(parts.names))
    if between == "unstructured":
        lower = rng.normal(size=(K, K))
        theta[: parts.outer] = (lower @ lower.T)[np.tril_indices(K)]
    m = dataset[block]
    scaled = y / stats.scale - stats.offset[algorithm]
    return model, theta, (covariances(parts, block, algorithm, m), x[m, algorithm], scaled)


@pytest.mark.parametrize("case", CASES)
def test_likelihood_and_derivatives_equal_the_dense_computation(case):
    model, theta, (v_i, x, y) = build(*case)
    reml = case[-1]
    at = model.evaluate(theta)
    mine = model.derivatives(at)
    v = np.einsum("i,ijk->jk", theta, v_i)
    inverse = np.linalg.inv(v)
    information = x.T @ inverse @ x
    phi = np.linalg.inv(information)
    p = inverse - inverse @ x @ phi @ x.T @ inverse
    py = p @ y
    criterion = np.linalg.slogdet(v)[1] + y @ py + (len(y) - x.shape[1] * reml) * np.log(2 * np.pi)
    criterion += np.linalg.slogdet(information)[1] * reml
    known = p if reml else inverse
    products = known @ v_i
    slope = np.einsum("ikk->i", products) - np.einsum("k,ikl,l->i", py, v_i, py)
    applied = v_i @ py
    half = v_i @ inverse @ x
    ff = np.einsum("iap,ab,jbq->ijpq", half, inverse, half)
    # Matrices of about 60 rows with condition numbers of 10^2 to 10^3.
    close = {"rtol": 1e-9, "atol": 1e-9}
    assert at.criterion == pytest.approx(criterion, abs=1e-9)
    np.testing.assert_allclose(at.beta, phi @ x.T @ inverse @ y, **close)
    np.testing.assert_allclose(at.phi, phi, **close)
    np.testing.assert_allclose(mine.score, slope, **close)
    np.testing.assert_allclose(mine.expected, np.einsum("ikl,jlk->ij", products, products), **close)
    np.testing.assert_allclose(mine.average, applied @ p @ applied.T, **close)
    np.testing.assert_allclose(mine.f, np.einsum("ap,ab,ibq->ipq", x, inverse, half), **close)
    weight = np.linalg.inv(mine.expected + np.eye(len(theta)))
    summed = np.einsum("ij,ijpq->pq", weight, (ff + ff.swapaxes(2, 3)) / 2)
    np.testing.assert_allclose(model.second(at, weight), summed, **close)


@pytest.mark.parametrize("case", CASES[::7])
def test_derivatives_equal_finite_differences(case):
    model, theta, _ = build(*case, seed=1)
    der = model.derivatives(model.evaluate(theta))
    step = 1e-5
    for i in range(len(theta)):
        shift = np.zeros_like(theta)
        shift[i] = step
        up, down = model.evaluate(theta + shift), model.evaluate(theta - shift)
        # Central differences: error step^2 plus rounding / step.
        assert (up.criterion - down.criterion) / (2 * step) == pytest.approx(
            der.score[i], rel=1e-6, abs=1e-6
        )
        slope = (model.derivatives(up).score - model.derivatives(down).score) / (2 * step)
        np.testing.assert_allclose(slope, der.observed[i], rtol=1e-6, atol=1e-6)


def case(between, residual="constant", *, domain=False):
    """A REML fit with a replication term and one mean per algorithm."""
    return between, residual, domain, True, False, True


@pytest.mark.parametrize("between", ["common", "diagonal", "unstructured"])
def test_square_roots_have_exact_derivatives(between):
    model, theta, _ = build(*case(between, residual="algorithm", domain=True))
    parts = model.layout
    psi = parts.psi(theta)
    np.testing.assert_allclose(parts.theta(psi), theta, rtol=1e-12)
    jacobian, score = parts.jacobian(psi), np.random.default_rng(3).normal(size=len(psi))
    for i in range(len(psi)):
        shift = np.zeros_like(psi)
        shift[i] = 1e-3
        # Quadratic functions: central differences are exact.
        slope = (parts.theta(psi + shift) - parts.theta(psi - shift)) / 2e-3
        np.testing.assert_allclose(slope, jacobian[:, i], atol=1e-11)
        bend = (parts.jacobian(psi + shift) - parts.jacobian(psi - shift)).T @ score / 2e-3
        np.testing.assert_allclose(bend, parts.bend(score)[i], atol=1e-11)


@pytest.mark.parametrize("between", ["common", "diagonal", "unstructured"])
def test_large_differences_between_data_sets_do_not_swamp_the_rest(between):
    model, theta, _ = build(*case(between))
    quiet = model.evaluate(theta)
    theta[0] *= 1e10
    loud = model.evaluate(theta)
    contrasts = np.diff(np.eye(K), axis=0)
    np.testing.assert_allclose(contrasts @ loud.beta, contrasts @ quiet.beta, atol=0.5)
    exact = model.derivatives(loud)
    shift = np.zeros_like(theta)
    shift[0] = 1e-3 * theta[0]
    up, down = model.evaluate(theta + shift), model.evaluate(theta - shift)
    slope = (up.criterion - down.criterion) / (2 * shift[0])
    # Relative error of the central difference of a logarithm: step^2 / 3.
    assert slope == pytest.approx(exact.score[0], rel=1e-5)


def test_diagonal_takes_three_algorithms():
    with pytest.raises(FitError, match="three algorithms"):
        CovarianceLayout.of((D, 2), "diagonal", (), "constant", domains=False)
