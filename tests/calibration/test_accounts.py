"""Ten thousand tables, in every layout: no row is lost without a word."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.scores.accounts import LAYOUTS, check

pytestmark = pytest.mark.calibration


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_tables(layout):
    for seed in range(10_000 // len(LAYOUTS)):
        with TemporaryDirectory() as folder:
            check(layout, Path(folder), seed)
