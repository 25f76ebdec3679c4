"""Verdicts and intervals together, on simulated tables; `make calibrate` has more of them."""

import numpy as np
import pytest

from benchinfer.numerics import rotations
from benchinfer.numerics.closed_testing import partitions
from tests.calibration.statements import Cell, counted

TABLES = 400
IN_STEPS = (
    "one statement",
    "by flips",
    "Bergmann and Hommel's",
    "Shaffer's",
    "Holm, one statement",
    "steps down by flips",
    "Westfall's",
    "steps down by the largest t",
)


@pytest.fixture(autouse=True)
def own_directions(monkeypatch):
    monkeypatch.setattr(rotations, "_CLOSE", 0.0)  # so few directions err: each table has its own


@pytest.mark.slow
@pytest.mark.parametrize("levels", [(0.0,) * 4, (0.0, 0.0, 50.0, 100.0)])
def test_a_verdict_or_an_interval_is_wrong_in_five_percent_of_tables(levels):
    cell, rng, rows = Cell(8, levels), np.random.default_rng(8), {}
    for x in cell.drawn(rng, TABLES):
        for name, row in counted(cell, x, int(rng.integers(2**32))).items():
            rows.setdefault(name, []).append(row)
    shares = {name: np.mean(found, axis=0) for name, found in rows.items()}
    for name in ("one statement", "Holm, one statement"):
        assert shares[name][0] <= 0.05 + 2 * (0.05 * 0.95 / TABLES) ** 0.5
        assert shares[name][4] == 0
    # Verdicts at the whole level and Sidak's intervals are two statements.
    assert shares["closed, Sidak's"][0] > shares["one statement"][0]


@pytest.mark.slow
@pytest.mark.parametrize("k", [3, 4])
def test_no_partition_of_equal_algorithms_misleads_a_procedure(k):
    """All partitions, with blocks far apart and two standard errors apart, by their shape."""
    shapes, rows = [np.sort(np.bincount(labels)) for labels in partitions(k)], {}
    for number, (labels, sizes) in enumerate(zip(partitions(k), shapes, strict=True)):
        rng = np.random.default_rng([k, number])
        n = TABLES // 8 // sum(np.array_equal(sizes, other) for other in shapes)
        for gap in (2.0, 50.0):
            cell = Cell(8, tuple(gap * label for label in labels))
            for x in cell.drawn(rng, n):
                seed = int(rng.integers(2**32))
                for name, row in counted(cell, x, seed, IN_STEPS, directions=199).items():
                    rows.setdefault(name, {}).setdefault(tuple(sizes), []).append(row)
    for of_shapes in rows.values():
        every = [row for found in of_shapes.values() for row in found]
        for found in (every, *of_shapes.values()):
            assert np.mean(found, axis=0)[0] <= 0.05 + 3 * (0.05 * 0.95 / len(found)) ** 0.5
        _, _, decided, _, over = np.mean(every, axis=0)
        assert (over, decided > 0.2) == (0, True)
