import numpy as np
import pytest

from benchinfer.analyses.pair.numerics import t_tests
from benchinfer.core.errors import DesignError


def test_parts_are_disjoint_and_of_one_size():
    values = np.arange(103.0)
    means, part = t_tests.split(values, 10, seed=3)
    sizes = np.bincount(part)
    assert sorted(set(sizes)) == [10, 11]
    for k in range(10):
        assert means[k] == pytest.approx(values[part == k].mean())
    (_, again), (_, other) = t_tests.split(values, 10, seed=3), t_tests.split(values, 10, seed=4)
    assert (again == part).all()
    assert (other != part).any()


def test_parts_grow_until_they_look_normal():
    rng = np.random.default_rng(1)
    normal, heavy = rng.normal(size=200), rng.exponential(size=800) ** 2
    assert len(t_tests.split(normal, None, seed=1)[0]) == 200
    grown = len(t_tests.split(heavy, None, seed=1)[0])
    assert t_tests.FEWEST <= grown <= 100


def test_too_many_parts():
    with pytest.raises(DesignError, match=r"^11 parts of 10 items\.\nHint: from two to"):
        t_tests.split(np.arange(10.0), 11, seed=1)
