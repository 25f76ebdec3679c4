"""Verdicts and intervals together, on simulated tables; `make calibrate` has more of them."""

import numpy as np
import pytest

from benchinfer.numerics import rotations
from tests.calibration.statements import Cell, counted

TABLES = 400


@pytest.mark.parametrize("levels", [(0.0,) * 4, (0.0, 0.0, 50.0, 100.0)])
def test_a_verdict_or_an_interval_is_wrong_in_five_percent_of_tables(levels, monkeypatch):
    monkeypatch.setattr(rotations, "_CLOSE", 0.0)  # so few directions err: each table has its own
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
