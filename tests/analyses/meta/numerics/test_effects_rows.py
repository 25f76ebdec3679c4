"""The network as independent rows, against metafor's rma.mv and dense matrices."""

import numpy as np
import pytest

from benchinfer.analyses.meta.numerics.effects import Block, components, direct, rows_of, together
from benchinfer.analyses.meta.numerics.pooling import pool, tau_squared

from .golden import VALUES, blocks

KNOWN = VALUES["joint"]


def test_every_number_of_metafor():
    rows = rows_of(blocks(), 5)
    tau2 = tau_squared([rows.part()])
    wald, refined = (pool(rows.part(), tau2, refined=one) for one in (False, True))
    assert tau2 == pytest.approx(KNOWN["tau2"], rel=1e-6)
    np.testing.assert_allclose(wald.beta, KNOWN["beta"], rtol=1e-6)
    np.testing.assert_allclose(wald.cov, KNOWN["cov"], rtol=1e-6)
    scale = max(KNOWN["scale"], 1.0)
    assert refined.scale == pytest.approx(scale, rel=1e-6)
    np.testing.assert_allclose(refined.cov, scale * np.array(KNOWN["cov"]), rtol=1e-6)
    assert pool(rows.part(), 0.0).scale * rows.part().free == pytest.approx(KNOWN["q"], rel=1e-9)


def test_rows_are_independent():
    for block in blocks():
        rows, a = rows_of([block], 5), block.matrix(5)
        turn = rows.x @ np.linalg.pinv(a)
        np.testing.assert_allclose(turn @ block.y, rows.y, atol=1e-12)
        np.testing.assert_allclose(turn @ block.cov @ turn.T, np.diag(rows.v), atol=1e-12)
        np.testing.assert_allclose(rows.x @ rows.x.T / 2, np.eye(len(rows.y)), atol=1e-12)


def test_baselines_do_not_matter():
    found = blocks()
    turned = [block.restricted(block.arms[::-1]) for block in found]
    one, other = (rows_of(b, 5).part() for b in (found, turned))
    tau2 = tau_squared([one])
    assert tau_squared([other]) == pytest.approx(tau2, rel=1e-9)
    np.testing.assert_allclose(pool(other, tau2).beta, pool(one, tau2).beta, rtol=1e-9)


def test_a_pair_of_a_block():
    block = Block(np.array([2, 0, 1]), np.array([0.5, 0.2]), np.array([[0.04, 0.01], [0.01, 0.09]]))
    other = Block(np.array([1, 3]), np.array([0.7]), np.array([[0.02]]))
    pairs = np.array([[0, 2], [2, 1], [0, 1], [3, 1], [0, 3], [-1, -1]])
    found = direct([block, other], pairs, 4)
    assert [one.held.tolist() for one in found] == [[0], [0], [0], [1], [], []]
    expected = [(0.5, 0.04), (-0.2, 0.09), (0.3, 0.11), (0.7, 0.02)]
    assert [(one.y[0], one.v[0]) for one in found[:4]] == [pytest.approx(e) for e in expected]


def test_variances_of_zero_are_lifted():
    flat = Block(np.array([0, 1]), np.zeros(1), np.zeros((1, 1)))
    some = Block(np.array([0, 1]), np.ones(1), np.full((1, 1), 0.3))
    rows = rows_of([flat, some], 2)
    assert rows.lifted == 1
    np.testing.assert_allclose(rows.v, 0.3)


def test_networks():
    found = blocks()
    count = together(found, 5)
    assert count[0, 1] == 5
    assert (count == count.T).all()
    assert components(found, 5).max() == 0
    apart = [Block(np.array([i, i + 1]), np.zeros(1), np.ones((1, 1))) for i in (0, 2)]
    parts = components(apart, 5)
    assert parts.tolist() == [0, 0, 1, 1, 2]
