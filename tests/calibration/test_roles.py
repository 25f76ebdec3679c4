"""Readings of many changed tables: no measure has another column's numbers."""

import pytest

from benchinfer.scores.roles.readings import readings
from tests.scores.roles.simulated import mutate, simulate

pytestmark = pytest.mark.calibration


def test_what_is_sure_takes_no_other_column_as_a_score():
    """Of 2,000 changed tables, those whose names are exchanged apart."""
    sure = wrong = 0
    for seed in range(50_000, 52_000):
        table, change = mutate(simulate(seed), seed)
        first = next(iter(readings(table.frame)), None)
        if first is None or not first.sure or change == "swap":
            continue
        sure += 1
        wrong += bool(set(first.of("score")) - set(table.of("score", "copy")))
    assert sure > 800
    assert wrong == 0
