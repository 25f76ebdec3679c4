"""One statement: how often a verdict or an interval is wrong, together, and what that costs.

`make calibrate ARGS="tests/calibration/test_statement.py"`, about an hour of one core, half of it
for the tables of eight algorithms by rotations.
"""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.numerics import rotations
from tests.calibration.statements import (
    ALPHA,
    BY_ROTATIONS,
    CELLS,
    Cell,
    counted,
    judged,
    ladder,
    stated,
)
from tests.calibration.tables import limit

TABLES = 2_500
# Procedures that take no rotations, single steps last.
OTHERS = (
    "by flips",
    "Bergmann and Hommel's",
    "Holm, one statement",
    "Tukey",
    "Sidak's single step",
)
OF_OTHERS = [
    *(Cell(d, (0.0,) * 4) for d in (8, 12)),
    *(Cell(d, ladder(4)) for d in (8, 12)),
    *(Cell(d, (0.0, 0.0, 50.0, 100.0)) for d in (8, 12)),
    *(Cell(d, (0.0, 0.0, 50.0, 50.0)) for d in (8, 12)),
    *(Cell(12, levels) for levels in (ladder(5), (0.0, 0.0, 3.0, 3.0, 6.0), ladder(5, 0.2))),
    Cell(8, (0.0, 0.0, 3.0, 6.0), "duplicates"),
    Cell(8, (0.0,) * 4, "t, 3 df"),
    Cell(12, ladder(4), "t, 3 df"),
    Cell(8, (0.0, 0.0, 0.0, 50.0), "sd 1 to 5"),
    Cell(12, ladder(4), "data sets unequal"),
]
OF_MANY = (
    "Bergmann and Hommel's",
    "Bergmann and Hommel's, Sidak's",
    "steps down by flips",
    "Holm, one statement",
    "Tukey",
    "Sidak's single step",
)
# Beside the number of tables: sets of fifteen algorithms take up to half a second.
MANY = [
    (Cell(12, ladder(10)), 500),
    (Cell(12, (0.0,) * 15), 1_000),
    (Cell(12, ladder(15, 0.2)), 1_000),
    (Cell(12, ladder(15)), 200),
    (Cell(12, ladder(15, 30.0)), 100),
    (Cell(12, (0.0,) * 8 + (50.0,) * 7), 200),
    (Cell(20, ladder(30)), 200),
]
OF_SIGNS = [
    *(Cell(d, (0.0,) * 4) for d in (7, 8, 12)),
    *(Cell(d, ladder(4)) for d in (7, 8, 12)),
    *(Cell(d, (0.0, 0.0, 50.0, 100.0)) for d in (7, 8, 12)),
    Cell(12, ladder(5, 0.2)),
    Cell(12, ladder(4), "t, 3 df"),
    Cell(12, ladder(4), "data sets unequal"),
    Cell(12, ladder(12)),
]


@pytest.fixture
def own_directions(monkeypatch):
    monkeypatch.setattr(rotations, "_CLOSE", 0.0)  # so few directions err: each table has its own


def shares_of(cell, rows, record):
    """Print and record the mean of what holds of the tables of a cell, by procedure."""
    found = {name: np.mean(of_tables, axis=0) for name, of_tables in rows.items()}
    for name, shares in found.items():
        print(f"| {cell} | {name} | " + " | ".join(f"{s:.3f}" for s in shares) + " |")  # noqa: T201 (for the docs)
        record(f"{cell}: {name}", shares.tolist())
    return found


def measured(cell, key, n, names, record):
    rng, rows = np.random.default_rng(key), {}
    for x in cell.drawn(rng, n):
        for name, row in counted(cell, x, int(rng.integers(2**32)), names).items():
            rows.setdefault(name, []).append(row)
    return shares_of(cell, rows, record)


@pytest.mark.calibration
@pytest.mark.usefixtures("own_directions")
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_statements_hold_as_a_whole(cell, record_property):
    n = TABLES
    found = measured(cell, [CELLS.index(cell), cell.k], n, BY_ROTATIONS, record_property)
    wrong, turned, _, _, over = found["one statement"]
    assert wrong <= limit(n)
    # Of differences close to 0 every second decision has the wrong direction.
    assert turned <= limit(n) / 2
    assert over == 0
    assert found["Holm, one statement"][0] <= limit(n)


@pytest.mark.calibration
@pytest.mark.usefixtures("own_directions")
@pytest.mark.parametrize("cell", OF_OTHERS, ids=str)
def test_statements_of_other_procedures_hold_as_a_whole(cell, record_property):
    """Tukey's one error for all pairs is right of equal noise."""
    n = TABLES
    found = measured(cell, [8, OF_OTHERS.index(cell)], n, OTHERS, record_property)
    for name in OTHERS:
        if cell.noise == "equal" or name != "Tukey":
            assert found[name][0] <= limit(n)
        assert found[name][4] == 0


@pytest.mark.calibration
@pytest.mark.usefixtures("own_directions")
@pytest.mark.parametrize(("cell", "n"), MANY, ids=str)
def test_statements_of_many_algorithms_hold_as_a_whole(cell, n, record_property):
    """Beyond the eight of rotations: the sets of up to fifteen, and Holm's steps of more."""
    names = OF_MANY if cell.k <= 15 else OF_MANY[2:]
    found = measured(cell, [9, MANY.index((cell, n))], n, names, record_property)
    for name in names:
        if name != "Bergmann and Hommel's, Sidak's":
            assert found[name][0] <= limit(n)
    decided = {name: row[2] for name, row in found.items()}
    assert decided["Holm, one statement"] <= decided["Sidak's single step"] + 0.05
    if cell.k <= 15:
        in_sets, at_whole_level = (decided[name] for name in OF_MANY[:2])
        assert decided["Holm, one statement"] <= in_sets <= at_whole_level <= in_sets + 0.08


def scores_of(x):
    table = pd.DataFrame(x, columns=[f"a{i:02}" for i in range(x.shape[1])])
    rows = table.rename_axis("dataset").reset_index().melt("dataset", var_name="algorithm")
    return bi.read_scores(rows, measures="value:higher")


@pytest.mark.calibration
@pytest.mark.parametrize("cell", OF_SIGNS, ids=str)
def test_statements_of_signed_ranks_hold_as_a_whole(cell, record_property):
    """Where ends are the least and the largest difference they have a level of their own."""
    n, rows = 400, {}
    for x in cell.drawn(np.random.default_rng([10, OF_SIGNS.index(cell)]), n):
        # Resamples are of the tests of all algorithms: all flips of so few data sets are counted.
        evidence = bi.compare_permutation(scores_of(x), resamples=999).evidence
        claims = {"signed ranks": (evidence.p_value, evidence.low, evidence.high)}
        claims |= stated(x, 1, ("Holm, one statement", "Tukey", "Sidak's single step"))[0]
        for name, row in judged(claims, evidence.estimate, cell.truth).items():
            rows.setdefault(name, []).append(row)
    wrong, _, _, _, over = shares_of(cell, rows, record_property)["signed ranks"]
    assert over == 0
    assert wrong <= limit(n) or cell.d < 8


@pytest.mark.calibration
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_compare_mixed_states_the_same(cell):
    """Of pairs that are not too skew for claims about their mean."""
    rng = np.random.default_rng([7, CELLS.index(cell)])
    for x in cell.drawn(rng, 10 if cell.k == rotations.MOST_ALGORITHMS else 20):
        scores = scores_of(x)
        claims, _ = stated(x, rotations.SEED, directions=rotations.DIRECTIONS)
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
