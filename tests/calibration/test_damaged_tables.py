"""Ten thousand damaged tables: each is read or refused in words, and no row is lost."""

import pytest

from tests.scores.mutated import check_long, check_sample

pytestmark = pytest.mark.calibration


@pytest.mark.parametrize("check", [check_long, check_sample])
@pytest.mark.parametrize("first", range(1000, 6000, 500))
def test_damaged_tables(tmp_path, check, first):
    assert sum(check(tmp_path, seed) for seed in range(first, first + 500))
