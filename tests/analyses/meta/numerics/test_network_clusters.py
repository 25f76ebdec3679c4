"""Robust errors of networks: against clubSandwich, by brute force, and where there are none."""

import numpy as np
import pytest

from benchinfer.analyses.meta.numerics.effects import Block, rows_of
from benchinfer.analyses.meta.numerics.network import clusters
from benchinfer.analyses.meta.numerics.pooling import NetworkPart, solve

from .golden import VALUES, blocks

FIRST, SECOND = np.triu_indices(5, 1)
PAIRS = (np.eye(5)[FIRST] - np.eye(5)[SECOND])[:, 1:]


def errors_of(found, contrasts):
    got = found.errors(contrasts)
    return np.sqrt(np.einsum("jp,pq,jq->j", contrasts, got.cov, contrasts)), got.df


def of_network(chosen=None, tau2=None):
    rows = rows_of(chosen or blocks(), 5)
    part = rows.part()
    tau2 = VALUES["joint"]["tau2"] if tau2 is None else tau2
    return clusters(part, rows.dataset, solve(part, tau2)[0], tau2), part


def test_data_sets_as_in_clubsandwich():
    known, (found, _) = VALUES["robust"], of_network()
    std_error, df = errors_of(found, PAIRS)
    np.testing.assert_allclose(std_error, known["std_error"], rtol=1e-7)
    np.testing.assert_allclose(df, known["df"], rtol=1e-7)


def test_studies_as_in_clubsandwich():
    known, rows, nest = VALUES["robust_nest"], rows_of(blocks(), 5), VALUES["nest"]
    study = np.array(VALUES["network"]["study"])[rows.dataset] - 1
    shared = np.sqrt(nest["between"] / 2) * rows.x
    found = clusters(rows.part(), study, np.array(nest["beta"]), nest["within"], shared)
    std_error, df = errors_of(found, PAIRS)
    np.testing.assert_allclose(std_error, known["std_error"], rtol=1e-6)
    np.testing.assert_allclose(df, known["df"], rtol=1e-6)


def test_the_order_of_rows_does_not_matter():
    rows, tau2 = rows_of(blocks(), 5), VALUES["joint"]["tau2"]
    part, (known, _) = rows.part(), of_network()
    turned = np.random.default_rng(2).permutation(len(part.y))
    mixed = NetworkPart(part.y[turned], part.x[turned], part.v[turned])
    found = clusters(mixed, rows.dataset[turned], solve(part, tau2)[0], tau2)
    for got, right in zip(errors_of(found, PAIRS), errors_of(known, PAIRS), strict=True):
        np.testing.assert_allclose(got, right, rtol=1e-10)


def test_baselines_do_not_matter():
    other = [block.restricted(block.arms[::-1].copy()) for block in blocks()]
    for got, right in zip(
        errors_of(of_network(other)[0], PAIRS), errors_of(of_network()[0], PAIRS), strict=True
    ):
        np.testing.assert_allclose(got, right, rtol=1e-9)


def test_equal_precision_is_the_paired_t_test():
    rng = np.random.default_rng(5)
    y = rng.normal(size=(9, 3)) * [1.0, 3.0, 0.2]
    same = [Block(np.arange(4), row, 0.1 * (1 + np.eye(3))) for row in y]
    rows = rows_of(same, 4)
    found = clusters(rows.part(), rows.dataset, y.mean(axis=0), 0.3)
    pairs = np.array([[1.0, 0, 0], [1, -1, 0], [0, 1, -1]])
    std_error, df = errors_of(found, pairs)
    np.testing.assert_allclose(std_error, (y @ pairs.T).std(axis=0, ddof=1) / 3, rtol=1e-10)
    np.testing.assert_allclose(df, 8, rtol=1e-10)


@pytest.mark.slow
def test_unbiased_where_the_model_holds():
    rng, tau2 = np.random.default_rng(8), 0.05
    found, part = of_network(tau2=tau2)
    drawn, group = [], rows_of(blocks(), 5).dataset
    for _ in range(1500):
        y = rng.normal(size=len(part.y)) * np.sqrt(part.v + tau2)
        beta, _ = solve(NetworkPart(y, part.x, part.v), tau2)
        got = clusters(NetworkPart(y, part.x, part.v), group, beta, tau2)
        drawn.append(got.errors(PAIRS[:1]).cov.diagonal())
    np.testing.assert_allclose(np.mean(drawn, axis=0), found.phi.diagonal(), rtol=0.1)


def test_what_one_data_set_alone_determines():
    found, _ = of_network()
    assert not found.determined_alone().any()
    fewer = [block for d, block in enumerate(blocks()) if d not in (7, 10)]
    rows = rows_of(fewer, 5)
    part = rows.part()
    left = clusters(part, rows.dataset, solve(part, 0.0)[0], 0.0).determined_alone()
    # The fifth algorithm is left on one data set.
    assert [4 in block.arms for block in fewer] == left.tolist()


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_scale_does_not_matter(scale):
    chosen = [Block(b.arms, scale * b.y, scale**2 * b.cov) for b in blocks()]
    tau2 = VALUES["joint"]["tau2"]
    found, _ = of_network(chosen, tau2 * scale**2)
    right, _ = of_network()
    assert not found.determined_alone().any()
    std_error, df = errors_of(found, PAIRS)
    np.testing.assert_allclose(std_error / scale, errors_of(right, PAIRS)[0], rtol=1e-8)
    np.testing.assert_allclose(df, errors_of(right, PAIRS)[1], rtol=1e-8)
