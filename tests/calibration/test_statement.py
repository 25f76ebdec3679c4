"""One statement: how often a verdict or an interval is wrong, together, and what that costs.

`make calibrate ARGS="tests/calibration/test_statement.py"`, about a quarter of an hour of one core,
most of it for the tables of eight algorithms.
"""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.numerics import closed_testing, rotations
from tests.calibration.statements import (
    CELLS,
    MOST_ROTATED,
    further,
    judged,
    ladder,
    shares_of,
    simulated,
    stated,
)
from tests.calibration.tables import limit

TABLES, OF_POWER = 2_500, 1_000
# Of more algorithms, whose tables have many pairs.
OF_MANY = 200


def directions(k):
    return 1_999 if k < MOST_ROTATED else 499


@pytest.fixture
def once(monkeypatch):
    """Work out once what tests of a table have in common, whatever their share of the level.

    So few directions err by a hundredth at the level: each table has directions of its own.
    """
    monkeypatch.setattr(rotations, "_CLOSE", 0.0)
    of_hypothesis, together, known = rotations._Closure._p_value, closed_testing.most_together, {}

    def p_value(closure, hypothesis, table):
        key = id(hypothesis)
        if key not in known:
            known[key] = of_hypothesis(closure, hypothesis, table)
        return known[key]

    def most_together(equal):
        key = equal.tobytes()
        if key not in known:
            known[key] = together(equal)
        return known[key]

    monkeypatch.setattr(rotations._Closure, "_p_value", p_value)
    monkeypatch.setattr(closed_testing, "most_together", most_together)
    return known


def report(words, rows, record):
    """Print and record shares of tables, by procedure."""
    shares = shares_of(rows)
    for name, row in shares.items():
        n = len(rows[name])
        print(f"| {words} | {name} | {n} | " + " | ".join(f"{s:.3f}" for s in row.values()) + " |")  # noqa: T201 (for the docs)
        record(f"{words}: {name}", [n, *row.values()])
    return shares


@pytest.mark.calibration
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_statements_hold_as_a_whole(cell, once, record_property):
    rows, rng = {}, np.random.default_rng([CELLS.index(cell), cell.k])
    for pairs, seed in simulated(cell, rng, TABLES):
        once.clear()
        for name, what in stated(pairs, seed, directions(cell.k)).items():
            rows.setdefault(name, []).append(judged(cell, pairs, what))
    shares = report(cell, rows, record_property)
    for name in ("default", "Holm"):
        assert shares[name]["wrong"] <= limit(TABLES), name
        assert shares[name]["direction"] <= 0.02, name
        assert shares[name]["over equality"] == 0, name


@pytest.mark.calibration
@pytest.mark.parametrize(
    ("d", "k", "ends"), [(5, 4, 6), (8, 4, 6), (12, 4, 6), (12, 15, 14), (20, 30, 29)]
)
def test_one_statement_costs_power(d, k, ends, once, record_property):
    cell, rows, n = ladder(d, k, ends), {}, OF_POWER if k <= MOST_ROTATED else OF_MANY
    for pairs, seed in simulated(cell, np.random.default_rng([d, k]), n):
        once.clear()
        every = stated(pairs, seed, directions(k))
        once.clear()
        for name, what in (every | further(pairs, seed, directions(k))).items():
            rows.setdefault(name, []).append(judged(cell, pairs, what))
    shares = report(cell, rows, record_property)
    decided = {name: row["decided"] for name, row in shares.items()}
    assert decided["default"] <= decided["simultaneous"] <= decided["default"] + 0.1
    assert decided["default"] > decided["single step, own errors"]


@pytest.mark.calibration
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_compare_mixed_states_the_same(cell):
    """Of pairs that are not too skew for claims about their mean."""
    n = 10 if cell.k == MOST_ROTATED else 20
    rng = np.random.default_rng([7, CELLS.index(cell)])
    names = [f"a{i:02d}" for i in range(cell.k)]
    for pairs, _ in simulated(cell, rng, n):
        every = stated(pairs, rotations.SEED)
        table = pd.DataFrame(pairs.table, columns=names).rename_axis("dataset").reset_index()
        rows = table.melt("dataset", var_name="algorithm")
        scores = bi.read_scores(rows, measures="value:higher")
        for interval in ("compatible", "simultaneous"):
            there = bi.compare_mixed(scores, interval=interval)
            what = every["default" if interval == "compatible" else interval]
            assert_same(there, what, cell.k)


def assert_same(there, what, k):
    """Assert that a comparison says of its pairs, in its order, what a procedure does."""
    evidence, at = there.evidence, there.pairs.index
    number = np.zeros((k, k), np.int64)
    number[np.triu_indices(k, 1)] = np.arange(k * (k - 1) // 2)
    i, j = at.T
    place, turned = number[np.minimum(i, j), np.maximum(i, j)], i > j
    low = np.where(turned, -what.high[place], what.low[place])
    high = np.where(turned, -what.low[place], what.high[place])
    spoken = np.isfinite(evidence.low)
    assert spoken.mean() > 0.5
    np.testing.assert_array_equal((evidence.p_value <= 0.05)[spoken], what.decided[place][spoken])
    np.testing.assert_allclose(evidence.low[spoken], low[spoken], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(evidence.high[spoken], high[spoken], rtol=1e-9, atol=1e-12)
