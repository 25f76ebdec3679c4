"""Heterogeneity against metafor."""

import numpy as np
import pytest

from benchinfer.analyses.meta.numerics.pooling import NetworkPart, heterogeneity, tau_squared

from .golden import VALUES, part


@pytest.mark.parametrize("name", ["REML", "PM", "DL"])
@pytest.mark.parametrize("along", [False, True])
def test_every_number_of_metafor(name, along):
    methods = {"REML": "reml", "PM": "paule-mandel", "DL": "dersimonian-laird"}
    known = VALUES[f"{'along' if along else 'pair'}_{name}_z"]
    one = part(along=along)
    found = heterogeneity([one], tau_squared([one], methods[name]))
    for got, key in (
        (found.q, "q"),
        (found.p_value, "q_p"),
        (found.i2(found.tau2), "i2"),
        (found.h2(found.tau2), "h2"),
        (found.tau2_low, "tau2_low"),
        (found.tau2_high, "tau2_high"),
        (found.i2(found.tau2_low), "i2_low"),
        (found.i2(found.tau2_high), "i2_high"),
    ):
        assert got == pytest.approx(known[key], rel=1e-6), key
    assert found.df == one.free


def test_intervals_of_homogeneous_effects_are_empty_at_zero():
    known = VALUES["flat"]
    one = NetworkPart(np.array(known["y"]), np.ones((8, 1)), np.array(known["v"]))
    found = heterogeneity([one], 0.0)
    # metafor prints 0 to 0 for the empty set, with a note.
    assert known["tau2_high"] == pytest.approx(0, abs=1e-6)
    assert np.isnan([found.tau2_low, found.tau2_high]).all()
    assert found.p_value == pytest.approx(known["q_p"], rel=1e-9)
