"""Consistency against metafor's inconsistent models."""

import numpy as np
import pytest
from scipy.stats import chi2, f

from benchinfer.numerics.meta.consistency import by_design, split
from benchinfer.numerics.meta.rows import Block, rows_of

from .golden import VALUES, blocks


def test_designs():
    known, found = VALUES["designs"], blocks()
    rows = rows_of(found, 5)
    for refined in (False, True):
        got = by_design(rows, found, "reml", refined=refined)
        assert got.within.statistic == pytest.approx(known["within"], rel=1e-8)
        assert got.between.statistic == pytest.approx(known["between"], rel=1e-8)
        assert (got.within.df, got.between.df) == (known["df_within"], known["df_between"])
        assert got.within.p_value == pytest.approx(chi2.sf(known["within"], known["df_within"]))
        one = got.interaction
        assert one.tau2 == pytest.approx(known["tau2"], rel=1e-5)
        if refined:
            ratio = (
                known["interaction"] / known["df_between"] / (known["inner"] / known["df_within"])
            )
            assert one.statistic == pytest.approx(ratio, rel=1e-5)
            p = f.sf(ratio, known["df_between"], known["df_within"])
        else:
            assert one.statistic == pytest.approx(known["interaction"], rel=1e-5)
            p = chi2.sf(known["interaction"], known["df_between"])
        assert one.p_value == pytest.approx(p, rel=1e-5)


def test_splits():
    found = blocks()
    rows, known = rows_of(found, 5), {(s["first"], s["second"]): s for s in VALUES["splits"]}
    for i in range(5):
        for j in range(i + 1, 5):
            got = split(rows, found, (i, j), "reml", refined=False)
            if (i + 1, j + 1) not in known:
                assert got is None
                continue
            theirs = known[i + 1, j + 1]
            estimate, error = np.array([got.direct, got.indirect, got.difference]).T
            np.testing.assert_allclose(estimate, theirs["estimate"], rtol=2e-5, atol=1e-7)
            np.testing.assert_allclose(error, theirs["std_error"], rtol=2e-5)
            assert got.tau2 == pytest.approx(theirs["tau2"], rel=1e-4)
            refined = split(rows, found, (i, j), "reml", refined=True)
            assert refined.difference[1] == pytest.approx(
                got.difference[1] * np.sqrt(theirs["scale"]), rel=1e-4
            )


def test_one_design_has_nothing_between():
    rng = np.random.default_rng(2)
    same = [Block(np.array([0, 1, 2]), rng.normal(size=2), np.eye(2)) for _ in range(6)]
    got = by_design(rows_of(same, 3), same, "reml", refined=True)
    assert got.interaction is None
    assert (got.between.df, got.between.p_value) == (0, 1.0)
    assert split(rows_of(same, 3), same, (0, 1), "reml", refined=True) is None
