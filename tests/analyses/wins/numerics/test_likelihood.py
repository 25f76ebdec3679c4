import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import t as student

from benchinfer.analyses.wins.numerics.likelihood import (
    fit_wins,
    least_errors,
    log_likelihood,
    probabilities,
)
from benchinfer.analyses.wins.numerics.tally import Tally, count
from benchinfer.numerics.covariance import all_pairs

GOLDEN = json.loads(
    (Path(__file__).parents[3] / "golden" / "wins" / "wins.json").read_text(encoding="utf-8")
)
SCORES = np.array(GOLDEN["input"]["scores"])
VALUES = GOLDEN["values"]


@pytest.fixture(scope="module")
def tally():
    return count(SCORES, np.arange(len(SCORES)), tie=1e-6)


def _variances(cov):
    _, matrix = all_pairs(len(cov))
    return np.einsum("pk,kl,pl->p", matrix, cov, matrix)


def _two(wins, ties, losses):
    counts = [np.array([[x]], dtype=float) for x in (wins, ties, losses)]
    return Tally(np.array([[0, 1]]), *counts)


def test_counts_are_those_of_r(tally):
    total, names = tally.total, ("win", "tie", "loss")
    rows = {(r["i"] - 1, r["j"] - 1): [r[name] for name in names] for r in VALUES["counts"]}
    for p, pair in enumerate(map(tuple, tally.pairs.tolist())):
        assert [total.wins[0, p], total.ties[0, p], total.losses[0, p]] == rows[pair]


@pytest.mark.parametrize("ties", ["half", "drop"])
def test_bradley_terry_agrees_with_glm(tally, ties):
    found, golden = fit_wins(tally.with_ties(ties)), VALUES[ties]
    np.testing.assert_allclose(found.log_worth - found.log_worth[0], golden["worth"], atol=1e-9)
    np.testing.assert_allclose(_variances(found.cov), golden["variance"], rtol=1e-8)


def test_davidson_agrees_with_the_log_linear_model(tally):
    found, golden = fit_wins(tally), VALUES["davidson"]
    np.testing.assert_allclose(found.log_worth - found.log_worth[0], golden["worth"], atol=1e-8)
    assert found.tie == pytest.approx(golden["tie"], abs=1e-8)
    np.testing.assert_allclose(_variances(found.cov), golden["variance"], rtol=1e-7)


def test_penalised_agrees_with_the_maximum_in_r(tally):
    found = fit_wins(tally.with_ties("half"), penalised=True)
    difference = found.log_worth - found.log_worth[0]
    np.testing.assert_allclose(difference, VALUES["firth"]["worth"], atol=2e-5)


def test_davidson_agrees_with_a_general_optimiser(tally):
    def negative(x):
        return -log_likelihood(tally, np.append(x[:-1], -x[:-1].sum()), x[-1])

    found = fit_wins(tally)
    best = minimize(negative, np.zeros(5), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(found.log_worth[:4], best.x[:4], atol=1e-5)
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-8)


def test_davidson_of_two_algorithms_in_closed_form():
    # Saturated: P(win) : P(tie) : P(loss) = 9 : 6 : 4, nu = tie / sqrt(win loss).
    found = fit_wins(_two(9, 6, 4))
    assert found.log_worth[0] - found.log_worth[1] == pytest.approx(np.log(9 / 4))
    assert found.tie == pytest.approx(np.log(6 / np.sqrt(36)))


def test_bradley_terry_of_two_algorithms_in_closed_form():
    found = fit_wins(_two(6, 0, 2))
    assert found.log_worth[0] - found.log_worth[1] == pytest.approx(np.log(3))
    assert _variances(found.cov)[0] == pytest.approx(1 / 6 + 1 / 2)


def test_penalty_of_two_algorithms_in_closed_form():
    # Of a single probability Firth's penalty adds half a win to each side.
    found = fit_wins(_two(5, 0, 0), penalised=True)
    assert found.log_worth[0] - found.log_worth[1] == pytest.approx(np.log(5.5 / 0.5))


def test_probabilities_sum_to_one_however_far_apart():
    d = np.array([-2000.0, -3.0, 0.0, 1e-9, 5.0, 2000.0])
    for tie in (None, -1.0, 3.0):
        first, even, second = probabilities(d, tie)
        np.testing.assert_allclose(first + even + second, 1.0)
        np.testing.assert_allclose(first[1:5], np.exp(d[1:5]) * second[1:5])


def test_a_strong_order_has_finite_worths_under_the_penalty():
    pairs, _ = all_pairs(4)
    ones = np.full((1, 6), 9.0)
    tally = Tally(pairs, ones, np.zeros((1, 6)), np.zeros((1, 6)))
    worth = fit_wins(tally, penalised=True).log_worth
    assert (np.diff(worth) < -1).all()
    np.testing.assert_allclose(worth, -worth[::-1], atol=1e-8)


def test_errors_between_groups_are_not_below_those_of_sign_tests():
    # Two that win and lose against each other, beside one that loses on all, or most, data sets.
    wins = np.tile([[1.0, 1.0, 1.0]], (7, 1))
    wins[::2, 0] = 0.0
    losses = 1 - wins
    wins[0, 1] = losses[0, 1] = 0.0  # not together on one of them
    tally = Tally(all_pairs(3)[0], wins, np.zeros((7, 3)), losses)
    worth = fit_wins(tally, penalised=True).log_worth
    contrasts = np.array([[1.0, -1, 0], [1, 0, -1], [0, 1, -1], [0.5, 0.5, -1]])
    for df in (np.full(4, 6.0), np.array([np.inf, np.inf, 3.0, 6.0])):
        found = least_errors(tally, contrasts, worth, df, clustered=True)
        assert found[0] == 0
        p = 2 * student.sf(np.abs(contrasts[1:] @ worth) / found[1:], df[1:])
        # Of several pairs the one that met most often.
        np.testing.assert_allclose(p, [2 * 0.5**6, 2 * 0.5**7, 2 * 0.5**7])
    normal = np.full(4, np.inf)
    once = least_errors(tally.total, contrasts, worth, normal, clustered=True)
    assert (2 * student.sf(np.abs(contrasts[1:] @ worth) / once[1:], np.inf) > 0.49).all()


def test_a_penalty_that_bends_the_likelihood_is_still_maximised():
    # Whole steps of Newton swing about the maximum of such tables without end.
    pairs, _ = all_pairs(4)
    wins, losses = np.array([[2.0, 0, 2, 1, 1, 0]]), np.array([[0.0, 0, 0, 0, 1, 0]])
    tally = Tally(pairs, wins, np.zeros((1, 6)), losses)

    def negative(x):
        worth = np.append(x, -x.sum())
        d = worth[pairs[:, 0]] - worth[pairs[:, 1]]
        p = 1 / (1 + np.exp(-d))
        design = all_pairs(4)[1][:, :3]
        information = (design.T * ((wins + losses)[0] * p * (1 - p))) @ design
        half = np.linalg.slogdet(information)[1] / 2
        return -(wins[0] @ np.log(p) + losses[0] @ np.log(1 - p) + half)

    best = minimize(negative, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    found = fit_wins(tally, penalised=True)
    np.testing.assert_allclose(found.log_worth[:3], best.x, atol=1e-6)
