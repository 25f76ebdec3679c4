"""All rows of a table are scores, failures, or reported, in every layout."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scores.accounts import LAYOUTS, check


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_scores_failures_and_reported_rows_are_all_rows(layout, seed):
    with TemporaryDirectory() as folder:
        check(layout, Path(folder), seed)
