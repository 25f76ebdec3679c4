"""Damaged tables: each is read or refused in words, and no row is lost without one."""

import pytest

from tests.scores.mutated import (
    check_folder,
    check_layout,
    check_long,
    check_measures,
    check_number,
    check_proposal,
    check_sample,
)

CHECKS = [
    *(check_folder, check_layout, check_long, check_measures, check_number, check_proposal),
    check_sample,
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "start", [0, *(pytest.param(n, marks=pytest.mark.calibration) for n in (40, 80))]
)
@pytest.mark.parametrize("check", CHECKS)
def test_damaged_tables_are_read_or_refused(tmp_path, check, start):
    read = sum(check(tmp_path, seed) for seed in range(start, start + 40))
    # Both happen; single pieces of folders, which are samples too, are no tables by themselves.
    assert 0 < read < 40
