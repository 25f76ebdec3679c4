import json
from pathlib import Path

import numpy as np
import pytest

from benchinfer.analyses.wins.numerics.likelihood import fit_wins, quasi_variances
from benchinfer.analyses.wins.numerics.tally import count
from benchinfer.numerics.covariance import all_pairs

GOLDEN = json.loads(
    (Path(__file__).parents[3] / "golden" / "wins" / "wins.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("ties", ["half", "drop", "davidson"])
def test_agrees_with_a_general_optimiser_in_r(ties):
    scores = np.array(GOLDEN["input"]["scores"])
    fit = fit_wins(count(scores, np.arange(len(scores)), 1e-6).with_ties(ties))
    np.testing.assert_allclose(
        quasi_variances(fit.cov).variance, GOLDEN["values"][ties]["quasi"], rtol=2e-4
    )


def test_three_estimates_are_fitted_without_error():
    a = np.random.default_rng(3).normal(size=(3, 3))
    found = quasi_variances(a @ a.T)
    _, matrix = all_pairs(3)
    wanted = np.einsum("pk,kl,pl->p", matrix, a @ a.T, matrix)
    q = found.variance
    np.testing.assert_allclose([q[0] + q[1], q[0] + q[2], q[1] + q[2]], wanted, rtol=1e-6)
    assert max(-found.low, found.high) < 1e-6


def test_of_two_estimates_each_has_half():
    found = quasi_variances(np.array([[3.0, 1.0], [1.0, 2.0]]))
    np.testing.assert_allclose(found.variance, 1.5)


def test_errors_are_relative_ones_of_standard_errors():
    cov = np.diag([1.0, 2.0, 3.0, 4.0])
    cov[0, 1] = cov[1, 0] = 0.9
    found = quasi_variances(cov)
    _, matrix = all_pairs(4)
    wanted = np.sqrt(np.einsum("pk,kl,pl->p", matrix, cov, matrix))
    given = np.sqrt(np.abs(matrix) @ found.variance)
    assert found.low == pytest.approx((given / wanted - 1).min())
    assert found.high == pytest.approx((given / wanted - 1).max())
    assert found.high > 0.01


def test_differences_have_at_least_the_errors_given():
    least = np.array([0.0, 2.0, 2.0])
    found = quasi_variances(np.diag([1.0, 1.0, 1e-9]), least).variance
    np.testing.assert_allclose([found[0] + found[2], found[1] + found[2]], 4)
