"""Numbers along a history, kept at some moments."""

import numpy as np
import pytest

from benchinfer.analyses.monitor.course import Trail, points


@pytest.mark.parametrize("n", [1, 5, 8, 9, 100, 1001])
def test_points_are_few_evenly_apart_and_end_with_the_last(n):
    at = points(n, 8)
    assert at[-1] == n
    assert len(at) <= 9
    assert len(set(np.diff(at)[:-1].tolist())) <= 1


def test_a_trail_does_not_depend_on_how_it_came():
    values = np.random.default_rng(1).normal(size=(3, 1000))
    whole, parts = Trail(20).after(values), Trail(20)
    for a, b in ((0, 1), (1, 20), (20, 21), (21, 640), (640, 641), (641, 1000)):
        parts = parts.after(values[:, a:b])
        np.testing.assert_array_equal(parts.values, values[:, parts.at - 1])
    np.testing.assert_array_equal(parts.at, whole.at)
    np.testing.assert_array_equal(parts.values, whole.values)
