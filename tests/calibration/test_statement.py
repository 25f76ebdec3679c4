"""One statement: how often a verdict or an interval is wrong, together, and what that costs.

`make calibrate ARGS="tests/calibration/test_statement.py"`, about half an hour of one core, most of
it for the tables of eight algorithms.
"""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.numerics import rotations
from tests.calibration.statements import (
    ALPHA,
    CELLS,
    Cell,
    counted,
    decided_of_many,
    ladder,
    stated,
)
from tests.calibration.tables import limit

TABLES = 2_500


@pytest.mark.calibration
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_statements_hold_as_a_whole(cell, record_property, monkeypatch):
    monkeypatch.setattr(rotations, "_CLOSE", 0.0)  # so few directions err: each table has its own
    n = TABLES
    rng = np.random.default_rng([CELLS.index(cell), cell.k])
    rows = {}
    for x in cell.drawn(rng, n):
        for name, row in counted(cell, x, int(rng.integers(2**32))).items():
            rows.setdefault(name, []).append(row)
    for name, found in rows.items():
        shares = np.mean(found, axis=0)
        print(f"| {cell} | {name} | " + " | ".join(f"{s:.3f}" for s in shares) + " |")  # noqa: T201 (for the docs)
        record_property(f"{cell}: {name}", shares.tolist())
    wrong, turned = np.mean(rows["one statement"], axis=0)[:2]
    assert wrong <= limit(n)
    # Of differences close to 0 every second decision has the wrong direction.
    assert turned <= limit(n) / 2
    assert np.mean(rows["one statement"], axis=0)[4] == 0
    assert np.mean(rows["Holm, one statement"], axis=0)[0] <= limit(n)


@pytest.mark.calibration
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_compare_mixed_states_the_same(cell):
    """Of pairs that are not too skew for claims about their mean."""
    rng, names = np.random.default_rng([7, CELLS.index(cell)]), [f"a{i}" for i in range(cell.k)]
    for x in cell.drawn(rng, 10 if cell.k == rotations.MOST_ALGORITHMS else 20):
        table = pd.DataFrame(x, columns=names).rename_axis("dataset").reset_index()
        rows = table.melt("dataset", var_name="algorithm")
        scores = bi.read_scores(rows, measures="value:higher")
        claims, _ = stated(x, rotations.SEED, rotations.DIRECTIONS)
        for interval, name in (
            ("compatible", "one statement"),
            ("simultaneous", "closed, Sidak's"),
        ):
            there, (p, low, high) = (
                bi.compare_mixed(scores, interval=interval).evidence,
                claims[name],
            )
            spoken = np.isfinite(there.low)
            assert spoken.mean() > 0.5
            decided = there.p_value[spoken] <= ALPHA
            np.testing.assert_array_equal(decided, (p <= ALPHA)[spoken])
            for end, expected in ((there.low, low), (there.high, high)):
                np.testing.assert_allclose(end[spoken], expected[spoken], rtol=1e-9, atol=1e-12)


@pytest.mark.calibration
@pytest.mark.parametrize(("d", "k"), [(12, 10), (12, 15), (20, 30)])
def test_many_algorithms_pay_a_point(d, k, record_property):
    cell, rows = Cell(d, ladder(k)), {}
    for x in cell.drawn(np.random.default_rng([d, k]), 300):
        for name, share in decided_of_many(x).items():
            rows.setdefault(name, []).append(share)
    shares = {name: float(np.mean(row)) for name, row in rows.items()}
    print(f"| {d} x {k} | " + " | ".join(f"{name} {s:.3f}" for name, s in shares.items()) + " |")  # noqa: T201 (for the docs)
    record_property(f"{d} x {k}", shares)
    assert shares["one statement"] <= shares["whole level"] <= shares["one statement"] + 0.08
