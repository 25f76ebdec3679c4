"""Spans of resamples."""

import numpy as np
import pytest

from benchinfer.numerics import shuffle


@pytest.mark.parametrize("span", [1, 3, 10, 99, None])
def test_spans_cover_each_resample_once(span: int | None) -> None:
    told: list[int] = []
    found = shuffle.in_spans(
        lambda first, last: np.arange(first, last, dtype=float),
        10,
        1,
        1,
        span=span,
        progress=told.append,
    )
    np.testing.assert_array_equal(found, np.arange(10))
    assert sum(told) == 10
    assert len(told) == -(-10 // (span or 10))


@pytest.mark.parametrize(("held", "visited"), [(10**6, 1), (1, 10**7), (0, 10**7), (10**9, 1)])
def test_large_resamples_have_short_spans(held: int, visited: int) -> None:
    told: list[int] = []
    shuffle.in_spans(
        lambda first, last: np.zeros(last - first), 4, held, visited, progress=told.append
    )
    assert max(told) <= 2
