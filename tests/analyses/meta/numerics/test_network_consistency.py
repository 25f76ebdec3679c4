"""Consistency against metafor's inconsistent models."""

import numpy as np
import pytest
from scipy.stats import chi2, f

from benchinfer.analyses.meta.numerics.effects import Block, rows_of
from benchinfer.analyses.meta.numerics.network import by_design, split

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
                got.difference[1] * np.sqrt(max(theirs["scale"], 1.0)), rel=1e-4
            )


def test_one_design_has_nothing_between():
    rng = np.random.default_rng(2)
    same = [Block(np.array([0, 1, 2]), rng.normal(size=2), np.eye(2)) for _ in range(6)]
    got = by_design(rows_of(same, 3), same, "reml", refined=True)
    assert got.interaction is None
    assert (got.between.df, got.between.p_value) == (0, 1.0)
    assert split(rows_of(same, 3), same, (0, 1), "reml", refined=True) is None


def test_robust_errors_of_splits_of_two_algorithms_at_a_time():
    # Direct and indirect evidence then share no data set: errors are those of weighted means.
    rng = np.random.default_rng(3)
    pairs = [(0, 1), (0, 2), (1, 2)] * 6
    made = [Block(np.array(p), rng.normal(size=1), rng.uniform(0.1, 1, (1, 1))) for p in pairs]
    got = split(rows_of(made, 3), made, (0, 1), "reml", refined=True, robust=True)

    def spread(first, second):
        own = [b for b in made if b.arms.tolist() == [first, second]]
        w = np.array([1 / (b.cov[0, 0] + got.tau2) for b in own])
        y = np.array([b.y[0] for b in own])
        share = w / w.sum()
        return (share**2 * (y - share @ y) ** 2 / (1 - share)).sum()

    direct, others = spread(0, 1), spread(0, 2) + spread(1, 2)
    assert got.robust
    assert got.direct[1] == pytest.approx(np.sqrt(direct))
    assert got.indirect[1] == pytest.approx(np.sqrt(others))
    assert got.difference[1] == pytest.approx(np.sqrt(direct + others))
    assert 5 < got.df < 15
    # What one data set alone tells has no spread: errors are the model's.
    few = [made[0], *(b for b in made if b.arms.tolist() != [0, 1])]
    alone = split(rows_of(few, 3), few, (0, 1), "reml", refined=True, robust=True)
    assert alone == split(rows_of(few, 3), few, (0, 1), "reml", refined=True)
