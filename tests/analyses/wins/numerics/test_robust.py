"""Errors of worths from the spread of clusters."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchinfer.analyses.wins.numerics import robust
from benchinfer.analyses.wins.numerics.likelihood import fit_wins, probabilities
from benchinfer.analyses.wins.numerics.robust import robust_errors
from benchinfer.analyses.wins.numerics.tally import Tally, count
from benchinfer.numerics.covariance import (
    IndependentGroups,
    all_pairs,
    cluster_robust,
    contrast_variances,
)

GOLDEN = json.loads(
    (Path(__file__).parents[3] / "golden" / "wins" / "wins.json").read_text(encoding="utf-8")
)


def simulated(datasets, algorithms, missing, seed=1, *, tied=False):
    """Return counts of a table with gaps."""
    rng = np.random.default_rng(seed)
    scores = np.linspace(0, 1, algorithms) + rng.gumbel(size=(datasets, algorithms))
    scores[rng.random(scores.shape) < missing] = np.nan
    return count(scores.round(1) if tied else scores, np.arange(datasets), tie=0.0)


def variances(tally):
    fit = fit_wins(tally)
    _, matrix = all_pairs(tally.n_algorithms)
    return contrast_variances(matrix, robust_errors(tally, fit).cov)


def test_errors_of_a_complete_table_are_those_of_r():
    scores = np.array(GOLDEN["input"]["scores"])
    tally = count(scores, np.arange(len(scores)), tie=1e-6).with_ties("half")
    np.testing.assert_allclose(variances(tally), GOLDEN["values"]["half"]["robust"], rtol=1e-8)
    found = robust_errors(tally, fit_wins(tally))
    assert (found.degrees(all_pairs(5)[1]) == 17).all()


def by_contests(tally, fit):
    """Return covariance and degrees of freedom of Bell and McCaffrey from rows of contests."""
    _, matrix = all_pairs(tally.n_algorithms)
    first, _, second = probabilities(matrix @ fit.log_worth, None)
    basis = np.eye(tally.n_algorithms)[:, 1:]  # the first algorithm is the reference
    groups, total = [], 0.0
    for wins, n in zip(tally.wins, tally.n, strict=True):
        met = n > 0
        root = np.sqrt(n * first * second)[met]
        rows = root[:, None] * (matrix @ basis)[met]
        residual = ((wins - n * first)[met] / root)[None]
        groups.append(IndependentGroups(None, rows[None], residual, np.zeros(1, np.int64)))
        total = total + rows.T @ rows
    return cluster_robust(groups, np.linalg.inv(total), matrix @ basis), matrix @ basis


@pytest.mark.parametrize("missing", [0.0, 0.2, 0.4])
def test_gaps_agree_with_bell_and_mccaffrey_contest_by_contest(missing):
    tally = simulated(9, 5, missing, seed=4)
    fit = fit_wins(tally)
    found, (other, differences) = robust_errors(tally, fit), by_contests(tally, fit)
    _, matrix = all_pairs(5)
    df = found.degrees(matrix)
    squares = contrast_variances(matrix, found.cov)
    np.testing.assert_allclose(squares, contrast_variances(differences, other.cov), rtol=1e-8)
    np.testing.assert_allclose(df, other.df, rtol=1e-6)
    assert (df <= 8).all()
    assert (df < 7).any() == (missing > 0)


def scaled(tally, times):
    """Return every contest so many times."""
    return Tally(tally.pairs, *(x * times for x in (tally.wins, tally.ties, tally.losses)))


def test_clusters_of_a_kind_count_as_often_as_they_are():
    one, matrix = simulated(6, 4, 0.2, seed=3), all_pairs(4)[1]
    counts = (np.repeat(x, 2, axis=0) for x in (one.wins, one.ties, one.losses))
    twice = Tally(one.pairs, *counts)
    found = robust_errors(twice, fit_wins(twice))
    assert found.clusters.sum() == 12
    assert len(found.clusters) <= 6
    # Clusters that differ a little are of kinds of their own.
    apart = scaled(twice, 1 + 1e-9 * np.arange(12)[:, None])
    other = robust_errors(apart, fit_wins(apart))
    assert len(other.clusters) == 12
    np.testing.assert_allclose(found.degrees(matrix), other.degrees(matrix), rtol=1e-6)
    np.testing.assert_allclose(found.cov, other.cov, atol=1e-6)


def test_robust_variance_of_two_algorithms_in_closed_form():
    # One contest for each data set: the binomial variance, times M / (M - 1).
    wins = np.array([1.0, 1, 1, 0, 1, 1, 0, 1])[:, None]
    tally = Tally(np.array([[0, 1]]), wins, np.zeros_like(wins), 1 - wins)
    fit = fit_wins(tally)
    found = robust_errors(tally, fit)
    contrast = np.array([[1.0, -1.0]])
    assert contrast_variances(contrast, found.cov)[0] == pytest.approx(
        8 / 7 * contrast_variances(contrast, fit.cov)[0]
    )
    assert found.degrees(contrast).tolist() == [7]


def test_unequal_clusters_of_two_algorithms_in_closed_form():
    # Shares a of the information: 1 / df = sum a^2 + the sum over m != n of b_m b_n.
    n = np.array([1.0, 2, 5, 12])[:, None]
    wins = np.array([1.0, 0, 3, 7])[:, None]
    tally = Tally(np.array([[0, 1]]), wins, np.zeros_like(wins), n - wins)
    a = n.ravel() / 20
    b = a**2 / (1 - a)
    df = 1 / ((a**2).sum() + b.sum() ** 2 - (b**2).sum())
    found = robust_errors(tally, fit_wins(tally))
    assert found.degrees(np.array([[1.0, -1.0]]))[0] == pytest.approx(df)
    p = 11 / 20
    residual = (wins - n * p).ravel()
    variance = (residual**2 / (1 - a)).sum() / (20 * p * (1 - p)) ** 2
    assert contrast_variances(np.array([[1.0, -1.0]]), found.cov)[0] == pytest.approx(variance)


def test_scores_of_clusters_of_two_are_added():
    # Contests that come twice carry the evidence of one.
    once = simulated(12, 5, 0.2)
    np.testing.assert_allclose(variances(scaled(once, 2.0)), variances(once), rtol=1e-8)


def test_an_algorithm_on_one_cluster_has_no_error():
    rng = np.random.default_rng(2)
    scores = rng.random((10, 4))
    scores[1:, 3] = np.nan
    tally = count(scores, np.arange(10), tie=0.0)
    fit = fit_wins(tally, penalised=True)
    pairs, matrix = all_pairs(4)
    df = robust_errors(tally, fit).degrees(matrix)
    assert ((df == 0) == (pairs == 3).any(axis=1)).all()
    alone = count(scores[:, :3], np.arange(10), tie=0.0)
    # Of the others it takes hardly anything away.
    assert (df[(pairs < 3).all(axis=1)] > 6).all()
    assert (robust_errors(alone, fit_wins(alone)).degrees(all_pairs(3)[1]) == 9).all()


@pytest.mark.parametrize("tied", [False, True])
def test_very_many_degrees_of_freedom_are_bounded_from_below(tied, monkeypatch):
    tally = simulated(30, 6, 0.2, tied=tied)
    found, matrix = robust_errors(tally, fit_wins(tally)), all_pairs(6)[1]
    exact = found.degrees(matrix)
    monkeypatch.setattr(robust, "_MOST", 0)
    bound = found.degrees(matrix)
    assert (bound <= exact + 1e-9).all()
    assert (bound >= 0.97 * exact).all()
