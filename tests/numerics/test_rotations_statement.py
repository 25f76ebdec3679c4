"""Verdicts and intervals together, on simulated tables; `make calibrate` has more of them."""

import numpy as np
import pytest

from benchinfer.numerics import rotations
from tests.calibration.statements import equal, judged, pair_far_off, shares_of, simulated, stated

TABLES = 1_000


@pytest.mark.parametrize("cell", [equal(5, 4), pair_far_off(8, 4)], ids=str)
def test_a_verdict_or_an_interval_is_wrong_in_five_percent_of_tables(cell, monkeypatch):
    monkeypatch.setattr(rotations, "_CLOSE", 0.0)  # so few directions err: each table has its own
    rows = {}
    for pairs, seed in simulated(cell, np.random.default_rng(cell.d), TABLES):
        for name, what in stated(pairs, seed, directions=199).items():
            rows.setdefault(name, []).append(judged(cell, pairs, what))
    shares = shares_of(rows)
    for name in ("default", "Holm"):
        assert shares[name]["wrong"] <= 0.05 + 2 * (0.05 * 0.95 / TABLES) ** 0.5
        assert shares[name]["over equality"] == 0
    # Verdicts at the whole level and Sidak's intervals are two statements.
    assert shares["simultaneous"]["wrong"] > shares["default"]["wrong"]
