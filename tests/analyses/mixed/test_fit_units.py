"""Mixed models of units of unequal size."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.numerics.shifts import freedom_of_units
from tests.nested import items_of_passages, read

SIZES = (1, 2, 4, 7, 3, 13)


def test_two_algorithms_on_one_data_set_are_the_t_test_of_units():
    scores = read(items_of_passages(SIZES, seed=2))
    mixed, pair = bi.compare_mixed(scores), bi.compare_pair(scores)
    assert not mixed.fitted.model.singular  # else scores are pooled
    assert mixed.evidence.estimate == pytest.approx(pair.evidence.estimate, rel=1e-9)
    assert mixed.evidence.df == pytest.approx(pair.evidence.df, rel=1e-6)
    # That of the pair leaves the leverage of a unit out of what both have in common.
    assert mixed.evidence.std_error == pytest.approx(pair.evidence.std_error, rel=0.02)


def test_degrees_of_freedom_of_several_algorithms_shrink_alike():
    frame = items_of_passages(SIZES, "abcd", seed=3)
    uneven = bi.compare_mixed(read(frame))
    even = bi.compare_mixed(read(frame, unit_weights="units"))
    share = np.array(SIZES) / sum(SIZES)
    assert uneven.evidence.df == pytest.approx(even.evidence.df * freedom_of_units(share) / 5)


def test_these_data_sets():
    frame = items_of_passages(SIZES, datasets=3, seed=3)
    result = bi.compare_mixed(read(frame), target="datasets")
    d = frame.groupby(["dataset", "algorithm"])["acc"].mean().unstack()
    assert result.evidence.estimate == pytest.approx((d["a"] - d["b"]).mean(), rel=1e-12)
    errors, freedom = [], []
    for name in ("d0", "d1", "d2"):
        e = bi.compare_mixed(read(frame[frame["dataset"] == name])).evidence
        errors.append(e.std_error.item() ** 2)
        freedom.append(e.df.item())
    v = np.array(errors)
    assert result.evidence.std_error.item() == pytest.approx(np.sqrt(v.sum()) / 3, rel=1e-9)
    expected = v.sum() ** 2 / (v**2 / freedom).sum()
    assert result.evidence.df.item() == pytest.approx(expected, rel=1e-9)
