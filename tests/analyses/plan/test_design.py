"""Findings on the design of a table: least differences, and replications that look shared."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.plan.design import DECIDES, design, intraclass


def table(common, *, own=1.0, datasets=3, runs=30, algorithms=4, seed=1):
    """Make scores whose replications share a part of their variance."""
    rng = np.random.default_rng(seed)
    shared = common * rng.normal(size=(datasets, runs, 1))
    values = shared + own * rng.normal(size=(datasets, runs, algorithms))
    places = np.indices(values.shape).reshape(3, -1)
    labels = {
        n: [f"{n[0]}{i}" for i in p] for n, p in zip(("dataset", "seed"), places, strict=False)
    }
    return pd.DataFrame(
        {**labels, "algorithm": [f"a{i}" for i in places[2]], "acc": values.ravel()}
    )


def found(frame, **options):
    scores = bi.read_scores(frame, measures="acc:higher", **options)
    return {finding.rule: finding for finding in design(scores)}


def test_differences_are_those_of_plan():
    scores = bi.load_example("simulated/unbalanced")
    rows = design(scores)[-1].where
    pilot = bi.compare_mixed(scores)
    r = round(1 / np.mean(1 / (n := scores.coverage().counts)[n > 0]))
    planned = [bi.plan(pilot, 1.0, n_datasets=d, n_replications=r).detectable for d in (8, 7)]
    assert rows[0] == ("measure", "sharing", "difference", "tolerance")
    assert [row[1] for row in rows[1:]] == ["8 of 8 data sets", "7 of 8 data sets"]
    assert [float(row[2]) for row in rows[1:]] == pytest.approx(planned, rel=5e-3)


def test_a_difference_that_is_named_is_shown_in_four_of_five_tables():
    """By t tests of data sets' differences, adjusted by Bonferroni's."""
    frame = table(0.0, datasets=12, runs=2)
    (row,) = found(frame)[DECIDES].where[1:]
    rng = np.random.default_rng(2)
    least, sd = float(row[2]), np.sqrt(1 / 2)  # of a mean of two scores
    means = sd * rng.normal(size=(4000, 12, 2))
    difference = means[..., 0] - means[..., 1] + least
    # The variance of the table is estimated, hence the tolerance.
    t = difference.mean(axis=1) / (difference.std(axis=1, ddof=1) / np.sqrt(12))
    assert np.mean(t > stats.t.ppf(1 - 0.05 / 12, 11)) == pytest.approx(0.8, abs=0.12)


def test_smallest_p_of_signs_among_all_pairs():
    assert f"p = {15 * 2**-11:.3g} at best" in design(bi.load_example("sklearn_bootstrap"))[-1].what
    few = bi.load_example("simulated/balanced").subset(datasets=["d01", "d02", "d03"])
    assert "p =" not in design(few)[-1].what  # which the finding on few data sets says


def test_nothing_is_said_of_scores_in_two_units():
    frame = table(0.0, own=0.01)
    frame["acc"] = 0.7 + frame["acc"]
    frame.loc[frame["dataset"] == "d0", "acc"] *= 100
    assert DECIDES not in found(frame)
    assert DECIDES not in found(table(0.0, algorithms=1))


def test_replications_that_are_shared_and_that_are_not():
    assert found(table(1.0))["replications"].what.startswith("scores of all algorithms rise")
    assert found(table(0.0))["replications"].what.startswith(
        "scores of different algorithms do not"
    )
    assert "replications" not in found(table(0.35, datasets=1, runs=8))  # too few to tell
    assert "replications" not in found(table(1.0), resampling="items")  # declared


def test_intraclass_correlation_of_shrout_and_fleiss():
    """Table 2 of Shrout and Fleiss (1979): ICC(3, 1) is .71, F(5, 15) = 11.03."""
    ratings = np.array(
        [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
    )
    # Judges' levels are algorithms' levels, which centring within a group removes.
    p, high, share = intraclass(ratings, np.zeros(6, int))
    assert (round(share, 2), round(p, 5)) == (0.71, 0.00013)
    assert share < high < 0.95


def test_bound_of_the_intraclass_correlation_covers():
    rng = np.random.default_rng(3)
    share, group = 0.1, np.repeat([0, 1], 15)
    values = np.sqrt(share) * rng.normal(size=(2000, 30, 1))
    values = values + np.sqrt(1 - share) * rng.normal(size=(2000, 30, 4))
    highs = [intraclass(each, group)[1] for each in values]
    assert np.mean(np.array(highs) >= share) == pytest.approx(0.95, abs=0.015)
